//! Anchors: equal stretches of two streams, each around a k-gram that is rare in both.
//!
//! # Problem
//!
//! Extending every pair of equal k-grams is quadratic for repetitive texts.
//!
//! # Choice
//!
//! A k-gram is rare if neither stream has it more than [`OCCURRENCES`] times. A stretch around a rare k-gram is
//! extended as far as the streams agree, and every diagonal is walked once. If `d` stretches pass the same place, the
//! rare k-gram that began the last of them occurs `d` times, so the work is at most [`OCCURRENCES`] steps per code
//! point. Of every other k-gram, one pair of occurrences is extended, the last ones: repetitive text has no rare
//! k-grams, and its repetitions lie on few diagonals. No stretch is begun within a long one, since what it covers needs
//! no other source.

use std::ops::Range;

use crate::hash::GOLDEN;

/// Maximum number of occurrences of a rare k-gram in each stream.
pub(crate) const OCCURRENCES: u8 = 4;
/// The width used for most Han texts.
const NARROW: usize = 3;
/// A stretch of this many k-grams is long.
const LONG: usize = 8;
/// Number of chance anchors that make a crowd, in texts over a small alphabet, such as sequences of bases or of digits,
const CROWD: usize = 1 << 15;
/// if there is more than one per this many code points. A megabyte of news compared with other news has one per
/// seventeen.
const CROWDED: usize = 8;
/// Consecutive anchors whose diagonals differ by at most this much belong to one passage and are not due to chance.
const DRIFT: u64 = 24;
/// Marks a k-gram whose last occurrences were walked.
const SEEN: u8 = u8::MAX;
const NONE: u32 = u32::MAX;
/// A 64-bit word per 2⁴ slots, so that few hashes missing from the table reach the slots.
const BITS_A_SLOT: u32 = 4;
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// A stretch that is equal in both streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Its start in the first stream.
    pub a: u32,
    /// Its start in the second stream.
    pub b: u32,
    /// Its length in code points.
    pub length: u32,
}

impl Anchor {
    /// Its end in the first stream.
    pub fn a_end(self) -> u32 {
        self.a + self.length
    }

    /// Its end in the second stream.
    pub fn b_end(self) -> u32 {
        self.b + self.length
    }

    /// Its offset in the first stream minus that in the second.
    fn diagonal(self) -> i64 {
        i64::from(self.a) - i64::from(self.b)
    }

    /// Its range in the first stream.
    pub fn in_a(self) -> Range<usize> {
        self.a as usize..self.a_end() as usize
    }

    /// Its range in the second stream.
    pub fn in_b(self) -> Range<usize> {
        self.b as usize..self.b_end() as usize
    }
}

/// The k-grams of one stream. A stream that is paired with many others in a row is listed once.
#[derive(Default)]
struct Listed {
    units: Vec<u32>,
    width: usize,
    hashes: Vec<u64>,
    /// A Bloom filter of the hashes.
    bloom: Vec<u64>,
    /// For each slot, the last occurrence of its k-gram.
    heads: Vec<u32>,
    /// The previous occurrence of the same k-gram.
    previous: Vec<u32>,
    /// Number of occurrences of a k-gram up to this one, saturated.
    ranks: Vec<u8>,
    shift: u32,
}

/// The k-grams of one stream and the anchors found with them; reused from pair to pair.
#[derive(Default)]
pub(crate) struct Anchors {
    a: Listed,
    hashes_b: Vec<u64>,
    /// By the last occurrence of a k-gram, its number of occurrences in the second stream, saturated.
    counts_b: Vec<u8>,
    /// Positions in the second stream of k-grams of the first, with the last occurrence there.
    common: Vec<(u32, u32)>,
    /// Maximum number of consecutive positions whose k-grams are common to both but not rare.
    frequent: usize,
    width: usize,
    /// By diagonal, the position in the second stream up to which it was walked.
    walked: Vec<u32>,
    /// Sorted by position in the second stream.
    pub stretches: Vec<Anchor>,
    /// Number of compared code points and visited occurrences, to test the bounds on the work.
    pub steps: u64,
}

