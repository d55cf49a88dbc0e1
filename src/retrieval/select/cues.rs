//! What a question's words ask for, and which traits of a component answer that: a superlative asks for an order with a
//! limit, "how many" for a count, "each" for groups.

use crate::history::Item;
use crate::retrieval::words::words;
use crate::sql::ComponentType;

/// What the words of a question ask for; each is 0 or 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cues([f32; CUES]);

const CUES: usize = 13;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    Superlative,
    Count,
    Average,
    Share,
    Each,
    Difference,
    Distinct,
    Number,
    Either,
    Sum,
    Time,
    Not,
    Like,
}

const SUPERLATIVES: &[&str] = &[
    "most", "least", "highest", "lowest", "best", "worst", "top", "bottom", "maximum", "minimum", "max",
    "min", "first", "last", "rank", "ranked",
];
const NOT_SUPERLATIVE: &[&str] =
    &["interest", "request", "test", "rest", "west", "guest", "contest", "forest"];
/// Words of each cue but the superlatives, in the order of [`Cue`].
const WORDS: [(Cue, &[&str]); 11] = [
    (Cue::Count, &["count", "total", "amount"]),
    (Cue::Average, &["average", "mean", "avg", "averages"]),
    (
        Cue::Share,
        &[
            "percentage",
            "percent",
            "ratio",
            "proportion",
            "share",
            "rate",
            "percentages",
            "fraction",
            "times",
        ],
    ),
    (Cue::Each, &["each", "per", "every", "by", "respectively", "grouped"]),
    (
        Cue::Difference,
        &["difference", "differ", "gap", "more", "less", "increase", "decrease", "higher", "lower", "fewer"],
    ),
    (Cue::Distinct, &["distinct", "different", "unique", "various", "distinctly"]),
    (Cue::Either, &["or", "either", "both"]),
    (Cue::Sum, &["sum", "total", "combined", "altogether", "overall"]),
    (
        Cue::Time,
        &[
            "year", "month", "day", "date", "years", "months", "old", "age", "when", "time", "born",
            "birthday",
        ],
    ),
    (
        Cue::Not,
        &[
            "not",
            "no",
            "without",
            "never",
            "missing",
            "neither",
            "unknown",
            "lack",
            "excluding",
            "except",
            "nor",
        ],
    ),
    (
        Cue::Like,
        &[
            "contain",
            "contains",
            "start",
            "starts",
            "begin",
            "begins",
            "end",
            "ends",
            "includes",
            "like",
            "containing",
            "starting",
            "letter",
        ],
    ),
];

impl Cues {
    /// Reads a question; words of other languages ask for nothing that is known here.
    pub(super) fn of(question: &str) -> Self {
        let mut cues = [0.0; CUES];
        let mut set = |cue: Cue| {
            if let Some(slot) = cues.get_mut(cue as usize) {
                *slot = 1.0;
            }
        };
        let lower = question.to_lowercase();
        if lower.contains("how many") || lower.contains("number of") {
            set(Cue::Count);
        }
        if lower.contains('%') {
            set(Cue::Share);
        }
        for word in words(&lower).iter().map(|word| word.text) {
            if word.bytes().any(|b| b.is_ascii_digit()) {
                set(Cue::Number);
                if word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) {
                    set(Cue::Time);
                }
            }
            let est = word.len() > 4 && word.ends_with("est") && !NOT_SUPERLATIVE.contains(&word);
            if est || SUPERLATIVES.contains(&word) {
                set(Cue::Superlative);
            }
            for (cue, _) in WORDS.iter().filter(|(_, list)| list.contains(&word)) {
                set(*cue);
            }
        }
        Self(cues)
    }

    fn get(&self, cue: Cue) -> f32 {
        self.0.get(cue as usize).copied().unwrap_or_default()
    }
}

/// Traits of a component; each is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Traits(pub(super) [f32; TRAITS]);

pub(super) const TRAITS: usize = 24;
/// The first traits are the types, in the order of [`kind_number`].
pub(super) const KINDS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trait {
    Condition,
    Relation,
    Calculation,
    Dimension,
    Output,
    Count,
    Average,
    Sum,
    Extreme,
    Division,
    Subtraction,
    Distinct,
    Limit,
    Order,
    Case,
    Time,
    Like,
    Null,
    Comparison,
    Equality,
    Subquery,
    OfGroup,
    Either,
    ManyTables,
}

