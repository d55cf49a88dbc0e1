//! Tables that a query reads and its database does not have.

use std::collections::HashSet;
use std::ops::ControlFlow;

use sqlparser::ast::{ObjectName, Query, TableFactor, Visit, Visitor};

use crate::sql::Schema;

/// Table names of `query` that `schema` does not have, in order of appearance, no duplicates; names of
/// common table expressions, table-valued functions and SQLite's own tables are not among them. Empty
/// when nothing is known of the database.
pub(super) fn unknown(query: &Query, schema: &Schema) -> Vec<String> {
    let mut names = Names::default();
    if !schema.tables.is_empty() {
        let _: ControlFlow<()> = query.visit(&mut names);
    }
    let mut seen = HashSet::new();
    let Names { read, defined } = names;
    read.into_iter()
        .filter(|name| {
            let lower = name.to_ascii_lowercase();
            let own = lower.starts_with("sqlite_") || lower.starts_with("pragma_");
            !own && !defined.contains(&lower) && schema.table(name).is_none() && seen.insert(lower)
        })
        .collect()
}

#[derive(Default)]
struct Names {
    read: Vec<String>,
    defined: HashSet<String>,
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.defined.insert(cte.alias.name.value.to_ascii_lowercase());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, args: None, .. } = factor {
            self.read.extend(last_part(name));
        }
        ControlFlow::Continue(())
    }
}

/// `main.t` is table `t`.
fn last_part(name: &ObjectName) -> Option<String> {
    name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sql::{Table, parse_query};

    #[test]
    fn only_tables_that_are_nowhere_defined_are_named() {
        let table = |name: &str| Table { name: name.into(), ..Table::default() };
        let schema = Schema { tables: vec![table("ships"), table("Crew List")] };
        let sql = "WITH late AS (SELECT * FROM Trips) SELECT * FROM late JOIN main.SHIPS JOIN \"crew list\" \
            JOIN json_each('[]') JOIN sqlite_master WHERE x IN (SELECT y FROM piers JOIN trips)";
        let query = parse_query(sql).unwrap();
        assert_eq!(unknown(&query, &schema), ["Trips", "piers"]);
        assert_eq!(unknown(&query, &Schema::default()), [""; 0]);
    }
}
