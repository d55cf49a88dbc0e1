//! Descriptions of queries and their pieces by a model, when a history is indexed (BIRD-History, section 4 and
//! Appendix C.2.1). They take the place of those made by rules, and are embedded in their stead.
//!
//! There is one request for each query; a piece that several queries have is described with the first. Put a
//! [`crate::llm::Cached`] before the model and keep its cache: a job that was stopped then goes on where it ended.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Asking, add, ends, outline, short};
use crate::history::KnowledgeBase;
use crate::history::entry::tag;
use crate::llm::{Cache, LlmError, Request, Usage, ask_json, cache};
use crate::ports::Complete;
use crate::sql::Schema;

const RULES: &str = "You describe SQL for people who know the business but not the database, and for a search engine. \
You get the tables, one query, where it is known the question that it answers, and numbered pieces of the query. Write \
what the query is for as one imperative sentence, without its steps. For every piece write a short specific name in \
the words of the business, up to three other names for it, and one sentence that says what it means here: for a \
calculation its formula, for a condition which wording it stands for, for a join which tables meet on which columns \
and why, for a grouping what each row then is, for an order or limit which rows remain. Answer with one JSON object: \
{\"summary\": \"…\", \"pieces\": [{\"idx\": 0, \"name\": \"…\", \"aliases\": [\"…\"], \"description\": \"…\"}]}";

/// Characters of a summary or description at most.
const LONGEST: usize = 400;
/// Characters of a name at most.
const LONGEST_NAME: usize = 80;
/// Other names of a piece at most.
const MOST_ALIASES: usize = 3;
/// Tokens of an answer: for the summary, and for each piece.
const SUMMARY_TOKENS: u32 = 60;
const PIECE_TOKENS: u32 = 90;

/// What describing a history will ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Requests to send; one more for each answer that does not fit.
    pub requests: usize,
    /// Requests whose answers are remembered.
    pub remembered: usize,
    /// Tokens of the prompts, estimated.
    pub prompt_tokens: u64,
    /// Tokens of the answers, estimated.
    pub answer_tokens: u64,
}

impl Cost {
    /// The cost in words.
    pub fn sentence(&self) -> String {
        let Self { requests, remembered, prompt_tokens, answer_tokens } = self;
        let known = if *remembered > 0 { format!(" {remembered} are remembered.") } else { String::new() };
        let plural = if *requests == 1 { "" } else { "s" };
        format!("{requests} request{plural}, about {prompt_tokens} tokens in and {answer_tokens} out.{known}")
    }
}

/// What became of a job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Queries described by the model.
    pub by_model: usize,
    /// Of those, queries whose answer was remembered.
    pub remembered: usize,
    /// Pieces described by the model.
    pub items: usize,
    /// Queries that keep the rules' description, with the reason.
    pub by_rules: Vec<(u32, String)>,
    /// What ended the job early; the queries not reached keep the rules' descriptions.
    pub stopped: Option<LlmError>,
    /// Queries not reached.
    pub unreached: usize,
    /// Tokens used, where the server counts.
    pub usage: Usage,
}

impl Report {
    /// What happened, in words.
    pub fn sentence(&self) -> String {
        let mut text = format!("{} queries and {} items described by the model.", self.by_model, self.items);
        if let Some((entry, why)) = self.by_rules.first() {
            let (n, more) = (self.by_rules.len(), if self.by_rules.len() > 1 { "first: " } else { "" });
            text.push_str(&format!(
                " {n} described by rules ({more}{}, {}).",
                tag(*entry),
                why.trim_end_matches('.')
            ));
        }
        if let Some(stopped) = &self.stopped {
            text.push_str(&format!(
                " Ended with {} queries left, which keep the rules' descriptions. {stopped}",
                self.unreached
            ));
        }
        text
    }
}

/// One query to describe, with the pieces that are described with it.
struct Job {
    entry: u32,
    items: Vec<u32>,
}

fn jobs(base: &KnowledgeBase) -> Vec<Job> {
    let mut seen = vec![false; base.items.len()];
    let mut first =
        |item: &u32| seen.get_mut(*item as usize).is_some_and(|seen| !std::mem::replace(seen, true));
    let job = |(entry, items): (u32, &Vec<u32>)| Job {
        entry,
        items: items.iter().copied().filter(&mut first).collect(),
    };
    (0..).zip(&base.entry_items).map(job).collect()
}

