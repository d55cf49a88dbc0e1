//! One test a rule of the normal form.
#![allow(clippy::unwrap_used)]

use crate::sql::{Column, Component, ComponentType, Schema, Table, split};

pub(crate) fn schema() -> Schema {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(|c| Column { name: (*c).into(), ..Column::default() }).collect(),
        ..Table::default()
    };
    Schema {
        tables: vec![
            table("Hero", &["id", "Name", "height", "side_id", "Free Meals (K-12)", "born"]),
            table("side", &["id", "label"]),
            table("power", &["hero_id", "name", "order"]),
        ],
    }
}

fn of(sql: &str, kind: ComponentType) -> Vec<String> {
    let found = split(sql, &schema()).unwrap_or_else(|e| panic!("{e}: {sql}"));
    found.into_iter().filter(|c| c.kind == kind).map(|c| c.skeleton).collect()
}

fn conditions(predicate: &str) -> Vec<String> {
    of(&format!("SELECT 1 FROM hero AS h WHERE {predicate}"), ComponentType::Condition)
}

fn calculation(formula: &str) -> String {
    of(&format!("SELECT {formula} FROM hero AS h"), ComponentType::Calculation).join(" | ")
}

#[test]
fn names_take_the_schemas_spelling_and_their_table() {
    assert_eq!(conditions("HEIGHT > 3"), ["Hero.height > <val>"]);
    assert_eq!(conditions("H.NAME = 'x'"), ["Hero.Name = '<val>'"]);
    assert_eq!(conditions("h.`free meals (k-12)` > 1"), ["Hero.\"Free Meals (K-12)\" > <val>"]);
    assert_eq!(conditions("[height] > 1 AND \"height\" > 2"), ["Hero.height > <val>", "Hero.height > <val>"]);
    let sql = "SELECT 1 FROM power WHERE \"order\" = 1";
    assert_eq!(of(sql, ComponentType::Condition), ["power.\"order\" = <val>"]);
}

#[test]
fn conditions_are_split_at_and_and_or() {
    assert_eq!(
        conditions("(height > 1 AND (height < 9 OR name = 'a')) AND NOT (id = 1 OR id = 2)"),
        [
            "Hero.height > <val>",
            "Hero.height < <val>",
            "Hero.Name = '<val>'",
            "NOT (Hero.id = <val> OR Hero.id = <val>)"
        ]
    );
    let sql = "SELECT 1 FROM hero GROUP BY name HAVING COUNT(*) > 1 AND MAX(height) < 3";
    assert_eq!(of(sql, ComponentType::Condition), ["COUNT(*) > <val>", "MAX(Hero.height) < <val>"]);
}

#[test]
fn equal_things_are_spelled_alike() {
    for (written, form) in [
        ("height != 1", "Hero.height <> <val>"),
        ("height == 1", "Hero.height = <val>"),
        ("height = -1", "Hero.height = <val>"),
        ("name IS NOT NULL", "NOT Hero.Name IS NULL"),
        ("name NOTNULL", "NOT Hero.Name IS NULL"),
        ("name NOT LIKE '%x'", "NOT Hero.Name LIKE '<val>'"),
        ("id NOT IN (1, 2, 3)", "NOT Hero.id IN (<val>)"),
        ("name IN ('a', \"b\")", "Hero.Name IN ('<val>')"),
        ("height NOT BETWEEN 1 AND 2", "NOT Hero.height BETWEEN <val> AND <val>"),
        ("substr(name, 1, 2) = 'ab'", "SUBSTRING(Hero.Name, <val>, <val>) = '<val>'"),
        ("name = \"Bob\"", "Hero.Name = '<val>'"),
        ("name = 'O''Hara'", "Hero.Name = '<val>'"),
        ("name GLOB 'a*'", "Hero.Name GLOB '<val>'"),
        ("name COLLATE nocase = 'x'", "Hero.Name COLLATE NOCASE = '<val>'"),
    ] {
        assert_eq!(conditions(written), [form], "{written}");
    }
    assert_eq!(calculation("cast(height as float) / 2"), "CAST(Hero.height AS REAL) / <val>");
    assert_eq!(calculation("strftime('%Y', born)"), "STRFTIME('<val>', Hero.born)");
    assert_eq!(calculation("count(distinct name)"), "COUNT(DISTINCT Hero.Name)");
    assert_eq!(
        calculation("case when height > 1 then 'tall' else null end"),
        "CASE WHEN Hero.height > <val> THEN '<val>' ELSE NULL END"
    );
}

#[test]
fn columns_and_constants_are_no_calculations() {
    assert_eq!(calculation("name, h.height, 1, 'x', -2, (id), *"), "");
    assert_eq!(calculation("height > 1 AND name = 'x'"), "Hero.height > <val> | Hero.Name = '<val>'");
}

