//! Sorting of uniform hashes: distributes them into small buckets by their first bits and sorts each bucket.
//!
//! Comparison sorting costs n log n. Since the hashes are uniform, bucket sizes are predictable, and both passes are
//! linear.

use std::mem;

/// Approximate bucket size for large inputs, where the write positions of smaller buckets would not fit into the cache.
pub(crate) const OF_MANY: usize = 8;
/// Approximate bucket size for inputs where they fit.
const OF_FEW: usize = 2;
/// Number of pairs whose small buckets fit into the cache.
const OF_PART: usize = 1 << 13;

/// Distributes `count` pairs, whose uniform hashes agree in their first bits, into buckets of about the given size in
/// hash order. Pairs of a bucket keep their input order. Returns the pairs and the bucket ends. Linear.
pub(crate) fn dealt(
    count: usize,
    pairs: impl Iterator<Item = (u64, u32)> + Clone,
    agreeing: u32,
    in_bucket: usize,
) -> (Vec<(u64, u32)>, Vec<usize>) {
    let bits = (count / in_bucket).checked_ilog2().unwrap_or(0);
    let bucket = |hash: u64| (hash << agreeing >> 1 >> (63 - bits)) as usize;
    let mut places = vec![0; 1 << bits];
    pairs.clone().for_each(|(hash, _)| places[bucket(hash)] += 1);
    let mut start = 0;
    for place in &mut places {
        start += mem::replace(place, start);
    }
    let mut dealt = vec![(0, 0); count];
    for pair in pairs {
        let place = &mut places[bucket(pair.0)];
        dealt[*place] = pair;
        *place += 1;
    }
    (dealt, places)
}

/// Sorts consecutive buckets with these ends. Linear, except for hashes that many pairs have.
pub(crate) fn sort_buckets(pairs: &mut [(u64, u32)], ends: impl Iterator<Item = usize>) {
    let mut start = 0;
    for end in ends {
        pairs[start..end].sort_unstable();
        start = end;
    }
}

/// Sorts `count` pairs (as many as a text has) by their uniform hashes. Linear, except for hashes that many pairs have.
pub(crate) fn in_order(count: usize, pairs: impl Iterator<Item = (u64, u32)> + Clone) -> Vec<(u64, u32)> {
    if count < 2 * OF_PART {
        return sorted(count, pairs, 0);
    }
    let (mut parts, ends) = dealt(count, pairs, 0, OF_PART);
    let (agreeing, mut start) = (ends.len().trailing_zeros(), 0);
    for end in ends {
        let part = &mut parts[start..end];
        part.copy_from_slice(&sorted(part.len(), part.iter().copied(), agreeing));
        start = end;
    }
    parts
}

/// Sorts pairs whose hashes agree in their first `agreeing` bits.
fn sorted(count: usize, pairs: impl Iterator<Item = (u64, u32)> + Clone, agreeing: u32) -> Vec<(u64, u32)> {
    let (mut dealt, ends) = dealt(count, pairs, agreeing, OF_FEW);
    sort_buckets(&mut dealt, ends.into_iter());
    dealt
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    proptest! {
        #[test]
        fn pairs_of_texts_of_any_length_are_in_order(
            count in prop_oneof![0_usize..100, OF_PART..5 * OF_PART],
            distinct in 1_u64..100_000,
        ) {
            let hash = |place: u32| mix(u64::from(place).pow(2) % distinct);
            let pairs: Vec<(u64, u32)> = (0..count as u32).map(|place| (hash(place), place)).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            prop_assert_eq!(in_order(count, pairs.into_iter()), expected);
        }
    }
}
