//! The answer: what happened, the knowledge used, the SQL, the rows and the score, each in its place.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::compared::ComparedWays;
use super::score::ScoreColumn;
use super::what::What;
use crate::db::{DbError, Value};
use crate::history::entry::tag;
use crate::pipeline::adapt::Change;
use crate::present::answer::{spans, used};
use crate::present::fault::{self, Fault};
use crate::present::{cells, format, layout, model, titles};
use crate::sql::Schema;
use crate::ui::actions::ask;
use crate::ui::components::button::{Button, IconButton, Weight};
use crate::ui::components::dom;
use crate::ui::components::icon::Icon;
use crate::ui::components::knowledge::{Card, KnowledgeStrip};
use crate::ui::components::result_table::{ResultTable, RowsPlaceholder};
use crate::ui::components::sql_editor::SqlEditor;
use crate::ui::components::sql_view::SqlView;
use crate::ui::components::tabs::{Tab, Tabs};
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::state::{Stage, State, Trouble};

/// Where the SQL of the answer is edited.
pub const EDITOR: &str = "main .sql-edit textarea";

/// Cards shown before "more".
const CARDS: usize = 6;

/// The answer.
#[component]
pub fn AnswerView() -> impl IntoView {
    view! {
        <What/>
        <ComparedWays/>
        <Knowledge/>
        <Sql/>
        <div class="split">
            <Rows/>
            <ScoreColumn/>
        </div>
    }
}

/// The items that were retrieved, best first.
#[component]
fn Knowledge() -> impl IntoView {
    let state = State::here();
    let all = RwSignal::new(false);
    let every = Memo::new(move |_| {
        state.knowledge.with(|knowledge| {
            state.run.with(|run| {
                let (Some(knowledge), Some(retrieved)) = (knowledge, &run.retrieved) else {
                    return Vec::new();
                };
                let entry = run.answer.as_ref().map(|a| a.entry);
                let remarks = titles::remarks(&knowledge.base);
                used(&knowledge.base, retrieved, entry)
                    .into_iter()
                    .filter_map(|(key, score)| {
                        let found = knowledge.base.items.get(key as usize)?;
                        let seen = knowledge.base.times_seen(found);
                        let remark = remarks.get(key as usize).cloned().unwrap_or_default();
                        Some(Card { key, kind: found.kind, title: found.title.clone(), remark, score, seen })
                    })
                    .collect::<Vec<_>>()
            })
        })
    });
    let cards = Signal::derive(move || {
        let shown = if all.get() { usize::MAX } else { CARDS };
        every.with(|cards| cards.iter().take(shown).cloned().collect::<Vec<_>>())
    });
    let counts = Memo::new(move |_| {
        let (queries, below) = state
            .run
            .with(|run| run.retrieved.as_ref().map_or((0, 0), |r| (r.queries.len(), r.below_threshold)));
        (every.with(Vec::len), queries, below)
    });
    let note = move || {
        let (items, queries, _) = counts.get();
        format!(
            "{} and {}",
            format::counted(items, "item", "items"),
            format::counted(queries, "query", "queries")
        )
    };
    let below = move || {
        let (_, _, below) = counts.get();
        let threshold = state.settings.with(|s| s.retrieval.threshold);
        (below > 0).then(|| format!("{below} more below {threshold:.2}"))
    };
    view! {
        <section aria-label="Knowledge used">
            <div class="sect-h">
                <h2>"Knowledge used"</h2>
                <span class="t12 three">{note}</span>
                <span class="push"></span>
                <span class="t12 three not-phone">{below}</span>
                <Show when=move || { counts.get().0 > CARDS }>
                    <Button
                        label=Signal::derive(move || {
                            if all.get() { "Show fewer".to_owned() } else { format!("Show all {}", counts.get().0) }
                        })
                        weight=Weight::Quiet
                        on_press=move || all.update(|a| *a = !*a)
                    />
                </Show>
            </div>
            <KnowledgeStrip
                cards
                selected=state.selected
                on_select=Callback::new(move |key| state.selected.set(Some(key)))
            />
        </section>
    }
}

