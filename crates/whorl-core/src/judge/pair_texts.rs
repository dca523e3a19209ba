//! The texts of the documents that pairs name, read once each.

use std::sync::OnceLock;

use crate::judge::compare::{Pair, TextSource};

/// The texts of all documents in some pairs, in memory.
pub(super) struct PairTexts {
    /// Ascending.
    documents: Vec<u32>,
    /// In code points, one for each document.
    texts: Vec<OnceLock<Vec<u32>>>,
}

impl PairTexts {
    /// Reads every document of the pairs once.
    ///
    /// # Errors
    /// When a text cannot be read.
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

    /// The documents, ascending.
    pub(super) fn documents(&self) -> &[u32] {
        &self.documents
    }

    /// The place of a document among those read, and its text in code points.
    ///
    /// # Panics
    /// If no pair names the document.
    pub(super) fn of(&self, document: u32) -> (usize, &[u32]) {
        let place = self.documents.binary_search(&document).expect("every document of a pair is read");
        (place, self.texts[place].get().map_or(&[], Vec::as_slice))
    }
}
