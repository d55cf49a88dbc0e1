//! What a task file holds: the measures of BIRD-History's tables 1, 8, 9 and 10.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::modes::without_table;
use super::retrieval_metrics::Required;
use super::task::Task;
use crate::sql::{ComponentType, TokenKind, shape, tokenize};

/// The paper's sixth type, a whole query that is used again.
const FULL_SQL: &str = "Full SQL";

/// Averages over the queries (table 1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Queries {
    /// Queries that could be parsed, over which the rest is averaged.
    pub parsed: usize,
    /// Words, names, numbers, texts and marks. The paper does not say what it counts; its figures are higher.
    pub tokens: f64,
    /// Calls.
    pub functions: f64,
    /// Subqueries and common table expressions.
    pub subqueries: f64,
    /// Tables in the longest FROM.
    pub join_length: f64,
    /// Levels of queries.
    pub depth: f64,
}

/// How often a type of knowledge is needed (table 10).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeShare {
    /// The type.
    pub kind: String,
    /// Items of all tasks.
    pub items: usize,
    /// Percentage of all items.
    pub percent: f64,
    /// Items a task.
    pub per_task: f64,
}

/// The statistics of a task file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Tasks.
    pub tasks: usize,
    /// Tasks by database.
    pub by_database: BTreeMap<String, usize>,
    /// Tasks by difficulty, where the file names it.
    pub by_difficulty: BTreeMap<String, usize>,
    /// Table 1.
    pub queries: Queries,
    /// Tasks whose reference query cannot be parsed, by identifier.
    pub unparsed: Vec<i64>,
    /// Table 8: tasks by number of items.
    pub items_per_task: BTreeMap<usize, usize>,
    /// Table 9: tasks by number of distinct types.
    pub types_per_task: BTreeMap<usize, usize>,
    /// Table 10.
    pub types: Vec<TypeShare>,
    /// Items whose type the file does not name, so that it was told by their form.
    pub types_by_form: usize,
}

/// Counts a task file. Items are counted in tasks that name some.
pub fn stats(tasks: &[Task]) -> Stats {
    let mut stats = Stats { tasks: tasks.len(), ..Stats::default() };
    let mut sums = [0_usize; 5];
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut with_items = 0_usize;
    for task in tasks {
        *stats.by_database.entry(task.db_id.clone()).or_default() += 1;
        if let Some(difficulty) = &task.difficulty {
            *stats.by_difficulty.entry(difficulty.clone()).or_default() += 1;
        }
        let sql = match &task.table {
            Some(table) => without_table(&task.gold, table).map_or(Cow::Borrowed(""), Cow::Owned),
            None => Cow::Borrowed(task.gold.as_str()),
        };
        match shape(&sql) {
            Ok(shape) => {
                stats.queries.parsed += 1;
                let counts =
                    [shape.tokens, shape.functions, shape.subqueries, shape.join_length, shape.depth];
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            Err(_) => stats.unparsed.push(task.question_id),
        }
        if task.knowledge.is_empty() {
            continue;
        }
        with_items += 1;
        stats.types_by_form += task.knowledge.iter().filter(|item| item.kind.is_none()).count();
        let named: Vec<&str> = task.knowledge.iter().map(kind_of).collect();
        named.iter().for_each(|kind| *kinds.entry(kind).or_default() += 1);
        *stats.items_per_task.entry(named.len()).or_default() += 1;
        *stats.types_per_task.entry(named.iter().collect::<BTreeSet<_>>().len()).or_default() += 1;
    }
    let mean = |sum: usize| sum as f64 / stats.queries.parsed.max(1) as f64;
    let [tokens, functions, subqueries, join_length, depth] = sums.map(mean);
    stats.queries = Queries { tokens, functions, subqueries, join_length, depth, ..stats.queries };
    let all: usize = kinds.values().sum();
    let mut types: Vec<TypeShare> = kinds
        .into_iter()
        .map(|(kind, items)| TypeShare {
            kind: kind.to_owned(),
            items,
            percent: 100.0 * items as f64 / all as f64,
            per_task: items as f64 / with_items as f64,
        })
        .collect();
    types.sort_by_key(|share| std::cmp::Reverse(share.items));
    stats.types = types;
    stats
}

/// The name of a type.
pub fn type_name(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Calculation => "Calculation",
        ComponentType::Condition => "Condition",
        ComponentType::Relation => "Relation",
        ComponentType::Dimension => "Dimension",
        ComponentType::Output => "Output",
    }
}

