#![allow(clippy::unwrap_used)]

use super::*;
use crate::sql::{Column, Table, split};

fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns
            .iter()
            .map(|c| Column { name: (*c).into(), primary_key: *c == "id", ..Column::default() })
            .collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("superhero", &["id", "superhero_name", "height_cm", "publisher_id", "birthDate"]),
            table("publisher", &["id", "publisher_name"]),
            table("hero_power", &["hero_id", "power_id"]),
        ],
    }
}

/// The titles of the components of one type.
fn titles(sql: &str, kind: ComponentType) -> Vec<String> {
    let schema = schema();
    split(sql, &schema)
        .unwrap()
        .iter()
        .filter(|c| c.kind == kind)
        .map(|c| describe(c, &schema).title)
        .collect()
}

fn condition(predicate: &str) -> String {
    let sql = format!("SELECT id FROM superhero WHERE {predicate}");
    titles(&sql, ComponentType::Condition).join(" | ")
}

fn calculation(formula: &str) -> String {
    titles(&format!("SELECT {formula} FROM superhero"), ComponentType::Calculation).join(" | ")
}

#[test]
fn conditions_name_values_and_relations() {
    for (predicate, words) in [
        ("height_cm > 180", "Height is over 180"),
        ("height_cm >= 180", "Height is at least 180"),
        ("NOT height_cm < 180", "Height is at least 180"),
        ("height_cm BETWEEN 150 AND 180", "Height is between 150 and 180"),
        ("height_cm IS NOT NULL", "Height is known"),
        ("height_cm IS NULL", "Height is missing"),
        ("superhero_name LIKE 'Dark%'", "Superhero starts with Dark"),
        ("superhero_name NOT LIKE '%man%'", "Superhero does not contain man"),
        ("superhero_name IN ('Thor', 'Loki')", "Superhero is Thor or Loki"),
        ("strftime('%Y', birthDate) = '1990'", "Year of birth date is 1990"),
        ("birthDate >= '1990-01-01'", "Birth date is from 1990-01-01"),
        ("substr(birthDate, 1, 4) = '1990'", "Year of birth date is 1990"),
        ("height_cm = (SELECT MAX(height_cm) FROM superhero)", "Height is the highest"),
    ] {
        assert_eq!(condition(predicate), words, "{predicate}");
    }
}

#[test]
fn formulas_are_recognised_by_their_shape() {
    for (formula, words) in [
        ("COUNT(*)", "Number of rows"),
        ("COUNT(id)", "Number of superheroes"),
        ("COUNT(DISTINCT publisher_id)", "Number of different publishers"),
        ("AVG(height_cm)", "Average height"),
        ("CAST(SUM(height_cm) AS REAL) / COUNT(id)", "Average height"),
        (
            "CAST(COUNT(CASE WHEN height_cm > 180 THEN id ELSE NULL END) AS REAL) * 100 / COUNT(id)",
            "Percentage of superheroes where height is over 180",
        ),
        (
            "SUM(CASE WHEN height_cm > 180 THEN 1 ELSE 0 END)",
            "Number of superheroes where height is over 180",
        ),
        ("SUM(IIF(height_cm > 180, 1, 0))", "Number of superheroes where height is over 180"),
        ("MAX(height_cm) - MIN(height_cm)", "Difference between highest height and lowest height"),
        ("strftime('%Y', 'now') - strftime('%Y', birthDate)", "Age"),
        ("RANK() OVER (ORDER BY height_cm DESC)", "Rank by height, largest first"),
    ] {
        assert_eq!(calculation(formula), words, "{formula}");
    }
}

#[test]
fn clauses_read_as_people_ask() {
    let joined = "SELECT DISTINCT publisher_name, AVG(height_cm) FROM superhero JOIN publisher ON \
                  publisher_id = publisher.id GROUP BY publisher_name ORDER BY AVG(height_cm) DESC LIMIT 10";
    assert_eq!(titles(joined, ComponentType::Relation), ["Superhero to publisher by publisher id"]);
    assert_eq!(titles(joined, ComponentType::Dimension), ["By publisher name"]);
    assert_eq!(
        titles(joined, ComponentType::Output),
        ["Distinct publisher name and average height", "Top 10 by average height, largest first"]
    );
    let most = "SELECT hero_id FROM hero_power GROUP BY hero_id ORDER BY COUNT(power_id) DESC LIMIT 1";
    assert_eq!(titles(most, ComponentType::Output), ["The most powers"]);
    assert_eq!(titles("SELECT id FROM superhero LIMIT 3", ComponentType::Output), ["Only 3 rows"]);
}

#[test]
fn a_summary_says_what_of_what_where_and_by_what() {
    let schema = schema();
    let sql = "SELECT publisher_name, AVG(height_cm) FROM superhero JOIN publisher ON publisher_id = publisher.id \
               WHERE height_cm > 0 GROUP BY publisher_name ORDER BY AVG(height_cm) DESC LIMIT 3";
    assert_eq!(
        summarize(&split(sql, &schema).unwrap(), &schema),
        "Average height of superheroes and publishers where height is over 0, by publisher name, top 3 by \
         average height, largest first."
    );
    assert_eq!(summarize(&[], &schema), "A query without a table.");
}

#[test]
fn notes_replace_names_that_say_nothing() {
    let mut schema = schema();
    schema.tables[0].columns[2].note = Some("average salary".into());
    let components = split("SELECT id FROM superhero WHERE height_cm > 9", &schema).unwrap();
    assert_eq!(describe(&components[0], &schema).title, "Average salary is over 9");
}

#[test]
fn titles_are_short_and_sentences_whole() {
    let names: Vec<String> = (0..60).map(|i| format!("'name number {i}'")).collect();
    let sql = format!(
        "SELECT id FROM superhero WHERE superhero_name = '{}' OR superhero_name IN ({})",
        "long ".repeat(40),
        names.join(", ")
    );
    let schema = schema();
    for component in split(&sql, &schema).unwrap() {
        let description = describe(&component, &schema);
        assert!(description.title.chars().count() <= TITLE_LENGTH + 1, "{}", description.title);
        assert!(description.sentence.ends_with('.'), "{}", description.sentence);
    }
}

#[test]
fn a_telling_alias_names_its_formula() {
    let title = |sql: &str| {
        let found = crate::sql::split(sql, &Schema::default()).unwrap_or_default();
        found.first().map(|c| describe(c, &Schema::default()).title).unwrap_or_default()
    };
    assert_eq!(title("SELECT 100.0 * SUM(late) / COUNT(*) AS late_pct FROM t"), "Late percent");
    assert!(!title("SELECT COUNT(*) AS n FROM t").to_lowercase().starts_with("n "));
    assert_eq!(title("SELECT COUNT(*) AS total FROM t"), title("SELECT COUNT(*) FROM t"));
}
