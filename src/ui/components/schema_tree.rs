//! The database as a tree: tables, and under an open table its columns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;
use super::field::Field;
use super::icon::{Icon, IconView};
use crate::present::format;
pub use crate::present::schema::Used;
use crate::present::schema::{COLUMNS_AT_ONCE, ColumnNode, TableNode, more_columns};

fn matches(table: &TableNode, wanted: &str) -> bool {
    table.name.to_lowercase().contains(wanted) || table.columns.iter().any(|c| column_matches(c, wanted))
}

fn column_matches(column: &ColumnNode, wanted: &str) -> bool {
    column.name.to_lowercase().contains(wanted) || column.sample.to_lowercase().contains(wanted)
}

/// A filter ("/" comes here) over a tree. Up and Down move, Right opens a table or goes to its first column, Left
/// closes it or goes to its table, Home and End go to the ends, Enter opens and closes.
#[component]
pub fn SchemaTree(
    /// The tables.
    #[prop(into)]
    tables: Signal<Arc<Vec<TableNode>>>,
    /// What the answer in view uses; it is highlighted.
    #[prop(optional, into)]
    used: Signal<Used>,
    /// A table, and perhaps its column, that is opened and takes the focus; it is taken out then.
    reveal: RwSignal<Option<(String, Option<String>)>>,
) -> impl IntoView {
    let filter = RwSignal::new(String::new());
    let open = RwSignal::new(BTreeSet::<String>::new());
    // How many columns of a wide table are shown.
    let pieces = RwSignal::new(BTreeMap::<String, usize>::new());
    let active = RwSignal::new(None::<String>);
    let tree = NodeRef::<html::Ul>::new();
    let wanted = Memo::new(move |_| filter.with(|f| f.trim().to_lowercase()));
    let shown = Memo::new(move |_| {
        let wanted = wanted.get();
        tables.with(|tables| {
            let keep = |table: &&TableNode| wanted.is_empty() || matches(table, &wanted);
            tables.iter().filter(keep).map(|table| table.name.clone()).collect::<Vec<_>>()
        })
    });
    // The first row is in the Tab order until another was visited.
    let tab_stop = Memo::new(move |_| {
        let kept = active.get().filter(|a| {
            let table = a.split('\u{1f}').next().unwrap_or_default();
            shown.with(|shown| shown.iter().any(|name| name == table))
        });
        kept.or_else(|| shown.with(|shown| shown.first().cloned()))
    });
    Effect::new(move |_| {
        let Some((table, column)) = reveal.get() else { return };
        filter.set(String::new());
        let row = match column {
            Some(column) => {
                open.update(|open| {
                    open.insert(table.clone());
                });
                let place = tables.with_untracked(|tables| place_of(tables, &table, &column));
                while pieces.with_untracked(|pieces| pieces.get(&table).copied().unwrap_or(COLUMNS_AT_ONCE))
                    <= place
                {
                    show_more(pieces, table.clone());
                }
                row_id(&table, &column)
            }
            None => table,
        };
        // When the row is drawn.
        request_animation_frame(move || {
            reveal.try_set(None);
            let Some(tree) = tree.try_get_untracked().flatten() else { return };
            let rows = dom::matching(&tree, "[data-row]");
            if let Some(found) = rows.iter().find(|r| r.get_attribute("data-row").as_deref() == Some(&row)) {
                dom::focus(found);
            }
        });
    });
    let on_key = move |event: KeyboardEvent| tree_key(&event, tree, open, pieces);
    let row = move |name: String| {
        let table = tables.with(|tables| tables.iter().find(|t| t.name == name).cloned());
        table.map(|table| view! { <TableRow table wanted used open pieces active tab_stop/> })
    };
    view! {
        <div class="sect-b pb-2">
            <Field
                label="Find a table, column or value"
                placeholder="Find a table, column or value"
                kind="search"
                icon=Icon::Search
                key="/"
                class="light"
                value=filter
                on_input=Callback::new(move |text| filter.set(text))
            />
        </div>
        <ul class="tree" role="tree" aria-label="Tables" node_ref=tree on:keydown=on_key>
            <For each=move || shown.get() key=|name| name.clone() children=row/>
        </ul>
        <Show when=move || shown.with(Vec::is_empty) && !wanted.with(String::is_empty)>
            <p class="tree none" role="status">"Nothing here is called “" {filter} "”."</p>
        </Show>
    }
}

