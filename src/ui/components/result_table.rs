//! The rows of a query, faithful to what SQLite stored.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::button::IconButton;
use super::dom;
use super::icon::Icon;
use super::result_row::{Head, ResultRow};
use super::tabs::Segmented;
use super::tag::{Tag, Tone};
use super::value_dialog::ValueDialog;
use crate::db::{ResultSet, Value};
use crate::present::grid::{self, Against};
use crate::present::{cells, format};

/// Row height before the first row was measured.
const ROW_HEIGHT: f64 = 24.0;

/// A cell of the table, as (row, column) from 0.
pub type At = (usize, usize);

/// A result with its head line: how many rows, how long, whether more exist, the switch to gold, and CSV. The grid is
/// one stop of Tab; arrows, Page Up and Down, Home and End move in it (with Ctrl to its corners), Enter or a double
/// click opens the full value. Above 200 rows only those in view are drawn.
#[component]
pub fn ResultTable(
    /// The rows.
    #[prop(into)]
    result: Signal<Arc<ResultSet>>,
    /// The same beside gold, where a gold query ran.
    #[prop(optional, into)]
    against: Signal<Option<Arc<Against>>>,
    /// Whether gold is shown beside.
    #[prop(optional, into)]
    compare: Option<RwSignal<bool>>,
    /// Downloads the rows as CSV.
    #[prop(optional, into)]
    on_csv: Option<Callback<()>>,
    /// Copies a value.
    on_copy: Callback<String>,
    /// Changes the row limit; shown where more rows exist.
    #[prop(optional, into)]
    on_limit: Option<Callback<()>>,
) -> impl IntoView {
    let compare = compare.unwrap_or_else(|| RwSignal::new(false));
    let beside = Memo::new(move |_| against.get().filter(|_| compare.get()));
    let count = Memo::new(move |_| result.with(|r| beside.with(|b| grid::len(r, b.as_deref()))));
    let at = RwSignal::new((0_usize, 0_usize));
    let opened = RwSignal::new(None::<Value>);
    Effect::new(move |_| {
        result.track();
        at.set((0, 0));
    });
    let value_at = move |(row, column): At| {
        result.with_untracked(|r| {
            beside.with_untracked(|b| {
                grid::row(r, b.as_deref(), row)
                    .and_then(|row| row.cells.into_iter().nth(column))
                    .map(|c| c.value)
            })
        })
    };
    let open = Callback::new(move |cell: At| opened.set(value_at(cell)));
    let title = move || {
        let n = result.with(|r| r.rows.len());
        format::counted(n, "row", "rows")
    };
    let remark = move || {
        result.with(|r| {
            let all = if r.more || r.rows.is_empty() { "" } else { ", all shown" };
            format!("{}{all}", format::duration(r.elapsed_ms))
        })
    };
    let more = Memo::new(move |_| result.with(|r| r.more));
    view! {
        <div class="sect-h">
            <h2>{title}</h2>
            <span class="t12 three">{remark}</span>
            <Show when=move || more.get()><Tag text="more exist" tone=Tone::Warn/></Show>
            <span class="push"></span>
            <Show when=move || against.with(Option::is_some)>
                <Segmented
                    label="View"
                    class="not-phone"
                    key="c"
                    options=vec!["Rows", "Against gold"]
                    selected=Signal::derive(move || usize::from(compare.get()))
                    on_select=Callback::new(move |i| compare.set(i == 1))
                />
            </Show>
            {on_csv.map(|on_press| view! { <IconButton icon=Icon::Download label="Download CSV" on_press/> })}
        </div>
        <Grid result beside count at open/>
        <Show when=move || more.get()>
            <div class="tail">
                {move || format!("Cut at the limit of {}.", format::counted(result.with(|r| r.rows.len()), "row", "rows"))}
                {on_limit.map(|on_limit| {
                    view! { <button type="button" class="link" on:click=move |_| on_limit.run(())>"Change"</button> }
                })}
            </div>
        </Show>
        <ValueDialog value=opened on_copy/>
    }
}

