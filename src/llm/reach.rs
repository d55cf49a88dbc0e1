//! Why a browser may keep a page from a server, known before the first request.

use super::endpoint::{host, is_local, is_loopback};
use super::provider;

/// What stands, or may stand, between a page and a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The browser will not send the request: a page over HTTPS may not call a plain HTTP server elsewhere.
    MixedContent,
    /// The browser asks the user, before anything else, whether the page may reach the local network.
    LocalNetwork,
    /// The server must allow the page's address; the text says how, for this server.
    Origin(String),
}

impl Obstacle {
    /// What happens and what to do.
    pub fn sentence(&self) -> String {
        match self {
            Self::MixedContent => {
                "This page came over HTTPS, so the browser blocks a plain http:// server on another \
                machine. Use an https:// address, or open the page from that server (lab proxy)."
                    .to_owned()
            }
            Self::LocalNetwork => {
                "The browser asks whether this page may reach devices on your network. Allow it; \
                without that, no setting of the server helps."
                    .to_owned()
            }
            Self::Origin(how) => how.clone(),
        }
    }
}

/// What may keep the page at `page` (its address or origin) from the server at `base` (a normal base address).
pub fn obstacles(page: &str, base: &str) -> Vec<Obstacle> {
    let (page_scheme, page_authority) = parts(page);
    let (scheme, authority) = parts(base);
    if (page_scheme, page_authority) == (scheme, authority) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let server = host(authority);
    if page_scheme == "https" && scheme == "http" && !is_loopback(server) {
        return vec![Obstacle::MixedContent];
    }
    if is_local(server) && !is_local(host(page_authority)) {
        found.push(Obstacle::LocalNetwork);
    }
    let origin = format!("{page_scheme}://{page_authority}");
    let how = match provider::at(base).map(|provider| provider.name) {
        Some("Ollama") => format!("Ollama must allow this page: start it with OLLAMA_ORIGINS={origin}"),
        Some("LM Studio") => {
            "LM Studio must allow this page: switch on “Enable CORS” in its server settings.".to_owned()
        }
        _ if is_local(server) => format!("The server must allow this page's origin, {origin} (CORS)."),
        _ => return found,
    };
    found.push(Obstacle::Origin(how));
    found
}

/// Scheme and authority of an address.
fn parts(address: &str) -> (&str, &str) {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    (scheme, rest.split('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obstacles_depend_on_page_and_server() {
        let kinds = |page: &str, base: &str| -> String {
            let kind = |obstacle: &Obstacle| match obstacle {
                Obstacle::MixedContent => 'm',
                Obstacle::LocalNetwork => 'l',
                Obstacle::Origin(_) => 'o',
            };
            obstacles(page, base).iter().map(kind).collect()
        };
        assert_eq!(kinds("https://q.example/", "http://localhost:11434/v1"), "lo");
        assert_eq!(kinds("https://q.example/", "http://192.168.1.7:8000/v1"), "m");
        assert_eq!(kinds("https://q.example/", "https://api.openai.com/v1"), "");
        assert_eq!(kinds("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"), "");
        assert_eq!(kinds("http://127.0.0.1:8080", "http://localhost:1234/v1"), "o");
        let said = obstacles("https://q.example", "http://127.0.0.1:11434/v1");
        assert!(said[1].sentence().ends_with("OLLAMA_ORIGINS=https://q.example"), "{said:?}");
    }
}