/// The SQL, its source and what was changed; or an editor.
#[component]
fn Sql() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let tab = RwSignal::new(0_usize);
    let editing = RwSignal::new(false);
    let draft = RwSignal::new(String::new());
    let fault = RwSignal::new(None::<Fault>);
    let sql = Memo::new(move |_| {
        state.run.with(|r| match r.stage {
            Stage::Answer if !r.streamed.is_empty() => model::sql_so_far(&r.streamed),
            _ => r.sql.clone(),
        })
    });
    // What the model wrote, answer by answer.
    let written = Memo::new(move |_| {
        state.run.with(|r| {
            let direct = r.direct.as_ref()?;
            let texts =
                direct.attempts.iter().filter_map(|a| a.answer.as_ref()).map(|a| a.text.trim().to_owned());
            Some(texts.collect::<Vec<_>>()).filter(|texts| !texts.is_empty())
        })
    });
    let changes = Memo::new(move |_| {
        state.run.with(|r| match &r.answer {
            Some(answer) if !r.edited => answer.changes.clone(),
            _ => Vec::new(),
        })
    });
    let source = Memo::new(move |_| {
        let entry = state.run.with(|r| r.answer.as_ref().map(|a| a.entry))?;
        state.knowledge.with(|k| k.as_ref()?.base.entries.get(entry as usize).cloned())
    });
    let tabs = Signal::derive(move || {
        let mut tabs = vec![Tab::new("SQL")];
        if let Some(entry) = source.get() {
            tabs.push(Tab::new(format!("Source {}", tag(entry.id))));
            tabs.push(Tab::counted("Changes", changes.with(Vec::len)));
        } else if written.with(Option::is_some) {
            tabs.push(Tab::new("Model’s answer"));
        }
        tabs
    });
    let lit = Signal::derive(move || {
        state.knowledge.with(|knowledge| {
            state.overview.with(|overview| match (knowledge, overview) {
                (Some(knowledge), Some(overview)) => spans(&sql.get(), &overview.schema, &knowledge.base),
                _ => Vec::new(),
            })
        })
    });
    let shown = Signal::derive(move || match source.get() {
        Some(entry) if tab.get() == 1 => layout::broken(&entry.sql),
        _ => sql.get(),
    });
    let tinted = Signal::derive(move || if tab.get() == 1 { Vec::<Change>::new() } else { changes.get() });
    let error = Signal::derive(move || {
        state.run.with(|r| match &r.trouble {
            Some(Trouble::Db(crate::db::DbError::Sql { offset, .. })) => offset.map(|o| o as usize),
            _ => None,
        })
    });
    Effect::new(move |_| {
        sql.track();
        tab.set(0);
        editing.set(false);
    });
    // The focus goes back to the button that opened the editor.
    let leave = move || {
        editing.set(false);
        state.run.update(|r| r.stale = false);
        dom::focus_later("[data-key='E']".to_owned());
    };
    let found = move |sql: &str, error: &DbError| {
        let none = Schema::default();
        state.overview.with_untracked(|overview| {
            fault::fault(sql, error, overview.as_ref().map_or(&none, |overview| &overview.schema))
        })
    };
    let running = move || state.run.with_untracked(|r| r.stage == Stage::Run);
    // Where it fails the editor stays, with what is wrong, and the answer below stays what it was.
    let run = move || {
        let text = draft.get_untracked();
        if running() {
            return;
        }
        fault.set(None);
        spawn_local(async move {
            match ask::try_sql(state, text.clone()).await {
                Ok(()) => leave(),
                Err(error) => fault.set(Some(found(&text, &error))),
            }
        });
    };
    let cancel = move || if running() { ask::stop(state) } else { leave() };
    let edit = move || {
        let text = sql.get_untracked();
        fault.set(state.run.with_untracked(|r| match &r.trouble {
            Some(Trouble::Db(error)) => Some(found(&text, error)),
            _ => None,
        }));
        draft.set(text);
        editing.set(true);
        dom::focus_later(EDITOR.to_owned());
    };
    let again = move || spawn_local(ask::run_sql(state, sql.get_untracked()));
    view! {
        <section class="sect" aria-label="SQL">
            <div class="sect-h line">
                <Tabs label="SQL" tabs selected=tab on_select=Callback::new(move |i| tab.set(i))/>
                <span class="push"></span>
                <IconButton
                    icon=Icon::Copy
                    label="Copy SQL"
                    on_press=move || download::copy(toasts, "SQL", &sql.get_untracked())
                />
                <Show
                    when=move || editing.get()
                    fallback=move || view! {
                        <Button label="Edit" weight=Weight::Quiet key="E" on_press=edit/>
                        <Button label="Run" icon=Icon::Play on_press=again/>
                    }
                >
                    <Button label="Cancel" weight=Weight::Quiet on_press=cancel/>
                    <Button label="Run" icon=Icon::Play key="Ctrl ↵" on_press=run/>
                </Show>
            </div>
            <Show
                when=move || editing.get()
                fallback=move || view! {
                    <Show when=move || tab.get() == 1 && source.with(Option::is_none)>
                        {move || written.get().map(|texts| texts.into_iter().map(|text| view! { <pre class="prompt-text" tabindex="0">{text}</pre> }).collect_view())}
                    </Show>
                    <SqlView
                        sql=shown
                        label="SQL of the answer"
                        spans=lit
                        selected=state.selected
                        on_select=Callback::new(move |key| state.selected.set(Some(key)))
                        changes=tinted
                        error
                        changes_only=Signal::derive(move || tab.get() == 2)
                    />
                    <Show when=move || tab.get() == 2><Reasons changes/></Show>
                }
            >
                <SqlEditor text=draft on_run=run on_cancel=cancel fault/>
            </Show>
        </section>
    }
}

