//! Anchors: stretches that two streams have alike, each around a k-gram that is rare in both.
//!
//! A k-gram counts as rare when neither stream has it more than [`OCCURRENCES`] times. A stretch is extended as far as
//! the streams agree; on every diagonal it is walked once. Where `d` stretches pass the same place, the rare k-gram that
//! began the last of them occurs `d` times, so the work is at most [`OCCURRENCES`] steps a code point. Of every other
//! k-gram one pair of occurrences is extended, the last ones: text that repeats itself has no rare k-grams, and its
//! repetitions lie on few diagonals. Within a long stretch no other is begun: what it covers needs no other source.

use std::ops::Range;

use crate::hash::GOLDEN;

/// In each of two streams a rare k-gram occurs at most so often.
pub(crate) const OCCURRENCES: u8 = 4;
/// The width that most texts of Han characters have.
const NARROW: usize = 3;
/// A stretch of so many k-grams is long.
const LONG: usize = 8;
/// So many anchors by chance are a crowd, in texts of few signs, such as sequences of bases or of digits,
const CROWD: usize = 1 << 15;
/// where they are more than one to so many code points: a megabyte of news beside other news has one to seventeen.
const CROWDED: usize = 8;
/// Anchors that follow each other on diagonals no further apart are of one passage, which chance does not make.
const DRIFT: u64 = 24;
/// Marks a k-gram whose last occurrences were walked.
const SEEN: u8 = u8::MAX;
const NONE: u32 = u32::MAX;
/// A word of 64 bits for 2⁴ slots, so that few hashes of strangers get as far as the slots.
const BITS_A_SLOT: u32 = 4;
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// A stretch that is the same in both streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Anchor {
    /// Where it begins in the first stream.
    pub a: u32,
    /// Where it begins in the second.
    pub b: u32,
    /// Its code points.
    pub length: u32,
}

impl Anchor {
    /// Behind its last code point in the first stream.
    pub fn a_end(self) -> u32 {
        self.a + self.length
    }

    /// Behind its last code point in the second stream.
    pub fn b_end(self) -> u32 {
        self.b + self.length
    }

    /// How much further on it lies in the first stream than in the second.
    fn diagonal(self) -> i64 {
        i64::from(self.a) - i64::from(self.b)
    }

    /// Where it lies in the first stream.
    pub fn in_a(self) -> Range<usize> {
        self.a as usize..self.a_end() as usize
    }

    /// Where it lies in the second stream.
    pub fn in_b(self) -> Range<usize> {
        self.b as usize..self.b_end() as usize
    }
}

/// The k-grams of one stream and what is found through them; reused from pair to pair.
#[derive(Default)]
pub(crate) struct Anchors {
    hashes_a: Vec<u64>,
    hashes_b: Vec<u64>,
    /// A bit for each hash that the first stream may have.
    known: Vec<u64>,
    /// Of each slot, the last occurrence of its k-gram.
    heads: Vec<u32>,
    /// The occurrence of the same k-gram before.
    previous: Vec<u32>,
    /// How many occurrences a k-gram has up to this one, as far as matters.
    ranks: Vec<u8>,
    /// By the last occurrence of a k-gram, how often the second stream has it, as far as matters.
    wanted: Vec<u8>,
    /// Places of the second stream with a k-gram of the first one, and its last occurrence there.
    common: Vec<(u32, u32)>,
    /// The most places in a row whose k-grams are common, but not rare.
    frequent: usize,
    width: usize,
    /// By diagonal, how far in the second stream it was walked.
    walked: Vec<u32>,
    /// By place in the second stream.
    pub found: Vec<Anchor>,
    /// Code points compared and occurrences visited, for bounds on the work.
    pub steps: u64,
}

impl Anchors {
    /// Finds the anchors of two streams by `width`-grams, or by wider ones where chance makes a crowd of them. Linear.
    pub fn find(&mut self, a: &[u32], b: &[u32], width: usize) {
        self.find_by(a, b, width);
        while self.are_a_crowd(b.len()) {
            self.find_by(a, b, 2 * self.width);
        }
    }