fn request<M>(asking: Asking<'_, M>, base: &KnowledgeBase, schema: &Schema, job: &Job) -> Option<Request> {
    let entry = base.entries.get(job.entry as usize)?;
    let mut tables: Vec<String> =
        base.items_of(job.entry).flat_map(|(_, item)| item.tables.clone()).collect();
    tables.sort();
    tables.dedup();
    let pieces = (0..).zip(&job.items).filter_map(|(idx, &item): (usize, _)| {
        let item = base.items.get(item as usize)?;
        let occurrence = item.occurrences.iter().find(|occurrence| occurrence.entry == job.entry)?;
        Some(json!({"idx": idx, "type": item.kind, "sql": occurrence.sql}))
    });
    let pieces: Vec<Json> = pieces.collect();
    let question = entry.question.as_ref().map_or_else(String::new, |text| format!("Question: {text}\n\n"));
    let task = format!(
        "Tables:\n{}\n{question}Query:\n{}\n\nPieces:\n{}",
        outline(schema, Some(&tables)),
        entry.sql,
        Json::Array(pieces)
    );
    // Twice what is expected, so that a talkative answer is not cut.
    Some(asking.request(RULES, task, 2 * answer_tokens(job)))
}

fn answer_tokens(job: &Job) -> u32 {
    SUMMARY_TOKENS + PIECE_TOKENS * u32::try_from(job.items.len()).unwrap_or(u32::MAX / PIECE_TOKENS / 4)
}

/// What describing `base` costs, before anything is sent.
pub fn cost<M: Complete>(
    asking: Asking<'_, M>,
    base: &KnowledgeBase,
    schema: &Schema,
    known: &Cache,
) -> Cost {
    let mut cost = Cost::default();
    for job in jobs(base) {
        let Some(request) = request(asking, base, schema, &job) else { continue };
        if known.get(&cache::key(asking.model.endpoint(), &request)).is_some() {
            cost.remembered += 1;
        } else {
            cost.requests += 1;
            cost.prompt_tokens += u64::from(request.prompt_tokens());
            cost.answer_tokens += u64::from(answer_tokens(&job));
        }
    }
    cost
}

/// Describes every query and piece of `base`; `on_progress` hears how many queries are done of how many, after each,
/// so that it can keep the cache. What the model does not describe keeps the description by rules.
pub async fn describe<M: Complete>(
    asking: Asking<'_, M>,
    base: &mut KnowledgeBase,
    schema: &Schema,
    on_progress: &mut dyn FnMut(usize, usize),
) -> Report {
    let jobs = jobs(base);
    let mut report = Report::default();
    // What a server refuses once it refuses again.
    let mut refused = Vec::new();
    for (done, job) in jobs.iter().enumerate() {
        let Some(mut request) = request(asking, base, schema, job) else { continue };
        request.leave_out.clone_from(&refused);
        let check = |json: &Json| check(json, job.items.len());
        let answer = ask_json(asking.model, &mut request, check, asking.cancel).await;
        refused = request.leave_out;
        match answer {
            Ok(answer) => {
                report.by_model += 1;
                report.remembered += usize::from(answer.cached);
                report.items += job.items.len();
                add(&mut report.usage, answer.usage);
                apply(base, job, answer.value);
            }
            Err(failure) => match ends(&failure) {
                Some(error) => {
                    report.unreached = jobs.len() - done;
                    report.stopped = Some(error);
                    return report;
                }
                None => report.by_rules.push((job.entry, failure.to_string())),
            },
        }
        on_progress(done + 1, jobs.len());
    }
    report
}

/// A checked answer: the summary, and for each piece its name and description.
struct Described {
    summary: String,
    pieces: Vec<(String, String)>,
}

fn check(json: &Json, pieces: usize) -> Result<Described, String> {
    let summary = short(json.get("summary"), "summary", LONGEST)?;
    let list = json.get("pieces").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let piece = |idx: usize| {
        let mut own = list.iter().filter(|piece| piece.get("idx").and_then(Json::as_u64) == Some(idx as u64));
        let piece = own.next().ok_or_else(|| format!("piece {idx} is missing in “pieces”"))?;
        let name = short(piece.get("name"), "name", LONGEST_NAME)?;
        let description = short(piece.get("description"), "description", LONGEST)?;
        let aliases = piece.get("aliases").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let aliases: Vec<String> = aliases
            .iter()
            .take(MOST_ALIASES)
            .filter_map(|a| short(Some(a), "aliases", LONGEST_NAME).ok())
            .collect();
        let also = if aliases.is_empty() { String::new() } else { format!(" Also: {}.", aliases.join(", ")) };
        Ok((name, format!("{description}{also}")))
    };
    Ok(Described { summary, pieces: (0..pieces).map(piece).collect::<Result<_, String>>()? })
}

fn apply(base: &mut KnowledgeBase, job: &Job, described: Described) {
    if let Some(summary) = base.summaries.get_mut(job.entry as usize) {
        *summary = described.summary;
    }
    for (&item, (title, description)) in job.items.iter().zip(described.pieces) {
        if let Some(item) = base.items.get_mut(item as usize) {
            (item.title, item.description) = (title, description);
        }
    }
}