/// Why each value was changed.
#[component]
fn Reasons(changes: Memo<Vec<Change>>) -> impl IntoView {
    view! {
        <ul class="sect-b stack-1 t12 two">
            {move || {
                changes
                    .get()
                    .into_iter()
                    .map(|c| {
                        // A part that was put in or left out has one side only.
                        let between = match (c.after.is_empty(), c.before.is_empty()) {
                            (true, _) => " was left out: ",
                            (_, true) => " was added: ",
                            _ => " was ",
                        };
                        let both = !c.after.is_empty() && !c.before.is_empty();
                        let (first, second) = if c.after.is_empty() { (c.before, c.after) } else { (c.after, c.before) };
                        let second = both.then(|| view! { <code>{second}</code>": " });
                        view! { <li><code>{first.trim().to_owned()}</code>{between}{second}{c.reason}</li> }
                    })
                    .collect_view()
            }}
        </ul>
    }
}

/// Downloads the rows as CSV.
pub fn save_rows(state: State) {
    let Some(rows) = state.run.with_untracked(|r| r.result.clone()) else { return };
    match cells::to_csv(&rows) {
        Ok(bytes) => download::text("rows.csv", "text/csv", &bytes),
        Err(error) => state.notify(format!("The rows cannot be written as CSV: {error}")),
    }
}

/// The rows.
#[component]
fn Rows() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let result = Signal::derive(move || state.run.with(|r| r.result.clone().unwrap_or_default()));
    let against = Signal::derive(move || state.run.with(|r| r.score.as_ref()?.against.clone()));
    let before = Signal::derive(move || state.run.with(|r| r.stale));
    let save = move |value: Value| {
        let (bytes, end) = cells::as_file(&value);
        let media_type = if end == "txt" { "text/plain" } else { "application/octet-stream" };
        download::text(&format!("value.{end}"), media_type, &bytes);
    };
    let more_rows = move || {
        state.settings.update(|s| s.limits.max_rows = s.limits.max_rows.saturating_mul(10));
        spawn_local(ask::run_sql(state, state.run.with_untracked(|r| r.sql.clone())));
    };
    let waiting = Signal::derive(move || state.run.with(|r| !matches!(r.stage, Stage::Idle | Stage::Done)));
    let words = Signal::derive(move || {
        let text = state.run.with(|r| match r.stage {
            Stage::Done if r.trouble.is_some() => "No rows",
            Stage::Done if r.answer.is_some() => "Run it to see its rows",
            Stage::Idle | Stage::Done => "",
            _ => "Rows come here",
        });
        text.to_owned()
    });
    view! {
        <section aria-label="Rows" class:before=before>
            <Show
                when=move || state.run.with(|r| r.result.is_some())
                fallback=move || view! { <RowsPlaceholder text=words waiting/> }
            >
                <ResultTable
                    result
                    against
                    before
                    chosen=state.rows_view
                    on_csv=Callback::new(move |()| save_rows(state))
                    on_copy=Callback::new(move |text: String| download::copy(toasts, "value", &text))
                    on_save=Callback::new(save)
                    on_limit=Callback::new(move |()| more_rows())
                />
            </Show>
        </section>
    }
}
