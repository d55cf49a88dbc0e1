//! Joins that tie a row to several columns at once.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, InTarget, JoinConstraint, JoinOperator, Query, Select, VisitMut, VisitorMut,
};

use super::bare;
use crate::sql::parse_query;

/// The queries that the first `JOIN … ON a = b OR a = c` or `ON a IN (b, c)` may stand for, one for each column, in
/// their order; empty where no join is one of these or the text is no query.
pub fn join_alternatives(sql: &str) -> Vec<String> {
    let Ok(query) = parse_query(sql) else { return Vec::new() };
    let mut all = Vec::new();
    loop {
        let mut query: Query = query.clone();
        let mut take = Take { place: all.len(), taken: false };
        let _ = query.visit(&mut take);
        if !take.taken {
            return all;
        }
        all.push(query.to_string());
    }
}

/// Puts the alternative of that place into the first join that has several.
struct Take {
    place: usize,
    taken: bool,
}

impl VisitorMut for Take {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            use JoinOperator as J;
            let (J::Join(on)
            | J::Inner(on)
            | J::Left(on)
            | J::LeftOuter(on)
            | J::Right(on)
            | J::RightOuter(on)
            | J::FullOuter(on)) = &mut join.join_operator
            else {
                continue;
            };
            let JoinConstraint::On(condition) = on else { continue };
            let mut equalities = alternatives(condition);
            if equalities.len() < 2 {
                continue;
            }
            if self.place < equalities.len() {
                *condition = equalities.swap_remove(self.place);
                self.taken = true;
            }
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn is_column(expr: &Expr) -> bool {
    matches!(bare(expr), Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// The equalities of columns of which one is to hold; empty where the condition is another one.
fn alternatives(condition: &Expr) -> Vec<Expr> {
    match bare(condition) {
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => {
            let (mut left, right) = (alternatives(left), alternatives(right));
            if left.is_empty() || right.is_empty() {
                return Vec::new();
            }
            left.extend(right);
            left
        }
        equality @ Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
            if is_column(left) && is_column(right) =>
        {
            vec![equality.clone()]
        }
        Expr::In { expr, target: InTarget::List(list), negated: false, .. }
            if is_column(expr) && list.len() > 1 && list.iter().all(is_column) =>
        {
            let equality = |item: &Expr| Expr::BinaryOp {
                left: expr.clone(),
                op: BinaryOperator::Eq,
                right: Box::new(item.clone()),
            };
            list.iter().map(equality).collect()
        }
        _ => Vec::new(),
    }
}
