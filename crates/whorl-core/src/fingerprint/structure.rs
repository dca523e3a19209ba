//! Keys made of parts of a text: its longest sentences, its segments, the contexts of its punctuation marks, and the
//! bag of its characters.
//!
//! The hash of a part is the lower half of the digest of its tokens, that is, the `exact` key of a text that consists
//! of this part alone. A text with fewer parts than two copies must share gets that many keys derived from its digest
//! instead. Only texts that fold to the same tokens share those.

use std::cmp::Reverse;
use std::ops::Range;

use super::{Body, Family, Folded};
use crate::hash::{GOLDEN, absorb, mix};
use crate::text::located::LocatedText;
use crate::text::sentence::{paragraphs, sentences};
use crate::text::shingle::TokenHashes;
use crate::text::{Sink, Text, fold};

/// State before the first value of a hash over several.
const PARTS_SEED: u64 = 0x7768_6F72_6C2D_3032;
/// The slot of the first key derived from the digest, above those of all segments.
const WHOLE_TEXT: u64 = 1 << 32;

/// How a text is divided into parts, and how many of them two copies share.
pub trait Parts: Sync {
    /// Number of keys that two texts must share to be compared.
    fn min_shared(&self) -> usize;
    /// Appends the keys of `text` without repeats.
    fn keys(&self, text: &LocatedText, keys: &mut Vec<u64>);
}

/// The family whose keys are computed from parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByParts<P>(pub P);

impl<P: Parts> Family for ByParts<P> {
    type Folded = LocatedText;
    type Scratch = ();

    fn scratch(&self) {}

    fn fingerprint(&self, body: &Body<'_, LocatedText>, (): &mut (), keys: &mut Vec<u64>, _: &mut [u8]) {
        let previous_count = keys.len();
        self.0.keys(body.folded, keys);
        if keys.len() - previous_count < self.0.min_shared() {
            keys.truncate(previous_count);
            let slots = WHOLE_TEXT..WHOLE_TEXT + self.0.min_shared() as u64;
            keys.extend(slots.map(|slot| in_slot(body.digest as u64, slot)));
        }
    }
}

/// Combines a hash with its slot, so that hashes of different slots differ.
fn in_slot(hash: u64, slot: u64) -> u64 {
    mix(hash ^ (slot + 1).wrapping_mul(GOLDEN))
}

fn hash_values(values: &[u64]) -> u64 {
    mix(values.iter().fold(PARTS_SEED, |state, &value| absorb(state, value)))
}

/// The longest sentences of a text, or its longest sequences of consecutive sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongestSentences {
    /// Number of distinct sequences used.
    pub count: usize,
    /// Consecutive sentences in a sequence.
    pub run: usize,
    /// Minimum length of a sequence in folded code points, if any sequence is that long.
    pub min_length: usize,
    /// One key per sequence instead of one key for all of them.
    pub per_sentence: bool,
    /// Number of keys that two copies share.
    pub min_shared: usize,
}

impl LongestSentences {
    /// The token ranges of the sequences that are long enough, or of all if none is; longest first, ties in text order.
    fn candidates(&self, text: &LocatedText) -> Vec<Range<usize>> {
        let sentences = sentences(text.original());
        let mut start = 0;
        let ends = text.tokens_at(sentences.iter().map(|sentence| sentence.end));
        let mut cuts: Vec<Range<usize>> = ends.map(|end| std::mem::replace(&mut start, end)..end).collect();
        cuts.retain(|tokens| !tokens.is_empty());
        let run = self.run.min(cuts.len()).max(1);
        let mut runs: Vec<Range<usize>> = cuts.windows(run).map(|run| run[0].start..run[run.len() - 1].end).collect();
        let is_long = |tokens: &Range<usize>| text.length_of(tokens) >= self.min_length;
        if runs.iter().any(is_long) {
            runs.retain(is_long);
        }
        runs.sort_by_key(|tokens| Reverse(text.length_of(tokens)));
        runs
    }
}

