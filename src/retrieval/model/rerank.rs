//! Filtering and reranking what was recalled, by a model (BIRD-History, section 4 and Appendix C.2.3).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Asking, By, outcome, outline};
use crate::history::KnowledgeBase;
use crate::llm::{Usage, ask_json, tokens};
use crate::ports::Complete;
use crate::retrieval::Retrieved;
use crate::sql::Schema;

const RULES: &str = "You help to write a new SQL query from earlier ones. You get a question, the tables, and \
candidates: earlier queries with what they are for and their numbered pieces. Choose what helps to answer the \
question, the most helpful first: a whole query with \"use_all\": true and no indices, or single pieces with \
\"use_all\": false and the numbers of the pieces. Leave out what does not help, and a piece that you have already \
taken from another candidate. Where nothing helps the list is empty. Answer with one JSON object: \
{\"chosen\": [{\"id\": 3, \"use_all\": false, \"indices\": [0, 2]}]}";

/// Candidates shown to the model at most.
const MOST_CANDIDATES: usize = 10;
const ANSWER_TOKENS: u32 = 512;

/// What to use of one query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pick {
    /// Index into `KnowledgeBase::entries`.
    pub entry: u32,
    /// Whether the whole query is used.
    pub use_all: bool,
    /// Pieces to use, as indices into `KnowledgeBase::items`; empty where the whole query is used.
    pub items: Vec<u32>,
}

/// Every retrieved query, whole, in the order of the retriever.
pub(super) fn by_rules(retrieved: &Retrieved) -> Vec<Pick> {
    retrieved.queries.iter().map(|hit| Pick { entry: hit.entry, use_all: true, items: Vec::new() }).collect()
}

/// Lets the model choose among the first ten queries. The chosen ones come first in what is returned, the others
/// keep their order after them; where the model cannot be used everything stays as it was.
pub async fn rerank<M: Complete>(
    asking: Asking<'_, M>,
    knowledge: &KnowledgeBase,
    schema: &Schema,
    question: &str,
    mut retrieved: Retrieved,
) -> (Retrieved, Vec<Pick>, By, Usage) {
    if retrieved.queries.is_empty() {
        return (retrieved, Vec::new(), By::Rules, Usage::default());
    }
    let (task, offered) = task(asking.context_tokens, knowledge, schema, question, &retrieved);
    let mut request = asking.request(RULES, task, ANSWER_TOKENS);
    let check = |json: &Json| check(json, knowledge, &offered);
    let (picks, by, usage) = outcome(ask_json(asking.model, &mut request, check, asking.cancel).await);
    let Some(picks) = picks else {
        let picks = by_rules(&retrieved);
        return (retrieved, picks, by, usage);
    };
    let place = |entry: u32| picks.iter().position(|pick| pick.entry == entry).unwrap_or(usize::MAX);
    retrieved.queries.sort_by_key(|hit| place(hit.entry));
    (retrieved, picks, by, usage)
}

/// The task, and the entries in it: candidates are left out from the end where the context is too small.
fn task(
    context_tokens: u32,
    knowledge: &KnowledgeBase,
    schema: &Schema,
    question: &str,
    retrieved: &Retrieved,
) -> (String, Vec<u32>) {
    let mut offered = Vec::new();
    let mut tables: Vec<String> = Vec::new();
    let mut candidates = String::new();
    let room = context_tokens
        .saturating_sub(ANSWER_TOKENS + tokens::estimate(RULES) + tokens::estimate(question) + 200);
    for hit in retrieved.queries.iter().take(MOST_CANDIDATES) {
        let Some(entry) = knowledge.entries.get(hit.entry as usize) else { continue };
        let summary = knowledge.summaries.get(hit.entry as usize);
        let pieces = (0..).zip(knowledge.items_of(hit.entry)).map(|(idx, (_, item)): (usize, _)| {
            let occurrence = item.occurrences.iter().find(|occurrence| occurrence.entry == hit.entry);
            let sql = occurrence.map_or(&item.skeleton, |occurrence| &occurrence.sql);
            json!({"idx": idx, "type": item.kind, "name": item.title, "sql": sql})
        });
        let pieces: Vec<Json> = pieces.collect();
        let what = entry.question.as_ref().or(summary);
        let text = json!({"id": hit.entry, "for": what, "sql": entry.sql, "pieces": pieces}).to_string();
        let before = tables.len();
        let new = knowledge.items_of(hit.entry).flat_map(|(_, item)| item.tables.iter().cloned());
        for table in new {
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        let cost = tokens::estimate(&candidates)
            + tokens::estimate(&text)
            + tokens::estimate(&outline(schema, Some(&tables)));
        if cost > room && !offered.is_empty() {
            tables.truncate(before);
            break;
        }
        candidates.push_str(&text);
        candidates.push('\n');
        offered.push(hit.entry);
    }
    let outline = outline(schema, Some(&tables));
    (format!("Question: {}\n\nTables:\n{outline}\nCandidates:\n{candidates}", question.trim()), offered)
}

fn check(json: &Json, knowledge: &KnowledgeBase, offered: &[u32]) -> Result<Vec<Pick>, String> {
    let list = json.get("chosen").and_then(Json::as_array).ok_or("“chosen” is missing or not a list")?;
    let mut picks: Vec<Pick> = Vec::new();
    let mut given: HashSet<u32> = HashSet::new();
    for choice in list {
        let id = choice.get("id").and_then(Json::as_u64).and_then(|id| u32::try_from(id).ok());
        let entry = id
            .filter(|id| offered.contains(id))
            .ok_or_else(|| format!("an “id” is none of the candidates; they are {offered:?}"))?;
        if picks.iter().any(|pick| pick.entry == entry) {
            continue;
        }
        let use_all = match choice.get("use_all") {
            Some(Json::Bool(all)) => *all,
            None => false,
            Some(_) => return Err("“use_all” is neither true nor false".to_owned()),
        };
        let own: Vec<u32> = knowledge.items_of(entry).map(|(item, _)| item).collect();
        let indices = choice.get("indices").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let item = |index: &Json| own.get(usize::try_from(index.as_u64()?).ok()?).copied();
        let items: Option<Vec<u32>> = indices.iter().map(item).collect();
        let items = items.ok_or_else(|| {
            format!("candidate {entry} has no piece of such a number; it has {}", own.len())
        })?;
        let pick = if use_all {
            Pick { entry, use_all, items: Vec::new() }
        } else {
            // A piece is given once, with the query that is more helpful.
            Pick { entry, use_all, items: items.into_iter().filter(|item| given.insert(*item)).collect() }
        };
        if pick.use_all || !pick.items.is_empty() {
            picks.push(pick);
        }
    }
    Ok(picks)
}
