//! The last import's report, in a dialog that opens from the left column and from Knowledge.

use leptos::prelude::*;

use super::components::button::Button;
use super::components::dialog::Dialog;
use super::components::icon::Icon;
use super::components::import_report::ImportReportView;
use super::download;
use super::state::State;

/// Open while `State::reading_report` says so.
#[component]
pub fn ReportDialog() -> impl IntoView {
    let state = State::here();
    let save = move || {
        if let Some(report) = state.report.get_untracked() {
            download::text("import-report.txt", "text/plain", report.to_text().as_bytes());
        }
    };
    view! {
        <Dialog
            open=Signal::derive(move || state.reading_report.get() && state.report.with(Option::is_some))
            on_close=move || state.reading_report.set(false)
            title="Import report"
            wide=true
            actions=move || view! { <Button label="Download" icon=Icon::Download on_press=save/> }
        >
            {move || state.report.get().map(|report| view! { <ImportReportView report/> })}
        </Dialog>
    }
}
