//! Evidence that a question needs a component, as numbers.

use super::cues::{Cues, KINDS, PAIRS, TRAITS, answers};
use super::facts::Facts;
use crate::retrieval::vectors::Vectors;
use crate::retrieval::words::words;

/// What is known about a question before its evidence is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its cosine with each entry of the history.
    pub entries: &'a [f32],
    /// Its cosine with each item's description.
    pub items: &'a [f32],
    /// What is left of the question once the nearest entry has answered its part, against each entry; again for the
    /// entry that is nearest to that.
    pub rest: &'a [Vec<f32>; 2],
    /// Entries that are left out, as if they were not in the history.
    pub held: &'a [u32],
}

/// Plain numbers of evidence.
const PLAIN: usize = 29;
/// Those compared with the other components of the same question.
const COMPARED: [usize; 8] = [0, 1, 4, 5, 8, 11, 12, 13];
/// Those whose weight differs from type to type.
const BY_KIND: [usize; 5] = [6, 5, 8, 23, 19];
/// Numbers of evidence for one component.
pub(super) const WIDTH: usize = PLAIN + COMPARED.len() + TRAITS + PAIRS + 2 + KINDS * (1 + BY_KIND.len());

/// One component with its evidence.
pub(super) type Row = [f32; WIDTH];

/// Similarity below which votes lose a factor of e; the narrow one hears the nearest queries only.
const NARROW: f32 = 0.03;
const WIDE: f32 = 0.08;
/// The same for votes on what is left of a question.
const REST: f32 = 0.05;
/// How much of what the nearest entry answers is taken away.
const ANSWERED: f32 = 0.8;

/// Kinds of evidence, for reasons and for switching off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Similar questions of the history are answered with it.
    SimilarQuestions,
    /// Its description is like the question.
    Description,
    /// Words of the question occur in questions answered with it.
    Words,
    /// The question names its columns or tables.
    Names,
    /// A value that it was used with stands in the question.
    Values,
    /// Similar questions read its columns and tables, in whatever component.
    Columns,
    /// How often it is used, and what type of component it is.
    Commonness,
    /// The question asks for what it does: a superlative, a count, groups.
    Asks,
    /// It answers a word, or a part of the question, that no other component answers as well.
    Coverage,
}

/// The kind of evidence of each number of a row.
pub(super) fn kind_of(feature: usize) -> Evidence {
    let plain = |feature: usize| match feature {
        0 => Evidence::Description,
        1..=5 => Evidence::SimilarQuestions,
        6 | 7 => Evidence::Commonness,
        8..=11 => Evidence::Words,
        12..=14 | 20 | 21 => Evidence::Names,
        15 | 16 | 24 => Evidence::Values,
        25..=28 => Evidence::Coverage,
        _ => Evidence::Columns,
    };
    let after = PLAIN + COMPARED.len();
    if feature < PLAIN {
        plain(feature)
    } else if feature < after {
        COMPARED.get(feature - PLAIN).map_or(Evidence::Commonness, |of| plain(*of))
    } else if feature < after + TRAITS {
        Evidence::Commonness
    } else if feature < after + TRAITS + PAIRS {
        Evidence::Asks
    } else if feature < after + TRAITS + PAIRS + 2 + KINDS {
        Evidence::Commonness
    } else {
        let by_kind = feature - (after + TRAITS + PAIRS + 2 + KINDS);
        BY_KIND.get(by_kind % BY_KIND.len()).map_or(Evidence::Commonness, |of| plain(*of))
    }
}

/// What is counted for one item over the entries that are kept.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    entries: f32,
    best: f32,
    second: f32,
    sum: f32,
    narrow: f32,
    wide: f32,
    rest: [f32; 3],
}

/// Similarities of what is left of a question, [`Asked::rest`].
pub(super) fn rest(entries: &Vectors, question: &[f32], similar: &[f32], held: &[u32]) -> [Vec<f32>; 2] {
    let mut left = question.to_vec();
    let mut similar = similar.to_vec();
    [(); 2].map(|()| {
        let kept = (0u32..).zip(&similar).filter(|(entry, _)| !held.contains(entry));
        let nearest = kept.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        if let Some(vector) = nearest.and_then(|(entry, _)| entries.row(entry as usize)) {
            let along: f32 = left.iter().zip(&vector).map(|(a, b)| a * b).sum();
            left.iter_mut().zip(&vector).for_each(|(a, b)| *a -= ANSWERED * along * b);
        }
        let length = left.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
        similar = entries.cosines(&left).into_iter().map(|cosine| cosine / length).collect();
        similar.clone()
    })
}

