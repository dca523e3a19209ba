//! What two sequences have in common, in order: as much as there is where they differ by at most [`MOST_EDITS`], else
//! the most between places that are unique in both.
//!
//! Source: Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1, 1986; Cohen's patience diff for the
//! cuts.

use super::anchor::{common_prefix, common_suffix};
use super::change::moved;
use crate::hash::GOLDEN;

/// Insertions and deletions up to which a part is compared; beyond, nothing of it is taken for common. The work and the
/// memory of a part grow with the square.
const MOST_EDITS: usize = 256;
/// Keys in a row that may be unique.
const GRAM: usize = 4;

/// Equal stretches of two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins in the first.
    pub a: usize,
    /// Where it begins in the second.
    pub b: usize,
    /// How long it is; not 0.
    pub length: usize,
}

/// The stretches that both have, ascending in both. Linear, but for parts of at most [`MOST_EDITS`] edits.
pub(super) fn blocks(a: &[u64], b: &[u64]) -> Vec<Block> {
    let mut found = Found::default();
    let suffix = common_suffix(a, b);
    let (end_a, end_b) = (a.len() - suffix, b.len() - suffix);
    if let Err(prefix) = found.compare(&a[..end_a], &b[..end_b], (0, 0)) {
        let mut from = (prefix, prefix);
        for (at_a, at_b) in cuts(&a[prefix..end_a], &b[prefix..end_b]) {
            let to = (prefix + at_a, prefix + at_b);
            let _ = found.compare(&a[from.0..to.0], &b[from.1..to.1], from);
            from = to;
        }
        let _ = found.compare(&a[from.0..end_a], &b[from.1..end_b], from);
    }
    found.push(end_a, end_b, suffix);
    found.blocks
}

#[derive(Default)]
struct Found {
    blocks: Vec<Block>,
    /// Of each number of edits a row: by how many of them are deletions, how far in the first sequence one gets; [`NOWHERE`]
    /// where that would lead out of a sequence.
    reached: Vec<i32>,
}

const NOWHERE: i32 = i32::MIN / 2;

impl Found {
    fn push(&mut self, a: usize, b: usize, length: usize) {
        match self.blocks.last_mut() {
            Some(last) if last.a + last.length == a && last.b + last.length == b => last.length += length,
            _ if length > 0 => self.blocks.push(Block { a, b, length }),
            _ => {}
        }
    }

    /// Adds what two parts have in common that begin at `offset`.
    ///
    /// # Errors
    ///
    /// They differ too much: how much they begin with was added, and no more.
    fn compare(&mut self, a: &[u64], b: &[u64], offset: (usize, usize)) -> Result<(), usize> {
        let prefix = common_prefix(a, b);
        self.push(offset.0, offset.1, prefix);
        let (a, b, offset) = (&a[prefix..], &b[prefix..], (offset.0 + prefix, offset.1 + prefix));
        self.reached.clear();
        for edits in 0..=MOST_EDITS.min(a.len() + b.len()) {
            self.reached.resize(place(edits + 1, 0), NOWHERE);
            for deletions in 0..=edits {
                let (entry, _) = self.entry(edits, deletions, a.len(), b.len());
                if entry < 0 {
                    continue;
                }
                let (mut at_a, mut at_b) = (entry as usize, entry as usize + edits - 2 * deletions);
                while at_a < a.len() && at_b < b.len() && a[at_a] == b[at_b] {
                    (at_a, at_b) = (at_a + 1, at_b + 1);
                }
                self.reached[place(edits, deletions)] = at_a as i32;
                if (at_a, at_b) == (a.len(), b.len()) {
                    self.trace(edits, deletions, (a.len(), b.len()), offset);
                    return Ok(());
                }
            }
        }
        Err(prefix)
    }

    /// Where in the first sequence the last edit leads, and whether it is a deletion: of two ways, the one that leads
    /// farther. Negative where it would lead out of a sequence.
    #[inline(always)]
    fn entry(&self, edits: usize, deletions: usize, length_a: usize, length_b: usize) -> (i32, bool) {
        if edits == 0 {
            return (0, false);
        }
        let before = &self.reached[place(edits - 1, 0)..place(edits, 0)];
        let insertion = if deletions < edits { before[deletions] } else { NOWHERE };
        let deletion = if deletions > 0 { before[deletions - 1] + 1 } else { NOWHERE };
        let insertion = if insertion as isize + edits as isize - 2 * deletions as isize > length_b as isize {
            NOWHERE
        } else {
            insertion
        };
        let deletion = if deletion > length_a as i32 { NOWHERE } else { deletion };
        if deletion > insertion { (deletion, true) } else { (insertion, false) }
    }

    /// Adds the equal stretches on the way to the ends.
    fn trace(&mut self, edits: usize, mut deletions: usize, ends: (usize, usize), offset: (usize, usize)) {
        let mut way = Vec::with_capacity(edits + 1);
        for edits in (0..=edits).rev() {
            let end = self.reached[place(edits, deletions)];
            let (entry, is_deletion) = self.entry(edits, deletions, ends.0, ends.1);
            way.push((entry as usize, entry as usize + edits - 2 * deletions, (end - entry) as usize));
            deletions -= usize::from(is_deletion);
        }
        for (a, b, length) in way.into_iter().rev() {
            self.push(offset.0 + a, offset.1 + b, length);
        }
    }
}