#[component]
fn TableRow(
    table: TableNode,
    wanted: Memo<String>,
    used: Signal<Used>,
    open: RwSignal<BTreeSet<String>>,
    pieces: RwSignal<BTreeMap<String, usize>>,
    active: RwSignal<Option<String>>,
    tab_stop: Memo<Option<String>>,
) -> impl IntoView {
    let name = StoredValue::new(table.name.clone());
    let lower = StoredValue::new(table.name.to_lowercase());
    let columns = StoredValue::new(table.columns.clone());
    // While filtering, a table whose columns match is open.
    let found = move || {
        let wanted = wanted.get();
        !wanted.is_empty() && columns.with_value(|columns| columns.iter().any(|c| column_matches(c, &wanted)))
    };
    let is_open = Memo::new(move |_| name.with_value(|n| open.with(|open| open.contains(n))) || found());
    let is_used = move || lower.with_value(|n| used.with(|used| used.tables.contains(n)));
    let toggle = move || {
        let name = name.get_value();
        open.update(|open| {
            if !open.remove(&name) {
                open.insert(name);
            }
        });
    };
    let icon = Signal::derive(move || if is_open.get() { Icon::Down } else { Icon::Right });
    // The places of the columns that pass the filter.
    let passing = Memo::new(move |_| {
        let wanted = wanted.get();
        let all = wanted.is_empty() || name.with_value(|n| n.to_lowercase().contains(&wanted));
        columns.with_value(|columns| {
            let passes = |column: &ColumnNode| all || column_matches(column, &wanted);
            (0..columns.len()).filter(|i| columns.get(*i).is_some_and(passes)).collect::<Vec<_>>()
        })
    });
    let piece = Memo::new(move |_| {
        name.with_value(|name| pieces.with(|pieces| pieces.get(name).copied().unwrap_or(COLUMNS_AT_ONCE)))
    });
    let shown = move || passing.with(|passing| passing.iter().take(piece.get()).copied().collect::<Vec<_>>());
    let column = move |place: usize| {
        let column = columns.with_value(|columns| columns.get(place).cloned());
        column.map(|column| view! { <ColumnRow table=lower parent=name column used active tab_stop/> })
    };
    let rest = move || more_columns(piece.get(), passing.with(Vec::len));
    let more = move || {
        rest().map(|words| {
            view! {
                <li role="treeitem" attr:aria-level="2" tabindex="-1" data-more=name.get_value()>
                    <div class="n" on:click=move |_| show_more(pieces, name.get_value())>
                        <span class="c-accent">{words}</span>
                    </div>
                </li>
            }
        })
    };
    let stop = move || if tab_stop.with(|t| name.with_value(|n| t.as_ref() == Some(n))) { "0" } else { "-1" };
    let count = table.rows.map(format::count).unwrap_or_default();
    let said = if table.view { "view" } else { "table" };
    view! {
        <li
            role="treeitem"
            aria-expanded=move || is_open.get().to_string()
            attr:aria-level="1"
            tabindex=stop
            data-table=table.name.clone()
            data-row=table.name.clone()
            on:focus=move |_| active.set(Some(name.get_value()))
        >
            <div class="n" class:used=is_used class:open=is_open on:click=move |_| toggle()>
                <IconView icon/>
                <IconView icon=Icon::Table/>
                <span class="name cut" title=said>{table.name.clone()}</span>
                <span class="ct">{count}{(!table.view).then(|| view! { <span class="sr">" rows"</span> })}</span>
            </div>
            <Show when=move || is_open.get()>
                <ul role="group"><For each=shown key=|place| *place children=column/>{more}</ul>
            </Show>
        </li>
    }
}

