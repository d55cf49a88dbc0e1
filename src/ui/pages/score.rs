//! Gold: choosing it, and how the answer compares with it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use crate::bench::compare::Verdict;
use crate::experiment::scoring::{about, fitting};
use crate::present::score::{Standing, Unscored, sentence};
use crate::ui::actions::{ask, tasks};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::dialog::Dialog;
use crate::ui::components::dom;
use crate::ui::components::field::Select;
use crate::ui::components::file_input::FileInput;
use crate::ui::components::score_panel::{KnowledgeScore, Score, ScorePanel};
use crate::ui::components::sql_editor::SqlEditor;
use crate::ui::state::{Gold, State};

/// Endings of task files.
pub const TASK_FILES: &str = ".json";

/// The gold that the answer is compared with: none, typed, or a task's.
#[component]
pub fn GoldSelect() -> impl IntoView {
    let state = State::here();
    let writing = state.writing_gold;
    let draft = RwSignal::new(String::new());
    let pick = RwSignal::new(0_u32);
    let options = Signal::derive(move || {
        let mut options = vec![
            ("none".to_owned(), "No gold".to_owned()),
            ("sql".to_owned(), "Gold SQL".to_owned()),
            ("file".to_owned(), "Open a task file".to_owned()),
        ];
        state.tasks.with(|tasks| {
            options.extend(tasks.iter().enumerate().map(|(i, task)| {
                let mut question: String = task.question.chars().take(40).collect();
                if question.len() < task.question.len() {
                    question.truncate(question.trim_end().len());
                    question.push('…');
                }
                (format!("task-{i}"), format!("Task {}: {question}", task.question_id))
            }));
        });
        options
    });
    let value = Signal::derive(move || match state.gold.get() {
        Gold::None => "none".to_owned(),
        Gold::Sql(_) => "sql".to_owned(),
        Gold::Task(position) => format!("task-{position}"),
    });
    let on_change = Callback::new(move |chosen: String| match chosen.as_str() {
        "none" => {
            state.gold.set(Gold::None);
            spawn_local(ask::score(state));
        }
        "sql" => writing.set(true),
        "file" => pick.update(|n| *n += 1),
        task => {
            if let Some(position) = task.strip_prefix("task-").and_then(|n| n.parse().ok()) {
                tasks::choose(state, position);
            }
        }
    });
    // The text is what one came for, not the button that closes. It begins with what is compared with now.
    Effect::new(move |_| {
        if writing.get() {
            let now = untrack(move || gold_text(state));
            if !now.is_empty() {
                draft.set(now);
            }
            dom::focus_later("dialog[open] .dialog-b textarea".to_owned());
        }
    });
    let done = move || {
        writing.set(false);
        let sql = draft.get_untracked();
        state.gold.set(if sql.trim().is_empty() { Gold::None } else { Gold::Sql(sql) });
        spawn_local(ask::score(state));
    };
    view! {
        <Select label="Gold" options value on_change class="quiet"/>
        <FileInput
            ask=pick
            accept=TASK_FILES
            on_file=UnsyncCallback::new(move |file: File| spawn_local(tasks::open(state, file)))
        />
        <Dialog
            open=writing
            on_close=move || writing.set(false)
            title="Gold SQL"
            actions=move || view! { <Button label="Compare" weight=Weight::Primary on_press=done/> }
        >
            <SqlEditor text=draft on_run=done label="Gold SQL" placeholder="SELECT …"/>
            <p class="t12 three mt-2">"The answer's rows are compared with the rows of this query."</p>
        </Dialog>
    }
}

/// The comparison; without gold, how to get one.
#[component]
pub fn ScoreColumn() -> impl IntoView {
    let state = State::here();
    let score = Signal::derive(move || {
        state.run.with(|run| {
            let mode = state.settings.with(|settings| settings.mode.to_string());
            let Some(score) = run.score.as_ref().filter(|_| !run.stale) else {
                let why = match state.gold.get() {
                    Gold::None => Unscored::NoGold,
                    _ if run.trouble.is_some() || run.stale => Unscored::NoRows,
                    _ => Unscored::Waiting,
                };
                let sentence = why.sentence().to_owned();
                return Score { mode, standing: None, diagnosis: None, knowledge: None, sentence };
            };
            let queries = run.retrieved.as_ref().map_or(0, |r| r.queries.len());
            Score {
                mode,
                standing: Some(Standing::of(&score.verdict)),
                diagnosis: match score.verdict.as_ref() {
                    Verdict::Different(diagnosis) => Some(diagnosis.clone()),
                    _ => None,
                },
                knowledge: score.knowledge.map(|counts| KnowledgeScore { counts, queries }),
                sentence: sentence(&score.verdict),
            }
        })
    });
    let gold_sql = RwSignal::new(false);
    view! {
        <section aria-label="Score" id="score">
            <ScorePanel
                score
                has_gold=Signal::derive(move || state.gold.with(|gold| *gold != Gold::None))
                on_gold=Callback::new(move |()| gold_sql.set(true))
                modes=move || view! { <ModeChoice/> }
            />
            <Dialog open=gold_sql on_close=move || gold_sql.set(false) title="Gold SQL">
                <pre class="mono">{move || gold_text(state)}</pre>
            </Dialog>
        </section>
    }
}

/// The rule by which rows are compared. Another one scores the answer anew.
#[component]
fn ModeChoice() -> impl IntoView {
    let state = State::here();
    let choices = Signal::derive(move || {
        let modes = state.tasks.with(|tasks| fitting(tasks));
        modes.into_iter().map(|mode| (mode, mode.to_string())).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.settings.with(|settings| settings.mode));
    let on_change = Callback::new(move |mode| {
        state.set(|settings| settings.mode = mode);
        spawn_local(ask::score(state));
    });
    view! {
        <span title=move || about(value.get())>
            <Choice label="Scoring mode" choices value on_change class="quiet mono"/>
        </span>
    }
}

fn gold_text(state: State) -> String {
    match state.gold.get() {
        Gold::None => String::new(),
        Gold::Sql(sql) => sql,
        Gold::Task(position) => {
            state.tasks.with(|t| t.get(position).map(|t| t.gold.clone()).unwrap_or_default())
        }
    }
}