fn kind_of(item: &Required) -> &'static str {
    item.kind.map_or_else(|| by_form(&item.skeleton), type_name)
}

/// The type of a skeleton by its first words, and where those say nothing by whether it compares.
fn by_form(skeleton: &str) -> &'static str {
    let upper = skeleton.trim().to_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    match words.as_slice() {
        ["SELECT" | "WITH", ..] if words.contains(&"FROM") => FULL_SQL,
        ["FROM", ..] => "Relation",
        ["GROUP", "BY", ..] => "Dimension",
        ["SELECT" | "DISTINCT" | "LIMIT", ..] => "Output",
        ["ORDER", "BY", ..] if words.contains(&"LIMIT") || !upper.contains('(') => "Output",
        ["ORDER", "BY", ..] => "Calculation",
        _ if compares(skeleton) => "Condition",
        _ => "Calculation",
    }
}

/// Whether a comparison stands outside brackets and CASE.
fn compares(skeleton: &str) -> bool {
    let plain = skeleton.replace("'<val>'", "0").replace("<val>", "0");
    let mut inside = 0_usize;
    for token in tokenize(&plain) {
        let text = plain.get(token.start..token.end).unwrap_or_default().to_uppercase();
        match (token.kind, text.as_str()) {
            (_, "(" | "CASE") => inside += 1,
            (_, ")" | "END") => inside = inside.saturating_sub(1),
            (TokenKind::Operator, "=" | "<" | ">" | "<>" | "!=" | "<=" | ">=" | "==") if inside == 0 => {
                return true;
            }
            (
                TokenKind::Keyword | TokenKind::Function,
                "LIKE" | "IN" | "BETWEEN" | "IS" | "NOT" | "EXISTS" | "GLOB",
            ) if inside == 0 => {
                return true;
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(skeleton: &str, kind: Option<ComponentType>) -> Required {
        Required { skeleton: skeleton.to_owned(), kind, sources: vec![1] }
    }

    #[test]
    fn a_file_is_counted_as_in_the_papers_tables() {
        let task = |gold: &str, knowledge| Task {
            gold: gold.to_owned(),
            db_id: "d".into(),
            knowledge,
            ..Task::default()
        };
        let condition = || item("t.a = <val>", Some(ComponentType::Condition));
        let tasks = [
            task(
                "SELECT a FROM t JOIN u",
                vec![condition(), item("t.b > <val>", Some(ComponentType::Condition))],
            ),
            task(
                "SELECT COUNT(a) FROM (SELECT a FROM t)",
                vec![condition(), item("LIMIT <val>", Some(ComponentType::Output))],
            ),
            task("not SQL", Vec::new()),
        ];
        let got = stats(&tasks);
        assert_eq!((got.tasks, got.queries.parsed, got.unparsed.len(), got.types_by_form), (3, 2, 1, 0));
        assert_eq!((got.queries.tokens, got.queries.functions, got.queries.subqueries), (9.0, 0.5, 0.5));
        assert_eq!((got.queries.join_length, got.queries.depth), (1.5, 1.5));
        assert_eq!(got.items_per_task, BTreeMap::from([(2, 2)]));
        assert_eq!(got.types_per_task, BTreeMap::from([(1, 1), (2, 1)]));
        let condition = &got.types[0];
        assert_eq!(
            (condition.kind.as_str(), condition.items, condition.percent, condition.per_task),
            ("Condition", 3, 75.0, 1.5)
        );
    }

    #[test]
    fn types_that_are_not_named_are_told_by_form() {
        for (skeleton, kind) in [
            ("FROM frpm INNER JOIN schools ON frpm.CDSCode = schools.CDSCode", "Relation"),
            ("schools.Charter=<val>", "Condition"),
            ("schools.FundingType = '<val>'", "Condition"),
            ("t.a BETWEEN <val> AND <val>", "Condition"),
            ("NOT t.a IS NULL", "Condition"),
            ("CAST(SUM(CASE WHEN t.a = <val> THEN 1 ELSE 0 END) AS REAL) / COUNT(*)", "Calculation"),
            ("GROUP BY t.a", "Dimension"),
            ("ORDER BY t.a DESC LIMIT <val>", "Output"),
            ("ORDER BY SUM(t.a + t.b)", "Calculation"),
            ("SELECT DISTINCT t.a", "Output"),
            ("SELECT t.a FROM t WHERE t.b = <val>", FULL_SQL),
        ] {
            assert_eq!(by_form(skeleton), kind, "{skeleton}");
        }
    }
}
