//! What an index holds at one moment. Readers keep the state they began with; a writer makes a new one.

use std::sync::Arc;

use super::code::Code;
use super::segment::Segment;
use super::segment_build::Rows;

/// Rows of a segment that were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dead {
    bits: Vec<u64>,
    count: usize,
}

impl Dead {
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

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.bits.len() as u32 * 64).filter(|&row| self.has(row))
    }
}

/// A segment and what was removed from it since it was made.
pub(super) struct Sealed<C> {
    pub segment: Arc<Segment<C>>,
    pub dead: Option<Arc<Dead>>,
}

impl<C> Clone for Sealed<C> {
    fn clone(&self) -> Self {
        Self { segment: self.segment.clone(), dead: self.dead.clone() }
    }
}

impl<C: Code> Sealed<C> {
    pub fn new(segment: Segment<C>) -> Self {
        Self { segment: Arc::new(segment), dead: None }
    }

    pub fn living(&self) -> usize {
        self.segment.len() - self.dead.as_ref().map_or(0, |dead| dead.len())
    }

    /// Marks rows as removed; how many were not before.
    pub fn bury(&mut self, rows: &[u32]) -> usize {
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
pub(super) struct State<C> {
    pub segments: Vec<Sealed<C>>,
    pub recent: Arc<Rows<C>>,
    /// What a row is called that is added without an id.
    pub next_id: u64,
    /// Whether rows have times; unknown as long as there never were any.
    pub timed: Option<bool>,
}

impl<C> Clone for State<C> {
    fn clone(&self) -> Self {
        Self { segments: self.segments.clone(), recent: self.recent.clone(), next_id: self.next_id, timed: self.timed }
    }
}