    /// Whether so many of the anchors are as short as those that chance makes, and continue none before.
    fn are_a_crowd(&self, length: usize) -> bool {
        let is_by_chance = |pair: &&[Anchor]| {
            let (before, anchor) = (pair[0], pair[1]);
            anchor.length as usize <= self.width + 1 && anchor.diagonal().abs_diff(before.diagonal()) > DRIFT
        };
        self.found.len() > CROWD && CROWDED * self.found.windows(2).filter(is_by_chance).count() > length
    }

    fn find_by(&mut self, a: &[u32], b: &[u32], width: usize) {
        self.found.clear();
        self.steps = 0;
        self.frequent = 0;
        self.width = width;
        if a.len() < width || b.len() < width {
            return;
        }
        hash_windows(a, width, &mut self.hashes_a);
        hash_windows(b, width, &mut self.hashes_b);
        let shift = 64 - (4 * a.len()).next_power_of_two().trailing_zeros().max(BITS_A_SLOT);
        self.list(shift);
        self.look_up(shift);
        if self.common.is_empty() {
            return;
        }
        self.walked.clear();
        self.walked.resize(a.len() + b.len(), 0);
        self.walk_rare(a, b, width);
        if self.frequent > 0 {
            self.walk_frequent(a, b, width);
        }
        self.found.sort_unstable_by_key(|anchor| (anchor.b, anchor.a));
    }

    /// False if the streams have no stretch of `length` in common for certain. Only of less than [`LONG`] k-grams.
    pub fn may_share(&self, length: usize) -> bool {
        let has = |anchor: &Anchor| anchor.length as usize >= length;
        length < self.width || self.frequent + self.width > length || self.found.iter().any(has)
    }

    fn is_rare(&self, head: u32) -> bool {
        self.wanted[head as usize] <= OCCURRENCES && self.ranks[head as usize] <= OCCURRENCES
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
                occurrence = self.previous[occurrence as usize];
            }
        }
    }

    /// Extends the last occurrences of each k-gram that is not rare: what repeats itself has no other anchors.
    fn walk_frequent(&mut self, a: &[u32], b: &[u32], width: usize) {
        for index in (0..self.common.len()).rev() {
            let (place, head) = self.common[index];
            if self.wanted[head as usize] != SEEN && !self.is_rare(head) {
                self.wanted[head as usize] = SEEN;
                self.walk(a, b, head as usize, place as usize, width);
            }
        }
    }

    fn list(&mut self, shift: u32) {
        self.known.clear();
        self.known.resize(1 << (64 - shift - BITS_A_SLOT), 0);
        self.heads.clear();
        self.heads.resize(1 << (64 - shift), NONE);
        self.previous.clear();
        self.previous.resize(self.hashes_a.len(), NONE);
        self.ranks.clear();
        self.ranks.resize(self.hashes_a.len(), 1);
        let (heads, ranks, known) = (&mut self.heads[..], &mut self.ranks[..], &mut self.known[..]);
        for (place, (&hash, previous)) in self.hashes_a.iter().zip(&mut self.previous).enumerate() {
            let bit = hash >> (shift - (6 - BITS_A_SLOT));
            known[(bit >> 6) as usize] |= 1 << (bit & 63);
            let slot = slot_of(heads, &self.hashes_a, shift, hash);
            let head = heads[slot];
            if head != NONE {
                *previous = head;
                ranks[place] = ranks[head as usize].saturating_add(1);
            }
            heads[slot] = place as u32;
        }
    }

    fn look_up(&mut self, shift: u32) {
        self.wanted.clear();
        self.wanted.resize(self.hashes_a.len(), 0);
        self.common.clear();
        let (heads, hashes, known) = (&self.heads[..], &self.hashes_a[..], &self.known[..]);
        for (place, &hash) in self.hashes_b.iter().enumerate() {
            let bit = hash >> (shift - (6 - BITS_A_SLOT));
            if known[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 {
                continue;
            }
            let head = heads[slot_of(heads, hashes, shift, hash)];
            if head != NONE {
                self.common.push((place as u32, head));
                let wanted = &mut self.wanted[head as usize];
                *wanted = wanted.saturating_add(1).min(SEEN - 1);
            }
        }
    }

    /// Extends one common k-gram both ways, if its diagonal has not been walked so far. Returns where a stretch that is
    /// long ends in the second stream, or 0.
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
        self.found.push(Anchor { a: (in_a - back) as u32, b: (in_b - back) as u32, length: (back + ahead) as u32 });
        if back + ahead >= LONG * width { in_b + ahead } else { 0 }
    }
}

