//! The command palette: everything the page can go to or do, found by a few letters.
//!
//! [`entries`] lists what there is, [`search`] ranks it, [`fit`] says how well a word fits a text, [`marks`] shows
//! which letters it found.

pub mod entries;
mod fit;
mod marks;

use crate::sql::ComponentType;

use self::fit::{Fit, Folded, Letters, folded};
pub use self::marks::Piece;

/// What choosing an entry does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Goes to this address of the page ("#/settings/model").
    Place(String),
    /// Does something.
    Act(Action),
    /// Opens the demo.
    Demo,
    /// Opens the kept workspace of this id.
    Workspace(u32),
    /// Shows this table in the tree.
    Table(String),
    /// Shows this column of this table in the tree.
    Column(String, String),
    /// Asks this question.
    Question(String),
    /// Shows this item, by its place in the knowledge base.
    Item(u32),
}

/// What the palette can do, beside going somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Picks a history file.
    AddHistory,
    /// Picks a database file.
    OpenFile,
    /// Asks for the address of a database.
    OpenAddress,
    /// Downloads the workspace as one file.
    ExportWorkspace,
    /// Downloads the knowledge base.
    Export,
    /// Takes the history away.
    RemoveHistory,
    /// Embeds what has no vector yet.
    Index,
    /// Shows the last import's report.
    ImportReport,
    /// Edits the SQL of the answer.
    EditSql,
    /// Shows the prompt of the answer.
    ReadPrompt,
    /// Goes to the list of gold.
    ChooseGold,
    /// Writes the gold SQL.
    WriteGold,
    /// Picks a task file.
    OpenTasks,
    /// Asks in three ways.
    CompareWays,
    /// Draws the rows.
    Chart,
    /// Downloads the rows.
    SaveRows,
    /// Copies the link to the workspace.
    CopyLink,
    /// Renames the workspace.
    Rename,
    /// Takes the workspace away.
    RemoveWorkspace,
    /// Stops the answer.
    Stop,
    /// Tests the model's server.
    TestModel,
    /// Switches between light and dark.
    Theme,
    /// Lists the keys.
    Keys,
}

/// What an entry is; in this order where nothing else decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page or a part of one.
    Place,
    /// Something that can be done.
    Action,
    /// A workspace.
    Database,
    /// A question to start with, or one that was asked.
    Question,
    /// A table or view.
    Table,
    /// A column.
    Column,
    /// A knowledge item of this type.
    Item(ComponentType),
}

impl Kind {
    /// Its name, shown beside the entry and found when it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Place => "page",
            Self::Action => "action",
            Self::Database => "database",
            Self::Question => "question",
            Self::Table => "table",
            Self::Column => "column",
            Self::Item(_) => "item",
        }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Place => 0,
            Self::Action => 1,
            Self::Database => 2,
            Self::Question => 3,
            Self::Table => 4,
            Self::Column => 5,
            Self::Item(_) => 6,
        }
    }
}

/// One thing that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What choosing it does.
    pub target: Target,
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub title: String,
    /// What tells it from others of its name.
    pub detail: String,
    /// Other texts it is found by; the one that was found is shown in place of the detail.
    pub words: Vec<String>,
    /// The key that does the same.
    pub key: &'static str,
    /// Why it cannot be chosen now.
    pub blocked: Option<&'static str>,
}

impl Entry {
    /// An entry with nothing but a name.
    pub fn new(target: Target, kind: Kind, title: impl Into<String>) -> Self {
        let title = title.into();
        Self { target, kind, title, detail: String::new(), words: Vec::new(), key: "", blocked: None }
    }
}

/// Entries made ready for searching.
#[derive(Debug, Clone, Default)]
pub struct Index {
    entries: Vec<Entry>,
    folded: Vec<Folded>,
}

impl Index {
    /// Makes entries ready, in the order in which they stand where all else is equal.
    pub fn new(entries: Vec<Entry>) -> Self {
        let folded = entries.iter().map(Folded::new).collect();
        Self { entries, folded }
    }
}

/// What was chosen before, as far as a later list can know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    kind: Kind,
    title: String,
    detail: String,
}

/// Choices that are remembered.
const MOST_USED: usize = 6;

/// Puts an entry first among those chosen before.
pub fn remember(used: &mut Vec<Used>, hit: &Hit) {
    used.retain(|used| *used != hit.used);
    used.insert(0, hit.used.clone());
    used.truncate(MOST_USED);
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What choosing it does.
    pub target: Target,
    /// What it is.
    pub kind: Kind,
    /// Its name, with the letters that were found.
    pub title: Vec<Piece>,
    /// What stands beside it, with the letters that were found there.
    pub detail: Vec<Piece>,
    /// The key that does the same.
    pub key: &'static str,
    /// Why it cannot be chosen now.
    pub blocked: Option<&'static str>,
    used: Used,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The best entries.
    pub shown: Vec<Hit>,
    /// Number of the others.
    pub more: usize,
}

