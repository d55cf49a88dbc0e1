//! The same question about other values.

use querylore::db::{Database, QueryLimits, Value, quote_ident};
use querylore::sql::{BoundLiteral, LiteralValue, Operator, Schema, literals};

use crate::common::Pair;

/// Values of a column that are looked at.
const MOST_VALUES: usize = 2000;

/// `pair` with another value of the same column for every literal that its question names, in question and SQL alike;
/// None where the question names none that has another value.
pub fn with_other_values(pair: &Pair, db: &Database, schema: &Schema) -> Option<Pair> {
    let found = literals(&pair.sql, schema).ok()?;
    let (mut question, mut replaced) = (pair.question.clone(), Vec::new());
    let mut values: Vec<&LiteralValue> = Vec::new();
    for literal in &found {
        if values.contains(&&literal.value) {
            continue;
        }
        values.push(&literal.value);
        let group: Vec<&BoundLiteral> = found.iter().filter(|other| other.value == literal.value).collect();
        // The same number for two things cannot be told apart in the question.
        if !group.iter().all(|other| other.column == literal.column && compares(other)) {
            continue;
        }
        let Some(new) = another(literal, &pair.question, db) else { continue };
        let Some(text) = in_question(&question, &said(literal), &new) else { continue };
        question = text;
        replaced.extend(group.iter().map(|other| (other.range.clone(), written(other, &new))));
    }
    replaced.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut sql = pair.sql.clone();
    for (range, text) in &replaced {
        sql.replace_range(range.clone(), text);
    }
    (!replaced.is_empty()).then_some(Pair { question, sql, id: pair.id })
}

fn compares(literal: &BoundLiteral) -> bool {
    use Operator::{
        BetweenHigh, BetweenLow, Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, Like, NotEqual,
    };
    let kinds =
        [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual, BetweenLow, BetweenHigh, In, Like];
    literal.column.is_some() && literal.function.is_none() && kinds.contains(&literal.operator)
}

/// What a question writes for a literal.
fn said(literal: &BoundLiteral) -> String {
    match &literal.value {
        LiteralValue::Text(text) => text.trim_matches(['%', '_']).to_owned(),
        LiteralValue::Number(number) => number.clone(),
    }
}

/// The value half way round the sorted ones of the literal's column; a pattern takes its first word.
fn another(literal: &BoundLiteral, question: &str, db: &Database) -> Option<String> {
    let (table, column) = literal.column.as_ref()?;
    let (table, column) = (quote_ident(table), quote_ident(column));
    let kinds = match literal.value {
        LiteralValue::Text(_) => "'text'",
        LiteralValue::Number(_) => "'integer', 'real'",
    };
    let sql = format!(
        "SELECT DISTINCT {column} FROM {table} WHERE typeof({column}) IN ({kinds}) AND length({column}) <= 40 ORDER BY {column}"
    );
    let limits = QueryLimits { timeout_ms: 2_000, max_rows: MOST_VALUES };
    let rows = db.execute(&sql, limits).ok()?.rows;
    let values: Vec<String> = rows
        .into_iter()
        .filter_map(|row| match row.into_iter().next()? {
            Value::Text(text) if literal.operator == Operator::Like => {
                text.split_whitespace().next().map(str::to_owned)
            }
            Value::Text(text) => Some(text),
            Value::Integer(number) => Some(number.to_string()),
            Value::Real(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    let own = said(literal).to_lowercase();
    let at = values.iter().position(|value| value.to_lowercase() >= own).unwrap_or(0);
    let asked = question.to_lowercase();
    let other = |value: &&String| {
        let lower = value.to_lowercase();
        lower != own && value.chars().any(char::is_alphanumeric) && !asked.contains(&lower)
    };
    values.iter().cycle().skip(at + values.len() / 2).take(values.len()).find(other).cloned()
}

/// The question with `new` for every mention of `old`, in lower case where it writes that so; None where it has none.
fn in_question(question: &str, old: &str, new: &str) -> Option<String> {
    let (lower, old) = (question.to_ascii_lowercase(), old.to_ascii_lowercase());
    let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (mut text, mut from) = (String::new(), 0);
    for (start, found) in lower.match_indices(&old).filter(|(_, found)| !found.is_empty()) {
        let end = start + found.len();
        if inner(question[..start].chars().next_back()) || inner(question[end..].chars().next()) {
            continue;
        }
        let mention = &question[start..end];
        text.push_str(&question[from..start]);
        if mention == mention.to_lowercase() {
            text.push_str(&new.to_lowercase());
        } else {
            text.push_str(new);
        }
        from = end;
    }
    text.push_str(&question[from..]);
    (from > 0).then_some(text)
}

/// The value as the literal writes it, with the wildcards of a pattern.
fn written(literal: &BoundLiteral, new: &str) -> String {
    let LiteralValue::Text(old) = &literal.value else { return new.to_owned() };
    let text =
        if literal.operator == Operator::Like { old.replace(&said(literal), new) } else { new.to_owned() };
    format!("'{}'", text.replace('\'', "''"))
}
