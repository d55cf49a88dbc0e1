//! Texts from outside in a form that can hold nothing of the user's: known words, digits, a host.

use crate::llm::{endpoint, provider};

/// A version: digits and dots.
pub fn version(text: &str) -> String {
    let version: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').take(12).collect();
    if version.is_empty() { "unknown".to_owned() } else { version }
}

/// Signs of browsers in their own words; those that pretend to be another come before it.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("HeadlessChrome/", "Chrome without a window"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
];

const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// Browser, version and system of what a browser calls itself.
pub fn browser(agent: &str) -> String {
    let browser = BROWSERS.iter().find_map(|(sign, name)| {
        let (_, rest) = agent.split_once(sign)?;
        Some(format!("{name} {}", version(rest)))
    });
    let system = SYSTEMS.iter().find(|(sign, _)| agent.contains(sign)).map(|(_, name)| *name);
    let browser = browser.unwrap_or_else(|| "another browser".to_owned());
    format!("{browser} on {}", system.unwrap_or("another system"))
}

const MAKERS: [&str; 14] = [
    "nvidia",
    "amd",
    "intel",
    "apple",
    "qualcomm",
    "arm",
    "google",
    "microsoft",
    "mesa",
    "img-tec",
    "samsung",
    "broadcom",
    "huawei",
    "ati",
];

/// Maker and family of a GPU.
pub fn gpu(vendor: &str, architecture: &str) -> String {
    let maker = MAKERS.iter().find(|maker| vendor.eq_ignore_ascii_case(maker));
    let Some(maker) = maker else { return "an adapter of another maker".to_owned() };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let known = !architecture.is_empty() && architecture.len() <= 16 && architecture.chars().all(plain);
    if known { format!("{maker} {architecture}") } else { (*maker).to_owned() }
}

/// Where a server is, by the address that a person wrote: never more than its host, and that only where it looks like
/// one. A key that was pasted into the wrong field does not.
pub fn server(address: &str) -> String {
    if let Some(known) = provider::named(address) {
        return known.name.to_owned();
    }
    let Ok(base) = endpoint::base(address) else { return "not an address".to_owned() };
    let (scheme, rest) = base.split_once("://").unwrap_or(("", ""));
    let host = endpoint::host(rest);
    if endpoint::is_loopback(host) {
        return format!("this machine, {scheme}");
    }
    if is_name(host) && address.contains(host) {
        return format!("{host}, {scheme}");
    }
    if endpoint::is_local(host) {
        return format!("the local network, {scheme}");
    }
    let number = host.contains(':') || host.split('.').all(|part| part.parse::<u8>().is_ok());
    if number { format!("an IP address, {scheme}") } else { format!("a host that is not told, {scheme}") }
}

/// Whether a host is a public name: labels in small letters, the last one a word.
fn is_name(host: &str) -> bool {
    let label = |label: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        (1..=24).contains(&label.len()) && label.chars().all(plain)
    };
    let Some((rest, last)) = host.rsplit_once('.') else { return false };
    let word = (2..=12).contains(&last.len()) && last.chars().all(|c| c.is_ascii_lowercase());
    word && host.len() <= 60 && rest.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_known_by_their_signs() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.1.2 Safari/537.36";
        assert_eq!(browser(chrome), "Chrome 150.0.1.2 on Linux");
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0.1";
        assert_eq!(browser(edge), "Edge 126.0.1 on Windows");
        let safari =
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1";
        assert_eq!(browser(safari), "Safari 17.5 on iOS");
        assert_eq!(browser("curl sk-secret"), "another browser on another system");
        assert_eq!(browser("Firefox/sk-secret"), "Firefox unknown on another system");
    }

    #[test]
    fn a_server_is_told_by_its_host_at_most() {
        for (address, told) in [
            ("https://api.openai.com/v1", "OpenAI"),
            ("http://localhost:11434", "Ollama"),
            ("http://127.0.0.1:4999/v1/chat", "this machine, http"),
            ("http://192.168.1.7:1234", "the local network, http"),
            ("gpu-box:8000", "the local network, http"),
            ("https://llm.acme.example/team/secret-path?key=sk-1", "llm.acme.example, https"),
            ("https://203.0.113.7/v1", "an IP address, https"),
            ("sk-abcdefghijklmnop", "the local network, http"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "a host that is not told, https"),
            ("https://user:secret@host.example/v1", "not an address"),
            ("my key is sk-1", "not an address"),
        ] {
            assert_eq!(server(address), told, "{address}");
        }
    }

    #[test]
    fn gpus_are_told_by_maker_and_family() {
        assert_eq!(gpu("nvidia", "ampere"), "nvidia ampere");
        assert_eq!(gpu("Apple", "metal-3"), "apple metal-3");
        assert_eq!(gpu("google", "Swift Shader of Jane"), "google");
        assert_eq!(gpu("Jane's", "x"), "an adapter of another maker");
        assert_eq!(version("3.50.4"), "3.50.4");
        assert_eq!(version("x"), "unknown");
    }
}