impl Listed {
    /// Lists the k-grams of a stream, which is not shorter, unless they are listed already.
    fn read(&mut self, units: &[u32], width: usize) {
        if self.width == width && self.units == units {
            return;
        }
        self.width = width;
        self.units.clear();
        self.units.extend_from_slice(units);
        hash_windows(units, width, &mut self.hashes);
        let shift = 64 - (4 * units.len()).next_power_of_two().trailing_zeros().max(BITS_A_SLOT);
        self.shift = shift;
        self.bloom.clear();
        self.bloom.resize(1 << (64 - shift - BITS_A_SLOT), 0);
        self.heads.clear();
        self.heads.resize(1 << (64 - shift), NONE);
        self.previous.clear();
        self.previous.resize(self.hashes.len(), NONE);
        self.ranks.clear();
        self.ranks.resize(self.hashes.len(), 1);
        let (heads, ranks, bloom) = (&mut self.heads[..], &mut self.ranks[..], &mut self.bloom[..]);
        for (place, (&hash, previous)) in self.hashes.iter().zip(&mut self.previous).enumerate() {
            let bit = hash >> (shift - (6 - BITS_A_SLOT));
            bloom[(bit >> 6) as usize] |= 1 << (bit & 63);
            let slot = slot_of(heads, &self.hashes, shift, hash);
            let head = heads[slot];
            if head != NONE {
                *previous = head;
                ranks[place] = ranks[head as usize].saturating_add(1);
            }
            heads[slot] = place as u32;
        }
    }
}

impl Anchors {
    /// Finds the anchors of two streams by `width`-grams, or by wider ones if chance anchors are too numerous. Linear.
    pub fn find(&mut self, a: &[u32], b: &[u32], width: usize) {
        self.find_by(a, b, width);
        while self.are_a_crowd(b.len()) {
            self.find_by(a, b, 2 * self.width);
        }
    }

    /// True if there are too many anchors that are no longer than by chance and do not continue an earlier one.
    fn are_a_crowd(&self, length: usize) -> bool {
        let is_by_chance = |pair: &&[Anchor]| {
            let (before, anchor) = (pair[0], pair[1]);
            anchor.length as usize <= self.width + 1 && anchor.diagonal().abs_diff(before.diagonal()) > DRIFT
        };
        self.stretches.len() > CROWD && CROWDED * self.stretches.windows(2).filter(is_by_chance).count() > length
    }

    fn find_by(&mut self, a: &[u32], b: &[u32], width: usize) {
        self.stretches.clear();
        self.steps = 0;
        self.frequent = 0;
        self.width = width;
        if a.len() < width || b.len() < width {
            return;
        }
        self.a.read(a, width);
        hash_windows(b, width, &mut self.hashes_b);
        self.look_up();
        if self.common.is_empty() {
            return;
        }
        self.walked.clear();
        self.walked.resize(a.len() + b.len(), 0);
        self.walk_rare(a, b, width);
        if self.frequent > 0 {
            self.walk_frequent(a, b, width);
        }
        self.stretches.sort_unstable_by_key(|anchor| (anchor.b, anchor.a));
    }

    /// False if the streams certainly have no common stretch of `length`. Only for less than [`LONG`] k-grams.
    pub fn may_share(&self, length: usize) -> bool {
        let has = |anchor: &Anchor| anchor.length as usize >= length;
        length < self.width || self.frequent + self.width > length || self.stretches.iter().any(has)
    }

    fn is_rare(&self, head: u32) -> bool {
        self.counts_b[head as usize] <= OCCURRENCES && self.a.ranks[head as usize] <= OCCURRENCES
    }

    fn walk_rare(&mut self, a: &[u32], b: &[u32], width: usize) {
        let (mut passed, mut row) = (0, 0..0);
        for index in 0..self.common.len() {
            let (place, head) = self.common[index];
            if !self.is_rare(head) {
                row = if row.end == place { row.start..place + 1 } else { place..place + 1 };
                self.frequent = self.frequent.max(row.len());
                continue;
            }
            if (place as usize) < passed {
                continue;
            }
            let mut occurrence = head;
            while occurrence != NONE {
                let end = self.walk(a, b, occurrence as usize, place as usize, width);
                passed = passed.max((end + 1).saturating_sub(width));
                occurrence = self.a.previous[occurrence as usize];
            }
        }
    }

