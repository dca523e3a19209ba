//! Which keys occur more than once, by bitmaps.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of the bitmaps for each code point, and the largest bitmap as a power of two.
const BITS_A_UNIT: usize = 8;
const MAX_BITMAP: u32 = 30;

/// Which keys were marked, and which of them more than once. There are false positives.
pub(super) struct KeyBitmaps {
    once: Vec<AtomicU64>,
    twice: Vec<AtomicU64>,
    shift: u32,
}

impl KeyBitmaps {
    /// Creates bitmaps for documents with this number of code points.
    pub fn new(units: usize) -> Self {
        let bits = (BITS_A_UNIT * units).next_power_of_two().trailing_zeros().clamp(10, MAX_BITMAP);
        let empty = || (0..1usize << (bits - 6)).map(|_| AtomicU64::new(0)).collect();
        Self { once: empty(), twice: empty(), shift: 64 - bits }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let bit = key >> self.shift;
        ((bit >> 6) as usize, 1 << (bit & 63))
    }

    /// Marks a key.
    pub fn mark(&self, key: u64) {
        let (word, bit) = self.place(key);
        if self.once[word].fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            self.twice[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Counts another occurrence of a key that was marked; true if it may have been.
    pub fn meet(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        let is_met = self.once[word].load(Ordering::Relaxed) & bit != 0;
        if is_met {
            self.twice[word].fetch_or(bit, Ordering::Relaxed);
        }
        is_met
    }

    /// True if a key may occur more than once.
    pub fn is_shared(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.twice[word].load(Ordering::Relaxed) & bit != 0
    }
}
