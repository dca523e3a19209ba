//! Exact similarity of two texts by their features.

use std::str::FromStr;

use rapidfuzz::distance::levenshtein;

use super::bitmap::Bitmap;
use crate::hash::GOLDEN;

/// A similarity measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Distinct features in both, divided by distinct features in either.
    Jaccard,
    /// Distinct features in both, divided by those of the document that may be removed.
    Containment,
    /// The cosine of the angle between the counts of features.
    Cosine,
    /// 1 − d / √2, where d is the distance between the feature counts scaled to length 1; √2 is the distance of texts
    /// without common features.
    Euclidean,
    /// 1 − the edit distance between the feature sequences, divided by the length of the longer one.
    Edit,
}

/// A similarity with its numerator and denominator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Shared amount.
    pub shared: u32,
    /// Total amount: of the union, or of the text whose share is measured.
    pub united: u32,
    /// In [0, 1]; 1 for identical texts.
    pub similarity: f64,
}

impl Figure {
    /// The similarity of texts that fold to the same tokens, by every measure.
    pub const IDENTICAL: Self = Self { shared: 1, united: 1, similarity: 1.0 };
    /// The similarity of a text without features to any text.
    pub const NOTHING: Self = Self { shared: 0, united: 0, similarity: 0.0 };

    /// A similarity that is a fraction.
    pub fn share(shared: u32, united: u32) -> Self {
        let similarity = if united == 0 { 0.0 } else { f64::from(shared) / f64::from(united) };
        Self { shared, united, similarity }
    }
}

/// The features of a text in the form that a measure compares. Hash 0 is replaced by 1, so these two count as the same
/// feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// Distinct features.
    Set(Set),
    /// Distinct features with their counts, sorted by hash.
    Counts(Vec<(u64, u32)>),
    /// All features in text order, and sorted by hash.
    Sequence(Vec<u64>, Vec<u64>),
}

/// Distinct features, in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    features: Vec<u64>,
    bitmap: Bitmap,
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "jaccard" => Self::Jaccard,
            "containment" => Self::Containment,
            "cosine" => Self::Cosine,
            "euclidean" => Self::Euclidean,
            "edit" => Self::Edit,
            _ => return Err(format!("there is no measure '{name}'")),
        })
    }
}

impl Measure {
    /// Converts feature hashes to the form that this measure compares. Linear, or n log n if they are sorted.
    pub fn view(self, hashes: &[u64], scratch: &mut Scratch) -> View {
        let sorted = || {
            let mut sorted: Vec<u64> = hashes.iter().map(|&hash| hash.max(1)).collect();
            sorted.sort_unstable();
            sorted
        };
        match self {
            Self::Jaccard | Self::Containment => {
                let features = distinct(hashes, scratch);
                View::Set(Set { bitmap: Bitmap::of(&features), features })
            }
            Self::Cosine | Self::Euclidean => {
                View::Counts(sorted().chunk_by(u64::eq).map(|run| (run[0], run.len() as u32)).collect())
            }
            Self::Edit => View::Sequence(hashes.iter().map(|&hash| hash.max(1)).collect(), sorted()),
        }
    }

    /// Maximum number of bytes per feature of a view.
    pub fn bytes_a_feature(self) -> usize {
        match self {
            Self::Jaccard | Self::Containment => 8 + Bitmap::BYTES_A_FEATURE,
            Self::Cosine | Self::Euclidean | Self::Edit => 16,
        }
    }

