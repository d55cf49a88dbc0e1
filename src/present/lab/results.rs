//! The results of an experiment, a row a run, with intervals to draw and the paper's figures beside them.

use crate::bench::modes::Mode;
use crate::bench::run::RunFile;
use crate::bench::run::scores::{Scores, Share};
use crate::bench::run::table::{self, Format, Row};
use crate::bench::stats::type_name;
use crate::bench::task::Task;
use crate::present::format::count;

/// Figures of Table 2 of the BIRD-History paper, and for `none` and `gold` of its Table 13: execution accuracy in per
/// cent, on the paper's own 1,393 tasks and with its own model, as printed.
const PAPER: [(&str, &str, &str); 11] = [
    ("dail-sql", "mqs", "40.78"),
    ("dail-sql", "dail", "38.77"),
    ("dail-sql", "history", "51.33"),
    ("opensearch-sql", "mqs", "59.15"),
    ("opensearch-sql", "history", "60.95"),
    ("opensearch-sql", "none", "54.27"),
    ("opensearch-sql", "gold", "67.34"),
    ("n-rep", "mqs-filter", "54.49"),
    ("n-rep", "history", "57.79"),
    ("codes", "mqs-qs", "12.92"),
    ("codes", "history", "18.95"),
];

/// The paper's figure for a pipeline with a retriever.
pub fn paper(pipeline: &str, retriever: &str) -> Option<&'static str> {
    PAPER.into_iter().find(|(p, r, _)| *p == pipeline && *r == retriever).map(|(.., ex)| ex)
}

/// An interval to draw: places from 0 to 100 on the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// Its low end.
    pub low: f64,
    /// The figure.
    pub at: f64,
    /// Its high end.
    pub high: f64,
    /// All in words.
    pub said: String,
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow {
    /// The run's place in the experiment.
    pub cell: usize,
    /// The pipeline.
    pub pipeline: String,
    /// The retriever.
    pub retriever: String,
    /// Answers: "100", "12 of 100", "waiting".
    pub tasks: String,
    /// Whether every answer is there.
    pub whole: bool,
    /// The score in per cent.
    pub score: String,
    /// Its interval; None where the score is no share of solved tasks.
    pub interval: Option<Interval>,
    /// Precision, recall and F1 of retrieval, in per cent.
    pub retrieval: [String; 3],
    /// Requests a task.
    pub calls: String,
    /// Tokens a task.
    pub tokens: String,
    /// The paper's figure.
    pub paper: &'static str,
}

/// The table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Its rows.
    pub rows: Vec<ResultRow>,
    /// Ticks of the axis of intervals: 0, the middle, the end.
    pub ticks: [u32; 3],
    /// Name of the score.
    pub mode: String,
    /// Whether the paper has a figure for any row.
    pub has_paper: bool,
}

fn per_cent(figure: Option<f64>) -> String {
    figure.map_or("–".to_owned(), |figure| format!("{figure:.1}"))
}

/// The table of an experiment's runs; `wanted` is the number of answers that each has when it is whole.
pub fn table(runs: &[RunFile], tasks: &[Task], wanted: usize, mode: Mode) -> Table {
    let scores: Vec<Scores> = runs.iter().map(|run| Scores::of(run, tasks)).collect();
    let intervals: Vec<_> = scores.iter().map(|scores| scores.overall.interval(mode)).collect();
    let highest = intervals.iter().flatten().map(|(_, high)| *high).fold(0.0, f64::max);
    let end = [20_u32, 40, 60, 80].into_iter().find(|end| f64::from(*end) >= highest).unwrap_or(100);
    let place = |percent: f64| 100.0 * percent / f64::from(end);
    let rows =
        runs.iter().zip(&scores).zip(&intervals).enumerate().map(|(cell, ((run, scores), interval))| {
            let (done, header) = (run.outcomes.len(), &run.header);
            let mode = scores.mode.unwrap_or(mode);
            let percent = scores.overall.percent();
            let counts = scores.found();
            let found = |of: fn(crate::bench::retrieval_metrics::Counts) -> Option<f64>| {
                per_cent(counts.and_then(of).map(|share| 100.0 * share))
            };
            let level = header.retriever.level.as_deref().filter(|level| *level != "qc");
            let level = level.map(|level| format!(" {level}")).unwrap_or_default();
            let asked = header.model.is_some() && done > 0;
            ResultRow {
                cell,
                pipeline: header.pipeline.clone(),
                retriever: format!("{}{level}", header.retriever.name),
                tasks: match done {
                    0 => "waiting".to_owned(),
                    _ if done >= wanted => count(done as u64),
                    _ => format!("{} of {}", count(done as u64), count(wanted as u64)),
                },
                whole: done >= wanted && done > 0,
                score: per_cent(percent),
                interval: interval.zip(percent).map(|((low, high), at)| Interval {
                    low: place(low),
                    at: place(at),
                    high: place(high),
                    said: format!("{mode} {at:.1} %, 95 % interval {low:.1} to {high:.1}"),
                }),
                retrieval: [
                    found(crate::bench::retrieval_metrics::Counts::precision),
                    found(crate::bench::retrieval_metrics::Counts::recall),
                    found(crate::bench::retrieval_metrics::Counts::f1),
                ],
                calls: if asked { format!("{:.1}", scores.requests) } else { "–".to_owned() },
                tokens: if asked { count(scores.tokens.round() as u64) } else { "–".to_owned() },
                paper: paper(&header.pipeline, &header.retriever.name).unwrap_or("–"),
            }
        });
    let rows: Vec<ResultRow> = rows.collect();
    let has_paper = rows.iter().any(|row| row.paper != "–");
    Table { rows, ticks: [0, end / 2, end], mode: mode.to_string(), has_paper }
}

