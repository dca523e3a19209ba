//! Text-Codes of the International Standard Content Code, ISO 24138: a code of 64 to 256 bits for each text, such that
//! similar texts have codes that differ in few bits.
//!
//! The text is collapsed, each window of thirteen characters is hashed with XXH32, and the code is the minimum hash of
//! these features. A shorter code is the beginning of a longer one.

mod collapse;
mod minimum;
mod permutations;
mod punctuation;

use xxhash_rust::xxh32::xxh32;

use crate::text::{Text, TextBlock, in_tasks};

/// Size of the longest code in bytes.
pub const CODE_BYTES: usize = 32;
/// Characters of a window.
const WINDOW: usize = 13;

/// Buffers that a thread reuses from text to text.
#[derive(Default)]
struct Coder {
    collapsed: String,
    /// The byte at which each character of the collapsed text starts, and its end.
    starts: Vec<usize>,
    features: Vec<u32>,
    bounds: Vec<u32>,
}

impl Coder {
    fn code(&mut self, text: Text<'_>) -> [u8; CODE_BYTES] {
        self.collapsed.clear();
        collapse::collapse(text, &mut self.collapsed);
        self.starts.clear();
        self.starts.extend(self.collapsed.char_indices().map(|(start, _)| start));
        self.starts.push(self.collapsed.len());
        let width = WINDOW.min(self.starts.len() - 1);
        let windows = self.starts.iter().zip(&self.starts[width..]);
        self.features.clear();
        self.features.extend(windows.map(|(&start, &end)| xxh32(&self.collapsed.as_bytes()[start..end], 0)));
        minimum::minimum_hash(&self.features, &mut self.bounds)
    }
}

/// Returns the 256-bit code of every text, in parallel. Texts without characters have the same code.
///
/// Linear; some dozens of nanoseconds a character.
pub fn text_codes(block: &impl TextBlock) -> Vec<[u8; CODE_BYTES]> {
    let step = |coder: &mut Coder, text: Text<'_>, part: &mut Vec<_>| part.push(coder.code(text));
    in_tasks(block, Coder::default, step).into_iter().flatten().collect()
}
