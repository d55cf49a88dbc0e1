//! The charts of an experiment: F1 by type of knowledge, and retrieval by the number of queries handed on.

use crate::bench::retrieval_metrics::{RetrievalMetrics, measure_queries};
use crate::bench::run::RunFile;
use crate::bench::run::scores::Scores;
use crate::bench::task::Task;
use crate::history::KnowledgeBase;
use crate::present::catalogue::TYPES;
use crate::sql::ComponentType;

/// F1 of one type, of the first run and of the one beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeBar {
    /// The type.
    pub kind: ComponentType,
    /// F1 in per cent.
    pub first: Option<f64>,
    /// That of the other run.
    pub other: Option<f64>,
}

/// F1 by type.
#[derive(Debug, Clone, PartialEq)]
pub struct ByType {
    /// What the bars say, in a sentence.
    pub finding: String,
    /// The runs: the filled bars' and the outlined ones'.
    pub names: (String, Option<String>),
    /// The bars, in the order of the types.
    pub bars: Vec<TypeBar>,
}

fn retriever(run: &RunFile) -> &str {
    &run.header.retriever.name
}

/// F1 by type of `history`, where it was run, beside the retriever that comes nearest to it; None where no task names
/// what it needs, or nothing was retrieved.
pub fn by_type(runs: &[RunFile]) -> Option<ByType> {
    // Pipelines with the same retriever retrieve the same: one of them, the one with most answers, stands for all.
    let mut measured: Vec<(&RunFile, Scores)> = Vec::new();
    for run in runs.iter().filter(|run| !matches!(retriever(run), "none" | "gold")) {
        let scores = Scores::of(run, &[]);
        if scores.with_knowledge == 0 {
            continue;
        }
        match measured.iter_mut().find(|(known, _)| retriever(known) == retriever(run)) {
            Some(known) if known.1.with_knowledge < scores.with_knowledge => *known = (run, scores),
            Some(_) => {}
            None => measured.push((run, scores)),
        }
    }
    let f1 = |scores: &Scores| scores.retrieval.overall.f1().unwrap_or_default();
    measured.sort_by(|(a, x), (b, y)| {
        let ours = |run: &RunFile| retriever(run) != "history";
        ours(a).cmp(&ours(b)).then(f1(y).total_cmp(&f1(x)))
    });
    let mut measured = measured.into_iter();
    let (first, other) = (measured.next()?, measured.next());
    let of = |scores: &Scores, kind| scores.retrieval.by_type.get(&kind)?.f1().map(|f1| 100.0 * f1);
    let bars: Vec<TypeBar> = TYPES
        .into_iter()
        .map(|kind| TypeBar {
            kind,
            first: of(&first.1, kind),
            other: other.as_ref().and_then(|(_, scores)| of(scores, kind)),
        })
        .collect();
    let best = bars.iter().max_by(|a, b| a.first.unwrap_or(-1.0).total_cmp(&b.first.unwrap_or(-1.0)))?;
    let finding = format!(
        "{} finds {} best, F1 {:.1} %",
        retriever(first.0),
        crate::bench::stats::type_name(best.kind).to_lowercase(),
        best.first?
    );
    let names = (retriever(first.0).to_owned(), other.map(|(run, _)| retriever(run).to_owned()));
    Some(ByType { finding, names, bars })
}

/// Retrieval with at most so many queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// At most so many.
    pub shots: usize,
    /// Precision, recall and F1 in per cent.
    pub figures: [f64; 3],
}

/// Retrieval by the number of queries handed on.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// What the lines say, in a sentence.
    pub finding: String,
    /// The retriever.
    pub name: String,
    /// The points, from one query on.
    pub points: Vec<Point>,
    /// The place of the best F1 among them.
    pub best: usize,
}

