//! The language model of a command.

use super::Failure;
use crate::llm::Endpoint;
use crate::llm::native::HttpModel;
use crate::ports::blocking::block_on;

/// Seconds without a byte after which an answer is given up: a model on a CPU reads a long prompt for minutes.
const SILENCE_S: u32 = 600;

/// Options that name a model.
#[derive(Debug, clap::Args)]
pub struct Server {
    /// A server with the OpenAI-compatible API, such as http://localhost:11434; its model writes the SQL.
    #[arg(long, value_name = "URL")]
    pub llm: Option<String>,
    /// The model's name at that server; not needed where it has only one.
    #[arg(long, requires = "llm")]
    pub model: Option<String>,
    /// Environment variable that holds the key for that server.
    #[arg(long, value_name = "NAME", requires = "llm")]
    pub key_env: Option<String>,
}

impl Server {
    /// The model that is named; None where none is.
    ///
    /// # Errors
    /// As [`connect`].
    pub fn connect(&self) -> Result<Option<Connected>, Failure> {
        let named = self.llm.as_ref();
        named.map(|url| connect(url, self.model.as_deref(), self.key_env.as_deref())).transpose()
    }
}

/// A server and one of its models.
pub struct Connected {
    /// The server.
    pub server: HttpModel,
    /// The model's name.
    pub name: String,
}

/// The server at `url`, with the key in the environment variable `key_env`. Without a name the server's only model
/// is taken.
///
/// # Errors
/// When the address or key cannot be used, the variable is not set, or no model is named and there are several.
pub fn connect(url: &str, name: Option<&str>, key_env: Option<&str>) -> Result<Connected, Failure> {
    let server =
        HttpModel::new(endpoint(url, key_env)?, SILENCE_S).map_err(|e| Failure::Failed(e.to_string()))?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let names = block_on(server.models()).map_err(|e| Failure::Failed(e.to_string()))?;
            match names.as_slice() {
                [only] => only.clone(),
                [] => {
                    return Err(Failure::Usage(
                        "The server offers no model; name one with --model.".to_owned(),
                    ));
                }
                several => {
                    let shown = several.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
                    return Err(Failure::Usage(format!(
                        "Choose a model with --model; the server has {shown}."
                    )));
                }
            }
        }
    };
    Ok(Connected { server, name })
}

/// An address with the key of an environment variable.
///
/// # Errors
/// When the address or the key cannot be used.
pub fn endpoint(url: &str, key_env: Option<&str>) -> Result<Endpoint, Failure> {
    let wrong = |e: &dyn std::fmt::Display| Failure::Usage(e.to_string());
    let endpoint = Endpoint::new(url).map_err(|e| wrong(&e))?;
    let Some(variable) = key_env else { return Ok(endpoint) };
    let key = std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
    let key =
        key.ok_or_else(|| Failure::Usage(format!("The environment variable {variable} holds no key.")))?;
    endpoint.with_key(&key).map_err(|e| wrong(&e))
}
