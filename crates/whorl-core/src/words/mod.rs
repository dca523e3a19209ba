//! Words with their positions in the original text.
//!
//! ```text
//! text ─prepare→ characters with offsets ─cut→ words ─rules→ terms ─weights→ the heaviest ─hash→ keys
//! ```
//!
//! Han text is segmented with jieba's dictionary, either by its model ([`Mode::Precise`] and two more) or by matching
//! alone ([`matching`]). Sequences of letters or digits of other scripts are words. A text is segmented either as it is
//! or folded. Unfolded, traditional characters are looked up in their simplified forms, and numbers are split as in
//! jieba for Python. Folded, differences in traditional and full-width characters, case and zero-width characters
//! disappear, while every word keeps its position in the original. Fingerprints use the folded words; their hashes are
//! a file format.

mod batch;
mod chunk;
mod dictionary;
mod emphasis;
mod frequency;
mod idf;
mod matching;
mod prepare;
mod rank;
mod segment;
mod stem;
mod terms;

pub use batch::{Cutting, Segments, WeightedTerms, lines, segment, terms};
pub use dictionary::{Dictionary, DictionaryError};
pub use frequency::DocumentFrequencies;
pub use idf::{IDF_STEPS, Idf};
pub use segment::{Cutter, Mode, Word};
pub use stem::{STEM_VERSION, Stem};
pub(crate) use terms::is_stop_word_of;
pub use terms::{Term, TermReader, TermRules, Terms, Weighting};

use crate::hash::{absorb, mix};

/// Version of everything that determines words and terms: the segmenter with its dictionary, the stop words, the word
/// hash. Written into every file that depends on it.
pub const WORDS_VERSION: &str = "whorl-words-1/jieba-rs-0.11.0";

/// State before the first character of a word.
const WORD_SEED: u64 = 0x7768_6F72_6C77_3031;

/// Hashes a folded word.
#[inline]
pub(crate) fn word_hash(word: &str) -> u64 {
    code_points_hash(word.chars().map(u32::from))
}

/// The hash of a folded word, given as code points.
#[inline]
fn code_points_hash(word: impl Iterator<Item = u32>) -> u64 {
    mix(word.fold(WORD_SEED, |state, code_point| absorb(state, code_point.into())))
}
