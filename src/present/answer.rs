//! An answer as the page shows it: the phrases that led to knowledge, and where knowledge is in the SQL.

use std::collections::HashMap;

use super::format::{self, counted};
use super::question::Marked;
use super::sql_lines::Span;
use super::told::Told;
use crate::bench::retrieval_metrics::Counts;
use crate::history::KnowledgeBase;
use crate::history::entry::tag;
use crate::pipeline::adapt::{Answer, Change, Refusal};
use crate::retrieval::Retrieved;
use crate::sql::{Schema, split};

/// The phrases of the question that chose an item, each in the colour of the best item it chose; of overlapping
/// phrases the one with the better item stays.
pub fn marks(base: &KnowledgeBase, retrieved: &Retrieved) -> Vec<Marked> {
    let mut marks: Vec<Marked> = Vec::new();
    for hit in &retrieved.items {
        let Some(phrase) = hit.evidence.first().and_then(|e| retrieved.phrases.get(e.phrase)) else {
            continue;
        };
        let free = marks.iter().all(|m| phrase.end <= m.start || m.end <= phrase.start);
        if free && let Some(item) = base.items.get(hit.item as usize) {
            marks.push(Marked { start: phrase.start, end: phrase.end, kind: Some(item.kind) });
        }
    }
    marks.sort_by_key(|m| m.start);
    marks
}

/// The items of an answer, each with its score: those of the query it was made from, best first, then what else was
/// retrieved. An item of the query that no phrase reached has no score; hidden items are left out.
pub fn used(base: &KnowledgeBase, retrieved: &Retrieved, entry: Option<u32>) -> Vec<(u32, Option<f32>)> {
    let score = |item: u32| retrieved.items.iter().find(|hit| hit.item == item).map(|hit| hit.score);
    let mut items: Vec<(u32, Option<f32>)> = entry
        .into_iter()
        .flat_map(|e| base.items_of(e))
        .filter(|(_, item)| !item.edit.hidden)
        .map(|(item, _)| (item, score(item)))
        .collect();
    items.sort_by(|a, b| b.1.unwrap_or(0.0).total_cmp(&a.1.unwrap_or(0.0)));
    for hit in &retrieved.items {
        if items.iter().all(|(item, _)| *item != hit.item) {
            items.push((hit.item, Some(hit.score)));
        }
    }
    items
}

/// What retrieval found of the items that a task wants, in words: `5 retrieved queries hold 24 items: 6 of the 7 wanted
/// and 18 others.`
pub fn knowledge_found(queries: usize, counts: Counts) -> String {
    let Counts { required, covered, superfluous } = counts;
    let hold = if queries == 1 { "holds" } else { "hold" };
    let queries = format::counted(queries, "retrieved query", "retrieved queries");
    let items = format::counted(covered + superfluous, "item", "items");
    let others = match superfluous {
        0 => "and no other".to_owned(),
        n => format!("and {}", format::counted(n, "other", "others")),
    };
    format!("{queries} {hold} {items}: {covered} of the {required} wanted {others}.")
}

/// The lines of each component of `sql` that is an item of the knowledge base; SQL that cannot be split has none.
pub fn spans(sql: &str, schema: &Schema, base: &KnowledgeBase) -> Vec<Span> {
    let Ok(components) = split(sql, schema) else { return Vec::new() };
    let items: HashMap<_, u32> =
        base.items.iter().zip(0..).map(|(item, i)| ((item.kind, item.skeleton.as_str()), i)).collect();
    components
        .iter()
        .filter_map(|component| {
            let (first, last) = component.lines?;
            let key = *items.get(&(component.kind, component.skeleton.as_str()))?;
            Some(Span { kind: component.kind, first, last, key })
        })
        .collect()
}

