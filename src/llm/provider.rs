//! Servers that people use, with what each needs.

/// A known server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// Its name.
    pub name: &'static str,
    /// Its base address.
    pub base: &'static str,
    /// Whether it runs on the user's own machine.
    pub local: bool,
    /// Whether it wants a key.
    pub needs_key: bool,
    /// What to do so that a page may use it, or where its keys come from.
    pub hint: &'static str,
}

const fn local(name: &'static str, base: &'static str, hint: &'static str) -> Provider {
    Provider { name, base, local: true, needs_key: false, hint }
}

const fn hosted(name: &'static str, base: &'static str, hint: &'static str) -> Provider {
    Provider { name, base, local: false, needs_key: true, hint }
}

/// Local ones first.
pub const PROVIDERS: [Provider; 12] = [
    local(
        "Ollama",
        "http://localhost:11434/v1",
        "Start it with OLLAMA_ORIGINS set to this page's address, or it refuses the page.",
    ),
    local(
        "LM Studio",
        "http://localhost:1234/v1",
        "In Developer, start the server and switch on “Enable CORS”.",
    ),
    local("llama.cpp server", "http://localhost:8080/v1", "Start it as: llama-server -m MODEL.gguf --jinja"),
    local(
        "vLLM",
        "http://localhost:8000/v1",
        "It allows every page, unless it was started with --allowed-origins.",
    ),
    local(
        "lab proxy",
        "http://127.0.0.1:8080/v1",
        "The page and the model come from one address; no key is needed.",
    ),
    hosted(
        "OpenAI",
        "https://api.openai.com/v1",
        "Keys: platform.openai.com. Give the key a spending limit.",
    ),
    hosted(
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "Keys: openrouter.ai/keys. Give the key a credit limit.",
    ),
    hosted("Groq", "https://api.groq.com/openai/v1", "Keys: console.groq.com/keys."),
    hosted("Mistral", "https://api.mistral.ai/v1", "Keys: console.mistral.ai/api-keys."),
    hosted("DeepSeek", "https://api.deepseek.com/v1", "Keys: platform.deepseek.com/api_keys."),
    hosted("Together", "https://api.together.xyz/v1", "Keys: api.together.ai/settings/api-keys."),
    hosted(
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "Keys: aistudio.google.com/apikey.",
    ),
];

/// The known server of an address as the user wrote it.
pub fn named(address: &str) -> Option<&'static Provider> {
    super::endpoint::base(address).ok().and_then(|base| at(&base))
}

/// The known server at a base address.
pub fn at(base: &str) -> Option<&'static Provider> {
    let same = |known: &str| known == base || known.replace("localhost", "127.0.0.1") == base;
    PROVIDERS.iter().find(|provider| same(provider.base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::endpoint;

    #[test]
    fn every_base_is_in_its_normal_form_and_hints_are_sentences() {
        for provider in PROVIDERS {
            assert_eq!(endpoint::base(provider.base).as_deref(), Ok(provider.base));
            assert_eq!(provider.local, provider.base.starts_with("http://"), "{}", provider.name);
            assert!(!provider.hint.is_empty());
        }
        assert_eq!(at("http://127.0.0.1:11434/v1").map(|p| p.name), Some("Ollama"));
        assert_eq!(at("https://example.org/v1"), None);
    }
}
