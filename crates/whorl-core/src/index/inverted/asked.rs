//! The keys of many queries, each once.

use rayon::prelude::*;

use crate::hash::mix;

/// The uniform keys of some queries.
pub(super) struct Asked {
    /// All of them, ascending.
    pub keys: Vec<u64>,
    /// For each query after the other where in `keys` its own are.
    places: Vec<u32>,
    /// Where those of each query begin and end.
    bounds: Vec<(usize, usize)>,
}

impl Asked {
    /// Those of queries, whose keys may occur twice. Linear in their keys but for sorting them.
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

    /// Where in `keys` those of a query are, ascending.
    pub fn of_query(&self, query: usize) -> impl Iterator<Item = usize> {
        let (start, end) = self.bounds[query];
        self.places[start..end].iter().map(|&place| place as usize)
    }
}
