//! The prompt of pipeline `direct`.

use serde::{Deserialize, Serialize};

use super::schema_text::{Fitted, LeftOut, Style, fitted};
use super::shots::Shot;
use super::{Inputs, Settings};
use crate::llm::{Message, tokens};

const RULES: &str = "You write SQL for SQLite. You get the schema of a database, where there are some also earlier \
queries on it with what they were for, and a question. Answer with one SELECT statement in a ```sql block and nothing \
else. Use only tables and columns of the schema. Return the columns that are asked for, no others. Where an earlier \
query shows how something is calculated, filtered or joined here, do it the same way.";

/// Part of the context that the schema may not take, so that examples have room, in hundredths.
const FOR_SHOTS: u32 = 40;

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
    let Fitted { schema: schema_text, shots: kept, left_out } =
        fitted(inputs, Style::Noted, &texts, room, FOR_SHOTS);

    let mut user = format!("## Schema\n{schema_text}\n");
    if kept > 0 {
        user.push_str("## Earlier queries on this database, the closest last\n");
        // The closest stands next to the question.
        for text in texts.iter().take(kept).rev() {
            user.push_str(text);
            user.push('\n');
        }
    }
    user.push_str(&ask);
    let messages = vec![Message::system(RULES), Message::user(user)];
    let tokens = messages.iter().map(Message::tokens).sum();
    let shots = shots.iter().take(kept).cloned().collect();
    let schema_tokens = tokens::estimate(&schema_text);
    let shot_tokens = texts.iter().take(kept).map(|text| tokens::estimate(text)).sum();
    Prompt { messages, tokens, schema_tokens, shot_tokens, shots, left_out }
}
