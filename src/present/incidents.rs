//! What went wrong, in fixed words: they name the kind of trouble and hold nothing of the user's.

use crate::db::DbError;
use crate::llm::LlmError;
use crate::pipeline::adapt::AdaptError;
use crate::pipeline::direct::Trouble;

/// Of the database.
pub fn of_database(error: &DbError) -> &'static str {
    match error {
        DbError::Open(_) => "a file could not be opened",
        DbError::Sql { .. } => "SQLite refused a query",
        DbError::ReadOnly(_) => "a query would have changed the database",
        DbError::Timeout(_) => "a query took too long",
        DbError::Cancelled => "a query was stopped",
        DbError::NotOpen => "no database was open",
        DbError::Worker(_) => "the database worker failed",
    }
}

/// Of adapting a query.
pub fn of_adapting(error: &AdaptError) -> &'static str {
    match error {
        AdaptError::NothingRelevant => "nothing in the history was close",
        AdaptError::NoneAnswers { .. } => "every adapted query failed or found no rows",
        AdaptError::Database(error) => of_database(error),
    }
}

/// Of an answer by a model.
pub fn of_answer(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Model(error) => of_model(error),
        Trouble::NoSql(_) => "the model's answer had no SQL",
        Trouble::Database(error) => of_database(error),
    }
}

/// Of a model's server.
pub fn of_model(error: &LlmError) -> &'static str {
    match error {
        LlmError::Unauthorised(_) => "the server refused the key (401)",
        LlmError::Forbidden(_) => "the server refused the request (403)",
        LlmError::NoBudget(_) => "the server's budget was used up (402)",
        LlmError::NotFound(_) => "there was no API at the address (404)",
        LlmError::NotAnApi(_) => "what answered was no model API",
        LlmError::Redirected(_) => "the server sends on to another address",
        LlmError::UnknownModel { .. } => "the server did not have the model",
        LlmError::RateLimited { .. } => "there were too many requests for the server (429)",
        LlmError::Server { .. } => "the server failed (5xx)",
        LlmError::Parameter { .. } => "the model did not take a parameter",
        LlmError::Refused { .. } => "the server did not accept the request",
        LlmError::TooLong(_) => "the prompt was too long for the model",
        LlmError::CutStream(_) => "the answer was cut off",
        LlmError::Empty { .. } => "the model answered nothing",
        LlmError::Endless(_) => "the answer had no end",
        LlmError::Malformed(_) => "the answer could not be read",
        LlmError::Silent(_) => "the server sent nothing for too long",
        LlmError::NoLogprobs => "the server gave no log probabilities",
        LlmError::Budget(_) => "a limit of the budget was reached",
        LlmError::Cancelled => "the answer was stopped",
        LlmError::Unreachable { .. } => "the server could not be reached",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_of_the_kind_only() {
        let secret = || "piers".to_owned();
        let said = [
            of_database(&DbError::Sql { message: secret(), offset: None }),
            of_database(&DbError::ReadOnly(secret())),
            of_adapting(&AdaptError::Database(DbError::Open(secret()))),
            of_answer(&Trouble::Model(LlmError::Unreachable { url: secret(), reason: secret() })),
            of_answer(&Trouble::Database(DbError::Worker(secret()))),
            of_model(&LlmError::UnknownModel { model: secret(), message: secret() }),
        ];
        for said in said {
            assert!(!said.contains("piers") && !said.is_empty() && !said.ends_with('.'), "{said}");
        }
    }
}