/// What was changed, as a sentence: "1 value changed, 1 part left out." Values are literals; anything
/// else is a part.
pub fn changed(changes: &[Change]) -> String {
    let literal =
        |text: &str| text.starts_with(|c: char| matches!(c, '\'' | '-' | '.') || c.is_ascii_digit());
    let (added, rest): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.before.is_empty());
    let (dropped, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|change| change.after.is_empty());
    let (values, parts): (Vec<_>, Vec<_>) = rest.into_iter().partition(|change| literal(&change.after));
    let counts = [
        (values.len(), "value", "values", "changed"),
        (parts.len(), "part", "parts", "changed"),
        (added.len(), "part", "parts", "added"),
        (dropped.len(), "part", "parts", "left out"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many, verb)| format!("{} {verb}", counted(*count, one, many)))
        .collect();
    if told.is_empty() { "Nothing was changed.".to_owned() } else { format!("{}.", told.join(", ")) }
}

/// One change as a sentence: "'Germany' was 'Brazil'", "continent = 'Asia' was left out".
pub fn change(change: &Change) -> String {
    let (before, after) = (piece(&change.before), piece(&change.after));
    match (before, after) {
        (before, "") => format!("{before} was left out"),
        ("", after) => format!("{after} was added"),
        _ => format!("{after} was {before}"),
    }
}

/// A piece of SQL without the words that only join it to its neighbours.
fn piece(sql: &str) -> &str {
    const JOINS: [&str; 4] = ["AND", "OR", "WHERE", ","];
    let mut piece = sql.trim();
    loop {
        let cut = JOINS.iter().find_map(|join| {
            let head = piece.get(..join.len()).filter(|head| head.eq_ignore_ascii_case(join));
            let rest = head.and_then(|_| piece.get(join.len()..));
            let front = rest.filter(|rest| *join == "," || rest.starts_with(char::is_whitespace));
            let split = piece.len().checked_sub(join.len())?;
            let tail = piece.get(split..).filter(|tail| tail.eq_ignore_ascii_case(join));
            let rest = tail.and_then(|_| piece.get(..split));
            front.or(rest.filter(|rest| *join == "," || rest.ends_with(char::is_whitespace)))
        });
        match cut.map(str::trim).filter(|cut| !cut.is_empty()) {
            Some(cut) => piece = cut,
            None => return piece,
        }
    }
}

/// How often answers like this one were right, as a sentence.
pub fn chance(confidence: f32) -> String {
    match (confidence * 10.0).round() as u32 {
        0 => "On other databases hardly any such answer was right.".to_owned(),
        1 => "On other databases about 1 in 10 such answers was right.".to_owned(),
        many @ 2..=9 => format!("On other databases about {many} in 10 such answers were right."),
        _ => "On other databases nearly all such answers were right.".to_owned(),
    }
}

/// The candidates that were tried before, each with what became of it: "Tried before: #12 gave no rows, #7 failed."
pub fn tried(refused: &[(u32, Refusal)]) -> String {
    const NAMED: usize = 3;
    let told = refused.iter().take(NAMED).map(|(entry, refusal)| match refusal {
        Refusal::Empty => format!("{} gave no rows", tag(*entry)),
        Refusal::Error(_) => format!("{} failed", tag(*entry)),
    });
    let mut told: Vec<String> = told.collect();
    if refused.len() > NAMED {
        told.push(format!("{} more", refused.len() - NAMED));
    }
    format!("Tried before: {}.", told.join(", "))
}

/// What is said of an answer whose query runs and finds nothing.
pub const NO_ROWS: &str = "It finds no rows.";

