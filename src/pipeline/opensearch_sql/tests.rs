use std::cell::RefCell;

use super::refinement::Kind;
use super::*;
use crate::db::{DbError, ResultSet, Value};
use crate::llm::ask_tests::Scripted;
use crate::llm::{Cancel, LlmError};
use crate::pipeline::direct::{Settings, Shot};
use crate::pipeline::staged::Staged;
use crate::pipeline::tests_common::{World, scripted, talked};
use crate::ports::EmbedError;
use crate::ports::blocking::block_on;

/// Vectors by hand: texts with an angle lie in one plane, every other text is where its letters are.
#[derive(Default)]
struct Fake {
    angles: Vec<(&'static str, f32)>,
    asked: RefCell<usize>,
}

impl Embed for Fake {
    fn encoder(&self) -> &str {
        "fake"
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        *self.asked.borrow_mut() += texts.len();
        let vector = |text: &String| {
            let mut v = vec![0.0_f32; 258];
            match self.angles.iter().find(|(known, _)| known == text) {
                Some((_, angle)) => (v[0], v[1]) = (angle.cos(), angle.sin()),
                None => {
                    let bytes: Vec<u8> = format!(" {} ", text.to_lowercase()).into_bytes();
                    for three in bytes.windows(3) {
                        let hash = three.iter().fold(7_usize, |hash, b| (hash * 31 + usize::from(*b)) % 256);
                        v[2 + hash] += 1.0;
                    }
                }
            }
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter_mut().for_each(|x| *x /= norm);
            v
        };
        Ok(texts.iter().map(vector).collect())
    }
}

const SCRIPT: &str = "CREATE TABLE hero(id INTEGER PRIMARY KEY, hero_name TEXT, height_cm INT, colour_id INT REFERENCES colour(id));
    CREATE TABLE colour(id INTEGER PRIMARY KEY, colour TEXT);
    CREATE TABLE log(line TEXT, code TEXT);
    INSERT INTO colour VALUES (1, 'Blue'), (2, 'Dark Red'), (3, 'Green');
    INSERT INTO hero VALUES (1, 'Ann', 180, 1), (2, 'Bob', 190, 2), (3, 'Cy', NULL, 1), (4, 'Green', 170, 1);
    INSERT INTO log VALUES ('00d363d4-e85d-5b1d-9b3c-4d2a1f0e6a77', '12'), ('', '13');";

const BLUE: &str =
    "SELECT COUNT(*) FROM hero AS h JOIN colour AS c ON h.colour_id = c.id WHERE c.colour = 'Blue'";
const QUESTION: &str = "How many heroes have the colour dark red?";
const EXTRACTED: &str =
    "#reason: counted by colour\n#columns: hero.id, hero.colour_id, colour.colour\n#values: 'dark red'";

fn world() -> World {
    World::new(SCRIPT, &[("How many heroes are blue?", BLUE)])
}

fn index_of(world: &World, embed: &Fake, most: usize) -> DatabaseIndex {
    let (limits, cancel) = (QueryLimits::default(), Cancel::default());
    let schema = &world.overview.schema;
    block_on(DatabaseIndex::build(schema, &world.db, embed, most, limits, &cancel, &|_, _| {})).unwrap()
}

fn own(samples: u32) -> OpensearchSettings {
    OpensearchSettings { samples, ..OpensearchSettings::default() }
}

fn ask(world: &World, model: &Scripted, settings: &OpensearchSettings) -> Staged {
    let embed = Fake::default();
    let index = index_of(world, &embed, MOST_VALUES);
    let shots = [Shot::Query { entry: 0 }];
    let inputs = world.inputs(QUESTION, &shots);
    let asked = Settings { model: "m".into(), ..Settings::default() };
    let limits = QueryLimits::default();
    block_on(talked(model, &asked, async |talk| {
        opensearch_sql(&inputs, settings, talk, &index, &embed, &world.db, limits).await
    }))
}

fn stage<'s>(staged: &'s Staged, name: &str) -> &'s crate::pipeline::staged::Stage {
    staged.stages.iter().find(|stage| stage.name == name).unwrap()
}

