//! `wikisql-ex`: canonical queries, whose values are equal as lists.

use std::borrow::Cow;

use super::rule::{Case, Judged, Outcome, Rule, Side, both, gold_failed, unusable};
use super::wikisql_query::{Query, column_types, table_name};
use crate::bench::cell::Row;
use crate::db::{DbError, Value};

pub(super) struct Wikisql {
    pub ordered: bool,
}

impl Rule for Wikisql {
    // A gold that fails ends the source.
    fn asks_gold_of_failed(&self) -> bool {
        true
    }

    fn lookup(&self, case: &Case<'_>) -> Option<String> {
        let table = table_name(case.table.unwrap_or_default()).replace('\'', "''");
        Some(format!("SELECT sql, tbl_name FROM sqlite_master WHERE tbl_name = '{table}'"))
    }

    fn sql<'a>(&self, _: Side, text: &'a str, found: Option<&Outcome>) -> Result<Cow<'a, str>, DbError> {
        let query = Query::from_json(text)?;
        let rows = match found {
            Some(Ok(found)) => found.rows.first().map(Vec::as_slice),
            Some(Err(error)) => return Err(error.clone()),
            None => None,
        };
        let Some([Value::Text(create), Value::Text(table)]) = rows else {
            return Err(unusable("The database does not have the task's table."));
        };
        let types = column_types(create)
            .ok_or_else(|| unusable("The columns of the task's table cannot be read."))?;
        query.sql(table, &types).map(Cow::Owned)
    }

    fn compare(&self, case: &Case<'_>, gold: &Outcome, predicted: &Outcome) -> Judged {
        let forms = (Query::from_json(case.gold), Query::from_json(case.predicted.unwrap_or_default()));
        let logical_form = match forms {
            (Ok(gold), Ok(predicted)) => Some(gold.same(&predicted, self.ordered)),
            _ => Some(false),
        };
        let judged = match (gold, predicted) {
            (Err(error), _) => return Judged { logical_form, ..gold_failed(error) },
            _ => both(gold, predicted),
        };
        let judged = match judged {
            Err(judged) => *judged,
            Ok((a, b)) => {
                let (gold, predicted) = (&a.get().rows, &b.get().rows);
                if gold.len() == predicted.len() && gold.iter().zip(predicted).all(|(a, b)| Row(a) == Row(b))
                {
                    Judged::right("Same values in the same order.")
                } else {
                    Judged::different(a, b)
                }
            }
        };
        Judged { logical_form, ..judged }
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::super::tests_common::{int, real, result, text};
    use super::*;

    #[test]
    fn values_are_compared_as_a_list() {
        let query = r#"{"sel": 0, "agg": 0, "conds": []}"#;
        let case = Case { gold: query, predicted: Some(query), ..Case::default() };
        let score = |gold: &[Vec<Value>], predicted: &[Vec<Value>]| {
            Wikisql { ordered: false }.compare(&case, &Ok(result(gold)), &Ok(result(predicted))).score
        };
        let (one, two) = (vec![int(1)], vec![int(2)]);
        assert_eq!(score(&[one.clone(), two.clone()], &[one.clone(), two.clone()]), 1.0);
        // [1, 2] != [2, 1] and [1] != [1, 1]: order and duplicates count. 1 == 1.0, 1 != '1', [] == [].
        assert_eq!(score(&[one.clone(), two.clone()], &[two, one.clone()]), 0.0);
        assert_eq!(score(from_ref(&one), &[one.clone(), one.clone()]), 0.0);
        assert_eq!(score(from_ref(&one), &[vec![real(1.0)]]), 1.0);
        assert_eq!(score(&[one], &[vec![text("1")]]), 0.0);
        assert_eq!(score(&[], &[]), 1.0);
    }
}
