#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::entries::{Now, actions, of_database, of_knowledge, of_questions};
use super::*;
use crate::db::Overview;
use crate::history::{Edit, Item, KnowledgeBase};
use crate::sql::{Column, Schema, Table};

fn entry(kind: Kind, title: &str) -> Entry {
    Entry::new(Target::Place(title.to_owned()), kind, title)
}

fn titles(entries: Vec<Entry>, query: &str) -> Vec<String> {
    let found = search(&[&Index::new(entries)], query, &[], 20);
    found.shown.iter().map(|hit| hit.title.iter().map(|piece| piece.text.as_str()).collect()).collect()
}

/// The found letters in brackets.
fn marked(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| if piece.hit { format!("[{}]", piece.text) } else { piece.text.clone() })
        .collect()
}

#[test]
fn beginnings_come_before_letters_that_are_strewn() {
    let names = ["sorted alphabetically", "resailed", "boats and sails", "sailings", "sail"];
    let entries = names.map(|name| entry(Kind::Table, name)).to_vec();
    assert_eq!(titles(entries, "sail"), ["sail", "sailings", "boats and sails", "resailed"]);
    let entries = names.map(|name| entry(Kind::Table, name)).to_vec();
    // Letters of the beginnings of words.
    assert_eq!(titles(entries, "soal"), ["sorted alphabetically"]);
}

#[test]
fn an_entry_with_every_word_in_the_name_comes_before_one_with_a_guess() {
    let guess = entry(Kind::Place, "harbour list of open piers");
    let sure = entry(Kind::Column, "the loop at the harbour");
    assert_eq!(titles(vec![guess, sure], "harbour loop")[0], "the loop at the harbour");
}

#[test]
fn words_of_names_begin_at_signs_and_capitals() {
    for (name, query) in [("route_id", "id"), ("CustomerId", "id"), ("sailings.state", "state")] {
        let index = Index::new(vec![entry(Kind::Column, "grid"), entry(Kind::Column, name)]);
        let found = search(&[&index], query, &[], 9);
        assert_eq!(found.shown[0].target, Target::Place(name.to_owned()), "{name}");
    }
}

#[test]
fn other_texts_are_found_and_shown_where_the_name_lacks_the_word() {
    let item = Entry {
        words: vec![
            "Share of sailings that left on time, among those that were not cancelled.".into(),
            "SUM(sailings.dep_delay_s BETWEEN <val> AND <val>)".into(),
        ],
        ..entry(Kind::Item(ComponentType::Calculation), "On-time share")
    };
    let find = |query: &str| search(&[&Index::new(vec![item.clone()])], query, &[], 9).shown.pop().unwrap();
    let by_name = find("time sh");
    assert_eq!(
        (marked(&by_name.title), marked(&by_name.detail)),
        ("On-[time] [sh]are".into(), String::new())
    );
    let by_skeleton = find("between");
    assert_eq!(marked(&by_skeleton.detail), "SUM(sailings.dep_delay_s [BETWEEN] <val> AND <val>)");
    // Both words stand in the description; it is cut so that the first is in view.
    let by_words = find("among cancelled");
    assert_eq!(marked(&by_words.detail), "…left on time, [among] those that were not [cancelled].");
    // What it is can be typed, too.
    assert_eq!(marked(&find("item share").title), "On-time [share]");
    // Letters of the name are not marked where the word itself was found elsewhere.
    assert_eq!(marked(&find("on").title), "[On]-time share");
    assert_eq!(marked(&find("oth").title), "[O]n-[t]ime s[h]are");
}

