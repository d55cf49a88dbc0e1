use std::cell::RefCell;

use super::*;
use crate::db::engine::service::tests::image;
use crate::db::{Database, Host, Overview, introspect};
use crate::history::import::{RawHistory, RawRecord};
use crate::history::{Builder, KnowledgeBase};
use crate::llm::{Cancel, Completion, Delta, Finish, Logprob, Message, Request, Role, Usage};
use crate::pipeline::direct::Shot;
use crate::pipeline::staged::{Heard, Settings, Staged};
use crate::ports::blocking::block_on;
use crate::search::{Budget, Guidance};

const SCRIPT: &str = "CREATE TABLE hero(id INTEGER PRIMARY KEY, hero_name TEXT, height_cm INT, colour_id INT REFERENCES colour(id));
    CREATE TABLE colour(id INTEGER PRIMARY KEY, colour TEXT);
    CREATE TABLE plays(hero_id INT, play TEXT, PRIMARY KEY(hero_id, play));
    INSERT INTO colour VALUES (1, 'Blue'), (2, 'Red');
    INSERT INTO hero VALUES (1, 'A */ ''B''', 180, 1), (2, 'B', 190, 2), (3, 'C', 200, 1);";

/// Likelier, but there is no such column.
const WRONG: &str = "SELECT COUNT(*) FROM hero WHERE colour = 'Red'";
/// Gives no row.
const EMPTY: &str = "SELECT hero_name FROM hero WHERE height_cm > 300";
const RIGHT: &str =
    "SELECT COUNT(*) FROM hero AS h JOIN colour AS c ON h.colour_id = c.id WHERE c.colour = 'Red'";

struct World {
    db: Database,
    overview: Overview,
    knowledge: KnowledgeBase,
}

fn world(script: &str) -> World {
    let db = Database::from_bytes(image(script), Host::default()).unwrap();
    let overview = introspect::overview(&db, 5_000).unwrap();
    let record = RawRecord {
        sql: "SELECT COUNT(*) FROM hero WHERE colour_id = 1".into(),
        question: Some("How many heroes are blue?".into()),
        line: 1,
        number: 1,
        ..RawRecord::default()
    };
    let history = RawHistory { name: "h".into(), records: vec![record], ..RawHistory::default() };
    let knowledge = Builder::new(history, overview.schema.clone()).whole().0;
    World { db, overview, knowledge }
}

/// What a server does with a prefix.
#[derive(Clone, Copy, PartialEq)]
enum Server {
    GoesOn,
    BeginsAnew,
    RefusesBegun,
    NoLogprobs,
    Fails(usize),
}

