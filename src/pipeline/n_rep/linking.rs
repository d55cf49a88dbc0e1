//! Linking: which tables and columns a question needs, asked once for each way to write the schema.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Context, Filter};
use crate::pipeline::direct::{Inputs, Representation, Trouble};
use crate::pipeline::staged::Sampling;
use crate::pipeline::staged::prompt::Parts;
use crate::pipeline::staged::reduced::{Columns, Reduced, named, reduced, with_keys};
use crate::ports::{Complete, Execute};
use crate::sql::Schema;

const RULES: &str = "You get the schema of a database and a question. Choose the tables and columns that an SQL query \
for the question reads: those it returns, those of its conditions, its order and its joins. Rather choose one too many \
than one too few. Answer with one JSON object that has a list of columns for each table, and nothing else, such as \
{\"singer\": [\"singer_id\", \"name\"], \"concert\": [\"singer_id\", \"year\"]}.";

/// The schema of the examples.
const EXAMPLE_SCHEMA: &str = "singer(singer_id, name, country, age), concert(concert_id, singer_id, year, stadium_id), \
stadium(stadium_id, name, capacity)";

/// Examples, the same for every database: a question with its tables and columns.
const EXAMPLES: [(&str, &str); 3] = [
    ("How old is the youngest singer from France?", "{\"singer\": [\"age\", \"country\"]}"),
    (
        "Which singers gave a concert in 2014?",
        "{\"singer\": [\"singer_id\", \"name\"], \"concert\": [\"singer_id\", \"year\"]}",
    ),
    (
        "How many concerts were there in each stadium with more than 5000 seats?",
        "{\"concert\": [\"concert_id\", \"stadium_id\"], \"stadium\": [\"stadium_id\", \"name\", \"capacity\"]}",
    ),
];

/// The needed columns by representation; None where the model named none.
pub(super) type Links = BTreeMap<Representation, Option<Columns>>;

/// Asks for the links of every representation that some configuration filters.
///
/// # Errors
/// When the user stops, or the server fails for good.
pub(super) async fn link<M: Complete, D: Execute>(context: &Context<'_, M, D>) -> Result<Links, Trouble> {
    let Context { inputs, settings, talk, .. } = context;
    talk.stage("linking");
    let example = |(question, chosen): (&str, &str)| {
        format!("Schema: {EXAMPLE_SCHEMA}\nQuestion: {question}\n{chosen}\n")
    };
    let examples = EXAMPLES.map(example);
    let mut links = Links::new();
    for configuration in &settings.configurations {
        let representation = configuration.representation;
        if configuration.filter == Filter::None || links.contains_key(&representation) {
            continue;
        }
        let task = format!("## Question\n{}\n", inputs.question.trim());
        let parts =
            Parts { rules: RULES, representation, title: "Examples", examples: &examples, task: &task };
        let messages = talk.fit(&Inputs { shots: &[], ..**inputs }, parts);
        let cold = Sampling { temperature: Some(0.0), ..Sampling::default() };
        let linked = talk.try_json(messages, cold, |json| columns(json, inputs.schema)).await?;
        let name = representation.name();
        talk.note(match &linked {
            Some(columns) => {
                let dotted = |(table, column): &(String, String)| format!("{table}.{column}");
                format!("{name}: {}.", columns.iter().map(dotted).collect::<Vec<_>>().join(", "))
            }
            None => format!("{name}: no table or column was chosen; the whole schema is shown."),
        });
        links.insert(representation, linked);
    }
    Ok(links)
}

/// The columns that an object of lists names. A table without a known column stands for all of its columns; what the
/// schema does not have is passed over.
pub(super) fn columns(json: &Json, schema: &Schema) -> Result<Columns, String> {
    let Json::Object(object) = json else { return Err("the answer is no JSON object".to_owned()) };
    // Some models put the object into another one.
    if let (1, Some(inner @ Json::Object(_))) = (object.len(), object.values().next()) {
        return columns(inner, schema);
    }
    let mut found = Columns::new();
    for (name, list) in object {
        let words: Vec<&str> = match list {
            Json::Array(items) => items.iter().filter_map(Json::as_str).collect(),
            Json::String(word) => vec![word.as_str()],
            _ => Vec::new(),
        };
        let Some(table) = schema.table(name.trim_matches(['"', '`', '[', ']', ' '])) else {
            // A list of dotted names under a name of its own.
            let dotted = words.iter().filter(|word| word.contains('.'));
            found.extend(dotted.flat_map(|word| named(schema, word)));
            continue;
        };
        let all = words.iter().flat_map(|word| named(schema, word));
        let own: Vec<(String, String)> = all.filter(|(owner, _)| *owner == table.name).collect();
        if own.is_empty() {
            found.extend(table.columns.iter().map(|column| (table.name.clone(), column.name.clone())));
        }
        found.extend(own);
    }
    if found.is_empty() {
        return Err("none of its names is a table of the schema with a list of columns".to_owned());
    }
    Ok(found)
}

/// What a filter leaves of the schema. Keys between tables that stay always stay.
pub(super) fn filtered(inputs: &Inputs<'_>, filter: Filter, linked: Option<&Columns>) -> Reduced {
    let Inputs { schema, tables, .. } = *inputs;
    match (filter, linked) {
        (Filter::None, _) | (_, None) => reduced(schema, tables, |_, _| true),
        (Filter::Tables, Some(columns)) => {
            reduced(schema, tables, |table, _| columns.iter().any(|(name, _)| *name == table.name))
        }
        (Filter::Columns, Some(columns)) => {
            let mut columns = columns.clone();
            with_keys(schema, &mut columns);
            reduced(schema, tables, |table, column| {
                columns.contains(&(table.name.clone(), column.name.clone()))
            })
        }
    }
}
