//! Merging records into a knowledge base, one at a time, so that a page can do it in slices.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use sqlparser::ast::Query;

use super::import::{RawHistory, RawRecord};
use super::report::{Merge, Note, Reason, Report, Skip, excerpt};
use super::{Edit, Entry, Item, KnowledgeBase, Occurrence, Stepwise, normal, tables};
use crate::sql::components::split_query;
use crate::sql::describe::{self, Description, Phrases};
use crate::sql::missing::missing_columns;
use crate::sql::{Component, ComponentType, Schema, SqlError, dialect, parse_query};

/// Longer queries are left out.
pub const MAX_QUERY_BYTES: usize = 1_000_000;

/// Different descriptions counted of one item; literals can make every occurrence's its own.
const MAX_DESCRIPTIONS: usize = 16;

/// Builds a knowledge base from the records of a file.
///
/// Time and memory are linear in the size of the records. Two records are one entry when their queries
/// are the same up to white space, comments, the case of words outside quotes, and a closing semicolon.
pub struct Builder {
    schema: Schema,
    records: std::vec::IntoIter<RawRecord>,
    total: usize,
    base: KnowledgeBase,
    /// Entries by their normal form.
    known: HashMap<String, u32>,
    /// Items by type and skeleton.
    items: HashMap<(ComponentType, String), u32>,
    /// Components in words.
    phrases: Phrases,
    /// How often an item was described how, parallel to the items.
    described: Vec<Vec<(Description, u32)>>,
    /// Places in the report's merges, by entry.
    merges: HashMap<u32, usize>,
    /// Questions that were not kept, by entry, so that each is reported once.
    other_questions: HashSet<(u32, String)>,
    report: Report,
}

impl Builder {
    /// Starts a knowledge base on the records of a file.
    pub fn new(history: RawHistory, schema: Schema) -> Self {
        Self::onto(KnowledgeBase::default(), history, schema)
    }

    /// Adds the records of a file to a knowledge base; its entries keep their ids, its items may get
    /// others.
    pub fn onto(base: KnowledgeBase, history: RawHistory, schema: Schema) -> Self {
        let RawHistory { name, records, skipped, other_databases, unused_columns } = history;
        let read = skipped.len();
        let report = Report { name, read, skipped, other_databases, unused_columns, ..Report::default() };
        let known = base.entries.iter().map(|e| (normal::key(&e.sql), e.id)).collect();
        let items = (0..).zip(&base.items).map(|(i, item)| ((item.kind, item.skeleton.clone()), i)).collect();
        let described = base.items.iter().map(|item| {
            let description = Description { title: item.title.clone(), sentence: item.description.clone() };
            vec![(description, small(item.occurrences.len()))]
        });
        Self {
            described: described.collect(),
            phrases: Phrases::default(),
            schema,
            total: records.len(),
            records: records.into_iter(),
            base,
            known,
            items,
            merges: HashMap::new(),
            other_questions: HashSet::new(),
            report,
        }
    }

    /// Handles every record.
    pub fn whole(mut self) -> (KnowledgeBase, Report) {
        while self.step() {}
        self.finish()
    }

    /// The knowledge base and what became of every record; records not handled yet are reported as not read.
    pub fn finish(mut self) -> (KnowledgeBase, Report) {
        self.report.unread = self.records.len();
        self.report.skipped.sort_by_key(|s| (s.line, s.number));
        self.report.merges.sort_by_key(|m| m.entry);
        for (item, described) in self.base.items.iter_mut().zip(self.described) {
            // The first of the most frequent ones.
            let best = described.into_iter().rev().max_by_key(|(_, times)| *times);
            if let Some((Description { title, sentence }, _)) = best {
                (item.title, item.description) = (title, sentence);
            }
        }
        sort_items(&mut self.base);
        (self.base, self.report)
    }

