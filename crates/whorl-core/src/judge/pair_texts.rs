//! The texts of the documents in a list of pairs, each read once.

use std::sync::OnceLock;

use crate::judge::compare::{Pair, TextSource};

/// The texts of all documents in some pairs, in memory.
pub(super) struct PairTexts {
    /// In ascending order.
    documents: Vec<u32>,
    /// In code points, one per document.
    texts: Vec<OnceLock<Vec<u32>>>,
}

impl PairTexts {
    /// Reads every document of the pairs once.
    ///
    /// # Errors
    /// If a text cannot be read.
    pub(super) fn read<S: TextSource>(pairs: &[Pair], source: &S) -> Result<Self, S::Error> {
        let mut documents: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        documents.sort_unstable();
        documents.dedup();
        let texts: Vec<OnceLock<Vec<u32>>> = documents.iter().map(|_| OnceLock::new()).collect();
        source.read(&documents, &|position, text| {
            texts[position].get_or_init(|| {
                let mut code_points = Vec::new();
                text.copy_to(&mut code_points);
                code_points
            });
        })?;
        Ok(Self { documents, texts })
    }

    /// The documents in ascending order.
    pub(super) fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// Returns the index and the text of a document, in code points.
    ///
    /// # Panics
    /// If no pair contains the document.
    pub(super) fn of(&self, document: u32) -> (usize, &[u32]) {
        let place = self.documents.binary_search(&document).expect("every document of a pair is read");
        (place, self.texts[place].get().map_or(&[], Vec::as_slice))
    }
}