/// The sweep of the run of `history` with most answers, or else of the first retriever: a run that handed on several
/// queries holds what it would have handed on of fewer, for they are in their order. Needs the tasks and the history.
pub fn sweep(runs: &[RunFile], tasks: &[Task], knowledge: &KnowledgeBase) -> Option<Sweep> {
    let usable = runs.iter().filter(|run| {
        let shots = run.outcomes.iter().map(|outcome| outcome.retrieved.len()).max().unwrap_or_default();
        shots > 1 && retriever(run) != "gold"
    });
    let run = usable.max_by_key(|run| (retriever(run) == "history", run.outcomes.len()))?;
    let most = run.header.retriever.max_shots.clamp(1, 20);
    let points: Vec<Point> = (1..=most)
        .filter_map(|shots| {
            let mut sum = RetrievalMetrics::default();
            for outcome in &run.outcomes {
                let task = tasks.get(outcome.place).filter(|task| !task.knowledge.is_empty());
                let Some(task) = task else { continue };
                let entries: Vec<u32> = outcome.retrieved.iter().take(shots).map(|hit| hit.entry).collect();
                sum += &measure_queries(&task.knowledge, knowledge, &entries);
            }
            let counts = sum.overall;
            let figures = [counts.precision()?, counts.recall()?, counts.f1()?].map(|share| 100.0 * share);
            Some(Point { shots, figures })
        })
        .collect();
    let f1 = |point: &Point| point.figures.last().copied().unwrap_or_default();
    let (best, point) = points.iter().enumerate().max_by(|(_, a), (_, b)| f1(a).total_cmp(&f1(b)))?;
    if points.len() < 2 {
        return None;
    }
    let queries = if point.shots == 1 { "query" } else { "queries" };
    let finding = format!("F1 is highest, {:.1} %, with at most {} {queries}", f1(point), point.shots);
    Some(Sweep { finding, name: retriever(run).to_owned(), points, best })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::bench::retrieval_metrics::{Counts, Required};
    use crate::bench::run::{Header, Outcome, RetrievedQuery, RetrieverMark};
    use crate::history::{Edit, Entry, Item, Occurrence};

    fn run(name: &str, covered: usize) -> RunFile {
        let counts = Counts { required: 4, covered, superfluous: 0 };
        let knowledge = RetrievalMetrics {
            overall: counts,
            by_type: [(ComponentType::Relation, counts)].into(),
            covered: Vec::new(),
        };
        let hit = |entry| RetrievedQuery { entry, source_ids: Vec::new(), score: 1.0 };
        let outcome =
            Outcome { knowledge: Some(knowledge), retrieved: vec![hit(0), hit(1)], ..Outcome::default() };
        let retriever = RetrieverMark { name: name.into(), max_shots: 2, ..RetrieverMark::default() };
        RunFile { header: Header { retriever, ..Header::default() }, outcomes: vec![outcome], whole: 0 }
    }

    #[test]
    fn types_stand_beside_the_next_best_retriever() {
        let chart = by_type(&[run("mqs", 1), run("none", 0), run("mqs-qs", 2), run("history", 2)]).unwrap();
        assert_eq!(chart.names, ("history".into(), Some("mqs-qs".into())));
        let relation = chart.bars.iter().find(|bar| bar.kind == ComponentType::Relation).unwrap();
        assert!(relation.first.unwrap() > 66.0 && chart.bars[0].first.is_none());
        assert_eq!(chart.finding, "history finds relation best, F1 66.7 %");
        assert_eq!(by_type(&[run("none", 0)]), None);
        assert_eq!(by_type(&[run("mqs", 1)]).unwrap().names.1, None);
    }

    #[test]
    fn a_run_with_several_shots_holds_those_with_fewer() {
        let item = |skeleton: &str, entry| Item {
            kind: ComponentType::Relation,
            skeleton: skeleton.into(),
            title: String::new(),
            description: String::new(),
            occurrences: vec![Occurrence { entry, sql: String::new(), literals: Vec::new(), lines: None }],
            tables: Vec::new(),
            columns: Vec::new(),
            edit: Edit::default(),
        };
        let knowledge = KnowledgeBase {
            entries: vec![Entry::default(), Entry { id: 1, ..Entry::default() }],
            summaries: vec![String::new(); 2],
            items: vec![item("a", 0), item("b", 1)],
            entry_items: vec![vec![0], vec![1]],
        };
        let needs = |skeleton: &str| Required { skeleton: skeleton.into(), kind: None, sources: Vec::new() };
        let task = Task { knowledge: vec![needs("a"), needs("b")], ..Task::default() };
        let sweep = sweep(&[run("history", 1)], &[task], &knowledge).unwrap();
        let recalls: Vec<f64> = sweep.points.iter().map(|point| point.figures[1]).collect();
        assert_eq!((recalls, sweep.best), (vec![50.0, 100.0], 1));
        assert_eq!(sweep.finding, "F1 is highest, 100.0 %, with at most 2 queries");
    }
}