    /// Extends the last occurrences of each frequent k-gram: repetitive text has no other anchors.
    fn walk_frequent(&mut self, a: &[u32], b: &[u32], width: usize) {
        for index in (0..self.common.len()).rev() {
            let (place, head) = self.common[index];
            if self.counts_b[head as usize] != SEEN && !self.is_rare(head) {
                self.counts_b[head as usize] = SEEN;
                self.walk(a, b, head as usize, place as usize, width);
            }
        }
    }

    fn look_up(&mut self) {
        self.counts_b.clear();
        self.counts_b.resize(self.a.hashes.len(), 0);
        self.common.clear();
        let (heads, hashes, bloom, shift) = (&self.a.heads[..], &self.a.hashes[..], &self.a.bloom[..], self.a.shift);
        for (place, &hash) in self.hashes_b.iter().enumerate() {
            let bit = hash >> (shift - (6 - BITS_A_SLOT));
            if bloom[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 {
                continue;
            }
            let head = heads[slot_of(heads, hashes, shift, hash)];
            if head != NONE {
                self.common.push((place as u32, head));
                let counts_b = &mut self.counts_b[head as usize];
                *counts_b = counts_b.saturating_add(1).min(SEEN - 1);
            }
        }
    }

    /// Extends one common k-gram in both directions, unless its diagonal was already walked there. Returns the end of a
    /// long stretch in the second stream, or 0.
    #[inline(always)]
    fn walk(&mut self, a: &[u32], b: &[u32], in_a: usize, in_b: usize, width: usize) -> usize {
        self.steps += 1;
        let walked = &mut self.walked[in_a + b.len() - in_b];
        if (*walked as usize) > in_b {
            return 0;
        }
        let ahead = common_prefix(&a[in_a..], &b[in_b..]);
        if ahead < width {
            return 0;
        }
        let back = common_suffix(&a[..in_a], &b[(*walked as usize).min(in_b)..in_b]);
        self.steps += (back + ahead) as u64;
        *walked = (in_b + ahead) as u32;
        self.stretches.push(Anchor { a: (in_a - back) as u32, b: (in_b - back) as u32, length: (back + ahead) as u32 });
        if back + ahead >= LONG * width { in_b + ahead } else { 0 }
    }
}

/// Returns the slot of a k-gram, or the empty slot where it belongs.
#[inline(always)]
fn slot_of(heads: &[u32], hashes: &[u64], shift: u32, hash: u64) -> usize {
    let mut slot = (hash >> shift) as usize;
    loop {
        let head = heads[slot];
        if head == NONE || hashes[head as usize] == hash {
            return slot;
        }
        slot = (slot + 1) & (heads.len() - 1);
    }
}

/// Fills `hashes` with the hash of every window, in order.
fn hash_windows(stream: &[u32], width: usize, hashes: &mut Vec<u64>) {
    hashes.clear();
    let add = |sum: u64, unit: u32| sum.wrapping_mul(BASE).wrapping_add(u64::from(unit) + 1);
    if width == NARROW {
        let windows = stream.windows(NARROW);
        hashes.extend(windows.map(|window| add(add(add(0, window[0]), window[1]), window[2]).wrapping_mul(GOLDEN)));
        return;
    }
    let leaving = (0..width).fold(1, |power: u64, _| power.wrapping_mul(BASE));
    let mut hash = stream[..width].iter().fold(0, |sum, &unit| add(sum, unit));
    hashes.push(hash.wrapping_mul(GOLDEN));
    hashes.extend(stream[width..].iter().zip(stream).map(|(&enters, &leaves)| {
        hash = add(hash, enters).wrapping_sub((u64::from(leaves) + 1).wrapping_mul(leaving));
        hash.wrapping_mul(GOLDEN)
    }));
}

const AT_ONCE: usize = 8;

/// Length of the common prefix of two streams.
pub(crate) fn common_prefix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let chunks = a.as_chunks::<AT_ONCE>().0.iter().zip(b.as_chunks::<AT_ONCE>().0);
    let equal = AT_ONCE * chunks.take_while(|(a, b)| a == b).count();
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

/// Length of the common suffix of two streams.
pub(crate) fn common_suffix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    fn stretches(a: &[u32], b: &[u32], width: usize) -> Anchors {
        let mut anchors = Anchors::default();
        anchors.find(a, b, width);
        anchors
    }

