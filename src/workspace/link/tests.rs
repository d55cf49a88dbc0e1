#![allow(clippy::unwrap_used)]

use super::*;

const PAGE: &str = "https://querylore.example/app/index.html#/ask";

/// As a browser does: `url` follows the URL Standard.
fn resolve_at(page: &str, text: &str) -> Option<Resolved> {
    let url = reqwest::Url::parse(page).unwrap().join(text).ok()?;
    let host = url.host_str().unwrap_or_default();
    Some(Resolved {
        href: url.to_string(),
        scheme: format!("{}:", url.scheme()),
        host: url.port().map_or(host.to_owned(), |port| format!("{host}:{port}")),
        origin: url.origin().ascii_serialization(),
        path: url.path().to_owned(),
        credentials: !url.username().is_empty() || url.password().is_some(),
    })
}

fn read_at(page: &str, query: &str) -> Result<Link, LinkError> {
    read(query, &resolve_at(page, page).unwrap(), &|text| resolve_at(page, text))
}

fn follow(query: &str) -> Result<Link, LinkError> {
    read_at(PAGE, query)
}

fn database(query: &str) -> Address {
    follow(query).unwrap().database.unwrap()
}

#[test]
fn an_address_without_parameters_of_ours_asks_for_nothing() {
    for query in ["", "?", "?utm_source=x&page=2", "?q=&demo=0", "?q=%20%0a"] {
        assert!(follow(query).unwrap().is_empty(), "{query}");
    }
}

#[test]
fn files_beside_the_page_are_its_own() {
    let link = follow("?db=teach/ferries.sqlite&history=/logs/team%20a.jsonl&q=How+many+piers%3F").unwrap();
    assert!(!link.foreign());
    let (database, history) = (link.database.clone().unwrap(), link.history.clone().unwrap());
    assert_eq!(database.href, "https://querylore.example/app/teach/ferries.sqlite");
    assert_eq!((database.name.as_str(), database.host.as_str()), ("ferries.sqlite", "querylore.example"));
    assert_eq!(
        (history.href.as_str(), history.name.as_str()),
        ("https://querylore.example/logs/team%20a.jsonl", "team a.jsonl")
    );
    assert_eq!(link.question.as_deref(), Some("How many piers?"));
    let whole = database_of("https://querylore.example/x.db");
    assert!(!whole.foreign);
}

fn database_of(address: &str) -> Address {
    database(&format!("?db={}", form_urlencoded::byte_serialize(address.as_bytes()).collect::<String>()))
}

#[test]
fn whatever_leads_elsewhere_is_foreign() {
    let elsewhere = [
        ("https://example.org/a.sqlite", "example.org"),
        ("//example.org/a.sqlite", "example.org"),
        ("/\\example.org/a.sqlite", "example.org"),
        ("\\\\example.org\\a.sqlite", "example.org"),
        ("https:\\\\example.org/a.sqlite", "example.org"),
        (" \thttps://example.org/a.sqlite", "example.org"),
        ("ht\ntps://example.org/a.sqlite", "example.org"),
        ("/\t/example.org/a.sqlite", "example.org"),
        ("https://querylore.example.evil.test/a.sqlite", "querylore.example.evil.test"),
        ("https://querylore.example:8443/a.sqlite", "querylore.example:8443"),
        ("HTTPS://EXAMPLE.ORG/a.sqlite", "example.org"),
        ("https://b\u{fc}cher.example/a.sqlite", "xn--bcher-kva.example"),
        ("http://localhost:9000/a.sqlite", "localhost:9000"),
    ];
    for (address, host) in elsewhere {
        let found = database_of(address);
        assert!(found.foreign, "{address}");
        assert_eq!(found.host, host, "{address}");
    }
}