/// The place of a type among the traits.
pub(super) fn kind_number(kind: ComponentType) -> usize {
    let own = match kind {
        ComponentType::Condition => Trait::Condition,
        ComponentType::Relation => Trait::Relation,
        ComponentType::Calculation => Trait::Calculation,
        ComponentType::Dimension => Trait::Dimension,
        ComponentType::Output => Trait::Output,
    };
    own as usize
}

impl Traits {
    /// Reads a component's skeleton.
    pub(super) fn of(item: &Item) -> Self {
        let upper = item.skeleton.to_uppercase().replace("'<VAL>'", "<VAL>").replace("<>", "!=");
        let any = |pieces: &[&str]| pieces.iter().any(|piece| upper.contains(piece));
        let condition = item.kind == ComponentType::Condition;
        let mut traits = [0.0; TRAITS];
        let mut set = |which: usize, holds: bool| {
            if let Some(slot) = traits.get_mut(which) {
                *slot = f32::from(u8::from(holds));
            }
        };
        set(kind_number(item.kind), true);
        for (which, holds) in [
            (Trait::Count, any(&["COUNT("])),
            (Trait::Average, any(&["AVG("])),
            (Trait::Sum, any(&["SUM("])),
            (Trait::Extreme, any(&["MAX(", "MIN("])),
            (Trait::Division, any(&["/"])),
            (Trait::Subtraction, any(&[" - "])),
            (Trait::Distinct, any(&["DISTINCT"])),
            (Trait::Limit, any(&["LIMIT"])),
            (Trait::Order, any(&["ORDER BY"])),
            (Trait::Case, any(&["CASE", "IIF("])),
            (Trait::Time, any(&["STRFTIME(", "SUBSTR", "DATE("])),
            (Trait::Like, any(&["LIKE"])),
            (Trait::Null, any(&["NULL"])),
            (Trait::Comparison, any(&["> <VAL>", ">= <VAL>", "< <VAL>", "<= <VAL>", "BETWEEN"])),
            (Trait::Equality, any(&[" = <VAL>"])),
            (Trait::Subquery, any(&["(SELECT"])),
            (Trait::OfGroup, condition && any(&["COUNT(", "SUM(", "AVG("])),
            (Trait::Either, any(&[" OR "])),
            (Trait::ManyTables, item.tables.len() > 2),
        ] {
            set(which as usize, holds);
        }
        Self(traits)
    }

    fn get(&self, which: Trait) -> f32 {
        self.0.get(which as usize).copied().unwrap_or_default()
    }
}

pub(super) const PAIRS: usize = 25;

/// Which trait answers which cue: both are there.
const ANSWERS: [(Trait, Cue); PAIRS] = [
    (Trait::Count, Cue::Count),
    (Trait::Average, Cue::Average),
    (Trait::Division, Cue::Share),
    (Trait::Division, Cue::Average),
    (Trait::Sum, Cue::Sum),
    (Trait::Subtraction, Cue::Difference),
    (Trait::Extreme, Cue::Superlative),
    (Trait::Limit, Cue::Superlative),
    (Trait::Output, Cue::Superlative),
    (Trait::Order, Cue::Superlative),
    (Trait::Relation, Cue::Count),
    (Trait::Dimension, Cue::Each),
    (Trait::Distinct, Cue::Distinct),
    (Trait::Time, Cue::Time),
    (Trait::Like, Cue::Like),
    (Trait::Null, Cue::Not),
    (Trait::Comparison, Cue::Number),
    (Trait::Equality, Cue::Number),
    (Trait::Case, Cue::Share),
    (Trait::OfGroup, Cue::Number),
    (Trait::Either, Cue::Either),
    (Trait::OfGroup, Cue::Count),
    (Trait::Count, Cue::Share),
    (Trait::Comparison, Cue::Difference),
    (Trait::Subquery, Cue::Superlative),
];

/// 1 for each trait that answers a cue of the question.
pub(super) fn answers(traits: &Traits, cues: &Cues) -> [f32; PAIRS] {
    ANSWERS.map(|(which, cue)| traits.get(which) * cues.get(cue))
}
