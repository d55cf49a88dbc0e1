//! The list of experiments, and a place for run files.

use leptos::ev::DragEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::present::format;
use crate::present::lab::{Line, Mark, line};
use crate::ui::actions::experiment;
use crate::ui::components::button::{Button, IconButton};
use crate::ui::components::dom;
use crate::ui::components::file_input::FileInput;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::state::State;

/// Endings of run files.
const RUN_FILES: &str = ".jsonl,.json";

/// The left column.
#[component]
pub fn Rail() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let lines = Memo::new(move |_| {
        let (now, offset) = experiment::wall_clock();
        lab.live.with(|live| {
            lab.list.with(|list| {
                list.iter().map(|kept| line(kept, live.as_ref(), now, offset)).collect::<Vec<_>>()
            })
        })
    });
    let kept = move || {
        lab.list.with(|list| match list.len() {
            0 => "No run is kept in this browser yet.".to_owned(),
            n => format!("Kept in this browser: {}", format::counted(n, "experiment", "experiments")),
        })
    };
    view! {
        <section class="sect">
            <div class="sect-h">
                <h2>"Runs"</h2>
                <IconButton icon=Icon::Plus label="New experiment" class="push" on_press=move || experiment::new_one(state)/>
            </div>
            <ul class="runs">
                <For each=move || lines.get() key=|line| format!("{line:?}") let:line>
                    <li><RunLine line/></li>
                </For>
            </ul>
        </section>
        <section class="sect">
            <div class="sect-h"><h2>"Run files"</h2></div>
            <div class="sect-b stack">
                <DropRun/>
                <p class="t11 three">{kept}</p>
            </div>
        </section>
    }
}

#[component]
fn RunLine(line: Line) -> impl IntoView {
    let state = State::here();
    let id = StoredValue::new(line.id);
    let current = move || {
        state.lab.shown.with(|shown| id.with_value(|id| shown.as_ref() == Some(id))).then_some("true")
    };
    let mark = match line.mark {
        Mark::Running => view! { <span class="spin"></span> }.into_any(),
        Mark::Done => view! { <IconView icon=Icon::Check small=true class="c-ok"/> }.into_any(),
        Mark::Held => view! { <IconView icon=Icon::Pause small=true class="c-warn"/> }.into_any(),
        Mark::Cancelled => view! { <IconView icon=Icon::Stop small=true/> }.into_any(),
        Mark::File => view! { <IconView icon=Icon::File small=true/> }.into_any(),
    };
    view! {
        <button type="button" class="run" aria-current=current on:click=move |_| experiment::show(state, Some(id.get_value()))>
            <span class="cut">{line.name}</span>
            <span class="t11 three row row-s">{mark}{line.said}</span>
            <span class="t11 three">{line.when}</span>
        </button>
    }
}

/// Takes a run file by drop or by choice.
#[component]
fn DropRun() -> impl IntoView {
    let state = State::here();
    let over = RwSignal::new(false);
    let ask = RwSignal::new(0_u32);
    let open = move |file: web_sys::File| spawn_local(experiment::open_run(state, file));
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        event.stop_propagation();
        over.set(false);
        dom::dropped_files(&event).into_iter().for_each(open);
    };
    view! {
        <div
            class="drop run-drop"
            class:over=over
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=on_drop
        >
            <p class="t12 two">"Drop a run file to see its report and score it again here."</p>
            <FileInput ask accept=RUN_FILES on_file=UnsyncCallback::new(open)/>
            <Button label="Open a run file" icon=Icon::File on_press=move || ask.update(|n| *n += 1)/>
        </div>
    }
}
