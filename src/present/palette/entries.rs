//! What the palette lists: actions, the tables and columns of the database, knowledge items, questions.

use super::{Action, Entry, Kind, Target};
use crate::db::Overview;
use crate::history::KnowledgeBase;
use crate::present::titles;

/// What an action depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// A database is open.
    pub database: bool,
    /// A history is open.
    pub history: bool,
    /// Work in the background is going on.
    pub working: bool,
    /// A history was imported.
    pub imported: bool,
    /// There is SQL of an answer.
    pub sql: bool,
    /// A model was asked.
    pub prompt: bool,
    /// An answer is being made.
    pub answering: bool,
    /// A server is set up.
    pub server: bool,
    /// A question is written.
    pub question: bool,
    /// There are rows.
    pub rows: bool,
    /// The rows can be drawn.
    pub chart: bool,
    /// The workspace has an address.
    pub linked: bool,
    /// The workspace is kept in this browser.
    pub kept: bool,
}

/// All actions, those that can be done now first, the others with why not.
pub fn actions(now: Now) -> Vec<Entry> {
    const NO_HISTORY: &str = "There is no history yet.";
    const NO_SERVER: Option<&str> = Some("No server is set up.");
    let database = (!now.database).then_some("Open a database first.");
    let kept = (!now.kept).then_some("The open one is not kept in this browser.");
    let rows = (!now.rows).then_some("There are no rows yet.");
    let working = now.working.then_some("The history is being worked on.");
    let history = (!now.history).then_some(NO_HISTORY);
    let listed: [(Action, &str, &str, &'static str, Option<&'static str>); 23] = [
        (Action::AddHistory, "Add a history", "import queries, a log, knowledge", "", working.or(database)),
        (Action::OpenFile, "Open a database file", "SQLite, workspace, upload", "", None),
        (
            Action::OpenAddress,
            "Open a database or a workspace from an address",
            "SQLite, workspace, URL, link",
            "",
            None,
        ),
        (
            Action::CopyLink,
            "Copy the link to the workspace",
            "share, address, URL",
            "",
            (!now.linked).then_some("Only the demo, and what was opened from an address, has a link."),
        ),
        (Action::Rename, "Rename the workspace", "database, name", "", kept),
        (Action::RemoveWorkspace, "Remove the workspace", "delete, close, database", "", kept),
        (
            Action::ExportWorkspace,
            "Export the workspace as one file",
            "download, save, share, database, history",
            "",
            database,
        ),
        (Action::Export, "Export the knowledge", "download, save, history", "", history),
        (Action::RemoveHistory, "Remove the history", "delete, clear, knowledge", "", history),
        (Action::Index, "Index the history", "embed, vectors, encoder", "", history.or(working)),
        (
            Action::ImportReport,
            "Read the import report",
            "history, skipped, merged",
            "",
            (!now.imported).then_some("No history was added since the page was opened."),
        ),
        (
            Action::EditSql,
            "Edit the SQL",
            "change the query",
            "e",
            (!now.sql).then_some("There is no answer yet."),
        ),
        (
            Action::ReadPrompt,
            "Read the prompt",
            "what the model was asked",
            ".",
            (!now.prompt).then_some("No model was asked."),
        ),
        (Action::ChooseGold, "Choose the gold", "task, reference, compare, score", "", database),
        (Action::WriteGold, "Write gold SQL", "reference, compare, score", "", database),
        (Action::OpenTasks, "Open a task file", "gold, questions, BIRD, Spider, upload", "", database),
        (
            Action::CompareWays,
            "Compare the three ways",
            "ask, model, with and without history",
            "",
            NO_SERVER
                .filter(|_| !now.server)
                .or(history)
                .or((!now.question).then_some("Write a question first.")),
        ),
        (
            Action::Chart,
            "Show the rows as a chart",
            "draw, bars, line, view",
            "v",
            rows.or((!now.chart).then_some("These rows do not suit a chart.")),
        ),
        (Action::SaveRows, "Download the rows as CSV", "save, export, table", "", rows),
        (
            Action::Stop,
            "Stop the answer",
            "cancel, end the query",
            "Esc",
            (!now.answering).then_some("No answer is being made."),
        ),
        (
            Action::TestModel,
            "Test the model",
            "server, endpoint, connection, key",
            "",
            NO_SERVER.filter(|_| !now.server),
        ),
        (Action::Theme, "Switch between light and dark", "theme, colours, appearance, night", "", None),
        (Action::Keys, "List the keys", "keyboard, shortcuts, help", "?", None),
    ];
    let mut all: Vec<Entry> = listed
        .into_iter()
        .map(|(action, title, words, key, blocked)| Entry {
            words: vec![words.to_owned()],
            key,
            blocked,
            ..Entry::new(Target::Act(action), Kind::Action, title)
        })
        .collect();
    all.sort_by_key(|entry| entry.blocked.is_some());
    all
}

/// The tables of a database, then their columns.
pub fn of_database(overview: &Overview) -> Vec<Entry> {
    let tables = overview.schema.tables.iter().map(|table| Entry {
        detail: if table.view { "view".to_owned() } else { String::new() },
        ..Entry::new(Target::Table(table.name.clone()), Kind::Table, &table.name)
    });
    let columns = overview.schema.tables.iter().flat_map(|table| {
        table.columns.iter().map(move |column| {
            let target = Target::Column(table.name.clone(), column.name.clone());
            let mut words = vec![format!("{}.{}", table.name, column.name)];
            words.extend(column.note.clone());
            let detail = format!("{} {}", table.name, column.declared_type).trim_end().to_owned();
            Entry { detail, words, ..Entry::new(target, Kind::Column, &column.name) }
        })
    });
    tables.chain(columns).collect()
}

/// The items of a history, in its order: most seen first.
pub fn of_knowledge(base: &KnowledgeBase) -> Vec<Entry> {
    let remarks = titles::remarks(base);
    let items = (0..).zip(base.items.iter().zip(remarks));
    items
        .map(|(key, (item, detail))| Entry {
            detail,
            words: vec![item.said().to_owned(), item.skeleton.clone()],
            ..Entry::new(Target::Item(key), Kind::Item(item.kind), &item.title)
        })
        .collect()
}

/// Questions, each once: those asked before, then those to start with.
pub fn of_questions(recent: &[String], examples: &[String]) -> Vec<Entry> {
    let asked = |question: &String| recent.contains(question);
    let entry = |question: &String, detail: &str| Entry {
        detail: detail.to_owned(),
        ..Entry::new(Target::Question(question.clone()), Kind::Question, question)
    };
    let before = recent.iter().map(|question| entry(question, "asked before"));
    before.chain(examples.iter().filter(|q| !asked(q)).map(|question| entry(question, "example"))).collect()
}
