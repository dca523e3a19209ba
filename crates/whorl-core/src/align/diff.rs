//! Common subsequences of two sequences: optimal if they differ by at most [`MOST_EDITS`]; otherwise optimal between
//! anchors that are unique in both.
//!
//! The cost of an optimal difference grows with the square of the edits. Sequences that differ a lot are therefore
//! first divided at unique anchors.
//!
//! Source: Myers, An O(ND) Difference Algorithm and Its Variations, Algorithmica 1, 1986; Cohen's patience diff for the
//! anchors.

use std::ops::Range;

use super::change::moved;
use super::pieces::anchor::{common_prefix, common_suffix};
use crate::hash::GOLDEN;

/// Maximum number of insertions and deletions in a part; beyond that, nothing in it is considered equal. Time and
/// memory grow with the square.
const MOST_EDITS: usize = 256;
/// The first attempt allows this many edits beyond the lower bound, plus a quarter.
const FEW_EDITS: usize = 8;
/// Counting more keys takes longer than comparing them.
const MOST_COUNTED: usize = 1 << 13;
/// Number of consecutive keys that form a possibly unique gram.
const GRAM: usize = 4;

/// Equal stretches of two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Its start in the first sequence.
    pub a: usize,
    /// Its start in the second sequence.
    pub b: usize,
    /// Its length; not 0.
    pub length: usize,
}

/// Returns the common stretches, ascending in both. Linear, except for parts of at most [`MOST_EDITS`] edits.
pub(super) fn blocks(a: &[u64], b: &[u64]) -> Vec<Block> {
    let mut matching = CommonBlocks::default();
    let suffix = common_suffix(a, b);
    let (end_a, end_b) = (a.len() - suffix, b.len() - suffix);
    if let Err(prefix) = matching.compare(&a[..end_a], &b[..end_b], (0, 0)) {
        let mut from = (prefix, prefix);
        for (at_a, at_b) in cuts(&a[prefix..end_a], &b[prefix..end_b]) {
            let to = (prefix + at_a, prefix + at_b);
            let _ = matching.compare(&a[from.0..to.0], &b[from.1..to.1], from);
            from = to;
        }
        let _ = matching.compare(&a[from.0..end_a], &b[from.1..end_b], from);
    }
    matching.push(end_a, end_b, suffix);
    matching.blocks
}

#[derive(Default)]
struct CommonBlocks {
    blocks: Vec<Block>,
    /// For each number of edits, a [`row`]: by number of deletions, the furthest position reached in the first
    /// sequence; [`NOWHERE`] if it is outside a sequence or the ends are out of reach.
    reached: Vec<i32>,
    /// By key hash, the number of occurrences in the first sequence minus that in the second.
    counts: Vec<i32>,
}

const NOWHERE: i32 = i32::MIN / 2;

impl CommonBlocks {
    fn push(&mut self, a: usize, b: usize, length: usize) {
        match self.blocks.last_mut() {
            Some(last) if last.a + last.length == a && last.b + last.length == b => last.length += length,
            _ if length > 0 => self.blocks.push(Block { a, b, length }),
            _ => {}
        }
    }

    /// Adds the common stretches of two parts that begin at `offset`.
    ///
    /// # Errors
    ///
    /// They differ too much: only their common prefix was added, and its length is returned.
    fn compare(&mut self, a: &[u64], b: &[u64], offset: (usize, usize)) -> Result<(), usize> {
        let prefix = common_prefix(a, b);
        self.push(offset.0, offset.1, prefix);
        let (a, b, offset) = (&a[prefix..], &b[prefix..], (offset.0 + prefix, offset.1 + prefix));
        if a.is_empty() && b.is_empty() {
            return Ok(());
        }
        if a.len().abs_diff(b.len()) > MOST_EDITS {
            return Err(prefix);
        }
        let is_counted = (MOST_EDITS..MOST_COUNTED).contains(&(a.len() + b.len()));
        let lower_bound = if is_counted { self.least_edits(a, b) } else { MOST_EDITS };
        if lower_bound > MOST_EDITS {
            return Err(prefix);
        }
        let likely = (lower_bound + lower_bound / 4 + FEW_EDITS).min(MOST_EDITS);
        let mut path = self.reach_ends(a, b, likely);
        if path.is_none() && likely < MOST_EDITS {
            path = self.reach_ends(a, b, MOST_EDITS);
        }
        let (edits, deletions) = path.ok_or(prefix)?;
        self.trace(edits, deletions, (a.len() as i32, b.len() as i32), offset);
        Ok(())
    }

