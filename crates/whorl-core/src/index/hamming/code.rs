//! Codes as machine words.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use bytemuck::Pod;

/// A word that holds a code. Shorter codes occupy its highest bits, so that "the first bits" has the same meaning for
/// all.
pub trait Code:
    Pod
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Bits of the word.
    const WIDTH: u32;

    /// A word with the lowest bits of `value`.
    fn truncated(value: u128) -> Self;

    /// The word as a number.
    fn widened(self) -> u128;

    /// Number of bits in which two words differ.
    fn distance(self, other: Self) -> u32;

    /// The lowest bits, as many as fit into a `usize`.
    fn low(self) -> usize;

    /// A word whose lowest `width` bits are set.
    #[inline(always)]
    fn ones(width: u32) -> Self {
        if width == 0 { Self::zeroed() } else { !Self::zeroed() >> (Self::WIDTH - width) }
    }

    /// The code of `bits` bits with this value, at the top of the word.
    #[inline(always)]
    fn from_value(value: u128, bits: u32) -> Self {
        Self::truncated(value) << (Self::WIDTH - bits)
    }

    /// The highest `width` bits as a number.
    #[inline(always)]
    fn top(self, width: u32) -> usize {
        if width == 0 { 0 } else { (self >> (Self::WIDTH - width)).low() }
    }
}

macro_rules! word {
    ($word:ty) => {
        impl Code for $word {
            const WIDTH: u32 = <$word>::BITS;

            #[inline(always)]
            fn truncated(value: u128) -> Self {
                value as Self
            }

            #[inline(always)]
            fn widened(self) -> u128 {
                self.into()
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
