//! Keys of documents that are not in a segment yet.

use crate::index::segments::Values;

/// The keys of each of many documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    keys: Vec<u64>,
    /// The end of each document's keys.
    ends: Vec<usize>,
}

impl Keys {
    /// `counts[i]` of the keys belong to document i.
    ///
    /// # Errors
    /// The counts do not add up to the number of keys.
    pub fn new(keys: Vec<u64>, counts: &[u32]) -> Result<Self, String> {
        let ends = |end: &mut usize, &count: &u32| {
            *end += count as usize;
            Some(*end)
        };
        let ends: Vec<usize> = counts.iter().scan(0, ends).collect();
        let total = ends.last().copied().unwrap_or(0);
        if total != keys.len() {
            return Err(format!("the counts add up to {total}, and there are {} keys", keys.len()));
        }
        Ok(Self { keys, ends })
    }

    /// The keys of a document as passed.
    pub fn of(&self, document: usize) -> &[u64] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        &self.keys[start..self.ends[document]]
    }

    /// The keys of each document.
    pub fn documents(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.ends.len()).map(|document| self.of(document))
    }

    /// Total number of keys as passed.
    pub fn total(&self) -> usize {
        self.keys.len()
    }
}

impl Values for Keys {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn append(&mut self, other: &Self) {
        let before = self.keys.len();
        self.keys.extend_from_slice(&other.keys);
        self.ends.extend(other.ends.iter().map(|end| end + before));
    }

    fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::default();
        for &row in rows {
            selected.keys.extend_from_slice(self.of(row));
            selected.ends.push(selected.keys.len());
        }
        selected
    }

    fn weight(&self, row: usize) -> usize {
        self.of(row).len()
    }
}