#[test]
fn relations_need_two_tables_and_order_the_sides_of_on() {
    assert!(of("SELECT 1 FROM hero", ComponentType::Relation).is_empty());
    assert_eq!(
        of("SELECT 1 FROM hero h JOIN side s ON s.ID = h.side_id", ComponentType::Relation),
        ["FROM Hero INNER JOIN side ON Hero.side_id = side.id"]
    );
    assert_eq!(
        of(
            "SELECT 1 FROM hero LEFT OUTER JOIN power AS p ON hero_id = hero.id AND p.name = 'x'",
            ComponentType::Relation
        ),
        ["FROM Hero LEFT JOIN power ON Hero.id = power.hero_id AND power.name = '<val>'"]
    );
    assert_eq!(
        of("SELECT 1 FROM hero a, hero b NATURAL JOIN side JOIN power USING (ID)", ComponentType::Relation),
        ["FROM Hero, Hero NATURAL INNER JOIN side INNER JOIN power USING (id)"]
    );
    assert_eq!(
        of("SELECT 1 FROM hero a JOIN hero b ON b.id = a.side_id", ComponentType::Relation),
        ["FROM Hero INNER JOIN Hero ON Hero.side_id = Hero.id"]
    );
}

#[test]
fn output_aliases_and_positions_become_expressions() {
    let sql = "SELECT name AS n, COUNT(*) AS total FROM hero GROUP BY n HAVING total > 3 ORDER BY total DESC, 1 LIMIT 5";
    assert_eq!(of(sql, ComponentType::Dimension), ["GROUP BY Hero.Name"]);
    assert_eq!(of(sql, ComponentType::Condition), ["COUNT(*) > <val>"]);
    assert_eq!(of(sql, ComponentType::Output), ["ORDER BY COUNT(*) DESC, Hero.Name LIMIT <val>"]);
    assert_eq!(of(sql, ComponentType::Calculation), ["COUNT(*)"]);
    let shadowed = "SELECT UPPER(name) AS name FROM hero GROUP BY name ORDER BY name";
    assert_eq!(of(shadowed, ComponentType::Dimension), ["GROUP BY Hero.Name"]);
    assert_eq!(of(shadowed, ComponentType::Output), ["ORDER BY UPPER(Hero.Name)"]);
}

#[test]
fn outputs_take_their_limit_along() {
    for (clause, form) in [
        ("ORDER BY height ASC LIMIT 3", "ORDER BY Hero.height LIMIT <val>"),
        ("ORDER BY height DESC NULLS LAST", "ORDER BY Hero.height DESC NULLS LAST"),
        ("LIMIT 5, 10", "LIMIT <val> OFFSET <val>"),
        ("LIMIT 10 OFFSET 5", "LIMIT <val> OFFSET <val>"),
    ] {
        assert_eq!(of(&format!("SELECT name FROM hero {clause}"), ComponentType::Output), [form], "{clause}");
    }
    assert_eq!(
        of("SELECT DISTINCT name, height h FROM hero", ComponentType::Output),
        ["SELECT DISTINCT Hero.Name, Hero.height"]
    );
}

#[test]
fn subqueries_are_pieces_and_split() {
    let sql = "SELECT name FROM hero h WHERE EXISTS (SELECT 1 FROM power WHERE hero_id = h.id AND name = 'Fly') \
               AND height = (SELECT MAX(height) FROM hero)";
    assert_eq!(
        of(sql, ComponentType::Condition),
        [
            "EXISTS(SELECT <val> FROM power WHERE power.hero_id = Hero.id AND power.name = '<val>')",
            "power.hero_id = Hero.id",
            "power.name = '<val>'",
            "Hero.height = (SELECT MAX(Hero.height) FROM Hero)",
        ]
    );
    assert_eq!(of(sql, ComponentType::Calculation), ["MAX(Hero.height)"]);
}

#[test]
fn ctes_derived_tables_and_set_operations_are_split() {
    let sql = "WITH tall AS (SELECT id AS hero, height FROM hero WHERE height > 9) \
               SELECT t.hero FROM tall t JOIN power p ON p.hero_id = t.hero WHERE T.HEIGHT > 10 \
               UNION SELECT id FROM (SELECT side_id AS id, name FROM hero) AS d WHERE name = 'x' ORDER BY 1";
    assert_eq!(of(sql, ComponentType::Relation), ["FROM tall INNER JOIN power ON tall.hero = power.hero_id"]);
    assert_eq!(
        of(sql, ComponentType::Condition),
        ["Hero.height > <val>", "tall.height > <val>", "d.name = '<val>'"]
    );
    assert_eq!(of(sql, ComponentType::Output), ["ORDER BY tall.hero"]);
    let recursive =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n";
    assert_eq!(of(recursive, ComponentType::Condition), ["n.i < <val>"]);
    assert_eq!(of(recursive, ComponentType::Calculation), ["n.i + <val>"]);
}

