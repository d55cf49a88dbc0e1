//! The worker's side of the protocol: one open database, and an answer to each message.

use std::io::Read;

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

/// A file as [`Request::Open`] wants it: its length in bytes, and its content from the first byte.
pub type File<R> = (u64, R);

/// Answers one message; `file` is asked for what travelled beside it. A file that cannot be opened leaves the open
/// database open.
pub fn handle<R: Read>(
    state: &mut State,
    request: Request,
    file: impl FnOnce() -> Result<File<R>, DbError>,
) -> Response {
    answer(state, request, file).unwrap_or_else(Response::Failed)
}

fn answer<R: Read>(
    state: &mut State,
    request: Request,
    file: impl FnOnce() -> Result<File<R>, DbError>,
) -> Result<Response, DbError> {
    let db = || state.open.as_ref().map(|(_, db)| db).ok_or(DbError::NotOpen);
    match request {
        Request::Open { name } => {
            let (len, content) = file()?;
            let db = Database::from_reader(len, content, (state.host)())?;
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
        Request::About => Ok(Response::About(About { sqlite: super::version().to_owned(), memory: None })),
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
        let mut ask = |request, file: Option<&[u8]>| {
            handle(&mut state, request, || {
                file.map(|bytes| (bytes.len() as u64, bytes)).ok_or(DbError::NotOpen)
            })
        };
        let execute = || Request::Execute { sql: "SELECT a FROM t".into(), limits: QueryLimits::default() };
        assert_eq!(ask(execute(), None), Response::Failed(DbError::NotOpen));
        let bytes = image("CREATE TABLE t(a); INSERT INTO t VALUES (1)");
        let open = || Request::Open { name: "t".into() };
        let opened = Response::Opened { name: "t".into(), notices: Vec::new() };
        assert_eq!(ask(open(), Some(&bytes)), opened);
        assert!(matches!(ask(open(), Some(&[])), Response::Failed(DbError::Open(_))));
        match ask(execute(), None) {
            Response::Rows(result) => assert_eq!(result.rows, [[Value::Integer(1)]]),
            other => panic!("{other:?}"),
        }
        let values = Request::Values { table: "t".into(), column: "a".into(), limit: 9, budget_ms: 1_000 };
        assert!(matches!(ask(values, None), Response::Values(found) if found.complete));
        let overview = ask(Request::Overview { budget_ms: 1_000 }, None);
        assert!(matches!(overview, Response::Overview(found) if found.tables[0].rows == Some(1)));
        let about = ask(Request::About, None);
        assert!(matches!(about, Response::About(about) if about.sqlite.starts_with("3.")));
        assert_eq!(ask(Request::Close, None), Response::Closed);
        assert_eq!(ask(execute(), None), Response::Failed(DbError::NotOpen));
    }
}
