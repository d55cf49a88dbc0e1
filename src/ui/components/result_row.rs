//! The head and one row of the result grid.

use std::sync::Arc;

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::result_table::At;
use crate::db::ResultSet;
use crate::present::cells::{self, CellStyle};
use crate::present::format;
use crate::present::grid::{Cell, Row, RowFate};

/// Names and types of the columns.
#[component]
pub fn Head(
    /// The result.
    result: Arc<ResultSet>,
) -> impl IntoView {
    let names = result
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let kind = cells::column_type(&result, i);
            let class = if cells::is_numeric(kind) { "num" } else { "" };
            view! { <th scope="col" class=class>{column.name.clone()}<span class="dt">{kind}</span></th> }
        })
        .collect_view();
    view! { <thead><tr><th class="idx"><span class="sr">"Row"</span></th>{names}</tr></thead> }
}

/// One row; a click makes a cell the active one, a second click or a double click opens it.
#[component]
pub fn ResultRow(
    /// The row.
    row: Row,
    /// Its place in the table.
    index: usize,
    /// The active cell.
    at: RwSignal<At>,
    /// Opens the full value of a cell.
    open: Callback<At>,
    /// Prefix of the cells' ids.
    id: StoredValue<String>,
    /// Width of each column in characters; empty when the browser chooses.
    widths: Vec<usize>,
) -> impl IntoView {
    let class = match row.fate {
        RowFate::Both => "row-data",
        RowFate::Missing => "row-data missing",
        RowFate::Extra => "row-data extra",
    };
    let said = match row.fate {
        RowFate::Both => "",
        RowFate::Missing => "missing, only in gold",
        RowFate::Extra => "extra, not in gold",
    };
    let fate = row.fate;
    let number = row.number.map_or_else(|| "gold".to_owned(), |n| format::count(n as u64));
    let cells = row
        .cells
        .into_iter()
        .enumerate()
        .map(|(column, cell)| {
            let place = (index, column);
            let cell_id = id.with_value(|id| format!("{id}-{index}-{column}"));
            let mut class =
                if cells::style(&cell.value) == CellStyle::Number { "num" } else { "" }.to_owned();
            if cell.gold.is_some() {
                class.push_str(" diff");
            }
            let width = widths.get(column).map(|w| format!("{w}ch"));
            view! {
                <td
                    id=cell_id
                    class=class
                    class:at=move || at.get() == place
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
    view! {
        <tr class=class aria-rowindex=(index + 2).to_string()>
            <td class="idx">{number}{(!said.is_empty()).then(|| view! { <span class="sr">{said}</span> })}</td>
            {cells}
        </tr>
    }
}

fn content(cell: Cell, fate: RowFate, width: Option<String>) -> impl IntoView {
    let text = cells::short(&cell.value);
    let value = match cells::style(&cell.value) {
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
        CellStyle::Text | CellStyle::Number => view! { <span class="v" style:min-width=width>{text}</span> }.into_any(),
    };
    let gold = (fate == RowFate::Both).then_some(cell.gold).flatten();
    view! { {value}{gold.map(|gold| view! { <small>"gold " {gold}</small> })} }
}
