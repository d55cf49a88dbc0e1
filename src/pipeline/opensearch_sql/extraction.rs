//! Extraction: the columns and values that a question needs, and the order of what it asks for.

use std::collections::BTreeSet;

use super::{Context, Found};
use crate::history::KnowledgeBase;
use crate::llm::extract;
use crate::pipeline::direct::{Inputs, Representation, Shot, Trouble};
use crate::pipeline::staged::lenient::{embedding_ended, field, items};
use crate::pipeline::staged::prompt::Parts;
use crate::pipeline::staged::reduced::{Columns, named, reduced, with_keys};
use crate::pipeline::staged::{Sampling, Talk};
use crate::ports::{Complete, Embed, Execute};
use crate::retrieval::phrases::phrases;
use crate::retrieval::words::{content_of_names, words};
use crate::sql::Schema;

const COLUMNS: &str = "You prepare SQL for SQLite. You get the schema of a database and a question. Say which columns a \
query for the question reads, those of joins and conditions too, and which values of the question it compares with. \
Write values as the question has them. Answer in three lines and nothing else:\n\
#reason: what is asked for and how it is found, in one sentence\n\
#columns: table.column, table.column\n\
#values: 'value', 'value'";

const NOUNS: &str = "You get a question about data. List the things in it that may stand in a database: names, places, \
terms, titles, dates, and every text in quotes, each as the question writes it. Answer in one line and nothing else:\n\
#nouns: thing, thing";

const ORDER: &str = "You get a question about data. List what its answer has to contain, one item for each column of \
the answer, in the order of the question. A count, a sum or a yes or no is one item. Conditions are none. Answer in one \
line and nothing else:\n\
#SELECT: item, item";

/// Temperature of the request for the order.
const ORDER_TEMPERATURE: f32 = 0.3;
/// Words of the question that are compared with names at once.
const LONGEST_GRAM: usize = 4;
/// Names for each run of words at most, and the cosine they must exceed.
const NEAREST: (usize, f32) = (4, 0.7);
/// Runs of words at most; a question has fewer than 200 of them as a rule.
const MOST_GRAMS: usize = 400;
/// Characters of a name or value at most.
const LONGEST_ITEM: usize = 100;

/// Extracts.
///
/// # Errors
/// When the user stops, or the server fails for good.
pub(super) async fn extract<M: Complete, E: Embed, D: Execute>(
    context: &Context<'_, M, E, D>,
) -> Result<Found, Trouble> {
    let Context { inputs, talk, index, embed, .. } = context;
    let Inputs { question, schema, tables, .. } = **inputs;
    talk.stage("extraction");
    for note in index.notes() {
        talk.note(note);
    }
    let (mut columns, mut texts) = columns_and_values(inputs, talk).await?;
    texts.extend(nouns(question, talk).await?);
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));

    let mut values = Vec::new();
    if !index.is_of(*embed) {
        talk.note("No index of this database was made with this encoder: names and values are not compared.");
    } else {
        match embed.embed(&grams(question)).await {
            Ok(vectors) => {
                columns.extend(index.nearest_names(&vectors, NEAREST.0, NEAREST.1).into_iter().cloned());
                match index.matches(&texts, *embed).await {
                    Ok(found) => values = found,
                    Err(error) => unembedded(talk, &error)?,
                }
            }
            Err(error) => unembedded(talk, &error)?,
        }
    }
    columns.extend(values.iter().map(|found| found.column.clone()));
    let asked_for = columns.len();
    for table in &schema.tables {
        for key in &table.foreign_keys {
            let ends = [(Some(table), &key.column), (schema.table(&key.table), &key.referenced_column)];
            for (table, name) in ends {
                let column = table.and_then(|table| Some((table, table.column(name)?)));
                columns.extend(column.map(|(table, column)| (table.name.clone(), column.name.clone())));
            }
        }
    }
    with_keys(schema, &mut columns);
    if asked_for == 0 {
        talk.note("No column was found that the question needs; the whole schema is used.");
        columns.clear();
    }
    let all = columns.is_empty();
    let part = reduced(schema, tables, |table, column| {
        all || columns.contains(&(table.name.clone(), column.name.clone()))
    });
    let count = |schema: &Schema| schema.tables.iter().map(|table| table.columns.len()).sum::<usize>();
    talk.note(format!("{} of {} columns are kept.", count(&part.schema), count(schema)));
    for found in &values {
        talk.note(format!("Value: {}.", super::condition(found)));
    }
    let order = order(question, talk).await?;
    Ok(Found { part, values, order })
}

