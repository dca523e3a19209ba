//! The family `exact`.

use super::{Body, Family};
use crate::text::shingle::FoldedText;

/// The family `exact`: the lower half of the digest is the only key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact;

impl Family for Exact {
    type Folded = FoldedText;
    type Scratch = ();

    fn scratch(&self) {}

    fn fingerprint(&self, body: &Body<'_, FoldedText>, (): &mut (), keys: &mut Vec<u64>, _: &mut [u8]) {
        keys.push(body.digest as u64);
    }
}
