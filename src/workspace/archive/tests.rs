#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::history::store::{self, Stored, Vectors};
use crate::history::{Edit, Entry, Item, KnowledgeBase, Occurrence};
use crate::sql::ComponentType;

const DATABASE_BYTES: &[u8] = b"SQLite format 3\0 and what follows, in two chunks of different sizes";

fn stored() -> Stored {
    let item = Item {
        kind: ComponentType::Condition,
        skeleton: "t.a = <val>".into(),
        title: "Active".into(),
        description: "Rows whose a is given.".into(),
        occurrences: vec![Occurrence {
            entry: 0,
            sql: "a".into(),
            literals: Vec::new(),
            lines: Some((1, 1)),
        }],
        tables: Vec::new(),
        columns: Vec::new(),
        edit: Edit { description: Some("Customers who pay.".into()), hidden: true, indexed_as: None },
    };
    let knowledge = KnowledgeBase {
        entries: vec![Entry { sql: "SELECT a".into(), ..Entry::default() }],
        summaries: vec![String::new()],
        items: vec![item],
        entry_items: vec![vec![0]],
    };
    let vectors =
        Vectors { encoder: "tiny".into(), dimension: 2, entries: vec![1.0, 0.0], items: vec![0.0, 1.0] };
    Stored { knowledge, vectors: Some(vectors) }
}

fn json() -> String {
    let stored = stored();
    store::to_json(&stored.knowledge, stored.vectors.as_ref()).unwrap()
}

fn manifest(with_knowledge: bool, with_database: bool) -> Manifest {
    let database = Database { bytes: DATABASE_BYTES.len() as u64, crc32: crc32fast::hash(DATABASE_BYTES) };
    Manifest::new(
        "Fähren",
        "2026-11-30T18:00:00.000Z",
        Some("tiny"),
        database,
        (with_knowledge, with_database),
    )
}

/// The file as the browser puts it together.
fn export(with_knowledge: bool, with_database: bool) -> Vec<u8> {
    let mut writer = Writer::default();
    if with_database {
        writer.start_database().unwrap();
        writer.database(&DATABASE_BYTES[..20]).unwrap();
        writer.database(&DATABASE_BYTES[20..]).unwrap();
    }
    let json = with_knowledge.then(json);
    let Written { head, tail } =
        writer.finish(&manifest(with_knowledge, with_database), json.as_deref()).unwrap();
    if with_database { [&head, DATABASE_BYTES, &tail].concat() } else { [head, tail].concat() }
}

fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        zip.start_file(*name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// What is in a file, read as the page reads it, and how many bytes were read to find the parts.
type Contents = (Manifest, Option<Stored>, Option<Vec<u8>>);

fn open(file: &[u8]) -> Result<(Contents, u64), ArchiveError> {
    let mut opening = Opening::new(file.len() as u64);
    let mut read = 0;
    let layout = loop {
        match opening.step()? {
            Step::Read(range) => {
                read += range.end - range.start;
                opening.add(range.start, file[range.start as usize..range.end as usize].to_vec());
            }
            Step::Found(layout) => break layout,
        }
    };
    let bytes = |part: &Part| &file[part.range.0 as usize..part.range.1 as usize];
    let manifest = Manifest::read(bytes(&layout.manifest), &layout)?;
    let history = layout.knowledge.map(|part| knowledge(bytes(&part), &part)).transpose()?;
    let database = layout.database.map(|part| bytes(&part).to_vec());
    Ok(((manifest, history, database), read))
}

fn refused(file: &[u8]) -> ArchiveError {
    open(file).unwrap_err()
}

#[test]
fn a_workspace_comes_back_as_it_was() {
    for (with_knowledge, with_database) in [(true, true), (true, false), (false, true)] {
        let file = export(with_knowledge, with_database);
        let ((found, history, database), _) = open(&file).unwrap();
        assert_eq!(found, manifest(with_knowledge, with_database));
        assert_eq!(history, with_knowledge.then(stored));
        assert_eq!(database.as_deref(), with_database.then_some(DATABASE_BYTES));
    }
}

#[test]
fn an_ordinary_zip_program_can_read_it() {
    let file = export(true, true);
    let mut zip = zip::ZipArchive::new(Cursor::new(&file)).unwrap();
    zip.validate_header_consistency().unwrap();
    let mut database = Vec::new();
    std::io::copy(&mut zip.by_name(DATABASE).unwrap(), &mut database).unwrap();
    assert_eq!(database, DATABASE_BYTES);
    assert_eq!(zip.len(), 3);
}

#[test]
fn the_database_is_never_read_to_find_the_parts() {
    let mut writer = Writer::default();
    writer.start_database().unwrap();
    let (chunk, mut sum) = (vec![7_u8; 1 << 20], Checksum::new());
    for _ in 0..8 {
        writer.database(&chunk).unwrap();
        sum.update(&chunk);
    }
    let database = Database { bytes: 8 << 20, crc32: sum.finalize() };
    let manifest = Manifest::new("large", "", None, database, (false, true));
    let Written { head, tail } = writer.finish(&manifest, None).unwrap();
    assert!(head.len() + tail.len() < 2_000, "the writer kept the database");
    let file = [head, chunk.repeat(8), tail].concat();
    let (_, read) = open(&file).unwrap();
    assert!(read < 100_000, "{read} bytes were read");
}

#[test]
fn a_file_that_was_cut_is_refused_wherever_the_cut_is() {
    let file = export(true, true);
    for end in 0..file.len() {
        let error = refused(&file[..end]);
        assert!(matches!(error, ArchiveError::Damaged(_)), "{end}: {error}");
    }
}

#[test]
fn other_zip_files_are_not_workspaces() {
    let other = [
        zip(&[]),
        zip(&[("ferries.sqlite", DATABASE_BYTES)]),
        zip(&[("database.sqlite", DATABASE_BYTES)]),
        zip(&[("manifest.json", br#"{"manifest_version": 3, "name": "An extension"}"#)]),
        zip(&[("manifest.json", br#"{"manifest_version": 3}"#), ("icon.png", b"")]),
        zip(&[("manifest.json", b"not JSON")]),
    ];
    for file in other {
        assert_eq!(refused(&file), ArchiveError::NotWorkspace);
    }
}

#[test]
fn a_newer_version_says_so() {
    let newer =
        serde_json::to_string(&manifest(false, false)).unwrap().replace("\"version\":1", "\"version\":9");
    let error = refused(&zip(&[(MANIFEST, newer.as_bytes())]));
    assert_eq!(error, ArchiveError::Newer { found: 9, known: 1 });
    let none = newer.replace("\"version\":9,", "");
    assert!(matches!(refused(&zip(&[(MANIFEST, none.as_bytes())])), ArchiveError::Damaged(_)));
}

#[test]
fn parts_with_the_names_of_paths_are_named_and_refused() {
    let manifest = serde_json::to_vec(&manifest(true, false)).unwrap();
    for name in ["../knowledge.json", "/etc/passwd", "C:\\x.dll", "a/manifest.json", "knowledge.json/"] {
        let file = zip(&[(MANIFEST, &manifest), (KNOWLEDGE, json().as_bytes()), (name, b"x")]);
        assert_eq!(refused(&file), ArchiveError::Foreign(name.to_owned()));
    }
}

#[test]
fn the_manifest_and_the_parts_must_agree() {
    let says = |knowledge, database| serde_json::to_vec(&manifest(knowledge, database)).unwrap();
    let damaged = |parts: &[(&str, &[u8])]| match refused(&zip(parts)) {
        ArchiveError::Damaged(what) => what,
        other => panic!("{other}"),
    };
    let json = json();
    assert!(damaged(&[(MANIFEST, &says(true, false))]).contains("knowledge.json is missing"));
    let without = [(MANIFEST, &*says(true, true)), (KNOWLEDGE, json.as_bytes())];
    assert!(damaged(&without).contains("database.sqlite is missing"));
    assert!(
        damaged(&[(MANIFEST, &says(false, false)), (KNOWLEDGE, json.as_bytes())]).contains("does not name")
    );
    assert!(damaged(&[(MANIFEST, &says(false, true)), (DATABASE, b"another")]).contains("not the one"));
    let unknown =
        String::from_utf8(says(true, false)).unwrap().replace("\"knowledge.json\"", "\"notes.txt\"");
    assert!(damaged(&[(MANIFEST, unknown.as_bytes())]).contains("notes.txt is missing"));
}

#[test]
fn a_part_that_stands_twice_is_refused() {
    // The library does not write such a file: the second name is changed afterwards, in header and directory.
    let manifest = serde_json::to_vec(&manifest(true, false)).unwrap();
    let json = json();
    let file = zip(&[(MANIFEST, &manifest), (KNOWLEDGE, json.as_bytes()), ("knowledge.jsoX", b"{}")]);
    let twice = replace(&file, b"knowledge.jsoX", b"knowledge.json");
    assert!(matches!(refused(&twice), ArchiveError::Damaged(what) if what.contains("twice")));
}

fn replace(file: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut changed = file.to_vec();
    for start in 0..changed.len().saturating_sub(from.len()) {
        if &changed[start..start + from.len()] == from {
            changed[start..start + from.len()].copy_from_slice(to);
        }
    }
    changed
}

/// The entry of the directory for a part: where its fields begin.
fn directory_entry(file: &[u8], name: &str) -> usize {
    let mut starts = (0..file.len() - 46).filter(|&at| file[at..].starts_with(b"PK\x01\x02"));
    starts.find(|&at| file[at + 46..].starts_with(name.as_bytes())).unwrap()
}

#[test]
fn claimed_sizes_are_held_against_the_file() {
    let file = export(true, true);
    for name in [KNOWLEDGE, DATABASE, MANIFEST] {
        let at = directory_entry(&file, name);
        for (offset, what) in [(20, "compressed"), (24, "uncompressed")] {
            let mut changed = file.clone();
            changed[at + offset..at + offset + 4].copy_from_slice(&0xffff_fff0_u32.to_le_bytes());
            assert!(matches!(refused(&changed), ArchiveError::Damaged(_)), "{name} {what}");
        }
        let mut both = file.clone();
        both[at + 20..at + 24].copy_from_slice(&0x7000_0000_u32.to_le_bytes());
        both[at + 24..at + 28].copy_from_slice(&0x7000_0000_u32.to_le_bytes());
        assert!(matches!(refused(&both), ArchiveError::Damaged(_)), "{name}");
    }
}

#[test]
fn compressed_parts_are_refused_unread() {
    let file = export(true, false);
    let at = directory_entry(&file, KNOWLEDGE);
    let mut deflated = file.clone();
    deflated[at + 10] = 8;
    assert_eq!(refused(&deflated), ArchiveError::Packed);
    let mut encrypted = file;
    encrypted[at + 8] |= 1;
    assert_eq!(refused(&encrypted), ArchiveError::Packed);
}

#[test]
fn a_huge_directory_is_given_up() {
    let names: Vec<String> = (0..30_000).map(|n| format!("{n:040}")).collect();
    let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(matches!(refused(&zip(&parts)), ArchiveError::Damaged(what) if what.contains("too large")));
}

#[test]
fn a_database_above_the_limit_is_refused_by_its_size_alone() {
    // A file of more than 2 GB that holds together, of which only the ends are there.
    let file = export(false, true);
    let data = file.windows(4).position(|w| w == b"SQLi").unwrap();
    let (mut head, mut tail) = (file[..data].to_vec(), file[data + DATABASE_BYTES.len()..].to_vec());
    let bytes = MOST_DATABASE_BYTES as u32 + 1;
    let more = bytes - DATABASE_BYTES.len() as u32;
    let put = |bytes: &mut Vec<u8>, at: usize, number: u32| {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    };
    let add = |bytes: &mut Vec<u8>, at: usize| {
        let before = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        put(bytes, at, before + more);
    };
    for at in [18, 22] {
        put(&mut head, at, bytes);
    }
    let (database, manifest) = (directory_entry(&tail, DATABASE), directory_entry(&tail, MANIFEST));
    for at in [20, 24] {
        put(&mut tail, database + at, bytes);
    }
    add(&mut tail, manifest + 42);
    let end = tail.len() - 22;
    add(&mut tail, end + 16);
    let len = head.len() as u64 + u64::from(bytes) + tail.len() as u64;
    let mut opening = Opening::new(len);
    let tail_start = len - tail.len() as u64;
    let byte = |at: u64| match at.checked_sub(tail_start) {
        Some(at) => tail[at as usize],
        None => head.get(at as usize).copied().unwrap_or_default(),
    };
    let error = loop {
        match opening.step() {
            Ok(Step::Read(range)) => opening.add(range.start, range.map(byte).collect()),
            Ok(Step::Found(layout)) => panic!("{layout:?}"),
            Err(error) => break error,
        }
    };
    let most = MOST_DATABASE_BYTES;
    assert_eq!(error, ArchiveError::TooLarge { part: "database", bytes: u64::from(bytes), most });
}

#[test]
fn a_large_manifest_is_not_read() {
    let large = vec![b' '; MOST_MANIFEST_BYTES as usize + 1];
    assert!(
        matches!(refused(&zip(&[(MANIFEST, &large)])), ArchiveError::Damaged(what) if what.contains("large"))
    );
}

#[test]
fn a_history_that_is_not_valid_is_refused() {
    let manifest = serde_json::to_vec(&manifest(true, false)).unwrap();
    for history in
        ["{}", "[1]", &json()[..100], &json().replace("\"occurrences\":[[0,", "\"occurrences\":[[7,")]
    {
        let error = refused(&zip(&[(MANIFEST, &manifest), (KNOWLEDGE, history.as_bytes())]));
        assert!(matches!(error, ArchiveError::Knowledge(_)), "{history}: {error}");
    }
}

#[test]
fn names_are_one_line_and_files_have_names_that_every_system_takes() {
    let named =
        |name: &str| Manifest::new(name, "", None, Database { bytes: 0, crc32: 0 }, (false, false)).name;
    assert_eq!(named(" a\nb\u{0} "), "a b");
    assert_eq!(named("\t"), "workspace");
    assert_eq!(named(&"x".repeat(5_000)).len(), 100);
    assert_eq!(file_name("Fähren 2"), "Fähren 2.querylore");
    assert_eq!(file_name("../../etc/passwd"), "-..-etc-passwd.querylore");
    assert_eq!(file_name("a:b*?\"<>|\\c"), "a-b-------c.querylore");
    assert_eq!(file_name(" .. "), "workspace.querylore");
}

#[test]
fn a_workspace_is_known_by_its_first_bytes_or_by_its_name() {
    assert!(is_archive("x.db", b"PK\x03\x04..."));
    assert!(is_archive("x.zip", b"PK\x05\x06"));
    assert!(is_archive("Team.Querylore", b"garbage"));
    assert!(!is_archive("team.querylore", b"SQLite format 3\0"));
    assert!(!is_archive("x.sqlite", b"SQLite format 3\0"));
}

proptest! {
    #[test]
    fn changed_bytes_never_open_as_something_else(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let file = export(true, true);
        let mut changed = file.clone();
        for (at, byte) in changes {
            let at = at.index(changed.len());
            changed[at] = byte;
        }
        if let Ok(((_, history, _), _)) = open(&changed) {
            prop_assert_eq!(history, Some(stored()));
        }
    }

    #[test]
    fn any_bytes_are_refused_in_peace(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(open(&bytes).is_err());
    }
}
