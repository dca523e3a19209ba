//! The text between two anchors: how much of it is equal in both streams, and how the rest was changed.

use crate::text::pinyin::Pinyin;

/// Maximum length of a stretch that is compared code point by code point.
pub(crate) const LONGEST: usize = 64;

/// Differences between two aligned stretches, in folded code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Equal on both sides, in order.
    pub matched: u32,
    /// Replaced by others.
    pub replaced: u32,
    /// Replaced by homophones; included in `replaced`.
    pub homophones: u32,
    /// Only in the second stream.
    pub inserted: u32,
    /// Only in the first stream.
    pub deleted: u32,
}

impl Edits {
    /// The edits of `length` equal code points.
    pub fn equal(length: usize) -> Self {
        Self { matched: length as u32, ..Self::default() }
    }

    /// Adds the edits of another stretch.
    pub fn add(&mut self, other: Self) {
        self.matched += other.matched;
        self.replaced += other.replaced;
        self.homophones += other.homophones;
        self.inserted += other.inserted;
        self.deleted += other.deleted;
    }

    /// Number of folded code points that are equal or homophones.
    pub fn alike(self) -> u32 {
        self.matched + self.homophones
    }

    /// The share of the second stretch that is equal or a homophone, in [0, 1].
    pub fn kept(self) -> f64 {
        let all = self.matched + self.replaced + self.inserted;
        if all == 0 { 0.0 } else { f64::from(self.alike()) / f64::from(all) }
    }

    /// The share of both stretches that is equal, in [0, 1].
    pub fn similarity(self) -> f64 {
        let changed = 2 * self.replaced + self.inserted + self.deleted;
        let all = 2 * self.matched + changed;
        if all == 0 { 0.0 } else { f64::from(2 * self.matched) / f64::from(all) }
    }

    /// Computes the edits of two stretches by their longest common subsequence. If one of them has more than 64 code
    /// points, nothing between them is considered equal.
    pub fn between(a: &[u32], b: &[u32]) -> Self {
        let matched = if a.len().max(b.len()) > LONGEST { 0 } else { common_subsequence(a, b) };
        let homophones = if a.len() == b.len() { homophones(a, b) } else { 0 };
        Self::of_lengths(a.len(), b.len(), matched, homophones)
    }

    /// The edits of two stretches of these lengths with this many equal code points and homophones.
    pub fn of_lengths(a: usize, b: usize, matched: u32, homophones: u32) -> Self {
        let matched = matched.min(a.min(b) as u32);
        let (left_a, left_b) = (a as u32 - matched, b as u32 - matched);
        let replaced = left_a.min(left_b);
        let homophones = homophones.min(replaced);
        Self { matched, replaced, homophones, inserted: left_b - replaced, deleted: left_a - replaced }
    }
}

/// Counts different characters with the same sound, position by position.
fn homophones(a: &[u32], b: &[u32]) -> u32 {
    let pinyin = Pinyin::get();
    let sounds_alike = |a: u32, b: u32| a != b && pinyin.number(a) != 0 && pinyin.number(a) == pinyin.number(b);
    a.iter().zip(b).filter(|&(&a, &b)| sounds_alike(a, b)).count() as u32
}

/// The length of the longest common subsequence, bit-parallel; `a` has at most 64 code points.
///
/// Hyyrö: Bit-parallel LCS-length computation revisited, AWOCA 2004.
fn common_subsequence(a: &[u32], b: &[u32]) -> u32 {
    let mut state = u64::MAX;
    for &unit in b {
        let matches = a.iter().enumerate().fold(0, |bits, (place, &other)| bits | u64::from(other == unit) << place);
        let carried = state & matches;
        state = state.wrapping_add(carried) | (state - carried);
    }
    let unused = if a.len() < LONGEST { u64::MAX << a.len() } else { 0 };
    (!(state | unused)).count_ones()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition by recurrence.
    fn slow_common_subsequence(a: &[u32], b: &[u32]) -> u32 {
        let mut row = vec![0; b.len() + 1];
        for &left in a {
            let mut diagonal = 0;
            for (place, &right) in b.iter().enumerate() {
                let above = row[place + 1];
                row[place + 1] = if left == right { diagonal + 1 } else { above.max(row[place]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #[test]
        fn the_common_subsequence_is_that_of_its_recurrence(
            a in proptest::collection::vec(0_u32..5, 0..=64),
            b in proptest::collection::vec(0_u32..5, 0..=64),
        ) {
            prop_assert_eq!(common_subsequence(&a, &b), slow_common_subsequence(&a, &b));
        }
    }

    #[test]
    fn homophones_are_told_from_other_replacements() {
        let stream = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
        let edits = Edits::between(&stream("在这里"), &stream("再这甲"));
        assert_eq!(edits, Edits { matched: 1, replaced: 2, homophones: 1, inserted: 0, deleted: 0 });
        assert_eq!(Edits::between(&[], &stream("甲乙")), Edits { inserted: 2, ..Edits::default() });
    }
}
