//! Which column of a table holds what: a guess from names and sample values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Sample values kept of a column.
const SAMPLES: usize = 5;
/// Characters kept of a sample value.
const SAMPLE_LENGTH: usize = 120;
/// The largest count kept, so that the counts of any history add up without overflow and are exact in JSON's numbers.
pub(crate) const MAX_COUNT: u64 = 1_000_000_000_000;

/// A column of the file, for the page to show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; a second column of the same name is called "name (2)".
    pub name: String,
    /// Its first different values, shortened.
    pub samples: Vec<String>,
}

/// Which column holds what, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// The query; without it nothing can be read.
    pub sql: Option<String>,
    /// The question it answers.
    pub question: Option<String>,
    /// Who wrote it.
    pub user: Option<String>,
    /// When.
    pub time: Option<String>,
    /// How often it was run.
    pub count: Option<String>,
    /// Its identifier.
    pub id: Option<String>,
    /// The database it was written for.
    pub db_id: Option<String>,
}

impl Mapping {
    /// The columns that it reads.
    pub fn columns(&self) -> Vec<&str> {
        let Self { sql, question, user, time, count, id, db_id } = self;
        [sql, question, user, time, count, id, db_id].into_iter().flatten().map(String::as_str).collect()
    }
}

/// What is learnt of the columns while rows pass by.
pub(super) struct Survey {
    columns: Vec<Column>,
    tallies: Vec<Tally>,
    /// How often which value was seen, in the columns that may name the database.
    databases: Vec<Option<BTreeMap<String, usize>>>,
}

/// What a column's values look like, over all rows.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    filled: usize,
    sql: usize,
    numbers: usize,
    /// Of several words, as a question is.
    phrases: usize,
}

impl Tally {
    fn mostly(self, part: usize) -> bool {
        self.filled > 0 && part * 2 >= self.filled
    }
}

impl Survey {
    pub(super) fn new(names: &[String]) -> Self {
        let column = |name: &String| Column { name: name.clone(), samples: Vec::new() };
        let databases = names.iter().map(|name| DATABASE.contains(&plain(name).as_str()).then(BTreeMap::new));
        Self {
            columns: names.iter().map(column).collect(),
            tallies: vec![Tally::default(); names.len()],
            databases: databases.collect(),
        }
    }

    /// Takes in the cells of a row, in the order of the columns.
    pub(super) fn add(&mut self, cells: &[Option<String>]) {
        let known = self.columns.iter_mut().zip(&mut self.tallies).zip(&mut self.databases);
        for (((column, tally), databases), cell) in known.zip(cells) {
            let Some(cell) = cell.as_deref() else { continue };
            let value = cell.trim();
            if value.is_empty() {
                continue;
            }
            if let Some(databases) = databases {
                match databases.get_mut(cell) {
                    Some(times) => *times += 1,
                    None => drop(databases.insert(cell.to_owned(), 1)),
                }
            }
            tally.filled += 1;
            tally.sql += usize::from(looks_like_sql(value));
            tally.numbers += usize::from(value.parse::<f64>().is_ok());
            tally.phrases += usize::from(value.split_whitespace().nth(2).is_some());
            if column.samples.len() < SAMPLES {
                let sample: String = value.chars().take(SAMPLE_LENGTH).collect();
                if !column.samples.contains(&sample) {
                    column.samples.push(sample);
                }
            }
        }
    }

    /// The columns, the guessed mapping, and the databases that the rows name, most rows first.
    pub(super) fn finish(mut self) -> (Vec<Column>, Mapping, Vec<(String, usize)>) {
        let mut taken: Vec<usize> = Vec::new();
        let mut pick = |names: &[&str], fits: &dyn Fn(Tally) -> bool| {
            let best = self.best(names, &taken, fits)?;
            taken.push(best);
            self.columns.get(best).map(|c| c.name.clone())
        };
        // A column that is called SQL may hold anything but queries; it will be said what is wrong with it.
        let sql = pick(SQL, &|t| t.mostly(t.sql)).or_else(|| pick(CERTAINLY_SQL, &|t| !t.mostly(t.numbers)));
        let text = |t: Tally| !t.mostly(t.sql) && !t.mostly(t.numbers);
        let mapping = Mapping {
            sql,
            count: pick(COUNT, &|t| t.mostly(t.numbers)),
            id: pick(ID, &|t| t.filled == t.numbers),
            db_id: pick(DATABASE, &|t| !t.mostly(t.sql)),
            user: pick(USER, &|t| !t.mostly(t.sql)),
            time: pick(TIME, &|t| !t.mostly(t.sql)),
            question: pick(QUESTION, &text).or_else(|| pick(ANY, &|t| text(t) && t.mostly(t.phrases))),
        };
        let place = self.columns.iter().position(|c| Some(&c.name) == mapping.db_id.as_ref());
        let counts = place.and_then(|place| self.databases.get_mut(place)).and_then(Option::take);
        (self.columns, mapping, counts.map(by_rows).unwrap_or_default())
    }

    /// The free column whose name stands earliest in `names`; for SQL and [`ANY`], a fitting column of any name.
    fn best(&self, names: &[&str], taken: &[usize], fits: &dyn Fn(Tally) -> bool) -> Option<usize> {
        let candidates = self.columns.iter().zip(&self.tallies).enumerate();
        let ranked = candidates.filter(|(i, (_, tally))| !taken.contains(i) && fits(**tally));
        ranked
            .filter_map(|(i, (column, _))| {
                let name = plain(&column.name);
                let rank = names.iter().position(|n| *n == name);
                let any = (names == SQL || names == ANY).then_some(names.len());
                Some((rank.or(any)?, i))
            })
            .min()
            .map(|(_, i)| i)
    }
}

