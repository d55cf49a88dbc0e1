//! Run files: opened from elsewhere, saved, exported, scored again; one answer looked at with its rows.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::store;
use crate::bench::modes::Mode;
use crate::bench::run::RunFile;
use crate::bench::run::table::Format;
use crate::bench::task::places_of;
use crate::browser::storage;
use crate::experiment::Setup;
use crate::experiment::kept::{Experiment, Standing};
use crate::experiment::scoring::{Again, Remembered, score_one};
use crate::present::lab::predictions::Prediction;
use crate::present::lab::results;
use crate::ui::actions::{ask, breathe, now};
use crate::ui::database_menu::name;
use crate::ui::download;
use crate::ui::state::{Gold, Page, Run, Stage, State};

/// Milliseconds between two looks at the progress of scoring.
const SHOW_EVERY_MS: f64 = 150.0;

/// Opens a run file from elsewhere, and keeps it.
pub async fn open_run(state: State, file: web_sys::File) {
    let lab = state.lab;
    let read = match storage::bytes(&file).await {
        Ok(bytes) => RunFile::parse(&bytes).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let run = match read {
        Ok(run) => run,
        Err(why) => {
            let hint = if file.name().ends_with(".json") {
                " A task file is opened with “Open a task file”."
            } else {
                ""
            };
            return lab.trouble.set(Some(format!("“{}”: {why}{hint}", file.name())));
        }
    };
    let (began_ms, _) = super::wall_clock();
    let setup = Setup::of_run(&run);
    let mut kept = Experiment {
        id: format!("{:x}-{:03x}", began_ms as u64, (js_sys::Math::random() * 4_096.0) as u32),
        name: format!("{}, {}", file.name().trim_end_matches(".jsonl"), super::named(&setup)),
        began_ms,
        setup,
        standing: Standing::Opened,
        ..Experiment::default()
    };
    kept.recount(std::slice::from_ref(&run));
    lab.runs.update(|runs| drop(runs.insert(kept.id.clone(), Arc::new(vec![run.clone()]))));
    lab.list.update(|list| list.insert(0, kept.clone()));
    super::show(state, Some(kept.id.clone()));
    store::put_run(state, &kept, 0, &run).await;
    store::put(state, &kept).await;
}

/// A name for a file, from that of an experiment.
fn file_stem(kept: &Experiment) -> String {
    let plain = kept.name.to_lowercase().replace('×', "x");
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Saves the results as a table.
pub fn export(state: State, kept: &Experiment, format: Format) {
    let runs = state.lab.runs.with_untracked(|runs| runs.get(&kept.id).cloned()).unwrap_or_default();
    let (ending, media) = match format {
        Format::Markdown => ("md", "text/markdown"),
        Format::Csv => ("csv", "text/csv"),
        Format::Json => ("json", "application/json"),
        Format::Latex => ("tex", "application/x-tex"),
    };
    match results::export(&runs, format) {
        Ok(text) => download::text(&format!("{}.{ending}", file_stem(kept)), media, text.as_bytes()),
        Err(error) => state.lab.trouble.set(Some(error)),
    }
}

/// Saves the run files, each as a file of its own.
pub fn save_runs(state: State, kept: &Experiment) {
    let runs = state.lab.runs.with_untracked(|runs| runs.get(&kept.id).cloned()).unwrap_or_default();
    for run in runs.iter().filter(|run| !run.outcomes.is_empty()) {
        let name = format!("{}-{}-{}.jsonl", file_stem(kept), run.header.pipeline, run.header.retriever.name);
        match run.to_bytes() {
            Ok(bytes) => download::text(&name, "application/jsonl", &bytes),
            Err(error) => state.lab.trouble.set(Some(error.to_string())),
        }
    }
}

/// Scores every answer of an experiment on the open database, by this rule, and says whether the numbers are the same.
pub async fn score_again(state: State, id: String, mode: Mode) {
    let lab = state.lab;
    let Some(mut kept) = lab.find(&id) else { return };
    if lab.scoring.with_untracked(Option::is_some) {
        return;
    }
    let sha = kept.setup.tasks.sha256.clone();
    let Some(tasks) = store::load_tasks(state, &kept.setup.tasks).await else {
        let name = &kept.setup.tasks.name;
        return lab
            .trouble
            .set(Some(format!("Open the task file {name} to score this: its gold queries are there.")));
    };
    let open = state.open.with_untracked(name);
    // The task file that is open belongs to the database that is.
    let with_it = lab.file.with_untracked(|file| file.as_ref().is_some_and(|file| file.mark.sha256 == sha));
    let places: Vec<usize> = places_of(&tasks.tasks, &open)
        .into_iter()
        .filter(|place| {
            with_it
                || tasks.tasks.get(*place).is_some_and(|task| task.db_id.eq_ignore_ascii_case(open.trim()))
        })
        .collect();
    let runs = lab.runs.with_untracked(|runs| runs.get(&id).cloned()).unwrap_or_default();
    let mut runs: Vec<RunFile> = runs.as_ref().clone();
    let mine = |place: &usize| places.binary_search(place).is_ok();
    let total: usize =
        runs.iter().map(|run| run.outcomes.iter().filter(|outcome| mine(&outcome.place)).count()).sum();
    if total == 0 {
        let database = &kept.setup.database;
        return lab
            .trouble
            .set(Some(format!("None of its answers are on “{open}”. Open {database} to score them.")));
    }
    lab.trouble.set(None);
    lab.remark.set(None);
    lab.scoring.set(Some((0, total)));
    let (engine, opened, golds) = (state.engine(), state.opened(), Remembered::default());
    let (mut again, mut shown_at) = (Again::default(), now());
    for run in &mut runs {
        for outcome in run.outcomes.iter_mut().filter(|outcome| mine(&outcome.place)) {
            let Some(task) = tasks.tasks.get(outcome.place) else { continue };
            let scored = score_one(mode, task, outcome, &engine.database, &golds).await;
            if state.opened() != opened {
                lab.scoring.set(None);
                return lab.trouble.set(Some("Another database was opened. Nothing was changed.".to_owned()));
            }
            let Ok(scored) = scored else { continue };
            again.add(outcome.scored.as_ref(), &scored);
            outcome.scored = Some(scored);
            if now() - shown_at > SHOW_EVERY_MS {
                shown_at = now();
                lab.scoring.set(Some((again.scored, total)));
                breathe().await;
            }
        }
    }
    kept.setup.mode = mode;
    for (at, run) in runs.iter().enumerate().filter(|(_, run)| !run.outcomes.is_empty()) {
        store::put_run(state, &kept, at, run).await;
    }
    lab.runs.update(|all| drop(all.insert(id, Arc::new(runs))));
    store::put(state, &kept).await;
    lab.scoring.set(None);
    let said = again.sentence(mode);
    state.said.set(said.clone());
    lab.remark.set(Some(said));
}

/// Shows an answer's rows beside gold's, where questions are asked.
pub fn show_rows(state: State, prediction: &Prediction) {
    let Some(sql) = prediction.sql.clone() else { return };
    ask::stop(state);
    let number = state.run.with_untracked(|run| run.number.wrapping_add(1));
    state.gold.set(prediction.gold.clone().map_or(Gold::None, Gold::Sql));
    state.question.set(prediction.question.clone());
    state.selected.set(None);
    state.run.set(Run { number, question: prediction.question.clone(), stage: Stage::Run, ..Run::default() });
    Page::Ask.go();
    spawn_local(ask::run_sql(state, crate::present::layout::broken(&sql)));
}