    /// Computes the similarity of two texts. `document` is the text that may be removed and must have been passed to
    /// [`Scratch::hold`].
    ///
    /// Linear, except for [`Measure::Edit`]: a distance of at most d takes n · d / 32 steps. If the similarity is below
    /// `threshold`, an approximation may be returned. [`Measure::Edit`] then returns an upper bound, in linear time if
    /// the feature counts suffice. For sets it is an estimate, if their bitmaps suffice or as soon as the threshold is
    /// out of reach.
    pub fn figure(self, document: &View, other: &View, threshold: f64, scratch: &Scratch) -> Figure {
        match (document, other) {
            (View::Set(document), View::Set(other)) => self.share(document, other, threshold, scratch),
            (View::Counts(document), View::Counts(other)) => angle(document, other, self == Self::Euclidean),
            (View::Sequence(document, own_sorted), View::Sequence(other, other_sorted)) => {
                let common = common_features(own_sorted, other_sorted);
                unchanged(document, other, common, threshold)
            }
            _ => unreachable!("one measure makes one kind of view"),
        }
    }

    /// Computes the overlap with the set held in the table, `document`; stops as soon as the threshold is out of reach.
    fn share(self, document: &Set, other: &Set, threshold: f64, table: &Scratch) -> Figure {
        let (of_own, of_other) = (document.features.len(), other.features.len());
        let figure = |shared: usize| {
            let united = if self == Self::Containment { of_own } else { of_own + of_other - shared };
            Figure::share(shared as u32, united as u32)
        };
        let estimate = |shared: usize| Figure { similarity: figure(shared).similarity, ..Figure::NOTHING };
        let can_be = |shared: usize| figure(shared).similarity >= threshold;
        let by_bits = document.bitmap.shared(&other.bitmap, [of_own, of_other]);
        if !can_be(by_bits.at_most) {
            return estimate(by_bits.about);
        }
        let (mut shared, mut remaining) = (0, of_other);
        for features in other.features.chunks(AT_ONCE) {
            shared += features.iter().filter(|&&feature| table.has(feature)).count();
            remaining -= features.len();
            let maximum = (shared + remaining).min(of_own);
            if !can_be(maximum) {
                return estimate((shared * of_other / (of_other - remaining)).min(maximum));
            }
        }
        figure(shared)
    }
}

/// Values looked up between two checks of the intermediate result.
const AT_ONCE: usize = 32;

/// An open-addressing table of hashes, cleared and reused from text to text.
#[derive(Default)]
pub struct Scratch {
    slots: Vec<u64>,
    shift: u32,
}

impl Scratch {
    /// Loads the set of a text, to compare others with it. Linear.
    pub fn hold(&mut self, document: &View) {
        let View::Set(document) = document else { return };
        self.reset(document.features.len());
        for &hash in &document.features {
            let slot = self.slot(hash);
            self.slots[slot] = hash;
        }
    }

    #[inline(always)]
    fn has(&self, hash: u64) -> bool {
        self.slots[self.slot(hash)] != 0
    }

    fn reset(&mut self, count: usize) {
        let capacity = (count * 2).next_power_of_two().max(16);
        self.shift = 64 - capacity.trailing_zeros();
        self.slots.clear();
        self.slots.resize(capacity, 0);
    }

