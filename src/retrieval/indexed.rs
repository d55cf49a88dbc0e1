//! A history with its vectors: what a page or a command line holds to answer questions.

use super::history::{Index, IndexError};
use super::vectors::Vectors;
use crate::history::KnowledgeBase;
use crate::history::store::{self, StoreError, Stored};

/// A text with its vector.
pub type Embedded = (String, Vec<f32>);

/// A knowledge base and, once its texts are embedded, the index over it.
#[derive(Debug, Clone, Default)]
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
        mut base: KnowledgeBase,
        encoder: &str,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Self, IndexError> {
        for item in &mut base.items {
            item.edit.indexed_as = None;
        }
        Self::tied(base, encoder, vectors)
    }

    fn tied(base: KnowledgeBase, encoder: &str, mut vectors: Vec<Vec<f32>>) -> Result<Self, IndexError> {
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
        Self::tied(stored.knowledge, &vectors.encoder, all)
    }

    /// This history with another description of an item; None, white space and the rules' own words bring the rules'
    /// description back. The item keeps its vector, which is of the text before.
    pub fn described(&self, item: u32, description: Option<&str>) -> Self {
        let mut changed = self.clone();
        if let Some(item) = changed.base.items.get_mut(item as usize) {
            let before = item.text();
            let own = item.description.trim();
            let new = description.map(str::trim).filter(|text| !text.is_empty() && *text != own);
            item.edit.description = new.map(str::to_owned);
            let now = item.text();
            if self.index.is_some() {
                let indexed = item.edit.indexed_as.take().unwrap_or(before);
                item.edit.indexed_as = (indexed != now).then_some(indexed);
            }
        }
        changed
    }

    /// This history with an item left out of retrieval, or taken in again.
    pub fn with_hidden(&self, item: u32, hidden: bool) -> Self {
        let mut changed = self.clone();
        if let Some(item) = changed.base.items.get_mut(item as usize) {
            item.edit.hidden = hidden;
        }
        changed
    }

    /// Number of items whose vector is not of their text.
    pub fn not_indexed(&self) -> usize {
        self.base.items.iter().filter(|item| item.edit.indexed_as.is_some()).count()
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
        let embedded = self.base.items.iter().zip(texts.items);
        let embedded = embedded.map(|(item, text)| item.edit.indexed_as.clone().unwrap_or(text));
        let items = embedded.zip((0..).map(|i| index.items().row(i)));
        let known = queries.chain(items).filter_map(|(text, row)| Some((text, row?))).collect();
        Some((encoder.clone(), known))
    }

    /// This history as if the entry of that id had never been in it: later ids are one less, an item that occurred
    /// nowhere else is gone, and so are their vectors. The words that rules wrote about an item stay.
    ///
    /// # Errors
    /// When the vectors do not fit the knowledge base.
    pub fn without(&self, entry: u32) -> Result<Self, IndexError> {
        let mut base = KnowledgeBase::default();
        let mut kept = Vec::new();
        let mut numbers = std::collections::HashMap::new();
        for (item, old) in self.base.items.iter().zip(0_u32..) {
            let mut item = item.clone();
            item.occurrences.retain(|occurrence| occurrence.entry != entry);
            for occurrence in &mut item.occurrences {
                occurrence.entry -= u32::from(occurrence.entry > entry);
            }
            if !item.occurrences.is_empty() {
                numbers.insert(old, kept.len() as u32);
                kept.push(old as usize);
                base.items.push(item);
            }
        }
        let others = || (0..self.base.entries.len()).filter(|at| *at != entry as usize);
        for (at, id) in others().zip(0_u32..) {
            let Some(old) = self.base.entries.get(at) else { continue };
            base.entries.push(crate::history::Entry { id, ..old.clone() });
            base.summaries.push(self.base.summaries.get(at).cloned().unwrap_or_default());
            let items = self.base.entry_items.get(at).into_iter().flatten();
            base.entry_items.push(items.filter_map(|item| numbers.get(item).copied()).collect());
        }
        let Some((encoder, index)) = &self.index else { return Ok(Self::without_vectors(base)) };
        let rows = |vectors: &Vectors, places: &mut dyn Iterator<Item = usize>| {
            Vectors::from_rows(&places.filter_map(|at| vectors.row(at)).collect::<Vec<_>>())
        };
        let entries = rows(index.entries(), &mut others())?;
        let items = rows(index.items(), &mut kept.into_iter())?;
        let index = Index::new(&base, entries, items)?;
        Ok(Self { base, index: Some((encoder.clone(), index)) })
    }

    /// The index, when `encoder` made its vectors.
    pub fn index_of(&self, encoder: &str) -> Option<&Index> {
        self.index.as_ref().filter(|(name, _)| name == encoder).map(|(_, index)| index)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::history::{Edit, Entry, Item, Occurrence};
    use crate::sql::ComponentType;

    fn indexed() -> Indexed {
        let occurrence = Occurrence { entry: 0, sql: "a".into(), literals: Vec::new(), lines: None };
        let item = Item {
            kind: ComponentType::Condition,
            skeleton: "t.a = <val>".into(),
            title: "Active".into(),
            description: "Rows whose a is given.".into(),
            occurrences: vec![occurrence],
            tables: Vec::new(),
            columns: Vec::new(),
            edit: Edit::default(),
        };
        let base = KnowledgeBase {
            entries: vec![Entry { sql: "SELECT a".into(), ..Entry::default() }],
            summaries: vec![String::new()],
            items: vec![item],
            entry_items: vec![vec![0]],
        };
        Indexed::with_vectors(base, "tiny", vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap()
    }

    fn known_texts(indexed: &Indexed) -> Vec<String> {
        indexed.known_vectors().unwrap().1.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn a_vector_is_known_by_the_text_it_was_made_from() {
        let before = indexed();
        let text = before.base.items[0].text();
        let edited = before.described(0, Some("  Customers who paid this year. "));
        assert_eq!(edited.base.items[0].said(), "Customers who paid this year.");
        assert_eq!(edited.not_indexed(), 1);
        assert_eq!(known_texts(&edited), known_texts(&before));
        // A second edit keeps the text of the vector; taking all back makes the vector right again.
        let again = edited.described(0, Some("Customers."));
        assert_eq!(again.base.items[0].edit.indexed_as.as_deref(), Some(text.as_str()));
        let back = again.described(0, None);
        assert_eq!((back.not_indexed(), &back.base), (0, &before.base));
    }

    #[test]
    fn the_rules_own_words_and_white_space_are_no_edit() {
        let before = indexed();
        for same in ["", " \n", "Rows whose a is given. "] {
            assert_eq!(before.described(0, Some(same)).base, before.base);
        }
        assert_eq!(before.described(7, Some("x")).base, before.base);
    }

    #[test]
    fn edits_are_in_the_file_and_a_new_index_is_up_to_date() {
        let edited = indexed().described(0, Some("Customers.")).with_hidden(0, true);
        let read =
            Indexed::from_stored(store::from_json(edited.to_json().unwrap().as_bytes()).unwrap()).unwrap();
        assert_eq!((&read.base, read.not_indexed()), (&edited.base, 1));
        let again = Indexed::with_vectors(read.base, "tiny", vec![vec![1.0, 0.0]; 2]).unwrap();
        assert_eq!(again.not_indexed(), 0);
        assert!(again.base.items[0].edit.hidden && known_texts(&again)[1].contains("Customers"));
    }

    #[test]
    fn an_entry_that_was_never_there_leaves_nothing_behind() {
        let mut both = indexed().base;
        let mut second = both.items[0].clone();
        (second.skeleton, second.occurrences[0].entry) = ("t.b".into(), 1);
        let mut shared = second.clone();
        shared.occurrences.insert(0, Occurrence { entry: 0, ..shared.occurrences[0].clone() });
        both.items.extend([second, shared]);
        both.entries.push(Entry { id: 1, sql: "SELECT b".into(), ..Entry::default() });
        both.summaries.push("b".into());
        both.entry_items = vec![vec![0, 2], vec![1, 2]];
        let row = |n: usize| (0..5).map(|at| if at == n { 1.0 } else { 0.0 }).collect::<Vec<f32>>();
        let both = Indexed::with_vectors(both, "tiny", (0..5).map(row).collect()).unwrap();
        let left = both.without(0).unwrap();
        assert_eq!(left.base.entries, [Entry { id: 0, sql: "SELECT b".into(), ..Entry::default() }]);
        assert_eq!((left.base.items.len(), left.base.entry_items[0].as_slice()), (2, &[0, 1][..]));
        assert!(left.base.items.iter().all(|item| item.occurrences.len() == 1));
        let index = left.index_of("tiny").unwrap();
        assert_eq!((index.entries().row(0), index.items().row(1)), (Some(row(1)), Some(row(4))));
        assert_eq!(both.without(9).unwrap().base, both.base);
    }
}
