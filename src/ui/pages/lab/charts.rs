//! The charts of an experiment, each with the table behind it.

use leptos::prelude::*;

use crate::bench::run::FileMark;
use crate::experiment::kept::Experiment;
use crate::present::lab::charts::{ByType, Point, Sweep, by_type, sweep};
use crate::ui::components::icon::Icon;
use crate::ui::components::kind::{kind_class, kind_name};
use crate::ui::state::State;

/// Left and right end of the plot, and its height, in the units of the drawing.
const LEFT: f64 = 32.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 200.0;

/// The charts that there is something to draw for.
#[component]
pub fn Charts(kept: Memo<Experiment>) -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let types = Memo::new(move |_| by_type(&lab.shown_runs()));
    // Only with the history that the run was made with.
    let history = Memo::new(move |_| {
        state.knowledge.with(|knowledge| {
            knowledge.as_ref().map(|knowledge| FileMark::of("", knowledge.base.identity().as_bytes()).sha256)
        })
    });
    let shots = Memo::new(move |_| {
        let runs = lab.shown_runs();
        kept.with(|kept| {
            let same = history.with(|history| history.as_ref() == Some(&kept.setup.history.sha256));
            let tasks = lab.tasks_of(&kept.setup.tasks.sha256).filter(|_| same)?;
            state.knowledge.with(|knowledge| sweep(&runs, &tasks.tasks, &knowledge.as_ref()?.base))
        })
    });
    let any = move || types.with(Option::is_some) || shots.with(Option::is_some);
    view! {
        <Show when=any>
            <div class="grid-2">
                {move || shots.get().map(|sweep| view! { <SweepChart sweep/> })}
                {move || types.get().map(|bars| view! { <TypeChart bars/> })}
            </div>
        </Show>
    }
}

fn per_cent(figure: Option<f64>) -> String {
    figure.map_or("–".to_owned(), |figure| format!("{figure:.1}"))
}

#[component]
fn TypeChart(bars: ByType) -> impl IntoView {
    let ByType { finding, names: (first, other), bars } = bars;
    let width = |figure: f64| format!("{:.1}", figure * 2.0);
    let drawn = bars.clone().into_iter().enumerate().map(|(at, bar)| {
        let y = 12.0 + 38.0 * at as f64;
        let icon = Icon::from(bar.kind);
        let end = 104.0 + 2.0 * bar.first.unwrap_or_default() + 6.0;
        let other_end = 104.0 + 2.0 * bar.other.unwrap_or_default() + 6.0;
        view! {
            <g class=kind_class(bar.kind)>
                <use href=icon.href() x="0" y=format!("{}", y + 2.0) width="14" height="14" class="chart-i"/>
                <text class="two" x="22" y=format!("{}", y + 14.0)>{kind_name(bar.kind)}</text>
                <rect class="barf" x="104" y=format!("{y}") width=width(bar.first.unwrap_or_default()) height="10" rx="1"/>
                <text class="ink" x=format!("{end:.1}") y=format!("{}", y + 9.0)>{per_cent(bar.first)}</text>
                {bar.other.map(|figure| view! {
                    <rect class="baro" x="104.6" y=format!("{}", y + 12.6) width=width(figure) height="7" rx="1"/>
                    <text x=format!("{other_end:.1}") y=format!("{}", y + 20.0)>{per_cent(Some(figure))}</text>
                })}
            </g>
        }
    });
    let against = other.as_ref().map(|other| format!(" against {other}")).unwrap_or_default();
    let title = format!("F1 by type of knowledge, {first}{against}. {finding}.");
    let rows = bars.iter().map(|bar| {
        let other = other.is_some().then(|| view! { <td class="num">{per_cent(bar.other)}</td> });
        view! { <tr><th scope="row">{kind_name(bar.kind)}</th><td class="num">{per_cent(bar.first)}</td>{other}</tr> }
    });
    let rows = rows.collect_view();
    let heads = (first.clone(), other.clone());
    view! {
        <section class="panel" aria-label="F1 by type">
            <div class="sect-h"><h2>"F1 by type"</h2><span class="t12 three">{format!("{first}{against}, in %")}</span></div>
            <div class="plot">
                <p class="chart-title">{finding}"."</p>
                <svg class="chart" viewBox="0 0 400 228" role="img" aria-label=title>
                    <line class="axis" x1="104" x2="104" y1="4" y2="200"/>
                    {drawn.collect_view()}
                    <rect class="keyf" x="104" y="210" width="10" height="8" rx="1"/>
                    <text class="two" x="120" y="218">{heads.0.clone()}</text>
                    {heads.1.clone().map(|name| view! {
                        <rect class="keyo" x="196" y="210.5" width="10" height="7" rx="1"/>
                        <text class="two" x="212" y="218">{name}</text>
                    })}
                </svg>
                <details class="t12">
                    <summary>"The table behind it"</summary>
                    <table class="by">
                        <thead><tr>
                            <th scope="col">"Type"</th><th scope="col" class="num">{heads.0}</th>
                            {heads.1.map(|name| view! { <th scope="col" class="num">{name}</th> })}
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </details>
            </div>
        </section>
    }
}

