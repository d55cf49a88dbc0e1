//! The answers of the chosen run, and one of them in the inspector.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use crate::bench::run::FileMark;
use crate::experiment::kept::Experiment;
use crate::present::format;
use crate::present::lab::predictions::{self, Line, ONLY, Only, Prediction, Verdict};
use crate::present::layout;
use crate::ui::actions::experiment;
use crate::ui::components::button::{Button, IconButton};
use crate::ui::components::dom;
use crate::ui::components::empty::EmptyState;
use crate::ui::components::field::Field;
use crate::ui::components::icon::Icon;
use crate::ui::components::sql_view::SqlView;
use crate::ui::components::tabs::Segmented;
use crate::ui::components::tag::{Tag, Tone};
use crate::ui::state::State;

/// Answers drawn at first, and added by "Show more".
const DRAWN: usize = 100;

/// The colour of a verdict.
fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Right => Tone::Ok,
        Verdict::Wrong => Tone::Bad,
        Verdict::Unscored => Tone::Neutral,
    }
}

/// The list: one stop of Tab; Up, Down, Home and End move in it, Enter opens an answer.
#[component]
pub fn Answers(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let (only, text, drawn) = (RwSignal::new(0_usize), RwSignal::new(String::new()), RwSignal::new(DRAWN));
    let lines = Memo::new(move |_| {
        let runs = lab.shown_runs();
        let file = kept.with(|kept| lab.tasks_of(&kept.setup.tasks.sha256));
        let tasks = file.as_ref().map_or(&[][..], |file| &file.tasks);
        let only = ONLY.get(only.get()).map_or(Only::All, |(only, _)| *only);
        text.with(|text| runs.get(lab.cell.get()).map(|run| predictions::list(run, tasks, only, text)))
            .unwrap_or_default()
    });
    let of = move || {
        let runs = lab.shown_runs();
        let header = runs.get(lab.cell.get()).map(|run| run.header.clone()).unwrap_or_default();
        let shown = lines.with(Vec::len);
        format!(
            "{} with {}, {}",
            header.pipeline,
            header.retriever.name,
            format::counted(shown, "task", "tasks")
        )
    };
    let body = NodeRef::<html::Tbody>::new();
    let visited = RwSignal::new(None::<usize>);
    let on_key = move |event: KeyboardEvent| {
        let Some(root) = body.get_untracked() else { return };
        if dom::step_stops(&event, &root) {
            event.prevent_default();
        }
    };
    // Tab comes to the line visited last, where it is still there, else to the first.
    let stop = Memo::new(move |_| {
        lines.with(|lines| {
            let shown = || lines.iter().take(drawn.get()).map(|line| line.place);
            visited.get().filter(|place| shown().any(|shown| shown == *place)).or_else(|| shown().next())
        })
    });
    let rest = move || lines.with(Vec::len).saturating_sub(drawn.get());
    let any =
        Memo::new(move |_| lab.shown_runs().get(lab.cell.get()).is_some_and(|run| !run.outcomes.is_empty()));
    view! {
        <Show when=move || any.get()>
            <section class="panel" aria-label="Answers">
                <div class="sect-h">
                    <h2>"Answers"</h2>
                    <span class="t12 three">{of}</span>
                </div>
                <div class="row wrap pad-x answers-h" data-filter>
                    <Field
                        label="Search answers"
                        kind="search"
                        icon=Icon::Search
                        key="/"
                        class="light grow search"
                        placeholder="Search questions, SQL, reasons"
                        value=text
                        on_input=Callback::new(move |words| text.set(words))
                    />
                    <span class="push"></span>
                    <Segmented
                        label="Which answers"
                        options=ONLY.iter().map(|(_, name)| *name).collect()
                        selected=only
                        on_select=Callback::new(move |chosen| only.set(chosen))
                    />
                </div>
                <Show
                    when=move || lines.with(|lines| !lines.is_empty())
                    fallback=move || view! { <EmptyState icon=Icon::Filter title="No answer passes the filter"/> }
                >
                    <table class="tbl fixed answers" aria-label="Answers">
                        <colgroup><col class="w-task"/><col/><col class="w-verdict"/><col class="w-why"/><col class="w-took"/></colgroup>
                        <thead>
                            <tr>
                                <th scope="col">"Task"</th>
                                <th scope="col">"Question"</th>
                                <th scope="col">"Rows"</th>
                                <th scope="col">"Why"</th>
                                <th scope="col" class="num">"Time"</th>
                            </tr>
                        </thead>
                        <tbody node_ref=body data-rows on:keydown=on_key>
                            {move || lines.with(|lines| {
                                lines.iter().take(drawn.get()).cloned().map(|line| view! { <AnswerLine line stop visited/> }).collect_view()
                            })}
                        </tbody>
                    </table>
                    <Show when=move || { rest() > 0 }>
                        <div class="tail">
                            {move || format!("{} not shown.", format::counted(rest(), "answer", "answers"))}
                            <button type="button" class="link" on:click=move |_| drawn.update(|n| *n += DRAWN)>
                                {move || format!("Show {} more", rest().min(DRAWN))}
                            </button>
                        </div>
                    </Show>
                </Show>
            </section>
        </Show>
    }
}

