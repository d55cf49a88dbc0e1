//! Sample content.

use std::sync::Arc;

use querylore::bench::compare::Diagnosis;
use querylore::db::{ResultColumn, ResultSet, Value};
use querylore::pipeline::adapt::Change;
use querylore::present::grid::{Against, RowPair};
use querylore::present::item::{Companion, ItemView, Reason, Source};
use querylore::present::question::Marked;
use querylore::present::schema::{ColumnNode, TableNode, Used};
use querylore::present::sql_lines::Span;
use querylore::sql::ComponentType::{self, Calculation, Condition, Dimension, Output, Relation};
use querylore::ui::components::knowledge::Card;
use querylore::ui::components::score_panel::{KnowledgeScore, Score};

pub const QUESTION: &str = "On-time share by month on the Harbour Loop in fiscal 2024";

pub const SQL: &str = "SELECT strftime('%Y-%m', s.op_day) AS month,
  COUNT(*) AS sailings,
  SUM(s.dep_delay_s BETWEEN -60 AND 299) AS on_time,
  ROUND(100.0 * SUM(s.dep_delay_s BETWEEN -60 AND 299) / COUNT(*), 1) AS on_time_pct
FROM sailings AS s
JOIN timetable AS t ON t.trip_key = s.op_line || '/' || s.trip_no
JOIN routes AS r ON r.route_id = t.route_id
WHERE r.code = 'HL'
  AND s.state NOT IN ('X', 'W')
  AND s.op_day >= '2024-04-01' AND s.op_day < '2025-04-01'
GROUP BY month
ORDER BY month";

pub fn marks() -> Vec<Marked> {
    [
        ("On-time share", Some(Calculation)),
        ("by month", Some(Dimension)),
        ("Harbour Loop", None),
        ("fiscal 2024", Some(Condition)),
    ]
    .into_iter()
    .filter_map(|(text, kind)| {
        QUESTION.find(text).map(|start| Marked { start, end: start + text.len(), kind })
    })
    .collect()
}

pub fn changes() -> Vec<Change> {
    [("'HL'", "'AX'"), ("'2024-04-01'", "'2023-04-01'"), ("'2025-04-01'", "'2024-04-01'")]
        .into_iter()
        .filter_map(|(after, before)| {
            let start = SQL.find(after)?;
            let end = start + after.len();
            Some(Change {
                start,
                end,
                before: before.into(),
                after: after.into(),
                reason: "The question names it.".into(),
            })
        })
        .collect()
}

pub fn spans() -> Vec<Span> {
    let span = |kind, first, last, key| Span { kind, first, last, key };
    vec![
        span(Dimension, 1, 1, 1),
        span(Calculation, 3, 4, 0),
        span(Relation, 5, 7, 2),
        span(Condition, 8, 10, 4),
        span(Condition, 9, 9, 3),
        span(Dimension, 11, 11, 1),
        span(Output, 12, 12, 5),
    ]
}

pub fn cards() -> Vec<Card> {
    let card = |key, kind, title: &str, score, seen| Card {
        key,
        kind,
        title: title.into(),
        score: Some(score),
        seen,
        pinned: key == 4,
    };
    vec![
        card(0, Calculation, "On-time share of sailings", 0.88, 9),
        card(1, Dimension, "By month of the service day", 0.84, 14),
        card(2, Relation, "Sailings to timetable", 0.79, 21),
        card(3, Condition, "Sailing actually ran", 0.77, 17),
        card(4, Condition, "Fiscal year, April to March", 0.76, 12),
        card(5, Output, "Oldest month first", 0.62, 1),
    ]
}

pub fn item() -> ItemView {
    let reason = |phrase: Option<&str>, text: &str, bar, figure: &str| Reason {
        phrase: phrase.map(Into::into),
        text: text.into(),
        bar,
        figure: figure.into(),
    };
    let with = |key, kind: ComponentType, title: &str, together| Companion {
        key,
        kind,
        title: title.into(),
        together,
    };
    let source = |entry, question: Option<&str>, sql: &str, note: &str| Source {
        entry,
        question: question.map(Into::into),
        sql: sql.into(),
        excerpt: true,
        note: note.into(),
        adapted: entry == 87,
    };
    ItemView {
        key: 0,
        kind: Calculation,
        title: "On-time share of sailings".into(),
        description: "Share of sailings that left between 60 s early and 299 s late, as a percentage of all sailings in the group.".into(),
        skeleton: "100.0 * SUM(sailings.dep_delay_s BETWEEN <val> AND <val>) / COUNT(*)".into(),
        values: vec![("-60, 299".into(), 8), ("0, 299".into(), 1)],
        score: Some(0.88),
        why: vec![
            reason(Some("On-time share"), "is near its description", 0.81, "0.81"),
            reason(None, "Query #87 is near your question", 0.83, "0.83"),
        ],
        occurs_with: vec![
            with(3, Condition, "Sailing actually ran", 7),
            with(2, Relation, "Sailings to timetable", 6),
            with(1, Dimension, "By month of the service day", 5),
        ],
        sources: vec![
            source(87, Some("On-time rate by month, Airport Express, FY23"), "SUM(s.dep_delay_s BETWEEN -60 AND 299)", "m.okoye · 2023-05-11 · used 4 times"),
            source(31, Some("Worst vessels for punctuality last winter"), "SUM(x.dep_delay_s BETWEEN -60 AND 299)", "j.lind · 2023-02-02 · used 2 times"),
            source(112, None, "SUM(dep_delay_s BETWEEN -60 AND 299)", "report_bot · 2024-01-08"),
            source(4, None, "SUM(dep_delay_s BETWEEN 0 AND 299)", "report_bot · 2024-01-08"),
            source(5, None, "SUM(dep_delay_s BETWEEN -60 AND 299)", "report_bot · 2024-01-09"),
        ],
        seen: 9,
    }
}

