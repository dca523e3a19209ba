//! nshash fingerprints: hashes of the longest sentences of a text, compatible with that program.
//!
//! The hashes are stored in existing databases, so its rules are reproduced exactly: a colon ends a sentence, an ASCII
//! full stop does not, and nothing is folded. The only deviation avoids false matches: a sentence of white space has no
//! hash.

use std::cmp::Reverse;
use std::ops::Range;

use md5::{Digest, Md5};

use crate::hash::farm_hash64;
use crate::text::{CodePoints, Text, TextBlock, in_tasks};

/// If any sentence has more code points than this, all shorter ones are ignored.
const LONG: usize = 30;

/// Sentence terminators: `:`, its full-width form, `；？。！】` and the line feed.
const ENDS: [u32; 8] = [0x3A, 0xFF1A, 0xFF1B, 0xFF1F, 0x3002, 0xFF01, 0x3011, 0x0A];

/// The hash function applied to a sentence in UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceHash {
    /// MD5, as 32 hexadecimal digits.
    Md5,
    /// FarmHash `Hash64` without special instructions, as a decimal number.
    FarmHash64,
}

/// One of the longest sentences of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its hash, formatted as in the database.
    pub hash: String,
    /// Its code-point range in the text.
    pub place: Range<usize>,
}

/// Returns the `count` longest sentences of every text, longest first; ties are in text order. Empty for a text of
/// white space. Linear in the texts; parallel if there are many.
pub fn longest_sentences(block: &impl TextBlock, count: usize, hash: SentenceHash) -> Vec<Vec<Sentence>> {
    let step = |encoded: &mut Vec<u8>, text: Text<'_>, part: &mut Vec<Vec<Sentence>>| {
        part.push(match text {
            Text::CodePoints(text) => hashed(text, count, hash, encoded),
            Text::Utf8(text) => hashed(&text.code_points().collect::<Vec<_>>(), count, hash, encoded),
        });
    };
    in_tasks(block, Vec::new, step).into_iter().flatten().collect()
}

fn hashed(text: &[u32], count: usize, hash: SentenceHash, encoded: &mut Vec<u8>) -> Vec<Sentence> {
    let sentence = |place: Range<usize>| {
        encoded.clear();
        encoded.reserve(3 * place.len());
        text[place.clone()].iter().for_each(|&code_point| encode(code_point, encoded));
        Sentence { hash: hash.of(encoded), place }
    };
    choose(text, count).into_iter().map(sentence).collect()
}

fn choose(text: &[u32], count: usize) -> Vec<Range<usize>> {
    let mut next = 0;
    let places = text.split(|&code_point| ends_sentence(code_point)).map(|sentence| {
        let start = next;
        next += sentence.len() + 1;
        start..start + sentence.len()
    });
    let mut places: Vec<_> = places.filter(|place| !is_blank(&text[place.clone()])).collect();
    if places.iter().any(|place| place.len() > LONG) {
        places.retain(|place| place.len() > LONG);
    }
    places.sort_by_key(|place| Reverse(place.len()));
    places.truncate(count);
    places
}

fn ends_sentence(code_point: u32) -> bool {
    // Most characters are in one of these two ranges, which have no terminator.
    !matches!(code_point, 0x3B..=0x3001 | 0x3012..=0xFF00) && ENDS.contains(&code_point)
}

/// True for white space as Python defines it: Unicode white space and the four ASCII separators.
fn is_blank(sentence: &[u32]) -> bool {
    let is_space = |&code_point: &u32| {
        char::from_u32(code_point)
            .is_some_and(|character| character.is_whitespace() || ('\x1c'..='\x1f').contains(&character))
    };
    sentence.iter().all(is_space)
}

/// Appends a code point in UTF-8; a lone surrogate is encoded in three bytes.
fn encode(code_point: u32, target: &mut Vec<u8>) {
    match char::from_u32(code_point) {
        Some(character) => target.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => target.extend_from_slice(&[
            0xE0 | (code_point >> 12) as u8,
            0x80 | (code_point >> 6 & 0x3F) as u8,
            0x80 | (code_point & 0x3F) as u8,
        ]),
    }
}

impl SentenceHash {
    fn of(self, sentence: &[u8]) -> String {
        match self {
            Self::FarmHash64 => farm_hash64(sentence).to_string(),
            Self::Md5 => {
                Md5::digest(sentence).iter().flat_map(|byte| [byte >> 4, byte & 15]).map(hexadecimal).collect()
            }
        }
    }
}

fn hexadecimal(digit: u8) -> char {
    char::from(b"0123456789abcdef"[usize::from(digit)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sentences_of(text: &str, count: usize) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let longest = longest_sentences(&vec![Text::Utf8(text)], count, SentenceHash::Md5).remove(0);
        longest.into_iter().map(|sentence| characters[sentence.place].iter().collect()).collect()
    }

    /// The original rule as a slow reference: split, prefer sentences longer than 30, sort by length, truncate.
    fn slow_twin(text: &str, count: usize) -> Vec<String> {
        let mut sentences: Vec<String> =
            text.split([':', '：', '；', '？', '。', '！', '】', '\n']).map(str::to_owned).collect();
        sentences.retain(|sentence| !sentence.trim().is_empty());
        let long: Vec<String> = sentences.iter().filter(|sentence| sentence.chars().count() > 30).cloned().collect();
        let mut chosen = if long.is_empty() { sentences } else { long };
        chosen.sort_by_key(|sentence| Reverse(sentence.chars().count()));
        chosen.truncate(count);
        chosen
    }

    proptest! {
        #[test]
        fn the_sentences_are_those_of_the_rule(text in "[ab好天 ：:。\n！.]{0,200}", count in 1_usize..7) {
            prop_assert_eq!(sentences_of(&text, count), slow_twin(&text, count));
        }
    }

    #[test]
    fn hashes_are_those_of_the_published_functions() {
        assert_eq!(SentenceHash::Md5.of(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(SentenceHash::FarmHash64.of(b"hello world"), 0x588f_b747_8bd6_b01b_u64.to_string());
    }

    #[test]
    fn a_lone_surrogate_takes_three_bytes() {
        let mut encoded = Vec::new();
        [0x597D, 0xD800].into_iter().for_each(|code_point| encode(code_point, &mut encoded));
        assert_eq!(encoded, [0xE5, 0xA5, 0xBD, 0xED, 0xA0, 0x80]);
    }
}
