//! Fits and measures the selection of components.
//!
//! - `cargo run --example select_mini` measures on bird-history-mini: all components and each type, by how much recall
//!   counts, strict and lenient; then each kind of evidence switched off alone, and learning and merging.
//! - `-- fit` prints `src/retrieval/select/prior.rs`, fitted on the queries of BIRD's histories, each left out in turn;
//!   the tasks of bird-history-mini take no part.
//!
//! Data: `QUERYLORE_DATA` (default `../shared/data`); the encoder comes from the cache. A prior for measuring a database
//! is always fitted on the other databases, so that no figure is of a database that the prior knows.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use common::{Memo, Pair};
use querylore::bench::retrieval_metrics::{Counted, Counts, Required, RetrievalMetrics, measure_retrieved};
use querylore::bench::task::{Task, read_tasks};
use querylore::history::KnowledgeBase;
use querylore::ports::Embed as _;
use querylore::ports::blocking::block_on;
use querylore::retrieval::Index;
use querylore::retrieval::select::{Choosing, Chosen, Evidence, Prior, Selector, ranked};
use querylore::sql::Schema;

/// Questions of each history that a prior is fitted on, of one query and of two.
const LESSONS: usize = 80;

struct Place {
    name: String,
    knowledge: KnowledgeBase,
    index: Index,
    tasks: Vec<(Task, Vec<f32>)>,
}

fn places(embed: &Memo) -> Option<Vec<Place>> {
    let folder = common::data();
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let tables = String::from_utf8(read("bird/dev_tables.json")?).unwrap();
    let schemas: HashMap<String, Schema> = Schema::from_bird_tables(&tables).unwrap().into_iter().collect();
    let tasks = read_tasks(&read("bird-history-mini/tasks.json")?).unwrap();
    let mut histories: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for task in read_tasks(&read("bird/dev.json")?).unwrap() {
        let pair = Pair { question: task.question, sql: task.gold, id: task.question_id };
        histories.entry(task.db_id).or_default().push(pair);
    }
    let place = |(name, pairs): (String, Vec<Pair>)| {
        let knowledge = common::knowledge(&name, pairs.iter(), &schemas[&name]);
        let index = common::index(embed, &knowledge);
        let own = tasks.iter().filter(|task| task.db_id == name).map(|task| {
            let vector = block_on(embed.embed(std::slice::from_ref(&task.question))).unwrap().remove(0);
            (task.clone(), vector)
        });
        Place { tasks: own.collect(), name, knowledge, index }
    };
    Some(histories.into_iter().map(place).collect())
}

fn fit(places: &[Place], without: &[Evidence], but: Option<&str>) -> Prior {
    let used = places.iter().filter(|place| Some(place.name.as_str()) != but);
    Prior::fit(used.map(|place| (&place.knowledge, &place.index)), without, LESSONS)
}

fn percent(share: Option<f64>) -> f64 {
    100.0 * share.unwrap_or_default()
}

/// A skeleton without its operators, and without the order of joined tables.
fn loose(skeleton: &str) -> String {
    let mut text = skeleton.to_lowercase().replace("'<val>'", "<val>").replace("not ", "");
    for operator in ["<>", ">=", "<=", "!=", " like ", " in ", " between ", ">", "<", "="] {
        if operator.trim().len() == operator.len() {
            text = text.replace("<val>", "\u{1}").replace(operator, "~").replace('\u{1}', "<val>");
        } else {
            text = text.replace(operator, " ~ ");
        }
    }
    let text = text.replace("<val> and <val>", "<val>").replace("(<val>)", "<val>");
    if let Some(joined) = text.strip_prefix("from ") {
        let mut pieces: Vec<&str> = joined
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
            .filter(|piece| !piece.is_empty() && !["inner", "left", "join", "on"].contains(piece))
            .collect();
        pieces.sort_unstable();
        pieces.dedup();
        return pieces.join(" ");
    }
    text.split_whitespace().collect()
}

/// Counts that take skeletons for the same where they differ in operators or in the order of joins.
fn lenient(required: &[Required], knowledge: &KnowledgeBase, items: &[u32]) -> Counts {
    let wanted: BTreeSet<String> = required.iter().map(|item| loose(&item.skeleton)).collect();
    let given: BTreeSet<String> =
        items.iter().map(|item| loose(&knowledge.items[*item as usize].skeleton)).collect();
    Counts {
        required: wanted.len(),
        covered: wanted.intersection(&given).count(),
        superfluous: given.difference(&wanted).count(),
    }
}

/// The tasks of one database with the components judged.
type Judged<'p> = Vec<(&'p Place, Selector, Vec<(&'p Task, &'p [f32], Vec<Chosen>)>)>;

fn judge<'p>(places: &'p [Place], without: &[Evidence], own: bool) -> Judged<'p> {
    let of = |place: &'p Place| {
        let prior = fit(places, without, Some(&place.name));
        let selector = Selector::with_prior(&place.knowledge, &place.index, &prior, own);
        let tasks = place.tasks.iter().map(|(task, vector)| {
            let judged = selector.judged(&place.knowledge, &place.index, &task.question, vector);
            (task, vector.as_slice(), judged)
        });
        let tasks = tasks.collect();
        (place, selector, tasks)
    };
    places.iter().map(of).collect()
}

