//! Lab: experiments, how far each is, what came of it, and every answer.

mod answers;
mod charts;
mod panel;
mod rail;
mod results;
mod setup;
mod statistics;

use leptos::prelude::*;
use leptos::task::spawn_local;

use self::answers::{AnswerInspector, Answers};
use self::charts::Charts;
use self::panel::ProgressPanel;
use self::rail::Rail;
use self::results::Results;
use self::setup::{SetupForm, SetupShown};
use self::statistics::Statistics;
use super::score::TASK_FILES;
use crate::bench::run::table::Format;
use crate::experiment::kept::Experiment;
use crate::experiment::scoring::{about as about_mode, fitting};
use crate::present::format;
use crate::present::lab;
use crate::ui::actions::experiment::{self, store};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::empty::EmptyState;
use crate::ui::components::file_input::FileInput;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::menu::{Menu, MenuItem};
use crate::ui::components::notice::Notice;
use crate::ui::components::shell::{Shell, Side, SummaryChip, SummaryChips};
use crate::ui::components::tag::Tone;
use crate::ui::components::toasts::Toasts;
use crate::ui::state::{Open, State};

/// The page.
#[component]
pub fn LabPage() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    spawn_local(store::load(state));
    let runs_open = RwSignal::new(false);
    let rail = Side { label: "Runs", view: (move || view! { <Rail/> }).into(), open: runs_open };
    // Which line was chosen, closes the sheet it was chosen in.
    Effect::new(move |_| {
        lab.shown.track();
        // Set only where it changes: what moves the focus into a sheet has to hear of it after what lays the sheet out.
        if runs_open.get_untracked() {
            runs_open.set(false);
        }
    });
    let chips = vec![
        SummaryChip { text: "Runs".to_owned(), icon: Icon::History, tone: Tone::Neutral },
        SummaryChip { text: "Set-up".to_owned(), icon: Icon::Gear, tone: Tone::Neutral },
    ];
    let one = Memo::new(move |_| lab.shown.with(Option::is_some));
    view! {
        <Shell rail inspector=inspector() class="narrow-rail">
            <SummaryChips
                chips=Signal::stored(chips)
                on_press=Callback::new(move |chip| if chip == 0 { runs_open.set(true) } else { lab.setup_open.set(true) })
            />
            {move || lab.trouble.get().map(|why| view! { <Notice tone=Tone::Bad title=why/> })}
            {move || lab.remark.get().map(|said| view! { <Notice title=said/> })}
            {move || if one.get() { view! { <One/> }.into_any() } else { view! { <NextOne/> }.into_any() }}
        </Shell>
    }
}

/// The right column: an answer, else the set-up.
fn inspector() -> Signal<Option<Side>> {
    let state = State::here();
    let lab = state.lab;
    let answer_open = RwSignal::new(false);
    Effect::new(move |_| answer_open.set(lab.answer.with(Option::is_some)));
    Effect::new(move |was: Option<bool>| {
        let is = answer_open.get();
        if was == Some(true) && !is {
            lab.answer.set(None);
        }
        is
    });
    let answer = Memo::new(move |_| lab.answer.with(Option::is_some));
    let shown = Memo::new(move |_| lab.shown.with(Option::is_some));
    Signal::derive(move || {
        if answer.get() {
            let view = (move || view! { <AnswerInspector/> }).into();
            return Some(Side { label: "Answer", view, open: answer_open });
        }
        let view = if shown.get() {
            (move || view! { <SetupShown/> }).into()
        } else {
            (move || view! { <SetupForm/> }).into()
        };
        Some(Side { label: "Set-up", view, open: lab.setup_open })
    })
}

/// Before anything is chosen: what to do here.
#[component]
fn NextOne() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let pick = RwSignal::new(0_u32);
    let setup = Memo::new(move |_| experiment::filled(state));
    let tasks = Memo::new(move |_| setup.with(|setup| setup.places.len()));
    let demo = Memo::new(move |_| state.open.with(|open| *open == Open::Demo));
    let label = Signal::derive(move || {
        let tasks = format::counted(tasks.get(), "task", "tasks");
        if demo.get() { format!("Run the demo’s {tasks}") } else { format!("Run {tasks}") }
    });
    let cannot = Signal::derive(move || {
        setup.with(|setup| setup.problem().is_some()) || lab.live.with(Option::is_some)
    });
    let why = move || setup.with(crate::experiment::Setup::problem);
    let left_out = move || {
        setup.with(|setup| {
            let others = setup.task_count - setup.places.len();
            (others > 0).then(|| {
                let (ours, others) = (
                    format::counted(setup.places.len(), "task", "tasks"),
                    format::counted(others, "task", "tasks"),
                );
                format!(
                    "“{}”: {ours} on {}; {others} on other databases are left out.",
                    setup.tasks.name, setup.database
                )
            })
        })
    };
    view! {
        <div class="head">
            <h1>"Lab"</h1>
            <span class="two t12">"Measure pipelines and retrievers on tasks with known answers"</span>
        </div>
        <Show
            when=move || { tasks.get() > 0 }
            fallback=move || view! {
                <EmptyState
                    icon=Icon::Flask
                    title="Open a task file"
                    actions=move || view! {
                        <Button label="Open a task file" icon=Icon::File weight=Weight::Primary on_press=move || pick.update(|n| *n += 1)/>
                    }
                >
                    "Tasks are questions with a reference query: BIRD, BIRD-History, Spider, LiveSQLBench or WikiSQL. Each is asked on the open database, and the rows are compared."
                </EmptyState>
            }
        >
            <EmptyState
                icon=Icon::Flask
                title=label
                actions=move || view! {
                    <Button label icon=Icon::Play weight=Weight::Primary disabled=cannot on_press=move || experiment::start(state)/>
                    <Button label="Open a task file" icon=Icon::File on_press=move || pick.update(|n| *n += 1)/>
                }
            >
                {move || match why() {
                    Some(why) => why,
                    None if setup.with(crate::experiment::Setup::asks) => "As set up on the right. Every answer is kept; a run goes on after a closed tab.".to_owned(),
                    None => "Each question is answered from the history, and its rows are compared with those of its reference query. No model is used and nothing is sent.".to_owned(),
                }}
            </EmptyState>
            {move || left_out().map(|said| view! { <p class="t12 three pad-x">{said}</p> })}
            <Statistics/>
        </Show>
        <FileInput
            ask=pick
            accept=TASK_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(experiment::open_tasks(state, file)))
        />
    }
}

