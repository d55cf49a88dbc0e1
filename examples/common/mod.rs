//! What the measuring examples share.
#![allow(dead_code)] // Each example uses its part.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use querylore::db::{Database, Host, introspect};
use querylore::embedding::weights::native;
use querylore::embedding::{ALL_MINILM_L6_V2, Encoder};
use querylore::history::KnowledgeBase;
use querylore::history::builder::Builder;
use querylore::history::import::{RawHistory, RawRecord};
use querylore::ports::blocking::block_on;
use querylore::ports::{Embed, EmbedError};
use querylore::retrieval::{Index, Vectors, remembered};
use querylore::sql::{Schema, tokenize};

/// The folder of benchmark data: `QUERYLORE_DATA`, else beside the repository.
pub fn data() -> PathBuf {
    std::env::var_os("QUERYLORE_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

/// An encoder that remembers: the texts of a history hardly change from one held-out question to the next, nor from
/// one run to the next. Vectors pass through `f16`, as those of the page do, so that a remembered one is the same.
pub struct Memo {
    encoder: Encoder,
    known: RefCell<HashMap<String, Vec<f32>>>,
    file: PathBuf,
}

impl Memo {
    /// The default encoder from the cache; None when it is not there.
    pub fn load() -> Option<Self> {
        let files = native::read_encoder(&native::cache_folder()?, ALL_MINILM_L6_V2.name).ok()?;
        let encoder =
            Encoder::load(&ALL_MINILM_L6_V2, &files.weights, &files.vocabulary, &Default::default()).ok()?;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/example_vectors.bin");
        let known = std::fs::read(&file).ok().and_then(|bytes| remembered::from_bytes(&bytes));
        let known = known.filter(|known| known.encoder == encoder.encoder()).unwrap_or_default().vectors;
        Some(Self { encoder, known: RefCell::new(known), file })
    }

    /// Keeps what was embedded for the next run.
    pub fn save(&self) {
        let (texts, vectors): (Vec<String>, Vec<Vec<f32>>) = self.known.borrow().clone().into_iter().unzip();
        std::fs::write(&self.file, remembered::to_bytes(self.encoder.encoder(), &texts, &vectors)).unwrap();
    }
}

impl Embed for Memo {
    fn encoder(&self) -> &str {
        self.encoder.encoder()
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let new: BTreeSet<&String> =
            texts.iter().filter(|text| !self.known.borrow().contains_key(*text)).collect();
        let new: Vec<String> = new.into_iter().cloned().collect();
        if !new.is_empty() {
            let rows = Vectors::from_rows(&self.encoder.embed(&new).await?).unwrap();
            let vectors = (0..new.len()).map(|row| rows.row(row).unwrap());
            self.known.borrow_mut().extend(new.into_iter().zip(vectors));
        }
        let known = self.known.borrow();
        Ok(texts.iter().map(|text| known[text].clone()).collect())
    }
}

/// A query with the question it answers.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Empty where the history has none.
    pub question: String,
    pub sql: String,
    pub id: i64,
}

/// A query up to white space and the case of words outside quotes.
pub fn same(sql: &str) -> String {
    let pieces = tokenize(sql).into_iter().map(|token| {
        let piece = &sql[token.start..token.end];
        if piece.starts_with(['\'', '"', '`']) { piece.to_owned() } else { piece.to_lowercase() }
    });
    pieces.filter(|piece| !piece.trim().is_empty() && piece != ";").collect::<Vec<_>>().join(" ")
}

/// A history of pairs.
pub fn knowledge<'p>(name: &str, pairs: impl Iterator<Item = &'p Pair>, schema: &Schema) -> KnowledgeBase {
    let records = pairs.zip(1..).map(|(pair, line)| RawRecord {
        sql: pair.sql.clone(),
        question: Some(pair.question.clone()).filter(|question| !question.is_empty()),
        id: Some(pair.id),
        line,
        number: line,
        ..RawRecord::default()
    });
    let history = RawHistory { name: name.to_owned(), records: records.collect(), ..RawHistory::default() };
    built(history, schema)
}

/// A knowledge base of what was read.
pub fn built(history: RawHistory, schema: &Schema) -> KnowledgeBase {
    Builder::new(history, schema.clone()).whole().0
}

/// Its vectors.
pub fn index(embed: &impl Embed, knowledge: &KnowledgeBase) -> Index {
    let texts = knowledge.texts();
    let vectors = |texts: &[String]| Vectors::from_rows(&block_on(embed.embed(texts)).unwrap()).unwrap();
    Index::new(knowledge, vectors(&texts.queries), vectors(&texts.items)).unwrap()
}

/// A database with its schema, as the page reads it; None when the file is no database with tables.
pub fn open(path: &Path) -> Option<(Database, Schema)> {
    let db = Database::from_path(path, Host::default()).ok()?;
    let schema = introspect::schema(&db, &mut Vec::new()).ok()?;
    (!schema.tables.is_empty()).then_some((db, schema))
}