#[test]
fn letters_keep_their_places_whatever_their_case_takes() {
    let one = |name: &str, query: &str| {
        let found = search(&[&Index::new(vec![entry(Kind::Table, name)])], query, &[], 9);
        found.shown.first().map(|hit| marked(&hit.title))
    };
    // "İ" has two letters in lower case, "ẞ" fewer bytes.
    assert_eq!(one("İzmir STRAẞE", "zmir").as_deref(), Some("İ[zmir] STRAẞE"));
    assert_eq!(one("İzmir STRAẞE", "straße").as_deref(), Some("İzmir [STRAẞE]"));
    assert_eq!(one("İzmir", "İz").as_deref(), Some("[İz]mir"));
}

#[test]
fn what_does_not_fit_is_counted() {
    let entries: Vec<Entry> = (0..50).map(|n| entry(Kind::Column, &format!("column_{n:02}"))).collect();
    let index = Index::new(entries);
    let found = search(&[&index], "col", &[], 8);
    assert_eq!((found.shown.len(), found.more), (8, 42));
    assert_eq!(found.said(), "8 of 50 shown.");
    assert_eq!(found.rest("col"), "42 more. Type more to find them.");
    // Of equals the first ones, in their order.
    assert_eq!(found.shown[7].target, Target::Place("column_07".into()));
    let none = search(&[&index], "zebra", &[], 8);
    assert_eq!(
        (none.said(), none.rest(" zebra ")),
        ("Nothing found.".into(), "Nothing here is called “zebra”.".into())
    );
    let one = search(&[&index], "07", &[], 8);
    assert_eq!((one.said(), one.rest("07")), ("1 found.".into(), String::new()));
}

#[test]
fn without_a_word_those_chosen_before_come_first() {
    let lists = [
        Index::new(vec![entry(Kind::Place, "Ask"), entry(Kind::Place, "Knowledge")]),
        Index::new((0..30).map(|n| entry(Kind::Table, &format!("t{n}"))).collect()),
    ];
    let indexes: Vec<&Index> = lists.iter().collect();
    let mut used = Vec::new();
    for query in ["t9", "t7", "t9", "Knowledge"] {
        let hit = search(&indexes, query, &used, 9).shown.remove(0);
        remember(&mut used, &hit);
    }
    let found = search(&indexes, "  ", &used, 5);
    let names: Vec<String> = found.shown.iter().map(|hit| marked(&hit.title)).collect();
    assert_eq!(names, ["Knowledge", "t9", "t7", "Ask", "t0"]);
    assert_eq!((found.more, found.rest("")), (27, "27 more. Type to find them.".into()));
    // An entry that is gone leaves no gap.
    let found = search(&indexes[..1], "", &used, 5);
    assert_eq!((found.shown.len(), found.more), (2, 0));
    for n in 0..9 {
        let hit = search(&indexes, &format!("t2{n}"), &used, 9).shown.remove(0);
        remember(&mut used, &hit);
    }
    assert_eq!(used.len(), MOST_USED);
}

#[test]
fn as_many_as_fit() {
    assert_eq!(room(900.0, false), 12);
    assert_eq!(room(480.0, false), 7);
    assert_eq!(room(844.0, true), 12);
    // With a keyboard on the screen.
    assert_eq!(room(480.0, true), 7);
    assert_eq!(room(0.0, false), 3);
}

#[test]
fn actions_say_why_they_cannot_be_done() {
    let idle = actions(Now::default());
    let blocked = |list: &[Entry], action| {
        list.iter().find(|entry| entry.target == Target::Act(action)).unwrap().blocked
    };
    assert_eq!(blocked(&idle, Action::Export), Some("There is no history yet."));
    assert_eq!(blocked(&idle, Action::AddHistory), Some("Open a database first."));
    assert_eq!(blocked(&idle, Action::Theme), None);
    let all = Now {
        database: true,
        history: true,
        working: false,
        imported: true,
        sql: true,
        prompt: true,
        answering: true,
        server: true,
        question: true,
        rows: true,
        chart: true,
        linked: true,
        kept: true,
    };
    assert!(actions(all).iter().all(|entry| entry.blocked.is_none()));
    let working = actions(Now { working: true, ..all });
    assert!(blocked(&working, Action::Index).is_some() && blocked(&working, Action::Export).is_none());
    for (query, action) in
        [("import queries", Action::AddHistory), ("dark", Action::Theme), ("shortcut", Action::Keys)]
    {
        let found = search(&[&Index::new(actions(all))], query, &[], 9);
        assert_eq!(found.shown[0].target, Target::Act(action), "{query}");
    }
}