/// Where the rows of the numbers of edits have that of so many deletions.
fn place(edits: usize, deletions: usize) -> usize {
    edits * (edits + 1) / 2 + deletions
}

/// Where sequences are cut, in order: where keys in a row begin to be the same that are unique in both.
fn cuts(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let (of_a, of_b) = (Grams::of(a), Grams::of(b));
    let mut shared: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for (place, gram) in a.windows(GRAM).enumerate() {
        let found = of_a.unique(a, gram).and_then(|_| of_b.unique(b, gram)).map(|other| (place, other));
        if let Some((place, other)) = found
            && before.is_none_or(|(last, last_other): (usize, usize)| (last + 1, last_other + 1) != (place, other))
        {
            shared.push((place, other));
        }
        before = found;
    }
    let places: Vec<usize> = shared.iter().map(|&(_, place)| place).collect();
    shared.into_iter().zip(moved(&places)).filter(|(_, is_moved)| !is_moved).map(|(cut, _)| cut).collect()
}

/// The places of keys in a row, by their hash.
struct Grams {
    slots: Vec<u32>,
    shift: u32,
}

const EMPTY: u32 = u32::MAX;
/// Marks the place of a gram that occurs again.
const AGAIN: u32 = 1 << 31;

impl Grams {
    fn of(keys: &[u64]) -> Self {
        let bits = (2 * keys.len()).next_power_of_two().trailing_zeros().max(1);
        let mut grams = Self { slots: vec![EMPTY; 1 << bits], shift: u64::BITS - bits };
        for (place, gram) in keys.windows(GRAM).enumerate() {
            let slot = grams.slot(keys, gram);
            let known = grams.slots[slot];
            grams.slots[slot] = if known == EMPTY { place as u32 } else { known | AGAIN };
        }
        grams
    }

    /// Where a gram is, or would be.
    fn slot(&self, keys: &[u64], gram: &[u64]) -> usize {
        let hash = gram.iter().fold(0, |hash: u64, &key| (hash.rotate_left(5) ^ key).wrapping_mul(GOLDEN));
        let mut slot = (hash >> self.shift) as usize;
        while self.slots[slot] != EMPTY {
            let place = (self.slots[slot] & !AGAIN) as usize;
            if keys[place..place + GRAM] == *gram {
                break;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    /// The place of a gram that occurs once.
    fn unique(&self, keys: &[u64], gram: &[u64]) -> Option<usize> {
        Some(self.slots[self.slot(keys, gram)]).filter(|&place| place < AGAIN).map(|place| place as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of the longest common subsequence by its recurrence.
    fn slow_common(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for left in a {
            let mut diagonal = 0;
            for (place, right) in b.iter().enumerate() {
                let above = row[place + 1];
                row[place + 1] = if left == right { diagonal + 1 } else { above.max(row[place]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn are_common(blocks: &[Block], a: &[u64], b: &[u64]) -> bool {
        let are_equal = |block: &Block| a[block.a..block.a + block.length] == b[block.b..block.b + block.length];
        let ascend =
            |pair: &[Block]| pair[0].a + pair[0].length <= pair[1].a && pair[0].b + pair[0].length <= pair[1].b;
        blocks.iter().all(are_equal) && blocks.windows(2).all(ascend)
    }

    proptest! {
        #[test]
        fn as_much_is_common_as_can_be(
            a in prop::collection::vec(0u64..4, 0..40),
            b in prop::collection::vec(0u64..4, 0..40),
        ) {
            let found = blocks(&a, &b);
            prop_assert!(are_common(&found, &a, &b));
            prop_assert_eq!(found.iter().map(|block| block.length).sum::<usize>(), slow_common(&a, &b));
        }
    }

    #[test]
    fn what_differs_much_is_cut_at_what_is_unique() {
        let strange = |from: u64| from..from + MOST_EDITS as u64;
        let unique = || 0..GRAM as u64;
        let a: Vec<u64> = strange(1_000).chain(unique()).chain(strange(2_000)).collect();
        let b: Vec<u64> = strange(3_000).chain(unique()).chain(strange(4_000)).chain([5_000]).collect();
        let found = blocks(&a, &b);
        assert!(are_common(&found, &a, &b));
        assert_eq!(found, [Block { a: MOST_EDITS, b: MOST_EDITS, length: GRAM }]);
        let [a, b] = [a, b].map(|keys| [9_000].into_iter().chain(keys).chain([9_001]).collect::<Vec<u64>>());
        let found = blocks(&a, &b);
        assert!(are_common(&found, &a, &b));
        assert_eq!(found.iter().map(|block| block.length).collect::<Vec<_>>(), [1, GRAM, 1]);
    }
}
