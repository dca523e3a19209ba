//! Codes as machine words.

use std::fmt::Debug;
use std::hash::Hash;

use bytemuck::Pod;

/// A word that holds a code. Shorter codes occupy its highest bits, so that "the first bits" has the same meaning for
/// all.
///
/// The operations are methods, because no operator is defined for `[u128; 2]`, the word of 256 bits, higher half first.
pub trait Code: Pod + Ord + Hash + Debug + Send + Sync {
    /// Bits of the word.
    const WIDTH: u32;

    /// The word with this value in words of 64 bits, the lowest first; missing words are zero, and surplus ones ignored.
    fn from_words(words: &[u64]) -> Self;

    /// The word moved up by fewer bits than it has.
    fn up(self, bits: u32) -> Self;

    /// The word moved down by fewer bits than it has.
    fn down(self, bits: u32) -> Self;

    /// The bits that are set in both words.
    fn and(self, other: Self) -> Self;

    /// The bits that are set in either word.
    fn or(self, other: Self) -> Self;

    /// The bits in which two words differ.
    fn differing(self, other: Self) -> Self;

    /// All other bits.
    fn inverted(self) -> Self;

    /// Number of bits in which two words differ.
    fn distance(self, other: Self) -> u32;

    /// The lowest bits, as many as fit into a `usize`.
    fn low(self) -> usize;

    /// A word whose lowest `width` bits are set.
    #[inline(always)]
    fn ones(width: u32) -> Self {
        if width == 0 { Self::zeroed() } else { Self::zeroed().inverted().down(Self::WIDTH - width) }
    }

    /// The code of `bits` bits with this value, as for [`Code::from_words`], at the top of the word.
    #[inline(always)]
    fn from_value(words: &[u64], bits: u32) -> Self {
        Self::from_words(words).up(Self::WIDTH - bits)
    }

    /// The highest `width` bits as a number.
    #[inline(always)]
    fn top(self, width: u32) -> usize {
        if width == 0 { 0 } else { self.down(Self::WIDTH - width).low() }
    }
}

macro_rules! word {
    ($word:ty) => {
        impl Code for $word {
            const WIDTH: u32 = <$word>::BITS;

            #[inline(always)]
            fn from_words(words: &[u64]) -> Self {
                let words = words.iter().take(Self::BITS as usize / 64).enumerate();
                words.map(|(place, &word)| <$word>::from(word) << (64 * place)).fold(0, |sum, word| sum | word)
            }

            #[inline(always)]
            fn up(self, bits: u32) -> Self {
                self << bits
            }

            #[inline(always)]
            fn down(self, bits: u32) -> Self {
                self >> bits
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn differing(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn inverted(self) -> Self {
                !self
            }

            #[inline(always)]
            fn distance(self, other: Self) -> u32 {
                (self ^ other).count_ones()
            }

            #[inline(always)]
            fn low(self) -> usize {
                self as usize
            }
        }
    };
}

word!(u64);
word!(u128);

impl Code for [u128; 2] {
    const WIDTH: u32 = 256;

    #[inline(always)]
    fn from_words(words: &[u64]) -> Self {
        let (low, high) = words.split_at(words.len().min(2));
        [u128::from_words(high), u128::from_words(low)]
    }

    #[inline(always)]
    fn up(self, bits: u32) -> Self {
        let [high, low] = self;
        match bits {
            0 => self,
            1..128 => [high << bits | low >> (128 - bits), low << bits],
            _ => [low << (bits - 128), 0],
        }
    }

    #[inline(always)]
    fn down(self, bits: u32) -> Self {
        let [high, low] = self;
        match bits {
            0 => self,
            1..128 => [high >> bits, low >> bits | high << (128 - bits)],
            _ => [0, high >> (bits - 128)],
        }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        [self[0] & other[0], self[1] & other[1]]
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        [self[0] | other[0], self[1] | other[1]]
    }

    #[inline(always)]
    fn differing(self, other: Self) -> Self {
        [self[0] ^ other[0], self[1] ^ other[1]]
    }

    #[inline(always)]
    fn inverted(self) -> Self {
        [!self[0], !self[1]]
    }

    #[inline(always)]
    fn distance(self, other: Self) -> u32 {
        (self[0] ^ other[0]).count_ones() + (self[1] ^ other[1]).count_ones()
    }

    #[inline(always)]
    fn low(self) -> usize {
        self[1] as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The bits of a word, the lowest first, read one by one.
    fn bits<C: Code>(word: C) -> Vec<bool> {
        (0..C::WIDTH).map(|place| word.down(place).low() & 1 == 1).collect()
    }

    proptest! {
        #[test]
        fn a_word_of_256_bits_has_the_bits_of_its_four_words(words: [u64; 4], other: [u64; 4], moved in 0_u32..256) {
            let word = <[u128; 2]>::from_words(&words);
            let expected: Vec<bool> = words.iter().flat_map(|&word| bits(word)).collect();
            prop_assert_eq!(bits(word), expected.clone());
            let up = [vec![false; moved as usize], expected[..256 - moved as usize].to_vec()].concat();
            prop_assert_eq!(bits(word.up(moved)), up);
            let down = [expected[moved as usize..].to_vec(), vec![false; moved as usize]].concat();
            prop_assert_eq!(bits(word.down(moved)), down);
            let count: u32 = words.iter().zip(&other).map(|(a, b)| a.distance(*b)).sum();
            prop_assert_eq!(word.distance(Code::from_words(&other)), count);
            let high_first = |words: [u64; 4]| words.into_iter().rev().collect::<Vec<_>>();
            let order = high_first(words).cmp(&high_first(other));
            prop_assert_eq!(word.cmp(&Code::from_words(&other)), order);
        }
    }
}