    /// Returns the slot of `hash`, or the free slot where it belongs. 0 marks a free slot and is never stored.
    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash.wrapping_mul(GOLDEN) >> self.shift) as usize;
        while self.slots[slot] != 0 && self.slots[slot] != hash {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Returns the distinct values of `hashes`. Linear.
fn distinct(hashes: &[u64], scratch: &mut Scratch) -> Vec<u64> {
    scratch.reset(hashes.len());
    let mut distinct = Vec::with_capacity(hashes.len());
    for &hash in hashes {
        let hash = hash.max(1);
        let slot = scratch.slot(hash);
        if scratch.slots[slot] == 0 {
            scratch.slots[slot] = hash;
            distinct.push(hash);
        }
    }
    distinct
}

/// Counts the distinct features that two texts share and that each has; hashes may repeat. Linear in both.
pub(crate) fn overlap(a: &[u64], b: &[u64], scratch: &mut Scratch, marks: &mut Vec<u8>) -> [u32; 3] {
    const IN_A: u8 = 1;
    const IN_B: u8 = 2;
    scratch.reset(a.len() + b.len());
    marks.clear();
    marks.resize(scratch.slots.len(), 0);
    let [mut shared, mut of_a, mut of_b] = [0; 3];
    for &hash in a {
        let slot = scratch.slot(hash.max(1));
        scratch.slots[slot] = hash.max(1);
        of_a += u32::from(marks[slot] == 0);
        marks[slot] = IN_A;
    }
    for &hash in b {
        let slot = scratch.slot(hash.max(1));
        scratch.slots[slot] = hash.max(1);
        let is_new = marks[slot] & IN_B == 0;
        of_b += u32::from(is_new);
        shared += u32::from(is_new && marks[slot] & IN_A != 0);
        marks[slot] |= IN_B;
    }
    [shared, of_a, of_b]
}

/// The cosine of two count vectors, or the similarity by the distance of their unit vectors.
fn angle(a: &[(u64, u32)], b: &[(u64, u32)], as_distance: bool) -> Figure {
    let square = |counts: &[(u64, u32)]| counts.iter().map(|&(_, count)| u64::from(count).pow(2)).sum::<u64>();
    let squares = u128::from(square(a)) * u128::from(square(b));
    if squares == 0 {
        return Figure::NOTHING;
    }
    let (mut product, mut shared) = (0, 0);
    matching(
        a,
        b,
        |entry| entry.0,
        |a, b| {
            product += u64::from(a.1) * u64::from(b.1);
            shared += 1;
        },
    );
    let root = (squares as f64).sqrt();
    let similarity = if as_distance {
        // |a − b|² / 2 is 1 − cosine. It is computed from integers because for nearly identical texts
        // only rounding errors would remain.
        let rest = squares - u128::from(product).pow(2);
        1.0 - (rest as f64 / (root * (root + product as f64))).sqrt()
    } else {
        product as f64 / root
    };
    let united = (a.len() + b.len()) as u32 - shared;
    Figure { shared, united, similarity: similarity.clamp(0.0, 1.0) }
}

/// Counts the features that two texts have in common, with repeats: an upper bound on the features unchanged by any
/// edit.
fn common_features(a: &[u64], b: &[u64]) -> usize {
    let mut common = 0;
    matching(a, b, |&hash| hash, |_, _| common += 1);
    common
}

/// Calls `pair` for entries of two sorted lists with equal hashes; each entry is paired at most once.
fn matching<T>(a: &[T], b: &[T], hash: impl Fn(&T) -> u64, mut pair: impl FnMut(&T, &T)) {
    let (mut at_a, mut at_b) = (0, 0);
    while at_a < a.len() && at_b < b.len() {
        match hash(&a[at_a]).cmp(&hash(&b[at_b])) {
            std::cmp::Ordering::Less => at_a += 1,
            std::cmp::Ordering::Greater => at_b += 1,
            std::cmp::Ordering::Equal => {
                pair(&a[at_a], &b[at_b]);
                (at_a, at_b) = (at_a + 1, at_b + 1);
            }
        }
    }
}

/// The share of the longer text's features that no edit changes; an upper bound if it is below `threshold`.
fn unchanged(document: &[u64], other: &[u64], common: usize, threshold: f64) -> Figure {
    let longer = document.len().max(other.len());
    // One more than allowed, so that rounding cannot cut off a similarity at the threshold.
    let cutoff = ((1.0 - threshold) * longer as f64) as usize + 1;
    let bound = common.min(longer.saturating_sub(cutoff + 1));
    let remaining = if longer - common > cutoff {
        bound
    } else {
        let limits = levenshtein::Args::default().score_cutoff(cutoff).score_hint(0);
        let distance = levenshtein::distance_with_args(document.iter(), other.iter(), &limits);
        distance.map_or(bound, |distance| longer - distance)
    };
    Figure::share(remaining as u32, longer as u32)
}

#[cfg(test)]
mod tests;