/// A model that knows whole queries, the likeliest first.
struct Knows {
    queries: Vec<(&'static str, f32)>,
    server: Server,
    asked: RefCell<Vec<Request>>,
}

impl Knows {
    fn new(queries: &[(&'static str, f32)], server: Server) -> Self {
        Self { queries: queries.to_vec(), server, asked: RefCell::default() }
    }
}

impl Complete for Knows {
    fn endpoint(&self) -> &str {
        "scripted"
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        if cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        self.asked.borrow_mut().push(request.clone());
        let last = request.said().last().unwrap().clone();
        let begun = last.role == Role::Assistant || request.text.is_some();
        let prefix = match begun {
            true => last.content.rsplit("```sql\n").next().unwrap(),
            false => last
                .content
                .split("## The query so far\n```sql\n")
                .nth(1)
                .map_or("", |rest| rest.split("\n```").next().unwrap()),
        };
        match self.server {
            Server::RefusesBegun if last.role == Role::Assistant => {
                return Err(LlmError::Refused {
                    status: 400,
                    message: "the last message must be the user's".into(),
                });
            }
            Server::Fails(after) if self.asked.borrow().len() > after => return Err(LlmError::Silent(9)),
            _ => {}
        }
        let fitting: Vec<_> = self.queries.iter().filter(|(query, _)| query.starts_with(prefix)).collect();
        let chosen = match (request.temperature > 0.0, request.seed) {
            (true, Some(seed)) => fitting.get(seed as usize % fitting.len().max(1)),
            _ => fitting.first(),
        };
        let Some((query, logprob)) = chosen else { return Err(LlmError::Empty { thought: false }) };
        let rest = query.strip_prefix(prefix).unwrap();
        let text = match (begun, self.server) {
            (true, Server::BeginsAnew) if !prefix.is_empty() => "SELECT 1;".to_owned(),
            (true, _) => format!("{rest};\n"),
            (false, _) => format!("```sql\n{rest};\n```"),
        };
        on_delta(&Delta::Text(text.clone()));
        let token = |word: &str| Logprob { token: word.to_owned(), logprob: *logprob, top: Vec::new() };
        let logprobs = if self.server == Server::NoLogprobs {
            Vec::new()
        } else {
            text.split_inclusive(' ').map(token).collect()
        };
        let usage = Some(Usage { prompt: 100, completion: 10 });
        Ok(Completion {
            text,
            reasoning: String::new(),
            finish: Finish::Stop,
            usage,
            logprobs,
            model: None,
            cached: false,
        })
    }
}

fn search(
    world: &World,
    model: &Knows,
    settings: &SqlO1Settings,
    cancel: &Cancel,
    hear: &dyn Fn(&Heard<'_>),
) -> Staged {
    let asked = Settings { model: "m".into(), ..Settings::default() };
    let talk = Talk::new(model, &asked, cancel, hear);
    let shots = [Shot::Query { entry: 0 }];
    let World { db, overview, knowledge } = world;
    let inputs = Inputs {
        question: "How many heroes are red?",
        schema: &overview.schema,
        tables: &overview.tables,
        knowledge,
        shots: &shots,
    };
    let answer = block_on(sql_o1(&inputs, settings, &talk, db, QueryLimits::default()));
    talk.end(answer)
}

fn searched_with(model: &Knows, settings: &SqlO1Settings) -> Staged {
    search(&world(SCRIPT), model, settings, &Cancel::default(), &|_| {})
}

fn guided() -> SqlO1Settings {
    let parameters = Parameters { guidance: Some(Guidance::default()), ..Parameters::default() };
    SqlO1Settings { parameters, ..SqlO1Settings::default() }
}

fn three() -> [(&'static str, f32); 3] {
    [(WRONG, -0.01), (EMPTY, -0.05), (RIGHT, -0.1)]
}

#[test]
fn without_guidance_the_likeliest_query_wins_and_with_it_one_that_runs() {
    let model = Knows::new(&three(), Server::GoesOn);
    let plain = searched_with(&model, &SqlO1Settings::default());
    assert!(matches!(plain.answer, Err(Trouble::Database(DbError::Sql { .. }))), "{:?}", plain.answer);
    assert_eq!(plain.last_sql(), Some(WRONG));

    let staged = searched_with(&model, &guided());
    let answer = staged.answer.as_ref().unwrap();
    assert_eq!((answer.sql.as_str(), &answer.result.rows), (RIGHT, &vec![vec![Value::Integer(1)]]));
    let stage = &staged.stages[0];
    assert_eq!(stage.name, "search");
    assert_eq!(stage.candidates.last().unwrap().sql, RIGHT);
    let tree = stage.search.as_ref().unwrap();
    let node = |prefix: &str| tree.nodes.iter().find(|node| node.prefix == prefix).unwrap();
    assert_eq!(node("SELECT COUNT(*)").reward, 100.0 - 0.02_f64.min(f64::from(0.01_f32) * 2.0));
    assert!(matches!(node(WRONG).outcome, Some(Outcome::Failed(_))), "{tree:#?}");
    assert_eq!(node(EMPTY).outcome, Some(Outcome::Empty));
    assert_eq!(node(RIGHT).visits, tree.nodes[*tree.path.last().unwrap() as usize].visits);
    assert_eq!(tree.best.as_ref().unwrap().sql, RIGHT);
    assert!(
        tree.nodes.iter().all(|node| node.parent.is_none_or(|parent| (parent as usize) < tree.nodes.len()))
    );
    let json = serde_json::to_string(&staged).unwrap();
    let read = serde_json::from_str::<Staged>(&json).unwrap();
    assert_eq!(read.stages[0].search.as_ref().unwrap().path, tree.path);
}

#[test]
fn a_prefix_with_an_unknown_name_is_cut() {
    for (query, at, why) in [
        ("SELECT id FROM heroes WHERE id = 1", "SELECT id FROM heroes", "no such table: heroes"),
        (
            "SELECT id FROM hero WHERE nme = 1 ORDER BY id",
            "SELECT id FROM hero WHERE nme = 1",
            "no such column: nme",
        ),
    ] {
        let model = Knows::new(&[(query, -0.01), (RIGHT, -0.5)], Server::GoesOn);
        let staged = searched_with(&model, &guided());
        assert_eq!(staged.answer.unwrap().sql, RIGHT);
        let tree = staged.stages[0].search.as_ref().unwrap();
        let cut = tree.nodes.iter().find(|node| node.prefix == at).unwrap();
        assert_eq!((cut.cut.as_deref(), cut.visits), (Some(why), 0));
    }
    // The column comes with the join, and the alias after the table.
    let late = "SELECT c.colour FROM hero AS h JOIN colour AS c ON h.colour_id = c.id WHERE h.id = 2";
    let other = "SELECT c.colour FROM hero WHERE h.id = 3";
    let model = Knows::new(&[(other, -0.01), (late, -0.5)], Server::GoesOn);
    assert_eq!(searched_with(&model, &guided()).answer.unwrap().sql, late);
}

#[test]
fn a_check_never_runs_the_prefix() {
    let world = world(SCRIPT);
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n -- all";
    let limits = QueryLimits { timeout_ms: 2_000, ..QueryLimits::default() };
    let checked = block_on(Execute::execute(&world.db, &never_run(endless), limits));
    assert_eq!(checked.unwrap().rows.len(), 0);
}

#[test]
fn every_request_begins_with_the_same_words() {
    let model = Knows::new(&three(), Server::GoesOn);
    let with_history = SqlO1Settings { history: true, ..guided() };
    for (settings, earlier) in [(guided(), false), (with_history, true)] {
        model.asked.borrow_mut().clear();
        searched_with(&model, &settings);
        let asked = model.asked.borrow();
        assert!(asked.len() > 3);
        let first = &asked[0].messages;
        assert!(
            asked.iter().all(|request| request.messages[..2] == first[..2] && request.messages.len() == 3)
        );
        assert!(asked.iter().all(|request| request.logprobs == Some(1) && request.stop == ["```"]));
        assert_eq!((asked[0].temperature, asked[1].temperature), (0.0, 0.9));
        assert_ne!(asked[1].seed, asked[2].seed);
        let text = &first[1].content;
        for part in [
            "CREATE TABLE hero ( -- 3 rows",
            "height_cm INT,",
            "PRIMARY KEY (hero_id, play)",
            "FOREIGN KEY (colour_id) REFERENCES colour (id)",
            "/* Sample rows of hero:\nid | hero_name | height_cm | colour_id\n1 | 'A * / ''B''' | 180 | 1\n",
            "## Question\nHow many heroes are red?",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(text.contains("-- How many heroes are blue?\nSELECT COUNT(*)"), earlier, "{text}");
    }
}

#[test]
fn a_server_that_begins_anew_is_asked_for_the_rest_and_the_answer_says_so() {
    for server in [Server::BeginsAnew, Server::RefusesBegun] {
        let model = Knows::new(&three(), server);
        let staged = searched_with(&model, &guided());
        assert_eq!(staged.answer.as_ref().unwrap().sql, RIGHT);
        let notes = &staged.stages[0].notes;
        let said = notes.iter().filter(|note| note.contains("the prefix stands in the prompt")).count();
        assert_eq!(said, 1, "{notes:?}");
        assert!(model.asked.borrow().last().unwrap().messages.last().unwrap().role == Role::User);
    }
}

#[test]
fn a_text_without_a_chat_is_gone_on_with() {
    let model = Knows::new(&three(), Server::GoesOn);
    let staged = searched_with(&model, &SqlO1Settings { asking: Asking::Text, ..guided() });
    assert_eq!(staged.answer.as_ref().unwrap().sql, RIGHT);
    let asked = model.asked.borrow();
    assert!(asked.iter().all(|request| request.messages.is_empty()));
    assert!(asked[0].text.as_ref().unwrap().ends_with("## Answer\n```sql\n"));
    // What was sent is kept as it is for a chat.
    let kept: Vec<Message> = staged.exchanges().next().unwrap().messages.clone();
    assert_eq!(kept, [Message::user(asked[0].text.clone().unwrap())]);
}

#[test]
fn a_server_without_log_probabilities_is_refused() {
    let model = Knows::new(&three(), Server::NoLogprobs);
    let staged = searched_with(&model, &SqlO1Settings::default());
    let Err(Trouble::Model(error)) = staged.answer else { panic!("{:?}", staged.answer) };
    assert_eq!((&error, model.asked.borrow().len()), (&LlmError::NoLogprobs, 1));
    assert!(error.to_string().contains("llama-server"), "{error}");
    assert!(error.ends_a_job());
}

#[test]
fn what_stops_in_the_middle_gives_the_best_so_far() {
    let model = Knows::new(&[(RIGHT, -0.1)], Server::Fails(2));
    let staged = searched_with(&model, &SqlO1Settings::default());
    assert_eq!(staged.answer.as_ref().unwrap().sql, RIGHT);
    let notes = staged.stages[0].notes.join("\n");
    assert!(notes.contains("stopped early: The server sent nothing for 9 seconds."), "{notes}");

    // Stopped by the user after the first answers.
    let (model, cancel) = (Knows::new(&three(), Server::GoesOn), Cancel::default());
    let heard = RefCell::new(0);
    let stop = cancel.clone();
    let hear = |event: &Heard<'_>| {
        if let Heard::Search(search) = event {
            *heard.borrow_mut() += 1;
            assert!(search.best().is_some());
            stop.cancel();
        }
    };
    let staged = search(&world(SCRIPT), &model, &SqlO1Settings::default(), &cancel, &hear);
    assert!(staged.last_sql().is_some());
    assert!(
        staged.stages[0].notes[0].contains("stopped early: it was stopped"),
        "{:?}",
        staged.stages[0].notes
    );
    assert_eq!(*heard.borrow(), 2);
    // Stopped before there was anything.
    let cancel = Cancel::default();
    cancel.cancel();
    let staged = search(&world(SCRIPT), &model, &SqlO1Settings::default(), &cancel, &|_| {});
    assert!(staged.answer.is_err());
}

#[test]
fn a_budget_ends_it() {
    let model = Knows::new(&three(), Server::GoesOn);
    let mut settings = guided();
    settings.parameters.budget = Budget { requests: Some(4), ..Budget::default() };
    let staged = searched_with(&model, &settings);
    assert_eq!(model.asked.borrow().len(), 4);
    assert!(
        staged.stages[0].notes[0].contains("4 requests: the budget is used up"),
        "{:?}",
        staged.stages[0].notes
    );
}

#[test]
fn other_languages_and_empty_databases_are_no_trouble_of_their_own() {
    let staged = searched_with(&Knows::new(&[("这个问题没有答案", -0.1)], Server::GoesOn), &guided());
    assert!(matches!(staged.answer, Err(Trouble::NoSql(NoSql::Prose))), "{:?}", staged.answer);
    assert!(staged.stages[0].notes[1].contains("were no SQL"), "{:?}", staged.stages[0].notes);

    let empty = world("CREATE TABLE hero(id INTEGER PRIMARY KEY, hero_name TEXT)");
    let model = Knows::new(&[("SELECT hero_name FROM hero", -0.1)], Server::GoesOn);
    let staged = search(&empty, &model, &guided(), &Cancel::default(), &|_| {});
    assert_eq!(staged.answer.unwrap().result.rows.len(), 0);
}

#[test]
fn a_schema_that_does_not_fit_is_shortened_and_says_so() {
    let world = world(SCRIPT);
    let World { db, overview, knowledge } = &world;
    let samples = block_on(Samples::read(&overview.schema, 3, db, QueryLimits::default()));
    let inputs = Inputs {
        question: "How many heroes are red?",
        schema: &overview.schema,
        tables: &overview.tables,
        knowledge,
        shots: &[],
    };
    let mut shorter = 0;
    for room in (200..700).step_by(10) {
        let context = Context::new(&inputs, &samples, false, room);
        let tokens: u32 = context.asked("").iter().map(|m| crate::llm::tokens::estimate(&m.content)).sum();
        assert!(tokens <= room || context.left_out.still_too_long, "{room}: {tokens}");
        shorter += usize::from(!context.left_out.is_empty());
        // The table that the question names goes last.
        if context.left_out.tables.iter().any(|table| table == "hero") {
            assert_eq!(context.left_out.tables.len(), 3);
        }
    }
    assert!((5..45).contains(&shorter), "{shorter}");
}

#[test]
fn the_same_rows_are_the_same_in_any_order() {
    let row = |values: &[i64]| values.iter().map(|value| Value::Integer(*value)).collect::<Vec<_>>();
    let (a, b) = (vec![row(&[1, 2]), row(&[3, 4])], vec![row(&[3, 4]), row(&[1, 2]), row(&[1, 2])]);
    assert_eq!(same(&a), same(&b));
    assert_eq!(same(&[vec![Value::Real(1.0)]]), same(&[row(&[1])]));
    assert_ne!(same(&[row(&[1, 2])]), same(&[row(&[2, 1])]));
    assert_ne!(same(&[vec![Value::Text("1".into())]]), same(&[row(&[1])]));
    assert_eq!(
        outcome(&Ok(ResultSet { rows: vec![vec![Value::Null]], ..ResultSet::default() })),
        Outcome::Empty
    );
}
