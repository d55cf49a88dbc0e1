//! Retrieval over ranges of settings, beside what BIRD-History reports of its own (arXiv tables 3 to 6 and 13).
//!
//! The paper's tasks, histories and model are others, and its retriever has a model filter and rerank: its figures show the
//! order to expect, not a number to reach.

use super::retrieval_metrics::Counts;
use super::run::table::{self, Format};
use crate::sql::ComponentType;

/// Which settings vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varied {
    /// The retriever (table 3).
    Retriever,
    /// The type of knowledge (table 4).
    Type,
    /// Queries handed on at most (table 5).
    Shots,
    /// The similarity that a phrase and a component must reach (table 6).
    Threshold,
    /// What is searched (table 13).
    Level,
}

impl Varied {
    /// Its name, and the table of the paper.
    pub fn name(self) -> (&'static str, u8) {
        match self {
            Self::Retriever => ("retriever", 3),
            Self::Type => ("type", 4),
            Self::Shots => ("max shots", 5),
            Self::Threshold => ("threshold", 6),
            Self::Level => ("level", 13),
        }
    }

    /// Precision, recall and F1 in per cent as the paper prints them for a setting; table 13 gives none of retrieval.
    pub fn reported(self, setting: &str) -> Option<[f64; 3]> {
        let figures: &[(&str, [f64; 3])] = match self {
            Self::Retriever => &[
                ("mqs", [21.11, 48.84, 29.48]),
                ("dail", [20.44, 48.10, 28.69]),
                ("mqs-filter", [25.09, 57.18, 34.88]),
                ("mqs-qs", [24.38, 52.47, 33.29]),
                ("history", [35.53, 83.07, 49.77]),
            ],
            Self::Type => &[
                ("condition", [36.70, 76.67, 49.64]),
                ("output", [33.62, 84.26, 48.06]),
                ("dimension", [30.24, 79.19, 43.77]),
                ("relation", [25.75, 78.09, 38.73]),
                ("calculation", [23.33, 76.44, 35.75]),
            ],
            Self::Shots => &[
                ("1", [57.95, 42.78, 49.23]),
                ("2", [48.37, 62.13, 54.39]),
                ("3", [42.55, 73.14, 53.80]),
                ("4", [38.75, 79.33, 52.07]),
                ("5", [36.68, 81.60, 50.61]),
            ],
            Self::Threshold => &[
                ("0.5", [35.58, 82.52, 49.72]),
                ("0.6", [35.78, 81.33, 49.70]),
                ("0.7", [35.17, 74.42, 47.77]),
                ("0.8", [34.19, 54.94, 42.15]),
                ("0.9", [33.48, 32.68, 33.07]),
            ],
            Self::Level => &[],
        };
        figures.iter().find(|(name, _)| *name == setting).map(|(_, figures)| *figures)
    }
}

/// One setting with its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Which settings vary.
    pub varied: Varied,
    /// This one.
    pub setting: String,
    /// Queries handed on, on average.
    pub shots: f64,
    /// What was found, over all tasks.
    pub counts: Counts,
}

/// The name of a type of knowledge in the tables.
pub fn type_name(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Calculation => "calculation",
        ComponentType::Condition => "condition",
        ComponentType::Relation => "relation",
        ComponentType::Dimension => "dimension",
        ComponentType::Output => "output",
    }
}

/// Writes the points, a line each, in per cent.
///
/// # Errors
/// When a cell cannot be written.
pub fn write(points: &[Point], format: Format) -> Result<String, String> {
    let heads = [
        "varied",
        "setting",
        "shots",
        "precision",
        "recall",
        "F1",
        "paper's table",
        "paper's precision",
        "paper's recall",
        "paper's F1",
    ];
    let percent =
        |share: Option<f64>| share.map_or("–".to_owned(), |share| format!("{:.1}", share * 100.0));
    let cells = |point: &Point| {
        let (name, table) = point.varied.name();
        let reported = point.varied.reported(&point.setting);
        let printed = |at: usize| {
            let figure = reported.and_then(|figures| figures.get(at).copied());
            figure.map_or("–".to_owned(), |figure| format!("{figure:.2}"))
        };
        let counts = point.counts;
        vec![
            name.to_owned(),
            point.setting.clone(),
            format!("{:.2}", point.shots),
            percent(counts.precision()),
            percent(counts.recall()),
            percent(counts.f1()),
            table.to_string(),
            printed(0),
            printed(1),
            printed(2),
        ]
    };
    table::lines(heads.map(str::to_owned).to_vec(), points.iter().map(cells).collect(), 2, format)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_our_figures_and_the_papers() {
        let counts = Counts { required: 4, covered: 3, superfluous: 3 };
        let point = |varied, setting: &str| Point { varied, setting: setting.into(), shots: 2.0, counts };
        let points = [point(Varied::Threshold, "0.6"), point(Varied::Level, "qc")];
        let markdown = write(&points, Format::Markdown).unwrap();
        let lines: Vec<&str> = markdown.lines().collect();
        assert_eq!(lines[2], "| threshold | 0.6 | 2.00 | 50.0 | 75.0 | 60.0 | 6 | 35.78 | 81.33 | 49.70 |");
        assert_eq!(lines[3], "| level | qc | 2.00 | 50.0 | 75.0 | 60.0 | 13 | – | – | – |");
        let json: serde_json::Value = serde_json::from_str(&write(&points, Format::Json).unwrap()).unwrap();
        assert_eq!((json[0]["F1"].as_str(), json[1]["setting"].as_str()), (Some("60.0"), Some("qc")));
        assert!(write(&points, Format::Csv).unwrap().starts_with("varied,setting,shots,"));
        assert!(write(&points, Format::Latex).unwrap().starts_with("\\begin{tabular}{llrrrrrrrr}"));
    }

    /// The paper's F1 follows from its precision and recall, so a figure that was copied wrongly shows.
    #[test]
    fn reported_figures_agree_with_each_other() {
        let settings = [
            (Varied::Retriever, ["mqs", "dail", "mqs-filter", "mqs-qs", "history"]),
            (Varied::Type, ["condition", "output", "dimension", "relation", "calculation"]),
            (Varied::Shots, ["1", "2", "3", "4", "5"]),
            (Varied::Threshold, ["0.5", "0.6", "0.7", "0.8", "0.9"]),
        ];
        for (varied, names) in settings {
            for name in names {
                let [precision, recall, f1] = varied.reported(name).unwrap();
                let own = 2.0 * precision * recall / (precision + recall);
                assert!((own - f1).abs() < 0.02, "{varied:?} {name}: {own} {f1}");
            }
        }
    }
}
