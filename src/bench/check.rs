//! Whether the knowledge that tasks name is in the history that they name it of.

use std::collections::HashSet;

use super::retrieval_metrics::normal;
use super::task::Task;
use crate::sql::{Schema, split};

/// A history as tasks refer to it.
#[derive(Debug, Clone, Default)]
pub struct Known {
    ids: HashSet<i64>,
    /// None where the queries could not be split for want of a schema.
    skeletons: Option<HashSet<String>>,
}

impl Known {
    /// Queries with their identifiers; their pieces are known where there is a schema.
    pub fn of<'q>(queries: impl Iterator<Item = (Option<i64>, &'q str)>, schema: Option<&Schema>) -> Self {
        let mut known = Self { ids: HashSet::new(), skeletons: schema.map(|_| HashSet::new()) };
        for (id, sql) in queries {
            known.ids.extend(id);
            let (Some(skeletons), Some(schema)) = (&mut known.skeletons, schema) else { continue };
            let components = split(sql, schema).unwrap_or_default();
            skeletons.extend(components.iter().map(|component| normal(&component.skeleton)));
            // These are no pieces of their own where more stands beside them, but tasks may name them.
            let lower = sql.to_lowercase();
            for (word, skeleton) in [("distinct", "distinct"), ("limit", "limit<val>")] {
                if lower.contains(word) {
                    skeletons.insert(skeleton.to_owned());
                }
            }
        }
        known
    }

    /// What in the task's knowledge is not in the history, a sentence each.
    pub fn misfits(&self, task: &Task) -> Vec<String> {
        let mut found = Vec::new();
        for item in &task.knowledge {
            let missing: Vec<String> =
                item.sources.iter().filter(|id| !self.ids.contains(id)).map(ToString::to_string).collect();
            let unknown = self.skeletons.as_ref().is_some_and(|all| !all.contains(&normal(&item.skeleton)));
            if unknown || missing.len() == item.sources.len() {
                found.push(format!("{} occurs nowhere in the history", item.skeleton));
            } else if !missing.is_empty() {
                found.push(format!("{}: the history has no query {}", item.skeleton, missing.join(", ")));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::retrieval_metrics::Required;
    use super::*;

    #[test]
    fn what_the_history_lacks_is_named() {
        let item = |skeleton: &str, sources: &[i64]| Required {
            skeleton: skeleton.to_owned(),
            kind: None,
            sources: sources.to_vec(),
        };
        let knowledge = vec![
            item("t.a > <val>", &[1]),
            item("T.A><val>", &[1, 7]),
            item("t.a < <val>", &[1]),
            item("LIMIT <val>", &[2]),
            item("t.a > <val>", &[8]),
        ];
        let task = Task { knowledge, ..Task::default() };
        let column = |name: &str| crate::sql::Column { name: name.to_owned(), ..Default::default() };
        let table = crate::sql::Table { name: "t".into(), columns: vec![column("a")], ..Default::default() };
        let schema = Schema { tables: vec![table] };
        let queries = || {
            [(Some(1), "SELECT a FROM t WHERE a > 3"), (Some(2), "SELECT a FROM t ORDER BY a LIMIT 1")]
                .into_iter()
        };
        let told = Known::of(queries(), Some(&schema)).misfits(&task);
        let nowhere = |skeleton: &str| format!("{skeleton} occurs nowhere in the history");
        assert_eq!(
            told,
            [
                "T.A><val>: the history has no query 7".to_owned(),
                nowhere("t.a < <val>"),
                nowhere("t.a > <val>")
            ]
        );
        // Without a schema only the identifiers are looked up.
        assert_eq!(Known::of(queries(), None).misfits(&task).len(), 2);
    }
}
