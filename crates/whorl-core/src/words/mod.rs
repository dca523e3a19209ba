//! Words, with where they lie in the original text.
//!
//! ```text
//! text ─prepare→ characters with offsets ─cut→ words ─rules→ terms ─weights→ the heaviest ─hash→ keys
//! ```
//!
//! Han text is cut with the dictionary of jieba, by its model ([`Mode::Precise`] and two more) or by matching alone
//! ([`matching`]). Runs of letters or digits of other scripts are words as they stand. A text is cut either as it is,
//! traditional characters by the simplified forms that the dictionary has and numbers as jieba for Python cuts them,
//! or folded: then traditional and full-width characters, case and zero-width characters make no difference, and every
//! word still knows its place in the original. Fingerprints use the folded words; their hashes are a file format.

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
pub use terms::{Term, TermReader, TermRules, Terms, Weighting};

use crate::hash::{absorb, mix};

/// The name of everything that decides words and terms: the segmenter with its dictionary, the stop words, the word
/// hash. Written into every file that depends on it.
pub const WORDS_VERSION: &str = "whorl-words-1/jieba-rs-0.11.0";

/// State before the first character of a word.
const WORD_SEED: u64 = 0x7768_6F72_6C77_3031;

/// The hash of a folded word.
#[inline]
pub(crate) fn word_hash(word: &str) -> u64 {
    mix(word.chars().fold(WORD_SEED, |state, character| absorb(state, u32::from(character).into())))
}
