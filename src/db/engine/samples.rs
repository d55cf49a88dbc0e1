//! Short sample values of a column: a range, a few codes, the newest date, or one example.

use super::service::Database;
use crate::db::overview::ColumnInfo;
use crate::db::value::{DbError, QueryLimits, Value};
use crate::sql::Table;

/// Rows read at the head of a table for codes and examples.
const HEAD_ROWS: usize = 2_000;
/// Columns in one aggregate query.
const CHUNK: usize = 50;
/// Distinct values shown at most.
const MOST_CODES: usize = 6;
/// Characters shown at most.
const MOST_CHARS: usize = 24;

/// Samples of every column; those that the budget does not reach stay empty.
pub(super) fn of_table(
    db: &Database,
    table: &Table,
    rows: u64,
    remaining: &dyn Fn() -> u32,
) -> Result<Vec<ColumnInfo>, DbError> {
    let mut infos = vec![ColumnInfo::default(); table.columns.len()];
    let name = crate::db::quote_ident(&table.name);
    for (start, chunk) in (0..table.columns.len()).step_by(CHUNK).zip(table.columns.chunks(CHUNK)) {
        let quoted: Vec<String> = chunk.iter().map(|column| crate::db::quote_ident(&column.name)).collect();
        // A long text or blob is not copied to be cut to a few characters.
        let head: Vec<String> = quoted
            .iter()
            .map(|c| format!("CASE typeof({c}) WHEN 'blob' THEN zeroblob(min(length({c}), 1)) WHEN 'text' THEN substr({c}, 1, 100) ELSE {c} END"))
            .collect();
        let head = format!("SELECT {} FROM {name} LIMIT {HEAD_ROWS}", head.join(", "));
        let Some(head) = within(db, &head, remaining)? else { break };
        let ends: Vec<String> = quoted
            .iter()
            .map(|c| {
                format!(
                    "substr(min({c}), 1, 100), typeof(min({c})), substr(max({c}), 1, 100), typeof(max({c}))"
                )
            })
            .collect();
        let ends = within(db, &format!("SELECT {} FROM {name}", ends.join(", ")), remaining)?;
        let ends = ends.and_then(|mut rows| rows.pop()).unwrap_or_default();
        for (i, column) in chunk.iter().enumerate() {
            let values: Vec<&Value> = head.iter().filter_map(|row| row.get(i)).collect();
            let range = match ends.get(4 * i..4 * i + 4) {
                Some([low, low_type, high, high_type]) => end(low, low_type).zip(end(high, high_type)),
                _ => None,
            };
            if let Some(info) = infos.get_mut(start + i) {
                *info = describe(&column.name, &values, range, rows <= HEAD_ROWS as u64);
            }
        }
    }
    Ok(infos)
}

/// The rows of a query; None when the budget ends or the table cannot be read so.
fn within(db: &Database, sql: &str, remaining: &dyn Fn() -> u32) -> Result<Option<Vec<Vec<Value>>>, DbError> {
    let limits = QueryLimits { timeout_ms: remaining(), max_rows: HEAD_ROWS };
    match db.query(sql, &[], limits) {
        Ok(result) => Ok(Some(result.rows)),
        Err(DbError::Cancelled) => Err(DbError::Cancelled),
        Err(_) => Ok(None),
    }
}

/// One end of a column's range, typed as it was before it was cut to a hundred characters.
enum End {
    Number(String),
    Text(String),
}

fn end(value: &Value, kind: &Value) -> Option<End> {
    let (Value::Text(text), Value::Text(kind)) = (value, kind) else { return None };
    match kind.as_str() {
        "integer" | "real" => Some(End::Number(text.clone())),
        "text" => Some(End::Text(text.clone())),
        _ => None,
    }
}

