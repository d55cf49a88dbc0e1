//! Runs side by side, as a table for a page, a paper or a program.

use std::fmt::Write as _;

use serde::Serialize;

use super::RunFile;
use super::scores::Scores;
use crate::bench::interval::wilson;
use crate::bench::retrieval_metrics::Counts;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown.
    Markdown,
    /// Comma separated values.
    Csv,
    /// JSON, a list of objects.
    Json,
    /// LaTeX, a `tabular` with the lines of `booktabs`.
    Latex,
}

/// One run in figures; shares and scores in per cent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name of the pipeline.
    pub pipeline: String,
    /// Name of the retriever, with its level.
    pub retriever: String,
    /// Name of the encoder.
    pub encoder: String,
    /// Name of the model; empty where none was asked.
    pub model: String,
    /// Tasks that were answered.
    pub tasks: usize,
    /// Of those of the task file.
    pub of: usize,
    /// Tasks with SQL.
    pub with_sql: usize,
    /// The scoring mode's name and the mean score, where the run was scored.
    pub score: Option<(String, f64)>,
    /// Its 95 % interval by Wilson's method, where the score is a share of solved tasks.
    pub interval: Option<(f64, f64)>,
    /// Precision of what was retrieved.
    pub precision: Option<f64>,
    /// Recall.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
    /// Queries handed on, on average.
    pub shots: f64,
    /// Requests to the model, on average.
    pub calls: f64,
    /// Tokens of the prompts, on average.
    pub prompt_tokens: f64,
    /// Tokens of the answers, on average.
    pub answer_tokens: f64,
    /// Median milliseconds of retrieval.
    pub retrieve_ms: f64,
    /// Median milliseconds of answering.
    pub answer_ms: f64,
}

impl Row {
    /// The figures of a run with the score that its file holds.
    pub fn scored(run: &RunFile) -> Self {
        let scores = Scores::of(run, &[]);
        let score = scores.mode.zip(scores.overall.percent());
        let interval = scores.mode.and_then(|mode| scores.overall.interval(mode));
        Self { interval, ..Self::of(run, score.map(|(mode, percent)| (mode.to_string(), percent))) }
    }

    /// This row with the interval of so many solved tasks of all.
    #[must_use]
    pub fn sure(self, solved: usize, tasks: usize) -> Self {
        let interval = wilson(solved, tasks).map(|(low, high)| (100.0 * low, 100.0 * high));
        Self { interval, ..self }
    }

