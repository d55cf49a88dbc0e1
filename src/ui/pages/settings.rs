//! Settings: model, privacy, encoder, retrieval, limits, storage, appearance, keyboard.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::settings_model::{ModelSection, PrivacySection};
use crate::browser::storage;
use crate::embedding::device::DevicePreference;
use crate::present::format;
use crate::ui::actions::{history, workspace};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::dom;
use crate::ui::components::field::{Check, Field};
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::shell::{Section, Shell, Side, SummaryChip, SummaryChips};
use crate::ui::components::shortcuts::ShortcutList;
use crate::ui::components::tabs::Segmented;
use crate::ui::components::tag::Tone;
use crate::ui::components::theme::Theme;
use crate::ui::components::toasts::Toasts;
use crate::ui::route::section_id;
use crate::ui::settings::Settings;
use crate::ui::state::{EncoderStatus, Open, Page, State};

const DEVICES: [(DevicePreference, &str); 3] = [
    (DevicePreference::Auto, "A real GPU if there is one, else the CPU"),
    (DevicePreference::Cpu, "CPU"),
    (DevicePreference::GpuForced, "WebGPU, also a software adapter (very slow)"),
];

const ENCODERS: [(&str, &str); 3] = [
    ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2, 45 MB"),
    ("all-mpnet-base-v2", "all-mpnet-base-v2, 218 MB, the paper's; slower"),
    ("tiny", "tiny, random weights, for tests only"),
];

/// The sections: name in the address, and title.
pub const SECTIONS: [(&str, &str, Icon); 8] = [
    ("model", "Model", Icon::Model),
    ("privacy", "Privacy", Icon::Lock),
    ("encoder", "Encoder", Icon::Chip),
    ("retrieval", "Retrieval", Icon::Filter),
    ("limits", "Limits", Icon::Clock),
    ("storage", "Storage", Icon::Database),
    ("appearance", "Appearance", Icon::Theme),
    ("keyboard", "Keyboard", Icon::Key),
];

/// The page.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let open = RwSignal::new(false);
    let rail = Side { label: "Sections", view: (move || view! { <Sections open/> }).into(), open };
    view! {
        <Shell rail class="narrow-rail">
            <SummaryChips
                chips=Signal::stored(vec![SummaryChip { text: "Sections".to_owned(), icon: Icon::Gear, tone: Tone::Neutral }])
                on_press=Callback::new(move |_| open.set(true))
            />
            <div class="setpage">
                <h1>"Settings"</h1>
                <p class="two">
                    "Settings are kept in this browser. Keys are not, unless you ask. "
                    <a href=Page::Diagnostics.href()>"Diagnostics"</a>
                    " show versions, what this browser can do, and what went wrong."
                </p>
                <ModelSection/>
                <PrivacySection/>
                <Encoder/>
                <Retrieval/>
                <Limits/>
                <Storage/>
                <Appearance/>
                <Keyboard/>
            </div>
        </Shell>
    }
}

/// The list of sections.
#[component]
fn Sections(open: RwSignal<bool>) -> impl IntoView {
    let state = State::here();
    let now = Memo::new(move |_| {
        let named = state.section.get();
        SECTIONS.iter().position(|(section, _, _)| *section == named).unwrap_or(0)
    });
    view! {
        <Section title="Settings">
            <nav class="list pb-2" aria-label="Sections">
                {SECTIONS
                    .into_iter()
                    .enumerate()
                    .map(|(place, (section, title, icon))| {
                        let current = move || (now.get() == place).then_some("true");
                        view! {
                            <a
                                href=format!("{}/{section}", Page::Settings.href())
                                aria-current=current
                                on:click=move |_| {
                                    open.set(false);
                                    // The address does not change when it names this section already.
                                    dom::go_later(format!("#{}", section_id(section)));
                                }
                            >
                                <IconView icon/>
                                {title}
                            </a>
                        }
                    })
                    .collect_view()}
                <a href=Page::Diagnostics.href()><IconView icon=Icon::Info/>"Diagnostics"</a>
            </nav>
        </Section>
    }
}

