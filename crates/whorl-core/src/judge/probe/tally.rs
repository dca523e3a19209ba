//! Counting of keys shared with a document.

use super::FIELDS;

/// A document that shares keys with another, with their number in each field.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub rank: u32,
    pub shared_keys: [u32; FIELDS],
}

/// Keys by which a document is listed.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub field: u8,
    pub keys: u32,
}

/// Counts the keys that documents share with a document; reused.
#[derive(Default)]
pub(super) struct Tally {
    /// By rank; all zero between two counts.
    hits: Vec<[u32; FIELDS]>,
    touched: Vec<u32>,
}

impl Tally {
    /// Resizes the tally for a number of ranks.
    pub fn of(mut self, ranks: usize) -> Self {
        self.hits.resize(ranks, [0; FIELDS]);
        self
    }

    /// Returns the ranks that share enough keys, best ranked first, from ranks listed by keys of a field.
    pub fn candidates(
        &mut self,
        named: impl Iterator<Item = (u32, Named)>,
        is_candidate: impl Fn([u32; FIELDS]) -> bool,
    ) -> Vec<Candidate> {
        for (rank, Named { field, keys }) in named {
            let hits = &mut self.hits[rank as usize];
            if *hits == [0; FIELDS] {
                self.touched.push(rank);
            }
            hits[usize::from(field)] += keys;
        }
        let Self { hits, touched } = self;
        let counted = touched.drain(..).map(|rank| (rank, std::mem::take(&mut hits[rank as usize])));
        let enough = counted.filter(|&(_, shared_keys)| is_candidate(shared_keys));
        let mut candidates: Vec<Candidate> =
            enough.map(|(rank, shared_keys)| Candidate { rank, shared_keys }).collect();
        candidates.sort_unstable_by_key(|candidate| candidate.rank);
        candidates
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::inverted::count_hits;

    proptest! {
        #[test]
        fn counting_equals_sorting(named in prop::collection::vec(prop::collection::vec((0u32..30, 0u8..2, 1u32..4), 0..80), 1..4), min_shared in 1u32..4) {
            let mut tally = Tally::default().of(30);
            for named in named {
                let keys = named.iter().map(|&(rank, field, keys)| (rank, Named { field, keys }));
                let counted = tally.candidates(keys, |shared| shared.iter().sum::<u32>() >= min_shared);
                let mut expected = std::collections::BTreeMap::<u32, [u32; FIELDS]>::new();
                let mut one_by_one: Vec<(u32, u8)> =
                    named.iter().flat_map(|&(rank, field, keys)| (0..keys).map(move |_| (rank, field))).collect();
                for ((rank, field), hits) in count_hits(&mut one_by_one) {
                    expected.entry(rank).or_default()[usize::from(field)] = hits;
                }
                let expected: Vec<_> = expected.into_iter().filter(|(_, shared)| shared.iter().sum::<u32>() >= min_shared).collect();
                let counted: Vec<_> = counted.into_iter().map(|candidate| (candidate.rank, candidate.shared_keys)).collect();
                prop_assert_eq!(counted, expected);
            }
        }
    }
}
