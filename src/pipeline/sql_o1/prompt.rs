//! What the policy is asked with.

use std::fmt::Write as _;

use super::schema::{self, Samples};
use crate::llm::{Message, tokens};
use crate::pipeline::direct::{Inputs, LeftOut};

const RULES: &str = "You write one SQL query for SQLite, clause after clause. You get the tables of a database with \
their keys and some rows, and a question. Use only these tables and columns, write values as the rows have them, and return \
what is asked for and nothing else. Where earlier queries on the database are given, calculate, filter and join as they do. \
The query is in a ```sql block and ends with a semicolon; nothing follows it.";

/// Opens the block of the answer.
pub(super) const OPEN: &str = "```sql\n";
/// Closes it.
pub(super) const CLOSE: &str = "```";

/// Part of the room that the schema may take at most where there are examples, in hundredths.
const MOST_SCHEMA: u32 = 70;

/// Everything before the prefix; the same for all requests of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The task.
    pub rules: &'static str,
    /// Schema, earlier queries and question.
    pub user: String,
    /// What was left out so that it fits.
    pub left_out: LeftOut,
}

impl Context {
    /// Writes it within `room` tokens. The shots of `inputs` are in it where `history` says so.
    pub fn new(inputs: &Inputs<'_>, samples: &Samples, history: bool, room: u32) -> Self {
        let Inputs { question, schema, tables, knowledge, shots } = *inputs;
        let ask = format!("## Question\n{}\n", question.trim());
        let fixed = tokens::estimate(RULES) + tokens::estimate(&ask) + 2 * tokens::PER_MESSAGE + 60;
        let room = room.saturating_sub(fixed);
        let shots = if history { shots } else { &[] };
        let texts: Vec<String> = shots.iter().map(|shot| shot.text(knowledge)).collect();
        let wanted: u32 = texts.iter().map(|text| tokens::estimate(text)).sum();
        let for_schema = room.saturating_sub(wanted).max(room * MOST_SCHEMA / 100);
        let mut left_out = LeftOut::default();
        let mut user = format!(
            "## Database\n{}\n",
            schema::text(question, schema, tables, samples, for_schema, &mut left_out)
        );
        let mut rest = room.saturating_sub(tokens::estimate(&user));
        let mut kept = 0;
        for text in &texts {
            let cost = tokens::estimate(text);
            if cost > rest {
                break;
            }
            rest -= cost;
            kept += 1;
        }
        left_out.shots = texts.len() - kept;
        if kept > 0 {
            user.push_str("## Earlier queries on this database, the closest last\n");
            for text in texts.iter().take(kept).rev() {
                let _ = writeln!(user, "{text}");
            }
        }
        user.push_str(&ask);
        Self { rules: RULES, user, left_out }
    }

    /// The conversation whose last message, the model's own, ends with the prefix.
    pub fn begun(&self, prefix: &str) -> Vec<Message> {
        let mut messages = self.asked("");
        messages.push(Message::assistant(format!("{OPEN}{prefix}")));
        messages
    }

    /// The conversation with the prefix in the question; the answer is the rest of the query.
    pub fn asked(&self, prefix: &str) -> Vec<Message> {
        let mut user = self.user.clone();
        if !prefix.is_empty() {
            let _ = write!(
                user,
                "\n## The query so far\n{OPEN}{prefix}\n{CLOSE}\nWrite the rest of it, from where it stops, in a ```sql block.\n"
            );
        }
        vec![Message::system(self.rules), Message::user(user)]
    }

    /// One text that ends with the prefix, for models without a chat.
    pub fn text(&self, prefix: &str) -> String {
        format!("{}\n\n{}\n## Answer\n{OPEN}{prefix}", self.rules, self.user)
    }
}
