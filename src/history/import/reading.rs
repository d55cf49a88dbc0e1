//! Taking the records out of a file, as a plan says.

use super::rows::Row;
use super::source::{Contents, Reached, Source};
use super::{Format, ImportError, Mapping, Plan, RawHistory, RawRecord, columns, script, text};
use crate::history::Stepwise;
use crate::history::report::{Reason, Skip};
use crate::sql::statements::{PIECES, Step};

/// Takes the records out of a file, a statement or row at a time.
pub struct Reading<'a> {
    source: &'a Source<'a>,
    contents: Contents<'a>,
    reached: Reached,
    /// Where the cells are; None for a script.
    places: Option<Places>,
    plan: &'a Plan,
    history: RawHistory,
}

impl<'a> Reading<'a> {
    /// Starts at the beginning of a file.
    pub fn new(source: &'a Source<'a>, plan: &'a Plan) -> Result<Self, ImportError> {
        let contents = source.contents();
        let places = match contents {
            Contents::Script(_) => None,
            Contents::Rows(_) => Some(Places::new(&plan.mapping, source)?),
        };
        let used = plan.mapping.columns();
        let unused_columns = source.columns.iter().filter(|c| !used.contains(&c.as_str())).cloned().collect();
        let history = RawHistory { name: plan.name.clone(), unused_columns, ..RawHistory::default() };
        Ok(Self { source, contents, reached: Reached::default(), places, plan, history })
    }

    /// The records.
    pub fn finish(mut self) -> RawHistory {
        if let Contents::Script(records) = &self.contents {
            self.history.skipped.extend(records.unread());
        }
        self.history
    }
}

impl Stepwise for Reading<'_> {
    fn step(&mut self) -> bool {
        match (&mut self.contents, &self.places) {
            (Contents::Script(records), _) => match records.step(PIECES) {
                Step::Found(record) => self.history.records.push(record),
                Step::Later => {}
                Step::End => return false,
            },
            (Contents::Rows(rows), Some(places)) => match rows.next() {
                Some(row) => places.take(row, self.plan, &mut self.history),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn progress(&self) -> (usize, usize) {
        self.reached.of(&self.contents, self.source)
    }
}

/// The mapping as positions in a row.
struct Places {
    sql: usize,
    question: Option<usize>,
    user: Option<usize>,
    time: Option<usize>,
    count: Option<usize>,
    id: Option<usize>,
    db_id: Option<usize>,
}

impl Places {
    fn new(mapping: &Mapping, source: &Source) -> Result<Self, ImportError> {
        let place = |name: &Option<String>| source.place(name.as_deref());
        let sql = place(&mapping.sql)
            .ok_or_else(|| ImportError::NoSqlColumn { columns: source.columns.clone() })?;
        Ok(Self {
            sql,
            question: place(&mapping.question),
            user: place(&mapping.user),
            time: place(&mapping.time),
            count: place(&mapping.count),
            id: place(&mapping.id),
            db_id: place(&mapping.db_id),
        })
    }

    /// Adds what a row holds to the history: one record for each statement in its SQL cell.
    fn take(&self, row: Row, plan: &Plan, history: &mut RawHistory) {
        let Row { line, number, cells, text } = row;
        let cells = match cells {
            Ok(cells) => cells,
            Err(why) => return history.skipped.push(Skip::new(line, number, Reason::Row(why), &text)),
        };
        let cell = |place: Option<usize>| {
            let value = cells.get(place?)?.as_deref()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        if plan.database.is_some() && self.db_id.is_some() && cell(self.db_id) != plan.database {
            history.other_databases += 1;
            return;
        }
        let sql = cells.get(self.sql).and_then(Option::as_deref).unwrap_or_default();
        let verbatim = matches!(plan.format, Format::Table { .. } | Format::Gold);
        let mut line = line;
        if verbatim {
            // Cells before it may hold line breaks of their own.
            let before =
                cells.iter().take(self.sql).flatten().map(|c| text::newlines(c.as_bytes())).sum::<usize>();
            line = line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
        }
        let statements = script::records(sql);
        if statements.is_empty() {
            let text = cell(self.question).unwrap_or_default();
            return history.skipped.push(Skip::new(line, number, Reason::Empty, &text));
        }
        let count = cell(self.count).and_then(|c| columns::count(&c));
        let odd_count = cell(self.count).filter(|_| count.is_none());
        for statement in statements {
            history.records.push(RawRecord {
                question: cell(self.question).or(statement.question),
                user: cell(self.user).or(statement.user),
                time: cell(self.time).or(statement.time),
                count: count.or(statement.count),
                odd_count: odd_count.clone(),
                id: cell(self.id).and_then(|c| c.parse().ok()).or(statement.id),
                line: if verbatim { line.saturating_add(statement.line - 1) } else { line },
                sql: statement.sql,
                number,
                verbatim,
                within: statement.within,
                variables: statement.variables,
            });
        }
    }
}
