//! Counts how often each document occurs among the postings of some keys.

/// Returns each distinct value of `postings` in ascending order with its count. Sorts `postings`.
pub fn count_hits<T: Copy + Ord>(postings: &mut [T]) -> impl Iterator<Item = (T, u32)> {
    postings.sort_unstable();
    postings.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32))
}
