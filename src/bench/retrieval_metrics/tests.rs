use super::*;

fn required(skeleton: &str, kind: ComponentType, sources: &[i64]) -> Required {
    Required { skeleton: skeleton.into(), kind: Some(kind), sources: sources.to_vec() }
}

/// The example of Appendix A.1: queries 65 and 87 cover 3 of 4 items.
#[test]
fn the_papers_example_has_a_recall_of_three_quarters() {
    let needs = [
        required("schools.Charter = <val>", ComponentType::Condition, &[60, 61, 62, 63, 65]),
        required("schools.FundingType = '<val>'", ComponentType::Condition, &[28]),
        required("schools.County = '<val>'", ComponentType::Condition, &[87]),
        required(
            "FROM frpm INNER JOIN schools ON frpm.CDSCode = schools.CDSCode",
            ComponentType::Relation,
            &[87],
        ),
    ];
    let got = measure(&needs, &[65, 87, 87], &[]);
    assert_eq!(got.overall, Counts { required: 4, covered: 3, superfluous: 0 });
    assert_eq!(got.overall.recall(), Some(0.75));
    assert_eq!(got.covered, [0, 2, 3]);
    assert_eq!(got.by_type[&ComponentType::Condition].recall(), Some(2.0 / 3.0));
    assert_eq!(got.by_type[&ComponentType::Relation].recall(), Some(1.0));
}

#[test]
fn superfluous_items_lower_precision_and_duplicates_do_not() {
    let needs = [
        required("a.x = '<val>'", ComponentType::Condition, &[1]),
        required("COUNT(a.y)", ComponentType::Calculation, &[2]),
    ];
    let item = |skeleton, kind| Retrieved { skeleton, kind };
    let items = [
        item("a.x = <val>", ComponentType::Condition),
        item("A.x=<val>", ComponentType::Condition),
        item("a.z > <val>", ComponentType::Condition),
        item("a.z > <val>", ComponentType::Condition),
        item("LIMIT <val>", ComponentType::Output),
    ];
    let got = measure(&needs, &[1], &items);
    assert_eq!(got.overall, Counts { required: 2, covered: 1, superfluous: 2 });
    assert_eq!(got.overall.precision(), Some(1.0 / 3.0));
    assert_eq!(got.overall.f1(), Some(0.4));
    assert_eq!(got.by_type[&ComponentType::Output], Counts { superfluous: 1, ..Counts::default() });
    // A skeleton that the task names twice is one item.
    let twice = [needs[0].clone(), required("a.x=<val>", ComponentType::Condition, &[9]), needs[1].clone()];
    assert_eq!(measure(&twice, &[1], &[]).overall, Counts { required: 2, covered: 1, superfluous: 0 });
    let mut sum = got.clone();
    sum += &measure(&needs, &[1, 2], &[]);
    assert_eq!(sum.overall, Counts { required: 4, covered: 3, superfluous: 2 });
    assert_eq!(Counts::default().f1(), None);
}

/// Two queries of a history, with one item each of their own and one that they share.
fn history() -> KnowledgeBase {
    use crate::history::import::{RawHistory, RawRecord};
    let sql = ["SELECT a FROM t WHERE a > 1 AND b = 'x'", "SELECT a FROM t WHERE b = 'y' GROUP BY a"];
    let records = sql.iter().zip(1..).map(|(sql, id)| RawRecord {
        sql: (*sql).to_owned(),
        id: Some(id),
        ..RawRecord::default()
    });
    let raw = RawHistory { records: records.collect(), ..RawHistory::default() };
    crate::history::Builder::new(raw, crate::sql::Schema::default()).whole().0
}

#[test]
fn precision_counts_whole_queries_or_components_alone() {
    let history = history();
    let items: Vec<u32> =
        (0..).zip(&history.items).filter(|(_, item)| item.skeleton.contains('b')).map(|(i, _)| i).collect();
    assert_eq!((history.items.len(), items.len()), (3, 1), "{:?}", history.items);
    let skeleton = history.items[items[0] as usize].skeleton.clone();
    let needs = [required(&skeleton, ComponentType::Condition, &[1, 2])];
    let of = |counted| measure_retrieved(&needs, &history, &[0, 1], &items, counted).overall;
    // Both queries hold a > <val> and GROUP BY a, which the task does not need; the component found is needed.
    assert_eq!(of(Counted::Queries), Counts { required: 1, covered: 1, superfluous: 2 });
    assert_eq!(of(Counted::Components), Counts { required: 1, covered: 1, superfluous: 0 });
    // A component that was retrieved without a query covers by its skeleton.
    let alone = measure_retrieved(&needs, &history, &[], &items, Counted::Components);
    assert_eq!(alone.overall.recall(), Some(1.0));
    assert_eq!(
        measure_retrieved(&needs, &history, &[], &items, Counted::Queries).overall.recall(),
        Some(0.0)
    );
}