fn fields(sql: &str) -> String {
    format!(
        "#reason: x\n#columns: colour.colour\n#values: none\n#SELECT: count\n#SQL-like: SELECT COUNT(hero.id)\n#SQL: {sql}"
    )
}

#[test]
fn a_question_goes_through_every_stage() {
    let world = world();
    let red = BLUE.replace("Blue", "Dark Red");
    let (good, other) = (fields(&red), fields("SELECT 7"));
    let model =
        Scripted::new(&[EXTRACTED, "#nouns: heroes, dark red", "#SELECT: number", &good, &other, &good]);
    let staged = ask(&world, &model, &own(3));
    let answer = staged.answer.as_ref().unwrap();
    assert_eq!((answer.sql.as_str(), &answer.result.rows), (red.as_str(), &vec![vec![Value::Integer(1)]]));
    let names: Vec<&str> = staged.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["extraction", "generation", "alignment", "refinement", "vote"]);
    let notes = &stage(&staged, "extraction").notes;
    assert!(notes.iter().any(|note| note == "Value: colour.colour = 'Dark Red'."), "{notes:?}");
    let sampled = &stage(&staged, "generation").candidates;
    assert_eq!(sampled.iter().map(|c| c.votes).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(stage(&staged, "vote").candidates.last().unwrap().votes, 2);

    let asked = model.asked.borrow();
    let temperatures: Vec<f32> = asked.iter().map(|request| request.temperature).collect();
    assert_eq!(temperatures, [0.0, 0.0, 0.3, 0.7, 0.7, 0.7]);
    // Samples of the same prompt differ by their seeds.
    assert_eq!(asked[3..].iter().map(|request| request.seed).collect::<Vec<_>>(), [None, Some(1), Some(2)]);
    let prompt = &asked[3].messages[1].content;
    for part in [
        "Question: How many heroes are blue?\n#columns: ",
        "#values: 'Blue'\n#SQL: SELECT COUNT",
        "## Values in the database\ncolour.colour = 'Dark Red'\n",
        "## To be returned, in this order\nnumber\n",
        "colour_id INT REFERENCES colour(id)",
    ] {
        assert!(prompt.contains(part), "{part}\n{prompt}");
    }
    assert!(!prompt.contains("height_cm") && !prompt.contains("TABLE log"), "{prompt}");
    let rules = &asked[3].messages[0].content;
    let order = ["#reason", "#columns", "#values", "#SELECT", "#SQL-like", "#SQL:"];
    let places: Vec<usize> = order.iter().map(|field| rules.find(field).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_model_that_only_talks_falls_back_to_rules_and_says_so() {
    let world = world();
    let model = Scripted::new(&["Heroes are great."; 40]);
    let staged = ask(&world, &model, &own(2));
    assert_eq!(staged.answer, Err(Trouble::NoSql(NoSql::Prose)));
    let notes = stage(&staged, "extraction").notes.join("\n");
    for part in ["named no column", "its phrases are used", "no order", "Value: colour.colour = 'Dark Red'."]
    {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert!(stage(&staged, "generation").notes.contains(&"2 of 2 samples have no SQL.".to_owned()));
    // Words of the question found the column.
    assert!(model.asked.borrow()[3].messages[1].content.contains("colour TEXT"));

    // Prose in every step but one sample is enough.
    let talk = "Let me think about it.";
    let red = BLUE.replace("Blue", "Dark Red");
    let said = format!("The query is:\n```sql\n{red};\n```");
    let model = Scripted::new(&[talk, talk, talk, talk, &said]);
    assert_eq!(ask(&world, &model, &own(2)).answer.unwrap().sql, red);
}

#[test]
fn candidates_are_aligned_with_what_the_database_has() {
    let world = world();
    let run = |sqls: &[&str], more: &[&str]| {
        let mut answers = vec![EXTRACTED.to_owned(), "#nouns: dark red".into(), "#SELECT: number".into()];
        answers.extend(sqls.iter().map(|sql| fields(sql)));
        answers.extend(more.iter().map(|answer| (*answer).to_owned()));
        let model = Scripted::new(&answers.iter().map(String::as_str).collect::<Vec<_>>());
        ask(&world, &model, &own(sqls.len() as u32))
    };
    // Written as the database does.
    let red = BLUE.replace("Blue", "Dark Red");
    let staged = run(&[&BLUE.replace("Blue", "DARK RED")], &[]);
    assert_eq!(staged.answer.unwrap().sql, red);
    // In another column: a model writes the query again.
    let wrong = "SELECT COUNT(*) FROM hero AS h WHERE h.hero_name = 'Dark Red'";
    let staged = run(&[wrong], &[&format!("```sql\n{red}\n```")]);
    let alignment = stage(&staged, "alignment");
    assert_eq!((alignment.exchanges.len(), alignment.candidates.len()), (1, 1));
    let asked = &alignment.exchanges[0].messages[1].content;
    assert!(asked.contains("No row has hero.hero_name = 'Dark Red'."), "{asked}");
    assert!(asked.contains("colour.colour = 'Dark Red'"), "{asked}");
    assert_eq!(staged.answer.unwrap().sql, red);
    // A join over two columns is one over the first that gives rows.
    let join = "SELECT h.hero_name FROM hero AS h JOIN colour AS c ON";
    let staged = run(&[&format!("{join} h.height_cm = c.id OR h.colour_id = c.id")], &[]);
    assert_eq!(staged.answer.unwrap().sql, format!("{join} h.colour_id = c.id"));
    // Two that become the same are one, with both votes.
    let (a, b) = (
        "SELECT hero_name FROM hero ORDER BY height_cm LIMIT 1",
        "SELECT hero_name FROM hero WHERE height_cm IS NOT NULL ORDER BY height_cm LIMIT 1",
    );
    let staged = run(&[a, b], &[]);
    let last = stage(&staged, "vote").candidates.last().unwrap();
    assert_eq!((last.sql.as_str(), last.votes), (b, 2));
    // What does not parse stays as it is.
    let staged = run(&["SELECT hero_name FROM hero WHERE ("], &["SELECT 1"]);
    assert!(stage(&staged, "alignment").candidates.is_empty());
}

#[test]
fn errors_and_empty_results_are_corrected_and_then_generated_once_more() {
    let world = world();
    let extraction = [EXTRACTED, "#nouns: dark red", "#SELECT: number"];
    let bad = fields("SELECT nam FROM hero");
    let mut answers = extraction.to_vec();
    answers.extend([
        bad.as_str(),
        "SELECT hero_name FROM hero WHERE id > 90",
        "nothing",
        "SELECT 1 FROM",
        "SELECT 5",
    ]);
    let model = Scripted::new(&answers);
    let staged = ask(&world, &model, &own(1));
    assert_eq!(staged.answer.as_ref().unwrap().sql, "SELECT 5");
    let asked = model.asked.borrow();
    let sampling: Vec<(f32, Option<f32>)> = asked[4..].iter().map(|r| (r.temperature, r.top_p)).collect();
    assert_eq!(sampling, [(0.4, Some(0.3)), (0.6, Some(0.3)), (0.8, Some(0.3)), (0.2, None)]);
    let said = |at: usize| asked[at].messages[1].content.as_str();
    assert!(said(4).contains("no such column: nam") && said(4).contains("hero.hero_name"), "{}", said(4));
    assert!(said(5).contains("The result is empty."), "{}", said(5));
    // The last request is the prompt of the generation.
    assert_eq!(asked[7].messages, asked[3].messages);

    // The answer is the empty result where nothing better comes: it ran, at least.
    let empty = "SELECT id FROM hero WHERE id > 90";
    let mut answers = extraction.to_vec();
    let first = fields(empty);
    answers.extend([first.as_str(), "x", "x", "x", "SELECT y"]);
    let staged = ask(&world, &Scripted::new(&answers), &own(1));
    assert_eq!(staged.answer.unwrap().sql, empty);

    // A bound on requests.
    let mut answers = extraction.to_vec();
    answers.extend([bad.as_str(), "SELECT z FROM hero", "SELECT 1"]);
    let settings = OpensearchSettings { refinement_requests: 1, ..own(1) };
    let staged = ask(&world, &Scripted::new(&answers), &settings);
    assert!(matches!(staged.answer, Err(Trouble::Database(DbError::Sql { .. }))), "{:?}", staged.answer);
    assert!(stage(&staged, "refinement").notes.iter().any(|note| note.contains("bound")));
}

#[test]
fn mistakes_have_kinds() {
    let world = world();
    for (sql, kind) in [
        ("SELECT x FROM hero", Kind::Column),
        ("SELECT 1 FROM heroes", Kind::Table),
        ("SELECT id FROM hero, colour", Kind::Ambiguous),
        ("SELECT FROM hero", Kind::Syntax),
        ("SELECT 1 FROM (", Kind::Syntax),
        ("SELECT 'x", Kind::Syntax),
        ("SELECT YEAR(1)", Kind::Function),
        ("SELECT id FROM hero WHERE COUNT(*) > 1", Kind::Aggregate),
        ("DELETE FROM hero", Kind::ReadOnly),
        ("SELECT 1 WHERE 0", Kind::Empty),
    ] {
        let result = world.db.execute(sql, QueryLimits::default());
        assert_eq!(Kind::of(&result), Some(kind), "{sql}: {result:?}");
    }
    assert_eq!(Kind::of(&Err(DbError::Timeout(3))), Some(Kind::Slow));
    let rows = ResultSet { rows: vec![vec![Value::Null]], ..ResultSet::default() };
    assert_eq!(Kind::of(&Ok(rows)), None);
}

#[test]
fn the_index_has_the_values_that_questions_name() {
    let world = world();
    let embed = Fake::default();
    let index = index_of(&world, &embed, MOST_VALUES);
    assert!(index.notes().is_empty(), "{:?}", index.notes());
    // 'Green' is embedded once for both of its columns; the UUID and the empty text are not there.
    assert_eq!(index.len(), 3 + 3 + 2);
    let pair = |t: &str, c: &str| (t.to_owned(), c.to_owned());
    assert_eq!(index.columns_of("Green").to_vec(), [pair("colour", "colour"), pair("hero", "hero_name")]);
    assert!(index.columns_of("00d363d4-e85d-5b1d-9b3c-4d2a1f0e6a77").is_empty());
    assert_eq!(*embed.asked.borrow(), 8 + 8);

    let small = index_of(&world, &embed, 4);
    assert_eq!(small.len(), 4);
    assert!(
        small.notes()[0].starts_with("Only 4 values are in the index; not all values of "),
        "{:?}",
        small.notes()
    );

    // Many numbers written as text are left out, and so is prose.
    let script = "CREATE TABLE t(n TEXT, p TEXT);
        WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 6002) INSERT INTO t SELECT x, printf('%100d', 1) FROM c;
        CREATE VIEW v AS SELECT 'seen' AS s;";
    assert!(index_of(&World::new(script, &[]), &embed, MOST_VALUES).is_empty());

    // Vectors of another encoder are not compared.
    let other = DatabaseIndex::default();
    assert_eq!(block_on(other.matches(&["Blue".into()], &embed)), Ok(Vec::new()));
}

#[test]
fn values_match_within_the_published_distances() {
    let script = "CREATE TABLE a(x TEXT, z TEXT); CREATE TABLE b(y TEXT);
        INSERT INTO a VALUES ('near', 'second'), ('farther', NULL); INSERT INTO b VALUES ('edge'), ('12');";
    let world = World::new(script, &[]);
    // Distance of unit vectors: 2 sin(angle / 2).
    let angle = |distance: f32| 2.0 * (distance / 2.0).asin();
    let found = |angles: &[(&'static str, f32)], text: &str| {
        let angles = angles.iter().map(|(text, distance)| (*text, angle(*distance))).collect();
        let embed = Fake { angles, ..Fake::default() };
        let index = index_of(&world, &embed, MOST_VALUES);
        let found = block_on(index.matches(&[text.to_owned()], &embed)).unwrap();
        found.into_iter().map(|found| found.value).collect::<Vec<_>>()
    };
    // Nearer than 0.65, and not 0.3 farther than the best; one value of a column.
    assert_eq!(found(&[("q", 0.0), ("near", 0.2), ("farther", 0.25), ("edge", 0.45)], "q"), ["near", "edge"]);
    assert_eq!(found(&[("q", 0.0), ("near", 0.2), ("edge", 0.52)], "q"), ["near"]);
    assert_eq!(found(&[("q", 0.0), ("edge", 0.63)], "q"), ["edge"]);
    assert_eq!(found(&[("q", 0.0), ("edge", 0.67)], "q"), Vec::<String>::new());
    // The text itself shuts all others out; quotes around it do not matter, and a number is no value.
    assert_eq!(found(&[("near", 0.0), ("edge", 0.1)], " 'near' "), ["near"]);
    assert_eq!(found(&[("12", 0.0), ("near", 0.01)], "12"), Vec::<String>::new());
    // Too much longer than the text.
    assert_eq!(
        found(&[("qqqqqqqqqqqqqqqqq", 0.0), ("near", 0.1)], "qqqqqqqqqqqqqqqqq"),
        Vec::<String>::new()
    );
    // Words of their own only where each has one, within half the distance.
    let words = [("near", 0.0), ("w", 0.1), ("edge", 0.3), ("v", 1.2)];
    assert_eq!(found(&words, "near w"), ["near", "edge"]);
    assert_eq!(found(&words, "near v"), Vec::<String>::new());
}

#[test]
fn without_vectors_it_goes_on_and_a_stop_ends_it() {
    struct Broken(EmbedError);
    impl Embed for Broken {
        fn encoder(&self) -> &str {
            "fake"
        }
        async fn embed(&self, _: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Err(self.0.clone())
        }
    }
    let world = world();
    let inputs = world.inputs(QUESTION, &[]);
    let (settings, limits, fake) = (Settings::default(), QueryLimits::default(), Fake::default());
    let index = index_of(&world, &fake, MOST_VALUES);
    let run = |error: EmbedError, index: &DatabaseIndex| {
        let model = Scripted::new(&[EXTRACTED, "x", "x", "SELECT 1"]);
        let own = own(1);
        block_on(talked(&model, &settings, async |talk| {
            opensearch_sql(&inputs, &own, talk, index, &Broken(error), &world.db, limits).await
        }))
    };
    let staged = run(EmbedError::Failed("No encoder.".into()), &index);
    assert!(staged.answer.is_ok());
    assert!(staged.stages[0].notes.iter().any(|note| note.ends_with("not compared: No encoder.")));
    assert_eq!(run(EmbedError::Cancelled, &index).answer, Err(Trouble::Model(LlmError::Cancelled)));
    let staged = run(EmbedError::Cancelled, &DatabaseIndex::default());
    assert!(
        staged.answer.is_ok() && staged.stages[0].notes.iter().any(|note| note.contains("No index")),
        "{staged:?}"
    );

    let refused = LlmError::NoBudget(String::new());
    let staged = ask(&world, &scripted(&[Ok(EXTRACTED), Ok("x"), Err(refused.clone())]), &own(1));
    assert_eq!(staged.answer, Err(Trouble::Model(refused)));
    let cancel = Cancel::default();
    cancel.cancel();
    let model = Scripted::new(&[EXTRACTED]);
    let talk = Talk::new(&model, &settings, &cancel, &|_| {});
    let own = own(1);
    let asked = opensearch_sql(&inputs, &own, &talk, &index, &fake, &world.db, limits);
    assert_eq!(block_on(asked), Err(Trouble::Model(LlmError::Cancelled)));
    assert!(model.asked.borrow().is_empty());
}

#[test]
fn a_small_context_shortens_the_prompts_and_says_so() {
    let world = world();
    let red = fields(&BLUE.replace("Blue", "Dark Red"));
    let model = Scripted::new(&[EXTRACTED, "x", "x", &red]);
    let settings = Settings { context_tokens: 420, answer_tokens: 60, ..Settings::default() };
    let shots = [Shot::Query { entry: 0 }];
    let inputs = world.inputs(QUESTION, &shots);
    let (embed, own) = (Fake::default(), own(1));
    let staged = block_on(talked(&model, &settings, async |talk| {
        let limits = QueryLimits::default();
        opensearch_sql(&inputs, &own, talk, &DatabaseIndex::default(), &embed, &world.db, limits).await
    }));
    assert!(staged.answer.is_ok());
    let shortened = |name: &str| stage(&staged, name).notes.iter().any(|note| note.contains("was shortened"));
    assert!(shortened("generation"), "{staged:?}");
}
