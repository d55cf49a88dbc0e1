//! What happened, for the notice above an answer.

use super::answer::adapted;
use super::fault;
use super::model;
use super::trace::Stage;
use crate::db::DbError;
use crate::pipeline::adapt::{AdaptError, Answer};
use crate::pipeline::direct::Direct;
use crate::retrieval::model::By;
use crate::sql::Schema;

/// What happened, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Whether it is less than was asked for.
    pub less: bool,
    /// One sentence.
    pub title: String,
    /// What else there is to know.
    pub text: String,
}

/// An error where the user looks for the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// Finding or adapting an answer.
    Adapt(AdaptError),
    /// The model gave no answer that runs; what is shown comes from its whole answer.
    Model,
    /// Running SQL.
    Db(DbError),
    /// Anything else, in one sentence.
    Other(String),
}

/// How much of what was asked for was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All of it, or it is still on its way.
    Whole,
    /// Less than that.
    Less,
    /// Nothing.
    Nothing,
}

/// An answer as far as it has come.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// Where it stands.
    pub stage: Stage,
    /// The adapted answer.
    pub answer: Option<&'a Answer>,
    /// The model's answer, whole.
    pub direct: Option<&'a Direct>,
    /// What went wrong.
    pub trouble: Option<&'a Trouble>,
    /// The SQL shown.
    pub sql: &'a str,
    /// Whether the SQL is the user's.
    pub edited: bool,
    /// The model that is asked.
    pub model: &'a str,
    /// Who did the steps of retrieval that a model can do.
    pub steps: &'a [(&'static str, By)],
    /// What the encoder is doing while a question waits for it.
    pub encoder: &'a str,
    /// The open database.
    pub schema: &'a Schema,
}

/// What happened, and how much of what was asked for that is.
pub fn happened(course: Course<'_>) -> (Outcome, Told) {
    if let Some(direct) = course.direct
        && matches!(course.trouble, None | Some(Trouble::Model))
        && !course.edited
    {
        let told = model::told(direct, course.model, course.steps);
        return (if direct.answer.is_err() { Outcome::Nothing } else { outcome(&told) }, told);
    }
    if let Some(trouble) = course.trouble {
        return match trouble {
            Trouble::Adapt(error) => (Outcome::Less, plain(error.to_string(), "")),
            Trouble::Model => (Outcome::Nothing, plain("The model gave no answer.", "")),
            Trouble::Db(error) => {
                let fault = fault::fault(course.sql, error, course.schema);
                (Outcome::Nothing, plain(fault.sentence(), fault.note))
            }
            Trouble::Other(text) => (Outcome::Nothing, plain(text.as_str(), "")),
        };
    }
    if course.edited && (course.answer.is_some() || course.direct.is_some()) {
        let why = "The SQL is yours. The knowledge below was found for the answer before it.";
        return (Outcome::Whole, plain("Edited by hand.", why));
    }
    if let Some(answer) = course.answer {
        let told = adapted(answer);
        return (outcome(&told), told);
    }
    let told = match course.stage {
        Stage::Retrieve => plain("Looking for knowledge", course.encoder),
        Stage::Adapt => plain("Adapting the nearest queries", ""),
        Stage::Answer => {
            plain(format!("{} is answering", course.model), "The query runs when it is complete.")
        }
        Stage::Run => plain("Running", ""),
        Stage::Idle | Stage::Score | Stage::Done => plain("Run by hand.", "No model was used."),
    };
    (Outcome::Whole, told)
}

fn outcome(told: &Told) -> Outcome {
    if told.less { Outcome::Less } else { Outcome::Whole }
}

fn plain(title: impl Into<String>, text: impl Into<String>) -> Told {
    Told { less: false, title: title.into(), text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::ResultSet;

    fn course<'a>(schema: &'a Schema) -> Course<'a> {
        Course {
            stage: Stage::Done,
            answer: None,
            direct: None,
            trouble: None,
            sql: "SELECT nme\nFROM t",
            edited: false,
            model: "qwen",
            steps: &[],
            encoder: "",
            schema,
        }
    }

    fn answer() -> Answer {
        Answer {
            sql: String::new(),
            entry: 7,
            changes: Vec::new(),
            unbound: Vec::new(),
            likeness: 0.9,
            confidence: 0.9,
            refused: Vec::new(),
            result: ResultSet::default(),
        }
    }

    #[test]
    fn an_edited_query_is_the_users_whoever_answered_before() {
        let (schema, answer) = (Schema::default(), answer());
        let before = Course { answer: Some(&answer), ..course(&schema) };
        assert!(happened(before).1.title.starts_with("Adapted from query #8"));
        let (outcome, told) = happened(Course { edited: true, ..before });
        assert_eq!((outcome, told.title.as_str()), (Outcome::Whole, "Edited by hand."));
        assert!(told.text.starts_with("The SQL is yours."));
    }

    #[test]
    fn an_error_of_the_database_names_its_place() {
        let schema = Schema::default();
        let trouble =
            Trouble::Db(DbError::Sql { message: "no such column: nme".to_owned(), offset: Some(7) });
        let (outcome, told) = happened(Course { trouble: Some(&trouble), ..course(&schema) });
        assert_eq!(outcome, Outcome::Nothing);
        assert_eq!(told.title, "Line 1, column 8: no such column: nme.");
        let late = Trouble::Db(DbError::Timeout(30_000));
        let (_, told) = happened(Course { trouble: Some(&late), ..course(&schema) });
        assert_eq!(told.title, "Stopped after 30 s.");
    }

    #[test]
    fn what_is_on_its_way_is_said_stage_by_stage() {
        let schema = Schema::default();
        let at = |stage| happened(Course { stage, encoder: "Loading", ..course(&schema) }).1;
        assert_eq!(at(Stage::Retrieve).text, "Loading");
        assert_eq!(at(Stage::Answer).title, "qwen is answering");
        assert_eq!(at(Stage::Run).title, "Running");
        assert_eq!(at(Stage::Done).title, "Run by hand.");
    }
}
