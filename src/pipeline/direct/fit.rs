//! A schema and examples made to fit a model's context, whatever stands around them in a prompt.

use super::schema_text::{self, LeftOut};
use super::{Inputs, Representation};
use crate::llm::tokens;

/// Part of the room that the schema may not take, so that examples have some, in hundredths.
const FOR_SHOTS: u32 = 40;

/// A schema and examples as a prompt has them.
pub(in crate::pipeline) struct Fitted {
    /// The schema.
    pub(in crate::pipeline) schema: String,
    /// Its tokens, estimated.
    pub(in crate::pipeline) schema_tokens: u32,
    /// The examples, the closest last, next to the question.
    pub(in crate::pipeline) shots: String,
    /// Their tokens, estimated.
    pub(in crate::pipeline) shot_tokens: u32,
    /// How many examples there are.
    pub(in crate::pipeline) kept: usize,
    /// What was left out.
    pub(in crate::pipeline) left_out: LeftOut,
}

/// The schema and the examples (`texts`, best first) in `room` tokens. The schema is shortened first; examples are left
/// out where it would lose too much.
pub(in crate::pipeline) fn fitted(
    inputs: &Inputs<'_>,
    representation: Representation,
    texts: &[String],
    room: u32,
) -> Fitted {
    let Inputs { question, schema, tables, knowledge, shots } = *inputs;
    let costs: Vec<u32> = texts.iter().map(|text| tokens::estimate(text)).collect();
    let mut shown = schema_text::ranked(question, schema, tables, knowledge, shots);
    for table in &mut shown {
        table.representation = representation;
    }
    let wanted: u32 = costs.iter().sum();
    let for_schema = room.saturating_sub(wanted).max(room - room * FOR_SHOTS / 100);
    let fits = schema_text::fit(&mut shown, for_schema);
    let mut left_out = LeftOut::default();
    let schema = schema_text::write(&shown, &mut left_out);
    let schema_tokens = tokens::estimate(&schema);
    let mut remaining = room.saturating_sub(schema_tokens);
    let mut kept = 0;
    for cost in &costs {
        if *cost > remaining {
            break;
        }
        remaining -= cost;
        kept += 1;
    }
    left_out.shots = texts.len() - kept;
    left_out.still_too_long = !fits && kept == 0 && schema_tokens > room;
    let shots = texts.iter().take(kept).rev().flat_map(|text| [text, "\n"]).collect();
    let shot_tokens = costs.iter().take(kept).sum();
    Fitted { schema, schema_tokens, shots, shot_tokens, kept, left_out }
}
