//! The score of an answer and why it differs from gold.

use leptos::prelude::*;

use super::button::{Button, Weight};
use super::icon::{Icon, IconView};
use super::tag::{Tag, Tone};
use crate::bench::compare::Diagnosis;
use crate::bench::retrieval_metrics::Counts;
use crate::present::answer::knowledge_found;
use crate::present::format;

/// How the retrieved knowledge compares with what the task wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnowledgeScore {
    /// Items wanted, found, and found without being wanted.
    pub counts: Counts,
    /// Queries that were retrieved.
    pub queries: usize,
}

/// The score of one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Name of the mode ("bird-ex").
    pub mode: String,
    /// Whether it equals gold in that mode; None while the gold rows are not there.
    pub equal: Option<bool>,
    /// Why it differs.
    pub diagnosis: Option<Diagnosis>,
    /// The knowledge, where the task names what it wants.
    pub knowledge: Option<KnowledgeScore>,
    /// Says what is waited for or why there is no score.
    pub note: String,
}

/// The verdict, a sentence, one row for each way to differ, and the figures of the retriever.
#[component]
pub fn ScorePanel(
    /// The score.
    #[prop(into)]
    score: Signal<Score>,
    /// Opens the gold SQL.
    #[prop(optional, into)]
    on_gold: Option<Callback<()>>,
) -> impl IntoView {
    let verdict = move || {
        score.with(|s| {
            s.equal.map(|equal| {
                if equal {
                    view! { <Tag text="Equal" tone=Tone::Ok/> }
                } else {
                    view! { <Tag text="Different" tone=Tone::Bad/> }
                }
            })
        })
    };
    let sentence = move || {
        score.with(|s| match &s.diagnosis {
            Some(diagnosis) if !diagnosis.sentence.is_empty() => diagnosis.sentence.clone(),
            _ => s.note.clone(),
        })
    };
    let rows = move || {
        score.with(|s| {
            s.diagnosis.as_ref().map(|d| view! { <div class="diag ruled">{diagnosis_rows(d)}</div> })
        })
    };
    let knowledge = move || score.with(|s| s.knowledge.map(|k| view! { <KnowledgeFigures score=k/> }));
    view! {
        <div class="sect-h">
            <h2>"Score"</h2>
            {verdict}
            <span class="t12 three mono">{move || score.with(|s| s.mode.clone())}</span>
            {on_gold.map(|on_press| view! { <Button label="Gold SQL" weight=Weight::Quiet class="push" on_press/> })}
        </div>
        <div class="sect-b stack" role="status">
            <p class="t12">{sentence}</p>
            {rows}
            {knowledge}
        </div>
    }
}

fn diagnosis_rows(d: &Diagnosis) -> impl IntoView + use<> {
    let rows_differ = d.missing_rows + d.extra_rows > 0;
    let row_words = match (d.missing_rows, d.extra_rows) {
        (0, 0) => "0".to_owned(),
        (missing, 0) => format!("{} missing", format::count(missing as u64)),
        (0, extra) => format!("{} extra", format::count(extra as u64)),
        (missing, extra) => {
            format!("{} missing, {} extra", format::count(missing as u64), format::count(extra as u64))
        }
    };
    let order = match (d.only_order, d.only_duplicates) {
        (true, _) => "only the order differs",
        (_, true) => "only duplicates differ",
        _ => "same",
    };
    let columns = match (&d.column_counts, &d.column_order) {
        (Some((gold, ours)), _) => format!("{ours}, gold has {gold}"),
        (None, Some(_)) => "other order".to_owned(),
        (None, None) => "same".to_owned(),
    };
    let rounding = match d.only_rounding {
        Some(cells) => format!("{} differ", format::counted(cells, "cell", "cells")),
        None => "same".to_owned(),
    };
    [
        (!rows_differ, "Rows missing or extra", row_words),
        (!d.only_order && !d.only_duplicates, "Order, duplicates", order.to_owned()),
        (d.column_counts.is_none() && d.column_order.is_none(), "Columns", columns),
        (d.only_rounding.is_none(), "Float rounding", rounding),
    ]
    .into_iter()
    .map(|(good, name, value)| {
        let (class, icon, said) =
            if good { ("c-ok", Icon::Check, "no difference") } else { ("c-warn", Icon::Warn, "differs") };
        view! {
            <span class=class><IconView icon/><span class="sr">{said}</span></span>
            <span>{name}</span>
            <span class="v num">{value}</span>
        }
    })
    .collect_view()
}

#[component]
fn KnowledgeFigures(score: KnowledgeScore) -> impl IntoView {
    let figure = |share: Option<f64>| format::score(share.unwrap_or_default() as f32);
    let KnowledgeScore { counts, queries } = score;
    view! {
        <div class="ruled">
            <div class="figline">
                <span>"Knowledge"</span>
                <span class="push"><b class="ink">{figure(counts.precision())}</b>"precision"</span>
                <span><b class="ink">{figure(counts.recall())}</b>"recall"</span>
                <span><b class="ink">{figure(counts.f1())}</b>"F1"</span>
            </div>
            <p class="t11 three">{knowledge_found(queries, counts)}</p>
        </div>
    }
}
