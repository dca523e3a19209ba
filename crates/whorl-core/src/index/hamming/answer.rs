//! Queries of the Hamming index, their results, and their cost.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::index::segments::Window;

/// Parameters of a query.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Maximum distance.
    pub k: u32,
    /// Whether to stop at the first code within the distance.
    pub first: bool,
    /// The time window; None for all times.
    pub window: Option<Window>,
    /// Maximum number of results: the nearest codes; ties are ordered by insertion.
    pub limit: usize,
}

/// A code near the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// Its id.
    pub id: u64,
    /// Number of differing bits.
    pub distance: u32,
}

/// A result before the results of all segments are merged and sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlacedNear {
    pub distance: u32,
    /// Position in insertion order.
    pub place: u64,
    pub id: u64,
}

/// Cost of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of query codes.
    pub queries: u64,
    /// Number of keys looked up.
    pub probes: u64,
    /// Number of codes compared.
    pub candidates: u64,
    /// Number of segments scanned completely.
    pub scans: u64,
    /// Codes skipped because more than the limit shared a key.
    pub cut: u64,
    /// Codes within the distance, or rows of an equal code, that exceed the result limit.
    pub unlisted: u64,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: Self) {
        self.queries += other.queries;
        self.probes += other.probes;
        self.candidates += other.candidates;
        self.scans += other.scans;
        self.cut += other.cut;
        self.unlisted += other.unlisted;
    }
}

/// A tally that many threads update.
#[derive(Default)]
pub(super) struct Counters([AtomicU64; 6]);

impl Counters {
    pub fn add(&self, tally: Tally) {
        let Tally { queries, probes, candidates, scans, cut, unlisted } = tally;
        for (counter, value) in self.0.iter().zip([queries, probes, candidates, scans, cut, unlisted]) {
            if value > 0 {
                counter.fetch_add(value, Ordering::Relaxed);
            }
        }
    }

    pub fn tally(&self) -> Tally {
        let [queries, probes, candidates, scans, cut, unlisted] =
            std::array::from_fn(|at| self.0[at].load(Ordering::Relaxed));
        Tally { queries, probes, candidates, scans, cut, unlisted }
    }
}
