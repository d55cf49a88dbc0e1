//! The score of an answer and why it differs from gold.

use leptos::prelude::*;

use super::button::{Button, Weight};
use super::icon::{Icon, IconView};
use super::tag::{Tag, Tone};
use crate::bench::compare::Diagnosis;
use crate::bench::retrieval_metrics::Counts;
use crate::present::answer::knowledge_found;
use crate::present::format;
use crate::present::score::{Standing, Way, ways};

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
    /// How it stands to gold in that mode; None while the gold rows are not there.
    pub standing: Option<Standing>,
    /// Why it differs.
    pub diagnosis: Option<Diagnosis>,
    /// The knowledge, where the task names what it wants.
    pub knowledge: Option<KnowledgeScore>,
    /// How it differs, what is waited for or why there is no score.
    pub sentence: String,
}

/// The colour of a comparison.
pub fn tone(standing: Standing) -> Tone {
    match standing {
        Standing::Equal => Tone::Ok,
        Standing::Different => Tone::Bad,
        Standing::NotCompared => Tone::Warn,
    }
}

/// The verdict, a sentence, one row for each way to differ, and the figures of the retriever.
#[component]
pub fn ScorePanel(
    /// The score.
    #[prop(into)]
    score: Signal<Score>,
    /// Whether there is gold to compare with.
    has_gold: Signal<bool>,
    /// Opens the gold SQL.
    on_gold: Callback<()>,
    /// Where the mode is chosen; without, its name stands there.
    #[prop(optional, into)]
    modes: Option<ViewFn>,
) -> impl IntoView {
    let verdict = move || {
        score.with(|s| s.standing.map(|standing| view! { <Tag text=standing.name() tone=tone(standing)/> }))
    };
    let sentence = move || score.with(|s| s.sentence.clone());
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
            {match modes {
                Some(modes) => modes.run(),
                None => view! { <span class="t12 three mono">{move || score.with(|s| s.mode.clone())}</span> }.into_any(),
            }}
            <Show when=move || has_gold.get()>
                <Button label="Gold SQL" weight=Weight::Quiet class="push" on_press=on_gold/>
            </Show>
        </div>
        <div class="sect-b stack" role="status">
            <p class="t12">{sentence}</p>
            {rows}
            {knowledge}
        </div>
    }
}

fn diagnosis_rows(diagnosis: &Diagnosis) -> impl IntoView + use<> {
    let row = |Way { same, name, said: value }: Way| {
        let (class, icon, said) =
            if same { ("c-ok", Icon::Check, "no difference") } else { ("c-warn", Icon::Warn, "differs") };
        view! {
            <span class=class><IconView icon/><span class="sr">{said}</span></span>
            <span>{name}</span>
            <span class="v num">{value}</span>
        }
    };
    ways(diagnosis).into_iter().map(row).collect_view()
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