impl Found {
    /// Number of entries, for those who do not see the list.
    pub fn said(&self) -> String {
        let all = self.shown.len() + self.more;
        match (all, self.more) {
            (0, _) => "Nothing found.".to_owned(),
            (_, 0) => format!("{} found.", super::format::count(all as u64)),
            (_, _) => format!("{} of {} shown.", self.shown.len(), super::format::count(all as u64)),
        }
    }

    /// What the last line of the list says.
    pub fn rest(&self, query: &str) -> String {
        let more = super::format::count(self.more as u64);
        match (self.shown.is_empty(), self.more, query.trim().is_empty()) {
            (true, _, _) => format!("Nothing here is called “{}”.", query.trim()),
            (_, 0, _) => String::new(),
            (_, _, true) => format!("{more} more. Type to find them."),
            (_, _, false) => format!("{more} more. Type more to find them."),
        }
    }
}

/// How many entries fit into a window of this height.
pub fn room(window_height: f64, coarse_pointer: bool) -> usize {
    let row = if coarse_pointer { 44.0 } else { 36.0 };
    // Above the list the field, below it a line, around it the page.
    let rest = 120.0 + if coarse_pointer { 24.0 } else { window_height * 0.16 };
    ((window_height - rest) / row).clamp(3.0, 12.0) as usize
}

/// How well an entry fits all words: the worst word decides, then their sum, then whether it can be chosen, what it is
/// and how short its name is.
type Rank = (Fit, u32, bool, u8, usize);

/// The entries of all indexes that fit every word of `query`, best first, `most` of them; all where it is empty, those
/// chosen before first.
pub fn search(indexes: &[&Index], query: &str, used: &[Used], most: usize) -> Found {
    let words: Vec<String> = query.split_whitespace().map(folded).collect();
    let letters: Vec<Letters> = words.iter().map(|word| Letters::of(word)).collect();
    let all = || {
        let pairs = indexes.iter().flat_map(|index| index.entries.iter().zip(&index.folded));
        pairs.enumerate()
    };
    if words.is_empty() {
        return first(all().map(|(_, (entry, _))| entry), used, most);
    }
    let mut ranked: Vec<(Rank, usize, &Entry)> = all()
        .filter_map(|(place, (entry, folded))| {
            let blocked = entry.blocked.is_some();
            let mut rank: Rank = (Fit::Whole, 0, blocked, entry.kind.rank(), entry.title.len());
            for (word, letters) in words.iter().zip(&letters) {
                let fit = folded.fit(word, *letters)?;
                (rank.0, rank.1) = (rank.0.max(fit), rank.1 + fit.cost());
            }
            Some((rank, place, entry))
        })
        .collect();
    let more = ranked.len().saturating_sub(most);
    let order = |a: &(Rank, usize, &Entry), b: &(Rank, usize, &Entry)| (a.0, a.1).cmp(&(b.0, b.1));
    if more > 0 {
        // Sorting thousands for a dozen would take longer than finding them.
        ranked.select_nth_unstable_by(most, order);
        ranked.truncate(most);
    }
    ranked.sort_unstable_by(order);
    Found { shown: ranked.into_iter().map(|(_, _, entry)| hit(entry, &words)).collect(), more }
}

/// The first entries, those chosen before at their head.
fn first<'a>(entries: impl Iterator<Item = &'a Entry>, used: &[Used], most: usize) -> Found {
    let mut recent: Vec<Option<&Entry>> = vec![None; used.len()];
    let mut others = Vec::new();
    let mut count = 0;
    for entry in entries {
        count += 1;
        match used.iter().position(|used| used.is(entry)) {
            Some(at) if recent.get(at).is_some_and(Option::is_none) => {
                if let Some(place) = recent.get_mut(at) {
                    *place = Some(entry);
                }
            }
            _ if others.len() < most => others.push(entry),
            _ => {}
        }
    }
    let shown: Vec<Hit> =
        recent.into_iter().flatten().chain(others).take(most).map(|entry| hit(entry, &[])).collect();
    let more = count - shown.len();
    Found { shown, more }
}

impl Used {
    fn new(entry: &Entry) -> Self {
        // An example that is asked becomes a question asked before.
        let detail = if entry.kind == Kind::Question { String::new() } else { entry.detail.clone() };
        Self { kind: entry.kind, title: entry.title.clone(), detail }
    }

    fn is(&self, entry: &Entry) -> bool {
        let same = self.kind == entry.kind && self.title == entry.title;
        same && (self.kind == Kind::Question || self.detail == entry.detail)
    }
}

fn hit(entry: &Entry, words: &[String]) -> Hit {
    let (title, detail) = marks::shown(entry, words);
    Hit {
        target: entry.target.clone(),
        kind: entry.kind,
        title,
        detail,
        key: entry.key,
        blocked: entry.blocked,
        used: Used::new(entry),
    }
}

#[cfg(test)]
mod tests;
