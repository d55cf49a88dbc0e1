//! A quick chart of a result.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;

use crate::present::chart::{Anchor, Chart, Ink, Mark, Panel};

/// The chart, drawn for the width that it has.
#[component]
pub fn ResultChart(
    /// What is drawn.
    chart: Arc<Chart>,
    /// The order that the rows are shown in, where it is not the query's.
    #[prop(into)]
    order: Signal<Option<Arc<Vec<u32>>>>,
) -> impl IntoView {
    let frame = NodeRef::<html::Figure>::new();
    let width = RwSignal::new(None::<i32>);
    watch_width(frame, width);
    let note = chart.note();
    let panels = move || {
        let wide = f64::from(width.get()?);
        let order = order.get();
        let panels = chart.draw(wide, order.as_deref().map(Vec::as_slice));
        Some(panels.into_iter().map(|panel| view! { <PanelView panel wide/> }).collect_view())
    };
    view! {
        <div class="scroll chart-scroll" tabindex="0" role="region" aria-label="Chart">
            <figure class="chart-frame" node_ref=frame>
                {panels}
                {(!note.is_empty()).then(|| view! { <p class="t11 three">{note}</p> })}
            </figure>
        </div>
    }
}

/// Follows the width of an element.
fn watch_width(frame: NodeRef<html::Figure>, width: RwSignal<Option<i32>>) {
    let measure = move || {
        if let Some(element) = frame.try_get_untracked().flatten() {
            // What is not laid out has no width to draw for.
            let now = Some(element.client_width()).filter(|now| *now > 0);
            if now.is_some() && width.try_get_untracked().is_some_and(|before| before != now) {
                width.try_set(now);
            }
        }
    };
    let observer = StoredValue::new_local(None::<(web_sys::ResizeObserver, Closure<dyn FnMut()>)>);
    Effect::new(move |_| {
        let Some(element) = frame.get() else { return };
        measure();
        let changed = Closure::<dyn FnMut()>::new(measure);
        if let Ok(watch) = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref()) {
            watch.observe(&element);
            observer.set_value(Some((watch, changed)));
        }
    });
    on_cleanup(move || {
        if let Some((watch, _)) = observer.try_update_value(Option::take).flatten() {
            watch.disconnect();
        }
    });
}

#[component]
fn PanelView(panel: Panel, wide: f64) -> impl IntoView {
    let Panel { title, height, marks } = panel;
    let view_box = format!("0 0 {wide:.0} {height:.0}");
    view! {
        <p class="chart-title">{title.clone()}</p>
        <svg
            class="chart"
            role="img"
            aria-label=title
            width=format!("{wide:.0}")
            height=format!("{height:.0}")
            viewBox=view_box
        >
            {marks.into_iter().map(mark).collect_view()}
        </svg>
    }
}

fn mark(mark: Mark) -> AnyView {
    let px = |n: f64| format!("{n:.1}");
    match mark {
        Mark::Text { x, y, anchor, ink, text, whole } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let whole = whole.map(|whole| view! { <title>{whole}</title> });
            view! { <text class=ink_class(ink) x=px(x) y=px(y) text-anchor=anchor>{text}{whole}</text> }.into_any()
        }
        Mark::Bar { x, y, width, height, tip } => view! {
            <rect class="acc" x=px(x) y=px(y) width=px(width) height=px(height) rx="1"><title>{tip}</title></rect>
        }
        .into_any(),
        Mark::Rule { from, to, axis } => {
            let class = if axis { "axis" } else { "gridl" };
            view! { <line class=class x1=px(from.0) y1=px(from.1) x2=px(to.0) y2=px(to.1)></line> }.into_any()
        }
        Mark::Line { points, ink } => {
            view! { <polyline class=format!("l {}", ink_class(ink)) points=points></polyline> }.into_any()
        }
        Mark::Dot { at, seen, ink, tip } => {
            let class = if seen { format!("dot {}", ink_class(ink)) } else { "hit".to_owned() };
            let radius = if seen { "3" } else { "6" };
            view! { <circle class=class cx=px(at.0) cy=px(at.1) r=radius><title>{tip}</title></circle> }.into_any()
        }
    }
}

fn ink_class(ink: Ink) -> &'static str {
    const OTHERS: [&str; 5] = ["other d1", "other d2", "other d3", "other d4", "other d5"];
    match ink {
        Ink::Accent => "ours",
        Ink::Strong => "ink",
        Ink::Name => "two",
        Ink::Quiet => "quiet",
        Ink::Other(number) => {
            OTHERS.get(number.saturating_sub(1) % OTHERS.len()).copied().unwrap_or_default()
        }
    }
}
