//! The statistics of a task file as tables: those of the BIRD-History paper.

use crate::bench::stats::Stats;
use crate::present::format::{count, counted};

/// One table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub title: &'static str,
    /// What it counts, beside the name.
    pub note: String,
    /// Names of its columns; the first holds words, the others numbers.
    pub head: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// The tables of a task file; those that count nothing are left out.
pub fn tables(stats: &Stats) -> Vec<Table> {
    let number = |n: usize| count(n as u64);
    let queries = &stats.queries;
    let mean = |name: &str, figure: f64| vec![name.to_owned(), format!("{figure:.2}")];
    let unparsed = match stats.unparsed.len() {
        0 => String::new(),
        n => format!(", {} not read", counted(n, "query", "queries")),
    };
    let counted_rows = |counts: &std::collections::BTreeMap<usize, usize>| -> Vec<Vec<String>> {
        let all: usize = counts.values().sum();
        let share = |n: usize| format!("{:.1} %", 100.0 * n as f64 / all.max(1) as f64);
        counts.iter().map(|(items, tasks)| vec![number(*items), number(*tasks), share(*tasks)]).collect()
    };
    let by_name = |counts: &std::collections::BTreeMap<String, usize>| -> Vec<Vec<String>> {
        counts.iter().map(|(name, tasks)| vec![name.clone(), number(*tasks)]).collect()
    };
    let types = stats.types.iter().map(|share| {
        let percent = format!("{:.1} %", share.percent);
        vec![share.kind.clone(), number(share.items), percent, format!("{:.2}", share.per_task)]
    });
    let by_form = match stats.types_by_form {
        0 => String::new(),
        n => format!("the type of {} told by form", counted(n, "item", "items")),
    };
    let all = vec![
        Table {
            title: "Queries",
            note: format!("averages over {}{unparsed}", counted(queries.parsed, "query", "queries")),
            head: vec!["Of each", "Average"],
            rows: vec![
                mean("Tokens", queries.tokens),
                mean("Functions", queries.functions),
                mean("Subqueries", queries.subqueries),
                mean("Tables joined", queries.join_length),
                mean("Nesting depth", queries.depth),
            ],
        },
        Table {
            title: "Items a task",
            note: "knowledge that a task needs".to_owned(),
            head: vec!["Items", "Tasks", "Share"],
            rows: counted_rows(&stats.items_per_task),
        },
        Table {
            title: "Types a task",
            note: "distinct types among them".to_owned(),
            head: vec!["Types", "Tasks", "Share"],
            rows: counted_rows(&stats.types_per_task),
        },
        Table {
            title: "Types",
            note: by_form,
            head: vec!["Type", "Items", "Share", "A task"],
            rows: types.collect(),
        },
        Table {
            title: "Databases",
            note: String::new(),
            head: vec!["Database", "Tasks"],
            rows: by_name(&stats.by_database),
        },
        Table {
            title: "Difficulty",
            note: String::new(),
            head: vec!["Difficulty", "Tasks"],
            rows: by_name(&stats.by_difficulty),
        },
    ];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bench::retrieval_metrics::Required;
    use crate::bench::stats::stats;
    use crate::bench::task::Task;
    use crate::sql::ComponentType;

    #[test]
    fn what_counts_nothing_is_left_out() {
        let task =
            Task { gold: "SELECT count(*) FROM t JOIN u".into(), db_id: "d".into(), ..Task::default() };
        let plain = tables(&stats(std::slice::from_ref(&task)));
        assert_eq!(plain.iter().map(|table| table.title).collect::<Vec<_>>(), ["Queries", "Databases"]);
        let item = Required { skeleton: "x".into(), kind: Some(ComponentType::Output), sources: Vec::new() };
        let with = tables(&stats(&[Task { knowledge: vec![item], ..task }]));
        let types = with.iter().find(|table| table.title == "Types").unwrap();
        assert_eq!(types.rows, [["Output", "1", "100.0 %", "1.00"].map(str::to_owned).to_vec()]);
    }
}
