//! The exact judgement: how many distinct shingles two texts share.

use crate::hash::GOLDEN;

/// Distinct shingle hashes of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u64>);

/// A similarity as an exact fraction: what is shared, of what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Elements in both.
    pub shared: u32,
    /// Elements in either, or in the one whose share is asked for.
    pub united: u32,
}

impl Overlap {
    /// The fraction in [0, 1]; 0 when there is nothing to compare.
    pub fn share(self) -> f64 {
        if self.united == 0 { 0.0 } else { f64::from(self.shared) / f64::from(self.united) }
    }
}

/// An open-addressing table of hashes, cleared and reused from text to text.
#[derive(Default)]
pub struct Scratch {
    slots: Vec<u64>,
    shift: u32,
}

impl Scratch {
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

impl ShingleSet {
    /// The distinct values of `hashes`, linear. The hash 0 stands for 1: they are one shingle.
    pub fn new(hashes: &[u64], scratch: &mut Scratch) -> Self {
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
        Self(distinct)
    }

    /// How many distinct shingles there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True for a text without features, which equals nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The exact overlap with `other`, linear in both.
    pub fn overlap(&self, other: &Self, scratch: &mut Scratch) -> Overlap {
        let (small, large) = if self.len() <= other.len() { (self, other) } else { (other, self) };
        scratch.reset(small.len());
        for &hash in &small.0 {
            let slot = scratch.slot(hash);
            scratch.slots[slot] = hash;
        }
        let shared = large.0.iter().filter(|&&hash| scratch.slots[scratch.slot(hash)] != 0).count();
        Overlap { shared: shared as u32, united: (self.len() + other.len() - shared) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn overlap_equals_set_arithmetic(
            a in prop::collection::vec(1u64..60, 0..80),
            b in prop::collection::vec(1u64..60, 0..80),
        ) {
            let mut scratch = Scratch::default();
            let overlap = ShingleSet::new(&a, &mut scratch).overlap(&ShingleSet::new(&b, &mut scratch), &mut scratch);
            let (a, b): (HashSet<u64>, HashSet<u64>) = (a.into_iter().collect(), b.into_iter().collect());
            prop_assert_eq!(overlap.shared as usize, a.intersection(&b).count());
            prop_assert_eq!(overlap.united as usize, a.union(&b).count());
        }
    }

    #[test]
    fn nothing_is_similar_to_nothing() {
        let mut scratch = Scratch::default();
        let empty = ShingleSet::new(&[], &mut scratch);
        assert_eq!(empty.overlap(&empty.clone(), &mut scratch).share(), 0.0);
    }
}
