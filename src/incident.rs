//! What went wrong while the page was open: a short list, the oldest out.
//!
//! An incident says twice what happened: in fixed words that hold no data, for a report that leaves the machine, and in
//! the words that the page showed.

use std::collections::VecDeque;

/// Where an incident comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A notice of the page.
    Notice,
    /// A file or address that was not opened.
    File,
    /// An answer.
    Answer,
    /// The encoder.
    Encoder,
    /// The model's server.
    Model,
    /// What is kept in the browser.
    Storage,
    /// A worker that ended.
    Worker,
    /// A panic of a program.
    Panic,
    /// An error of a script.
    Script,
}

impl Source {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Notice => "Notice",
            Self::File => "File",
            Self::Answer => "Answer",
            Self::Encoder => "Encoder",
            Self::Model => "Model",
            Self::Storage => "Storage",
            Self::Worker => "Worker",
            Self::Panic => "Panic",
            Self::Script => "Script",
        }
    }

    /// Whether it is an error, not a warning.
    pub fn is_error(self) -> bool {
        !matches!(self, Self::Notice | Self::Encoder | Self::Storage)
    }
}

/// A place in the source text of this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line.
    pub line: u32,
}

impl Place {
    /// File and line, where the file is named as source files are: nothing else can hide in it.
    pub fn said(&self) -> Option<String> {
        // A dependency is named by its folder in the registry, whose beginning is the builder's own.
        let file = self.file.replace('\\', "/");
        let known = match file.rsplit_once("/src/") {
            Some((package, _)) => file.get(package.rfind('/').map_or(0, |at| at + 1)..)?,
            None => Some(file.as_str()).filter(|file| file.starts_with("src/"))?,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
        let good = known.ends_with(".rs") && known.len() <= 80 && known.chars().all(plain);
        good.then(|| format!("{known}:{}", self.line))
    }
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Incident {
    /// When, in milliseconds since 1970.
    pub at_ms: f64,
    /// Where it comes from.
    pub source: Source,
    /// What happened, in fixed words.
    pub what: &'static str,
    /// What the page said; may hold names and values of the user's data.
    pub text: String,
    /// Where in the program, for a panic.
    pub place: Option<Place>,
    /// How often in a row.
    pub times: u32,
}

/// Incidents that are kept.
const MOST: usize = 60;
/// Letters of a text that are kept.
const LONGEST: usize = 400;

/// The last incidents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ring(VecDeque<Incident>);

impl Ring {
    /// An empty one.
    pub const fn new() -> Self {
        Self(VecDeque::new())
    }

    /// Adds an incident. The same again only counts; where there is no room, the oldest goes.
    pub fn push(&mut self, mut incident: Incident) {
        if incident.text.chars().nth(LONGEST).is_some() {
            incident.text = incident.text.chars().take(LONGEST).chain(['…']).collect();
        }
        if let Some(last) = self.0.back_mut()
            && (last.source, last.what, &last.text, &last.place)
                == (incident.source, incident.what, &incident.text, &incident.place)
        {
            last.times = last.times.saturating_add(incident.times);
            last.at_ms = incident.at_ms;
            return;
        }
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back(incident);
    }

    /// All of them, the newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Incident> {
        self.0.iter().rev()
    }

    /// Forgets them.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incident(at_ms: f64, text: &str) -> Incident {
        Incident {
            at_ms,
            source: Source::Notice,
            what: "a notice",
            text: text.to_owned(),
            place: None,
            times: 1,
        }
    }

    #[test]
    fn the_ring_is_bounded_and_counts_what_is_repeated() {
        let mut ring = Ring::new();
        for n in 0..200 {
            ring.push(incident(f64::from(n), &format!("{}", n / 2)));
        }
        let all: Vec<&Incident> = ring.newest_first().collect();
        assert_eq!(all.len(), MOST);
        assert_eq!((all[0].text.as_str(), all[0].times, all[0].at_ms), ("99", 2, 199.0));
        assert_eq!(all[MOST - 1].text, "40");
        ring.push(incident(0.0, &"é".repeat(10_000)));
        assert_eq!(ring.newest_first().next().map(|i| i.text.chars().count()), Some(LONGEST + 1));
        ring.clear();
        assert_eq!(ring, Ring::default());
    }

    #[test]
    fn a_place_is_a_source_file_or_nothing() {
        let said = |file: &str| Place { file: file.to_owned(), line: 7 }.said();
        assert_eq!(said("src/db/raw.rs").as_deref(), Some("src/db/raw.rs:7"));
        let registry = "/home/someone/.cargo/registry/src/index-1/sqlparser-0.64.0/src/parser/mod.rs";
        assert_eq!(said(registry).as_deref(), Some("sqlparser-0.64.0/src/parser/mod.rs:7"));
        assert_eq!(
            said("C:\\u\\reg\\csv-1.4.0\\src\\reader.rs").as_deref(),
            Some("csv-1.4.0/src/reader.rs:7")
        );
        for other in [
            "",
            "SELECT name FROM piers",
            "my secret.rs",
            "https://host/x.rs?key=a",
            "a.sqlite",
            "/home/someone/x.rs",
        ] {
            assert_eq!(said(other), None, "{other}");
        }
    }
}