/// One experiment.
#[component]
fn One() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let kept = Memo::new(move |_| lab.shown_one().unwrap_or_default());
    let name = move || kept.with(|kept| kept.name.clone());
    let about = move || {
        let (now, offset) = experiment::wall_clock();
        kept.with(|kept| lab::about(kept, now, offset))
    };
    view! {
        <div class="head">
            <div class="grow">
                <h1 class="cut">{name}</h1>
                <p class="t12 three">{about}</p>
            </div>
            <ScoreAgain kept/>
            <More kept/>
        </div>
        <div class="body stack-4">
            <ProgressPanel kept/>
            <Results kept/>
            <Charts kept/>
            <Answers kept/>
        </div>
    }
}

/// The rule of scoring, and scoring by it.
#[component]
fn ScoreAgain(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let tasks = Memo::new(move |_| kept.with(|kept| lab.tasks_of(&kept.setup.tasks.sha256)));
    let chosen = RwSignal::new(kept.with_untracked(|kept| kept.setup.mode));
    Effect::new(move |_| chosen.set(kept.with(|kept| kept.setup.mode)));
    let choices = Signal::derive(move || {
        let modes = tasks.with(|tasks| fitting(tasks.as_ref().map_or(&[], |tasks| &tasks.tasks)));
        modes.into_iter().map(|mode| (mode, mode.to_string())).collect::<Vec<_>>()
    });
    let running =
        move || lab.live.with(|live| live.as_ref().is_some_and(|live| kept.with(|kept| kept.id == live.id)));
    let label = Signal::derive(move || match lab.scoring.get() {
        Some((done, total)) => format!("Scoring {}", format::share(done as u64, total as u64)),
        None => "Score again".to_owned(),
    });
    let cannot = Signal::derive(move || {
        running() || lab.scoring.with(Option::is_some) || kept.with(|kept| kept.done == 0)
    });
    view! {
        <span class="row row-s" title=move || about_mode(chosen.get())>
            <Choice label="Scoring" choices value=chosen.into() on_change=Callback::new(move |mode| chosen.set(mode)) class="mono"/>
            <Button
                label
                icon=Icon::Refresh
                disabled=cannot
                on_press=move || {
                    let id = kept.with_untracked(|kept| kept.id.clone());
                    spawn_local(experiment::score_again(state, id, chosen.get_untracked()));
                }
            />
        </span>
    }
}

/// Exporting, and removing.
#[component]
fn More(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let items = Signal::derive(move || {
        let none = kept.with(|kept| kept.done == 0);
        let line = |label: &str, detail: &str, icon| MenuItem {
            label: label.to_owned(),
            detail: detail.to_owned(),
            icon: Some(icon),
            disabled: none,
            ..MenuItem::default()
        };
        vec![
            line("Table as CSV", ".csv", Icon::Table),
            line("Table as JSON", ".json", Icon::Table),
            line("Table as Markdown", ".md", Icon::Table),
            line("Table as LaTeX", ".tex", Icon::Table),
            MenuItem { ruled: true, ..line("Run files, with every answer", ".jsonl", Icon::File) },
            MenuItem {
                ruled: true,
                danger: true,
                disabled: false,
                ..line("Remove this experiment", "", Icon::Drop)
            },
        ]
    });
    let on_pick = Callback::new(move |line: usize| {
        let kept = kept.get_untracked();
        match line {
            0 => experiment::export(state, &kept, Format::Csv),
            1 => experiment::export(state, &kept, Format::Json),
            2 => experiment::export(state, &kept, Format::Markdown),
            3 => experiment::export(state, &kept, Format::Latex),
            4 => experiment::save_runs(state, &kept),
            _ => experiment::remove(state, toasts, kept),
        }
    });
    view! {
        <Menu
            label="Export"
            button=move || view! { <IconView icon=Icon::Download/> "Export" }
            items
            on_pick
            class="btn"
            end=true
        />
    }
}
