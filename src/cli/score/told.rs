//! A score for people.

use std::fmt::Write as _;

use crate::bench::score::{ScoreReport, Tally};

/// BIRD's difficulties from easy to hard; others follow by name.
const DIFFICULTIES: [&str; 3] = ["simple", "moderate", "challenging"];

/// Tasks that are not right, the groups, and in the end the score.
pub(super) fn report(report: &ScoreReport) -> String {
    let mut text = String::new();
    for task in report.tasks.iter().filter(|t| !t.judged.verdict.correct()) {
        let _ = writeln!(text, "{} {}: {}", task.db_id, task.question_id, task.judged.why);
    }
    let mut groups: Vec<(&str, Tally)> = Vec::new();
    let rank = |name: &str| DIFFICULTIES.iter().position(|d| *d == name).unwrap_or(DIFFICULTIES.len());
    let mut difficulties: Vec<(&String, &Tally)> = report.by_difficulty.iter().collect();
    difficulties.sort_by_key(|(name, _)| rank(name));
    groups.extend(difficulties.into_iter().map(|(name, tally)| (name.as_str(), *tally)));
    let split = groups.len();
    if report.by_database.len() > 1 {
        groups.extend(report.by_database.iter().map(|(name, tally)| (name.as_str(), *tally)));
    }
    let width = groups.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().max(10);
    for (title, groups) in [("difficulty", groups.get(..split)), ("database", groups.get(split..))] {
        let groups = groups.unwrap_or_default();
        if groups.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title:width$}  tasks  right   score");
        for (name, tally) in groups {
            let score = tally.score().unwrap_or_default();
            let _ = writeln!(text, "{name:width$} {:6} {:6} {score:7.1}", tally.total, tally.correct);
        }
    }
    if !groups.is_empty() {
        text.push('\n');
    }
    text.push_str(&summary(report));
    text
}

fn summary(report: &ScoreReport) -> String {
    let mut text = String::new();
    let (mode, Tally { correct, total, .. }) = (report.mode, report.overall);
    let score = report.overall.score().unwrap_or_default();
    let _ = if mode.is_accuracy() {
        writeln!(text, "{mode}: {correct} of {total} correct, {score:.1} %")
    } else {
        let what = if mode == crate::bench::modes::Mode::RVes { "right" } else { "whole" };
        writeln!(text, "{mode}: {score:.2}, the mean of {total} tasks x 100; {correct} are {what}")
    };
    if let Some(tally) = report.logical_form {
        let share = tally.score().unwrap_or_default();
        let _ = writeln!(text, "logical form: {} of {} the same, {share:.1} %", tally.correct, tally.total);
    }
    let golds = report.gold_failed;
    if golds > 0 {
        let words = if golds == 1 { "gold does not run and counts" } else { "golds do not run and count" };
        let _ = writeln!(text, "{golds} {words} as wrong");
    }
    if report.cut > 0 {
        let _ = writeln!(text, "{} could not be compared whole", report.cut);
    }
    for gold in &report.slow_golds {
        let took = match gold.seconds {
            Some(seconds) => format!("takes {seconds:.1} s"),
            None => format!("was ended at {} s", report.timeout_s),
        };
        let _ = writeln!(text, "slow gold: {} {} {took}", gold.db_id, gold.question_id);
    }
    text
}