/// The best F1 over one threshold for all tasks, and the precision at a recall of 0.8.
fn curve(judged: &Judged<'_>) -> [f64; 4] {
    let mut all: Vec<(f32, bool)> = Vec::new();
    let mut required = 0;
    for (place, _, tasks) in judged {
        for (task, _, chosen) in tasks {
            let own = |item: u32| {
                measure_retrieved(&task.knowledge, &place.knowledge, &[], &[item], Counted::Components)
            };
            required += own(0).overall.required;
            all.extend(chosen.iter().map(|c| (c.probability, own(c.item).overall.covered > 0)));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut covered, mut best, mut at) = (0usize, [0.0f64; 3], 0.0);
    for (taken, (_, right)) in all.iter().enumerate() {
        covered += usize::from(*right);
        let (p, r) = (covered as f64 / (taken + 1) as f64, covered as f64 / required as f64);
        let f1 = 2.0 * covered as f64 / (taken + 1 + required) as f64;
        if f1 > best[0] {
            best = [f1, p, r];
        }
        if r >= 0.8 && at == 0.0 {
            at = p;
        }
    }
    [best[0], best[1], best[2], at].map(|share| 100.0 * share)
}

fn line(name: &str, judged: &Judged<'_>, choosing: Choosing) -> RetrievalMetrics {
    let (mut sum, mut loosely) = (RetrievalMetrics::default(), Counts::default());
    let mut whole: BTreeMap<usize, Counts> = BTreeMap::new();
    for (place, selector, tasks) in judged {
        for (task, vector, all) in tasks {
            let chosen = selector.select(&place.knowledge, &place.index, &task.question, vector, choosing);
            let items: Vec<u32> = chosen.iter().map(|one| one.item).collect();
            sum += &measure_retrieved(&task.knowledge, &place.knowledge, &[], &items, Counted::Components);
            loosely += lenient(&task.knowledge, &place.knowledge, &items);
            let similar = place.index.entries().cosines(vector);
            let hits = ranked(all, &place.knowledge, &similar, &chosen, 5);
            for shots in [1, 2, 3, 5] {
                let entries: Vec<u32> = hits.iter().take(shots).map(|hit| hit.entry).collect();
                let own =
                    measure_retrieved(&task.knowledge, &place.knowledge, &entries, &[], Counted::Queries);
                *whole.entry(shots).or_default() += own.overall;
            }
        }
    }
    let figures = |c: Counts| [c.precision(), c.recall(), c.f1()].map(percent);
    let ([p, r, f], [lp, lr, lf]) = (figures(sum.overall), figures(loosely));
    print!("{name:28} {p:5.1} {r:5.1} {f:5.1}   {lp:5.1} {lr:5.1} {lf:5.1}  ");
    for counts in whole.values() {
        let [p, r, f] = figures(*counts);
        print!(" {p:5.1}/{r:4.1}/{f:4.1}");
    }
    println!();
    sum
}

fn measure(places: &[Place]) {
    println!(
        "                                strict P, R, F1     lenient P, R, F1   whole queries, 1, 2, 3, 5"
    );
    let judged = judge(places, &[], true);
    for lean in [0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5] {
        line(&format!("lean {lean}"), &judged, Choosing { lean, ..Choosing::default() });
    }
    line("without merging", &judged, Choosing { merge: false, ..Choosing::default() });
    let sum = line("default", &judged, Choosing::default());
    for (kind, counts) in &sum.by_type {
        let [p, r, f] = [counts.precision(), counts.recall(), counts.f1()].map(percent);
        println!("  {:12} required {:3}  {p:5.1} {r:5.1} {f:5.1}", format!("{kind:?}"), counts.required);
    }
    println!("\nOne threshold for all tasks: best F1, its P and R, and P at R 80");
    let show = |name: &str, judged: &Judged<'_>| {
        let [f1, p, r, at] = curve(judged);
        println!("{name:40} {f1:5.1} {p:5.1} {r:5.1}  {at:5.1}");
    };
    show("all", &judged);
    show("weights of other histories only", &judge(places, &[], false));
    for evidence in [
        Evidence::SimilarQuestions,
        Evidence::Description,
        Evidence::Words,
        Evidence::Names,
        Evidence::Values,
        Evidence::Columns,
        Evidence::Commonness,
        Evidence::Asks,
        Evidence::Coverage,
    ] {
        show(&format!("without {evidence:?}"), &judge(places, &[evidence], true));
    }
}

fn main() {
    let Some(embed) = Memo::load() else {
        println!("skipped: the encoder is not in the cache (make weights fetches it)");
        return;
    };
    let Some(places) = places(&embed) else {
        println!("skipped: needs benchmark data in {}", common::data().display());
        return;
    };
    embed.save();
    match std::env::args().nth(1).as_deref() {
        Some("fit") => print!("{}", fit(&places, &[], None).to_rust()),
        _ => measure(&places),
    }
}
