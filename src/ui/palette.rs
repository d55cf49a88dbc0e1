//! What the command palette lists and does.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::{ask, history, link, model, tasks, workspace};
use super::components::dom;
use super::components::file_input::FileInput;
use super::components::palette::Palette;
use super::components::result_table::RowsView;
use super::components::toasts::Toasts;
use super::database_menu::{DATABASE_FILES, OpenAddress, Renaming, has_link};
use super::keys::KeysOpen;
use super::pages::add_history::HISTORY_FILES;
use super::pages::answer::save_rows;
use super::pages::ask::{QUESTION, examples};
use super::pages::inspector::HEAD;
use super::pages::knowledge::export;
use super::pages::score::TASK_FILES;
use super::pages::settings::SECTIONS;
use super::pages::what::open_prompt;
use super::route::PAGES;
use super::settings::Way;
use super::state::{Open, Page, Stage, State};
use crate::present::chart;
use crate::present::palette::entries::{self, Now};
use crate::present::palette::{Action, Entry, Found, Hit, Index, Kind, Target, Used, remember, search};

/// Whether the palette is open.
#[derive(Clone, Copy)]
pub struct PaletteOpen(pub RwSignal<bool>);

/// Entries that are made anew only when what they are of changes.
#[derive(Clone, Default)]
struct Made(Arc<Index>);

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Made {
    fn new(entries: Vec<Entry>) -> Self {
        Self(Arc::new(Index::new(entries)))
    }
}

/// The palette. Nothing is listed before it is first opened.
#[component]
pub fn CommandPalette() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let PaletteOpen(open) = expect_context();
    let KeysOpen(keys) = expect_context();
    let (OpenAddress(address), Renaming(renaming)) = (expect_context(), expect_context());
    let (query, most) = (RwSignal::new(String::new()), RwSignal::new(0));
    let used = StoredValue::new(Vec::<Used>::new());
    let (pick_history, pick_database, pick_tasks) = (RwSignal::new(0), RwSignal::new(0), RwSignal::new(0));
    let here =
        Memo::new(move |_| if open.get() { Made::new(places_and_actions(state)) } else { Made::default() });
    let questions = Memo::new(move |_| {
        if !open.get() {
            return Made::default();
        }
        Made::new(entries::of_questions(&state.recent.get(), &examples(state)))
    });
    let tables = Memo::new(move |_| {
        state.overview.with(|o| o.as_ref().map(|o| Made::new(entries::of_database(o))).unwrap_or_default())
    });
    let items = Memo::new(move |_| {
        state
            .knowledge
            .with(|k| k.as_ref().map(|k| Made::new(entries::of_knowledge(&k.base))).unwrap_or_default())
    });
    let found = Memo::new(move |_| {
        if !open.get() {
            return Found::default();
        }
        let lists = [here.get(), questions.get(), tables.get(), items.get()];
        let lists: Vec<&Index> = lists.iter().map(|made| made.0.as_ref()).collect();
        query.with(|query| used.with_value(|used| search(&lists, query, used, most.get())))
    });
    let on_pick = Callback::new(move |hit: Hit| {
        used.update_value(|used| remember(used, &hit));
        match hit.target {
            Target::Act(Action::AddHistory) => pick_history.update(|n| *n += 1),
            Target::Act(Action::OpenFile) => pick_database.update(|n| *n += 1),
            Target::Act(Action::OpenTasks) => {
                show(state, Page::Ask);
                pick_tasks.update(|n| *n += 1);
            }
            Target::Act(Action::OpenAddress) => address.set(true),
            Target::Act(Action::Rename) => renaming.set(true),
            Target::Act(Action::Keys) => keys.set(true),
            Target::Act(action) => act(state, toasts, action),
            other => go(state, other),
        }
    });
    view! {
        <Palette open query found most on_pick/>
        <FileInput
            ask=pick_history
            accept=HISTORY_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(history::pick(state, file)))
        />
        <FileInput
            ask=pick_database
            accept=DATABASE_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(workspace::open_file(state, file)))
        />
        <FileInput
            ask=pick_tasks
            accept=TASK_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(tasks::open(state, file)))
        />
    }
}

/// Pages, sections of the settings, actions and workspaces.
fn places_and_actions(state: State) -> Vec<Entry> {
    let place = |title: String, href: String, detail: &str| Entry {
        detail: detail.to_owned(),
        ..Entry::new(Target::Place(href), Kind::Place, title)
    };
    let listed = PAGES.into_iter().filter(|page| page.is_listed());
    let mut all: Vec<Entry> =
        listed.map(|page| place(page.name().to_owned(), page.href().to_owned(), "")).collect();
    all.extend(entries::actions(now(state)));
    let sections = SECTIONS.into_iter();
    all.extend(sections.map(|(section, title, _)| {
        place(format!("Settings: {title}"), format!("{}/{section}", Page::Settings.href()), "")
    }));
    let demo = Entry::new(Target::Demo, Kind::Database, "Norhaven Ferries");
    all.push(Entry { detail: "demo".to_owned(), ..demo });
    state.workspaces.with(|workspaces| {
        all.extend(
            workspaces
                .list()
                .iter()
                .map(|w| Entry::new(Target::Workspace(w.id), Kind::Database, w.name.clone())),
        );
    });
    // The open one needs no opening.
    all.retain(|entry| match (&entry.target, &*state.open.read()) {
        (Target::Demo, Open::Demo) => false,
        (Target::Workspace(id), Open::Kept(open)) => open.id != *id,
        _ => true,
    });
    all
}

