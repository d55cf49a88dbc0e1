//! Settings: encoder, retrieval, limits, storage, appearance, keyboard.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::storage;
use crate::embedding::device::DevicePreference;
use crate::present::format;
use crate::ui::actions::{history, workspace};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::field::{Check, Field, Select};
use crate::ui::components::shell::Shell;
use crate::ui::components::tabs::Segmented;
use crate::ui::components::theme::Theme;
use crate::ui::components::toasts::Toasts;
use crate::ui::settings::Settings;
use crate::ui::state::{EncoderStatus, Open, State};

const DEVICES: [(DevicePreference, &str, &str); 3] = [
    (DevicePreference::Auto, "auto", "A real GPU if there is one, else the CPU"),
    (DevicePreference::Cpu, "cpu", "CPU"),
    (DevicePreference::GpuForced, "gpu", "WebGPU, also a software adapter (very slow)"),
];

const ENCODERS: [(&str, &str); 2] =
    [("all-MiniLM-L6-v2", "all-MiniLM-L6-v2, 45 MB"), ("tiny", "tiny, random weights, for tests only")];

/// The page.
#[component]
pub fn SettingsPage() -> impl IntoView {
    view! {
        <Shell>
            <div class="setpage">
                <h1>"Settings"</h1>
                <p class="two">"Kept in this browser. Nothing is sent."</p>
                <Encoder/>
                <Retrieval/>
                <Limits/>
                <Storage/>
                <Appearance/>
            </div>
        </Shell>
    }
}

/// One setting: its name, its control, a sentence.
#[component]
fn Setting(
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

fn change(state: State, how: impl FnOnce(&mut Settings)) {
    state.settings.update(how);
    state.settings.with_untracked(Settings::save);
}

#[component]
fn Encoder() -> impl IntoView {
    let state = State::here();
    let device = Signal::derive(move || {
        let now = state.settings.with(|s| s.device);
        DEVICES.iter().find(|(d, _, _)| *d == now).map_or("auto", |(_, value, _)| value).to_owned()
    });
    let devices = DEVICES.map(|(_, value, words)| (value.to_owned(), words.to_owned())).to_vec();
    let on_device = Callback::new(move |chosen: String| {
        if let Some((device, _, _)) = DEVICES.iter().find(|(_, value, _)| *value == chosen) {
            change(state, |s| s.device = *device);
            state.engine().embedder.end();
            state.encoder.set(EncoderStatus::Resting);
        }
    });
    let encoders = ENCODERS.map(|(value, words)| (value.to_owned(), words.to_owned())).to_vec();
    let on_encoder = Callback::new(move |chosen: String| {
        change(state, |s| s.encoder = chosen);
        state.engine().embedder.end();
        state.encoder.set(EncoderStatus::Resting);
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
        <h2>"Encoder"</h2>
        <Setting name="Model" help="Turns texts into vectors, in this page. A history indexed with another model is indexed again.".to_owned()>
            <Select
                label="Encoder model"
                options=Signal::stored(encoders)
                value=Signal::derive(move || state.settings.with(|s| s.encoder.clone()))
                on_change=on_encoder
            />
        </Setting>
        <Setting name="Device" help=said>
            <Select label="Encoder device" options=Signal::stored(devices) value=device on_change=on_device/>
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
    let state = State::here();
    view! {
        <h2>"Retrieval"</h2>
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
        <h2>"Limits"</h2>
        {move || state.settings.with(|s| s.limits.max_rows).ge(&100_000).then(|| view! {
            <p class="t12 c-warn">"With this many rows a wide result may be slow to show."</p>
        })}
    }
}

#[component]
fn Limits() -> impl IntoView {
    view! {
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
fn NumberSetting(
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
                change(state, |s| write(s, x));
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
        <h2>"Storage"</h2>
        <Setting name="Databases" help=usage>
            <ul class="stack-1">
                {move || {
                    let list = state.workspaces.with(|w| w.list().to_vec());
                    if list.is_empty() {
                        return view! { <li class="t12 three">"None is kept. Opened files are kept here."</li> }.into_any();
                    }
                    list.into_iter().map(|kept| {
                        let (name, size, id) = (kept.name.clone(), format::bytes(kept.bytes), kept.id);
                        let remove = move || {
                            let kept = kept.clone();
                            spawn_local(async move {
                                workspace::take_off(state, id).await;
                                toasts.removed(format!("Removed “{}”", kept.name), move || {
                                    let kept = kept.clone();
                                    spawn_local(workspace::put_back(state, kept));
                                });
                            });
                        };
                        let open = move || state.open.with(|o| matches!(o, Open::Kept(w) if w.id == id));
                        view! {
                            <li class="row">
                                <span class="cut grow" class:strong=open>{name}</span>
                                <span class="t12 three">{size}</span>
                                <Button label="Remove" weight=Weight::Danger on_press=remove/>
                            </li>
                        }
                    }).collect_view().into_any()
                }}
            </ul>
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
        change(state, |s| s.theme = THEMES.get(i).copied().unwrap_or_default());
    });
    view! {
        <h2>"Appearance and keyboard"</h2>
        <Setting name="Theme">
            <Segmented label="Theme" options=vec!["System", "Light", "Dark"] selected=theme on_select=on_theme/>
        </Setting>
        <Setting name="Single keys" help="/, ?, j, k and the like. Press ? for the list.".to_owned()>
            <Check
                checked=Signal::derive(move || state.settings.with(|s| s.single_keys))
                on_change=Callback::new(move |on| change(state, |s| s.single_keys = on))
            >"Single keys are shortcuts"</Check>
        </Setting>
    }
}
