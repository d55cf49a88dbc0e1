//! Where a model is reached: address, key and extra headers, checked before anything is sent.

use std::fmt;

use super::Request;

/// A key. It is never printed, and never written anywhere by this crate.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// What is wrong with an address, a key or a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Nothing was given.
    #[error("The address is empty. Give the server's address, such as http://localhost:11434.")]
    NoAddress,
    /// Not HTTP.
    #[error("“{0}” is not an address of a web server. It begins with http:// or https://.")]
    NotHttp(String),
    /// White space inside.
    #[error("The address has a space or a line break in it. Paste the address alone.")]
    Space,
    /// A name or password before the host.
    #[error(
        "The address has a name or password before the @. Leave it out and give the key in its own field."
    )]
    Credentials,
    /// A key of several lines.
    #[error("The key has a line break in it. Paste the key alone, on one line.")]
    KeyLineBreak,
    /// A key that no header can carry.
    #[error("The key has a character that a key cannot have ({0:?}). Copy the key again.")]
    KeyCharacter(char),
    /// A header that cannot be sent.
    #[error("The header “{0}” cannot be sent: {1}. Write one header a line, as Name: value.")]
    Header(String, &'static str),
}

impl Key {
    /// Checks a key as pasted: white space around it and a leading "Bearer" are left out; an empty key is none.
    ///
    /// # Errors
    /// When a header could not carry it.
    pub fn parse(text: &str) -> Result<Option<Self>, EndpointError> {
        let text = text.trim();
        let key = text.strip_prefix("Bearer ").unwrap_or(text).trim();
        match key.chars().find(|c| !c.is_ascii_graphic()) {
            _ if key.is_empty() => Ok(None),
            Some('\n' | '\r') => Err(EndpointError::KeyLineBreak),
            Some(other) => Err(EndpointError::KeyCharacter(other)),
            None => Ok(Some(Self(key.to_owned()))),
        }
    }
}

/// A server with an OpenAI-compatible API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    base: String,
    key: Option<Key>,
    headers: Vec<(String, String)>,
}

impl Endpoint {
    /// A server by its address as people write or paste it; see [`base`].
    ///
    /// # Errors
    /// When it is no address.
    pub fn new(address: &str) -> Result<Self, EndpointError> {
        Ok(Self { base: base(address)?, key: None, headers: Vec::new() })
    }

    /// With a key, as pasted.
    ///
    /// # Errors
    /// As [`Key::parse`].
    pub fn with_key(mut self, key: &str) -> Result<Self, EndpointError> {
        self.key = Key::parse(key)?;
        Ok(self)
    }

    /// With extra headers, one a line. Each needs the server's leave in a browser (a preflight request), so send
    /// none that the server does not ask for.
    ///
    /// # Errors
    /// When one cannot be sent.
    pub fn with_headers(mut self, lines: &str) -> Result<Self, EndpointError> {
        self.headers = headers(lines)?;
        Ok(self)
    }

    /// The base address, without a slash at its end ("http://localhost:11434/v1").
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Where completions are asked for.
    pub fn chat_url(&self) -> String {
        format!("{}/chat/completions", self.base)
    }

    /// Where a request goes: to the chat, or to where a text is gone on with.
    pub fn url_of(&self, request: &Request) -> String {
        match request.text {
            Some(_) => format!("{}/completions", self.base),
            None => self.chat_url(),
        }
    }

    /// Where the list of models is.
    pub fn models_url(&self) -> String {
        format!("{}/models", self.base)
    }

    /// Headers of every request, beside Content-Type.
    pub fn headers(&self) -> Vec<(String, String)> {
        let key = self.key.iter().map(|key| ("Authorization".to_owned(), format!("Bearer {}", key.0)));
        key.chain(self.headers.iter().cloned()).collect()
    }

    /// Whether a key is sent.
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }
}

/// Endings of whole addresses that people paste; what is before them is the base.
const ENDINGS: [&str; 10] = [
    "/chat/completions",
    "/completions",
    "/models",
    "/responses",
    "/embeddings",
    "/api/chat",
    "/api/generate",
    "/api/tags",
    "/chat",
    "/",
];

/// The base address of an API: a scheme is added where it is missing, the ending of a pasted endpoint taken off,
/// and `/v1` added where the path names no version.
///
/// # Errors
/// When the text is no address.
pub fn base(address: &str) -> Result<String, EndpointError> {
    let text = address.trim();
    if text.is_empty() {
        return Err(EndpointError::NoAddress);
    }
    if text.contains(char::is_whitespace) || text.contains(char::is_control) {
        return Err(EndpointError::Space);
    }
    let not_http = || EndpointError::NotHttp(text.chars().take(80).collect());
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None if text.starts_with('/') => return Err(not_http()),
        None => (if is_local(host(text)) { "http" } else { "https" }.to_owned(), text),
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !matches!(scheme.as_str(), "http" | "https") || host(authority).is_empty() {
        return Err(not_http());
    }
    if authority.contains('@') {
        return Err(EndpointError::Credentials);
    }
    let mut path = path;
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)) {
        path = shorter;
    }
    let version = if path.split('/').any(is_version) { "" } else { "/v1" };
    Ok(format!("{scheme}://{}{path}{version}", authority.to_ascii_lowercase()))
}

