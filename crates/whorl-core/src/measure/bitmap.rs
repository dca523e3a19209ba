//! A filter before the comparison of two sets: bounds their overlap by looking at a few words of each.

use crate::hash::GOLDEN;

/// The parity, per bit, of the features of a set that hash to it.
///
/// Every bit that differs between two sets requires a feature that only one of them has, so the number of differing
/// bits bounds the overlap: the bitmap filter with xor of Sandes, Teodoro and Melo, "Bitmap filter: Speeding up exact
/// set similarity joins with bitwise operations", Information Systems 88 (2020).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bitmap {
    /// The length is a power of two; a smaller bitmap equals a larger one folded.
    words: Box<[u64]>,
}

/// Bounds on the features shared by two sets.
pub(super) struct Shared {
    pub(super) at_most: usize,
    /// An estimate from the differing bits that accounts for collisions.
    pub(super) about: usize,
}

/// Minimum number of bits per feature; the maximum is twice that. This proves that sets of 1,000 features that share
/// three quarters share less than eight ninths.
const BITS_A_FEATURE: usize = 2;

impl Bitmap {
    /// Maximum number of bytes per feature of a set with more than a few features.
    pub(super) const BYTES_A_FEATURE: usize = (2 * BITS_A_FEATURE).div_ceil(8);

    /// Computes the bitmap of distinct features. Linear.
    pub(super) fn of(features: &[u64]) -> Self {
        let words = (features.len() * BITS_A_FEATURE).div_ceil(64).next_power_of_two();
        let mut words = vec![0u64; words].into_boxed_slice();
        for feature in features {
            let bit = (feature.wrapping_mul(GOLDEN) >> 32) as usize;
            words[bit / 64 % words.len()] ^= 1 << (bit % 64);
        }
        Self { words }
    }

    /// Bounds the overlap with `other`; `features` are the sizes of both sets. Takes a step per word of the longer
    /// bitmap.
    pub(super) fn shared(&self, other: &Self, features: [usize; 2]) -> Shared {
        let [of_one, of_other] = features;
        let together = of_one + of_other;
        let differing = self.differing(other);
        let bits = 64 * self.words.len().min(other.words.len());
        let in_one = match 1.0 - 2.0 * differing as f64 / bits as f64 {
            same if same > 0.0 => (-0.5 * bits as f64 * same.ln()) as usize,
            _ => together,
        };
        let at_most = ((together - differing) / 2).min(of_one).min(of_other);
        Shared { at_most, about: (together.saturating_sub(in_one) / 2).min(at_most) }
    }

    fn differing(&self, other: &Self) -> usize {
        let (short, long) = match self.words.len() <= other.words.len() {
            true => (&self.words, &other.words),
            false => (&other.words, &self.words),
        };
        if short.len() == long.len() {
            return short.iter().zip(long).map(|(one, other)| (one ^ other).count_ones() as usize).sum();
        }
        let mut folded = short.clone();
        for words in long.chunks_exact(short.len()) {
            folded.iter_mut().zip(words).for_each(|(folded, word)| *folded ^= word);
        }
        folded.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn sets() -> impl Strategy<Value = (BTreeSet<u64>, BTreeSet<u64>)> {
        let set = || prop::collection::btree_set(prop_oneof![1u64..400, any::<u64>()], 0..900);
        (set(), set(), 0..900usize).prop_map(|(one, other, common)| {
            let other = one.iter().take(common).copied().chain(other).collect();
            (one, other)
        })
    }

    proptest! {
        #[test]
        fn no_more_is_shared_than_the_bits_allow((one, other) in sets()) {
            let bitmap = |set: &BTreeSet<u64>| Bitmap::of(&set.iter().copied().collect::<Vec<_>>());
            let shared = bitmap(&one).shared(&bitmap(&other), [one.len(), other.len()]);
            prop_assert!(one.intersection(&other).count() <= shared.at_most);
            prop_assert!(shared.about <= shared.at_most);
            let turned = bitmap(&other).shared(&bitmap(&one), [other.len(), one.len()]);
            prop_assert_eq!((turned.at_most, turned.about), (shared.at_most, shared.about));
        }
    }

    #[test]
    fn three_quarters_are_told_from_eight_ninths() {
        let hashes: Vec<u64> = (1..1400u64).map(|number| number.wrapping_mul(GOLDEN) ^ number << 7).collect();
        for count in [100, 300, 1000] {
            let (one, other) = (&hashes[..count], &hashes[count / 4..count / 4 + count]);
            let shared = Bitmap::of(one).shared(&Bitmap::of(other), [count, count]);
            assert!(shared.at_most < count * 8 / 9, "of {count} features {} could be shared", shared.at_most);
            assert!(shared.about.abs_diff(count - count / 4) < count / 20, "of {count} about {}", shared.about);
        }
    }
}
