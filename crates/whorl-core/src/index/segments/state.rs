//! An immutable state of an index. Readers keep the state they began with; a writer creates a new one.

use std::sync::Arc;

use super::{Rows, Segment};

/// Removed rows of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dead {
    bits: Vec<u64>,
    count: usize,
}

impl Dead {
    /// True if a row was removed.
    #[inline]
    pub fn has(&self, row: u32) -> bool {
        self.bits.get(row as usize / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// Adds a row. Returns true if it was not removed before.
    pub fn insert(&mut self, row: u32) -> bool {
        if self.has(row) {
            return false;
        }
        let word = row as usize / 64;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (row % 64);
        self.count += 1;
        true
    }

    /// Number of removed rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there are no removed rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The removed rows in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.bits.len() as u32 * 64).filter(|&row| self.has(row))
    }
}

/// A segment with the rows removed since it was built.
#[derive(Debug)]
pub struct Sealed<S> {
    /// The segment.
    pub segment: Arc<S>,
    /// Its removed rows; None if there are none.
    pub dead: Option<Arc<Dead>>,
}

impl<S> Clone for Sealed<S> {
    fn clone(&self) -> Self {
        Self { segment: self.segment.clone(), dead: self.dead.clone() }
    }
}

impl<S: Segment> Sealed<S> {
    pub(super) fn new(segment: S) -> Self {
        Self { segment: Arc::new(segment), dead: None }
    }

    /// Number of rows that were not removed.
    pub fn living(&self) -> usize {
        self.segment.labels().len() - self.dead.as_ref().map_or(0, |dead| dead.len())
    }

    /// True if a row was not removed.
    #[inline]
    pub fn is_living(&self, row: u32) -> bool {
        !self.dead.as_ref().is_some_and(|dead| dead.has(row))
    }

    /// Approximate cost of merging it.
    pub(super) fn weight(&self) -> usize {
        let rows = self.segment.labels().len().max(1);
        (self.segment.weight() as f64 * self.living() as f64 / rows as f64) as usize
    }

    /// Marks rows as removed. Returns how many were not removed before.
    pub(super) fn bury(&mut self, rows: &[u32]) -> usize {
        let mut dead = self.dead.as_deref().cloned().unwrap_or_default();
        let before = dead.len();
        rows.iter().for_each(|&row| _ = dead.insert(row));
        let buried = dead.len() - before;
        if buried > 0 {
            self.dead = Some(Arc::new(dead));
        }
        buried
    }
}

/// Segments in insertion order, and the recent rows after them.
pub struct State<S: Segment> {
    /// The segments.
    pub segments: Vec<Sealed<S>>,
    /// The recent rows.
    pub recent: Arc<Rows<S::Values>>,
    /// The id of the next row added without an id.
    pub(super) next_id: u64,
    /// Whether rows have times; None while there have never been any rows.
    pub(super) timed: Option<bool>,
}

impl<S: Segment> Clone for State<S> {
    fn clone(&self) -> Self {
        Self { segments: self.segments.clone(), recent: self.recent.clone(), next_id: self.next_id, timed: self.timed }
    }
}
