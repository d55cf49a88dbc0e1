//! Looking through a file before it is read: what its columns hold, how many records it has, which databases they name.

use std::collections::BTreeMap;

use super::columns::{self, Survey};
use super::rows::Row;
use super::source::{Contents, Reached, Source};
use super::{Format, ImportError, Mapping, Plan, detect};
use crate::history::Stepwise;
use crate::sql::statements::{PIECES, Step};

/// Looks through a file, a statement or row at a time.
pub struct Inspection<'a> {
    source: &'a Source<'a>,
    contents: Contents<'a>,
    reached: Reached,
    survey: Survey,
    records: usize,
    /// Rows that cannot be read, and what is wrong with the first one.
    broken: usize,
    first: Option<ImportError>,
}

impl<'a> Inspection<'a> {
    /// Starts at the beginning of a file.
    pub fn new(source: &'a Source<'a>) -> Result<Self, ImportError> {
        if source.columns.is_empty() && source.format != Format::Script {
            return Err(source.without_columns());
        }
        let survey = Survey::new(&source.columns);
        Ok(Self {
            source,
            contents: source.contents(),
            reached: Reached::default(),
            survey,
            records: 0,
            broken: 0,
            first: None,
        })
    }

    /// How the file can be read.
    pub fn finish(mut self) -> Result<Plan, ImportError> {
        if let Contents::Script(records) = &self.contents {
            self.records += usize::from(records.unread().is_some());
        }
        let (columns, mapping, databases) = self.survey.finish();
        // Nobody can choose a column that has no cell to look at.
        if let Some(error) = self.first.filter(|_| self.broken == self.records && mapping.sql.is_none()) {
            return Err(error);
        }
        if self.records == 0 {
            return Err(ImportError::NoRecords);
        }
        Ok(Plan {
            name: self.source.name.clone(),
            format: detect::benchmark(self.source.format, &mapping),
            columns,
            mapping,
            databases,
            database: None,
            records: self.records,
        })
    }
}

impl Stepwise for Inspection<'_> {
    fn step(&mut self) -> bool {
        match &mut self.contents {
            Contents::Script(records) => match records.step(PIECES) {
                Step::Found(_) => self.records += 1,
                Step::Later => {}
                Step::End => return false,
            },
            Contents::Rows(rows) => {
                let Some(Row { line, cells, .. }) = rows.next() else { return false };
                self.records += 1;
                match cells {
                    Ok(cells) => self.survey.add(&cells),
                    Err(why) => {
                        self.broken += 1;
                        self.first.get_or_insert(ImportError::NoRow { line, why });
                    }
                }
            }
        }
        true
    }

    fn progress(&self) -> (usize, usize) {
        self.reached.of(&self.contents, self.source)
    }
}

/// Counts the databases that rows name, a row at a time.
pub struct Counting<'a> {
    source: &'a Source<'a>,
    contents: Contents<'a>,
    reached: Reached,
    place: Option<usize>,
    counts: BTreeMap<String, usize>,
}

impl<'a> Counting<'a> {
    /// Starts at the beginning of a file, for the column that `plan` maps to the database.
    pub fn new(source: &'a Source<'a>, plan: &Plan) -> Self {
        let Mapping { db_id, .. } = &plan.mapping;
        let place = source.place(db_id.as_deref());
        Self {
            source,
            contents: source.contents(),
            reached: Reached::default(),
            place,
            counts: BTreeMap::new(),
        }
    }

    /// The databases with their numbers of rows, most rows first.
    pub fn finish(self) -> Vec<(String, usize)> {
        columns::by_rows(self.counts)
    }
}

impl Stepwise for Counting<'_> {
    fn step(&mut self) -> bool {
        let (Contents::Rows(rows), Some(place)) = (&mut self.contents, self.place) else { return false };
        let Some(row) = rows.next() else { return false };
        let cell = row.cells.ok().and_then(|cells| cells.into_iter().nth(place).flatten());
        if let Some(name) = cell.filter(|c| !c.trim().is_empty()) {
            *self.counts.entry(name).or_default() += 1;
        }
        true
    }

    fn progress(&self) -> (usize, usize) {
        self.reached.of(&self.contents, self.source)
    }
}
