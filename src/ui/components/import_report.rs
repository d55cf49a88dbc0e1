//! What an import did, line by line.

use std::sync::Arc;

use leptos::prelude::*;

use super::notice::Notice;
use super::tabs::{Tab, Tabs};
use super::tag::Tone;
use crate::history::Report;
use crate::history::entry::tag;
use crate::present::format;

/// Findings drawn before "Show all".
const SHOWN: usize = 100;

/// The report of one import: counts, then what was skipped, merged and remarked, each with its line in the file.
/// Everything is in the downloaded file.
#[component]
pub fn ImportReportView(
    /// The report.
    report: Arc<Report>,
) -> impl IntoView {
    let lists = [
        ("Skipped", skipped(&report)),
        ("Merged", merged(&report)),
        (
            "Remarks",
            report
                .notes
                .iter()
                .map(|n| (lines(&[n.line]), format!("{} ({})", n.text, tag(n.entry))))
                .collect(),
        ),
    ];
    // A list without findings has no tab.
    let lists: Vec<(&str, Vec<Finding>)> = lists.into_iter().filter(|(_, list)| !list.is_empty()).collect();
    let tabs: Vec<Tab> = lists.iter().map(|(name, list)| Tab::counted(*name, list.len())).collect();
    let lists = StoredValue::new(lists);
    let tab = RwSignal::new(0_usize);
    let all = RwSignal::new(false);
    let count = move || lists.with_value(|l| l.get(tab.get()).map_or(0, |(_, list)| list.len()));
    let rows = move || {
        let limit = if all.get() { usize::MAX } else { SHOWN };
        lists.with_value(|l| {
            let list = l.get(tab.get()).map(|(_, list)| list.as_slice()).unwrap_or_default();
            list.iter()
                .take(limit)
                .cloned()
                .map(|(place, text)| view! { <tr><td class="num three">{place}</td><td class="two wraps">{text}</td></tr> })
                .collect_view()
        })
    };
    let some = !tabs.is_empty();
    let nothing = report.kept + report.merged == 0 && report.unread == 0;
    view! {
        {nothing.then(|| view! { <Notice tone=Tone::Bad title="No query could be read.">"Nothing was changed."</Notice> })}
        <p class="t12 two">{report.name.clone()}</p>
        <dl class="kv mt-2">{counts(&report)}</dl>
        {report.unused().map(|said| view! { <p class="t12 two mt-2">{said}</p> })}
        {some
            .then(|| {
                view! {
                    <div class="sect-h line flush">
                        <Tabs
                            label="Findings"
                            tabs=Signal::stored(tabs)
                            selected=tab
                            on_select=Callback::new(move |i| {
                                tab.set(i);
                                all.set(false);
                            })
                        />
                    </div>
                    <div class="scroll findings" tabindex="0" role="region" aria-label="Findings">
                        <table class="tbl dense"><tbody>{rows}</tbody></table>
                    </div>
                    <Show when=move || { count() > SHOWN && !all.get() }>
                        <div class="tail">
                            <button type="button" class="link" on:click=move |_| all.set(true)>
                                {move || format!("Show all {}", format::count(count() as u64))}
                            </button>
                        </div>
                    </Show>
                }
            })}
    }
}

/// Where, and what.
type Finding = (String, String);

fn counts(report: &Report) -> impl IntoView + use<> {
    let rows = [
        ("Read", report.read, "num"),
        ("Kept", report.kept, "num"),
        ("Merged as duplicates", report.merged, "num"),
        ("Skipped", report.skipped.len(), if report.skipped.is_empty() { "num" } else { "num c-warn" }),
        ("Of other databases, left out", report.other_databases, "num"),
        ("Not read, the import was stopped", report.unread, "num c-warn"),
    ];
    rows.into_iter()
        .enumerate()
        // The last two are said only where there are any.
        .filter(|(i, (_, n, _))| *i < 4 || *n > 0)
        .map(|(_, (name, n, class))| view! { <dt>{name}</dt><dd class=class>{format::count(n as u64)}</dd> })
        .collect_view()
}

fn skipped(report: &Report) -> Vec<Finding> {
    report.skipped.iter().map(|s| (lines(&[s.line]), format!("{}: {}", s.reason, s.start))).collect()
}

fn merged(report: &Report) -> Vec<Finding> {
    report.merges.iter().map(|m| (lines(&m.lines), format!("the same as {}", tag(m.entry)))).collect()
}

fn lines(lines: &[u32]) -> String {
    const NAMED: usize = 3;
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let named: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    let rest = lines.len().saturating_sub(NAMED);
    let rest =
        if rest > 0 { format!(" and {}", format::counted(rest, "other", "others")) } else { String::new() };
    format!("{word} {}{rest}", named.join(", "))
}