/// "v1", "v1beta", "v4".
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The host of an authority, without its port.
pub fn host(authority: &str) -> &str {
    let authority = authority.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether a host is this machine.
pub fn is_loopback(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "::1"
}

/// Whether a host is this machine or one of its local network.
pub fn is_local(host: &str) -> bool {
    let second =
        |prefix: &str| host.strip_prefix(prefix).and_then(|rest| rest.split('.').next()?.parse::<u8>().ok());
    is_loopback(host)
        || host.starts_with("10.") && second("10.").is_some()
        || host.starts_with("192.168.")
        || second("172.").is_some_and(|part| (16..32).contains(&part))
        || host.ends_with(".local")
        || host.ends_with(".lan")
        || (!host.is_empty() && !host.contains('.') && !host.contains(':'))
}

fn headers(lines: &str) -> Result<Vec<(String, String)>, EndpointError> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let set = ["authorization", "content-type", "content-length", "host", "connection", "transfer-encoding"];
    let mut found = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let shown = || line.split(':').next().unwrap_or_default().chars().take(40).collect::<String>();
        let (name, value) =
            line.split_once(':').ok_or_else(|| EndpointError::Header(shown(), "it has no colon"))?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() || !name.chars().all(token) {
            return Err(EndpointError::Header(shown(), "its name has a character that a name cannot have"));
        }
        if set.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(EndpointError::Header(shown(), "it is set already"));
        }
        if !value.chars().all(|c| c.is_ascii_graphic() || c == ' ' || c == '\t') {
            return Err(EndpointError::Header(shown(), "its value has a character that a value cannot have"));
        }
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_brought_to_one_form() {
        for (written, want) in [
            ("http://localhost:11434", "http://localhost:11434/v1"),
            ("http://localhost:11434/", "http://localhost:11434/v1"),
            ("localhost:11434/v1", "http://localhost:11434/v1"),
            ("  HTTP://LocalHost:11434/v1//  ", "http://localhost:11434/v1"),
            ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1"),
            ("http://127.0.0.1:8080/v1/chat/completions/", "http://127.0.0.1:8080/v1"),
            ("http://localhost:11434/api/chat", "http://localhost:11434/v1"),
            ("https://api.openai.com/v1/models?limit=3#x", "https://api.openai.com/v1"),
            ("api.openai.com", "https://api.openai.com/v1"),
            ("https://openrouter.ai/api", "https://openrouter.ai/api/v1"),
            ("https://api.groq.com/openai/v1/completions", "https://api.groq.com/openai/v1"),
            ("https://host/v1beta/openai/", "https://host/v1beta/openai"),
            ("192.168.1.7:1234", "http://192.168.1.7:1234/v1"),
            ("[::1]:8000", "http://[::1]:8000/v1"),
            ("gpu-box:8000", "http://gpu-box:8000/v1"),
        ] {
            assert_eq!(base(written).as_deref(), Ok(want), "{written}");
            assert_eq!(base(want).as_deref(), Ok(want), "stays as it is");
        }
        for (written, want) in [
            (" ", EndpointError::NoAddress),
            ("http://local host", EndpointError::Space),
            ("http://a\nhttp://b", EndpointError::Space),
            ("https://user:secret@host/v1", EndpointError::Credentials),
        ] {
            assert_eq!(base(written), Err(want), "{written}");
        }
        for written in ["ftp://host", "/v1", "http://", "http:///v1", "file:///x"] {
            assert!(matches!(base(written), Err(EndpointError::NotHttp(_))), "{written}");
        }
    }

    #[test]
    fn a_request_goes_where_its_form_is_understood() {
        let endpoint = Endpoint::new("localhost:8080").unwrap();
        let text = Request { text: Some("SELECT".into()), ..Request::default() };
        assert_eq!(endpoint.url_of(&text), "http://localhost:8080/v1/completions");
        assert_eq!(endpoint.url_of(&Request::default()), "http://localhost:8080/v1/chat/completions");
    }

    #[test]
    fn keys_that_cannot_be_sent_are_refused_and_never_shown() {
        let endpoint = Endpoint::new("host.example").unwrap();
        let with = |key: &str| endpoint.clone().with_key(key);
        let good = with(" Bearer sk-abc\n").unwrap();
        assert_eq!(good.headers(), [("Authorization".to_owned(), "Bearer sk-abc".to_owned())]);
        assert!(!format!("{good:?}").contains("abc"), "{good:?}");
        assert!(!with("").unwrap().has_key());
        assert_eq!(with("sk-a\nsk-b"), Err(EndpointError::KeyLineBreak));
        assert_eq!(with("sk-a\r\nX: y"), Err(EndpointError::KeyLineBreak));
        assert_eq!(with("sk-ä"), Err(EndpointError::KeyCharacter('ä')));
        assert_eq!(with("sk a"), Err(EndpointError::KeyCharacter(' ')));
    }

    #[test]
    fn headers_are_checked_line_by_line() {
        let endpoint = Endpoint::new("host.example").unwrap();
        let good =
            endpoint.clone().with_headers("X-Title: Querylore\n\n HTTP-Referer:http://a.b \n").unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(good.headers(), [pair("X-Title", "Querylore"), pair("HTTP-Referer", "http://a.b")]);
        for bad in ["no colon", ": x", "a b: c", "X: é", "authorization: Bearer x", "Host: a"] {
            let refused = endpoint.clone().with_headers(bad).unwrap_err();
            assert!(matches!(refused, EndpointError::Header(..)), "{bad}");
            assert!(!refused.to_string().contains("Bearer x"), "{refused}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_an_address_or_refused(text in ".{0,60}") {
            if let Ok(base) = base(&text) {
                proptest::prop_assert!(base.starts_with("http"));
                proptest::prop_assert_eq!(super::base(&base), Ok(base.clone()));
            }
        }
    }
}
