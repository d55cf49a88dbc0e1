//! `lab sweep`: retrieval over ranges of settings, beside the tables of BIRD-History.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::report::Written;
use super::retrieval_eval::{required, schemas};
use super::retrieving::{Place, Ready, Retrieving};
use super::{Failure, encoder};
use crate::bench::retrieval_metrics::{RetrievalMetrics, measure_queries};
use crate::bench::sweep::{self, Point, Varied, type_name};
use crate::bench::task::Task;
use crate::embedding::Encoder;
use crate::experiment::Prepared;
use crate::experiment::retriever::Named;
use crate::ports::blocking::block_on;
use crate::retrieval::{Level, Settings};

/// Most queries handed on, in the rows of the paper's table 5.
const SHOTS: [usize; 5] = [1, 2, 3, 4, 5];
/// Thresholds in the rows of its table 6.
const THRESHOLDS: [f32; 5] = [0.5, 0.6, 0.7, 0.8, 0.9];

/// Measure retrieval over ranges of settings: retrievers, levels, most shots, thresholds, types.
#[derive(Debug, clap::Args)]
pub struct Sweep {
    /// The task file, in the form of BIRD-History.
    #[arg(long)]
    tasks: PathBuf,
    #[command(flatten)]
    retrieving: Retrieving,
    /// Schemas in the form of BIRD's and Spider's tables.json, for databases that are not in the folder.
    #[arg(long)]
    tables: Option<PathBuf>,
    /// Queries handed on at most, where it is not this that varies.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    max_shots: u16,
    /// How the table is written.
    #[arg(long, default_value = "md")]
    format: Written,
}

/// Sums over tasks of one setting.
#[derive(Default)]
struct Sum {
    metrics: RetrievalMetrics,
    handed: usize,
}

type Sums = BTreeMap<(u8, usize), (Varied, String, Sum)>;

/// Runs the command; returns what it prints.
///
/// # Errors
/// When a file cannot be read, a database's history or schema is missing, or no task names knowledge.
pub fn run(args: &Sweep) -> Result<String, Failure> {
    let (all, preliminary) = required(&args.tasks, &args.retrieving)?;
    let tasks: Vec<(&Task, Option<&str>)> =
        all.iter().zip(&preliminary).map(|(task, sql)| (task, sql.as_deref())).collect();
    let schemas = schemas(args.tables.as_deref())?;
    let model = encoder::load(encoder::spec(&args.retrieving.encoder)?)?;
    let mut sums = Sums::new();
    let databases: BTreeSet<&str> = all.iter().map(|task| task.db_id.as_str()).collect();
    for db_id in databases {
        let place = Place::open(&args.retrieving, db_id, &schemas)?;
        let history = Retrieving { retriever: Named::History, ..args.retrieving.clone() };
        let mut ready = Ready::new(&history, place, &model)?;
        let here: Vec<(&Task, Option<&str>)> =
            tasks.iter().filter(|(task, _)| task.db_id == db_id).copied().collect();
        database(args, &mut ready, &here, &model, &mut sums)?;
    }
    let count = tasks.len() as f64;
    let mut points = Vec::new();
    for (varied, setting, Sum { metrics, handed }) in sums.into_values() {
        let shots = handed as f64 / count;
        if varied == Varied::Type {
            points.extend(metrics.by_type.into_iter().map(|(kind, counts)| Point {
                varied,
                setting: type_name(kind).to_owned(),
                shots,
                counts,
            }));
        } else {
            points.push(Point { varied, setting, shots, counts: metrics.overall });
        }
    }
    sweep::write(&points, args.format.into()).map_err(Failure::Failed)
}

/// Measures every setting on one database, whose history is embedded once.
fn database(
    args: &Sweep,
    ready: &mut Ready,
    tasks: &[(&Task, Option<&str>)],
    model: &Encoder,
    sums: &mut Sums,
) -> Result<(), Failure> {
    let most = usize::from(args.max_shots);
    let usual = Settings::default();
    let mut measure = |ready: &Ready, shots: &[usize], as_what: &[(Varied, usize, String)]| {
        let asked = shots.iter().copied().max().unwrap_or(1);
        for task in tasks {
            let found = ready.find(model, *task, asked)?;
            for ((varied, place, setting), shots) in as_what.iter().zip(shots.iter().cycle()) {
                let entries: Vec<u32> = found.queries.iter().take(*shots).map(|hit| hit.entry).collect();
                let key = (varied.name().1, *place);
                let (.., sum) = sums.entry(key).or_insert_with(|| (*varied, setting.clone(), Sum::default()));
                sum.metrics += &measure_queries(&task.0.knowledge, &ready.history.base, &entries);
                sum.handed += entries.len();
            }
        }
        Ok::<(), Failure>(())
    };
    let by_name = |named: Named| (Varied::Retriever, named as usize, named.name().to_owned());
    measure(ready, &[most], &[by_name(Named::History), (Varied::Type, 0, String::new())])?;
    let shots: Vec<_> = SHOTS.iter().map(|shots| (Varied::Shots, *shots, shots.to_string())).collect();
    measure(ready, &SHOTS, &shots)?;
    for (place, threshold) in THRESHOLDS.into_iter().enumerate() {
        ready.retriever = Prepared::History(Settings { threshold, ..usual });
        measure(ready, &[most], &[(Varied::Threshold, place, format!("{threshold:.1}"))])?;
    }
    for (place, (level, name)) in
        [(Level::Query, "q"), (Level::Component, "c"), (Level::Both, "qc")].into_iter().enumerate()
    {
        ready.retriever = Prepared::History(Settings { level, ..usual });
        measure(ready, &[most], &[(Varied::Level, place, name.to_owned())])?;
    }
    let others = Named::ALL.into_iter().filter(|named| match named {
        Named::History | Named::None => false,
        Named::Dail => args.retrieving.preliminary.is_some(),
        _ => true,
    });
    for named in others {
        let subject = (&ready.history.base, &ready.schema);
        let how = (Level::Both, args.retrieving.threshold);
        let made = Prepared::new(named, how, subject, model, ready.database.as_ref());
        ready.retriever = block_on(made).map_err(|e| Failure::Failed(e.to_string()))?;
        measure(ready, &[most], &[by_name(named)])?;
    }
    Ok(())
}