#[component]
fn ColumnRow(
    table: StoredValue<String>,
    parent: StoredValue<String>,
    column: ColumnNode,
    used: Signal<Used>,
    active: RwSignal<Option<String>>,
    tab_stop: Memo<Option<String>>,
) -> impl IntoView {
    let lower = column.name.to_lowercase();
    let is_used = move || used.with(|used| used.columns.contains(&(table.get_value(), lower.clone())));
    let id = StoredValue::new(row_id(&parent.get_value(), &column.name));
    let stop = move || if tab_stop.with(|t| id.with_value(|n| t.as_ref() == Some(n))) { "0" } else { "-1" };
    let (icon, key) = match (&column.primary_key, &column.refers_to) {
        (true, _) => (Some(Icon::Key), "primary key, "),
        (false, Some(_)) => (Some(Icon::Link), "foreign key, "),
        (false, None) => (None, ""),
    };
    let sample = match &column.refers_to {
        Some(table) if !column.primary_key => format!("→ {table}"),
        _ => column.sample.clone(),
    };
    let said = format!("{key}{}", column.declared_type);
    let title = column.note.clone().unwrap_or_else(|| said.clone());
    view! {
        <li role="treeitem" attr:aria-level="2" tabindex=stop data-row=id.get_value() on:focus=move |event| {
            event.stop_propagation();
            active.set(Some(id.get_value()));
        }>
            <div class="n" class:used=is_used title=title>
                {icon.map(|icon| view! { <IconView icon/> })}
                <span class="name cut">{column.name.clone()}</span>
                <span class="sr">{format!(", {said}")}</span>
                <span class="vals" title=column.sample>{sample}</span>
            </div>
        </li>
    }
}

fn show_more(pieces: RwSignal<BTreeMap<String, usize>>, table: String) {
    pieces.update(|pieces| *pieces.entry(table).or_insert(COLUMNS_AT_ONCE) += COLUMNS_AT_ONCE);
}

/// Where a column stands in its table.
fn place_of(tables: &[TableNode], table: &str, column: &str) -> usize {
    let columns = tables.iter().find(|t| t.name == table).map(|t| &t.columns);
    columns.and_then(|columns| columns.iter().position(|c| c.name == column)).unwrap_or_default()
}

/// Names the row of a column; the row of a table has the table's name.
fn row_id(table: &str, column: &str) -> String {
    format!("{table}\u{1f}{column}")
}

fn tree_key(
    event: &KeyboardEvent,
    tree: NodeRef<html::Ul>,
    open: RwSignal<BTreeSet<String>>,
    pieces: RwSignal<BTreeMap<String, usize>>,
) {
    let Some(root) = tree.get_untracked() else { return };
    let Some(active) = document().active_element() else { return };
    let items = dom::matching(&root, "[role='treeitem']");
    let table = active.get_attribute("data-table");
    let is_open = active.get_attribute("aria-expanded").as_deref() == Some("true");
    let to_parent =
        || active.parent_element().and_then(|group| group.closest("[role='treeitem']").ok().flatten());
    match event.key().as_str() {
        "ArrowDown" => dom::move_focus(&items, Some(1), true),
        "ArrowUp" => dom::move_focus(&items, Some(-1), true),
        "Home" => dom::move_focus(&items, None, true),
        "End" => dom::move_focus(&items, None, false),
        "ArrowRight" => match table {
            Some(_) if is_open => dom::move_focus(&items, Some(1), true),
            Some(name) => open.update(|open| {
                open.insert(name);
            }),
            None => {}
        },
        "ArrowLeft" => match table {
            Some(name) => open.update(|open| {
                open.remove(&name);
            }),
            None => {
                if let Some(parent) = to_parent().and_then(|p| wasm_bindgen::JsCast::dyn_into(p).ok()) {
                    dom::focus(&parent);
                }
            }
        },
        "Enter" | " " => {
            if let Some(name) = active.get_attribute("data-more") {
                // The first of those that come takes the place of this row, and with it the focus.
                let at = items.iter().position(|item| {
                    let item: &web_sys::Element = item;
                    *item == active
                });
                show_more(pieces, name);
                request_animation_frame(move || {
                    let items = dom::matching(&root, "[role='treeitem']");
                    if let Some(item) = at.and_then(|at| items.get(at)) {
                        dom::focus(item);
                    }
                });
            } else if let Some(name) = table {
                open.update(|open| {
                    if !open.remove(&name) {
                        open.insert(name);
                    }
                });
            }
        }
        _ => return,
    }
    event.prevent_default();
}