    fn take(&mut self, record: &RawRecord) -> Result<(), Reason> {
        let bytes = record.sql.len();
        if bytes > MAX_QUERY_BYTES {
            return Err(Reason::TooLong { bytes, limit: MAX_QUERY_BYTES });
        }
        let key = normal::key(&record.sql);
        if record.variables.is_empty()
            && let Some(&entry) = self.known.get(&key)
        {
            self.merge(entry, record);
            return Ok(());
        }
        let Read { query, sql, key, remarks } = read(record, key)?;
        if let Some(&entry) = self.known.get(&key) {
            self.merge(entry, record);
            return Ok(());
        }
        let components = split_query(&query, &sql, &self.schema);
        let id = small(self.base.entries.len());
        self.known.insert(key, id);
        self.report.kept += 1;
        self.say_odd_count(id, record);
        let notes = remarks.into_iter().map(|text| Note { line: record.line, entry: id, text });
        self.report.notes.extend(notes);
        let tables = ("a table", "tables", tables::unknown(&query, &self.schema));
        let columns = ("a column", "columns", missing_columns(&query, &self.schema));
        for (one, more, unknown) in [tables, columns].into_iter().filter(|(.., names)| !names.is_empty()) {
            let what = if unknown.len() == 1 { one } else { more };
            let text = format!("reads {what} this database does not have: {}", unknown.join(", "));
            self.report.notes.push(Note { line: record.line, entry: id, text });
        }
        let phrases: Vec<String> =
            components.iter().map(|component| self.phrases.phrase(component, &self.schema)).collect();
        self.base.summaries.push(describe::summarize_as(&components, &phrases, &self.schema));
        self.base.entries.push(Entry {
            id,
            sql: sql.into_owned(),
            question: record.question.clone(),
            user: record.user.clone(),
            time: record.time.clone(),
            count: record.count.unwrap_or(1).max(1),
            source_ids: record.id.into_iter().collect(),
            line: Some(record.line),
        });
        let mut items = Vec::new();
        for (component, phrase) in components.into_iter().zip(phrases) {
            let item = self.occur(id, component, &phrase);
            if !items.contains(&item) {
                items.push(item);
            }
        }
        self.base.entry_items.push(items);
        Ok(())
    }

    /// Says what stands where the count of a record should be.
    fn say_odd_count(&mut self, entry: u32, record: &RawRecord) {
        if let Some(odd) = &record.odd_count {
            let text =
                format!("its count “{}” is no whole number that can be read; it counts once", excerpt(odd));
            self.report.notes.push(Note { line: record.line, entry, text });
        }
    }

    /// Counts a record as a duplicate of an entry.
    fn merge(&mut self, id: u32, record: &RawRecord) {
        self.report.merged += 1;
        self.say_odd_count(id, record);
        let merges = &mut self.report.merges;
        let place = *self.merges.entry(id).or_insert_with(|| {
            merges.push(Merge { entry: id, lines: Vec::new() });
            merges.len() - 1
        });
        if let Some(merge) = merges.get_mut(place) {
            merge.lines.push(record.line);
        }
        let Some(entry) = self.base.entries.get_mut(id as usize) else { return };
        entry.count = entry.count.saturating_add(record.count.unwrap_or(1).max(1));
        entry.source_ids.extend(record.id);
        entry.user = entry.user.take().or_else(|| record.user.clone());
        entry.time = entry.time.take().or_else(|| record.time.clone());
        match (&entry.question, &record.question) {
            (None, question) => entry.question.clone_from(question),
            (Some(kept), Some(other)) => {
                let same = kept.trim().eq_ignore_ascii_case(other.trim());
                if !same && self.other_questions.insert((id, other.clone())) {
                    let text = format!("the same query with another question, the first is kept: {other}");
                    self.report.notes.push(Note { line: record.line, entry: id, text });
                }
            }
            _ => {}
        }
    }

    /// Adds an occurrence to its item, which may be new; returns the item's index.
    fn occur(&mut self, entry: u32, component: Component, phrase: &str) -> u32 {
        let description = describe::describe_as(&component, phrase);
        let Component { kind, sql, skeleton, literals, tables, columns, lines, .. } = component;
        let new = small(self.base.items.len());
        let index = *self.items.entry((kind, skeleton.clone())).or_insert(new);
        if index == new {
            let (title, description) = (String::new(), String::new());
            let occurrences = Vec::new();
            let edit = Edit::default();
            self.base.items.push(Item {
                kind,
                skeleton,
                title,
                description,
                occurrences,
                tables,
                columns,
                edit,
            });
            self.described.push(Vec::new());
        }
        if let Some(item) = self.base.items.get_mut(index as usize) {
            item.occurrences.push(Occurrence { entry, sql, literals, lines });
        }
        if let Some(described) = self.described.get_mut(index as usize) {
            let full = described.len() == MAX_DESCRIPTIONS;
            match described.iter_mut().find(|(d, _)| *d == description) {
                Some((_, times)) => *times += 1,
                None if full => {}
                None => described.push((description, 1)),
            }
        }
        index
    }
}

