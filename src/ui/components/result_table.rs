//! The rows of a query, faithful to what SQLite stored: as a table, beside gold, or as a quick chart.

use std::sync::Arc;

use leptos::prelude::*;

use super::button::IconButton;
use super::icon::Icon;
use super::result_chart::ResultChart;
use super::result_grid::{At, Grid};
use super::tabs::Segmented;
use super::tag::{Tag, Tone};
use super::value_dialog::ValueDialog;
use crate::db::{ResultSet, Value};
use crate::present::chart;
use crate::present::columns::columns;
use crate::present::format;
use crate::present::grid::{Against, Rows};
use crate::present::sort::{self, Sort};

/// How the rows are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowsView {
    /// As a table.
    #[default]
    Rows,
    /// Beside gold's.
    Against,
    /// As a chart.
    Chart,
}

/// The result, its comparison and its order, one thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    /// Our rows.
    pub result: Arc<ResultSet>,
    /// The same beside gold.
    pub beside: Option<Arc<Against>>,
    /// The order shown, where it is not the query's.
    pub order: Option<Arc<Vec<u32>>>,
}

impl Shown {
    /// The rows in the order shown.
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            ours: &self.result,
            against: self.beside.as_deref(),
            order: self.order.as_deref().map(Vec::as_slice),
        }
    }

    /// Whether nothing has to be drawn anew: the same objects, not only equal ones.
    fn is(&self, other: &Self) -> bool {
        let same = |a: &Option<Arc<Against>>, b: &Option<Arc<Against>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        Arc::ptr_eq(&self.result, &other.result)
            && same(&self.beside, &other.beside)
            && self.order == other.order
    }
}

