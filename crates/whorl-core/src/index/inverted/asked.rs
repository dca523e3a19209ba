//! The distinct keys of many queries.

use rayon::prelude::*;

use crate::hash::mix;

/// The uniform keys of a set of queries.
pub(super) struct QueryKeys {
    /// All of them, ascending.
    pub keys: Vec<u64>,
    /// For each query in order, the indexes of its keys in `keys`.
    places: Vec<u32>,
    /// The bounds of each query's keys in `places`.
    bounds: Vec<(usize, usize)>,
}

impl QueryKeys {
    /// Collects the keys of queries, which may repeat. Linear in the keys, except for sorting them.
    pub fn of(queries: &[&[u64]]) -> Self {
        let mut all: Vec<(u64, u32)> = Vec::with_capacity(queries.iter().map(|query| query.len()).sum());
        for (query, number) in queries.iter().zip(0..) {
            all.extend(query.iter().map(|&key| (mix(key), number)));
        }
        all.par_sort_unstable();
        all.dedup();
        let mut bounds = Vec::with_capacity(queries.len());
        let mut start = 0;
        for query in queries {
            bounds.push((start, start));
            start += query.len();
        }
        let mut keys: Vec<u64> = Vec::with_capacity(all.len());
        let mut places = vec![0; start];
        for (key, query) in all {
            if keys.last() != Some(&key) {
                keys.push(key);
            }
            let (_, end) = &mut bounds[query as usize];
            places[*end] = keys.len() as u32 - 1;
            *end += 1;
        }
        Self { keys, places, bounds }
    }

    /// The ascending indexes in `keys` of the keys of a query.
    pub fn of_query(&self, query: usize) -> impl Iterator<Item = usize> {
        let (start, end) = self.bounds[query];
        self.places[start..end].iter().map(|&place| place as usize)
    }
}