/// A record a step.
impl Stepwise for Builder {
    fn step(&mut self) -> bool {
        let Some(record) = self.records.next() else { return false };
        self.report.read += 1;
        if let Err(reason) = self.take(&record) {
            self.report.skipped.push(Skip::new(record.line, record.number, reason, &record.sql));
        }
        true
    }

    fn progress(&self) -> (usize, usize) {
        (self.total - self.records.len(), self.total)
    }
}

/// Puts the items most seen first within each type; those seen equally often keep their order.
fn sort_items(base: &mut KnowledgeBase) {
    let mut order: Vec<(ComponentType, std::cmp::Reverse<u64>, u32)> = (0..)
        .zip(&base.items)
        .map(|(i, item)| (item.kind, std::cmp::Reverse(base.times_seen(item)), i))
        .collect();
    order.sort_unstable();
    let mut place = vec![0; order.len()];
    let mut items: Vec<Option<Item>> = std::mem::take(&mut base.items).into_iter().map(Some).collect();
    for (new, (_, _, old)) in (0..).zip(&order) {
        base.items.extend(items.get_mut(*old as usize).and_then(Option::take));
        if let Some(place) = place.get_mut(*old as usize) {
            *place = new;
        }
    }
    for item in base.entry_items.iter_mut().flatten() {
        *item = place.get(*item as usize).copied().unwrap_or(*item);
    }
}

/// A query of the history, read.
struct Read<'r> {
    query: Query,
    /// Its text as it is kept.
    sql: Cow<'r, str>,
    /// The normal form of that text.
    key: String,
    /// What the user should know about it.
    remarks: Vec<String>,
}

/// Reads a query as SQLite does, with what other systems say differently put in SQLite's words first; what SQLite's
/// grammar refuses even so is read as another system's.
fn read(record: &RawRecord, key: String) -> Result<Read<'_>, Reason> {
    let mut remarks: Vec<String> =
        record.within.iter().map(|within| format!("the query inside {within}")).collect();
    let (sql, told) = match dialect::to_sqlite(&record.sql, &record.variables) {
        Some(dialect::Rewritten { sql, told }) => (Cow::Owned(sql), told),
        None => (Cow::Borrowed(record.sql.as_str()), Vec::new()),
    };
    let key = if told.is_empty() { key } else { normal::key(&sql) };
    match parse_query(&sql) {
        Ok(query) => {
            if !told.is_empty() {
                remarks.push(format!("rewritten for SQLite: {}", told.join(", ")));
            }
            if dialect::keeps_top(&sql) {
                remarks.push(elsewhere("SQL Server"));
            }
            Ok(Read { query, sql, key, remarks })
        }
        Err(error) => {
            let other = match error {
                SqlError::Syntax { .. } => dialect::parse_other(&sql),
                _ => Err(None),
            };
            match (other, dialect::foreign(&record.sql, &error)) {
                (Ok((query, system)), _) => {
                    remarks.push(elsewhere(system));
                    Ok(Read { query, sql, key, remarks })
                }
                (Err(_), Some(what)) => Err(Reason::Foreign(what.to_owned())),
                // What is plainly of another system is not measured against SQLite.
                (Err(Some((theirs, system))), None) => Err(match reason(theirs, record) {
                    Reason::Syntax { message, line, column } => {
                        Reason::Syntax { message: format!("as SQL of {system}, {message}"), line, column }
                    }
                    other => other,
                }),
                (Err(None), None) => Err(reason(error, record)),
            }
        }
    }
}

/// The remark on a query that is kept in the words of another system.
fn elsewhere(system: &str) -> String {
    format!("read as SQL of {system}: SQLite does not run it as it stands")
}

fn reason(error: SqlError, record: &RawRecord) -> Reason {
    match error {
        SqlError::NotAQuery(word) => Reason::NotAQuery(word),
        SqlError::Empty => Reason::Empty,
        SqlError::TooDeep => Reason::TooDeep,
        SqlError::Syntax { message, line, column } if record.verbatim => {
            // The message may name the place inside the query; the file's line stands in its stead.
            let message = match (message.starts_with("Line "), message.split_once(": ")) {
                (true, Some((_, rest))) if line.is_some() => rest.to_owned(),
                _ => message,
            };
            // On its first line a query may start anywhere.
            let column = column.filter(|_| line.is_some_and(|l| l > 1));
            let line = line.map(|l| record.line.saturating_add(l.saturating_sub(1)));
            Reason::Syntax { message, line, column }
        }
        SqlError::Syntax { message, .. } => Reason::Syntax { message, line: None, column: None },
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
