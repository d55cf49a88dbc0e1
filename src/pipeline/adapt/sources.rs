//! The same of another table: "How many boats are there?" where the history asks how many harbours there are.

use std::ops::Range;

use super::bind::Binding;
use super::clauses::{Clauses, Tables, unquoted};
use super::names::{root, roots};
use super::replace::Replacement;
use crate::retrieval::words::words;
use crate::sql::{Schema, Table};

/// Reads another table where the whole query reads one, the history's question names it, and the question names one
/// other table in its place. Every column of the list must be in both. True where it did.
pub(super) fn edit(
    sql: &str,
    clauses: &Clauses,
    sources: &Tables<'_>,
    schema: &Schema,
    questions: (&str, &str),
    binding: &mut Binding,
) -> bool {
    let mut read = sources.tables();
    let (Some(table), None) = (read.next(), read.next()) else { return false };
    let rest = clauses.condition.is_some() || clauses.grouped || clauses.limited || clauses.order.is_some();
    if rest || Clauses::words(sql, clauses.from.clone()).len() != 1 {
        return false;
    }
    let (old, new) = (named(questions.0, schema), named(questions.1, schema));
    let ([(was, from)], [(other, to)]) = (old.as_slice(), new.as_slice()) else { return false };
    if !was.name.eq_ignore_ascii_case(&table.name) || other.name == table.name {
        return false;
    }
    let fits = Clauses::words(sql, clauses.list.clone()).into_iter().all(|word| {
        if word == "." {
            return false;
        }
        let column = unquoted(word);
        table.column(column).is_none() || other.column(column).is_some()
    });
    if fits {
        let reason = format!("The question names {}, the history's {}.", other.name, table.name);
        let after = super::clauses::name(&other.name);
        binding.changes.push(Replacement { range: clauses.from.clone(), after, reason });
        binding.old_marks.push((from.clone(), "table".to_owned()));
        binding.marks.push((to.clone(), "table".to_owned()));
    }
    fits
}

/// The tables that a text names in full, each with its first place; a name inside a longer one is not named.
fn named<'s>(text: &str, schema: &'s Schema) -> Vec<(&'s Table, Range<usize>)> {
    let words = words(text);
    let stems: Vec<String> = words.iter().map(|word| root(word.text)).collect();
    let mut found: Vec<(&Table, Range<usize>)> = Vec::new();
    for table in &schema.tables {
        let name = roots(&table.name);
        let at = stems.windows(name.len().max(1)).position(|run| run == name);
        if let Some((first, last)) = at.and_then(|at| Some((words.get(at)?, words.get(at + name.len() - 1)?)))
        {
            found.push((table, first.start..last.end));
        }
    }
    let inside = |a: &Range<usize>, b: &Range<usize>| a != b && b.start <= a.start && a.end <= b.end;
    let ranges: Vec<Range<usize>> = found.iter().map(|(_, range)| range.clone()).collect();
    found.retain(|(_, range)| !ranges.iter().any(|other| inside(range, other)));
    found
}
