#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn header(task_count: usize, shard: Option<(u32, u32)>) -> Header {
    Header { format: FORMAT.into(), version: VERSION, task_count, shard, ..Header::default() }
}

fn run(header: Header) -> RunFile {
    let outcomes = (0..header.task_count).filter(|place| header.takes(*place));
    let outcome = |place| Outcome { place, sql: Some(format!("SELECT {place}")), ..Outcome::default() };
    RunFile { outcomes: outcomes.map(outcome).collect(), header, whole: 0 }
}

fn parsed(bytes: &[u8]) -> RunFile {
    RunFile::parse(bytes).unwrap()
}

#[test]
fn a_run_is_read_as_it_was_written() {
    let run = run(header(5, None));
    let bytes = run.to_bytes().unwrap();
    let read = parsed(&bytes);
    assert_eq!((read.header, read.outcomes, read.whole), (run.header, run.outcomes, bytes.len()));
}

#[test]
fn shards_have_every_task_once() {
    let shards: Vec<RunFile> = (1..=3).map(|part| run(header(8, Some((part, 3))))).collect();
    assert_eq!(shards.iter().map(|shard| shard.outcomes.len()).collect::<Vec<_>>(), [3, 3, 2]);
    let joined = merge(&shards).unwrap();
    assert_eq!(joined.outcomes, run(header(8, None)).outcomes);
    assert!(joined.missing().is_empty());
    assert_eq!(merge(&[shards[0].clone(), shards[0].clone()]), Err(RunError::Twice(0)));
    let other =
        RunFile { header: Header { pipeline: "direct".into(), ..header(8, None) }, ..RunFile::default() };
    assert_eq!(merge(&[shards[0].clone(), other]), Err(RunError::Different("pipeline".into())));
    assert_eq!(merge(&[]), Err(RunError::Nothing));
}

#[test]
fn other_files_are_told_apart() {
    for other in ["", "{}\n", "[1]\n", "SELECT 1\n", "{\"format\": \"querylore-run\"}"] {
        assert_eq!(RunFile::parse(other.as_bytes()), Err(RunError::NotARun), "{other}");
    }
    let newer = "{\"format\": \"querylore-run\", \"version\": 9}\n";
    assert_eq!(RunFile::parse(newer.as_bytes()), Err(RunError::Newer { found: 9 }));
    let mut bytes = run(header(2, None)).to_bytes().unwrap();
    bytes.extend(b"{\"place\": 0}\n");
    assert!(matches!(RunFile::parse(&bytes), Err(RunError::Damaged { line: 4, .. })));
    let mut twice = run(header(2, None));
    twice.outcomes.push(twice.outcomes[1].clone());
    let why = "is answered before";
    assert_eq!(RunFile::parse(&twice.to_bytes().unwrap()), Err(RunError::Task { line: 4, place: 1, why }));
    let mut foreign = run(header(2, Some((1, 2))));
    foreign.outcomes[0].place = 1;
    assert!(matches!(
        RunFile::parse(&foreign.to_bytes().unwrap()),
        Err(RunError::Task { line: 2, place: 1, .. })
    ));
}

proptest! {
    #[test]
    fn a_run_that_was_cut_anywhere_goes_on_to_the_same_file(count in 1usize..9, cut in 0.0f64..1.0) {
        let whole = run(header(count, None));
        let bytes = whole.to_bytes().unwrap();
        let first = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let at = first + ((bytes.len() - first) as f64 * cut) as usize;
        let left = parsed(&bytes[..at]);
        let mut again = bytes[..left.whole].to_vec();
        for place in left.missing() {
            again.extend(super::parse::line(&whole.outcomes[place]).unwrap());
        }
        prop_assert_eq!(again, bytes);
    }
}

#[test]
fn a_file_from_before_there_were_stages_is_read() {
    let mut whole = run(header(1, None));
    whole.header.samples = None;
    let text = String::from_utf8(whole.to_bytes().unwrap()).unwrap();
    assert!(!text.contains("stages"), "{text}");
    assert_eq!(parsed(text.replace(",\"samples\":null", "").as_bytes()).header, whole.header);

    let candidate =
        CandidateMark { sql: "SELECT 1".into(), rows: Some(1), votes: 2, ..CandidateMark::default() };
    let stage =
        StageMark { name: "s".into(), requests: 3, candidates: vec![candidate], notes: vec!["n".into()] };
    whole.outcomes[0].stages = vec![stage];
    assert_eq!(parsed(&whole.to_bytes().unwrap()).outcomes, whole.outcomes);
}