/// What became of a question that was answered without a model.
pub fn adapted(answer: &Answer) -> Told {
    let mut text = changed(&answer.changes);
    if answer.result.rows.is_empty() {
        text = format!("{NO_ROWS} {text}");
    }
    if !answer.unbound.is_empty() {
        text += &format!(" Not used: {}.", answer.unbound.join(", "));
    }
    if !answer.refused.is_empty() {
        text += &format!(" {}", tried(&answer.refused));
    }
    let chance = chance(answer.confidence);
    // Where the answer is probably wrong, this comes before anything else.
    text = if answer.is_likely() { format!("{text} {chance}") } else { format!("{chance} {text}") };
    if !answer.is_near() {
        let title = "No query of the history is close enough to answer this.".to_owned();
        return Told {
            less: true,
            title,
            text: format!("The nearest, {}, is adapted below; Run shows its rows. {text}", tag(answer.entry)),
        };
    }
    Told {
        less: !answer.is_likely() || !answer.unbound.is_empty(),
        title: format!("Adapted from query {}. No model was used.", tag(answer.entry)),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Edit, Item};
    use crate::pipeline::adapt::{LIKELY, NEAR};
    use crate::retrieval::{Evidence, ItemHit, Phrase};
    use crate::sql::ComponentType;

    fn item(kind: ComponentType, skeleton: &str) -> Item {
        Item {
            kind,
            skeleton: skeleton.to_owned(),
            title: String::new(),
            description: String::new(),
            occurrences: Vec::new(),
            tables: Vec::new(),
            columns: Vec::new(),
            edit: Edit::default(),
        }
    }

    #[test]
    fn the_better_item_keeps_an_overlapping_phrase() {
        let base = KnowledgeBase {
            items: vec![item(ComponentType::Condition, "a"), item(ComponentType::Output, "b")],
            ..KnowledgeBase::default()
        };
        let phrase = |start, end| Phrase { text: String::new(), start, end };
        let hit = |item, phrase, similarity| ItemHit {
            item,
            score: similarity,
            evidence: vec![Evidence { phrase, similarity }],
        };
        let retrieved = Retrieved {
            phrases: vec![phrase(4, 9), phrase(0, 6)],
            items: vec![hit(1, 0, 0.9), hit(0, 1, 0.8)],
            ..Retrieved::default()
        };
        let marks = marks(&base, &retrieved);
        assert_eq!(marks, [Marked { start: 4, end: 9, kind: Some(ComponentType::Output) }]);
    }

    #[test]
    fn the_items_of_the_adapted_query_come_first() {
        let base = KnowledgeBase {
            entries: vec![crate::history::Entry::default()],
            items: vec![
                item(ComponentType::Condition, "a"),
                item(ComponentType::Output, "b"),
                item(ComponentType::Output, "c"),
            ],
            entry_items: vec![vec![0, 1]],
            ..KnowledgeBase::default()
        };
        let hit = |item, score| ItemHit { item, score, evidence: Vec::new() };
        let retrieved = Retrieved { items: vec![hit(2, 0.9), hit(1, 0.7)], ..Retrieved::default() };
        assert_eq!(used(&base, &retrieved, Some(0)), [(1, Some(0.7)), (0, None), (2, Some(0.9))]);
        assert_eq!(used(&base, &retrieved, None), [(2, Some(0.9)), (1, Some(0.7))]);
        let mut base = base;
        base.items[0].edit.hidden = true;
        assert_eq!(used(&base, &retrieved, Some(0)), [(1, Some(0.7)), (2, Some(0.9))]);
    }

    #[test]
    fn what_was_found_is_said_in_one_sentence() {
        let counts = |required, covered, superfluous| Counts { required, covered, superfluous };
        let many = knowledge_found(5, counts(7, 6, 18));
        assert_eq!(many, "5 retrieved queries hold 24 items: 6 of the 7 wanted and 18 others.");
        let one = knowledge_found(1, counts(1, 1, 0));
        assert_eq!(one, "1 retrieved query holds 1 item: 1 of the 1 wanted and no other.");
    }

    #[test]
    fn an_adapted_answer_says_how_near_it_is() {
        let answer = |confidence: f32, unbound: &[&str]| {
            let change =
                Change { start: 0, end: 1, before: "1".into(), after: "2".into(), reason: String::new() };
            adapted(&Answer {
                sql: String::new(),
                entry: 7,
                changes: vec![change],
                unbound: unbound.iter().map(|&text| text.to_owned()).collect(),
                likeness: 0.9,
                confidence,
                refused: Vec::new(),
                result: crate::db::ResultSet::default(),
            })
        };
        let sure = answer(0.8, &[]);
        assert!(!sure.less && sure.title.starts_with("Adapted from query #8"), "{sure:?}");
        assert!(sure.text.ends_with("On other databases about 8 in 10 such answers were right."), "{sure:?}");
        let unsure = answer((NEAR + LIKELY) / 2.0, &[]);
        assert!(unsure.less && unsure.title == sure.title, "{unsure:?}");
        assert!(answer(0.8, &["May"]).text.contains("Not used: May."));
        // The rows of these are none, which is no failure.
        assert!(sure.text.starts_with(NO_ROWS), "{sure:?}");
        let refused = [
            (3, Refusal::Empty),
            (0, Refusal::Error(crate::db::DbError::Cancelled)),
            (8, Refusal::Empty),
            (5, Refusal::Empty),
        ];
        assert_eq!(tried(&refused), "Tried before: #4 gave no rows, #1 failed, #9 gave no rows, 1 more.");
        let far = answer(0.01, &[]);
        assert!(far.less && far.title.starts_with("No query") && far.text.contains("#8"), "{far:?}");
    }

    #[test]
    fn a_change_is_told_without_the_words_that_join_it() {
        let told = |before: &str, after: &str| {
            let (before, after) = (before.to_owned(), after.to_owned());
            change(&Change { start: 0, end: 0, before, after, reason: String::new() })
        };
        assert_eq!(told("'Brazil'", "'Germany'"), "'Germany' was 'Brazil'");
        assert_eq!(told("continent = 'Asia' and ", ""), "continent = 'Asia' was left out");
        assert_eq!(told(" WHERE a = 1", ""), "a = 1 was left out");
        assert_eq!(told("", " AND orders = 1"), "orders = 1 was added");
        assert_eq!(told("", "AND"), "AND was added");
    }

    #[test]
    fn changes_and_chances_are_sentences() {
        let change = |before: &str, after: &str| Change {
            start: 0,
            end: after.len(),
            before: before.to_owned(),
            after: after.to_owned(),
            reason: String::new(),
        };
        assert_eq!(changed(&[]), "Nothing was changed.");
        let all = [change("'a'", "'b'"), change("3", "-4"), change(" AND x = 1", ""), change("DESC", "ASC")];
        assert_eq!(changed(&all), "2 values changed, 1 part changed, 1 part left out.");
        assert_eq!(changed(&[change("", " WHERE a = 1")]), "1 part added.");
        assert_eq!(chance(0.04), "On other databases hardly any such answer was right.");
        assert_eq!(chance(0.1), "On other databases about 1 in 10 such answers was right.");
        assert_eq!(chance(0.72), "On other databases about 7 in 10 such answers were right.");
        assert_eq!(chance(0.99), "On other databases nearly all such answers were right.");
    }

    #[test]
    fn only_known_components_have_lines() {
        let schema = Schema::default();
        let sql = "SELECT COUNT(*)\nFROM t\nWHERE t.a = 1\nLIMIT 3";
        let condition = split(sql, &schema)
            .unwrap_or_default()
            .into_iter()
            .find(|c| c.kind == ComponentType::Condition)
            .map(|c| c.skeleton)
            .unwrap_or_default();
        let base = KnowledgeBase {
            items: vec![item(ComponentType::Condition, &condition)],
            ..KnowledgeBase::default()
        };
        let spans = spans(sql, &schema, &base);
        assert_eq!(spans.len(), 1);
        assert_eq!((spans[0].first, spans[0].last, spans[0].key), (3, 3, 0));
    }
}