    /// A lower bound on the edits: keys that only one of the sequences has, judging by their hashes.
    fn least_edits(&mut self, a: &[u64], b: &[u64]) -> usize {
        let bits = (2 * a.len().max(b.len())).next_power_of_two().trailing_zeros();
        self.counts.clear();
        self.counts.resize(1 << bits, 0);
        for (keys, sign) in [(a, 1), (b, -1)] {
            keys.iter().for_each(|key| self.counts[(key.wrapping_mul(GOLDEN) >> (u64::BITS - bits)) as usize] += sign);
        }
        self.counts.iter().map(|count| count.unsigned_abs() as usize).sum()
    }

    /// Fills the rows until the ends of both sequences, which do not begin alike, are reached. Returns the number of
    /// edits and of deletions; None for more than `max_edits` edits. A lower `max_edits` prunes more paths.
    fn reach_ends(&mut self, a: &[u64], b: &[u64], max_edits: usize) -> Option<(usize, usize)> {
        let lengths = (a.len() as i32, b.len() as i32);
        let max_edits = max_edits.min(a.len() + b.len());
        self.reached.clear();
        self.reached.extend([NOWHERE, 0, NOWHERE]);
        for edits in 1..=max_edits {
            self.reached.resize(row(edits).end, NOWHERE);
            let (before, now) = self.reached.split_at_mut(row(edits).start);
            let before = &before[row(edits - 1)];
            for deletions in near_ends(edits, max_edits, lengths) {
                let entry = entry(before[deletions + 1], before[deletions], edits, deletions, lengths).0;
                if entry < 0 {
                    continue;
                }
                let (at_a, at_b) = (entry as usize, entry as usize + edits - 2 * deletions);
                let equal = a[at_a..].iter().zip(&b[at_b..]).take_while(|(a, b)| a == b).count();
                now[1 + deletions] = (at_a + equal) as i32;
                if (at_a + equal, at_b + equal) == (a.len(), b.len()) {
                    return Some((edits, deletions));
                }
            }
        }
        None
    }

    /// Adds the equal stretches on the path to the ends.
    fn trace(&mut self, edits: usize, mut deletions: usize, lengths: (i32, i32), offset: (usize, usize)) {
        let mut way = Vec::with_capacity(edits);
        for edits in (1..=edits).rev() {
            let (before, end) = (&self.reached[row(edits - 1)], self.reached[row(edits).start + 1 + deletions]);
            let (entry, is_deletion) = entry(before[deletions + 1], before[deletions], edits, deletions, lengths);
            way.push((entry as usize, entry as usize + edits - 2 * deletions, (end - entry) as usize));
            deletions -= usize::from(is_deletion);
        }
        for (a, b, length) in way.into_iter().rev() {
            self.push(offset.0 + a, offset.1 + b, length);
        }
    }
}

/// The position in the first sequence after the last edit, and whether that is a deletion: the further of the results
/// for the same number of deletions and for one less. Negative if it is outside a sequence.
#[inline(always)]
fn entry(as_many: i32, one_less: i32, edits: usize, deletions: usize, lengths: (i32, i32)) -> (i32, bool) {
    let at_b = as_many + edits as i32 - 2 * deletions as i32;
    let insertion = if at_b > lengths.1 { NOWHERE } else { as_many };
    let deletion = if one_less >= lengths.0 { NOWHERE } else { one_less + 1 };
    if deletion > insertion { (deletion, true) } else { (insertion, false) }
}