#[test]
fn a_database_and_its_history_are_listed() {
    let column = |name: &str, kind: &str| Column {
        name: name.into(),
        declared_type: kind.into(),
        note: (name == "state").then(|| "X is cancelled".into()),
        ..Column::default()
    };
    let overview = Overview {
        schema: Schema {
            tables: vec![
                Table {
                    name: "sailings".into(),
                    columns: vec![column("state", "TEXT"), column("day", "")],
                    ..Table::default()
                },
                Table { name: "busy".into(), view: true, ..Table::default() },
            ],
        },
        ..Overview::default()
    };
    let listed = of_database(&overview);
    let lines: Vec<(&str, &str)> =
        listed.iter().map(|entry| (entry.title.as_str(), entry.detail.as_str())).collect();
    assert_eq!(lines, [("sailings", ""), ("busy", "view"), ("state", "sailings TEXT"), ("day", "sailings")]);
    let index = Index::new(listed);
    for query in ["sailings.st", "state sailings", "column cancelled", "sailings state"] {
        let found = search(&[&index], query, &[], 9);
        assert_eq!(found.shown[0].target, Target::Column("sailings".into(), "state".into()), "{query}");
    }
    let item = |title: &str, skeleton: &str| Item {
        kind: ComponentType::Condition,
        skeleton: skeleton.into(),
        title: title.into(),
        description: "By rules.".into(),
        occurrences: Vec::new(),
        tables: Vec::new(),
        columns: Vec::new(),
        edit: Edit { description: (skeleton == "b").then(|| "By hand.".into()), ..Edit::default() },
    };
    let base =
        KnowledgeBase { items: vec![item("Month", "a"), item("month", "b")], ..KnowledgeBase::default() };
    let items = of_knowledge(&base);
    // Items of one name are told apart, and a description by hand takes the place of the rules'.
    assert_eq!(items.iter().map(|item| item.detail.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(search(&[&Index::new(items)], "hand", &[], 9).shown[0].target, Target::Item(1));
    let asked = ["How many?".to_owned()];
    let examples = ["Which?".to_owned(), "How many?".to_owned()];
    // An example that was chosen is known again among those asked before.
    let mut used = Vec::new();
    let before = Index::new(of_questions(&[], &examples));
    remember(&mut used, &search(&[&before], "many", &[], 9).shown[0]);
    let after = Index::new(of_questions(&asked, &examples));
    assert_eq!(marked(&search(&[&after], "", &used, 1).shown[0].title), "How many?");
    let questions = of_questions(&asked, &examples);
    assert_eq!(questions.iter().map(|q| q.detail.as_str()).collect::<Vec<_>>(), ["asked before", "example"]);
}

proptest! {
    #[test]
    fn marks_are_of_the_text_and_hold_the_word(name in "[a-zA-Zäİß_ .]{0,24}", query in "[a-zäi]{1,4}") {
        let found = search(&[&Index::new(vec![entry(Kind::Table, &name)])], &query, &[], 9);
        if let Some(hit) = found.shown.first() {
            let whole: String = hit.title.iter().map(|piece| piece.text.as_str()).collect();
            prop_assert_eq!(&whole, &name);
            let letters: String = hit.title.iter().filter(|p| p.hit).map(|p| fit::folded(&p.text)).collect();
            let beside = hit.detail.iter().any(|piece| piece.hit) || "table".contains(query.as_str());
            prop_assert!(beside || query.chars().all(|c| letters.contains(c)), "{:?} in {:?}", query, hit);
        }
    }
}
