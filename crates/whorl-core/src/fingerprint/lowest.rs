//! The family `shingles`.

use super::{Body, Family};
use crate::text::shingle::FoldedText;

/// The lowest hashes of the shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowestShingles {
    /// Tokens per shingle.
    pub width: usize,
    /// Maximum number of keys.
    pub sample: usize,
}

impl Family for LowestShingles {
    type Folded = FoldedText;
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn fingerprint(&self, body: &Body<'_, FoldedText>, hashes: &mut Vec<u64>, keys: &mut Vec<u64>, _: &mut [u8]) {
        body.folded.shingles(self.width, hashes);
        hashes.sort_unstable();
        hashes.dedup();
        keys.extend(hashes.iter().take(self.sample));
    }
}
