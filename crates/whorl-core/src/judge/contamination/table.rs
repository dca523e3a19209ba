//! Keys of the items with their positions: a filter that fits the cache, and an open-addressing table behind it.
//!
//! Nearly all keys of a document are in no item. The filter answers for them with a single access to memory that stays
//! in the cache, about two bytes a key; the table, eight times larger, is only read for the others.

use crate::hash::GOLDEN;

/// A place in the items where a key occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub content: u32,
    /// First token of the window.
    pub token: u32,
}

/// An immutable map from keys to postings.
#[derive(Default)]
pub(super) struct Table {
    filter: Vec<u64>,
    slots: Vec<Slot>,
    shift: u32,
    postings: Vec<Posting>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    start: u32,
    /// 0 for an empty slot.
    count: u32,
}

impl Table {
    /// Creates the table from entries in any order.
    pub fn new(mut entries: Vec<(u64, Posting)>) -> Self {
        use rayon::prelude::*;
        entries.par_sort_unstable();
        entries.dedup();
        let distinct = entries.chunk_by(|a, b| a.0 == b.0).count();
        let bits = (2 * distinct).next_power_of_two().max(2).trailing_zeros();
        let mut table = Self {
            filter: vec![0; (distinct / 4).max(1)],
            slots: vec![Slot::default(); 1 << bits],
            shift: u64::BITS - bits,
            postings: entries.iter().map(|entry| entry.1).collect(),
        };
        let mut start = 0;
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            table.insert(Slot { key: group[0].0, start, count: group.len() as u32 });
            start += group.len() as u32;
        }
        table
    }

    pub fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// Removes windows whose key has certainly no postings.
    ///
    /// Without a branch, so that the processor reads the filter for many keys at a time.
    pub fn filter(&self, windows: &mut Vec<(u32, u64)>) {
        let mut kept = 0;
        for index in 0..windows.len() {
            let window = windows[index];
            let (word, mask) = self.filtered(window.1);
            windows[kept] = window;
            kept += usize::from(self.filter[word] & mask == mask);
        }
        windows.truncate(kept);
    }

    /// Returns the postings of a key.
    pub fn get(&self, key: u64) -> &[Posting] {
        let mut at = self.first_slot(key);
        loop {
            let slot = self.slots[at];
            if slot.count == 0 {
                return &[];
            }
            if slot.key == key {
                return &self.postings[slot.start as usize..][..slot.count as usize];
            }
            at = (at + 1) % self.slots.len();
        }
    }

    fn insert(&mut self, slot: Slot) {
        let (word, mask) = self.filtered(slot.key);
        self.filter[word] |= mask;
        let mut at = self.first_slot(slot.key);
        while self.slots[at].count > 0 {
            at = (at + 1) % self.slots.len();
        }
        self.slots[at] = slot;
    }

    fn first_slot(&self, key: u64) -> usize {
        (key.wrapping_mul(GOLDEN) >> self.shift) as usize
    }

    /// The word of the filter for a key, and its three bits in it.
    #[inline(always)]
    fn filtered(&self, key: u64) -> (usize, u64) {
        let word = ((u128::from(key) * self.filter.len() as u128) >> 64) as usize;
        (word, 1 << (key & 63) | 1 << (key >> 6 & 63) | 1 << (key >> 12 & 63))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    proptest! {
        #[test]
        fn it_has_what_a_map_has(entries in prop::collection::vec((0u64..40, 0u32..4, 0u32..4), 0..80)) {
            let mut map = BTreeMap::<u64, Vec<Posting>>::new();
            let posting = |content, token| Posting { content, token };
            for &(key, content, token) in &entries {
                map.entry(mix(key)).or_default().push(posting(content, token));
            }
            let table = Table::new(entries.iter().map(|&(k, c, t)| (mix(k), posting(c, t))).collect());
            for key in (0..60).map(mix) {
                let mut expected = map.get(&key).cloned().unwrap_or_default();
                expected.sort_unstable();
                expected.dedup();
                prop_assert_eq!(table.get(key), &expected);
                let mut windows = vec![(7, key)];
                table.filter(&mut windows);
                prop_assert!(expected.is_empty() || windows == [(7, key)]);
            }
        }
    }
}
