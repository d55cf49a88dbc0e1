//! The result as a grid: one stop of Tab, rows and columns drawn as they come into view.

use std::ops::Range;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;
use super::result_row::{Head, ResultRow};
use super::result_table::Shown;
use crate::present::columns::{Column, Places, WHOLE_UP_TO};
use crate::present::grid::{ALL_UP_TO, window};
use crate::present::sort::{Sort, pressed};

/// Row height before the first row was measured.
const ROW_HEIGHT: f64 = 24.0;
/// Width of the row numbers, which stay in view.
const NUMBERS: f64 = 48.0;

/// A cell of the grid, as (row, column): row 0 is the head, the rows follow from 1.
pub type At = (usize, usize);

/// What is drawn of a wide table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wide {
    /// Where the columns stand.
    pub places: Arc<Places>,
    /// How many there are.
    pub count: usize,
}

/// The grid. Arrows, Page Up and Down, Home and End move in it (with Ctrl to its corners); Enter or a second click opens
/// the full value, and on the head sorts. Above 200 rows, and above 40 columns, only those in view are drawn.
#[component]
pub(super) fn Grid(
    /// The rows.
    shown: Memo<Shown>,
    /// Their columns.
    columns: Memo<Arc<Vec<Column>>>,
    /// What they are sorted by.
    sort: RwSignal<Option<Sort>>,
    /// The active cell.
    at: RwSignal<At>,
    /// Opens the full value of a cell.
    open: Callback<At>,
) -> impl IntoView {
    let scroll = NodeRef::<html::Div>::new();
    let row_height = RwSignal::new(ROW_HEIGHT);
    // Scroll top and height, scroll left and width.
    let view_port = RwSignal::new((0.0_f64, 800.0_f64, 0.0_f64, 1200.0_f64));
    let count = Memo::new(move |_| shown.with(|shown| shown.rows().len()));
    let wide = Memo::new(move |_| {
        columns.with(|columns| {
            let count = columns.len();
            (count > WHOLE_UP_TO).then(|| Wide { places: Arc::new(Places::new(columns)), count })
        })
    });
    let range = Memo::new(move |_| {
        let (top, height, _, _) = view_port.get();
        let whole = if wide.with(Option::is_some) { 0 } else { ALL_UP_TO };
        window(count.get(), whole, row_height.get(), top, height)
    });
    let in_view = Memo::new(move |_| {
        wide.with(|wide| match wide {
            Some(wide) => {
                let (_, _, left, width) = view_port.get();
                wide.places.in_view(left, width)
            }
            None => 0..columns.with(|columns| columns.len()),
        })
    });
    let id = StoredValue::new(dom::unique_id("cell"));
    let measure = move || {
        // The frame may be drawn when the rows are gone.
        let Some(element) = scroll.try_get_untracked().flatten() else { return };
        let now =
            (element.scroll_top(), element.client_height(), element.scroll_left(), element.client_width());
        view_port.try_set((f64::from(now.0), f64::from(now.1), f64::from(now.2), f64::from(now.3)));
        if let Some(row) = dom::matching(&element, "tbody > tr.row-data").first() {
            let height = f64::from(row.offset_height());
            let before = row_height.try_get_untracked().unwrap_or(height);
            if height > 0.0 && (height - before).abs() > 0.5 {
                row_height.try_set(height);
            }
        }
    };
    Effect::new(move |before: Option<Shown>| {
        let now = shown.get();
        if let (Some(element), Some(before)) = (scroll.get(), before) {
            let same = Arc::ptr_eq(&before.result, &now.result);
            // Rows in another order begin at their top, another result also at its left.
            if !same || before.order != now.order {
                element.set_scroll_top(0);
            }
            if !same {
                element.set_scroll_left(0);
            }
        }
        request_animation_frame(measure);
        now
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());
    let press = move |column: usize| sort.update(|sort| *sort = pressed(*sort, column));
    let on_key = move |event: KeyboardEvent| {
        let page = (view_port.get_untracked().1 / row_height.get_untracked()).max(2.0) as usize - 1;
        let limits = (count.get_untracked(), columns.with_untracked(|columns| columns.len()));
        let (row, column) = at.get_untracked();
        if event.key() == "Enter" || (event.key() == " " && row == 0) {
            event.prevent_default();
            if row == 0 { press(column) } else { open.run((row, column)) }
        } else if let Some(next) = moved(&event, (row, column), limits, page) {
            event.prevent_default();
            at.set(next);
            let Some(element) = scroll.get_untracked() else { return };
            if let Some(row) = next.0.checked_sub(1) {
                reveal_row(&element, row, row_height.get_untracked());
            }
            match wide.get_untracked() {
                Some(wide) => {
                    reveal(&element, wide.places.start(next.1), wide.places.width(next.1..next.1 + 1))
                }
                None => {
                    let cell = id.with_value(|id| format!("{id}-{}-{}", next.0, next.1));
                    request_animation_frame(move || reveal_cell(&element, &cell));
                }
            }
        }
    };
    let gap = move |rows: usize| format!("{}px", rows as f64 * row_height.get());
    // Counts what is drawn: a row is drawn anew when its values, its place or its columns change.
    let version = Memo::new(move |before: Option<&u64>| {
        shown.track();
        in_view.track();
        before.map_or(0, |before| before + 1)
    });
    // Rows that come and go keep the width of their columns.
    let widths = Memo::new(move |_| {
        let fixed = wide.with(Option::is_none) && count.get() > ALL_UP_TO;
        columns.with(|columns| {
            let all = if fixed { columns.as_slice() } else { &[] };
            all.iter().map(|column| column.chars).collect::<Vec<_>>()
        })
    });
    let keys = move || {
        let version = version.get();
        range.get().map(move |i| (version, i)).collect::<Vec<_>>()
    };
    let draw = move |(_, index): (u64, usize)| {
        let part = in_view.get_untracked();
        let row = shown.with_untracked(|shown| shown.rows().part(index, part.clone()));
        let wide = wide.with_untracked(Option::is_some);
        row.map(|row| {
            view! { <ResultRow row index=index + 1 first=part.start wide at open id widths=widths.get_untracked()/> }
        })
    };
    let active = move || {
        let (row, column) = at.get();
        let drawn = row.checked_sub(1).is_none_or(|row| range.with(|r| r.contains(&row)));
        let drawn = drawn && in_view.with(|columns| columns.contains(&column));
        drawn.then(|| id.with_value(|id| format!("{id}-{row}-{column}")))
    };
    let head = move || {
        let part = in_view.get();
        let shown = columns.with(|columns| columns.get(part.clone()).unwrap_or_default().to_vec());
        let wide = wide.with(Option::is_some);
        view! { <Head columns=shown first=part.start wide sort at id on_press=Callback::new(press)/> }
    };
    let table_width =
        move || wide.with(|wide| wide.as_ref().map(|w| pixels(NUMBERS + w.places.width(0..w.count))));
    view! {
        <div class="scroll grid-scroll" node_ref=scroll on:scroll=move |_| measure()>
            <table
                class="tbl data"
                class:fixed=move || wide.with(Option::is_some)
                style:width=table_width
                role="grid"
                aria-label="Rows"
                tabindex="0"
                aria-rowcount=move || (count.get() + 1).to_string()
                aria-colcount=move || wide.with(|wide| wide.as_ref().map(|wide| (wide.count + 1).to_string()))
                aria-activedescendant=active
                on:keydown=on_key
            >
                {move || wide.get().map(|wide| view! { <Widths wide part=in_view.get()/> })}
                {head}
                <tbody>
                    <Show when=move || { range.with(|r| r.start > 0) }>
                        <tr class="gap" aria-hidden="true"><td colspan="1000" style:--v=move || gap(range.with(|r| r.start))></td></tr>
                    </Show>
                    <For each=keys key=|key| *key children=draw/>
                    <Show when=move || { range.with(|r| r.end) < count.get() }>
                        <tr class="gap" aria-hidden="true"><td colspan="1000" style:--v=move || gap(count.get() - range.with(|r| r.end))></td></tr>
                    </Show>
                </tbody>
            </table>
        </div>
    }
}

fn pixels(n: f64) -> String {
    format!("{n}px")
}

/// The widths of a wide table: those of the columns that are drawn, and one for all before and one for all after them.
#[component]
fn Widths(wide: Wide, part: Range<usize>) -> impl IntoView {
    let width = |columns: Range<usize>| pixels(wide.places.width(columns));
    view! {
        <colgroup>
            <col style:width=pixels(NUMBERS)/>
            <col style:width=width(0..part.start)/>
            {part.clone().map(|i| view! { <col style:width=width(i..i + 1)/> }).collect_view()}
            <col style:width=width(part.end..wide.count)/>
        </colgroup>
    }
}

fn moved(
    event: &KeyboardEvent,
    (row, column): At,
    (rows, columns): (usize, usize),
    page: usize,
) -> Option<At> {
    let last_column = columns.checked_sub(1)?;
    // Row 0 is the head.
    let (first, last) = (rows.min(1), rows);
    let corner = dom::command_key(event);
    Some(match event.key().as_str() {
        "ArrowDown" => ((row + 1).min(last), column),
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowRight" => (row, (column + 1).min(last_column)),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "PageDown" => ((row + page).min(last), column),
        "PageUp" => (row.saturating_sub(page).max(first), column),
        "Home" if corner => (first, 0),
        "End" if corner => (last, last_column),
        "Home" => (row, 0),
        "End" => (row, last_column),
        _ => return None,
    })
}

/// Scrolls so that the row is in view below the head, also when it is not drawn yet.
fn reveal_row(scroll: &web_sys::HtmlElement, row: usize, row_height: f64) {
    let (top, height) = (f64::from(scroll.scroll_top()), f64::from(scroll.client_height()));
    // The head stays in view, over the rows.
    let head =
        dom::matching(scroll, "thead > tr").first().map_or(0.0, |head| f64::from(head.offset_height()));
    let y = row as f64 * row_height;
    if y < top {
        scroll.set_scroll_top(y as i32);
    } else if y + row_height + head > top + height {
        scroll.set_scroll_top((y + row_height + head - height).ceil() as i32);
    }
}

/// Scrolls sideways so that the cell is in view beside the row numbers.
fn reveal_cell(scroll: &web_sys::HtmlElement, id: &str) {
    let Some(cell) = document().get_element_by_id(id) else { return };
    let Ok(cell) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(cell) else { return };
    reveal(scroll, f64::from(cell.offset_left()) - NUMBERS, f64::from(cell.offset_width()));
}

/// Scrolls sideways so that what begins at `x` behind the row numbers is in view.
fn reveal(scroll: &web_sys::HtmlElement, x: f64, wide: f64) {
    let (left, width) = (f64::from(scroll.scroll_left()), f64::from(scroll.client_width()));
    if x < left {
        scroll.set_scroll_left(x as i32);
    } else if x + NUMBERS + wide > left + width {
        scroll.set_scroll_left((x + NUMBERS + wide - width).min(x).ceil() as i32);
    }
}
