//! Properties that hold for every text, and for every query of a small grammar.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::describe::{Phrases, describe_as};
use super::skeleton::tests::schema;
use super::{Schema, describe, literals, parse_query, split, statements, summarize, tokenize};

/// Any text, and text made of SQL's own pieces in any order.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "SELECT", "FROM", "WHERE", "(", ")", ",", ";", "'", "\"", "`", "[", "]", "--", "/*", "*/", "\n", " ",
        "CASE", "END", "WHEN", "AND", "OR", "NOT", "hero", "h", ".", "1", "-", "=", "CREATE", "TRIGGER",
        "BEGIN", "UNION", "ORDER BY", "LIMIT", "é", "\u{feff}", "OVER", "IN", "LIKE", "||", "x'", "0x", "1e",
        "?", ":", "\r",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(piece, 0..40).prop_map(|p| p.join(" ")),]
}

/// Expressions over the alias `{a}`; literals stand as `#` (number) and `$` (text).
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "{a}.name",
        "{a}.height",
        "height",
        "#",
        "$",
        "-#",
        "COUNT(*)",
        "NULL",
        "{a}.`Free Meals (K-12)`",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (
                two.clone(),
                prop::sample::select(vec!["+", "-", "/", "*", "=", "<>", "<", ">=", "AND", "OR", "||"])
            )
                .prop_map(|((a, b), op)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("SUM({a})")),
            inner.clone().prop_map(|a| format!("CAST({a} AS REAL)")),
            two.clone().prop_map(|(a, b)| format!("CASE WHEN {a} THEN {b} ELSE # END")),
            inner.clone().prop_map(|a| format!("{a} IN (#, #)")),
            inner.clone().prop_map(|a| format!("({a}) IS NOT NULL")),
            inner.clone().prop_map(|a| format!("(SELECT MAX(p.hero_id) FROM power AS p WHERE p.name = {a})")),
            two.prop_map(|(a, b)| format!("({a}) BETWEEN # AND ({b})")),
            inner.prop_map(|a| format!("substr({a}, #, #)")),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    let clause = expression;
    (clause(), prop::option::of(clause()), prop::option::of(clause()), any::<bool>()).prop_map(
        |(output, condition, order, joined)| {
            let mut sql = format!("SELECT {output} FROM hero AS {{a}}");
            if joined {
                sql.push_str(" JOIN side s ON s.id = {a}.side_id");
            }
            if let Some(condition) = condition {
                sql.push_str(&format!("\nWHERE {condition}"));
            }
            if let Some(order) = order {
                sql.push_str(&format!(" ORDER BY {order} DESC LIMIT #"));
            }
            sql
        },
    )
}

/// A query of the grammar with this alias and these literals.
fn written(template: &str, alias: &str, number: &str, text: &str) -> String {
    template.replace("{a}", alias).replace('#', number).replace('$', text)
}

proptest! {
    #[test]
    fn nothing_panics_on_any_text(text in any_text()) {
        let schema = schema();
        if let Ok(components) = split(&text, &schema) {
            summarize(&components, &schema);
            for component in &components {
                describe(component, &schema);
            }
        }
        let _ = split(&text, &Schema::default());
        let _ = literals(&text, &schema);
    }

    #[test]
    fn tokens_concatenate_to_the_text(text in any_text()) {
        let tokens = tokenize(&text);
        let joined: String = tokens.iter().map(|t| &text[t.start..t.end]).collect();
        prop_assert_eq!(joined, text);
        prop_assert!(tokens.iter().all(|t| t.start < t.end));
    }

    #[test]
    fn statements_are_in_order_and_apart(text in any_text()) {
        let mut end = 0;
        let mut line = 1;
        for statement in statements(&text) {
            prop_assert!(statement.range.start >= end && statement.range.start < statement.range.end);
            prop_assert!(text.get(statement.range.clone()).is_some());
            prop_assert!(statement.line >= line);
            end = statement.range.end;
            line = statement.line;
        }
    }

    #[test]
    fn skeletons_survive_other_aliases_and_literals(template in query()) {
        let schema = schema();
        let one = split(&written(&template, "h", "7", "'x'"), &schema);
        let two = split(&written(&template, "other", "12.5", "'it''s'"), &schema);
        let (one, two) = (one.unwrap(), two.unwrap());
        prop_assert_eq!(one.len(), two.len());
        for (a, b) in one.iter().zip(&two) {
            prop_assert_eq!((a.kind, &a.skeleton, &a.columns), (b.kind, &b.skeleton, &b.columns));
            prop_assert_eq!(a.skeleton.matches("<val>").count(), a.literals.len());
            prop_assert!(a.range.is_some());
            describe(a, &schema);
        }
        summarize(&one, &schema);
    }

    #[test]
    fn parsed_skeletons_speak_as_the_text_does(template in query()) {
        let schema = schema();
        let mut phrases = Phrases::default();
        let literals = [("7", "'x'"), ("12.5", "'it''s'"), ("100", "''"), ("1e3", "'2019'"), ("0", "'%0000.1'")];
        for (number, text) in literals {
            for component in split(&written(&template, "h", number, text), &schema).unwrap() {
                let phrase = phrases.phrase(&component, &schema);
                prop_assert_eq!(describe_as(&component, &phrase), describe(&component, &schema));
            }
        }
    }

    #[test]
    fn literals_are_cut_out_exactly(template in query()) {
        let sql = written(&template, "h", "7", "'x'");
        let found = literals(&sql, &schema()).unwrap();
        let expected = template.matches('#').count() + template.matches('$').count();
        prop_assert_eq!(found.len(), expected, "{}", sql);
        let mut again = String::new();
        let mut end = 0;
        for literal in &found {
            prop_assert!(literal.range.start >= end);
            again.push_str(&sql[end..literal.range.start]);
            let piece = &sql[literal.range.clone()];
            prop_assert!(matches!(piece, "7" | "-7" | "'x'"), "{}", piece);
            again.push_str(piece);
            end = literal.range.end;
        }
        again.push_str(&sql[end..]);
        prop_assert_eq!(&again, &sql);
    }

    #[test]
    fn pieces_are_cut_out_of_the_text(template in query()) {
        let sql = written(&template, "h", "7", "'x'");
        for component in split(&sql, &schema()).unwrap() {
            let range = component.range.clone().unwrap();
            let piece = &sql[range];
            prop_assert_eq!(piece.matches('(').count(), piece.matches(')').count(), "{:?} in {}", component, sql);
            prop_assert!(parse_query(&match component.kind {
                super::ComponentType::Calculation | super::ComponentType::Condition => format!("SELECT {piece}"),
                super::ComponentType::Relation => format!("SELECT 1 {piece}"),
                _ => continue,
            }).is_ok(), "{} from {}", piece, sql);
        }
    }
}