fn now(state: State) -> Now {
    let run = |read: fn(&super::state::Run) -> bool| state.run.with(read);
    Now {
        database: state.overview.with(Option::is_some),
        history: state.knowledge.with(Option::is_some),
        working: state.work.with(Option::is_some),
        imported: state.reports.with(|r| !r.is_empty()),
        sql: run(|r| !r.sql.is_empty()),
        prompt: run(|r| r.prompt.is_some()),
        answering: run(|r| !matches!(r.stage, Stage::Idle | Stage::Done)),
        server: state.settings.with(|s| !s.model.address.trim().is_empty()),
        question: state.question.with(|q| !q.trim().is_empty()),
        rows: run(|r| r.result.is_some()),
        chart: run(|r| r.result.as_ref().is_some_and(|rows| chart::choose(rows).is_some())),
        linked: state.open.with(has_link),
        kept: state.open.with(|open| matches!(open, Open::Kept(_))),
    }
}

fn act(state: State, toasts: Toasts, action: Action) {
    match action {
        Action::Export => export(state),
        Action::ExportWorkspace => state.exporting.set(true),
        Action::RemoveHistory => spawn_local(history::remove(state)),
        Action::Index => spawn_local(history::index(state)),
        Action::ImportReport => state.reading_report.set(true),
        Action::EditSql => {
            show(state, Page::Ask);
            dom::press_later("[data-key='E']");
        }
        Action::ReadPrompt => {
            show(state, Page::Ask);
            open_prompt(state);
        }
        Action::ChooseGold => {
            show(state, Page::Ask);
            dom::focus_later("select[aria-label='Gold']".to_owned());
        }
        Action::WriteGold => {
            show(state, Page::Ask);
            state.writing_gold.set(true);
        }
        Action::CompareWays => {
            show(state, Page::Ask);
            state.set(|s| s.model.way = Way::Compare);
            dom::focus_later(QUESTION.to_owned());
            spawn_local(ask::ask(state));
        }
        Action::Chart => {
            show(state, Page::Ask);
            state.rows_view.set(RowsView::Chart);
        }
        Action::SaveRows => save_rows(state),
        Action::CopyLink => link::copy(state, toasts),
        Action::RemoveWorkspace => {
            if let Open::Kept(kept) = state.open.get_untracked() {
                spawn_local(workspace::remove(state, toasts, kept));
            }
        }
        Action::Stop => ask::stop(state),
        Action::TestModel => {
            go(state, Target::Place(format!("{}/model", Page::Settings.href())));
            spawn_local(model::test(state));
        }
        Action::Theme => state.set(|s| s.theme = s.theme.switched()),
        // These open what is a part of the page.
        Action::AddHistory
        | Action::OpenFile
        | Action::OpenTasks
        | Action::OpenAddress
        | Action::Rename
        | Action::Keys => {}
    }
    if action == Action::Stop {
        toasts.confirm("Stopped the answer");
    }
}

fn go(state: State, target: Target) {
    match target {
        Target::Place(href) => {
            let _ = window().location().set_hash(&href);
        }
        Target::Demo => spawn_local(async move {
            workspace::open_demo(state).await;
        }),
        Target::Workspace(id) => {
            if let Some(kept) = state.workspaces.with_untracked(|w| w.get(id).cloned()) {
                spawn_local(workspace::open_kept(state, kept));
            }
        }
        Target::Table(table) => {
            show(state, Page::Ask);
            state.reveal.set(Some((table, None)));
        }
        Target::Column(table, column) => {
            show(state, Page::Ask);
            state.reveal.set(Some((table, Some(column))));
        }
        Target::Question(question) => {
            show(state, Page::Ask);
            state.question.set(question);
            // Where one writes the next one.
            dom::focus_later(QUESTION.to_owned());
            if state.knowledge.with_untracked(|k| k.as_ref().is_some_and(|k| k.index.is_some())) {
                spawn_local(ask::ask(state));
            }
        }
        Target::Item(key) => {
            if !matches!(state.page.get_untracked(), Page::Ask | Page::Knowledge) {
                show(state, Page::Knowledge);
            }
            state.selected.set(Some(key));
            dom::focus_later(HEAD.to_owned());
        }
        Target::Act(_) => {}
    }
}

/// Goes to a page at once, so that what is shown there can take the focus.
fn show(state: State, page: Page) {
    if state.page.get_untracked() != page {
        state.page.set(page);
        page.go();
    }
}
