//! How far an experiment is, and what holds it.

use leptos::prelude::*;

use crate::experiment::kept::{Experiment, Standing};
use crate::present::lab::progress::{Part, Used, view};
use crate::ui::actions::experiment;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::dialog::Dialog;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::notice::Notice;
use crate::ui::components::tag::Tone;
use crate::ui::state::State;

/// The panel.
#[component]
pub fn ProgressPanel(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let panel = Memo::new(move |_| kept.with(|kept| lab.live.with(|live| view(kept, live.as_ref()))));
    let running = Memo::new(move |_| {
        lab.live.with(|live| live.as_ref().is_some_and(|live| kept.with(|kept| kept.id == live.id)))
    });
    let pausing = move || lab.live.with(|live| live.as_ref().is_some_and(|live| live.pausing));
    let whole =
        Memo::new(move |_| kept.with(|kept| kept.done >= kept.total() || kept.standing == Standing::Opened));
    let reasons_open = RwSignal::new(false);
    let held = move || panel.with(|panel| panel.held.clone());
    let go = move || experiment::go_on(state, kept.with_untracked(|kept| kept.id.clone()));
    let raise = move || lab.setup_open.set(true);
    let percent = move || panel.with(|panel| panel.parts.iter().map(|part| part.percent).sum::<f64>());
    let said = move || panel.with(|panel| format!("{} {}", panel.done, panel.of));
    view! {
        <section class="panel" aria-label="Progress">
            <div class="stack pad">
                <div class="row base prog-h">
                    <span class="fig nowrap">
                        {move || panel.with(|panel| panel.done.clone())}
                        <span class="three plain-w">" "{move || panel.with(|panel| panel.of.clone())}</span>
                    </span>
                    <span class="t12 two">{move || panel.with(|panel| panel.said.clone())}</span>
                    <span class="push"></span>
                    <Show when=move || running.get()>
                        <Button label="Pause" icon=Icon::Pause disabled=Signal::derive(pausing) on_press=move || experiment::pause(state)/>
                        <Button label="Cancel" icon=Icon::Stop class="danger" on_press=move || experiment::cancel(state)/>
                    </Show>
                    <Show when=move || !running.get() && !whole.get()>
                        <Button
                            label="Go on"
                            icon=Icon::Play
                            weight=Weight::Primary
                            disabled=Signal::derive(move || lab.live.with(Option::is_some))
                            on_press=go
                        />
                    </Show>
                </div>
                <div
                    class="prog wide"
                    role="progressbar"
                    aria-label="Answers"
                    aria-valuemin="0"
                    aria-valuemax="100"
                    aria-valuenow=move || format!("{:.0}", percent().min(100.0))
                    aria-valuetext=said
                >
                    {move || panel.with(|panel| panel.parts.iter().map(bar).collect_view())}
                </div>
                <div class="row t12 two wrap legend">
                    {move || panel.with(|panel| panel.parts.iter().map(key).collect_view())}
                    <Show when=move || panel.with(|panel| !panel.reasons.is_empty())>
                        <button type="button" class="link" on:click=move |_| reasons_open.set(true)>"see why"</button>
                    </Show>
                    <span class="push three">{move || panel.with(|panel| panel.pace.clone())}</span>
                </div>
                <Show when=move || panel.with(|panel| !panel.used.is_empty())>
                    <div class="grid-3 used">{move || panel.with(|panel| panel.used.iter().map(used).collect_view())}</div>
                </Show>
                {move || panel.with(|panel| panel.warning.clone()).map(|words| view! {
                    <p class="t12 c-warn">
                        <IconView icon=Icon::Warn small=true/>" "{words}" "
                        <button type="button" class="link" on:click=move |_| raise()>"Raise the limit"</button>
                    </p>
                })}
            </div>
            {move || held().map(|why| view! { <Notice tone=Tone::Warn title=why/> })}
            <Dialog open=reasons_open on_close=move || reasons_open.set(false) title="Why tasks failed">
                <ul class="stack">
                    {move || panel.with(|panel| panel.reasons.iter().map(|(why, times)| {
                        let times = crate::present::format::counted(*times, "task", "tasks");
                        view! { <li class="t12"><b>{times}</b>": "{why.clone()}</li> }
                    }).collect_view())}
                </ul>
                <p class="t12 three mt-2">"They have no answer yet. “Go on” asks them again."</p>
            </Dialog>
        </section>
    }
}

fn bar(part: &Part) -> impl IntoView + use<> {
    view! { <i class=part.class style:--v=format!("{:.2}%", part.percent)></i> }
}

fn key(part: &Part) -> impl IntoView + use<> {
    let class = format!("sw {}", part.class);
    view! { <span class="row row-s"><i class=class></i>{part.said.clone()}</span> }
}

fn used(used: &Used) -> impl IntoView + use<> {
    let class = if used.near { "w" } else { "" };
    let bar = used.percent.map(|percent| {
        view! { <div class="prog"><i class=class style:--v=format!("{percent:.1}%")></i></div> }
    });
    view! {
        <div class="stack-1">
            <div class="row t12"><span class="two">{used.name}</span><span class="push num">{used.said.clone()}</span></div>
            {bar}
        </div>
    }
}
