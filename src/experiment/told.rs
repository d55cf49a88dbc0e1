//! What a pipeline answered, as a run file keeps it.

use crate::bench::run::{CandidateMark, Outcome, StageMark, sha256};
use crate::llm::budget::Spent;
use crate::llm::{Completion, LlmError, Message};
use crate::pipeline::direct::{Direct, Trouble};
use crate::pipeline::staged::{Candidate, Stage};
use crate::pipeline::{Answered, NoAnswer};

/// Takes over what was answered. An answer that is missing because its server failed is none: the task has to be asked
/// again.
///
/// # Errors
/// How the server failed.
pub fn take_over(outcome: &mut Outcome, answered: &Answered) -> Result<(), LlmError> {
    if let Err(NoAnswer::Direct(Trouble::Model(error)) | NoAnswer::Staged(Trouble::Model(error))) =
        answered.answer()
        && (error.ends_a_job() || error.is_temporary())
    {
        return Err(error.clone());
    }
    match answered.answer() {
        Ok((sql, _)) => outcome.sql = Some(sql.to_owned()),
        // SQL that fails is an answer, and wrong.
        Err(why) => outcome.error = Some(why.to_string()),
    }
    match answered {
        Answered::Adapted(_) => {}
        Answered::Direct(direct) => of_direct(outcome, direct),
        Answered::Staged(staged) => {
            let tried = || staged.last_sql().map(str::to_owned);
            outcome.sql = outcome.sql.take().or_else(tried);
            of_stages(outcome, &staged.stages);
        }
    }
    Ok(())
}

/// The SQL of a first answer, by which examples are retrieved; its requests count. Where it has none, the server being
/// there, there is none.
///
/// # Errors
/// How the server failed.
pub fn first_sql(outcome: &mut Outcome, answered: &Answered) -> Result<Option<String>, LlmError> {
    let mut first = Outcome { stages: std::mem::take(&mut outcome.stages), ..outcome.clone() };
    take_over(&mut first, answered)?;
    for stage in &mut first.stages {
        stage.name = format!("preliminary SQL, {}", stage.name);
    }
    let sql = first.sql.take();
    *outcome = Outcome { error: None, ..first };
    Ok(sql)
}

fn of_direct(outcome: &mut Outcome, direct: &Direct) {
    let extracted = direct.attempts.iter().rev().find_map(|attempt| attempt.extracted.as_ref());
    let tried = || extracted.map(|extracted| extracted.sql.clone());
    outcome.sql = outcome.sql.take().or_else(tried);
    for attempt in &direct.attempts {
        count(outcome, &attempt.messages, attempt.answer.as_ref());
    }
}

/// Adds the stages of a conversation with its requests.
fn of_stages(outcome: &mut Outcome, stages: &[Stage]) {
    for exchange in stages.iter().flat_map(|stage| &stage.exchanges) {
        count(outcome, &exchange.messages, exchange.answer.as_ref().ok());
    }
    outcome.stages.extend(stages.iter().map(mark));
}

/// Adds one request; its tokens by the server's count, or else about.
fn count(outcome: &mut Outcome, messages: &[Message], answer: Option<&Completion>) {
    if outcome.prompt_sha256.is_none() {
        let bytes = serde_json::to_vec(messages).unwrap_or_default();
        outcome.prompt_sha256 = Some(sha256(&bytes));
    }
    outcome.requests = outcome.requests.saturating_add(1);
    let Some(answer) = answer else { return };
    let spent = Spent::on(messages.iter().map(Message::tokens).sum(), answer);
    let more = |tokens: u32, spent: u64| tokens.saturating_add(u32::try_from(spent).unwrap_or(u32::MAX));
    outcome.prompt_tokens = more(outcome.prompt_tokens, spent.prompt);
    outcome.answer_tokens = more(outcome.answer_tokens, spent.answer);
}

fn mark(stage: &Stage) -> StageMark {
    let candidate = |Candidate { sql, from, result, votes }: &Candidate| CandidateMark {
        sql: sql.clone(),
        from: from.clone(),
        rows: result.as_ref().and_then(|result| result.as_ref().ok()).map(|result| result.rows.len()),
        error: result.as_ref().and_then(|result| result.as_ref().err()).map(ToString::to_string),
        votes: *votes,
    };
    StageMark {
        name: stage.name.clone(),
        requests: u32::try_from(stage.exchanges.len()).unwrap_or(u32::MAX),
        candidates: stage.candidates.iter().map(candidate).collect(),
        notes: stage.notes.clone(),
    }
}