/// The numbers of deletions from which at most `max_edits` edits can reach the ends.
fn near_ends(edits: usize, max_edits: usize, (length_a, length_b): (i32, i32)) -> Range<usize> {
    let (edits, max_edits, ahead) = (edits as i32, max_edits as i32, length_a - length_b);
    let first = (2 * edits + ahead - max_edits + 1).div_euclid(2).max(0);
    let last = (ahead + max_edits).div_euclid(2).min(edits);
    first as usize..(last + 1).max(0) as usize
}

/// The range of the row of a number of edits, with [`NOWHERE`] at both ends.
fn row(edits: usize) -> Range<usize> {
    let start = edits * (edits + 5) / 2;
    start..start + edits + 3
}

/// The positions at which sequences are divided, in order: starts of equal grams that are unique in both.
fn cuts(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let (of_a, of_b) = (Grams::of(a), Grams::of(b));
    let mut shared: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for (place, gram) in a.windows(GRAM).enumerate() {
        let matching = of_a.unique(a, gram).and_then(|_| of_b.unique(b, gram)).map(|other| (place, other));
        if let Some((place, other)) = matching
            && before.is_none_or(|(last, last_other): (usize, usize)| (last + 1, last_other + 1) != (place, other))
        {
            shared.push((place, other));
        }
        before = matching;
    }
    let places: Vec<usize> = shared.iter().map(|&(_, place)| place).collect();
    shared.into_iter().zip(moved(&places)).filter(|(_, is_moved)| !is_moved).map(|(cut, _)| cut).collect()
}

/// Positions of grams, by hash.
struct Grams {
    slots: Vec<u32>,
    shift: u32,
}

const EMPTY: u32 = u32::MAX;
/// Marks the position of a repeated gram.
const AGAIN: u32 = 1 << 31;

impl Grams {
    fn of(keys: &[u64]) -> Self {
        let bits = (2 * keys.len()).next_power_of_two().trailing_zeros().max(1);
        let mut grams = Self { slots: vec![EMPTY; 1 << bits], shift: u64::BITS - bits };
        for (place, gram) in keys.windows(GRAM).enumerate() {
            let slot = grams.slot(keys, gram);
            let occupied = grams.slots[slot];
            grams.slots[slot] = if occupied == EMPTY { place as u32 } else { occupied | AGAIN };
        }
        grams
    }

    /// Returns the slot of a gram, or the slot where it belongs.
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