fn unembedded<M: Complete>(talk: &Talk<'_, M>, error: &crate::ports::EmbedError) -> Result<(), Trouble> {
    if let Some(trouble) = embedding_ended(error) {
        return Err(trouble);
    }
    talk.note(format!("Names and values are not compared: {error}"));
    Ok(())
}

/// What a model says that the question needs; by common words and phrases where it says nothing usable.
async fn columns_and_values<M: Complete>(
    inputs: &Inputs<'_>,
    talk: &Talk<'_, M>,
) -> Result<(Columns, Vec<String>), Trouble> {
    let Inputs { question, schema, knowledge, shots, .. } = *inputs;
    let examples: Vec<String> = shots.iter().filter_map(|shot| example(shot, knowledge, false)).collect();
    let task = format!("## Question\n{}\n", question.trim());
    let parts = Parts {
        rules: COLUMNS,
        representation: Representation::CreateTable,
        title: "Examples",
        examples: &examples,
        task: &task,
    };
    let messages = talk.fit(inputs, parts);
    let cold = Sampling { temperature: Some(0.0), ..Sampling::default() };
    let said = talk.try_ask(messages, cold).await?.map(|answer| answer.text).unwrap_or_default();
    let columns: Columns = list(&said, "columns").iter().flat_map(|word| named(schema, word)).collect();
    if columns.is_empty() {
        talk.note("The model named no column of the schema; columns are found by common words.");
        let texts = phrases(question).into_iter().map(|phrase| phrase.text).collect();
        return Ok((by_words(question, schema), texts));
    }
    Ok((columns, list(&said, "values")))
}

/// The things a question names; its phrases where the model names none.
async fn nouns<M: Complete>(question: &str, talk: &Talk<'_, M>) -> Result<Vec<String>, Trouble> {
    let found = ask_list(question, talk, NOUNS, "nouns", 0.0).await?;
    // What is not in the question was made up.
    let lower = question.to_lowercase();
    let kept: Vec<String> = found.into_iter().filter(|noun| lower.contains(&noun.to_lowercase())).collect();
    if kept.is_empty() {
        talk.note("The model named nothing of the question; its phrases are used.");
        return Ok(phrases(question).into_iter().map(|phrase| phrase.text).collect());
    }
    Ok(kept)
}

async fn order<M: Complete>(question: &str, talk: &Talk<'_, M>) -> Result<Vec<String>, Trouble> {
    let order = ask_list(question, talk, ORDER, "SELECT", ORDER_TEMPERATURE).await?;
    if order.is_empty() {
        talk.note("The model named no order of the outputs; it is left open.");
    }
    Ok(order)
}

async fn ask_list<M: Complete>(
    question: &str,
    talk: &Talk<'_, M>,
    rules: &str,
    name: &str,
    temperature: f32,
) -> Result<Vec<String>, Trouble> {
    use crate::llm::Message;
    let messages = vec![Message::system(rules), Message::user(question.trim())];
    let sampling = Sampling { temperature: Some(temperature), ..Sampling::default() };
    let said = talk.try_ask(messages, sampling).await?.map(|answer| answer.text).unwrap_or_default();
    Ok(list(&said, name))
}

/// A list of an answer: of its JSON object or of its field.
fn list(said: &str, name: &str) -> Vec<String> {
    if let Ok(json) = extract::json(said)
        && let Some(value) = json.get(name)
    {
        return match value {
            serde_json::Value::String(text) => items(text, LONGEST_ITEM),
            value => items(&value.to_string(), LONGEST_ITEM),
        };
    }
    let mut found = field(said, name).map(|text| items(&text, LONGEST_ITEM)).unwrap_or_default();
    found.retain(|item| !item.eq_ignore_ascii_case("none"));
    found
}

/// Columns whose name or note shares a word with the question.
fn by_words(question: &str, schema: &Schema) -> Columns {
    let stems = content_of_names::<BTreeSet<String>>;
    let asked = stems(question);
    let mut columns = Columns::new();
    for table in &schema.tables {
        for column in &table.columns {
            let own = stems(&format!("{} {}", column.name, column.note.as_deref().unwrap_or_default()));
            if !own.is_disjoint(&asked) {
                columns.insert((table.name.clone(), column.name.clone()));
            }
        }
    }
    columns
}