/// The slot of a k-gram: the one that has it, or the empty one where it would be.
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

/// Puts the hash of every window into `hashes`, in order.
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

/// How many code points two streams have in common at their beginnings.
pub(crate) fn common_prefix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let chunks = a.as_chunks::<AT_ONCE>().0.iter().zip(b.as_chunks::<AT_ONCE>().0);
    let equal = AT_ONCE * chunks.take_while(|(a, b)| a == b).count();
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

/// How many code points two streams have in common at their ends.
pub(crate) fn common_suffix<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    fn found(a: &[u32], b: &[u32], width: usize) -> Anchors {
        let mut anchors = Anchors::default();
        anchors.find(a, b, width);
        anchors
    }

    /// Every stretch that is the same, cannot be extended, and has a k-gram that is rare in both; by definition.
    fn slow(a: &[u32], b: &[u32], width: usize) -> Vec<Anchor> {
        let count = |stream: &[u32], gram: &[u32]| stream.windows(width).filter(|window| *window == gram).count();
        let most = usize::from(OCCURRENCES);
        let mut anchors = Vec::new();
        for in_a in 0..a.len() {
            for in_b in 0..b.len() {
                let begins = in_a == 0 || in_b == 0 || a[in_a - 1] != b[in_b - 1];
                let length = common_prefix(&a[in_a..], &b[in_b..]);
                let is_rare = |gram: &[u32]| count(a, gram) <= most && count(b, gram) <= most;
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
            let found = found(&a, &b, width).found;
            for anchor in slow(&a, &b, width) {
                prop_assert!(found.contains(&anchor), "{anchor:?} is missing in {found:?}");
            }
            for anchor in found {
                prop_assert_eq!(&a[anchor.in_a()], &b[anchor.in_b()]);
            }
        }
    }

    #[test]
    fn texts_of_few_signs_have_no_crowd_of_anchors() {
        let drawn = |seed: u64| (0..1 << 18).map(move |place| (mix(seed << 32 | place) % 4) as u32);
        let planted: Vec<u32> = drawn(1).take(40).collect();
        let (a, mut b): (Vec<u32>, Vec<u32>) = (drawn(2).chain(planted.clone()).collect(), drawn(3).collect());
        b.splice(1000..1000, planted);
        let anchors = found(&a, &b, 8);
        assert!(anchors.found.len() < CROWD, "{}", anchors.found.len());
        assert!(anchors.found.iter().any(|anchor| anchor.b <= 1000 && anchor.b_end() >= 1040));
    }

    #[test]
    fn what_was_changed_at_every_sixth_sign_keeps_its_anchors() {
        let a: Vec<u32> = (0..1 << 19).map(|place| (mix(place) % 3000) as u32).collect();
        let b: Vec<u32> = a.chunks(6).flat_map(|chunk| [chunk, &[5000]].concat()).collect();
        assert!(found(&a, &b, 5).found.len() >= a.len() / 6);
    }

    #[test]
    fn what_repeats_itself_takes_linear_work() {
        let size = 20_000;
        let one = vec![7; size];
        let framed = |first: u32, last: u32| [&[first][..], &one, &[last]].concat();
        let sentence: Vec<u32> = (0..size as u32).map(|unit| unit % 14).collect();
        let phases: Vec<u32> = (3..size as u32).map(|unit| unit % 14).collect();
        for (a, b) in [(one.clone(), one.clone()), (framed(1, 2), framed(3, 4)), (sentence, phases)] {
            let anchors = found(&a, &b, 3);
            assert!(anchors.steps <= 8 * (a.len() + b.len()) as u64, "{} steps", anchors.steps);
            assert!(anchors.found.iter().any(|anchor| anchor.length as usize + 20 > size));
        }
    }
}
