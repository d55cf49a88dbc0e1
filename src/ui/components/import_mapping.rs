//! Confirming how a history file is read: which column holds what, and which database is meant.

use leptos::prelude::*;

use super::button::{Button, Weight};
use super::field::Select;
use crate::history::import::{Mapping, Plan};
use crate::present::format;

/// The value of the choice "not in this file"; no column can have this name.
const NONE: &str = "\u{0}";

/// A part of a record and how to reach its column in a mapping.
type Part = (&'static str, fn(&mut Mapping) -> &mut Option<String>);

const PARTS: [Part; 7] = [
    ("SQL", |m| &mut m.sql),
    ("Question", |m| &mut m.question),
    ("Author", |m| &mut m.user),
    ("Time", |m| &mut m.time),
    ("Times run", |m| &mut m.count),
    ("Identifier", |m| &mut m.id),
    ("Database", |m| &mut m.db_id),
];

/// The columns of a file as guessed, each to be confirmed or changed, and the databases its rows name.
#[component]
pub fn ImportMapping(
    /// How the file will be read; edited in place.
    plan: RwSignal<Plan>,
    /// The database column changed: the caller counts the databases again.
    #[prop(into)]
    on_database_column: Callback<()>,
    /// Reads the file.
    #[prop(into)]
    on_confirm: Callback<()>,
    /// Leaves.
    #[prop(into)]
    on_cancel: Callback<()>,
) -> impl IntoView {
    let has_columns = plan.with_untracked(|p| !p.columns.is_empty());
    let head = move || {
        plan.with(|p| format!("{}, {}", p.format.name(), format::counted(p.records, "record", "records")))
    };
    let missing = Memo::new(move |_| plan.with(|p| !p.columns.is_empty() && p.mapping.sql.is_none()));
    view! {
        <div class="stack-3">
            <p class="t12 two"><b class="ink med">{move || plan.with(|p| p.name.clone())}</b> " " {head}</p>
            {has_columns.then(|| view! { <Columns plan on_database_column/> })}
            <Databases plan/>
            <Show when=move || missing.get()>
                <p class="t12 c-bad" role="alert">"Choose the column that holds the SQL."</p>
            </Show>
            <div class="row wrap">
                <Button label="Read the file" weight=Weight::Primary disabled=missing on_press=on_confirm/>
                <Button label="Cancel" weight=Weight::Quiet on_press=on_cancel/>
            </div>
        </div>
    }
}

#[component]
fn Columns(plan: RwSignal<Plan>, on_database_column: Callback<()>) -> impl IntoView {
    let options = move |required: bool| {
        plan.with_untracked(|p| {
            let none =
                (NONE.to_owned(), if required { "choose a column" } else { "not in this file" }.to_owned());
            let columns = p.columns.iter().map(|c| (c.name.clone(), c.name.clone()));
            std::iter::once(none).chain(columns).collect::<Vec<_>>()
        })
    };
    let rows = PARTS
        .into_iter()
        .enumerate()
        .map(|(i, (name, part))| {
            let chosen = move || plan.with(|p| part(&mut p.mapping.clone()).clone());
            let value = Signal::derive(move || chosen().unwrap_or_else(|| NONE.to_owned()));
            let sample = move || {
                let chosen = chosen();
                plan.with(|p| {
                    p.columns.iter().find(|c| Some(&c.name) == chosen.as_ref()).map(|c| c.samples.join(" · "))
                })
            };
            let on_change = Callback::new(move |column: String| {
                plan.update(|p| *part(&mut p.mapping) = Some(column).filter(|c| c != NONE));
                if i == PARTS.len() - 1 {
                    on_database_column.run(());
                }
            });
            view! {
                <span class="two">{name}</span>
                <div class="stack-1">
                    <Select label=name options=Signal::stored(options(i == 0)) value on_change class="mono"/>
                    <span class="t11 three cut mono">{sample}</span>
                </div>
            }
        })
        .collect_view();
    view! { <div class="mapping">{rows}</div> }
}

#[component]
fn Databases(plan: RwSignal<Plan>) -> impl IntoView {
    let options = Signal::derive(move || {
        plan.with(|p| {
            let all = (NONE.to_owned(), "All databases".to_owned());
            let named = p.databases.iter().map(|(name, n)| {
                (name.clone(), format!("{name}, {}", format::counted(*n, "query", "queries")))
            });
            std::iter::once(all).chain(named).collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || plan.with(|p| p.database.clone().unwrap_or_else(|| NONE.to_owned())));
    let on_change =
        Callback::new(move |name: String| plan.update(|p| p.database = Some(name).filter(|n| n != NONE)));
    view! {
        <Show when=move || plan.with(|p| !p.databases.is_empty())>
            <div class="mapping">
                <span class="two">"Read only"</span>
                <Select label="Database" options value on_change/>
            </div>
        </Show>
    }
}
