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

/// Hands every line that holds something to `take`.
pub(super) fn each(text: &str, take: &mut dyn FnMut(Row)) {
    let lines = (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty());
    for (number, (line, content)) in (1..).zip(lines) {
        let cells = match parts(content) {
            Some((sql, database)) => Ok(vec![Some(sql.to_owned()), Some(database.to_owned())]),
            None => Err("no tab and database name behind the query".to_owned()),
        };
        take(Row { line, number, cells, text: content.chars().take(200).collect() });
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
        let mut found = Vec::new();
        each("SELECT 1\tcars\n\nSELECT 2\n", &mut |row| found.push((row.line, row.cells.is_ok())));
        assert_eq!(found, [(1, true), (3, false)]);
    }
}