#[test]
fn what_is_no_file_of_a_web_server_is_refused() {
    for scheme in [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "file:///etc/passwd",
        "data:text/plain,x",
        "blob:https://querylore.example/1",
        "ftp://example.org/a",
        "about:blank",
    ] {
        let query = format!("?db={}", form_urlencoded::byte_serialize(scheme.as_bytes()).collect::<String>());
        let error = follow(&query).unwrap_err();
        assert!(matches!(error, LinkError::Scheme("db", _)), "{scheme}: {error}");
    }
    assert_eq!(follow("?db="), Err(LinkError::NoAddress("db")));
    assert_eq!(follow("?db=a.db&history=%20"), Err(LinkError::NoAddress("history")));
    assert_eq!(follow("?db=https://"), Err(LinkError::NotAddress("db", "https://".to_owned())));
    assert_eq!(
        follow("?db=https://exa%20mple.org"),
        Err(LinkError::NotAddress("db", "https://exa mple.org".to_owned()))
    );
    assert_eq!(follow("?db=https://me:secret@example.org/a.db"), Err(LinkError::Credentials("db")));
    assert_eq!(follow("?db=https://me@querylore.example/a.db"), Err(LinkError::Credentials("db")));
    assert_eq!(follow("?db=http://example.org/a.db"), Err(LinkError::Unprotected("db")));
    assert!(read_at("http://127.0.0.1:8080/", "?db=http://example.org/a.db").unwrap().foreign());
}

#[test]
fn no_message_repeats_a_password() {
    let error = follow("?db=https://me:secret@example.org/a.db").unwrap_err();
    assert!(!error.to_string().contains("secret"));
}

#[test]
fn parameters_must_make_sense_together() {
    assert!(follow("?demo=1&q=x").unwrap().demo);
    assert_eq!(follow("?demo=1&db=a.db"), Err(LinkError::TwoDatabases));
    assert_eq!(follow("?history=a.sql"), Err(LinkError::HistoryAlone));
    assert!(follow("?demo=1&history=a.sql").unwrap().history.is_some());
    assert_eq!(follow("?db=a.db&db=b.db"), Err(LinkError::Twice("db")));
    assert_eq!(follow("?demo=yes"), Err(LinkError::Demo("yes".to_owned())));
    let long = format!("?q={}", "x".repeat(4_001));
    assert_eq!(follow(&long), Err(LinkError::LongQuestion(4_001)));
    let junk = format!("?db={}", "\u{1f980}:".repeat(400));
    assert!(follow(&junk).map_or_else(|e| e.to_string().len(), |_| 0) < 600);
}

#[test]
fn a_file_has_a_name_also_where_the_address_has_none() {
    assert_eq!(file_name("/"), "database");
    assert_eq!(file_name("/a/b+c.db"), "b+c.db");
    assert_eq!(file_name("/a/%2e%2e%2fb%0a.db"), ".. b .db");
    assert_eq!(file_name("/a/%ff.db"), "\u{fffd}.db");
}

#[test]
fn a_written_link_reads_back() {
    let link = follow("?db=teach/ferries.sqlite&history=https://example.org/a.sql&q=50%25+%26+more").unwrap();
    let (source, question) = (link.source().unwrap(), link.question.clone().unwrap());
    let written = write(PAGE, Some(&source), &question);
    assert!(
        written
            .starts_with("https://querylore.example/app/index.html?db=teach%2Fferries.sqlite&history=https"),
        "{written}"
    );
    assert_eq!(follow(written.split_once('?').unwrap().1).unwrap(), link);
    let demo = write(PAGE, None, " How many? ");
    assert_eq!(demo, "https://querylore.example/app/index.html?demo=1&q=How+many%3F");
    // Cut to "b:c.db" it would name a scheme.
    let odd = Source { database: "https://querylore.example/app/b:c.db".to_owned(), history: None };
    let again = follow(write(PAGE, Some(&odd), "").split_once('?').unwrap().1).unwrap();
    assert_eq!(again.source(), Some(odd));
}
