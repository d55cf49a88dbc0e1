//! Calls of functions in words: aggregates, windows, and what they count.

use sqlparser::ast::{DuplicateTreatment, Expr, Function, FunctionArguments, WindowType};

use super::shape::{function_arguments, function_name, if_then, is_predicate, strip};
use crate::sql::describe::names::{Words, plural, split_name};
use crate::sql::describe::predicate::{number, string};

impl Words<'_> {
    pub(super) fn function(&self, function: &Function) -> String {
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            let mut words = match function_name(function).as_str() {
                "RANK" | "DENSE_RANK" | "ROW_NUMBER" | "PERCENT_RANK" => "rank".to_owned(),
                "LAG" => format!("previous {}", self.first_argument(function)),
                "LEAD" => format!("next {}", self.first_argument(function)),
                _ => self.aggregate(function),
            };
            if !window.order_by.is_empty() {
                words.push_str(" by ");
                words.push_str(&self.order(&window.order_by));
            }
            if !window.partition_by.is_empty() {
                let keys: Vec<String> = window.partition_by.iter().map(|k| self.formula(k)).collect();
                words.push_str(" within each ");
                words.push_str(&keys.join(" and "));
            }
            return words;
        }
        if let Some((what, condition)) = self.conditional(&Expr::Function(function.clone())) {
            let counting = !what.starts_with("total ") && !what.starts_with("average ");
            let number = if counting && function.filter.is_none() { "number of " } else { "" };
            return format!("{number}{what} where {condition}");
        }
        self.aggregate(function)
    }

    fn first_argument(&self, function: &Function) -> String {
        function_arguments(function).first().map_or_else(String::new, |a| self.formula(a))
    }

    pub(super) fn aggregate(&self, function: &Function) -> String {
        let arguments = function_arguments(function);
        let name = function_name(function);
        let distinct = matches!(&function.args, FunctionArguments::List(list)
            if list.duplicate_treatment == Some(DuplicateTreatment::Distinct));
        match (name.as_str(), arguments.as_slice()) {
            ("COUNT", []) => "number of rows".into(),
            ("COUNT", [one]) if distinct => match if_then(one) {
                Some((condition, Some(result))) => {
                    format!(
                        "number of different {} where {}",
                        self.counted(result),
                        self.predicate(condition, false)
                    )
                }
                _ => format!("number of different {}", self.counted(one)),
            },
            ("COUNT", [one]) => format!("number of {}", self.counted(one)),
            ("SUM" | "TOTAL", [one]) => format!("total {}", self.formula(one)),
            ("AVG", [one]) => format!("average {}", self.formula(one)),
            ("MAX", [one]) => format!("highest {}", self.formula(one)),
            ("MIN", [one]) => format!("lowest {}", self.formula(one)),
            ("MAX", many) => format!("largest of {}", self.all(many)),
            ("MIN", many) => format!("smallest of {}", self.all(many)),
            ("GROUP_CONCAT" | "STRING_AGG", [one, ..]) => format!("list of {}", self.counted(one)),
            ("ROUND" | "ABS" | "TRIM" | "LOWER" | "UPPER" | "DATE" | "DATETIME", [one, ..]) => {
                self.formula(one)
            }
            ("COALESCE" | "IFNULL" | "NULLIF", [one, ..]) => self.formula(one),
            ("LENGTH", [one]) => format!("length of {}", self.formula(one)),
            ("SUBSTRING", [one, rest @ ..]) => self.part(one, rest.first().copied(), rest.get(1).copied()),
            ("REPLACE", [one, ..]) => self.formula(one),
            ("INSTR", [one, two]) => format!("position of {} in {}", self.formula(two), self.formula(one)),
            ("JULIANDAY", [one]) => format!("day of {}", self.formula(one)),
            ("STRFTIME", [format, date, ..]) => {
                let part = match string(format) {
                    Some("%Y") => "year",
                    Some("%m" | "%Y-%m" | "%Y%m") => "month",
                    Some("%d" | "%j") => "day",
                    Some("%w") => "weekday",
                    Some("%H") => "hour",
                    Some("%W") => "week",
                    _ => "date",
                };
                format!("{part} of {}", self.formula(date))
            }
            ("IIF", [condition, then, otherwise]) => {
                format!(
                    "{} if {}, otherwise {}",
                    self.formula(then),
                    self.predicate(condition, false),
                    self.formula(otherwise)
                )
            }
            (_, []) => split_name(&name).join(" "),
            (_, many) => format!("{} of {}", split_name(&name).join(" "), self.all(many)),
        }
    }

    fn all(&self, many: &[&Expr]) -> String {
        many.iter().map(|e| self.formula(e)).collect::<Vec<_>>().join(" and ")
    }

    /// An aggregate over rows that meet a condition: what is counted or summed, and the condition.
    pub(super) fn conditional(&self, expr: &Expr) -> Option<(String, String)> {
        match strip(expr) {
            Expr::Function(function) => {
                let name = function_name(function);
                let arguments = function_arguments(function);
                let [argument] = arguments.as_slice() else { return None };
                if !matches!(name.as_str(), "COUNT" | "SUM" | "TOTAL" | "AVG") {
                    return None;
                }
                if let Some(filter) = &function.filter {
                    return Some((self.aggregate(function), self.predicate(filter, false)));
                }
                let (condition, result) = if_then(argument).or_else(|| {
                    // SUM(a = 1) counts the rows where it holds.
                    (name != "COUNT" && is_predicate(argument)).then_some((strip(argument), None))
                })?;
                let condition = self.predicate(condition, false);
                let counted = match result.map(strip) {
                    None => None,
                    Some(result) if number(result).is_some() || string(result).is_some() => None,
                    Some(result) => Some(result),
                };
                let what = match (name.as_str(), counted) {
                    ("AVG", Some(result)) => format!("average {}", self.formula(result)),
                    ("SUM" | "TOTAL", Some(result)) => format!("total {}", self.formula(result)),
                    (_, Some(result)) => self.counted(result),
                    (_, None) => self.rows_of(argument),
                };
                Some((what, condition))
            }
            _ => None,
        }
    }

    /// What COUNT over a column counts: rows of its table for a key, else its values.
    pub(super) fn counted(&self, expr: &Expr) -> String {
        match strip(expr) {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., table, column] if self.is_key(&table.value, &column.value) => self.rows(&table.value),
                [.., table, column] => {
                    let words = self.column(&table.value, &column.value);
                    let thing = [" id", " name"].iter().find_map(|e| words.strip_suffix(e)).unwrap_or(&words);
                    plural(thing)
                }
                _ => plural(&self.formula(expr)),
            },
            other => plural(&self.formula(other)),
        }
    }

    /// The rows that a condition is about.
    fn rows_of(&self, expr: &Expr) -> String {
        let mut table = None;
        let _ = sqlparser::ast::visit_expressions(expr, |inner| {
            if let Expr::CompoundIdentifier(parts) = inner
                && let [.., owner, _] = parts.as_slice()
            {
                table = Some(owner.value.clone());
                return std::ops::ControlFlow::Break(());
            }
            std::ops::ControlFlow::Continue(())
        });
        table.map_or_else(|| "rows".into(), |t| self.rows(&t))
    }
}
