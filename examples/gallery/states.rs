//! The parts one by one: empty, error, warning, progress, controls.

use std::sync::Arc;

use leptos::prelude::*;
use querylore::history::Report;
use querylore::history::import::{Column, Format, Mapping, Plan};
use querylore::history::report::{Merge, Reason, Skip};
use querylore::ui::components::button::{Button, Weight};
use querylore::ui::components::dialog::Dialog;
use querylore::ui::components::drop_zone::DropZone;
use querylore::ui::components::empty::EmptyState;
use querylore::ui::components::field::{Check, Field};
use querylore::ui::components::icon::{Icon, IconSprite};
use querylore::ui::components::import_mapping::ImportMapping;
use querylore::ui::components::import_report::ImportReportView;
use querylore::ui::components::kind::{KINDS, TypeLabel};
use querylore::ui::components::notice::Notice;
use querylore::ui::components::progress::{Progress, Work};
use querylore::ui::components::result_table::{ResultTable, RowsPlaceholder};
use querylore::ui::components::shortcuts::ShortcutList;
use querylore::ui::components::sql_view::SqlView;
use querylore::ui::components::tabs::Segmented;
use querylore::ui::components::tag::{Tag, Tone};
use querylore::ui::components::trace::{Stage, StageState, Trace};

use super::sample;

fn report() -> Arc<Report> {
    let syntax = Reason::Syntax {
        message: "Expected an expression, found FROM".into(),
        line: Some(88),
        column: Some(8),
    };
    let skip = |line, number, reason, start: &str| Skip { line, number, reason, start: start.into() };
    Arc::new(Report {
        name: "team log.sql".into(),
        read: 142,
        kept: 131,
        merged: 9,
        merges: vec![Merge { entry: 87, lines: vec![3, 9, 14, 88, 91] }],
        skipped: vec![
            skip(88, 61, syntax, "SELECT FROM sailings"),
            skip(203, 140, Reason::NotAQuery("DELETE".into()), "DELETE FROM tickets"),
        ],
        ..Report::default()
    })
}

fn plan() -> Plan {
    let column = |name: &str, sample: &str| Column { name: name.into(), samples: vec![sample.into()] };
    Plan {
        name: "log.csv".into(),
        format: Format::Table { delimiter: b',' },
        columns: vec![
            column("statement", "SELECT COUNT(*) FROM sailings"),
            column("asked", "How many sailings?"),
            column("who", "m.okoye"),
        ],
        mapping: Mapping {
            sql: Some("statement".into()),
            question: Some("asked".into()),
            user: Some("who".into()),
            ..Mapping::default()
        },
        databases: vec![("ferries".into(), 120), ("superhero".into(), 22)],
        database: None,
        records: 142,
    }
}

#[component]
fn Figure(name: &'static str, children: Children) -> impl IntoView {
    view! { <figure><figcaption>{name}</figcaption><div class="panel">{children()}</div></figure> }
}

#[component]
fn Empty() -> impl IntoView {
    let field = RwSignal::new("Field".to_owned());
    let number = RwSignal::new("abc".to_owned());
    let ticked = RwSignal::new(true);
    let view = RwSignal::new(1_usize);
    let open = RwSignal::new(false);
    view! {
        <figure>
            <figcaption>"Empty · no database yet"</figcaption>
            <DropZone
                icon=Icon::Database
                title="Open a database"
                button="Choose a file"
                accept=".sqlite,.db"
                on_files=UnsyncCallback::new(|_| ())
                actions=|| view! { <Button label="From an address" icon=Icon::Share on_press=|| ()/><Button label="Demo: Norhaven Ferries" weight=Weight::Quiet on_press=|| ()/> }
            >
                "Drop a SQLite file here, or pick one. It stays on this machine."
            </DropZone>
        </figure>
        <Figure name="Empty · nothing relevant">
            <EmptyState icon=Icon::Filter title="Nothing in the history fits" actions=|| view! { <Button label="Show the 5 nearest" on_press=|| ()/> }>
                "The nearest item scores 0.41, the threshold is 0.60."
            </EmptyState>
        </Figure>
        <Figure name="Controls">
            <div class="pad stack-3">
                <div class="row wrap">
                    <Button label="Primary" weight=Weight::Primary on_press=|| ()/>
                    <Button label="Shortcuts" key="?" on_press=move || open.set(true)/>
                    <Button label="Off" disabled=true on_press=|| ()/>
                    <Button label="Remove" weight=Weight::Danger on_press=|| ()/>
                </div>
                <Field label="Name" show_label=true value=field on_input=Callback::new(move |t| field.set(t))/>
                <Field
                    label="Threshold"
                    value=number
                    on_input=Callback::new(move |t| number.set(t))
                    error=Signal::derive(move || if number.with(|n| n.parse::<f32>().is_ok()) { String::new() } else { "Not a number".to_owned() })
                />
                <Check checked=ticked on_change=Callback::new(move |t| ticked.set(t))>"Keep in this browser"</Check>
                <Check name="encoder" checked=ticked on_change=Callback::new(move |t| ticked.set(t))>"MiniLM-L6"<span class="push three">"45 MB"</span></Check>
                <Segmented label="Group by" options=vec!["Type", "Table", "Query"] selected=view on_select=Callback::new(move |i| view.set(i))/>
                <div class="row wrap">{KINDS.map(|kind| view! { <TypeLabel kind/> }).into_iter().collect_view()}</div>
                <div class="row wrap">
                    <Tag text="Neutral"/> <Tag text="Verified" tone=Tone::Ok/> <Tag text="Cut" tone=Tone::Warn/>
                    <Tag text="Different" tone=Tone::Bad/> <Tag text="adapted" tone=Tone::Accent/>
                </div>
            </div>
        </Figure>
        <Dialog open on_close=move || open.set(false) title="Keys"><ShortcutList/></Dialog>
        <Figure name="Import · columns to confirm">
            <div class="pad"><ImportMapping plan=RwSignal::new(plan()) on_database_column=|| () on_confirm=|| () on_cancel=|| ()/></div>
        </Figure>
    }
}