#[test]
fn windows_are_calculations_whose_partitions_are_dimensions() {
    let sql = "SELECT RANK() OVER (PARTITION BY side_id ORDER BY COUNT(*) DESC) FROM hero";
    assert_eq!(
        of(sql, ComponentType::Calculation),
        ["RANK() OVER (PARTITION BY Hero.side_id ORDER BY COUNT(*) DESC)", "COUNT(*)"]
    );
    assert_eq!(of(sql, ComponentType::Dimension), ["PARTITION BY Hero.side_id"]);
    let filtered = "SELECT SUM(height) FILTER (WHERE name = 'x') OVER w FROM hero WINDOW w AS (ORDER BY id)";
    assert_eq!(of(filtered, ComponentType::Condition), ["Hero.Name = '<val>'"]);
}

#[test]
fn without_a_schema_aliases_are_resolved() {
    let sql =
        "SELECT a.x FROM first a JOIN second AS b ON b.k = a.k WHERE a.x > 3 AND y = \"text\" AND z = 1";
    let found: Vec<String> =
        split(sql, &Schema::default()).unwrap().into_iter().map(|c| c.skeleton).collect();
    assert_eq!(
        found,
        ["FROM first INNER JOIN second ON first.k = second.k", "first.x > <val>", "y = '<val>'", "z = <val>",]
    );
}

#[test]
fn a_component_knows_its_text_literals_tables_and_columns() {
    let sql = "SELECT name -- who\nFROM hero AS h\n  JOIN side s ON h.side_id = s.id\nWHERE s.label IN ('a', 'b')\n  AND (h.height\n  > 3) AND h.name IS NOT NULL";
    let found = split(sql, &schema()).unwrap();
    let [relation, label, height, name] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!(relation.sql, "FROM hero AS h JOIN side s ON h.side_id = s.id");
    assert_eq!(relation.lines, Some((2, 3)));
    assert_eq!(relation.tables, ["Hero", "side"]);
    assert_eq!(label.sql, "s.label IN ('a', 'b')");
    assert_eq!(label.literals, ["'a', 'b'"]);
    assert_eq!(label.columns, [("side".to_owned(), "label".to_owned())]);
    assert_eq!(height.sql, "h.height > 3");
    assert_eq!(height.lines, Some((5, 6)));
    assert_eq!(name.sql, "h.name IS NOT NULL");
}

fn pieces(sql: &str) -> Vec<Component> {
    split(sql, &schema()).unwrap_or_else(|e| panic!("{e}: {sql}"))
}

#[test]
fn positions_cover_whole_pieces() {
    for (sql, first) in [
        (
            "SELECT CAST(SUM(height) AS REAL) * 100 / COUNT(*) FROM hero",
            "CAST(SUM(height) AS REAL) * 100 / COUNT(*)",
        ),
        ("SELECT CASE WHEN id = 1 THEN 2 END FROM hero", "CASE WHEN id = 1 THEN 2 END"),
        ("SELECT COUNT(*) FROM hero", "COUNT(*)"),
        ("SELECT CAST(id AS REAL) FROM hero", "CAST(id AS REAL)"),
        ("SELECT CAST(SUBSTR(name, 1, 2) AS INTEGER) FROM hero", "CAST(SUBSTR(name, 1, 2) AS INTEGER)"),
        ("SELECT id FROM hero WHERE (id > 1) IS NOT NULL", "(id > 1) IS NOT NULL"),
        ("SELECT (SELECT 1 + 1) FROM hero", "(SELECT 1 + 1)"),
        ("SELECT id FROM hero WHERE id = (SELECT 1)", "id = (SELECT 1)"),
        ("SELECT - SUM(id) FROM hero", "- SUM(id)"),
        ("SELECT (MAX(id)) FROM hero", "MAX(id)"),
        ("SELECT RANK() OVER (ORDER BY id DESC) FROM hero", "RANK() OVER (ORDER BY id DESC)"),
        ("SELECT id FROM hero WHERE NOT EXISTS (SELECT 1)", "NOT EXISTS (SELECT 1)"),
        ("SELECT DISTINCT(name) FROM hero", "SELECT DISTINCT(name)"),
        ("SELECT name FROM hero GROUP BY name", "GROUP BY name"),
        ("SELECT name FROM hero ORDER BY height DESC LIMIT 1", "ORDER BY height DESC LIMIT 1"),
        ("SELECT name FROM hero WHERE 'ä' = name", "'ä' = name"),
    ] {
        assert_eq!(pieces(sql).first().map(|c| c.sql.as_str()), Some(first), "{sql}");
    }
}
