//! The worker's side of the protocol: one open database, and an answer to each message.

use super::introspect;
use super::service::{Database, Host};
use super::values;
use crate::db::protocol::{About, Request, Response};
use crate::db::value::DbError;

/// What the worker holds between messages.
pub struct State {
    host: fn() -> Host,
    open: Option<(String, Database)>,
}

impl State {
    /// No database; `host` is asked once for each one that is opened.
    pub fn new(host: fn() -> Host) -> Self {
        Self { host, open: None }
    }

    /// Name of the open database.
    pub fn name(&self) -> Option<&str> {
        self.open.as_ref().map(|(name, _)| name.as_str())
    }
}

/// Answers one message. A file that cannot be opened leaves the open database open.
pub fn handle(state: &mut State, request: Request) -> Response {
    answer(state, request).unwrap_or_else(Response::Failed)
}

fn answer(state: &mut State, request: Request) -> Result<Response, DbError> {
    let db = || state.open.as_ref().map(|(_, db)| db).ok_or(DbError::NotOpen);
    match request {
        Request::Open { name, bytes } => {
            let db = Database::from_bytes(bytes, (state.host)())?;
            let notices = db.notices().to_vec();
            state.open = Some((name.clone(), db));
            Ok(Response::Opened { name, notices })
        }
        Request::Overview { budget_ms } => introspect::overview(db()?, budget_ms).map(Response::Overview),
        Request::Execute { sql, limits } => db()?.execute(&sql, limits).map(Response::Rows),
        Request::Values { table, column, limit, budget_ms } => {
            values::distinct_values(db()?, &table, &column, limit, budget_ms).map(Response::Values)
        }
        Request::Close => {
            state.open = None;
            Ok(Response::Closed)
        }
        Request::About => Ok(Response::About(About { sqlite: rusqlite::version().to_owned(), memory: None })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::engine::service::tests::image;
    use crate::db::{QueryLimits, Value};

    #[test]
    fn a_session_keeps_its_database_until_it_is_closed() {
        let mut state = State::new(Host::default);
        let execute = || Request::Execute { sql: "SELECT a FROM t".into(), limits: QueryLimits::default() };
        assert_eq!(handle(&mut state, execute()), Response::Failed(DbError::NotOpen));
        let bytes = image("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
        let open = |bytes| Request::Open { name: "t".into(), bytes };
        assert_eq!(
            handle(&mut state, open(bytes)),
            Response::Opened { name: "t".into(), notices: Vec::new() }
        );
        assert!(matches!(handle(&mut state, open(Vec::new())), Response::Failed(DbError::Open(_))));
        match handle(&mut state, execute()) {
            Response::Rows(result) => assert_eq!(result.rows, [[Value::Integer(1)]]),
            other => panic!("{other:?}"),
        }
        let values = Request::Values { table: "t".into(), column: "a".into(), limit: 9, budget_ms: 1_000 };
        assert!(matches!(handle(&mut state, values), Response::Values(found) if found.complete));
        let overview = handle(&mut state, Request::Overview { budget_ms: 1_000 });
        assert!(matches!(overview, Response::Overview(found) if found.tables[0].rows == Some(1)));
        let about = handle(&mut state, Request::About);
        assert!(matches!(about, Response::About(about) if about.sqlite.starts_with("3.")));
        assert_eq!(handle(&mut state, Request::Close), Response::Closed);
        assert_eq!(handle(&mut state, execute()), Response::Failed(DbError::NotOpen));
    }

    #[test]
    fn bytes_do_not_travel_inside_the_message() {
        let open = Request::Open { name: "t".into(), bytes: vec![1, 2, 3] };
        let sent = serde_json::to_string(&open).unwrap();
        assert_eq!(sent, r#"{"Open":{"name":"t"}}"#);
    }
}
