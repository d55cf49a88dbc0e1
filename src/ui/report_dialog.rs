//! The reports of the imports, in a dialog that opens from the left column and from Knowledge.

use leptos::prelude::*;

use super::components::button::Button;
use super::components::choice::Choice;
use super::components::dialog::Dialog;
use super::components::icon::Icon;
use super::components::import_report::ImportReportView;
use super::download;
use super::state::State;
use crate::history::Report;
use crate::present::format;

/// Open while `State::reading_report` says so; the last report first, and a choice where there are several.
#[component]
pub fn ReportDialog() -> impl IntoView {
    let state = State::here();
    let place = RwSignal::new(0_usize);
    Effect::new(move |_| {
        state.reports.track();
        place.set(0);
    });
    let chosen = move || state.reports.with(|reports| reports.get(place.get()).cloned());
    let save = move || {
        if let Some(report) = untrack(chosen) {
            download::text("import-report.txt", "text/plain", report.to_text().as_bytes());
        }
    };
    let name = |report: &Report| format!("{}, {} read", report.name, format::count(report.read as u64));
    let choices = Signal::derive(move || {
        state
            .reports
            .with(|reports| reports.iter().enumerate().map(|(i, r)| (i, name(r))).collect::<Vec<_>>())
    });
    view! {
        <Dialog
            open=Signal::derive(move || state.reading_report.get() && state.reports.with(|r| !r.is_empty()))
            on_close=move || state.reading_report.set(false)
            title="Import report"
            wide=true
            actions=move || view! { <Button label="Download" icon=Icon::Download on_press=save/> }
        >
            <Show when=move || { state.reports.with(Vec::len) > 1 }>
                <Choice label="File" choices value=Signal::from(place) on_change=Callback::new(move |i| place.set(i))/>
            </Show>
            {move || chosen().map(|report| view! { <ImportReportView report/> })}
        </Dialog>
    }
}
