//! Spider's gold files: a query, a tab and the name of its database on each line.

use super::columns::looks_like_sql;
use super::rows::Row;

/// The columns that such a file stands for.
pub(super) const COLUMNS: [&str; 2] = ["query", "db_id"];

/// Whether most lines have that form.
pub(super) fn is_gold(text: &str) -> bool {
    let lines = || text.lines().filter(|l| !l.trim().is_empty()).take(100);
    let gold = lines().filter(|l| parts(l).is_some_and(|(sql, _)| looks_like_sql(sql))).count();
    gold > 0 && gold * 10 >= lines().count() * 9
}

fn parts(line: &str) -> Option<(&str, &str)> {
    let (sql, database) = line.trim_end().rsplit_once('\t')?;
    let name = !database.is_empty() && database.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    name.then_some((sql, database))
}

/// Every line that holds something.
pub(super) struct Rows<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    number: u32,
}

impl<'a> Rows<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 0, number: 0 }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let content = self.text.get(self.at..)?.split_inclusive('\n').next()?;
            self.at += content.len();
            self.line = self.line.saturating_add(1);
            let content = content.lines().next().unwrap_or_default();
            if content.trim().is_empty() {
                continue;
            }
            self.number = self.number.saturating_add(1);
            let cells = match parts(content) {
                Some((sql, database)) => Ok(vec![Some(sql.to_owned()), Some(database.to_owned())]),
                None => Err("no tab and database name behind the query".to_owned()),
            };
            let text = content.chars().take(200).collect();
            return Some(Row { line: self.line, number: self.number, cells, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gold_files_are_told_from_scripts() {
        assert!(is_gold("SELECT 1\tcars\n\nSELECT 2\tships\n"));
        assert!(!is_gold("SELECT\ta\nFROM\tb\nWHERE\tc = 1"));
        assert!(!is_gold("SELECT 1;\nSELECT 2;"));
    }

    #[test]
    fn a_line_without_a_database_is_said() {
        let rows = Rows::new("SELECT 1\tcars\r\n\nSELECT 2\n");
        let found: Vec<(u32, bool)> = rows.map(|row| (row.line, row.cells.is_ok())).collect();
        assert_eq!(found, [(1, true), (3, false)]);
    }
}