/// The runs as a table for a paper or a program.
///
/// # Errors
/// When a figure cannot be written.
pub fn export(runs: &[RunFile], format: Format) -> Result<String, String> {
    let rows: Vec<Row> = runs.iter().filter(|run| !run.outcomes.is_empty()).map(Row::scored).collect();
    table::write(&rows, format)
}

/// Scores of one run by group: the head of each group, and its lines as (name, tasks, score).
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// By what.
    pub head: &'static str,
    /// Name, tasks, score with its interval.
    pub lines: Vec<[String; 3]>,
}

/// The groups of a run that has several.
pub fn groups(run: &RunFile, tasks: &[Task]) -> Vec<Group> {
    let scores = Scores::of(run, tasks);
    let mode = scores.mode.unwrap_or_default();
    let line = |name: String, share: &Share| {
        let interval = share.interval(mode).map(|(low, high)| format!(", {low:.0} to {high:.0}"));
        [
            name,
            count(share.tasks as u64),
            format!("{}{}", per_cent(share.percent()), interval.unwrap_or_default()),
        ]
    };
    let by_name = |shares: &std::collections::BTreeMap<String, Share>| -> Vec<[String; 3]> {
        shares.iter().map(|(name, share)| line(name.clone(), share)).collect()
    };
    let types = scores.by_type.iter().map(|(kind, share)| line(type_name(*kind).to_owned(), share)).collect();
    let all = [
        Group { head: "Difficulty", lines: by_name(&scores.by_difficulty) },
        Group { head: "Database", lines: by_name(&scores.by_database) },
        Group { head: "Needs", lines: types },
    ];
    all.into_iter().filter(|group| group.lines.len() > 1).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::bench::run::{Header, ModelMark, Outcome, RetrieverMark, Scored};

    fn run(pipeline: &str, retriever: &str, solved: usize, tasks: usize) -> RunFile {
        let outcome = |place| Outcome {
            place,
            requests: 2,
            prompt_tokens: 1_900,
            answer_tokens: 12,
            scored: Some(Scored {
                mode: Mode::BirdEx,
                score: f64::from(u8::from(place < solved)),
                correct: place < solved,
                why: String::new(),
            }),
            ..Outcome::default()
        };
        let header = Header {
            pipeline: pipeline.into(),
            retriever: RetrieverMark {
                name: retriever.into(),
                level: Some("qc".into()),
                ..RetrieverMark::default()
            },
            model: (pipeline != "adapt").then(ModelMark::default),
            task_count: 100,
            ..Header::default()
        };
        RunFile { header, outcomes: (0..tasks).map(outcome).collect(), whole: 0 }
    }

    #[test]
    fn rows_have_what_there_is() {
        let runs = [
            run("dail-sql", "mqs", 39, 100),
            run("opensearch-sql", "none", 5, 12),
            run("adapt", "history", 0, 0),
        ];
        let table = table(&runs, &[], 100, Mode::BirdEx);
        let row = &table.rows[0];
        assert_eq!((row.score.as_str(), row.tasks.as_str(), row.paper), ("39.0", "100", "40.78"));
        assert_eq!((row.calls.as_str(), row.tokens.as_str()), ("2.0", "1,912"));
        let interval = row.interval.as_ref().unwrap();
        assert_eq!(interval.said, "bird-ex 39.0 %, 95 % interval 30.0 to 48.8");
        // 12 tasks say little, so that the axis reaches 80.
        assert_eq!(table.ticks, [0, 40, 80]);
        assert!((interval.at - 48.75).abs() < 0.01);
        assert_eq!(table.rows[1].tasks, "12 of 100");
        let waiting = &table.rows[2];
        assert_eq!(
            (waiting.tasks.as_str(), waiting.score.as_str(), waiting.calls.as_str()),
            ("waiting", "–", "–")
        );
        assert!(waiting.interval.is_none() && table.has_paper);
    }

    #[test]
    fn an_export_has_a_line_for_each_run_with_answers() {
        let runs = [run("dail-sql", "mqs", 39, 100), run("adapt", "history", 0, 0)];
        let csv = export(&runs, Format::Csv).unwrap();
        assert_eq!(csv.lines().count(), 2);
        assert!(csv.contains("bird-ex") && csv.contains("39.0"), "{csv}");
        assert!(export(&runs, Format::Latex).unwrap().contains("\\begin{tabular}"));
    }
}
