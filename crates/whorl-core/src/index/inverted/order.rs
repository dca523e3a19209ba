//! Parallel sorting of postings.

use std::mem;

use rayon::prelude::*;

use super::packed::Posting;
use crate::hash::order::{OF_MANY, dealt, sort_buckets};

/// Buckets per parallel task; smaller tasks do not pay for another thread.
const BUCKETS_A_TASK: usize = 1 << 9;

/// Sorts `count` postings whose uniform keys agree in their first bits. Linear, except for keys that many rows have.
pub(super) fn in_order(count: usize, postings: impl Iterator<Item = Posting> + Clone, agreeing: u32) -> Vec<Posting> {
    let (mut dealt, places) = dealt(count, postings, agreeing, OF_MANY);
    let (mut rest, mut start) = (dealt.as_mut_slice(), 0);
    let mut tasks: Vec<(usize, &[usize], &mut [Posting])> = Vec::new();
    for ends in places.chunks(BUCKETS_A_TASK) {
        let first = mem::replace(&mut start, ends[ends.len() - 1]);
        let (own, others) = mem::take(&mut rest).split_at_mut(start - first);
        rest = others;
        tasks.push((first, ends, own));
    }
    let sort = |(first, ends, own): (usize, &[usize], &mut [Posting])| {
        sort_buckets(own, ends.iter().map(|end| end - first));
    };
    if tasks.len() == 1 {
        tasks.into_iter().for_each(sort)
    } else {
        tasks.into_par_iter().for_each(sort)
    }
    dealt
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::mix;

    proptest! {
        #[test]
        fn postings_are_ordered_as_a_sort_does(
            keys in prop::collection::vec(0..500_u64, 0..3000),
            spread in any::<bool>(),
            agreeing in 0..20_u32,
        ) {
            let key = |key: u64| (if spread { mix(key) } else { key }) >> agreeing;
            let postings: Vec<Posting> = keys.iter().zip(0..).map(|(&own, row)| (key(own), row % 100)).collect();
            let mut sorted = postings.clone();
            sorted.sort_unstable();
            prop_assert_eq!(in_order(postings.len(), postings.iter().copied(), agreeing), sorted);
        }
    }

    #[test]
    fn many_postings_are_shared_among_threads() {
        let postings: Vec<Posting> = (0..50_000).map(|row| (mix(u64::from(row) / 3), row)).collect();
        let mut sorted = postings.clone();
        sorted.sort_unstable();
        assert_eq!(in_order(postings.len(), postings.iter().copied().rev(), 0), sorted);
    }
}
