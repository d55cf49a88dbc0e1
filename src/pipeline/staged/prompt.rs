//! Prompts of several parts, made to fit the model's context.

use super::Talk;
use crate::history::KnowledgeBase;
use crate::llm::{Message, tokens};
use crate::pipeline::direct::schema_text::{Fitted, fitted};
use crate::pipeline::direct::{Inputs, Representation, Shot};
use crate::ports::Complete;

/// Part of the room that the schema may not take, so that examples have some, in hundredths.
const FOR_EXAMPLES: u32 = 40;

/// What a prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'p> {
    /// What the model is to do.
    pub rules: &'p str,
    /// How the schema is written.
    pub representation: Representation,
    /// What stands above the examples.
    pub title: &'p str,
    /// The examples, best first.
    pub examples: &'p [String],
    /// What stands after them: the question and all that belongs to it.
    pub task: &'p str,
}

impl<M: Complete> Talk<'_, M> {
    /// Writes rules, schema, examples and task so that the answer has room in the model's context. What was left out
    /// becomes a note of the stage.
    pub fn fit(&self, inputs: &Inputs<'_>, parts: Parts<'_>) -> Vec<Message> {
        let settings = self.settings();
        let fixed =
            tokens::estimate(parts.rules) + tokens::estimate(parts.task) + 2 * tokens::PER_MESSAGE + 40;
        let room = settings.context_tokens.saturating_sub(settings.answer_tokens).saturating_sub(fixed);
        let Fitted { schema, shots, left_out } =
            fitted(inputs, parts.representation.into(), parts.examples, room, FOR_EXAMPLES);
        if let Some(sentence) = left_out.sentence() {
            self.note(sentence);
        }
        let mut user = format!("## Schema\n{schema}\n");
        if shots > 0 {
            user.push_str(&format!("## {}\n", parts.title));
            // The closest stands next to the question.
            for text in parts.examples.iter().take(shots).rev() {
                user.push_str(text);
                user.push('\n');
            }
        }
        user.push_str(parts.task);
        vec![Message::system(parts.rules), Message::user(user)]
    }
}

/// The queries that examples are of, as they are shown: with question and SQL, or as pieces.
pub fn examples(shots: &[Shot], knowledge: &KnowledgeBase) -> Vec<String> {
    shots.iter().map(|shot| shot.text(knowledge)).filter(|text| !text.is_empty()).collect()
}