    /// Returns the position of a gram that occurs once.
    fn unique(&self, keys: &[u64], gram: &[u64]) -> Option<usize> {
        Some(self.slots[self.slot(keys, gram)]).filter(|&place| place < AGAIN).map(|place| place as usize)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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

    /// The furthest position in the first sequence, and the equal pairs on the path.
    type Reached = (usize, Vec<(usize, usize)>);

    /// The unbounded forward algorithm of the paper: the furthest position for each number of edits and deletions.
    fn slow_blocks(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
        let slide = |a_at: usize, b_at: usize| {
            (0..).take_while(|&far| a_at + far < a.len() && a.get(a_at + far) == b.get(b_at + far)).count()
        };
        let mut rows: Vec<HashMap<usize, Reached>> = Vec::new();
        for edits in 0.. {
            let mut row = HashMap::new();
            for deletions in 0..=edits {
                let insertion = || rows.last()?.get(&deletions).map(|(x, way)| (*x, false, way));
                let deletion = || rows.last()?.get(&deletions.checked_sub(1)?).map(|(x, way)| (x + 1, true, way));
                let insertion = insertion().filter(|(x, ..)| x + edits <= b.len() + 2 * deletions);
                let deletion = deletion().filter(|(x, ..)| *x <= a.len());
                let (x, way) =
                    match insertion.into_iter().chain(deletion).max_by_key(|&(x, is_deletion, _)| (x, !is_deletion)) {
                        Some((x, _, way)) => (x, way.clone()),
                        None if edits == 0 => (0, Vec::new()),
                        None => continue,
                    };
                let y = x + edits - 2 * deletions;
                let length = slide(x, y);
                let way = [way, (0..length).map(|far| (x + far, y + far)).collect()].concat();
                if (x + length, y + length) == (a.len(), b.len()) {
                    return way;
                }
                row.insert(deletions, (x + length, way));
            }
            rows.push(row);
        }
        unreachable!("all edits together reach the ends")
    }

    proptest! {
        #[test]
        fn what_is_common_is_what_the_plain_algorithm_finds(
            a in prop::collection::vec(0u64..5, 0..30),
            b in prop::collection::vec(0u64..5, 0..30),
        ) {
            let pairs = |block: Block| (0..block.length).map(move |far| (block.a + far, block.b + far));
            // Equal keys at the ends are matched first.
            let suffix = common_suffix(&a, &b);
            let (rest_a, rest_b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
            let matching: Vec<(usize, usize)> = blocks(rest_a, rest_b).into_iter().flat_map(pairs).collect();
            prop_assert_eq!(matching, slow_blocks(rest_a, rest_b));
        }

        #[test]
        fn nothing_is_given_up_that_so_many_edits_reach(
            a in prop::collection::vec(0u64..400, 100..400),
            b in prop::collection::vec(0u64..400, 100..400),
            common in 0..300usize,
        ) {
            let b = [&a[..common.min(a.len())], &b].concat();
            let edits = a.len() + b.len() - 2 * slow_common(&a, &b);
            prop_assert_eq!(CommonBlocks::default().compare(&a, &b, (0, 0)).is_ok(), edits <= MOST_EDITS);
        }

        #[test]
        fn the_way_is_the_same_however_few_edits_are_tried(
            a in prop::collection::vec(0u64..6, 1..60),
            b in prop::collection::vec(0u64..6, 1..60),
            more in 0..20usize,
        ) {
            let (a, b) = ([&[7], &a[..]].concat(), [&[8], &b[..]].concat());
            let edits = a.len() + b.len() - 2 * slow_common(&a, &b);
            let way = |max_edits: usize| {
                let mut matching = CommonBlocks::default();
                let (edits, deletions) = matching.reach_ends(&a, &b, max_edits)?;
                matching.trace(edits, deletions, (a.len() as i32, b.len() as i32), (0, 0));
                Some(matching.blocks)
            };
            prop_assert_eq!(way(edits + more), way(MOST_EDITS));
            prop_assert_eq!(way(edits - 1), None);
        }

        #[test]
        fn as_much_is_common_as_can_be(
            a in prop::collection::vec(0u64..4, 0..40),
            b in prop::collection::vec(0u64..4, 0..40),
        ) {
            let matching = blocks(&a, &b);
            prop_assert!(are_common(&matching, &a, &b));
            prop_assert_eq!(matching.iter().map(|block| block.length).sum::<usize>(), slow_common(&a, &b));
        }
    }

    #[test]
    fn what_differs_much_is_cut_at_what_is_unique() {
        let strange = |from: u64| from..from + MOST_EDITS as u64;
        let unique = || 0..GRAM as u64;
        let a: Vec<u64> = strange(1_000).chain(unique()).chain(strange(2_000)).collect();
        let b: Vec<u64> = strange(3_000).chain(unique()).chain(strange(4_000)).chain([5_000]).collect();
        let matching = blocks(&a, &b);
        assert!(are_common(&matching, &a, &b));
        assert_eq!(matching, [Block { a: MOST_EDITS, b: MOST_EDITS, length: GRAM }]);
        let [a, b] = [a, b].map(|keys| [9_000].into_iter().chain(keys).chain([9_001]).collect::<Vec<u64>>());
        let matching = blocks(&a, &b);
        assert!(are_common(&matching, &a, &b));
        assert_eq!(matching.iter().map(|block| block.length).collect::<Vec<_>>(), [1, GRAM, 1]);
    }
}