    /// The figures of a run, with its score where it has one.
    pub fn of(run: &RunFile, score: Option<(String, f64)>) -> Self {
        let (header, outcomes) = (&run.header, &run.outcomes);
        let mut counts = Counts::default();
        for knowledge in outcomes.iter().filter_map(|outcome| outcome.knowledge.as_ref()) {
            counts += knowledge.overall;
        }
        let mean = |of: &dyn Fn(&super::Outcome) -> f64| {
            if outcomes.is_empty() {
                0.0
            } else {
                outcomes.iter().map(of).sum::<f64>() / outcomes.len() as f64
            }
        };
        let level = header.retriever.level.as_ref().map(|level| format!(" {level}")).unwrap_or_default();
        let percent = |share: Option<f64>| share.map(|share| share * 100.0);
        Self {
            pipeline: header.pipeline.clone(),
            retriever: format!("{}{level}", header.retriever.name),
            encoder: header.retriever.encoder.clone(),
            model: header.model.as_ref().map(|model| model.name.clone()).unwrap_or_default(),
            tasks: outcomes.len(),
            of: header.task_count,
            with_sql: outcomes.iter().filter(|outcome| outcome.sql.is_some()).count(),
            score,
            interval: None,
            precision: percent(counts.precision()),
            recall: percent(counts.recall()),
            f1: percent(counts.f1()),
            shots: mean(&|outcome| outcome.retrieved.len() as f64),
            calls: mean(&|outcome| f64::from(outcome.requests)),
            prompt_tokens: mean(&|outcome| f64::from(outcome.prompt_tokens)),
            answer_tokens: mean(&|outcome| f64::from(outcome.answer_tokens)),
            retrieve_ms: median(outcomes.iter().map(|outcome| outcome.retrieve_ms).collect()),
            answer_ms: median(outcomes.iter().map(|outcome| outcome.answer_ms).collect()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let or_dash = |figure: Option<f64>| figure.map_or("–".to_owned(), |figure| format!("{figure:.1}"));
        vec![
            self.pipeline.clone(),
            self.retriever.clone(),
            self.encoder.clone(),
            self.model.clone(),
            if self.tasks == self.of {
                self.tasks.to_string()
            } else {
                format!("{} of {}", self.tasks, self.of)
            },
            self.with_sql.to_string(),
            or_dash(self.score.as_ref().map(|(_, score)| *score)),
            self.interval.map_or("–".to_owned(), |(low, high)| format!("{low:.1} to {high:.1}")),
            or_dash(self.precision),
            or_dash(self.recall),
            or_dash(self.f1),
            format!("{:.2}", self.shots),
            format!("{:.1}", self.calls),
            format!("{:.0}", self.prompt_tokens),
            format!("{:.0}", self.answer_tokens),
            format!("{:.0}", self.retrieve_ms),
            format!("{:.0}", self.answer_ms),
        ]
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match (numbers.get(half), numbers.get(half.wrapping_sub(1))) {
        (Some(upper), Some(lower)) if numbers.len().is_multiple_of(2) => (upper + lower) / 2.0,
        (Some(middle), _) => *middle,
        _ => 0.0,
    }
}

/// Columns that hold texts; the others are numbers, to the right.
const TEXTS: usize = 4;

fn heads(rows: &[Row]) -> Vec<String> {
    let mode = rows.iter().find_map(|row| row.score.as_ref()).map_or("score", |(mode, _)| mode.as_str());
    let names = [
        "pipeline",
        "retriever",
        "encoder",
        "model",
        "tasks",
        "with SQL",
        mode,
        "95 %",
        "precision",
        "recall",
        "F1",
    ];
    let costs = ["shots", "calls", "prompt tokens", "answer tokens", "retrieve ms", "answer ms"];
    names.into_iter().chain(costs).map(str::to_owned).collect()
}

/// Writes the rows.
///
/// # Errors
/// When a figure cannot be written as JSON or CSV.
pub fn write(rows: &[Row], format: Format) -> Result<String, String> {
    match format {
        Format::Json => serde_json::to_string_pretty(rows).map(|text| text + "\n").map_err(|e| e.to_string()),
        _ => lines(heads(rows), rows.iter().map(Row::cells).collect(), TEXTS, format),
    }
}

/// Writes a head and lines of cells, of which the first `texts` are texts and the others numbers. As JSON each line is
/// an object of its texts by the names of the head.
///
/// # Errors
/// When a cell cannot be written.
pub fn lines(
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    texts: usize,
    format: Format,
) -> Result<String, String> {
    let width = head.len();
    let lines = std::iter::once(&head).chain(&rows);
    match format {
        Format::Json => {
            let object = |row: &Vec<String>| head.iter().cloned().zip(row.iter().cloned()).collect();
            let all: Vec<std::collections::BTreeMap<String, String>> = rows.iter().map(object).collect();
            serde_json::to_string_pretty(&all).map(|text| text + "\n").map_err(|e| e.to_string())
        }
        Format::Csv => {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for line in lines {
                writer.write_record(line).map_err(|e| e.to_string())?;
            }
            let bytes = writer.into_inner().map_err(|e| e.to_string())?;
            String::from_utf8(bytes).map_err(|e| e.to_string())
        }
        Format::Markdown => {
            let mut text = String::new();
            for (number, line) in lines.enumerate() {
                let cells: Vec<String> = line.iter().map(|cell| cell.replace('|', "\\|")).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
                if number == 0 {
                    let rule = (0..cells.len()).map(|place| if place < texts { "---" } else { "---:" });
                    let _ = writeln!(text, "| {} |", rule.collect::<Vec<_>>().join(" | "));
                }
            }
            Ok(text)
        }
        Format::Latex => {
            let columns = "l".repeat(texts) + &"r".repeat(width.saturating_sub(texts));
            let mut text = format!("\\begin{{tabular}}{{{columns}}}\n\\toprule\n");
            for (number, line) in lines.enumerate() {
                let cells: Vec<String> = line.iter().map(|cell| latex(cell)).collect();
                let _ = writeln!(text, "{} \\\\", cells.join(" & "));
                if number == 0 {
                    text.push_str("\\midrule\n");
                }
            }
            text.push_str("\\bottomrule\n\\end{tabular}\n");
            Ok(text)
        }
    }
}

/// A text with LaTeX's own characters escaped.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '–' => out.push_str("--"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bench::run::{Header, ModelMark, Outcome, RetrieverMark};

    fn rows() -> Vec<Row> {
        let retriever =
            RetrieverMark { name: "history".into(), level: Some("qc".into()), ..RetrieverMark::default() };
        let model = Some(ModelMark { name: "qwen_2.5|0.5B".into(), ..ModelMark::default() });
        let header =
            Header { pipeline: "direct".into(), retriever, model, task_count: 3, ..Header::default() };
        let outcome = |place, answer_ms, sql: Option<&str>| Outcome {
            place,
            answer_ms,
            prompt_tokens: 100,
            sql: sql.map(str::to_owned),
            ..Outcome::default()
        };
        let outcomes = vec![outcome(0, 10.0, Some("SELECT 1")), outcome(1, 40.0, None)];
        let run = RunFile { header, outcomes, whole: 0 };
        vec![Row::of(&run, Some(("bird-ex".into(), 50.0))).sure(1, 2), Row::of(&RunFile::default(), None)]
    }

    #[test]
    fn a_table_has_a_line_for_each_run() {
        let markdown = write(&rows(), Format::Markdown).unwrap();
        let lines: Vec<&str> = markdown.lines().collect();
        assert_eq!(lines.len(), 4, "{markdown}");
        assert!(lines[0].contains("| bird-ex |"), "{markdown}");
        assert_eq!(
            lines[2],
            "| direct | history qc |  | qwen_2.5\\|0.5B | 2 of 3 | 1 | 50.0 | 9.5 to 90.5 | – | – | – | 0.00 | 0.0 | 100 | 0 | 0 | 25 |"
        );
        let csv = write(&rows(), Format::Csv).unwrap();
        assert!(
            csv.lines()
                .nth(1)
                .unwrap()
                .starts_with("direct,history qc,,qwen_2.5|0.5B,2 of 3,1,50.0,9.5 to 90.5,–"),
            "{csv}"
        );
        let json: serde_json::Value = serde_json::from_str(&write(&rows(), Format::Json).unwrap()).unwrap();
        assert_eq!(json[0]["score"][1], 50.0);
        let latex = write(&rows(), Format::Latex).unwrap();
        assert!(latex.contains("qwen\\_2.5|0.5B & 2 of 3 & 1 & 50.0 & 9.5 to 90.5 & -- &"), "{latex}");
        assert_eq!(latex.matches("\\\\\n").count(), 3);
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(
            [vec![], vec![3.0], vec![4.0, 1.0], vec![9.0, 1.0, 2.0]].map(median),
            [0.0, 3.0, 2.5, 2.0]
        );
    }
}
