//! What a question asks for by name, what a query gives, and giving the one in place of the other.
//!
//! A query's output is only ever changed where the history's own question names exactly what the query gives: there
//! the words and the columns are known to mean the same.

use std::ops::Range;

use super::bind::Binding;
use super::clauses::{Clauses, Tables, unquoted};
use super::names::Names;
use super::replace::Replacement;
use super::values::ColumnName;
use crate::retrieval::words::{is_stop_word, words};

/// Words passed over before the first column is named.
const LEAD: usize = 6;

/// Words that lead from what is asked for to the rows it is asked of.
const RESTRICTS: &[&str] =
    &["whose", "with", "where", "for", "of", "in", "from", "that", "have", "has", "had", "having"];

/// How rows become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// COUNT
    Count,
    /// SUM
    Sum,
    /// AVG
    Average,
    /// MAX
    Most,
    /// MIN
    Least,
}

impl Measure {
    fn of_function(name: &str) -> Option<Self> {
        let measures = [Self::Count, Self::Sum, Self::Average, Self::Most, Self::Least];
        measures.into_iter().find(|measure| measure.function().eq_ignore_ascii_case(name))
    }

    fn function(self) -> &'static str {
        match self {
            Self::Count => "COUNT",
            Self::Sum => "SUM",
            Self::Average => "AVG",
            Self::Most => "MAX",
            Self::Least => "MIN",
        }
    }

    /// What a question calls it before a column's name.
    fn of_word(lower: &str) -> Option<Self> {
        match lower {
            "average" | "mean" | "avg" => Some(Self::Average),
            "total" | "sum" => Some(Self::Sum),
            "maximum" | "max" => Some(Self::Most),
            "minimum" | "min" => Some(Self::Least),
            _ => None,
        }
    }
}

/// One output: a column, a measure of it, or a count of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    /// The measure, if any.
    pub measure: Option<Measure>,
    /// The column; None when rows are counted.
    pub column: Option<ColumnName>,
}

/// How a query's output fits the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Fit {
    /// Nothing can be said: one of the questions names no column, or other ones than the history's query gives.
    #[default]
    Unknown,
    /// The question asks for what the query gives.
    Same,
    /// It asked for something else, which the query now gives.
    Changed,
    /// It asks for something else.
    Other,
}

/// What a question asks for, as far as it names columns of the tables: "names and average age of the sailors".
/// The range is that of the words.
pub(super) fn wanted(question: &str, names: &Names) -> (Vec<Output>, Range<usize>) {
    let none = || (Vec::new(), 0..0);
    let words = words(question);
    let lower: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let is = |at: usize, wanted: &[&str]| lower.get(at).is_some_and(|word| wanted.contains(&word.as_str()));
    // A group's answer has a row for each group, which the words before do not tell.
    if lower.iter().any(|word| matches!(word.as_str(), "each" | "every" | "per")) {
        return none();
    }
    if let Some(at) = lower.windows(2).position(|pair| pair == ["how", "many"] || pair == ["number", "of"]) {
        let counted = at <= LEAD || lower.get(at).is_some_and(|word| word == "how");
        let range = words.get(at).map_or(0, |word| word.start)..words.get(at + 1).map_or(0, |word| word.end);
        let count = Output { measure: Some(Measure::Count), column: None };
        return if counted { (vec![count], range) } else { none() };
    }
    let (mut found, mut measures): (Vec<Output>, Vec<Measure>) = (Vec::new(), Vec::new());
    let (mut first, mut last) = (None, 0);
    // "Name the powers" is an order; "name the boat", of a table, wants its name.
    let told = is(0, &["name"])
        && is(1, &["the", "all", "a", "an", "those", "these"])
        && !lower.get(2).is_some_and(|word| names.is_whole_table(word));
    let (mut at, mut passed) = (usize::from(told), 0);
    while at < words.len() {
        if let Some(measure) = lower.get(at).and_then(|word| Measure::of_word(word)) {
            measures.push(measure);
            first = first.or(Some(at));
        } else if let Some((column, length)) = names.at(&words, at) {
            let kinds: Vec<Option<Measure>> =
                if measures.is_empty() { vec![None] } else { measures.drain(..).map(Some).collect() };
            found.extend(kinds.into_iter().map(|measure| Output { measure, column: Some(column.clone()) }));
            first = first.or(Some(at));
            at += length;
            last = at - 1;
            // "and", a comma, an article or a pronoun may lead to the next one.
            while is(at, &["and", "the", "its", "their", "his", "her", "as", "well", "also", "both"]) {
                at += 1;
            }
            let goes_on =
                names.at(&words, at).is_some() || lower.get(at).and_then(|w| Measure::of_word(w)).is_some();
            if !goes_on {
                break;
            }
            continue;
        } else if !found.is_empty() {
            break;
        } else if !is_stop_word(&lower[at]) && !names.is_table(&lower[at]) {
            passed += 1;
        }
        at += 1;
        // What follows says which rows, not what of them.
        if passed > LEAD || (at > 1 && is(at - 1, RESTRICTS)) {
            break;
        }
    }
    let start = first.and_then(|at| words.get(at)).map_or(0, |word| word.start);
    if found.is_empty() { none() } else { (found, start..words.get(last).map_or(start, |word| word.end)) }
}

