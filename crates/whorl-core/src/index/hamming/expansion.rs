//! Reference implementations by expansion, which need no blocks and no proof.

use std::collections::{HashMap, HashSet};

/// Returns every code within `k` bits of a code of `bits` bits: 43,745 for 64 bits and k = 3, including the code
/// itself.
pub(crate) fn ball(code: u128, bits: u32, k: u32) -> Vec<u128> {
    let mut all = vec![code];
    let mut sphere = vec![(code, 0)];
    for _ in 0..k {
        let further = |&(code, next): &(u128, u32)| (next..bits).map(move |bit| (code ^ 1 << bit, bit + 1));
        sphere = sphere.iter().flat_map(further).collect();
        all.extend(sphere.iter().map(|&(code, _)| code));
    }
    all
}

/// Query expansion: every code within the distance of the query is looked up in the index.
pub(crate) fn by_query(codes: &[u128], bits: u32, query: u128, k: u32) -> HashSet<u128> {
    let stored: HashSet<u128> = codes.iter().copied().collect();
    ball(query, bits, k).into_iter().filter(|code| stored.contains(code)).collect()
}

/// Index expansion: every code is stored under all codes within the distance.
pub(crate) fn by_store(codes: &[u128], bits: u32, queries: &[u128], k: u32) -> Vec<HashSet<u128>> {
    let mut stored: HashMap<u128, HashSet<u128>> = HashMap::new();
    for &code in codes {
        for near in ball(code, bits, k) {
            stored.entry(near).or_default().insert(code);
        }
    }
    queries.iter().map(|query| stored.get(query).cloned().unwrap_or_default()).collect()
}