pub fn tables() -> Vec<TableNode> {
    let column = |name: &str, kind: &str, sample: &str| ColumnNode {
        name: name.into(),
        declared_type: kind.into(),
        sample: sample.into(),
        primary_key: name == "sailing_id",
        refers_to: (name == "vessel_id").then(|| "vessels".into()),
        note: None,
    };
    let table = |name: &str, rows| TableNode {
        name: name.into(),
        rows: Some(rows),
        view: false,
        columns: Vec::new(),
    };
    let sailings = TableNode {
        columns: vec![
            column("sailing_id", "INTEGER", "1 to 38,412"),
            column("vessel_id", "INTEGER", "1 to 14"),
            column("op_day", "TEXT", "2024-11-03"),
            column("op_line", "TEXT", "H A N S"),
            column("state", "TEXT", "D A X W"),
            column("dep_delay_s", "INTEGER", "-118 to 5,310"),
            column("boarded", "INTEGER", "0 to 398"),
        ],
        ..table("sailings", 38_412)
    };
    let mut out = vec![sailings];
    out.extend(
        [
            ("timetable", 2_204),
            ("routes", 11),
            ("piers", 19),
            ("a table with a very long name", 14),
            ("tickets", 61_870),
        ]
        .map(|(n, r)| table(n, r)),
    );
    out
}

pub fn used() -> Used {
    let columns =
        ["op_day", "op_line", "state", "dep_delay_s"].map(|c| ("sailings".to_owned(), c.to_owned()));
    Used::new(&["timetable".to_owned(), "routes".to_owned()], &columns)
}

fn columns(names: &[&str]) -> Vec<ResultColumn> {
    names.iter().map(|name| ResultColumn { name: (*name).into() }).collect()
}

const MONTHS: [(&str, i64, i64, f64); 6] = [
    ("2024-04", 372, 353, 94.89),
    ("2024-05", 391, 373, 95.4),
    ("2024-06", 402, 387, 96.27),
    ("2024-07", 418, 389, 93.06),
    ("2024-08", 420, 389, 92.62),
    ("2024-09", 397, 380, 95.72),
];

fn months(digits: f64) -> ResultSet {
    let rows = MONTHS
        .iter()
        .map(|(month, n, on_time, pct)| {
            let pct = (pct * digits).round() / digits;
            vec![Value::Text((*month).into()), Value::Integer(*n), Value::Integer(*on_time), Value::Real(pct)]
        })
        .collect();
    ResultSet {
        columns: columns(&["month", "sailings", "on_time", "on_time_pct"]),
        rows,
        more: false,
        elapsed_ms: 12.0,
    }
}

pub fn result() -> Arc<ResultSet> {
    Arc::new(months(10.0))
}

pub fn against() -> Arc<Against> {
    let mut rows: Vec<RowPair> =
        (0..5).map(|i| RowPair { ours: Some(i), gold: Some(i), copy: false }).collect();
    rows.push(RowPair { ours: Some(5), gold: None, copy: false });
    rows.push(RowPair { ours: None, gold: Some(5), copy: false });
    Arc::new(Against { gold: Arc::new(months(100.0)), rows })
}

/// 1,000 rows and more, with every kind of value.
pub fn large() -> Arc<ResultSet> {
    let rows = (0..1_000_i64)
        .map(|i| {
            let odd = match i % 5 {
                0 => Value::Null,
                1 => Value::Blob(vec![7; 2_400]),
                2 => Value::InvalidText(b"caf\xE9".to_vec()),
                3 => Value::Text("a long remark ".repeat(20)),
                _ => Value::Text("短い".into()),
            };
            vec![
                Value::Text(format!("2024-11-{:02}", i % 30 + 1)),
                odd,
                Value::Integer(9_007_199_254_740_993 + i),
                Value::Real(i as f64 / 7.0),
            ]
        })
        .collect();
    Arc::new(ResultSet {
        columns: columns(&["day", "remark", "serial", "share of it"]),
        rows,
        more: true,
        elapsed_ms: 4_210.0,
    })
}

pub fn score() -> Score {
    Score {
        mode: "bird-ex".into(),
        equal: Some(false),
        diagnosis: Some(Diagnosis {
            only_rounding: Some(11),
            sentence:
                "Same months and counts. Only on_time_pct differs: gold keeps 2 decimals, the answer keeps 1."
                    .into(),
            ..Diagnosis::default()
        }),
        knowledge: Some(KnowledgeScore {
            precision: 0.83,
            recall: 1.0,
            f1: 0.91,
            chosen: 6,
            hits: 5,
            wanted: 5,
        }),
        note: String::new(),
    }
}