/// Head of a section; the list of sections and addresses lead here.
#[component]
pub(super) fn SectionHead(section: &'static str) -> impl IntoView {
    let title = SECTIONS.iter().find(|(name, _, _)| *name == section).map_or("", |(_, title, _)| *title);
    view! { <h2 id=section_id(section) tabindex="-1">{title}</h2> }
}

/// One setting: its name, its control, a sentence.
#[component]
pub(super) fn Setting(
    /// Its name.
    name: &'static str,
    /// What it means.
    #[prop(optional, into)]
    help: Signal<String>,
    /// Its control.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="set">
            <span class="lab">{name}</span>
            <div>{children()}<p class="help">{help}</p></div>
        </div>
    }
}

#[component]
fn Encoder() -> impl IntoView {
    let state = State::here();
    let rest = move || {
        state.engine().embedder.end();
        state.encoder.set(EncoderStatus::Resting);
    };
    let devices = DEVICES.map(|(device, words)| (device, words.to_owned())).to_vec();
    let encoders = ENCODERS.map(|(name, words)| (name.to_owned(), words.to_owned())).to_vec();
    let on_device = Callback::new(move |device| {
        state.set(|s| s.device = device);
        rest();
    });
    let on_encoder = Callback::new(move |name| {
        state.set(|s| s.encoder = name);
        rest();
    });
    let said = Signal::derive(move || match state.encoder.get() {
        EncoderStatus::Resting => "It is fetched when a question or a new history needs it.".to_owned(),
        EncoderStatus::Loading(work) => format!("{} {}", work.title, work.count()),
        EncoderStatus::Ready(device, notice) => match notice {
            Some(notice) => format!("Running on {device}. {notice}"),
            None => format!("Running on {device}."),
        },
        EncoderStatus::Failed(why) => why,
    });
    view! {
        <SectionHead section="encoder"/>
        <Setting name="Model" help="Turns texts into vectors, in this page. A history indexed with another model is indexed again.".to_owned()>
            <Choice
                label="Encoder model"
                choices=Signal::stored(encoders)
                value=Signal::derive(move || state.settings.with(|s| s.encoder.clone()))
                on_change=on_encoder
            />
        </Setting>
        <Setting name="Device" help=said>
            <Choice
                label="Encoder device"
                choices=Signal::stored(devices)
                value=Signal::derive(move || state.settings.with(|s| s.device))
                on_change=on_device
            />
        </Setting>
        <Setting name="Index" help="Embeds what has no vector yet.".to_owned()>
            <Button
                label="Index the history"
                disabled=Signal::derive(move || state.knowledge.with(Option::is_none) || state.work.with(Option::is_some))
                on_press=move || spawn_local(history::index(state))
            />
        </Setting>
    }
}

#[component]
fn Retrieval() -> impl IntoView {
    view! {
        <SectionHead section="retrieval"/>
        <NumberSetting
            name="Threshold"
            help="Similarity that a phrase and a component must reach, 0 to 1. The paper's best is 0.6."
            read=|s| f64::from(s.retrieval.threshold)
            write=|s, x| s.retrieval.threshold = x as f32
            least=0.0
            most=1.0
        />
        <NumberSetting
            name="Queries"
            help="Queries handed on to the answer at most."
            read=|s| s.retrieval.max_shots as f64
            write=|s, x| s.retrieval.max_shots = x as usize
            least=1.0
            most=50.0
        />
    }
}

#[component]
fn Limits() -> impl IntoView {
    let state = State::here();
    view! {
        <SectionHead section="limits"/>
        {move || state.settings.with(|s| s.limits.max_rows).ge(&100_000).then(|| view! {
            <p class="t12 c-warn">"With this many rows a wide result may be slow to show."</p>
        })}
        <NumberSetting
            name="Time"
            help="Seconds that a query may take."
            read=|s| f64::from(s.limits.timeout_ms) / 1000.0
            write=|s, x| s.limits.timeout_ms = (x * 1000.0) as u32
            least=1.0
            most=3600.0
        />
        <NumberSetting
            name="Rows"
            help="Rows read before a result is cut. Scores always read all rows."
            read=|s| s.limits.max_rows as f64
            write=|s, x| s.limits.max_rows = x as usize
            least=1.0
            most=1_000_000.0
        />
    }
}

