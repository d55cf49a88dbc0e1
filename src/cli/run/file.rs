//! The run file on the disk: begun, gone on with, and never another run's.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::answer::asked_with;
use super::{Run, inputs};
use crate::bench::run::{self, FORMAT, FileMark, Header, RetrieverMark, RunFile, VERSION};
use crate::cli::Failure;
use crate::cli::model::Connected;
use crate::cli::retrieving::{Named, Retrieving};
use crate::experiment::retriever::level_name;
use crate::experiment::setup::model_mark;
use crate::retrieval::Settings;

pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{} cannot be written: {error}", path.display()))
}

fn mark(path: &Path, bytes: &[u8]) -> FileMark {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    FileMark::of(&name.unwrap_or_default(), bytes)
}

/// What a run is made with.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn header(
    args: &Run,
    connected: Option<&Connected>,
    tasks: &[u8],
    task_count: usize,
    encoder: &str,
) -> Result<Header, Failure> {
    let Retrieving { history, retriever, level, threshold, .. } = &args.retrieving;
    let searched = level_name((*level).into());
    Ok(Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        querylore: env!("CARGO_PKG_VERSION").to_owned(),
        sqlite: crate::db::engine::version().to_owned(),
        tasks: mark(&args.tasks, tasks),
        task_count,
        history: mark(history, &inputs::bytes(history)?),
        pipeline: args.pipeline.name().to_owned(),
        retriever: RetrieverMark {
            name: retriever.name().to_owned(),
            level: (*retriever == Named::History).then(|| searched.to_owned()),
            threshold: threshold.or((*retriever == Named::History).then_some(Settings::default().threshold)),
            max_shots: args.max_shots.into(),
            encoder: encoder.to_owned(),
        },
        model: connected.map(|connected| model_mark(&asked_with(args, Some(connected)))),
        samples: args.samples,
        timeout_ms: args.timeout.saturating_mul(1_000),
        shard: args.shard,
        own_left_out: args.own_left_out,
    })
}

/// The run file, ready for the next line, with what it holds.
pub(super) fn open(args: &Run, header: &Header) -> Result<(File, RunFile), Failure> {
    let (path, cannot) = (&args.out, |e: std::io::Error| cannot_write(&args.out, &e));
    let exists = path.metadata().is_ok_and(|file| file.len() > 0);
    if exists && !args.resume {
        return Err(Failure::Usage(format!(
            "{} is there already; go on with it by --resume, or choose another.",
            path.display()
        )));
    }
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(cannot)?;
    // Killed before its first line was whole, it holds nothing.
    let bytes = inputs::bytes(path)?;
    if !bytes.contains(&b'\n') {
        if !FORMAT_START
            .as_bytes()
            .starts_with(bytes.get(..FORMAT_START.len().min(bytes.len())).unwrap_or_default())
        {
            return Err(Failure::Failed(format!("{}: This is no run file.", path.display())));
        }
        let line = run::line(header).map_err(|e| Failure::Failed(e.to_string()))?;
        file.set_len(0)
            .and_then(|()| file.write_all(&line))
            .and_then(|()| file.sync_data())
            .map_err(cannot)?;
        return Ok((file, RunFile { header: header.clone(), ..RunFile::default() }));
    }
    let before = RunFile::parse(&bytes).map_err(|e| Failure::Failed(format!("{}: {e}", path.display())))?;
    let differences = before.header.differences(header);
    if !differences.is_empty() {
        return Err(Failure::Usage(format!(
            "{} was made with another {}; go on as it was begun, or choose another file.",
            path.display(),
            differences.join(", ")
        )));
    }
    file.set_len(before.whole as u64).map_err(cannot)?;
    file.seek(SeekFrom::End(0)).map_err(cannot)?;
    Ok((file, before))
}

/// How a run file begins, even one that was cut in its first line.
const FORMAT_START: &str = "{\"format\":\"querylore-run\"";
