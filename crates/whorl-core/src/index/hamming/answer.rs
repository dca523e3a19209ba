//! What is asked of an index, what it answers, and what the answer took.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::index::segments::Window;

/// What a query asks beside its code.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The largest distance.
    pub k: u32,
    /// Whether any one code within it will do.
    pub first: bool,
    /// The times to look at; none for all.
    pub window: Option<Window>,
    /// How many codes are listed at most: the nearest, and of those equally near the ones added first.
    pub most: usize,
}

/// A code near that of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// What it was added as.
    pub id: u64,
    /// Bits in which it differs.
    pub distance: u32,
}

/// A code near that of a query, before the answers of all parts of the index are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub distance: u32,
    /// Place in the order of adding.
    pub place: u64,
    pub id: u64,
}

/// What queries took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Codes that were asked for.
    pub queries: u64,
    /// Keys that were looked up.
    pub probes: u64,
    /// Codes that were compared.
    pub candidates: u64,
    /// Parts of the index that were compared whole.
    pub scans: u64,
    /// Codes that were not compared, since more than the limit shared a key.
    pub cut: u64,
    /// Codes under an equal code, or within the distance, that were not listed, since more than asked for were.
    pub unlisted: u64,
}

impl Tally {
    /// Adds another tally to this one.
    pub fn add(&mut self, other: Self) {
        self.queries += other.queries;
        self.probes += other.probes;
        self.candidates += other.candidates;
        self.scans += other.scans;
        self.cut += other.cut;
        self.unlisted += other.unlisted;
    }
}

/// A tally that many threads add to.
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