/// A number with its bounds; what is out of bounds is said and not taken.
#[component]
pub(super) fn NumberSetting(
    name: &'static str,
    help: &'static str,
    read: fn(&Settings) -> f64,
    write: fn(&mut Settings, f64),
    least: f64,
    most: f64,
) -> impl IntoView {
    let state = State::here();
    let shown = state.settings.with_untracked(|s| format!("{}", (read(s) * 1000.0).round() / 1000.0));
    let text = RwSignal::new(shown);
    let error = RwSignal::new(String::new());
    let on_input = Callback::new(move |new: String| {
        text.set(new.clone());
        match new.trim().parse::<f64>() {
            Ok(x) if (least..=most).contains(&x) => {
                error.set(String::new());
                state.set(|s| write(s, x));
            }
            _ => error.set(format!("A number from {least} to {most}")),
        }
    });
    view! {
        <Setting name help=help.to_owned()>
            <Field label=name value=text on_input error class="num"/>
        </Setting>
    }
}

#[component]
fn Storage() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let usage = RwSignal::new(String::new());
    Effect::new(move |_| {
        state.workspaces.track();
        spawn_local(async move {
            usage.set(match storage::estimate().await {
                Some((used, granted)) => {
                    format!(
                        "{} used of {} that this browser grants.",
                        format::bytes(used),
                        format::bytes(granted)
                    )
                }
                None => "This browser does not tell how much it keeps.".to_owned(),
            });
        });
    });
    view! {
        <SectionHead section="storage"/>
        <Setting name="Databases" help=usage>
            <ul class="stack-1">
                {move || {
                    let list = state.workspaces.with(|w| w.list().to_vec());
                    if list.is_empty() {
                        return view! { <li class="t12 three">"None is kept. Opened files are kept here."</li> }.into_any();
                    }
                    list.into_iter().map(|kept| {
                        let (name, size, id) = (kept.name.clone(), format::bytes(kept.bytes), kept.id);
                        let remove = move || spawn_local(workspace::remove(state, toasts, kept.clone()));
                        let open = move || state.open.with(|o| matches!(o, Open::Kept(w) if w.id == id));
                        view! {
                            <li class="row">
                                <span class="cut grow" class:strong=open>{name}</span>
                                <span class="t12 three">{size}</span>
                                {move || open().then(|| view! {
                                    <Button label="Export" weight=Weight::Quiet on_press=move || state.exporting.set(true)/>
                                })}
                                <Button label="Remove" weight=Weight::Danger on_press=remove/>
                            </li>
                        }
                    }).collect_view().into_any()
                }}
            </ul>
        </Setting>
        <Setting
            name="Encoder"
            help="Its weights are fetched when first needed and kept in this browser’s storage, until the data of this site is cleared.".to_owned()
        >
            <span class="t12">
                {move || state.settings.with(|s| {
                    let named = ENCODERS.iter().find(|(name, _)| *name == s.encoder);
                    named.map_or_else(|| s.encoder.clone(), |(_, words)| (*words).to_owned())
                })}
            </span>
        </Setting>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let state = State::here();
    const THEMES: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];
    let theme = Signal::derive(move || {
        let now = state.settings.with(|s| s.theme);
        THEMES.iter().position(|t| *t == now).unwrap_or(0)
    });
    let on_theme = Callback::new(move |i: usize| {
        state.set(|s| s.theme = THEMES.get(i).copied().unwrap_or_default());
    });
    view! {
        <SectionHead section="appearance"/>
        <Setting name="Theme">
            <Segmented label="Theme" options=vec!["System", "Light", "Dark"] selected=theme on_select=on_theme/>
        </Setting>
    }
}

#[component]
fn Keyboard() -> impl IntoView {
    let state = State::here();
    view! {
        <SectionHead section="keyboard"/>
        <Setting name="Single keys" help="/, ?, j, k and the like. Without them, Ctrl ↵, Esc, F6 and the arrows work on.".to_owned()>
            <Check
                checked=Signal::derive(move || state.settings.with(|s| s.single_keys))
                on_change=Callback::new(move |on| state.set(|s| s.single_keys = on))
            >"Single keys are shortcuts"</Check>
        </Setting>
        <Setting name="Keys"><ShortcutList/></Setting>
    }
}
