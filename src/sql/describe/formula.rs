//! Formulas in words; the shapes that people write again and again are recognised.

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Query, Select, SelectItem, SetExpr, TableFactor, UnaryOperator, Value, WindowType,
};

use super::names::{Words, plural};
use super::predicate::{number, string};
use crate::sql::scope::last_part;

impl Words<'_> {
    /// A formula as a phrase: "average height", "percentage of heroes where gender is Female".
    pub(super) fn formula(&self, expr: &Expr) -> String {
        match expr {
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., table, column] => self.column(&table.value, &column.value),
                _ => expr.to_string(),
            },
            Expr::Identifier(name) => super::names::split_name(&name.value).join(" "),
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text) => text.clone(),
                Value::Null => "nothing".into(),
                other => other.to_string(),
            },
            Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::Collate { expr: inner, .. } => {
                self.formula(inner)
            }
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => {
                format!("minus {}", self.formula(inner))
            }
            Expr::BinaryOp { left, op, right } => self.arithmetic(left, op, right),
            Expr::Function(function) => self.function(function),
            Expr::Case { .. } => self.choice(expr),
            Expr::Subquery(query) => self.subquery(query),
            Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
                self.part(inner, substring_from.as_deref(), substring_for.as_deref())
            }
            Expr::Trim { expr: inner, .. }
            | Expr::Ceil { expr: inner, .. }
            | Expr::Floor { expr: inner, .. } => self.formula(inner),
            Expr::Tuple(items) => items.iter().map(|i| self.formula(i)).collect::<Vec<_>>().join(", "),
            Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::Between { .. }
            | Expr::Like { .. }
            | Expr::In { .. }
            | Expr::Exists { .. }
            | Expr::UnaryOp { op: UnaryOperator::Not, .. } => {
                format!("whether {}", self.predicate(expr, false))
            }
            other => other.to_string(),
        }
    }

    fn part(&self, inner: &Expr, from: Option<&Expr>, length: Option<&Expr>) -> String {
        let what = self.formula(inner);
        match (from.and_then(number), length.and_then(number)) {
            (Some("1" | "0"), Some("4")) => format!("year of {what}"),
            (Some("5" | "6"), Some("2")) => format!("month of {what}"),
            (Some("1" | "0"), Some(n)) => format!("first {n} characters of {what}"),
            (Some(n), _) => format!("{what} from character {n}"),
            _ => format!("part of {what}"),
        }
    }

    fn arithmetic(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> String {
        use BinaryOperator as B;
        match op {
            B::Divide | B::Multiply => self.ratio(left, op, right),
            B::Minus => match self.age(left, right) {
                Some(age) => age,
                None => format!("difference between {} and {}", self.formula(left), self.formula(right)),
            },
            B::Plus => format!("sum of {} and {}", self.formula(left), self.formula(right)),
            B::StringConcat => format!("{} and {} together", self.formula(left), self.formula(right)),
            B::Eq | B::NotEq | B::Gt | B::GtEq | B::Lt | B::LtEq | B::And | B::Or => {
                let whole = Expr::BinaryOp {
                    left: Box::new(left.clone()),
                    op: op.clone(),
                    right: Box::new(right.clone()),
                };
                format!("whether {}", self.predicate(&whole, false))
            }
            other => format!("{} {other} {}", self.formula(left), self.formula(right)),
        }
    }

    /// Quotients and products: averages, percentages and plain ratios.
    fn ratio(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> String {
        let whole =
            Expr::BinaryOp { left: Box::new(left.clone()), op: op.clone(), right: Box::new(right.clone()) };
        let mut hundred = false;
        let Some((above, below)) = quotient(&whole, &mut hundred) else {
            return match (op, number(right)) {
                (BinaryOperator::Multiply, Some(n)) => format!("{} times {n}", self.formula(left)),
                (BinaryOperator::Divide, Some(n)) => format!("{} divided by {n}", self.formula(left)),
                (BinaryOperator::Multiply, _) => {
                    format!("{} times {}", self.formula(left), self.formula(right))
                }
                _ => format!("{} per {}", self.formula(left), self.formula(right)),
            };
        };
        if let Some((what, condition)) = self.conditional(above) {
            let plain_total = self.total_of(below);
            if plain_total.is_some() || hundred {
                let share = if hundred { "percentage" } else { "share" };
                // A count over another condition is a comparison of two groups, not a share of all.
                if let Some((_, other)) = self.conditional(below) {
                    return format!("{share} of {what} where {condition} to those where {other}");
                }
                return format!("{share} of {what} where {condition}");
            }
            if let Some((_, other)) = self.conditional(below) {
                return format!("ratio of {what} where {condition} to those where {other}");
            }
        }
        if !hundred && let (Some(total), true) = (self.summed(above), is_count(below)) {
            return format!("average {total}");
        }
        if let Some((a, b)) = difference(above) {
            let (a, b, base) = (self.formula(a), self.formula(b), self.formula(below));
            if hundred {
                return if base == b {
                    format!("percentage change from {b} to {a}")
                } else {
                    format!("difference between {a} and {b} as a percentage of {base}")
                };
            }
            return format!("difference between {a} and {b} per {base}");
        }
        let (a, b) = (self.formula(above), self.formula(below));
        if hundred { format!("{a} as a percentage of {b}") } else { format!("ratio of {a} to {b}") }
    }

    /// An aggregate over rows that meet a condition: what is counted or summed, and the condition.
    fn conditional(&self, expr: &Expr) -> Option<(String, String)> {
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
    fn counted(&self, expr: &Expr) -> String {
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

    /// What an unconditional COUNT or SUM covers.
    fn total_of(&self, expr: &Expr) -> Option<String> {
        let inner = match strip(expr) {
            Expr::Subquery(query) => simple_projection(query)?,
            other => other,
        };
        let Expr::Function(function) = inner else { return None };
        let plain =
            function_arguments(function).first().is_none_or(|a| if_then(a).is_none() && !is_predicate(a));
        (matches!(function_name(function).as_str(), "COUNT" | "SUM" | "TOTAL") && plain)
            .then(|| self.aggregate(function))
    }

    /// The column of `SUM(column)`.
    fn summed(&self, expr: &Expr) -> Option<String> {
        let Expr::Function(function) = strip(expr) else { return None };
        match function_arguments(function).as_slice() {
            [argument] if function_name(function) == "SUM" && if_then(argument).is_none() => {
                Some(self.formula(argument))
            }
            _ => None,
        }
    }

    /// `STRFTIME('%Y', 'now') - STRFTIME('%Y', birthday)` and the like: "age".
    fn age(&self, left: &Expr, right: &Expr) -> Option<String> {
        let now = left.to_string().to_ascii_lowercase();
        let is_now = ["'now'", "current_timestamp", "current_date", "datetime()", "date()"]
            .iter()
            .any(|n| now.contains(n));
        let born = self.formula(right);
        is_now.then(|| if born.contains("birth") { "age".into() } else { format!("time since {born}") })
    }

    fn function(&self, function: &Function) -> String {
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

    fn aggregate(&self, function: &Function) -> String {
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
            (_, []) => super::names::split_name(&name).join(" "),
            (_, many) => format!("{} of {}", super::names::split_name(&name).join(" "), self.all(many)),
        }
    }

    fn all(&self, many: &[&Expr]) -> String {
        many.iter().map(|e| self.formula(e)).collect::<Vec<_>>().join(" and ")
    }

    /// CASE outside an aggregate.
    fn choice(&self, expr: &Expr) -> String {
        let Expr::Case { operand, conditions, else_result, .. } = expr else { return expr.to_string() };
        let mut parts: Vec<String> = conditions
            .iter()
            .take(3)
            .map(|when| {
                let condition = match operand {
                    Some(operand) => {
                        format!("{} is {}", self.formula(operand), self.formula(&when.condition))
                    }
                    None => self.predicate(&when.condition, false),
                };
                format!("{} if {condition}", self.formula(&when.result))
            })
            .collect();
        if let Some(otherwise) = else_result {
            parts.push(format!("otherwise {}", self.formula(otherwise)));
        }
        parts.join(", ")
    }

    /// A scalar subquery: its formula, and what narrows it.
    pub(super) fn subquery(&self, query: &Query) -> String {
        let SetExpr::Select(select) = &*query.body else { return "another query's result".into() };
        let mut words: Vec<String> = select
            .projection
            .iter()
            .filter_map(|item| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    Some(self.formula(expr))
                }
                _ => None,
            })
            .collect();
        if words.is_empty() {
            words.push("rows".into());
        }
        let mut phrase = words.join(" and ");
        if phrase == "number of rows"
            && let Some(table) = self.tables_of(select).first()
        {
            phrase = format!("number of {}", self.rows(table));
        }
        if let Some(conditions) = self.plain_conditions(select.selection.as_ref()) {
            phrase.push_str(" where ");
            phrase.push_str(&conditions);
        }
        if let Some(output) = self.output(query) {
            phrase.push_str(", ");
            phrase.push_str(&output);
        }
        phrase
    }

    /// The conditions of a WHERE in words, without those that only tie two tables together.
    pub(super) fn plain_conditions(&self, condition: Option<&Expr>) -> Option<String> {
        let mut spoken = Vec::new();
        let mut open = vec![condition?];
        while let Some(expr) = open.pop() {
            match expr {
                Expr::BinaryOp { left, op: BinaryOperator::And, right } => open.extend([&**right, &**left]),
                Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
                    if matches!(
                        (&**left, &**right),
                        (Expr::CompoundIdentifier(_), Expr::CompoundIdentifier(_))
                    ) => {}
                other => spoken.push(self.predicate(other, false)),
            }
        }
        (!spoken.is_empty()).then(|| spoken.join(" and "))
    }

    /// Names of the tables in a FROM clause.
    pub(super) fn tables_of(&self, select: &Select) -> Vec<String> {
        let factors = select
            .from
            .iter()
            .flat_map(|item| std::iter::once(&item.relation).chain(item.joins.iter().map(|j| &j.relation)));
        factors
            .filter_map(|factor| match factor {
                TableFactor::Table { name, .. } => last_part(name).map(|i| i.value.clone()),
                _ => None,
            })
            .collect()
    }
}

/// The name of a function in capitals.
pub(super) fn function_name(function: &Function) -> String {
    function.name.to_string().to_ascii_uppercase()
}

/// The arguments of a function; `*` is none.
pub(super) fn function_arguments(function: &Function) -> Vec<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return Vec::new() };
    list.args
        .iter()
        .filter_map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