#[component]
fn Trouble() -> impl IntoView {
    let error_sql = "SELECT v.active_until FROM vessels v";
    let long: String = (1..=30).map(|i| format!("  column_{i} AS c{i}, -- number {i}\n")).collect();
    view! {
        <Figure name="Error · the query failed">
            <Notice tone=Tone::Bad title="No such column: active_until.">"Repaired once with the nearest name, still failing."</Notice>
            <SqlView label="SQL that failed" sql=Signal::stored(error_sql.to_owned()) error=Signal::stored(Some(9))/>
        </Figure>
        <Figure name="Warning · time limit">
            <Notice
                tone=Tone::Warn
                icon=Icon::Clock
                title="Stopped after 30 s."
                actions=|| view! { <Button label="Allow 120 s" on_press=|| ()/><Button label="Add LIMIT 100" weight=Weight::Quiet on_press=|| ()/> }
            >
                "The database is fine. 8,112 rows had been read."
            </Notice>
        </Figure>
        <Figure name="Warning · row limit, every kind of value">
            <div class="demo-rows">
                <ResultTable
                    result=Signal::stored(sample::large())
                    on_csv=Callback::new(|()| ())
                    on_copy=Callback::new(|_| ())
                    on_limit=Callback::new(|()| ())
                />
            </div>
        </Figure>
        <Figure name="Waiting for rows"><RowsPlaceholder text="The query runs when it is complete."/></Figure>
        <Figure name="Long SQL"><SqlView label="Long SQL" sql=Signal::stored(format!("SELECT\n{long}  1\nFROM t"))/></Figure>
        <Figure name="Import report"><ImportReportView report=report() on_download=|| ()/></Figure>
    }
}

#[component]
fn Working() -> impl IntoView {
    let work = |title: &str, done, total, unit: Option<&str>, seconds_left, note: &str| Work {
        title: title.into(),
        done,
        total: Some(total),
        unit: unit.map(Into::into),
        seconds_left: Some(seconds_left),
        note: note.into(),
    };
    let stages = [
        ("Retrieve 34 ms", StageState::Done),
        ("Adapt", StageState::Done),
        ("Run", StageState::Now),
        ("Score", StageState::Waiting),
    ];
    let stages = stages.map(|(text, state)| Stage { text: text.into(), state }).to_vec();
    view! {
        <Figure name="Progress · indexing">
            <Progress work=Signal::stored(work("Indexing", 318, 497, Some("items"), 4.0, "45 a second, 2 workers")) on_cancel=Callback::new(|()| ())/>
        </Figure>
        <Figure name="Progress · first download of the encoder">
            <Progress
                work=Signal::stored(work("Fetching MiniLM-L6", 31_200_000, 45_300_000, None, 6.0, ""))
                help="Once only, kept in this browser. You can browse the database meanwhile."
            />
        </Figure>
        <Figure name="Trace while running"><div class="pad"><Trace stages=Signal::stored(stages)/></div></Figure>
        <Figure name="Fallback · GPU to CPU">
            <Notice
                tone=Tone::Warn
                icon=Icon::Chip
                title="The GPU stopped working, the CPU took over."
                actions=|| view! { <Button label="Try the GPU again" weight=Weight::Quiet on_press=|| ()/> }
            >
                "Indexing goes on from item 203, about 40 s longer."
            </Notice>
        </Figure>
        <Figure name="Refused · read-only">
            <Notice icon=Icon::Lock title="Not run: this would change the database.">"Querylore only reads. The engine refused an UPDATE on " <code>"vessels"</code> "."</Notice>
        </Figure>
    }
}

/// The parts one by one.
#[component]
pub fn States() -> impl IntoView {
    view! {
        <IconSprite/>
        <div class="shell only long">
            <main>
                <div class="head"><h1>"States"</h1><span class="t12 three">"Each says what happened, then what to do next."</span></div>
                <div class="body">
                    <div class="gallery">
                        <div class="stack-3"><Empty/></div>
                        <div class="stack-3"><Trouble/></div>
                        <div class="stack-3"><Working/></div>
                    </div>
                </div>
            </main>
        </div>
    }
}
