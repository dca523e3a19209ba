//! Counts how often each document occurs among the postings of some keys.

/// Returns each distinct value of `found` in ascending order with its count. Sorts `found`.
pub fn count_hits<T: Copy + Ord>(found: &mut [T]) -> impl Iterator<Item = (T, u32)> {
    found.sort_unstable();
    found.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
}
