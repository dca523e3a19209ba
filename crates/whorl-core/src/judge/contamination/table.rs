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
pub(super) struct Table {
    filter: Vec<u64>,
    slots: Vec<Slot>,
    shift: u32,
    /// The postings of keys with several ones.
    listed: Vec<Posting>,
    is_empty: bool,
}

/// A key with its only posting, or with the place of several ones in the list.
///
/// Most keys have one posting, which then costs no further access to memory.
#[derive(Clone, Copy)]
struct Slot {
    key: u64,
    posting: Posting,
}

impl Slot {
    /// The token of slots with several postings, which are `LISTED - token` ones from number `content` on.
    const LISTED: u32 = u32::MAX - 1;
    /// Tokens of a content have lower numbers.
    const FIRST_LISTED: u32 = 1 << 31;
    const EMPTY: Self = Self { key: 0, posting: Posting { content: 0, token: u32::MAX } };

    fn new(key: u64, start: usize, postings: &[Posting]) -> Self {
        let posting = match postings {
            [posting] => *posting,
            _ => Posting { content: start as u32, token: Self::LISTED - postings.len() as u32 },
        };
        Self { key, posting }
    }

    fn is_empty(&self) -> bool {
        self.posting.token == u32::MAX
    }
}

/// A buffer of [`Table::find`].
#[derive(Default)]
pub(super) struct Slots(Vec<Slot>);

impl Default for Table {
    fn default() -> Self {
        Self::new(Vec::new())
    }
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
            slots: vec![Slot::EMPTY; 1 << bits],
            shift: u64::BITS - bits,
            listed: Vec::new(),
            is_empty: entries.is_empty(),
        };
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let start = table.listed.len();
            table.listed.extend(group.iter().map(|entry| entry.1));
            let slot = Slot::new(group[0].0, start, &table.listed[start..]);
            if group.len() == 1 {
                table.listed.pop();
            }
            table.insert(slot);
        }
        table
    }

    pub fn is_empty(&self) -> bool {
        self.is_empty
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

    /// Calls `emit` with the place and the postings of every window whose key has any.
    ///
    /// The first slots of all keys are read before any is looked at, so that the processor waits for many at a time.
    pub fn find(&self, windows: &[(u32, u64)], slots: &mut Slots, mut emit: impl FnMut(u32, &[Posting])) {
        slots.0.clear();
        slots.0.extend(windows.iter().map(|&(_, key)| self.slots[self.first_slot(key)]));
        for (&(at, key), &slot) in windows.iter().zip(&slots.0) {
            let mut slot = slot;
            let mut next = self.first_slot(key);
            while slot.key != key && !slot.is_empty() {
                next = (next + 1) % self.slots.len();
                slot = self.slots[next];
            }
            if slot.is_empty() {
                continue;
            }
            match slot.posting {
                posting if posting.token < Slot::FIRST_LISTED => emit(at, &[posting]),
                Posting { content, token } => {
                    emit(at, &self.listed[content as usize..][..(Slot::LISTED - token) as usize]);
                }
            }
        }
    }

    fn insert(&mut self, slot: Slot) {
        let (word, mask) = self.filtered(slot.key);
        self.filter[word] |= mask;
        let mut at = self.first_slot(slot.key);
        while !self.slots[at].is_empty() {
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
                let mut postings = Vec::new();
                table.find(&[(3, key)], &mut Slots::default(), |at, found| {
                    assert_eq!(at, 3);
                    postings.extend_from_slice(found);
                });
                prop_assert_eq!(&postings, &expected);
                let mut windows = vec![(7, key)];
                table.filter(&mut windows);
                prop_assert!(expected.is_empty() || windows == [(7, key)]);
            }
        }
    }
}