#[component]
fn Grid(
    result: Signal<Arc<ResultSet>>,
    beside: Memo<Option<Arc<Against>>>,
    count: Memo<usize>,
    at: RwSignal<At>,
    open: Callback<At>,
) -> impl IntoView {
    let scroll = NodeRef::<html::Div>::new();
    let row_height = RwSignal::new(ROW_HEIGHT);
    // (scroll top, height of the view)
    let view_port = RwSignal::new((0.0_f64, 800.0_f64));
    let range = Memo::new(move |_| {
        let (top, height) = view_port.get();
        grid::window(count.get(), row_height.get(), top, height)
    });
    let columns = Memo::new(move |_| result.with(|r| r.columns.len()));
    let id = StoredValue::new(dom::unique_id("cell"));
    let measure = move || {
        let Some(element) = scroll.get_untracked() else { return };
        view_port.set((f64::from(element.scroll_top()), f64::from(element.client_height())));
        if let Some(row) = dom::matching(&element, "tbody > tr.row-data").first() {
            let height = f64::from(row.offset_height());
            if height > 0.0 && (height - row_height.get_untracked()).abs() > 0.5 {
                row_height.set(height);
            }
        }
    };
    Effect::new(move |_| {
        result.track();
        // A new result begins at its top.
        if let Some(element) = scroll.get() {
            element.set_scroll_top(0);
        }
        request_animation_frame(measure);
    });
    let on_key = move |event: KeyboardEvent| {
        let page = (view_port.get_untracked().1 / row_height.get_untracked()).max(2.0) as usize - 1;
        let limits = (count.get_untracked(), columns.get_untracked());
        if event.key() == "Enter" {
            event.prevent_default();
            open.run(at.get_untracked());
        } else if let Some(next) = moved(&event, at.get_untracked(), limits, page) {
            event.prevent_default();
            at.set(next);
            if let Some(element) = scroll.get_untracked() {
                reveal_row(&element, next.0, row_height.get_untracked());
                let cell = id.with_value(|id| format!("{id}-{}-{}", next.0, next.1));
                request_animation_frame(move || reveal_cell(&element, &cell));
            }
        }
    };
    let gap = move |rows: usize| format!("{}px", rows as f64 * row_height.get());
    let widths = Memo::new(move |_| {
        result.with(|r| if r.rows.len() > grid::ALL_UP_TO { widths(r) } else { Vec::new() })
    });
    let keys = move || {
        // A row is drawn anew when the result or the comparison behind it changes.
        let mark = result.with(|r| Arc::as_ptr(r) as usize)
            ^ beside.with(|b| b.as_ref().map_or(0, |b| Arc::as_ptr(b) as usize));
        range.get().map(move |i| (mark, i)).collect::<Vec<_>>()
    };
    let draw = move |(_, index): (usize, usize)| {
        let row = result.with_untracked(|r| beside.with_untracked(|b| grid::row(r, b.as_deref(), index)));
        row.map(|row| view! { <ResultRow row index at open id widths=widths.get_untracked()/> })
    };
    let active = move || {
        let (row, column) = at.get();
        range.with(|r| r.contains(&row)).then(|| id.with_value(|id| format!("{id}-{row}-{column}")))
    };
    view! {
        <div class="scroll grid-scroll" node_ref=scroll on:scroll=move |_| measure()>
            <table
                class="tbl data"
                role="grid"
                aria-label="Rows"
                tabindex="0"
                aria-rowcount=move || (count.get() + 1).to_string()
                aria-activedescendant=active
                on:keydown=on_key
            >
                {move || view! { <Head result=result.get()/> }}
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

/// Width of each column in characters, from its head and the first 200 rows, so that it keeps its width while rows
/// come and go.
fn widths(result: &ResultSet) -> Vec<usize> {
    let seen = || result.rows.iter().take(grid::ALL_UP_TO);
    let width = |column: usize| {
        seen().filter_map(|row| row.get(column)).map(|v| cells::short(v).chars().count()).max()
    };
    (0..result.columns.len()).map(|i| width(i).unwrap_or(0).clamp(4, 44)).collect()
}

fn moved(
    event: &KeyboardEvent,
    (row, column): At,
    (rows, columns): (usize, usize),
    page: usize,
) -> Option<At> {
    let (last_row, last_column) = (rows.checked_sub(1)?, columns.checked_sub(1)?);
    let corner = dom::command_key(event);
    Some(match event.key().as_str() {
        "ArrowDown" => ((row + 1).min(last_row), column),
        "ArrowUp" => (row.saturating_sub(1), column),
        "ArrowRight" => (row, (column + 1).min(last_column)),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "PageDown" => ((row + page).min(last_row), column),
        "PageUp" => (row.saturating_sub(page), column),
        "Home" if corner => (0, 0),
        "End" if corner => (last_row, last_column),
        "Home" => (row, 0),
        "End" => (row, last_column),
        _ => return None,
    })
}

/// Scrolls so that the row is in view below the head, also when it is not drawn yet.
fn reveal_row(scroll: &web_sys::HtmlElement, row: usize, row_height: f64) {
    const HEAD: f64 = 28.0;
    let (top, height) = (f64::from(scroll.scroll_top()), f64::from(scroll.client_height()));
    let y = row as f64 * row_height;
    if y < top {
        scroll.set_scroll_top(y as i32);
    } else if y + row_height + HEAD > top + height {
        scroll.set_scroll_top((y + row_height + HEAD - height).ceil() as i32);
    }
}

/// Scrolls sideways so that the cell is in view beside the row numbers.
fn reveal_cell(scroll: &web_sys::HtmlElement, id: &str) {
    const NUMBERS: i32 = 48;
    let Some(cell) = document().get_element_by_id(id) else { return };
    let Ok(cell) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(cell) else { return };
    let (left, width) = (scroll.scroll_left(), scroll.client_width());
    let (x, wide) = (cell.offset_left(), cell.offset_width());
    if x - NUMBERS < left {
        scroll.set_scroll_left(x - NUMBERS);
    } else if x + wide > left + width {
        scroll.set_scroll_left((x + wide - width).min(x - NUMBERS));
    }
}

/// What stands in the place of the rows while there are none yet: the place keeps its height.
#[component]
pub fn RowsPlaceholder(
    /// What is waited for.
    #[prop(into)]
    text: Signal<String>,
    /// Whether rows are still to come.
    #[prop(into)]
    waiting: Signal<bool>,
) -> impl IntoView {
    let bars = || (0..4).map(|_| view! { <td><span class="ph"></span></td> }).collect_view();
    view! {
        <div class="sect-h"><h2>"Rows"</h2><span class="t12 three">{text}</span></div>
        <div class="scroll" aria-hidden="true" class:empty=move || !waiting.get()>
            <table class="tbl data"><tbody>{(0..6).map(|_| view! { <tr>{bars()}</tr> }).collect_view()}</tbody></table>
        </div>
    }
}
