//! What the address of the page asks for: `?demo=1`, `?db=ADDRESS`, `?history=ADDRESS`, `?q=QUESTION`.
//!
//! Anyone can write such a link and anyone can be made to click it. So [`read`] says of each address whether it is
//! foreign, that is of another origin than the page: such a file is fetched only after the user has seen the
//! address and agreed. Addresses are resolved by whoever calls, with a parser that follows the URL Standard (the
//! browser's own): what is judged here is what a fetch will use, whatever spelling led to it.

use super::Source;
use super::archive;

/// Longest question that is taken, in characters.
const LONGEST_QUESTION: usize = 4_000;
/// Longest piece of a link that a message repeats, in characters.
const LONGEST_SAID: usize = 80;

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved {
    /// All of it.
    pub href: String,
    /// Its scheme with the colon ("https:").
    pub scheme: String,
    /// Its host, with the port where it is not the usual one.
    pub host: String,
    /// Its origin ("https://example.org").
    pub origin: String,
    /// Its path.
    pub path: String,
    /// Whether a name or a password stands before the host.
    pub credentials: bool,
}

/// A file that a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where it is.
    pub href: String,
    /// Its host.
    pub host: String,
    /// Its name.
    pub name: String,
    /// Whether it is of another origin than the page.
    pub foreign: bool,
}

/// What a link asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The demo.
    pub demo: bool,
    /// A database, or a workspace file.
    pub database: Option<Address>,
    /// A history to add to it.
    pub history: Option<Address>,
    /// A question.
    pub question: Option<String>,
}

/// Why a link is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A parameter that stands twice.
    #[error("It gives {0}= more than once.")]
    Twice(&'static str),
    /// A parameter without a value.
    #[error("It gives {0}= without an address.")]
    NoAddress(&'static str),
    /// Something that is no address.
    #[error("Its {0}= is not an address: “{1}”.")]
    NotAddress(&'static str, String),
    /// An address that no file is fetched from.
    #[error("Its {0}= begins with “{1}”; only http and https can be opened, and files beside this page.")]
    Scheme(&'static str, String),
    /// An address with a name or a password in it.
    #[error("Its {0}= has a name or password before the @. Leave it out.")]
    Credentials(&'static str),
    /// An unprotected address on a protected page.
    #[error("Its {0}= begins with http, which browsers refuse on a page that came by https.")]
    Unprotected(&'static str),
    /// Two databases.
    #[error("It asks for the demo and for a database. Only one of them can be opened.")]
    TwoDatabases,
    /// A history of no database.
    #[error("It names a history without its database. Add db= or demo=1.")]
    HistoryAlone,
    /// `demo` with another value.
    #[error("Its demo= can be 1 or 0, not “{0}”.")]
    Demo(String),
    /// A very long question.
    #[error("Its question has {0} characters; at most 4,000 are taken.")]
    LongQuestion(usize),
}

/// Reads what stands behind the `?` of the page's address. `resolve` takes an address apart, relative to the page.
///
/// # Errors
/// When one of its parts cannot be followed: then none is.
pub fn read(
    query: &str,
    page: &Resolved,
    resolve: &dyn Fn(&str) -> Option<Resolved>,
) -> Result<Link, LinkError> {
    let query = query.strip_prefix('?').unwrap_or(query);
    let given = |name: &'static str| {
        let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(LinkError::Twice(name)),
            (found, _) => Ok(found.map(|(_, value)| value.into_owned())),
        }
    };
    let demo = match given("demo")?.as_deref().map(str::trim) {
        Some("1") => true,
        None | Some("0" | "") => false,
        Some(other) => return Err(LinkError::Demo(said(other))),
    };
    let file = |name| given(name)?.map(|value| address(name, &value, page, resolve)).transpose();
    let (database, history) = (file("db")?, file("history")?);
    if demo && database.is_some() {
        return Err(LinkError::TwoDatabases);
    }
    if history.is_some() && !demo && database.is_none() {
        return Err(LinkError::HistoryAlone);
    }
    let question = given("q")?.map(|q| q.trim().to_owned()).filter(|q| !q.is_empty());
    match question.as_ref().map_or(0, |q| q.chars().count()) {
        length if length > LONGEST_QUESTION => Err(LinkError::LongQuestion(length)),
        _ => Ok(Link { demo, database, history, question }),
    }
}

fn address(
    parameter: &'static str,
    value: &str,
    page: &Resolved,
    resolve: &dyn Fn(&str) -> Option<Resolved>,
) -> Result<Address, LinkError> {
    if value.trim().is_empty() {
        return Err(LinkError::NoAddress(parameter));
    }
    let resolved = resolve(value).ok_or_else(|| LinkError::NotAddress(parameter, said(value)))?;
    let foreign = resolved.origin != page.origin;
    match resolved.scheme.as_str() {
        "http:" | "https:" if resolved.host.is_empty() => {
            return Err(LinkError::NotAddress(parameter, said(value)));
        }
        "http:" if foreign && page.scheme == "https:" && !local(&resolved.host) => {
            return Err(LinkError::Unprotected(parameter));
        }
        "http:" | "https:" => {}
        other => return Err(LinkError::Scheme(parameter, said(other))),
    }
    if resolved.credentials {
        return Err(LinkError::Credentials(parameter));
    }
    let name = file_name(&resolved.path);
    Ok(Address { href: resolved.href, host: resolved.host, name, foreign })
}

/// Whether a host is this machine, which browsers let a protected page reach.
fn local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name == "localhost" || name.ends_with(".localhost") || name.starts_with("127.") || name == "[::1]"
}

/// The last piece of a path.
pub fn file_name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    let decoded = percent_encoding::percent_decode_str(last).decode_utf8_lossy().replace(['/', '\\'], " ");
    if decoded.trim().is_empty() { "database".to_owned() } else { archive::line(&decoded) }
}

fn said(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST_SAID).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl Link {
    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The files it names, in the order in which they are fetched.
    pub fn files(&self) -> impl Iterator<Item = &Address> {
        self.database.iter().chain(&self.history)
    }

    /// Whether the user has to agree before it is followed.
    pub fn foreign(&self) -> bool {
        self.files().any(|file| file.foreign)
    }

    /// Where its workspace comes from.
    pub fn source(&self) -> Option<Source> {
        let history = self.history.as_ref().map(|file| file.href.clone());
        self.database.as_ref().map(|file| Source { database: file.href.clone(), history })
    }
}

/// The address that opens a workspace (None: the demo) with a question. `page` is the page's own address; files beside
/// it are named as briefly as a reader would.
pub fn write(page: &str, source: Option<&Source>, question: &str) -> String {
    let page = page.split(['?', '#']).next().unwrap_or(page);
    let folder = page.rfind('/').and_then(|end| page.get(..=end)).unwrap_or(page);
    let brief = |href: &str| match href.strip_prefix(folder) {
        // A colon would make a scheme of what stands before it.
        Some(rest) if !rest.is_empty() && !rest.starts_with(['/', '?', '#', '\\']) && !rest.contains(':') => {
            rest.to_owned()
        }
        _ => href.to_owned(),
    };
    let mut query = form_urlencoded::Serializer::new(String::new());
    match source {
        None => drop(query.append_pair("demo", "1")),
        Some(source) => {
            query.append_pair("db", &brief(&source.database));
            if let Some(history) = &source.history {
                query.append_pair("history", &brief(history));
            }
        }
    }
    if !question.trim().is_empty() {
        query.append_pair("q", question.trim());
    }
    format!("{page}?{}", query.finish())
}

// Addresses are resolved by a crate that the command line has.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