#[component]
fn SweepChart(sweep: Sweep) -> impl IntoView {
    let Sweep { finding, name, points, best } = sweep;
    let last = points.len().saturating_sub(1).max(1) as f64;
    let x = move |at: usize| LEFT + (RIGHT - LEFT) * at as f64 / last;
    let y = |figure: f64| BOTTOM - (BOTTOM - TOP) * figure / 100.0;
    let grid = [0.0, 25.0, 50.0, 75.0, 100.0].map(|tick| {
        let (line, text) = (format!("{:.1}", y(tick)), format!("{:.1}", y(tick) + 4.0));
        view! {
            <line class="gridl" x1=format!("{LEFT}") x2=format!("{RIGHT}") y1=line.clone() y2=line/>
            <text x="24" y=text text-anchor="end">{format!("{tick:.0}")}</text>
        }
    });
    // A name at the end of each line, apart where the ends meet.
    let mut ends: Vec<(usize, f64)> = (0..3)
        .map(|of| (of, points.last().and_then(|p| p.figures.get(of)).map_or(BOTTOM, |f| y(*f))))
        .collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut lowest = f64::MIN;
    for (_, end) in &mut ends {
        *end = end.max(lowest + 14.0);
        lowest = *end;
    }
    let lines = ["l other d1", "l other d2", "l ours"].into_iter().enumerate().map(|(of, class)| {
        let line = points.iter().enumerate().map(|(at, point)| {
            format!("{:.1},{:.1}", x(at), y(point.figures.get(of).copied().unwrap_or_default()))
        });
        let line: Vec<String> = line.collect();
        view! { <polyline class=class points=line.join(" ")/> }
    });
    let names = ends.into_iter().map(|(of, end)| {
        let name = ["Precision", "Recall", "F1"].get(of).copied().unwrap_or_default();
        let class = if of == 2 { "ours" } else { "two" };
        view! { <text class=class x="338" y=format!("{:.1}", end + 4.0)>{name}</text> }
    });
    let ticks = points.iter().enumerate().map(|(at, point)| {
        view! { <text x=format!("{:.1}", x(at)) y="218" text-anchor="middle">{point.shots}</text> }
    });
    let best_f1 = points.get(best).and_then(|point| point.figures.last().copied()).unwrap_or_default();
    let title = format!("Precision, recall and F1 of {name} by the most queries handed on. {finding}.");
    let rows = points.iter().map(|Point { shots, figures }| {
        let cells = figures.map(|figure| view! { <td class="num">{format!("{figure:.1}")}</td> });
        view! { <tr><th scope="row">{*shots}</th>{cells.into_iter().collect_view()}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <section class="panel" aria-label="Sweep of shots">
            <div class="sect-h"><h2>"Sweep of shots"</h2><span class="t12 three">{format!("{name}, at most so many queries, in %")}</span></div>
            <div class="plot">
                <p class="chart-title">{finding}"."</p>
                <svg class="chart" viewBox="0 0 400 228" role="img" aria-label=title>
                    {grid.into_iter().collect_view()}
                    {ticks.collect_view()}
                    {lines.collect_view()}
                    <circle class="dot ours" cx=format!("{:.1}", x(best)) cy=format!("{:.1}", y(best_f1)) r="4"/>
                    {names.collect_view()}
                </svg>
                <details class="t12">
                    <summary>"The table behind it"</summary>
                    <table class="by">
                        <thead><tr>
                            <th scope="col">"At most"</th><th scope="col" class="num">"Precision"</th>
                            <th scope="col" class="num">"Recall"</th><th scope="col" class="num">"F1"</th>
                        </tr></thead>
                        <tbody>{rows}</tbody>
                    </table>
                </details>
            </div>
        </section>
    }
}