    /// The definition: every maximal equal stretch with a k-gram that is rare in both.
    fn slow(a: &[u32], b: &[u32], width: usize) -> Vec<Anchor> {
        let count = |stream: &[u32], gram: &[u32]| stream.windows(width).filter(|window| *window == gram).count();
        let limit = usize::from(OCCURRENCES);
        let mut anchors = Vec::new();
        for in_a in 0..a.len() {
            for in_b in 0..b.len() {
                let begins = in_a == 0 || in_b == 0 || a[in_a - 1] != b[in_b - 1];
                let length = common_prefix(&a[in_a..], &b[in_b..]);
                let is_rare = |gram: &[u32]| count(a, gram) <= limit && count(b, gram) <= limit;
                if begins && length >= width && a[in_a..in_a + length].windows(width).any(is_rare) {
                    anchors.push(Anchor { a: in_a as u32, b: in_b as u32, length: length as u32 });
                }
            }
        }
        anchors.sort_unstable_by_key(|anchor| (anchor.b, anchor.a));
        anchors
    }

    proptest! {
        #[test]
        fn every_anchor_of_the_definition_is_found_and_the_rest_is_equal_too(
            a in proptest::collection::vec(0_u32..6, 0..60),
            b in proptest::collection::vec(0_u32..6, 0..60),
            width in 2_usize..5,
        ) {
            let stretches = stretches(&a, &b, width).stretches;
            for anchor in slow(&a, &b, width) {
                prop_assert!(stretches.contains(&anchor), "{anchor:?} is missing in {stretches:?}");
            }
            for anchor in stretches {
                prop_assert_eq!(&a[anchor.in_a()], &b[anchor.in_b()]);
            }
        }
    }

    #[test]
    fn texts_of_few_signs_have_no_crowd_of_anchors() {
        let random = |seed: u64| (0..1 << 18).map(move |place| (mix(seed << 32 | place) % 4) as u32);
        let planted: Vec<u32> = random(1).take(40).collect();
        let (a, mut b): (Vec<u32>, Vec<u32>) = (random(2).chain(planted.clone()).collect(), random(3).collect());
        b.splice(1000..1000, planted);
        let anchors = stretches(&a, &b, 8);
        assert!(anchors.stretches.len() < CROWD, "{}", anchors.stretches.len());
        assert!(anchors.stretches.iter().any(|anchor| anchor.b <= 1000 && anchor.b_end() >= 1040));
    }

    #[test]
    fn what_was_changed_at_every_sixth_sign_keeps_its_anchors() {
        let a: Vec<u32> = (0..1 << 19).map(|place| (mix(place) % 3000) as u32).collect();
        let b: Vec<u32> = a.chunks(6).flat_map(|chunk| [chunk, &[5000]].concat()).collect();
        assert!(stretches(&a, &b, 5).stretches.len() >= a.len() / 6);
    }

    #[test]
    fn what_repeats_itself_takes_linear_work() {
        let size = 20_000;
        let repeated = vec![7; size];
        let framed = |first: u32, last: u32| [&[first][..], &repeated, &[last]].concat();
        let sentence: Vec<u32> = (0..size as u32).map(|unit| unit % 14).collect();
        let phases: Vec<u32> = (3..size as u32).map(|unit| unit % 14).collect();
        for (a, b) in [(repeated.clone(), repeated.clone()), (framed(1, 2), framed(3, 4)), (sentence, phases)] {
            let anchors = stretches(&a, &b, 3);
            assert!(anchors.steps <= 8 * (a.len() + b.len()) as u64, "{} steps", anchors.steps);
            assert!(anchors.stretches.iter().any(|anchor| anchor.length as usize + 20 > size));
        }
    }
}
