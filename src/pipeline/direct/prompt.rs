//! The prompt of pipeline `direct`.

use serde::{Deserialize, Serialize};

use super::fit::{Fitted, fitted};
use super::schema_text::LeftOut;
use super::shots::Shot;
use super::{Inputs, Representation, Settings};
use crate::llm::{Message, tokens};

const RULES: &str = "You write SQL for SQLite. You get the schema of a database, where there are some also earlier \
queries on it with what they were for, and a question. Answer with one SELECT statement in a ```sql block and nothing \
else. Use only tables and columns of the schema. Return the columns that are asked for, no others. Where an earlier \
query shows how something is calculated, filtered or joined here, do it the same way.";

/// What a model is asked, and what did not fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The messages, whole.
    pub messages: Vec<Message>,
    /// Tokens of the messages, estimated.
    pub tokens: u32,
    /// Of those, tokens of the schema.
    pub schema_tokens: u32,
    /// Of those, tokens of the examples.
    pub shot_tokens: u32,
    /// The examples in it, best first.
    pub shots: Vec<Shot>,
    /// What was left out.
    pub left_out: LeftOut,
}

/// Writes the prompt so that it leaves room for the answer in the model's context.
pub fn prompt(inputs: &Inputs<'_>, settings: &Settings) -> Prompt {
    let Inputs { question, knowledge, shots, .. } = *inputs;
    let ask = format!("## Question\n{}\n", question.trim());
    let fixed = tokens::estimate(RULES) + tokens::estimate(&ask) + 2 * tokens::PER_MESSAGE + 40;
    let room = settings.context_tokens.saturating_sub(settings.answer_tokens).saturating_sub(fixed);

    let texts: Vec<String> = shots.iter().map(|shot| shot.text(knowledge)).collect();
    let fitted = fitted(inputs, Representation::CreateTable, &texts, room);
    let kept = fitted.kept;

    let mut user = format!("## Schema\n{}\n", fitted.schema);
    if kept > 0 {
        user.push_str("## Earlier queries on this database, the closest last\n");
        user.push_str(&fitted.shots);
    }
    user.push_str(&ask);
    let messages = vec![Message::system(RULES), Message::user(user)];
    let tokens = messages.iter().map(|m| tokens::estimate(&m.content) + tokens::PER_MESSAGE).sum();
    let shots = shots.iter().take(kept).cloned().collect();
    let Fitted { schema_tokens, shot_tokens, left_out, .. } = fitted;
    Prompt { messages, tokens, schema_tokens, shot_tokens, shots, left_out }
}