/// How much each entry votes for its components when similarities fall off by `width`, together 1.
fn votes(similar: &[f32], width: f32, kept: impl Fn(u32) -> bool) -> Vec<f32> {
    let kept = |entry: usize| kept(entry as u32);
    let most = similar.iter().enumerate().filter(|(e, _)| kept(*e)).map(|(_, s)| *s).fold(-1.0f32, f32::max);
    let vote = |(entry, s): (usize, &f32)| if kept(entry) { ((s - most) / width).exp() } else { 0.0 };
    let mut all: Vec<f32> = similar.iter().enumerate().map(vote).collect();
    let sum = all.iter().sum::<f32>().max(1e-9);
    all.iter_mut().for_each(|vote| *vote /= sum);
    all
}

/// The components that can be chosen, ascending, each with its evidence.
pub(super) fn evidence(facts: &Facts, asked: Asked<'_>) -> (Vec<u32>, Vec<Row>) {
    let kept = |entry: u32| !asked.held.contains(&entry);
    let similar = |entry: u32| asked.entries.get(entry as usize).copied().unwrap_or(0.0);
    let total = (facts.entry_items.len() - asked.held.len().min(facts.entry_items.len())) as f32;
    let all = facts.entry_items.len() as u32;
    let most = (0..all).filter(|e| kept(*e)).map(similar).fold(-1.0f32, f32::max);
    let [narrow, wide, first] = [NARROW, WIDE, REST].map(|width| votes(asked.entries, width, kept));
    let [second, third] = [0, 1].map(|i| votes(asked.rest.get(i).map_or(&[][..], Vec::as_slice), REST, kept));
    let vote = |votes: &[f32], entry: u32| votes.get(entry as usize).copied().unwrap_or(0.0);
    let mut columns = vec![[0.0f32; 2]; facts.columns];
    let mut tables = vec![0.0f32; facts.table_words.len()];
    for entry in (0..all).filter(|entry| kept(*entry)) {
        let own = vote(&wide, entry);
        for &column in facts.entry_columns.get(entry as usize).into_iter().flatten() {
            if let Some([votes, count]) = columns.get_mut(column as usize) {
                *votes += own;
                *count += 1.0;
            }
        }
        for &table in facts.entry_tables.get(entry as usize).into_iter().flatten() {
            if let Some(votes) = tables.get_mut(table as usize) {
                *votes += own;
            }
        }
    }
    let counted: Vec<Counted> = facts
        .item_entries
        .iter()
        .map(|own| {
            let mut counted = Counted { best: -1.0, second: -1.0, ..Counted::default() };
            for &entry in own.iter().filter(|entry| kept(**entry)) {
                let similarity = similar(entry);
                counted.entries += 1.0;
                counted.sum += similarity;
                counted.narrow += vote(&narrow, entry);
                counted.wide += vote(&wide, entry);
                for (sum, votes) in counted.rest.iter_mut().zip([&first, &second, &third]) {
                    *sum += vote(votes, entry);
                }
                if similarity > counted.best {
                    counted.second = counted.best;
                    counted.best = similarity;
                } else {
                    counted.second = counted.second.max(similarity);
                }
            }
            counted
        })
        .collect();
    let words = Words::new(facts, asked, &counted, total);
    let (values, column_values) = literals(facts, asked);
    let cues = Cues::of(asked.text);
    let length = (words_in(asked.text) as f32 + 1.0).ln();
    let named: Vec<bool> = facts
        .table_words
        .iter()
        .map(|own| own.iter().any(|word| words.asked.binary_search(word).is_ok()))
        .collect();

    let mut found = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for (item, counted) in counted.iter().enumerate().filter(|(_, counted)| counted.entries > 0.0) {
        let list = |lists: &'_ [Vec<u32>]| lists.get(item).cloned().unwrap_or_default();
        let (own_columns, own_tables) = (list(&facts.item_columns), list(&facts.item_tables));
        let mean =
            |numbers: &mut dyn Iterator<Item = f32>, count: usize| numbers.sum::<f32>() / count.max(1) as f32;
        let column_votes = |column: &u32| columns.get(*column as usize).copied().unwrap_or_default();
        let lift = |column: &u32| {
            let [votes, count] = column_votes(column);
            ((votes + 0.02) / (count / total.max(1.0) + 0.02)).ln()
        };
        let least = |numbers: &mut dyn Iterator<Item = f32>| numbers.reduce(f32::min).unwrap_or(0.0);
        let table_vote = |table: &u32| tables.get(*table as usize).copied().unwrap_or_default();
        let named_tables =
            own_tables.iter().filter(|table| named.get(**table as usize) == Some(&true)).count();
        let of_words = words.items.get(item).copied().unwrap_or_default();
        let names = words.names(facts, item);
        let [literal, number] = values.get(item).copied().unwrap_or_default();
        let second = if counted.second > -1.0 {
            (counted.best + counted.second) / 2.0
        } else {
            (counted.best - 1.0) / 2.0
        };
        let plain: [f32; PLAIN] = [
            asked.items.get(item).copied().unwrap_or(0.0),
            counted.best,
            second,
            counted.sum / counted.entries,
            counted.narrow,
            counted.wide,
            ((counted.entries + 0.3) / (total + 1.0)).ln(),
            f32::from(u8::from(counted.entries == 1.0)),
            of_words.pro,
            of_words.contra,
            of_words.strongest,
            of_words.share,
            names[0],
            names[1],
            names[2],
            literal,
            number,
            mean(&mut own_columns.iter().map(|c| column_votes(c)[0]), own_columns.len()),
            mean(&mut own_columns.iter().map(lift), own_columns.len()),
            least(&mut own_columns.iter().map(lift)),
            named_tables as f32 / own_tables.len().max(1) as f32,
            (own_tables.len() - named_tables) as f32,
            mean(&mut own_tables.iter().map(table_vote), own_tables.len()),
            least(&mut own_tables.iter().map(table_vote)),
            match own_columns.as_slice() {
                [one] => column_values.get(*one as usize).copied().unwrap_or_default(),
                _ => 0.0,
            },
            of_words.credit,
            of_words.own,
            counted.rest[1],
            counted.rest.iter().copied().fold(0.0, f32::max),
        ];
        let mut row = [0.0; WIDTH];
        let mut next = 0;
        let mut put = |value: f32| {
            if let Some(slot) = row.get_mut(next) {
                *slot = value;
            }
            next += 1;
        };
        plain.iter().for_each(|value| put(*value));
        COMPARED.iter().for_each(|_| put(0.0));
        let Some(traits) = facts.traits.get(item) else { continue };
        traits.0.iter().for_each(|value| put(*value));
        answers(traits, &cues).iter().for_each(|value| put(*value));
        put(length);
        put(most);
        for kind in traits.0.iter().take(KINDS) {
            put(kind * length);
        }
        for kind in traits.0.iter().take(KINDS) {
            for which in BY_KIND {
                put(kind * plain.get(which).copied().unwrap_or_default());
            }
        }
        found.push(item as u32);
        rows.push(row);
    }
    compare(&mut rows);
    (found, rows)
}

