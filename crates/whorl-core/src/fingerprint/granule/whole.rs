//! Hashing of texts with too few granules by all their syllables.

use crate::hash::absorb;
use crate::text::pinyin::Pinyin;
use crate::text::{Sink, Text, fold};

/// State before the first token of a text that is hashed whole.
const WHOLE_SEED: u64 = 0x7768_6F72_6C2D_7079;
/// Distinguishes a syllable from a code point.
const SYLLABLE: u64 = 1 << 63;
/// Absorbed before the first code point of a run of letters or digits.
const RUN: u64 = 1 << 62;

/// Hashes the whole text with its Han characters as syllables; None for a text without features.
pub(super) fn whole_hash(text: Text<'_>) -> Option<u64> {
    let sink = Whole { pinyin: Pinyin::get(), state: None, in_run: false };
    match text {
        Text::Utf8(text) => fold(text, sink).state,
        Text::CodePoints(text) => fold(text, sink).state,
    }
}

struct Whole {
    pinyin: &'static Pinyin,
    state: Option<u64>,
    in_run: bool,
}

impl Whole {
    fn add(&mut self, value: u64) {
        self.state = Some(absorb(self.state.unwrap_or(WHOLE_SEED), value));
    }
}

impl Sink for Whole {
    fn single(&mut self, code_point: u32) {
        let value = match self.pinyin.syllable(code_point) {
            "" => code_point.into(),
            syllable => SYLLABLE | syllable.bytes().fold(0, |packed, letter| packed << 8 | u64::from(letter)),
        };
        self.add(value);
        self.in_run = false;
    }

    fn run(&mut self, code_point: u32) {
        let start = if self.in_run { 0 } else { RUN };
        self.add(start | u64::from(code_point));
        self.in_run = true;
    }

    fn boundary(&mut self) {
        self.in_run = false;
    }
}