/// The only output of a query.
pub(super) fn simple_projection(query: &Query) -> Option<&Expr> {
    let SetExpr::Select(select) = &*query.body else { return None };
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => Some(strip(expr)),
        _ => None,
    }
}

/// Without brackets, CAST and ROUND around it.
fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => strip(inner),
        Expr::Function(function) if function_name(function) == "ROUND" => {
            function_arguments(function).first().map_or(expr, |inner| strip(inner))
        }
        other => other,
    }
}

fn is_count(expr: &Expr) -> bool {
    matches!(strip(expr), Expr::Function(function) if function_name(function) == "COUNT")
}

fn is_predicate(expr: &Expr) -> bool {
    use BinaryOperator as B;
    match strip(expr) {
        Expr::BinaryOp { op, .. } => {
            matches!(op, B::Eq | B::NotEq | B::Gt | B::GtEq | B::Lt | B::LtEq | B::And | B::Or)
        }
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::Between { .. } | Expr::Like { .. } | Expr::In { .. } => {
            true
        }
        _ => false,
    }
}

/// `CASE WHEN c THEN x [ELSE 0 or NULL] END` or `IIF(c, x, 0)`: the condition and the result.
fn if_then(expr: &Expr) -> Option<(&Expr, Option<&Expr>)> {
    let nothing = |e: &Expr| {
        matches!(number(e), Some("0" | "0.0")) || matches!(e, Expr::Value(v) if v.value == Value::Null)
    };
    match strip(expr) {
        Expr::Case { operand: None, conditions, else_result, .. } => match conditions.as_slice() {
            [when] if else_result.as_deref().is_none_or(nothing) => {
                Some((&when.condition, Some(&when.result)))
            }
            _ => None,
        },
        Expr::Function(function) if function_name(function) == "IIF" => {
            match function_arguments(function).as_slice() {
                [condition, then, otherwise] if nothing(otherwise) => Some((condition, Some(then))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The two sides of a quotient, seen through CAST, brackets, ROUND and factors of 100 and 1.0.
fn quotient<'e>(expr: &'e Expr, hundred: &mut bool) -> Option<(&'e Expr, &'e Expr)> {
    match strip(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => {
            if number(right).is_some() {
                return None;
            }
            Some((without_factor(left, hundred), strip(right)))
        }
        Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => {
            let (inner, factor) = match (number(left), number(right)) {
                (_, Some(n)) => (left, n),
                (Some(n), _) => (right, n),
                _ => return None,
            };
            *hundred |= is_hundred(factor);
            if is_hundred(factor) || is_one(factor) { quotient(inner, hundred) } else { None }
        }
        _ => None,
    }
}

fn without_factor<'e>(expr: &'e Expr, hundred: &mut bool) -> &'e Expr {
    if let Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } = strip(expr) {
        for (inner, factor) in [(left, right), (right, left)] {
            if let Some(n) = number(factor)
                && (is_hundred(n) || is_one(n))
            {
                *hundred |= is_hundred(n);
                return without_factor(inner, hundred);
            }
        }
    }
    strip(expr)
}

fn is_hundred(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(|n| n == 100.0)
}

fn is_one(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(|n| n == 1.0)
}

fn difference(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match strip(expr) {
        Expr::BinaryOp { left, op: BinaryOperator::Minus, right } => Some((strip(left), strip(right))),
        _ => None,
    }
}