/// The last part of a nested name ("event.query"), its letters and digits in lower case.
fn plain(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or_default();
    last.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

const SQL: &[&str] = &[
    "sql",
    "sqlquery",
    "query",
    "querytext",
    "sqltext",
    "statement",
    "querysql",
    "goldsql",
    "gold",
    "rawsql",
    "querybody",
];
/// No name is known: the content decides.
const ANY: &[&str] = &[];
const CERTAINLY_SQL: &[&str] = &["sql", "sqlquery", "sqltext", "querysql", "goldsql", "rawsql"];
const QUESTION: &[&str] = &[
    "question",
    "utterance",
    "nlquestion",
    "naturallanguage",
    "spiderquestion",
    "questiontext",
    "nl",
    "questions",
    "q",
    "ask",
    "request",
    "prompt",
    "purpose",
    "task",
    "intent",
    "title",
    "queryname",
    "name",
    "description",
    "comment",
    "label",
    "frage",
    "问题",
];
const USER: &[&str] = &[
    "user",
    "username",
    "useremail",
    "author",
    "owner",
    "analyst",
    "createdby",
    "email",
    "login",
    "usename",
    "who",
    "userid",
    "rolname",
];
const TIME: &[&str] = &[
    "time",
    "timestamp",
    "executedat",
    "starttime",
    "querystart",
    "createdat",
    "creationtime",
    "created",
    "datetime",
    "date",
    "lastrun",
    "creationdate",
    "ts",
    "at",
    "ranat",
    "runat",
    "startedat",
    "finishedat",
    "endtime",
    "lastused",
    "when",
    "day",
];
const COUNT: &[&str] =
    &["count", "runs", "calls", "executions", "executioncount", "frequency", "freq", "times", "hits", "n"];
const ID: &[&str] = &["questionid", "id", "queryid", "qid", "querysetid"];
const DATABASE: &[&str] =
    &["dbid", "database", "databasename", "dbname", "db", "datname", "schemaname", "catalog"];

/// Whether a value starts as a query does.
pub(super) fn looks_like_sql(value: &str) -> bool {
    let rest = value.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    if rest.starts_with("--") || rest.starts_with("/*") {
        return true;
    }
    let mut words = rest.split_whitespace();
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let more = words.next().is_some();
    let starts = ["select", "with", "values", "insert", "update", "delete", "create", "explain"];
    more && starts
        .iter()
        .any(|s| first == *s || first.strip_prefix(s).is_some_and(|r| r.starts_with(['(', '*'])))
}

/// A count as logs write it: a whole number from 1 to [`MAX_COUNT`].
pub(super) fn count(value: &str) -> Option<u64> {
    let value = value.trim();
    let number = || value.parse::<f64>().ok().filter(|n| *n >= 1.0 && n.fract() == 0.0);
    // What is no whole number in 64 bits may still be one as a REAL: "4.0", "1e6".
    let count = value.parse::<u64>().ok().or_else(|| Some(number()? as u64))?;
    (1..=MAX_COUNT).contains(&count).then_some(count)
}

/// The databases named in a column with their numbers of rows, most rows first.
pub(super) fn by_rows(counts: BTreeMap<String, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(names: &[&str], row: &[&str]) -> Mapping {
        let mut survey = Survey::new(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        survey.add(&row.iter().map(|c| Some((*c).to_owned())).collect::<Vec<_>>());
        survey.finish().1
    }

    #[test]
    fn columns_are_guessed_by_name_and_content() {
        let found = guess(
            &["query_id", "User Name", "title", "description", "QUERY_TEXT", "calls", "start_time", "db"],
            &["7", "m.okoye", "Late ferries", "All of them", "SELECT 1", "12", "2024-01-01", "ferries"],
        );
        let named = |s: &str| Some(s.to_owned());
        let wanted = Mapping {
            sql: named("QUERY_TEXT"),
            question: named("title"),
            user: named("User Name"),
            time: named("start_time"),
            count: named("calls"),
            id: named("query_id"),
            db_id: named("db"),
        };
        assert_eq!(found, wanted);
    }

    #[test]
    fn the_content_decides_what_is_sql() {
        assert_eq!(guess(&["query", "body"], &["How many?", "select(1) + 2"]).sql, Some("body".into()));
        assert_eq!(guess(&["query", "n"], &["How many?", "x"]), Mapping::default());
        assert_eq!(guess(&["q", "s"], &["How many?", "SELECT 1"]).question, Some("q".into()));
        let found = guess(&["team", "what we want", "s"], &["ops", "ships by year", "SELECT 1"]);
        assert_eq!((found.question, found.user), (Some("what we want".into()), None));
        assert_eq!(guess(&["x", "event.query"], &["SELECT 1", "SELECT 2"]).sql, Some("event.query".into()));
    }

    #[test]
    fn counts_are_whole_numbers() {
        assert_eq!(["3", "4.0", " 5 "].map(count), [Some(3), Some(4), Some(5)]);
        assert_eq!(["0", "-1", "1.5", "x", "nan"].map(count), [None; 5]);
        assert_eq!(count("5000000000"), Some(5_000_000_000));
        assert_eq!(["1e300", "99999999999999999999"].map(count), [None; 2]);
    }
}
