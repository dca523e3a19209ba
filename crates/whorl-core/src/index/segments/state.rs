//! What an index holds at one moment. Readers keep the state they began with; a writer makes a new one.

use std::sync::Arc;

use super::{Rows, Segment};

/// Rows of a segment that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dead {
    bits: Vec<u64>,
    count: usize,
}

impl Dead {
    /// Whether a row is among them.
    #[inline]
    pub fn has(&self, row: u32) -> bool {
        self.bits.get(row as usize / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// Adds a row; whether it was not among them before.
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

    /// How many they are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, ascending.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.bits.len() as u32 * 64).filter(|&row| self.has(row))
    }
}

/// A segment and what was removed from it since it was made.
#[derive(Debug)]
pub struct Sealed<S> {
    /// The segment.
    pub segment: Arc<S>,
    /// Its removed rows; none if there are none.
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

    /// How many rows were not removed.
    pub fn living(&self) -> usize {
        self.segment.labels().len() - self.dead.as_ref().map_or(0, |dead| dead.len())
    }

    /// Whether a row was not removed.
    #[inline]
    pub fn is_living(&self, row: u32) -> bool {
        !self.dead.as_ref().is_some_and(|dead| dead.has(row))
    }

    /// What merging it costs, about.
    pub(super) fn weight(&self) -> usize {
        let rows = self.segment.labels().len().max(1);
        (self.segment.weight() as f64 * self.living() as f64 / rows as f64) as usize
    }

    /// Marks rows as removed; how many were not before.
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

/// Segments in the order of adding, and the rows that came after them, as they came.
pub struct State<S: Segment> {
    /// The segments.
    pub segments: Vec<Sealed<S>>,
    /// The rows after them.
    pub recent: Arc<Rows<S::Values>>,
    /// What a row is called that is added without an id.
    pub(super) next_id: u64,
    /// Whether rows have times; unknown as long as there never were any.
    pub(super) timed: Option<bool>,
}

impl<S: Segment> Clone for State<S> {
    fn clone(&self) -> Self {
        Self { segments: self.segments.clone(), recent: self.recent.clone(), next_id: self.next_id, timed: self.timed }
    }
}
