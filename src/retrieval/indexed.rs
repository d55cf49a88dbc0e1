//! A history with its vectors: what a page or a command line holds to answer questions.

use super::history::{Index, IndexError};
use super::vectors::Vectors;
use crate::history::KnowledgeBase;
use crate::history::store::{self, StoreError, Stored};

/// A text with its vector.
pub type Embedded = (String, Vec<f32>);

/// A knowledge base and, once its texts are embedded, the index over it.
#[derive(Debug, Default)]
pub struct Indexed {
    /// Entries and items.
    pub base: KnowledgeBase,
    /// The encoder that made the vectors, and the index over them; None until there are any.
    pub index: Option<(String, Index)>,
}

impl Indexed {
    /// A knowledge base that is not embedded yet.
    pub fn without_vectors(base: KnowledgeBase) -> Self {
        Self { base, index: None }
    }

    /// Indexes the vectors of `KnowledgeBase::texts`: those of the entries, then those of the items.
    ///
    /// # Errors
    /// When there are not as many vectors as texts, or they have several dimensions.
    pub fn with_vectors(
        base: KnowledgeBase,
        encoder: &str,
        mut vectors: Vec<Vec<f32>>,
    ) -> Result<Self, IndexError> {
        let items = vectors.split_off(base.entries.len().min(vectors.len()));
        let index = Index::new(&base, Vectors::from_rows(&vectors)?, Vectors::from_rows(&items)?)?;
        Ok(Self { base, index: Some((encoder.to_owned(), index)) })
    }

    /// What a file held.
    ///
    /// # Errors
    /// When its vectors do not fit its knowledge base.
    pub fn from_stored(stored: Stored) -> Result<Self, IndexError> {
        let Some(vectors) = stored.vectors else { return Ok(Self::without_vectors(stored.knowledge)) };
        let rows = |flat: &[f32]| -> Vec<Vec<f32>> {
            flat.chunks(vectors.dimension.max(1)).map(<[f32]>::to_vec).collect()
        };
        let mut all = rows(&vectors.entries);
        all.extend(rows(&vectors.items));
        Self::with_vectors(stored.knowledge, &vectors.encoder, all)
    }

    /// The file of this knowledge base, with its vectors.
    ///
    /// # Errors
    /// As [`store::to_json`].
    pub fn to_json(&self) -> Result<String, StoreError> {
        let flat = |vectors: &Vectors| -> Vec<f32> {
            (0..vectors.len()).filter_map(|i| vectors.row(i)).flatten().collect()
        };
        let vectors = self.index.as_ref().map(|(encoder, index)| store::Vectors {
            encoder: encoder.clone(),
            dimension: index.entries().dimension().max(index.items().dimension()),
            entries: flat(index.entries()),
            items: flat(index.items()),
        });
        store::to_json(&self.base, vectors.as_ref())
    }

    /// The vector of each text that was embedded, with the encoder's name: what a larger history need not embed
    /// again.
    pub fn known_vectors(&self) -> Option<(String, Vec<Embedded>)> {
        let (encoder, index) = self.index.as_ref()?;
        let texts = self.base.texts();
        let queries = texts.queries.into_iter().zip((0..).map(|i| index.entries().row(i)));
        let items = texts.items.into_iter().zip((0..).map(|i| index.items().row(i)));
        let known = queries.chain(items).filter_map(|(text, row)| Some((text, row?))).collect();
        Some((encoder.clone(), known))
    }

    /// The index, when `encoder` made its vectors.
    pub fn index_of(&self, encoder: &str) -> Option<&Index> {
        self.index.as_ref().filter(|(name, _)| name == encoder).map(|(_, index)| index)
    }
}