impl Parts for LongestSentences {
    fn min_shared(&self) -> usize {
        self.min_shared
    }

    fn keys(&self, text: &LocatedText, keys: &mut Vec<u64>) {
        let previous_count = keys.len();
        for tokens in self.candidates(text) {
            if keys.len() - previous_count == self.count {
                break;
            }
            let hash = text.hash_of(tokens);
            if !keys[previous_count..].contains(&hash) {
                keys.push(hash);
            }
        }
        if !self.per_sentence && keys.len() > previous_count {
            keys[previous_count..].sort_unstable();
            let all = hash_values(&keys[previous_count..]);
            keys.truncate(previous_count);
            keys.push(all);
        }
    }
}

/// Where segment boundaries may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Between any two tokens.
    Length,
    /// Between sentences.
    Sentence,
    /// Between paragraphs.
    Paragraph,
}

/// A text divided into segments of equal length, as nearly as the rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Number of segments.
    pub count: usize,
    /// Where boundaries may be.
    pub rule: Rule,
    /// Minimum length of a segment in folded code points; shorter ones have no key.
    pub min_length: usize,
    /// Number of keys that two copies share.
    pub min_shared: usize,
}

impl Segments {
    /// Returns the token range of each segment, in order. A segment is empty if a sentence or paragraph spans several.
    ///
    /// A token, sentence or paragraph that begins after the share f of the text belongs to segment ⌊f · count⌋.
    pub fn cut(&self, text: &LocatedText) -> Vec<Range<usize>> {
        let first_tokens: Option<Vec<usize>> = match self.rule {
            Rule::Length => None,
            Rule::Sentence => Some(sentences(text.original())),
            Rule::Paragraph => Some(paragraphs(text.original())),
        }
        .map(|parts| text.tokens_at(parts.iter().map(|part| part.start)).collect());
        let bound = |segment: usize| {
            let token = text.token_behind((segment * text.length()).div_ceil(self.count));
            match &first_tokens {
                None => token,
                Some(firsts) => firsts
                    .get(firsts.partition_point(|&first| first < token))
                    .map_or(text.tokens().len(), |&first| first),
            }
        };
        let bounds: Vec<usize> = (0..self.count).map(bound).chain([text.tokens().len()]).collect();
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }
}

impl Parts for Segments {
    fn min_shared(&self) -> usize {
        self.min_shared
    }

    fn keys(&self, text: &LocatedText, keys: &mut Vec<u64>) {
        for (slot, tokens) in self.cut(text).into_iter().enumerate() {
            if !tokens.is_empty() && text.length_of(&tokens) >= self.min_length {
                keys.push(in_slot(text.hash_of(tokens), slot as u64));
            }
        }
    }
}

/// The contexts on both sides of the punctuation marks of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contexts {
    /// Tokens on each side.
    pub width: usize,
    /// One of this many hashes is used as a key.
    pub sample: u64,
    /// Number of keys that two copies share.
    pub min_shared: usize,
}

impl Contexts {
    /// Returns the token range around each group of punctuation marks that has `width` tokens on both sides, in order.
    pub fn find(&self, text: &LocatedText) -> Vec<Range<usize>> {
        let marks = text.original().iter().enumerate().filter(|&(_, &code_point)| is_mark(code_point));
        let mut places: Vec<usize> = text.tokens_at(marks.map(|(offset, _)| offset)).collect();
        places.dedup();
        places.retain(|&place| place >= self.width && place + self.width <= text.tokens().len());
        places.into_iter().map(|place| place - self.width..place + self.width).collect()
    }
}

impl Parts for Contexts {
    fn min_shared(&self) -> usize {
        self.min_shared
    }