/// Runs of one to four words of the question, and what words that ask stand for.
fn grams(question: &str) -> Vec<String> {
    const ASKING: [(&str, &[&str]); 4] = [
        ("who", &["name"]),
        ("which", &["name", "location", "id", "date", "time"]),
        ("when", &["time", "date"]),
        ("where", &["country", "place", "location", "city"]),
    ];
    let words: Vec<&str> = words(question).into_iter().map(|word| word.text).collect();
    let mut found: Vec<String> = Vec::new();
    for (asking, stands_for) in ASKING {
        if words.iter().any(|word| word.eq_ignore_ascii_case(asking)) {
            found.extend(stands_for.iter().map(|word| (*word).to_owned()));
        }
    }
    for length in 1..=LONGEST_GRAM {
        found.extend(words.windows(length).map(|run| run.join(" ")));
    }
    let mut seen = BTreeSet::new();
    found.retain(|gram| seen.insert(gram.clone()));
    found.truncate(MOST_GRAMS);
    found
}

/// An earlier query taken apart as an answer is to be: its columns and values, and with `sql` the query itself. None
/// where nothing is known of it.
pub(super) fn example(shot: &Shot, knowledge: &KnowledgeBase, sql: bool) -> Option<String> {
    let at = shot.entry() as usize;
    let entry = knowledge.entries.get(at)?;
    let summary = knowledge.summaries.get(at).map_or("", String::as_str);
    let said = entry.question.as_deref().unwrap_or(summary).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut columns: Vec<String> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    for item in shot.items(knowledge) {
        let own = item.occurrences.iter().filter(|occurrence| occurrence.entry == shot.entry());
        let literals = own.flat_map(|occurrence| occurrence.literals.iter().cloned());
        for value in literals.filter(|literal| literal.starts_with('\'')) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        for (table, column) in &item.columns {
            let name = format!("{table}.{column}");
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    let (columns, values) = (columns.join(", "), values.join(", "));
    let mut text = format!("Question: {said}\n#columns: {columns}\n#values: {values}\n");
    match shot {
        Shot::Query { .. } if sql => {
            text.push_str(&format!("#SQL: {}\n", entry.sql.trim().trim_end_matches(';')));
        }
        Shot::Fragments { .. } if sql => text = shot.text(knowledge),
        _ => {}
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_however_they_are_written() {
        for said in [
            "#reason: x\n#columns: hero.id, hero.name\n#values: 'Blue'",
            "Sure!\n**#Columns:** hero.id, hero.name\n#values: Blue",
            "{\"columns\": [\"hero.id\", \"hero.name\"], \"values\": [\"Blue\"]}",
            "```json\n{\"columns\": \"hero.id, hero.name\", \"values\": \"'Blue'\"}\n```",
            "#columns:\n- hero.id\n- `hero.name`\n#values: [\"Blue\"]",
        ] {
            assert_eq!(list(said, "columns"), ["hero.id", "hero.name"], "{said}");
            assert_eq!(list(said, "values"), ["Blue"], "{said}");
        }
        assert_eq!(list("#values: none", "values"), Vec::<String>::new());
        assert_eq!(list("I would read the columns of hero.", "columns"), Vec::<String>::new());
        assert_eq!(list("#values: 'a, b', \"c\"", "values"), ["a, b", "c"]);
    }

    #[test]
    fn questions_are_cut_into_runs() {
        let found = grams("Who is in New York?");
        for gram in ["name", "Who", "New York", "is in New York"] {
            assert!(found.iter().any(|known| known == gram), "{gram}: {found:?}");
        }
        assert_eq!(found.len(), 1 + 5 + 4 + 3 + 2);
    }

    proptest::proptest! {
        #[test]
        fn any_answer_gives_a_list(said in "(#columns: |#values:|\\[|\\]|\\{|\\}|'|\"|,|a\\.b|\n|#|:|é|\\PC){0,40}") {
            for item in list(&said, "columns") {
                proptest::prop_assert!((1..=LONGEST_ITEM).contains(&item.chars().count()));
            }
        }
    }
}