fn describe(column: &str, values: &[&Value], range: Option<(End, End)>, whole: bool) -> ColumnInfo {
    let mut counts: Vec<(&Value, usize)> = Vec::new();
    let mut more = false;
    let mut seen = std::collections::HashSet::new();
    for value in values.iter().copied().filter(|value| **value != Value::Null) {
        seen.insert(format!("{value:?}"));
        if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == value) {
            *count += 1;
        } else if counts.len() < MOST_CODES {
            counts.push((value, 1));
        } else {
            more = true;
        }
    }
    let distinct = whole.then_some(seen.len() as u64);
    let samples = match (range, counts.first()) {
        (Some((End::Number(low), End::Number(high))), _) => {
            let year = column.to_ascii_lowercase().contains("year");
            let show = |number: &str| if year { number.to_owned() } else { grouped(number) };
            if low == high { show(&low) } else { format!("{} to {}", show(&low), show(&high)) }
        }
        (Some((_, End::Text(high))), _) if is_date(&high) => cut(&high),
        (_, Some((first, _))) => codes(&mut counts.clone(), more).unwrap_or_else(|| example(first)),
        _ => String::new(),
    };
    ColumnInfo { samples, distinct }
}

/// A few short values, the most frequent first; None where there are too many or they are too long.
fn codes(counts: &mut [(&Value, usize)], more: bool) -> Option<String> {
    if more || counts.iter().all(|(_, count)| *count == 1) {
        return None;
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown: Vec<String> = counts.iter().map(|(value, _)| example(value)).collect();
    let joined = shown.join(" ");
    (joined.chars().count() <= MOST_CHARS).then_some(joined)
}

fn example(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => grouped(&number.to_string()),
        Value::Real(number) => grouped(&number.to_string()),
        Value::Text(text) => cut(text),
        Value::InvalidText(bytes) => cut(&String::from_utf8_lossy(bytes)),
        Value::Blob(_) => "blob".to_owned(),
    }
}

fn cut(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MOST_CHARS {
        return line;
    }
    let mut short: String = line.chars().take(MOST_CHARS - 1).collect();
    short.push('…');
    short
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes.iter().take(10).enumerate().all(|(i, byte)| match i {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// A number with commas between its thousands.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, rest) = digits.find('.').map_or((digits, ""), |at| digits.split_at(at));
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::engine::service::tests::image;
    use crate::db::{Host, introspect};

    #[test]
    fn samples_read_like_the_data() {
        let db = Database::from_bytes(
            image(
                "CREATE TABLE s(id INTEGER PRIMARY KEY, state TEXT, day TEXT, delay REAL, built_year INT, name TEXT,
                   raw BLOB, absent TEXT, big INT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
                 INSERT INTO s SELECT i, substr('AAADDX', i % 6 + 1, 1), date('2024-01-01', (i % 300) || ' days'),
                   i - 118.5, 1950 + i % 60, 'a rather long name of vessel ' || i, x'00', NULL, 9007199254740993 FROM n;",
            ),
            Host::default(),
        )
        .unwrap();
        let got = introspect::overview(&db, 10_000).unwrap();
        let samples: Vec<&str> = got.tables[0].columns.iter().map(|column| column.samples.as_str()).collect();
        assert_eq!(
            samples,
            [
                "1 to 12,000",
                "A D X",
                "2024-10-26",
                "-117.5 to 11,881.5",
                "1950 to 2009",
                "a rather long name of v…",
                "blob",
                "",
                "9,007,199,254,740,993",
            ]
        );
        assert!(got.tables[0].columns.iter().all(|column| column.distinct.is_none()));
    }

    #[test]
    fn small_tables_have_their_distinct_values_counted() {
        let script = "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (1, NULL), (2, 'y'), (3, 'y');";
        let db = Database::from_bytes(image(script), Host::default()).unwrap();
        let got = introspect::overview(&db, 5_000).unwrap();
        assert_eq!(got.tables[0].columns[0].distinct, Some(3));
        assert_eq!(got.tables[0].columns[1], ColumnInfo { samples: "y x".into(), distinct: Some(2) });
    }
}