/// What the query gives; None where it gives anything but columns and simple measures.
pub(super) fn given(sql: &str, clauses: &Clauses, sources: &Tables<'_>) -> Option<Vec<Output>> {
    Clauses::pieces(sql, clauses.list.clone()).into_iter().map(|piece| output(sql, piece, sources)).collect()
}

fn output(sql: &str, piece: Range<usize>, sources: &Tables<'_>) -> Option<Output> {
    let words = Clauses::words(sql, piece);
    let bare = match words.as_slice() {
        [rest @ .., keyword, _] if keyword.eq_ignore_ascii_case("as") => rest,
        all => all,
    };
    let column = |words: &[&str]| match words {
        [column] => sources.resolve(None, unquoted(column)),
        [table, ".", column] => sources.resolve(Some(unquoted(table)), unquoted(column)),
        _ => None,
    };
    match bare {
        [function, "(", inner @ .., ")"] => {
            let measure = Some(Measure::of_function(function)?);
            let inner = match inner {
                [word, rest @ ..] if word.eq_ignore_ascii_case("distinct") => rest,
                all => all,
            };
            if measure == Some(Measure::Count) {
                // Which rows are counted matters little for what is asked.
                return (inner == ["*"] || column(inner).is_some())
                    .then_some(Output { measure, column: None });
            }
            Some(Output { measure, column: Some(column(inner)?) })
        }
        all => Some(Output { measure: None, column: Some(column(all)?) }),
    }
}

/// Compares what `questions` (old, new) ask for with what the query gives, and puts the new in its place.
pub(super) fn edit(
    sql: &str,
    clauses: &Clauses,
    sources: &Tables<'_>,
    questions: (&str, &str),
    binding: &mut Binding,
) -> Fit {
    let names = Names::of(sources.tables());
    let Some(gives) = given(sql, clauses, sources) else { return Fit::Unknown };
    let ((old, from), (new, to)) = (wanted(questions.0, &names), wanted(questions.1, &names));
    let same = |a: &[Output], b: &[Output]| a.len() == b.len() && a.iter().all(|output| b.contains(output));
    if new.is_empty() || !same(&old, &gives) {
        return Fit::Unknown;
    }
    if same(&new, &gives) {
        if old == gives && new != gives {
            reorder(sql, clauses, (&gives, &new), binding);
        }
        return Fit::Same;
    }
    let single = |outputs: &[Output]| outputs.iter().any(|output| output.measure.is_some());
    let rows_matter = clauses.order.is_some() || clauses.limited;
    if clauses.grouped || (rows_matter && single(&new)) {
        return Fit::Other;
    }
    let written: Option<Vec<String>> = new
        .iter()
        .map(|output| {
            let column = match &output.column {
                Some((table, column)) => sources.write(table, column)?,
                None => "*".to_owned(),
            };
            Some(match output.measure {
                Some(measure) => format!("{}({column})", measure.function()),
                None => column,
            })
        })
        .collect();
    let Some(written) = written else { return Fit::Other };
    let (mut range, mut after) = (clauses.list.clone(), written.join(", "));
    if let (Some(distinct), true) = (&clauses.distinct, single(&new)) {
        range.start = distinct.start;
        // Different things are still counted as different ones.
        if let ([Output { column: Some((table, column)), .. }], [Output { column: None, .. }]) =
            (gives.as_slice(), new.as_slice())
            && let Some(column) = sources.write(table, column)
        {
            after = format!("COUNT(DISTINCT {column})");
        }
    }
    let reason = format!("The question asks for {}.", said(&new));
    binding.changes.push(Replacement { range, after, reason });
    binding.old_marks.push((from, "output".to_owned()));
    binding.marks.push((to, "output".to_owned()));
    Fit::Changed
}

/// Puts what the query gives in the order in which the question names it: the history's question did so.
fn reorder(sql: &str, clauses: &Clauses, (gives, wanted): (&[Output], &[Output]), binding: &mut Binding) {
    let pieces = Clauses::pieces(sql, clauses.list.clone());
    let written: Option<Vec<&str>> = wanted
        .iter()
        .map(|output| sql.get(pieces.get(gives.iter().position(|given| given == output)?)?.clone()))
        .collect();
    // An order by number means the place in the list.
    let by_place = clauses.order.clone().is_some_and(|order| {
        let mut terms = Clauses::pieces(sql, order).into_iter();
        terms.any(|term| Clauses::words(sql, term).first().is_some_and(|word| word.parse::<u32>().is_ok()))
    });
    if let Some(written) = written.filter(|_| !by_place) {
        let reason = "The question names them in this order.".to_owned();
        let range = clauses.list.clone();
        binding.changes.push(Replacement { range, after: written.join(", "), reason });
    }
}

/// Outputs in words.
fn said(outputs: &[Output]) -> String {
    let words = outputs.iter().map(|output| {
        let column = output.column.as_ref().map(|(table, column)| format!("{table}.{column}"));
        match (output.measure, column) {
            (Some(Measure::Sum), Some(column)) => format!("the sum of {column}"),
            (Some(Measure::Average), Some(column)) => format!("the average of {column}"),
            (Some(Measure::Most), Some(column)) => format!("the largest {column}"),
            (Some(Measure::Least), Some(column)) => format!("the smallest {column}"),
            (None, Some(column)) => column,
            (_, None) | (Some(Measure::Count), Some(_)) => "a count".to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}