#[component]
fn AnswerLine(line: Line, stop: Memo<Option<usize>>, visited: RwSignal<Option<usize>>) -> impl IntoView {
    let lab = State::here().lab;
    let place = line.place;
    let selected = move || lab.answer.get() == Some(place);
    let on_focus = move |_| {
        visited.set(Some(place));
        // An open inspector follows the keyboard.
        if lab.answer.get_untracked().is_some_and(|open| open != place) {
            lab.answer.set(Some(place));
        }
    };
    view! {
        <tr class:sel=selected on:click=move |_| lab.answer.set(Some(place))>
            <td class="three">{line.id}</td>
            <td class="cut">
                <button
                    type="button"
                    class="plain cut q-cell"
                    data-stop
                    data-answer=place.to_string()
                    aria-pressed=move || selected().to_string()
                    tabindex=move || if stop.get() == Some(place) { "0" } else { "-1" }
                    on:focus=on_focus
                >
                    {line.question}
                </button>
            </td>
            <td><Tag text=line.verdict.name() tone=tone(line.verdict)/></td>
            <td class="cut two" title=line.why.clone()>{line.why.clone()}</td>
            <td class="num two">{line.took}</td>
        </tr>
    }
}

/// One answer.
#[component]
pub fn AnswerInspector() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let one = Memo::new(move |_| {
        let kept = lab.shown_one()?;
        let runs = lab.shown_runs();
        let run = runs.get(lab.cell.get())?;
        let file = lab.tasks_of(&kept.setup.tasks.sha256);
        let tasks = file.as_ref().map_or(&[][..], |file| &file.tasks);
        state.knowledge.with(|knowledge| {
            let knowledge = knowledge.as_ref().map(|knowledge| &knowledge.base);
            let same = |base: &&crate::history::KnowledgeBase| {
                FileMark::of("", base.identity().as_bytes()).sha256 == kept.setup.history.sha256
            };
            predictions::open(run, lab.answer.get()?, tasks, knowledge.filter(same))
        })
    });
    move || one.get().map(|prediction| view! { <One prediction/> })
}

#[component]
fn One(prediction: Prediction) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let shown = StoredValue::new(prediction.clone());
    let Prediction { id, question, sql, gold, verdict, mode, why, sources, retrieval, stages, cost, .. } =
        prediction;
    let runs = sql.is_some();
    let block = |name: &'static str, sql: String| {
        let sql = layout::broken(&sql);
        view! {
            <section class="sect">
                <div class="sect-h"><h2>{name}</h2></div>
                <SqlView sql=Signal::stored(sql) label=name/>
            </section>
        }
    };
    let source = |source: predictions::Source| {
        view! {
            <li class="row">
                <span class="mono three">{source.tag}</span>
                <span class="grow cut" title=source.what.clone()>{source.what.clone()}</span>
                {source.needed.then(|| view! { <Tag text="needed" tone=Tone::Ok/> })}
                <span class="num two">{source.score}</span>
            </li>
        }
    };
    let stage = |stage: predictions::Stage| {
        let lines = stage.lines.into_iter().map(|line| view! { <li class="two">{line}</li> });
        view! { <li><b class="med">{stage.name}</b><ul class="stage-l">{lines.collect_view()}</ul></li> }
    };
    view! {
        <div class="ins-h stack-1">
            <div class="row">
                <span class="t12 three">{format!("Task {id}")}</span>
                <Tag text=verdict.name() tone=tone(verdict)/>
                <span class="t11 three mono">{mode}</span>
                <IconButton icon=Icon::Close label="Close the answer" class="push not-phone" on_press=move || lab.answer.set(None)/>
            </div>
            <h2 tabindex="-1">{question}</h2>
            {(!why.is_empty()).then(|| view! { <p class="t12 two">{why}</p> })}
            {runs.then(|| view! {
                <div class="row mt-1">
                    <Button
                        label="Show the rows against gold"
                        icon=Icon::Table
                        on_press=move || shown.with_value(|prediction| experiment::show_rows(state, prediction))
                    />
                </div>
            })}
        </div>
        {match sql {
            Some(sql) => block("SQL", sql).into_any(),
            None => view! { <p class="t12 two pad">"There is no SQL."</p> }.into_any(),
        }}
        {gold.map(|gold| block("Gold", gold))}
        <section class="sect">
            <div class="sect-h"><h2>"Retrieved"</h2><span class="t11 three push">{retrieval.unwrap_or_default()}</span></div>
            <ul class="sect-b stack-1 t12">
                {if sources.is_empty() {
                    view! { <li class="three">"Nothing was handed on."</li> }.into_any()
                } else {
                    sources.into_iter().map(source).collect_view().into_any()
                }}
            </ul>
        </section>
        {(!stages.is_empty()).then(|| view! {
            <section class="sect">
                <div class="sect-h"><h2>"Stages"</h2></div>
                <ol class="sect-b stack t12">{stages.into_iter().map(stage).collect_view()}</ol>
            </section>
        })}
        <section class="sect">
            <div class="sect-h"><h2>"Cost"</h2></div>
            <dl class="kv sect-b">
                {cost.into_iter().map(|(name, said)| view! { <dt>{name}</dt><dd class="num">{said}</dd> }).collect_view()}
            </dl>
        </section>
    }
}
