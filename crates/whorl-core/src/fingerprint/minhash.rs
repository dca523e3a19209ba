//! The family `minhash`, and standalone sketches.

use super::sketch::{Sketcher, band_keys, k_function_minhash, pack_code};
use super::{Body, Family};
use crate::text::body::Bodies;
use crate::text::metadata;
use crate::text::shingle::FoldedText;
use crate::text::{TextBlock, in_tasks};

/// Bands of a MinHash sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinHash {
    /// Tokens per shingle.
    pub width: usize,
    /// Values per sketch.
    pub values: usize,
    /// Number of bands, one key each.
    pub bands: usize,
    /// Values per band.
    pub rows: usize,
}

/// Buffers that a thread reuses from text to text.
pub struct Scratch {
    hashes: Vec<u64>,
    values: Vec<u32>,
    sketcher: Sketcher,
}

impl Family for MinHash {
    type Folded = FoldedText;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch { hashes: Vec::new(), values: vec![0; self.values], sketcher: Sketcher::new(self.values) }
    }

    fn code_width(&self) -> usize {
        self.values / 2
    }

    fn fingerprint(
        &self,
        body: &Body<'_, FoldedText>,
        Scratch { hashes, values, sketcher }: &mut Scratch,
        keys: &mut Vec<u64>,
        code: &mut [u8],
    ) {
        body.folded.shingles(self.width, hashes);
        sketcher.fast_similarity_sketch(hashes, values);
        band_keys(values, self.bands, self.rows, keys);
        pack_code(values, code);
    }
}

/// Computes the `values` MinHash values of every text; None for a text without features. `classic` selects the slow
/// reference implementation.
pub fn sketch(block: &impl TextBlock, width: usize, values: usize, classic: bool) -> Vec<Option<Vec<u32>>> {
    let worker = || (FoldedText::default(), Vec::new(), Sketcher::new(values));
    let step =
        |(folded, hashes, sketcher): &mut (FoldedText, _, Sketcher), text: crate::text::Text<'_>, part: &mut Vec<_>| {
            metadata::without(text, |text, _| folded.read(text));
            folded.shingles(width, hashes);
            let mut sketch = vec![0; values];
            let filled = if classic {
                k_function_minhash(hashes, &mut sketch)
            } else {
                sketcher.fast_similarity_sketch(hashes, &mut sketch)
            };
            part.push(filled.then_some(sketch));
        };
    in_tasks(&Bodies(block), worker, step).into_iter().flatten().collect()
}
