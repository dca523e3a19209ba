//! The exact judgement: how alike two texts are, by the features they have.

use std::str::FromStr;

use rapidfuzz::distance::levenshtein;

use super::bitmap::Bitmap;
use crate::hash::GOLDEN;

/// What likeness is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Distinct features in both, of those in either.
    Jaccard,
    /// Distinct features in both, of those in the document that may be dropped.
    Containment,
    /// The cosine of the angle between the counts of features.
    Cosine,
    /// 1 − the distance between the counts of features, each scaled to length 1, over √2: that of strangers.
    Euclidean,
    /// 1 − the edit distance between the sequences of features, over the length of the longer one.
    Edit,
}

/// A similarity with what stands behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// What is in both.
    pub shared: u32,
    /// What is in either, or in the one whose share is asked for.
    pub united: u32,
    /// In [0, 1]; 1 for identical texts.
    pub similarity: f64,
}

impl Figure {
    /// That of texts which fold to the same tokens, by every measure.
    pub const IDENTICAL: Self = Self { shared: 1, united: 1, similarity: 1.0 };
    /// That of texts without features, which equal nothing.
    pub const NOTHING: Self = Self { shared: 0, united: 0, similarity: 0.0 };

    /// A similarity that is a fraction.
    pub fn share(shared: u32, united: u32) -> Self {
        let similarity = if united == 0 { 0.0 } else { f64::from(shared) / f64::from(united) };
        Self { shared, united, similarity }
    }
}

/// The features of one text in the form that a measure compares. The hash 0 stands for 1: they are one feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// Distinct features.
    Set(Set),
    /// Distinct features and how often each occurs, by hash.
    Counts(Vec<(u64, u32)>),
    /// All features in text order, and by hash.
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
    /// The features with these hashes as this measure compares them. Linear, or n log n where they are sorted.
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

    /// The most bytes that a view takes for each feature.
    pub fn bytes_a_feature(self) -> usize {
        match self {
            Self::Jaccard | Self::Containment => 8 + Bitmap::BYTES_A_FEATURE,
            Self::Cosine | Self::Euclidean | Self::Edit => 16,
        }
    }

    /// How alike two texts are; `own` is the one that may be dropped, and was given to [`Scratch::hold`].
    ///
    /// Linear, but for [`Measure::Edit`]: a distance of at most d takes n · d / 32 steps. A figure below `threshold` is
    /// for that measure only an upper bound, found without the distance: in linear time where the counts of features tell
    /// already. For sets it is an estimate, where their bits tell already, or where what is left could not reach the
    /// threshold any more.
    pub fn figure(self, own: &View, other: &View, threshold: f64, scratch: &Scratch) -> Figure {
        match (own, other) {
            (View::Set(own), View::Set(other)) => self.share(own, other, threshold, scratch),
            (View::Counts(own), View::Counts(other)) => angle(own, other, self == Self::Euclidean),
            (View::Sequence(own, own_sorted), View::Sequence(other, other_sorted)) => {
                let common = common_features(own_sorted, other_sorted);
                unchanged(own, other, common, threshold)
            }
            _ => unreachable!("one measure makes one kind of view"),
        }
    }

    /// What is shared with the set that is held, `own`; stops as soon as that is too little.
    fn share(self, own: &Set, other: &Set, threshold: f64, held: &Scratch) -> Figure {
        let (of_own, of_other) = (own.features.len(), other.features.len());
        let figure = |shared: usize| {
            let united = if self == Self::Containment { of_own } else { of_own + of_other - shared };
            Figure::share(shared as u32, united as u32)
        };
        let estimate = |shared: usize| Figure { similarity: figure(shared).similarity, ..Figure::NOTHING };
        let can_be = |shared: usize| figure(shared).similarity >= threshold;
        let by_bits = own.bitmap.shared(&other.bitmap, [of_own, of_other]);
        if !can_be(by_bits.at_most) {
            return estimate(by_bits.about);
        }
        let (mut shared, mut left) = (0, of_other);
        for features in other.features.chunks(AT_ONCE) {
            shared += features.iter().filter(|&&feature| held.has(feature)).count();
            left -= features.len();
            let most = (shared + left).min(of_own);
            if !can_be(most) {
                return estimate((shared * of_other / (of_other - left)).min(most));
            }
        }
        figure(shared)
    }
}

/// Values of a set that are looked up before the next look at what they come to.
const AT_ONCE: usize = 32;

/// An open-addressing table of hashes, cleared and reused from text to text.
#[derive(Default)]
pub struct Scratch {
    slots: Vec<u64>,
    shift: u32,
}

impl Scratch {
    /// Takes the set of a text, with which others are then compared. Linear.
    pub fn hold(&mut self, own: &View) {
        let View::Set(own) = own else { return };
        self.reset(own.features.len());
        for &hash in &own.features {
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

    /// The slot that holds `hash`, or the free one where it belongs. 0 marks a free slot and is never stored.
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

/// The distinct values of `hashes`, linear.
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

/// How many distinct features two texts share, and how many each has; their hashes may repeat. Linear in both.
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

/// The cosine of the angle between two vectors of counts, or how near their ends are when both have length 1.
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
        // |a − b|² / 2 is 1 − cosine, here from whole numbers: the difference of roundings would be all that is left
        // of it for texts that are nearly the same.
        let rest = squares - u128::from(product).pow(2);
        1.0 - (rest as f64 / (root * (root + product as f64))).sqrt()
    } else {
        product as f64 / root
    };
    let united = (a.len() + b.len()) as u32 - shared;
    Figure { shared, united, similarity: similarity.clamp(0.0, 1.0) }
}

/// How many features two texts have in common, repeats counted: no fewer than any edit leaves unchanged.
fn common_features(a: &[u64], b: &[u64]) -> usize {
    let mut common = 0;
    matching(a, b, |&hash| hash, |_, _| common += 1);
    common
}

/// Calls `pair` for the entries of two sorted lists that have the same hash, each entry at most once.
fn matching<T>(a: &[T], b: &[T], hash: impl Fn(&T) -> u64, mut pair: impl FnMut(&T, &T)) {
    let (mut left, mut right) = (0, 0);
    while left < a.len() && right < b.len() {
        match hash(&a[left]).cmp(&hash(&b[right])) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                pair(&a[left], &b[right]);
                (left, right) = (left + 1, right + 1);
            }
        }
    }
}

/// The features of the longer text that no edit touches, of all of them; an upper bound where it is below `threshold`.
fn unchanged(own: &[u64], other: &[u64], common: usize, threshold: f64) -> Figure {
    let longer = own.len().max(other.len());
    // One more than is allowed, so that no rounding can cut off a figure at the threshold.
    let cutoff = ((1.0 - threshold) * longer as f64) as usize + 1;
    let bound = common.min(longer.saturating_sub(cutoff + 1));
    let left = if longer - common > cutoff {
        bound
    } else {
        let limits = levenshtein::Args::default().score_cutoff(cutoff).score_hint(0);
        let distance = levenshtein::distance_with_args(own.iter(), other.iter(), &limits);
        distance.map_or(bound, |distance| longer - distance)
    };
    Figure::share(left as u32, longer as u32)
}

#[cfg(test)]
mod tests;