/// A result with its head line: how many rows, how long, whether more exist, how it is looked at, and CSV. The head of
/// a column sorts by it.
#[component]
pub fn ResultTable(
    /// The rows.
    #[prop(into)]
    result: Signal<Arc<ResultSet>>,
    /// The same beside gold, where a gold query ran.
    #[prop(optional, into)]
    against: Signal<Option<Arc<Against>>>,
    /// Whether they are of the query before the one that was tried last.
    #[prop(optional, into)]
    before: Signal<bool>,
    /// How the rows are looked at, where that can be.
    chosen: RwSignal<RowsView>,
    /// Downloads the rows as CSV.
    #[prop(optional, into)]
    on_csv: Option<Callback<()>>,
    /// Copies a value.
    on_copy: Callback<String>,
    /// Downloads a value.
    on_save: Callback<Value>,
    /// Changes the row limit; shown where more rows exist.
    #[prop(optional, into)]
    on_limit: Option<Callback<()>>,
) -> impl IntoView {
    // The answer changes in many ways that leave its rows as they are.
    let result = Memo::new_with_compare(
        move |_| result.get(),
        |before, now| match (before, now) {
            (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
            _ => true,
        },
    );
    let columns = Memo::new(move |_| result.with(|r| Arc::new(columns(r))));
    let chart = Memo::new(move |_| result.with(|r| chart::choose(r).map(Arc::new)));
    let views = Memo::new(move |_| {
        let mut views = vec![RowsView::Rows];
        views.extend(against.with(Option::is_some).then_some(RowsView::Against));
        views.extend(chart.with(Option::is_some).then_some(RowsView::Chart));
        views
    });
    let view_now = Memo::new(move |_| {
        let chosen = chosen.get();
        views.with(|views| if views.contains(&chosen) { chosen } else { RowsView::Rows })
    });
    let sort = RwSignal::new(None::<Sort>);
    let at = RwSignal::new((1_usize, 0_usize));
    Effect::new(move |_| {
        result.track();
        sort.set(None);
        at.set((1, 0));
    });
    let shown = Memo::new_with_compare(
        move |_| {
            let (result, view) = (result.get(), view_now.get());
            let beside = against.get().filter(|_| view == RowsView::Against);
            let sort = sort.get().filter(|sort| sort.column < result.columns.len());
            let mut shown = Shown { result, beside, order: None };
            shown.order = sort.map(|sort| Arc::new(sort::order(shown.rows(), sort)));
            shown
        },
        |before, now| match (before, now) {
            (Some(before), Some(now)) => !before.is(now),
            _ => true,
        },
    );
    let opened = RwSignal::new(None::<Value>);
    let open = Callback::new(move |(row, column): At| {
        let value = shown.with_untracked(|shown| shown.rows().value(row.checked_sub(1)?, column).cloned());
        opened.set(value);
    });
    let count = move || format::counted(result.with(|r| r.rows.len()), "row", "rows");
    let title = move || if before.get() { "Rows of the query before".to_owned() } else { count() };
    let remark = move || {
        if before.get() {
            return count();
        }
        result.with(|r| {
            let all = if r.more || r.rows.is_empty() { "" } else { ", all shown" };
            format!("{}{all}", format::duration(r.elapsed_ms))
        })
    };
    let more = Memo::new(move |_| result.with(|r| r.more));
    let sorted = move || {
        let sort = sort.get()?;
        let name = columns.with(|columns| columns.get(sort.column).map(|column| column.name.clone()))?;
        Some(sort::sentence(&name, sort.direction, more.get()))
    };
    // The grid stays where it is when gold comes beside it.
    let charted = Memo::new(move |_| view_now.get() == RowsView::Chart);
    let body = move || {
        if !charted.get() {
            return view! { <Grid shown columns sort at open/> }.into_any();
        }
        let order = Signal::derive(move || shown.with(|shown| shown.order.clone()));
        chart.get().map(|chart| view! { <ResultChart chart order/> }).into_any()
    };
    view! {
        <div class="sect-h">
            <h2>{title}</h2>
            <span class="t12 three">{remark}</span>
            <Show when=move || more.get()><Tag text="more exist" tone=Tone::Warn/></Show>
            <span class="push"></span>
            <Views views view_now chosen/>
            {on_csv.map(|on_press| view! { <IconButton icon=Icon::Download label="Download CSV" on_press/> })}
        </div>
        {body}
        <div class="sorted" role="status">
            {move || sorted().map(|sentence| view! {
                <div class="tail">
                    <span>{sentence}</span>
                    <button type="button" class="link" on:click=move |_| sort.set(None)>"As the query gave"</button>
                </div>
            })}
        </div>
        <Show when=move || more.get()>
            <div class="tail">
                {move || format!("Cut at the limit of {}.", format::counted(result.with(|r| r.rows.len()), "row", "rows"))}
                {on_limit.map(|on_limit| {
                    view! { <button type="button" class="link" on:click=move |_| on_limit.run(())>"Change"</button> }
                })}
            </div>
        </Show>
        <ValueDialog value=opened on_copy on_save/>
    }
}

/// The switch between the ways to look at the rows, where there are several.
#[component]
fn Views(views: Memo<Vec<RowsView>>, view_now: Memo<RowsView>, chosen: RwSignal<RowsView>) -> impl IntoView {
    move || {
        let views = views.get();
        let place = |wanted: RowsView| views.iter().position(|view| *view == wanted);
        let names = views.iter().map(|view| match view {
            RowsView::Rows => "Rows",
            RowsView::Against => "Against gold",
            RowsView::Chart => "Chart",
        });
        let keys = [("c", RowsView::Against), ("v", RowsView::Chart)];
        let keys = keys.into_iter().filter_map(|(key, view)| Some((key, place(view)?))).collect::<Vec<_>>();
        let (options, kept) = (names.collect::<Vec<_>>(), views.clone());
        let selected = Signal::derive(move || {
            let now = view_now.get();
            kept.iter().position(|view| *view == now).unwrap_or_default()
        });
        (views.len() > 1).then(|| {
            let on_select =
                Callback::new(move |i: usize| chosen.set(views.get(i).copied().unwrap_or_default()));
            view! { <Segmented label="View" keys options selected on_select/> }
        })
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
