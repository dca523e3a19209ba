//! A folded text as tokens with positions, and the keys of its windows.

use std::ops::Range;

use crate::hash::{GOLDEN, mix};
use crate::text::shingle::{TokenHashes, grow};
use crate::text::{Sink, Text, fold, fold_one};

/// Units of a word, which carries about 2.5 times the information of a Han character.
const WORD: u32 = 5;
/// Units of a token of a script written without spaces, such as a Han character.
const DENSE: u32 = 2;
/// Minimum units of the shorter windows: two words or five Han characters.
pub(super) const SHORT: u32 = 10;
/// Minimum units of the longer windows: four words or ten Han characters.
pub(super) const LONG: u32 = 20;
/// Maximum number of tokens per window.
const WIDEST: usize = (LONG / DENSE) as usize;
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// Position of a token in the original text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub start: u32,
    pub end: u32,
    /// Whether it is a code point of a script written without spaces.
    pub is_dense: bool,
}

impl Place {
    pub fn units(self) -> u32 {
        if self.is_dense { DENSE } else { WORD }
    }
}

/// Token hashes and token positions of a text; reused from text to text.
#[derive(Default)]
pub(super) struct TokenText {
    hashes: TokenHashes,
    /// Only the first entries belong to tokens; the rest is capacity.
    places: Vec<Place>,
    position: u32,
}

impl TokenText {
    /// Folds `text`, replacing the previous contents.
    pub fn read(&mut self, text: Text<'_>) {
        let mut sink = std::mem::take(self);
        sink.hashes = TokenHashes::into(sink.hashes.buffer);
        *self = match text {
            Text::Utf8(text) => fold(text, sink),
            Text::CodePoints(text) => fold(text, sink),
        };
    }

    pub fn tokens(&self) -> &[u64] {
        &self.hashes.buffer[..self.hashes.count]
    }

    pub fn places(&self) -> &[Place] {
        &self.places[..self.hashes.count]
    }

    /// Writes the position of a token that begins here; if none does, the next call overwrites it.
    #[inline(always)]
    fn note(&mut self, is_dense: bool) {
        if self.hashes.count == self.places.len() {
            grow(&mut self.places);
        }
        self.places[self.hashes.count] = Place { start: self.position, end: self.position + 1, is_dense };
    }
}

impl Sink for TokenText {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.single_or_boundary(code_point, true);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.note(false);
        self.hashes.run(code_point);
        self.places[self.hashes.count - 1].end = self.position + 1;
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.hashes.boundary();
    }

    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        self.note(true);
        self.hashes.single_or_boundary(code_point, is_single);
    }

    #[inline(always)]
    fn position(&mut self, offset: usize) {
        self.position = offset as u32;
    }
}

/// Units of all tokens.
pub(super) fn units(places: &[Place]) -> u32 {
    places.iter().map(|place| place.units()).sum()
}

/// The range of one or more tokens in the original text.
pub(super) fn span(places: &[Place], tokens: &Range<usize>) -> Range<usize> {
    places[tokens.start].start as usize..places[tokens.end - 1].end as usize
}

/// The folded letters of tokens, without separators.
pub(super) fn spell(original: &[u32], places: &[Place]) -> Vec<u32> {
    places.iter().flat_map(|place| &original[place.start as usize..place.end as usize]).map(|&c| fold_one(c)).collect()
}

/// Prefix hashes of a token sequence, from which the key of every window follows in constant time.
#[derive(Default)]
pub(super) struct Keys {
    prefixes: Vec<u64>,
}

const POWERS: [u64; WIDEST + 1] = powers();

const fn powers() -> [u64; WIDEST + 1] {
    let mut powers = [1u64; WIDEST + 1];
    let mut index = 1;
    while index <= WIDEST {
        powers[index] = powers[index - 1].wrapping_mul(BASE);
        index += 1;
    }
    powers
}

impl Keys {
    /// Reads a token sequence, replacing the previous one.
    pub fn read(&mut self, tokens: &[u64]) {
        self.prefixes.clear();
        self.prefixes.reserve(tokens.len() + 1);
        let mut prefix = 0u64;
        self.prefixes.push(prefix);
        self.prefixes.extend(tokens.iter().map(|&token| {
            prefix = prefix.wrapping_mul(BASE).wrapping_add(token);
            prefix
        }));
    }

    /// Calls `emit` with the first token and the key of every smallest window of at least `width` units, which is
    /// [`SHORT`] or [`LONG`].
    #[inline(always)]
    pub fn windows(&self, places: &[Place], width: u32, mut emit: impl FnMut(usize, u64)) {
        let (mut end, mut sum) = (0, 0);
        for start in 0..places.len() {
            while sum < width {
                if end == places.len() {
                    return;
                }
                sum += places[end].units();
                end += 1;
            }
            let length = end - start;
            let hash = self.prefixes[end].wrapping_sub(self.prefixes[start].wrapping_mul(POWERS[length]));
            emit(start, mix(hash ^ (length as u64).wrapping_mul(GOLDEN)));
            sum -= places[start].units();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TokenText {
        let mut tokens = TokenText::default();
        tokens.read(Text::Utf8(text));
        tokens
    }

    #[test]
    fn equal_windows_have_equal_keys_wherever_they_are() {
        let keys_of = |text: &str, width| {
            let (tokens, mut keys, mut all) = (read(text), Keys::default(), Vec::new());
            keys.read(tokens.tokens());
            keys.windows(tokens.places(), width, |at, key| all.push((at, key)));
            all
        };
        let (one, other) = (keys_of("the old house", SHORT), keys_of("In The old House.", SHORT));
        assert_eq!((one[0].1, one[1].1), (other[1].1, other[2].1));
        assert_eq!(keys_of("今天天气很好", SHORT).len(), 2);
        assert_eq!(keys_of("今天 GPT 好", SHORT).len(), 1);
        assert_eq!(keys_of("今天 GPT 好的", SHORT).len(), 2);
        assert_eq!(keys_of("a b c d e", LONG).len(), 2);
    }

    #[test]
    fn positions_are_code_points_of_the_original() {
        let text = read("「天」 Ｈｅllo!");
        let places: Vec<_> = text.places().iter().map(|place| (place.start, place.end, place.is_dense)).collect();
        assert_eq!(places, [(1, 2, true), (4, 9, false)]);
    }
}
