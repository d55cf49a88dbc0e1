//! The table of results, with its intervals drawn; as text for a paper.

use leptos::prelude::*;

use crate::bench::run::table::Format;
use crate::experiment::kept::Experiment;
use crate::present::lab::results::{Group, Interval, ResultRow, Table, export, groups, table};
use crate::ui::components::button::Button;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::tabs::Segmented;
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::state::State;

/// The panel of results.
#[component]
pub fn Results(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let toasts: Toasts = expect_context();
    let form = RwSignal::new(0_usize);
    let shown = Memo::new(move |_| {
        let runs = lab.shown_runs();
        kept.with(|kept| {
            let tasks = lab.tasks_of(&kept.setup.tasks.sha256);
            let tasks = tasks.as_ref().map_or(&[][..], |file| &file.tasks);
            let table = table(&runs, tasks, kept.setup.places.len(), kept.setup.mode);
            let groups = runs.get(lab.cell.get()).map(|run| groups(run, tasks)).unwrap_or_default();
            (table, groups)
        })
    });
    let text = Memo::new(move |_| {
        let format = if form.get() == 1 { Format::Markdown } else { Format::Latex };
        export(&lab.shown_runs(), format).unwrap_or_else(|error| error)
    });
    view! {
        <section class="panel" aria-label="Results">
            <div class="sect-h">
                <h2>"Results"</h2>
                <span class="t12 three not-phone">"score in %, bars are 95 % intervals"</span>
                <span class="push"></span>
                <Show when=move || { form.get() > 0 }>
                    <Button label="Copy" icon=Icon::Copy on_press=move || download::copy(toasts, "the table", &text.get_untracked())/>
                </Show>
                <Segmented
                    label="Form of the table"
                    options=vec!["Table", "Markdown", "LaTeX"]
                    selected=form
                    on_select=Callback::new(move |chosen| form.set(chosen))
                />
            </div>
            {move || if form.get() == 0 {
                let (table, groups) = shown.get();
                view! { <ResultTable table state/><Groups groups/> }.into_any()
            } else {
                view! { <pre class="mono scroll table-text" tabindex="0" role="region" aria-label="The table as text">{move || text.get()}</pre> }.into_any()
            }}
        </section>
    }
}

#[component]
fn ResultTable(table: Table, state: State) -> impl IntoView {
    let Table { rows, ticks, mode, has_paper } = table;
    let ticks =
        ticks.into_iter().zip([(0, "start"), (50, "middle"), (100, "end")]).map(|(tick, (at, anchor))| {
            view! { <text x=format!("{at}%") y="18" text-anchor=anchor>{tick}</text> }
        });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Results table">
            <table class="tbl lab-t">
                <thead>
                    <tr>
                        <th scope="col">"Pipeline"</th>
                        <th scope="col">"Retriever"</th>
                        <th scope="col">"Tasks"</th>
                        <th scope="col" class="num">"EX "<span class="dt mono">{mode}</span></th>
                        <th scope="col" class="ci-c"><span class="sr">"Interval"</span><svg class="ci" aria-hidden="true">{ticks.collect_view()}</svg></th>
                        <th scope="col" class="num" title="Precision of retrieval">"P"</th>
                        <th scope="col" class="num" title="Recall of retrieval">"R"</th>
                        <th scope="col" class="num">"F1"</th>
                        <th scope="col" class="num">"Calls"</th>
                        <th scope="col" class="num">"Tokens"</th>
                        {has_paper.then(|| view! { <th scope="col" class="num" title="Reported on the paper's own 1,393 tasks and model">"Paper’s EX"</th> })}
                    </tr>
                </thead>
                <tbody>{rows.into_iter().map(|row| view! { <Row row has_paper state/> }).collect_view()}</tbody>
            </table>
        </div>
        {has_paper.then(|| view! {
            <div class="tail">"The paper’s column is for its own 1,393 tasks and another model. Compare the order, not the numbers."</div>
        })}
    }
}

#[component]
fn Row(row: ResultRow, has_paper: bool, state: State) -> impl IntoView {
    let lab = state.lab;
    let cell = row.cell;
    let chosen = move || lab.cell.get() == cell;
    let running = move || {
        lab.live.with(|live| {
            live.as_ref().is_some_and(|live| {
                live.cell == cell && lab.shown.with(|shown| shown.as_ref() == Some(&live.id))
            })
        })
    };
    let waiting = row.tasks == "waiting";
    let whole = row.whole;
    let mark = move || {
        if running() && !whole {
            view! { <span class="spin"></span> }.into_any()
        } else if whole {
            view! { <IconView icon=Icon::Check small=true/> }.into_any()
        } else {
            ().into_any()
        }
    };
    let class = if whole {
        "row row-s c-ok"
    } else if waiting {
        "row row-s three"
    } else {
        "row row-s c-accent"
    };
    let [precision, recall, f1] = row.retrieval;
    let pick = move |_| {
        lab.cell.set(cell);
        lab.answer.set(None);
    };
    view! {
        <tr class:sel=chosen on:click=pick>
            <td>
                <button type="button" class="plain mono" aria-pressed=move || chosen().to_string()>
                    {row.pipeline}<span class="sr">{format!(" with {}: show its answers", row.retriever)}</span>
                </button>
            </td>
            <td class="mono">{row.retriever.clone()}</td>
            <td><span class=class>{mark}{row.tasks}</span></td>
            <td class="num strong">{row.score}</td>
            <td class="ci-c">{row.interval.map(interval)}</td>
            <td class="num">{precision}</td>
            <td class="num">{recall}</td>
            <td class="num strong">{f1}</td>
            <td class="num two">{row.calls}</td>
            <td class="num two">{row.tokens}</td>
            {has_paper.then(|| view! { <td class="num three">{row.paper}</td> })}
        </tr>
    }
}

/// The interval as a bar with ends, the figure as a dot.
fn interval(interval: Interval) -> impl IntoView {
    let at = |place: f64| format!("{place:.1}%");
    let (low, high) = (at(interval.low), at(interval.high));
    let grid = [0, 25, 50, 75, 100].map(|place| {
        let place = format!("{place}%");
        view! { <line class="mid" x1=place.clone() x2=place y1="0" y2="28"/> }
    });
    view! {
        <svg class="ci" role="img" aria-label=interval.said>
            {grid.into_iter().collect_view()}
            <line x1=low.clone() x2=high.clone() y1="14" y2="14"/>
            <line x1=low.clone() x2=low y1="10" y2="18"/>
            <line x1=high.clone() x2=high y1="10" y2="18"/>
            <circle cx=at(interval.at) cy="14" r="4"/>
        </svg>
    }
}

/// The chosen run by difficulty, database, and types of knowledge needed.
#[component]
fn Groups(groups: Vec<Group>) -> impl IntoView {
    (!groups.is_empty()).then(|| {
        let columns = groups.into_iter().map(|group| {
            let lines = group.lines.into_iter().map(|[name, tasks, score]| {
                view! { <tr><th scope="row">{name}</th><td class="num two">{tasks}</td><td class="num">{score}</td></tr> }
            });
            view! {
                <table class="by">
                    <thead><tr><th scope="col">{group.head}</th><th scope="col" class="num">"Tasks"</th><th scope="col" class="num">"Score"</th></tr></thead>
                    <tbody>{lines.collect_view()}</tbody>
                </table>
            }
        });
        view! {
            <details class="groups">
                <summary class="t12">"The chosen run by difficulty, database and need"</summary>
                <div class="row wrap by-groups">{columns.collect_view()}</div>
            </details>
        }
    })
}
