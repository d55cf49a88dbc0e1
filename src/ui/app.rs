//! The page as a whole: bar, the page in view, tab bar, dialogs, shortcuts, the live region.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::{answers, ask, diagnostics, workspace};
use super::components::dom;
use super::components::icon::{Icon, IconSprite, IconView};
use super::components::shell::{NavItem, Status, TabBar, TopBar};
use super::components::theme::ThemeButton;
use super::components::toasts::ToastHost;
use super::database_menu::{DatabaseMenu, OpenAddress, Renaming};
use super::export_dialog::ExportDialog;
use super::import_dialog::ImportDialog;
use super::incomplete_dialog::IncompleteDialog;
use super::keys::{Shortcuts, listen};
use super::link_dialog::LinkDialog;
use super::pages::{
    ask::AskPage, bench::BenchPage, diagnostics::DiagnosticsPage, knowledge::KnowledgePage, lab::LabPage,
    settings::SettingsPage,
};
use super::palette::{CommandPalette, PaletteOpen};
use super::report_dialog::ReportDialog;
use super::route;
use super::state::{EncoderStatus, ModelStatus, Page, Run, Stage, State};

fn places() -> Vec<NavItem> {
    vec![
        NavItem { label: "Ask", short: "Ask", href: Page::Ask.href(), icon: Icon::Ask },
        NavItem { label: "Knowledge", short: "Knowledge", href: Page::Knowledge.href(), icon: Icon::Filter },
        NavItem { label: "Lab", short: "Lab", href: Page::Lab.href(), icon: Icon::Flask },
        NavItem { label: "Settings", short: "Settings", href: Page::Settings.href(), icon: Icon::Gear },
    ]
}

/// The page.
#[component]
pub fn App() -> impl IntoView {
    let state = State::default();
    let toasts = state.toasts;
    provide_context(state);
    provide_context(toasts);
    let ready = RwSignal::new(false);
    route::follow(state);
    listen(state, toasts);
    provide_context(OpenAddress(RwSignal::new(false)));
    provide_context(Renaming(RwSignal::new(false)));
    diagnostics::watch(state);
    answers::listen(state);
    Effect::new(move |_| state.settings.with(|s| s.theme.apply()));
    // An answer speaks of the history it was found in.
    let history = Memo::new(move |_| state.knowledge.with(Option::is_some));
    Effect::new(move |before: Option<bool>| {
        let now = history.get();
        if before == Some(true) && !now {
            forget(state);
        }
        now
    });
    // So does what was said of a file.
    Effect::new(move |_| {
        state.overview.track();
        state.remark.set(None);
    });
    spawn_local(async move {
        workspace::start(state).await;
        answers::load(state).await;
        ready.set(true);
    });
    let current = Signal::derive(move || state.page.get().href().to_owned());
    let theme = Signal::derive(move || state.settings.with(|s| s.theme));
    let on_theme = Callback::new(move |theme| {
        state.set(|s| s.theme = theme);
    });
    view! {
        <IconSprite/>
        // Its address would be that of another page.
        <a class="skip" href="#main" on:click=move |event| {
            event.prevent_default();
            dom::focus_later("#main".to_owned());
        }>"Skip to the content"</a>
        <div class="app" data-ready=move || ready.get().then_some("true")>
            <TopBar
                home=Page::Ask.href()
                database=move || view! { <DatabaseMenu/> }
                nav=places().into_iter().take(3).collect()
                current
                status=Signal::derive(move || vec![encoder_status(&state.encoder.get()), model_status(state)])
                actions=move || {
                    view! {
                        <FindButton/>
                        <a class="btn quiet icon not-phone" href=Page::Settings.href() aria-label="Settings">
                            <svg class="i" aria-hidden="true"><use href=Icon::Gear.href()></use></svg>
                        </a>
                        <ThemeButton theme on_change=on_theme/>
                    }
                }
            />
            {move || match state.page.get() {
                Page::Ask => view! { <AskPage/> }.into_any(),
                Page::Knowledge => view! { <KnowledgePage/> }.into_any(),
                Page::Settings => view! { <SettingsPage/> }.into_any(),
                Page::Diagnostics => view! { <DiagnosticsPage/> }.into_any(),
                Page::Bench => view! { <BenchPage/> }.into_any(),
                Page::Lab => view! { <LabPage/> }.into_any(),
            }}
            <TabBar nav=places() current/>
        </div>
        <ImportDialog/>
        <ExportDialog/>
        <IncompleteDialog/>
        <LinkDialog/>
        <ReportDialog/>
        <Shortcuts/>
        <CommandPalette/>
        <ToastHost toasts/>
        <div class="sr" role="status" aria-live="polite">{move || state.said.get()}</div>
    }
}

/// Takes away what the history answered; what comes of it later is too late.
fn forget(state: State) {
    let found =
        state.run.with_untracked(|r| (r.retrieved.is_some() || r.answer.is_some()).then_some(r.number));
    if let Some(number) = found {
        ask::stop(state);
        state.selected.set(None);
        state.run.set(Run { number: number.wrapping_add(1), ..Run::default() });
    }
}

/// Opens the palette.
#[component]
fn FindButton() -> impl IntoView {
    let PaletteOpen(open) = expect_context();
    view! {
        <button
            type="button"
            class="btn quiet find"
            title="Find anything"
            aria-keyshortcuts="Control+K Meta+K"
            on:click=move |_| open.set(true)
        >
            <IconView icon=Icon::Search/>
            <span class="sr">"Find anything"</span>
            <kbd aria-hidden="true">"Ctrl K"</kbd>
        </button>
    }
}

/// Whether a model is set up, and whether it answers.
fn model_status(state: State) -> Status {
    let name = state.settings.with(|s| s.model.ask.model.clone());
    let set_up = state.settings.with(|s| !s.model.address.trim().is_empty());
    let answering = state.run.with(|r| r.stage == Stage::Answer);
    let (text, title) = match state.model.get() {
        _ if !set_up => ("No model".to_owned(), "Answers are adapted from the history.".to_owned()),
        ModelStatus::Tested(found) => (name, found.title),
        _ => (name, "Not tested yet.".to_owned()),
    };
    let text = if text.is_empty() { "No model chosen".to_owned() } else { text };
    let busy = answering || state.model.with(|m| *m == ModelStatus::Testing);
    Status { text, title, href: "#/settings/model", icon: Icon::Model, busy, minor: false }
}

fn encoder_status(encoder: &EncoderStatus) -> Status {
    let (text, title, busy) = match encoder {
        EncoderStatus::Resting => {
            ("Encoder not loaded", "It is fetched when a question needs it.".to_owned(), false)
        }
        EncoderStatus::Loading(work) => ("Encoder loading", work.count(), true),
        EncoderStatus::Ready(device, notice) => {
            let short = if device.starts_with("WebGPU") { "Encoder on GPU" } else { "Encoder on CPU" };
            (short, notice.clone().unwrap_or_else(|| device.clone()), false)
        }
        EncoderStatus::Failed(why) => ("No encoder", why.clone(), false),
    };
    Status { text: text.to_owned(), title, href: "#/settings/encoder", icon: Icon::Chip, busy, minor: true }
}
