//! The head and one row of the result grid.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::result_grid::At;
use crate::present::cells::{CellStyle, is_numeric};
use crate::present::columns::Column;
use crate::present::format;
use crate::present::grid::{Cell, Row, RowFate};
use crate::present::sort::{Direction, Sort};

/// Names and types of the columns; a press sorts by one.
#[component]
pub(super) fn Head(
    /// The columns that are drawn.
    columns: Vec<Column>,
    /// The place of the first of them.
    first: usize,
    /// Whether others stand before and after them.
    wide: bool,
    /// What the rows are sorted by.
    sort: RwSignal<Option<Sort>>,
    /// The active cell.
    at: RwSignal<At>,
    /// Prefix of the cells' ids.
    id: StoredValue<String>,
    /// Sorts by a column.
    on_press: Callback<usize>,
) -> impl IntoView {
    let names = columns
        .into_iter()
        .zip(first..)
        .map(|(column, place)| {
            let sorted = move || sort.get().filter(|sort| sort.column == place).map(|sort| sort.direction);
            let mark = move || {
                sorted().map(|direction| {
                    let class = if direction == Direction::Ascending { "mark-up" } else { "" };
                    view! { <IconView icon=Icon::Down small=true class/> }
                })
            };
            let cell_id = id.with_value(|id| format!("{id}-0-{place}"));
            let title = format!("Sort by {}", column.name);
            view! {
                <th
                    scope="col"
                    id=cell_id
                    class="sorts"
                    class:num=is_numeric(column.kind)
                    class:at=move || at.get() == (0, place)
                    class:on=move || sorted().is_some()
                    title=title
                    aria-sort=move || sorted().map_or("none", Direction::name)
                    aria-colindex=wide.then(|| (place + 2).to_string())
                    on:click=move |_| {
                        at.set((0, place));
                        on_press.run(place);
                    }
                >
                    <span class="hd"><span class="cut">{column.name}</span><span class="dt">{column.kind}</span>{mark}</span>
                </th>
            }
        })
        .collect_view();
    let gap = move || wide.then(|| view! { <th class="gap" aria-hidden="true"></th> });
    view! { <thead><tr><th class="idx"><span class="sr">"Row"</span></th>{gap()}{names}{gap()}</tr></thead> }
}

/// One row; a click makes a cell the active one, a second click or a double click opens it.
#[component]
pub(super) fn ResultRow(
    /// The row, with the cells that are drawn.
    row: Row,
    /// Its place in the table, from 1.
    index: usize,
    /// The column of its first cell.
    first: usize,
    /// Whether other columns stand before and after.
    wide: bool,
    /// The active cell.
    at: RwSignal<At>,
    /// Opens the full value of a cell.
    open: Callback<At>,
    /// Prefix of the cells' ids.
    id: StoredValue<String>,
    /// Width of each column in characters; empty when it is fixed, or the browser's choice.
    widths: Vec<usize>,
) -> impl IntoView {
    let (class, said) = match row.fate {
        RowFate::Both => ("row-data", ""),
        RowFate::Missing => ("row-data missing", "missing, only in gold"),
        RowFate::Extra => ("row-data extra", "extra, not in gold"),
    };
    let fate = row.fate;
    let number = row.number.map_or_else(|| "gold".to_owned(), |n| format::count(n as u64));
    let cells = row
        .cells
        .into_iter()
        .zip(first..)
        .map(|(cell, column)| {
            let place = (index, column);
            let cell_id = id.with_value(|id| format!("{id}-{index}-{column}"));
            let mut class = if cell.style == CellStyle::Number { "num" } else { "" }.to_owned();
            if cell.gold.is_some() {
                class.push_str(" diff");
            }
            let width = widths.get(column).map(|w| format!("{w}ch"));
            view! {
                <td
                    id=cell_id
                    class=class
                    class:at=move || at.get() == place
                    aria-colindex=wide.then(|| (column + 2).to_string())
                    on:click=move |_| {
                        if at.get_untracked() == place {
                            open.run(place);
                        }
                        at.set(place);
                    }
                >
                    {content(cell, fate, width)}
                </td>
            }
        })
        .collect_view();
    let gap = move || wide.then(|| view! { <td class="gap" aria-hidden="true"></td> });
    view! {
        <tr class=class aria-rowindex=(index + 1).to_string()>
            <td class="idx">{number}{(!said.is_empty()).then(|| view! { <span class="sr">{said}</span> })}</td>
            {gap()}
            {cells}
            {gap()}
        </tr>
    }
}

fn content(cell: Cell, fate: RowFate, width: Option<String>) -> impl IntoView {
    let Cell { text, style, size, gold } = cell;
    let value = match style {
        CellStyle::Null => view! { <span class="v null" style:min-width=width>"NULL"</span> }.into_any(),
        CellStyle::Blob => view! { <span class="v" style:min-width=width><span class="tag">{text}</span></span> }.into_any(),
        CellStyle::Invalid => view! {
            <span class="v invalid" title="Not valid UTF-8: bytes that cannot be read are written as \\xNN" style:min-width=width>
                <IconView icon=Icon::Warn small=true class="c-warn"/>
                <span class="sr">"not valid UTF-8: "</span>
                {text}
            </span>
        }
        .into_any(),
        CellStyle::Text | CellStyle::Number => {
            let class = if size.is_some() { "v long" } else { "v" };
            view! { <span class=class style:min-width=width>{text}</span> }.into_any()
        }
    };
    let gold = (fate == RowFate::Both).then_some(gold).flatten();
    view! {
        {value}
        {size.map(|size| view! { <span class="tag size">{size}</span> })}
        {gold.map(|gold| view! { <small>"gold " {gold}</small> })}
    }
}
