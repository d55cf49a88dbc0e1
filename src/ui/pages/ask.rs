//! Ask: the question, and the answer below it in a fixed order.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::add_history::NoHistory;
use super::answer::AnswerView;
use super::inspector::inspector;
use super::rail::Rail;
use super::score::GoldSelect;
use crate::present::answer::marks;
use crate::present::format;
use crate::present::score::Standing;
use crate::retrieval::Level;
use crate::ui::actions::{ask, workspace};
use crate::ui::components::button::{Button, IconButton, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::dom;
use crate::ui::components::drop_zone::DropZone;
use crate::ui::components::empty::EmptyState;
use crate::ui::components::icon::Icon;
use crate::ui::components::notice::Notice;
use crate::ui::components::question_box::QuestionBox;
use crate::ui::components::score_panel::tone;
use crate::ui::components::shell::{Shell, Side, SummaryChip, SummaryChips};
use crate::ui::components::tag::Tone;
use crate::ui::database_menu::DATABASE_FILES;
use crate::ui::settings::Way;
use crate::ui::state::{Stage, State};

/// Where the question is written.
pub const QUESTION: &str = "[data-question]";

/// The page.
#[component]
pub fn AskPage() -> impl IntoView {
    let rail_open = RwSignal::new(false);
    let state = State::here();
    // On narrow screens the tree is in a sheet.
    Effect::new(move |_| {
        let narrow = window().match_media("(max-width: 960px)").ok().flatten().is_some_and(|q| q.matches());
        if state.reveal.with(Option::is_some) && narrow {
            rail_open.set(true);
        }
    });
    let rail =
        Side { label: "Database and history", view: (move || view! { <Rail/> }).into(), open: rail_open };
    view! {
        <Shell rail inspector=inspector()>
            <h1 class="sr">"Ask"</h1>
            <div class="answer">
                <Chips rail_open/>
                <OpenTrouble/>
                <Question/>
                <Centre/>
            </div>
        </Shell>
    }
}

/// What the side columns hold, for screens that hide them; before it the verdict, which stands far below there.
#[component]
fn Chips(rail_open: RwSignal<bool>) -> impl IntoView {
    let state = State::here();
    let verdict = Memo::new(move |_| {
        state.run.with(|r| r.score.as_ref().filter(|_| !r.stale).map(|score| Standing::of(&score.verdict)))
    });
    let chips = Signal::derive(move || {
        let tables = state.overview.with(|o| o.as_ref().map_or(0, |o| o.schema.tables.len()));
        let queries = state.knowledge.with(|k| k.as_ref().map_or(0, |k| k.base.entries.len()));
        let verdict = verdict.get().map(|standing| SummaryChip {
            text: standing.to_gold().to_owned(),
            icon: match standing {
                Standing::Equal => Icon::Check,
                Standing::Different => Icon::Close,
                Standing::NotCompared => Icon::Warn,
            },
            tone: tone(standing),
        });
        let columns = [
            (format::counted(tables, "table", "tables"), Icon::Database),
            (format::counted(queries, "query", "queries"), Icon::History),
        ];
        let columns = columns.map(|(text, icon)| SummaryChip { text, icon, tone: Tone::Neutral });
        verdict.into_iter().chain(columns).collect::<Vec<_>>()
    });
    let on_press = Callback::new(move |place| {
        if place == 0 && verdict.get_untracked().is_some() {
            if let Some(score) = document().get_element_by_id("score") {
                score.scroll_into_view();
            }
        } else {
            rail_open.set(true);
        }
    });
    view! { <SummaryChips chips on_press/> }
}

/// What went wrong with opening, and what to know about the open file.
#[component]
fn OpenTrouble() -> impl IntoView {
    let state = State::here();
    view! {
        {move || state.open_error.get().map(|error| {
            let close = move || view! { <CloseNotice on_press=move || state.open_error.set(None)/> };
            view! { <Notice tone=Tone::Bad title=error aside=close/> }
        })}
        <Show when=move || state.elsewhere.get()>
            <Notice
                tone=Tone::Warn
                icon=Icon::Copy
                title="This workspace is open in another tab."
                actions=move || view! {
                    <Button label="Take over here" on_press=move || spawn_local(workspace::take_over(state))/>
                }
            >
                "Here you can read and ask; changes are saved there."
            </Notice>
        </Show>
        {move || state.notices.get().into_iter().map(|notice| {
            let title = notice.clone();
            let close = move || {
                let notice = notice.clone();
                let shut = move || state.notices.update(|notices| notices.retain(|n| *n != notice));
                view! { <CloseNotice on_press=shut/> }
            };
            view! { <Notice tone=Tone::Warn title aside=close/> }
        }).collect_view()}
        {move || state.remark.get().map(|remark| {
            let close = move || view! { <CloseNotice on_press=move || state.remark.set(None)/> };
            view! { <Notice title=remark aside=close/> }
        })}
    }
}

/// Takes a notice away; the question is where one goes on.
#[component]
fn CloseNotice(#[prop(into)] on_press: Callback<()>) -> impl IntoView {
    let press = move || {
        on_press.run(());
        dom::focus_later(QUESTION.to_owned());
    };
    view! { <IconButton icon=Icon::Close label="Close" class="small" on_press=press/> }
}

#[component]
fn Question() -> impl IntoView {
    let state = State::here();
    let marks = Signal::derive(move || {
        state.knowledge.with(|knowledge| {
            state.run.with(|run| match (knowledge, &run.retrieved) {
                (Some(knowledge), Some(retrieved)) if state.question.with(|q| q.trim() == run.question) => {
                    marks(&knowledge.base, retrieved)
                }
                _ => Vec::new(),
            })
        })
    });
    // What the user opened or added has taken the place of the button that did it: the question is next.
    let at = Memo::new(move |_| {
        let tables = state.overview.with(|overview| overview.as_ref().map(|o| Arc::as_ptr(o).addr()));
        let history =
            state.knowledge.with(|k| k.as_ref().map_or(0, |k| if k.index.is_some() { 2 } else { 1 }));
        (tables, history)
    });
    // What the page opens by itself takes no focus.
    let begun = move || state.opened() > 1 || state.reports.with_untracked(|reports| !reports.is_empty());
    Effect::new(move |before: Option<(Option<usize>, u8)>| {
        let now = at.get();
        let more = before.is_some_and(|(tables, history)| tables != now.0 || now.1 > history);
        if more && begun() {
            dom::focus_if_nowhere(QUESTION);
        }
        now
    });
    let busy = Signal::derive(move || state.run.with(|r| !matches!(r.stage, Stage::Idle | Stage::Done)));
    let blocked = Signal::derive(move || {
        let indexed = state.knowledge.with(|k| k.as_ref().map(|k| k.index.is_some()));
        let way = state.settings.with(|s| s.model.way);
        if way != Way::Adapt && state.settings.with(|s| s.model.address.trim().is_empty()) {
            return "Set up a model first, in Settings".to_owned();
        }
        match indexed {
            // A model can answer without a history.
            None if way == Way::Direct && state.overview.with(Option::is_some) => String::new(),
            None => "Add a history first".to_owned(),
            Some(false) => "Index the history first".to_owned(),
            Some(true) => String::new(),
        }
    });
    view! {
        <QuestionBox
            question=state.question
            marks
            on_ask=move || spawn_local(ask::ask(state))
            on_stop=move || ask::stop(state)
            busy
            blocked
            settings=move || view! { <WaySelect/> <RetrieverSelect/> <GoldSelect/> }
        />
    }
}

/// Who writes the SQL.
#[component]
fn WaySelect() -> impl IntoView {
    let state = State::here();
    let choices = Signal::stored(WAYS.map(|(way, words)| (way, words.to_owned())).to_vec());
    let value = Signal::derive(move || state.settings.with(|s| s.model.way));
    let on_change = Callback::new(move |way| state.set(|s| s.model.way = way));
    view! { <Choice label="Who writes the SQL" choices value on_change class="quiet"/> }
}

const WAYS: [(Way, &str); 3] = [
    (Way::Adapt, "Adapted, no model"),
    (Way::Direct, "Direct, with model"),
    (Way::Compare, "Compare three ways"),
];

/// What the retriever searches.
#[component]
fn RetrieverSelect() -> impl IntoView {
    let state = State::here();
    let choices = Signal::derive(move || {
        let threshold = state.settings.with(|s| s.retrieval.threshold);
        LEVELS.map(|(level, words)| (level, format!("{words}, {threshold:.2}"))).to_vec()
    });
    let value = Signal::derive(move || state.settings.with(|s| s.retrieval.level));
    let on_change = Callback::new(move |level| state.set(|s| s.retrieval.level = level));
    view! { <Choice label="Retriever: level and threshold" choices value on_change class="quiet not-phone"/> }
}

const LEVELS: [(Level, &str); 3] =
    [(Level::Both, "Queries + components"), (Level::Query, "Queries"), (Level::Component, "Components")];

/// Below the question: what to do next, or the answer.
#[component]
fn Centre() -> impl IntoView {
    let state = State::here();
    let what = Memo::new(move |_| {
        if state.overview.with(Option::is_none) {
            return if state.open_error.with(Option::is_some) { Centred::Database } else { Centred::Nothing };
        }
        match state.knowledge.with(Option::is_some) {
            _ if state.run.with(|r| r.stage != Stage::Idle) => Centred::Answer,
            false => Centred::History,
            true => Centred::Examples,
        }
    });
    move || match what.get() {
        Centred::Nothing => ().into_any(),
        Centred::Database => view! {
            <DropZone
                icon=Icon::Database
                title="Open a database"
                button="Choose a file"
                accept=DATABASE_FILES
                on_file=UnsyncCallback::new(move |file| spawn_local(workspace::open_file(state, file)))
                actions=move || view! {
                    <Button
                        label="Demo: Norhaven Ferries"
                        weight=Weight::Quiet
                        on_press=move || spawn_local(async move {
                            let _ = workspace::open_demo(state).await;
                        })
                    />
                }
            >
                "Drop a SQLite file or a workspace (.querylore) here, or pick one. It stays on this machine."
            </DropZone>
        }
        .into_any(),
        Centred::History => view! { <NoHistory/> }.into_any(),
        Centred::Examples => view! { <Examples/> }.into_any(),
        Centred::Answer => view! { <AnswerView/> }.into_any(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Centred {
    Nothing,
    Database,
    History,
    Examples,
    Answer,
}

/// Questions to start with: the demo's, else those of the history.
pub fn examples(state: State) -> Vec<String> {
    let given = state.examples.get();
    if !given.is_empty() {
        return given.as_ref().clone();
    }
    state
        .knowledge
        .with(|k| k.iter().flat_map(|k| &k.base.entries).filter_map(|e| e.question.clone()).take(5).collect())
}

/// The questions to start with, as buttons.
#[component]
fn Examples() -> impl IntoView {
    let state = State::here();
    let questions = Signal::derive(move || examples(state));
    view! {
        <EmptyState
            icon=Icon::Ask
            title="Ask in your own words"
            actions=move || view! {
                <ul class="examples">
                    {move || questions.get().into_iter().map(|question| {
                        let shown = question.clone();
                        let go = move || {
                            state.question.set(question.clone());
                            if state.knowledge.with_untracked(|k| k.as_ref().is_some_and(|k| k.index.is_some())) {
                                spawn_local(ask::ask(state));
                            }
                        };
                        view! { <li><Button label=shown on_press=go/></li> }
                    }).collect_view()}
                </ul>
            }
        >
            "The answer shows the knowledge of the history it used, the SQL and the rows."
        </EmptyState>
    }
}