/// Fills in how far a component stands out from the others, in standard deviations.
fn compare(rows: &mut [Row]) {
    let count = rows.len().max(1) as f32;
    for (place, which) in COMPARED.into_iter().enumerate() {
        let value = |row: &Row| row.get(which).copied().unwrap_or_default();
        let mean = rows.iter().map(value).sum::<f32>() / count;
        let spread = (rows.iter().map(|row| (value(row) - mean).powi(2)).sum::<f32>() / count).sqrt();
        for row in rows.iter_mut() {
            let z = (value(row) - mean) / (spread + 1e-3);
            if let Some(slot) = row.get_mut(PLAIN + place) {
                *slot = z;
            }
        }
    }
}

fn words_in(text: &str) -> usize {
    words(text).len()
}

/// What the words of a question say about one item.
#[derive(Debug, Clone, Copy, Default)]
struct OfWords {
    pro: f32,
    contra: f32,
    strongest: f32,
    share: f32,
    /// Its part of the words' rarity, each word shared among the items by how it speaks for them; the largest part of
    /// one word.
    credit: f32,
    own: f32,
}

struct Words {
    asked: Vec<u32>,
    items: Vec<OfWords>,
}

impl Words {
    /// Association of words and items over the kept entries: the logarithm of how much likelier an item is once the
    /// question has the word, smoothed by one entry that is like the whole history.
    fn new(facts: &Facts, asked: Asked<'_>, counted: &[Counted], total: f32) -> Self {
        let kept = |entry: &&u32| !asked.held.contains(*entry);
        let words = facts.words_of(asked.text);
        let mut items = vec![OfWords { strongest: f32::MIN, ..OfWords::default() }; counted.len()];
        let mut weight = 0.0;
        let mut with = vec![0.0f32; counted.len()];
        let mut odds_of = vec![0.0f32; counted.len()];
        for entries in words.iter().filter_map(|word| facts.word_entries.get(*word as usize)) {
            let holding = entries.iter().filter(kept).count() as f32;
            if holding == 0.0 {
                continue;
            }
            let rarity = ((total + 1.0) / (holding + 0.5)).ln();
            weight += rarity;
            with.fill(0.0);
            for entry in entries.iter().filter(kept) {
                for &item in facts.entry_items.get(*entry as usize).into_iter().flatten() {
                    if let Some(count) = with.get_mut(item as usize) {
                        *count += 1.0;
                    }
                }
            }
            let mut shared = 0.0;
            for ((odds, counted), with) in odds_of.iter_mut().zip(counted).zip(&with) {
                let share = (counted.entries + 0.3) / (total + 1.0);
                *odds = ((with + share) / (holding + 1.0) / share).ln();
                if counted.entries > 0.0 {
                    shared += odds.exp();
                }
            }
            for (((of, counted), with), &odds) in items.iter_mut().zip(counted).zip(&with).zip(&odds_of) {
                let part = odds.exp() / shared.max(1e-9) * rarity;
                of.credit += part;
                of.own = of.own.max(part);
                of.pro += odds.max(0.0);
                of.contra += odds.min(0.0);
                of.strongest = of.strongest.max(odds);
                of.share += with / counted.entries.max(1.0) * rarity;
            }
        }
        for of in &mut items {
            if weight > 0.0 {
                of.share /= weight;
            } else {
                *of = OfWords::default();
            }
        }
        Self { asked: words, items }
    }