    fn keys(&self, text: &LocatedText, keys: &mut Vec<u64>) {
        let hashes = self.find(text).into_iter().map(|tokens| hash_values(&text.tokens()[tokens]));
        let mut sampled: Vec<u64> = hashes.filter(|hash| hash.is_multiple_of(self.sample)).collect();
        sampled.sort_unstable();
        sampled.dedup();
        keys.extend(sampled);
    }
}

/// Start and end, alternating, of the ranges of punctuation (Unicode general categories P*): ASCII, Latin, Chinese,
/// Japanese, and the scripts of the sentence rules.
const MARKS: [u32; 84] = [
    0x21, 0x24, 0x25, 0x2B, 0x2C, 0x30, 0x3A, 0x3C, 0x3F, 0x41, 0x5B, 0x5E, 0x5F, 0x60, 0x7B, 0x7C, 0x7D, 0x7E, 0xA1,
    0xA2, 0xA7, 0xA8, 0xAB, 0xAC, 0xB6, 0xB8, 0xBB, 0xBC, 0xBF, 0xC0, 0x589, 0x58A, 0x60C, 0x60D, 0x61B, 0x61C, 0x61F,
    0x620, 0x6D4, 0x6D5, 0x964, 0x966, 0x104A, 0x104C, 0x1361, 0x1369, 0x17D4, 0x17D6, 0x2010, 0x2028, 0x2030, 0x2044,
    0x2045, 0x2052, 0x2053, 0x205F, 0x3001, 0x3004, 0x3008, 0x3012, 0x3014, 0x3020, 0x3030, 0x3031, 0x303D, 0x303E,
    0x30A0, 0x30A1, 0x30FB, 0x30FC, 0xFE10, 0xFE1A, 0xFE30, 0xFE53, 0xFE54, 0xFE62, 0xFE63, 0xFE64, 0xFE68, 0xFE69,
    0xFE6A, 0xFE6C, 0xFF5F, 0xFF66,
];

fn is_mark(code_point: u32) -> bool {
    let narrow = if (0xFF01..=0xFF5E).contains(&code_point) { code_point - 0xFEE0 } else { code_point };
    !(0x3100..0xFE10).contains(&narrow) && MARKS.partition_point(|&bound| bound <= narrow) % 2 == 1
}

/// The bag of all folded characters. Texts shorter than `min_length` are identified by their digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bag {
    /// Folded code points.
    pub min_length: usize,
}

impl Family for Bag {
    type Folded = BagOfCharacters;
    type Scratch = ();

    fn scratch(&self) {}

    fn fingerprint(&self, body: &Body<'_, BagOfCharacters>, (): &mut (), keys: &mut Vec<u64>, _: &mut [u8]) {
        let length = body.folded.length();
        keys.push(match length < self.min_length {
            true => in_slot(body.digest as u64, WHOLE_TEXT),
            false => mix(body.folded.sum ^ (length as u64).wrapping_mul(GOLDEN)),
        });
    }
}

/// Sums a hash of every folded code point; the sum does not depend on the order.
#[derive(Default)]
pub struct BagOfCharacters {
    hashes: TokenHashes,
    sum: u64,
}

impl Folded for BagOfCharacters {
    fn read(&mut self, text: Text<'_>) {
        let empty = Self { hashes: TokenHashes::into(std::mem::take(&mut self.hashes.buffer)), sum: 0 };
        *self = match text {
            Text::Utf8(text) => fold(text, empty),
            Text::CodePoints(text) => fold(text, empty),
        };
    }

    fn tokens(&self) -> &[u64] {
        &self.hashes.buffer[..self.hashes.count]
    }

    fn length(&self) -> usize {
        self.hashes.length
    }
}

impl BagOfCharacters {
    #[inline(always)]
    fn add(&mut self, code_point: u32) {
        self.sum = self.sum.wrapping_add(mix(u64::from(code_point).wrapping_mul(GOLDEN)));
    }
}

impl Sink for BagOfCharacters {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.add(code_point);
        self.hashes.single(code_point);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.add(code_point);
        self.hashes.run(code_point);
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.hashes.boundary();
    }
}