    /// Words that name the item and stand in the question: their rarity, their share of the name, the rarest.
    fn names(&self, facts: &Facts, item: usize) -> [f32; 3] {
        let (mut hit, mut all, mut most) = (0.0, 0.0f32, 0.0f32);
        for word in facts.item_words.get(item).into_iter().flatten() {
            let rarity = facts.name_rarity.get(*word as usize).copied().unwrap_or_default();
            all += rarity;
            if self.asked.binary_search(word).is_ok() {
                hit += rarity;
                most = most.max(rarity);
            }
        }
        [hit / 2.0, hit / all.max(0.1), most]
    }
}

/// For each item whether a text or a number that it was used with stands in the question, and for each column whether a
/// text does that an item of this column alone was used with.
fn literals(facts: &Facts, asked: Asked<'_>) -> (Vec<[f32; 2]>, Vec<f32>) {
    let mut items = vec![[0.0; 2]; facts.item_entries.len()];
    let mut columns = vec![0.0; facts.columns];
    for (literal, places) in facts.literals_in(asked.text) {
        let number = literal.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b' '));
        for (item, _) in places.iter().filter(|(_, entry)| !asked.held.contains(entry)) {
            if let Some(slot) = items.get_mut(*item as usize).and_then(|own| own.get_mut(usize::from(number)))
            {
                *slot = 1.0;
            }
            if let (false, Some([column])) =
                (number, facts.item_columns.get(*item as usize).map(Vec::as_slice))
                && let Some(slot) = columns.get_mut(*column as usize)
            {
                *slot = 1.0;
            }
        }
    }
    (items, columns)
}
