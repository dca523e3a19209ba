//! Tokens as hashes, and shingles: windows of consecutive tokens.
//!
//! A token is one code point of a script written without spaces, or a sequence of letters or digits. A shingle is
//! `width` consecutive tokens; a text with fewer tokens is a single shingle; a text without tokens has no shingles.
//! Shingles are identified by 64-bit hashes: in a pair of texts with a million shingles each, the probability that two
//! different ones collide is below 10⁻⁷.

pub(crate) mod text;

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use crate::hash::{GOLDEN, absorb, mix};
use crate::text::{CodePoints, Plain, Sink, Text, fold};

/// Base of the polynomial that hashes a window.
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;
/// State before the first code point of a token.
const TOKEN_SEED: u64 = 0x7768_6F72_6C2D_3031;

/// A folded text: its tokens as hashes.
///
/// Reused from text to text, so that a worker allocates once.
#[derive(Default)]
pub struct FoldedText {
    /// Only the first `count` are tokens; the rest is capacity.
    tokens: Vec<u64>,
    count: usize,
    length: usize,
}

impl FoldedText {
    /// Folds `text`, replacing the previous contents.
    #[inline]
    pub fn read(&mut self, text: Text<'_>) {
        match text {
            Text::Utf8(text) => self.read_code_points(text),
            Text::CodePoints(text) => self.read_code_points(text),
        }
    }

    #[inline]
    fn read_code_points<T: CodePoints + ?Sized>(&mut self, text: &T) {
        let hashes = fold(text, TokenHashes::into(std::mem::take(&mut self.tokens)));
        (self.tokens, self.count, self.length) = (hashes.buffer, hashes.count, hashes.length);
    }

    /// One hash per token, in order.
    pub fn tokens(&self) -> &[u64] {
        &self.tokens[..self.count]
    }

    /// Number of code points of the folded text, without separators.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The [`digest`] of its tokens: equal for texts that fold to the same tokens.
    pub fn digest(&self) -> u128 {
        digest(self.tokens())
    }

    /// Fills `hashes` with the hash of every shingle, in text order, with repeats.
    #[inline]
    pub fn shingles(&self, width: usize, hashes: &mut Vec<u64>) {
        hashes.clear();
        window_hashes(self.tokens(), width, hashes);
    }
}

/// A folded text: its tokens as hashes, and its code points without separators. Reused from text to text.
#[derive(Default)]
pub struct SpelledText {
    hashes: TokenHashes,
    /// Only the length of the folded text is valid; the rest is capacity.
    code_points: Vec<u32>,
}

impl SpelledText {
    /// Folds `text`, replacing the previous contents.
    pub fn read(&mut self, text: Text<'_>) {
        let mut sink = std::mem::take(self);
        sink.hashes = TokenHashes::into(sink.hashes.buffer);
        *self = match text {
            Text::Utf8(text) => fold(text, sink),
            Text::CodePoints(text) => fold(text, sink),
        };
    }

    /// One hash per token, in order.
    pub fn tokens(&self) -> &[u64] {
        &self.hashes.buffer[..self.hashes.count]
    }

    /// The folded code points, without separators.
    pub fn code_points(&self) -> &[u32] {
        &self.code_points[..self.hashes.length]
    }

    /// Writes a code point; if it is not part of the folded text, the next one overwrites it.
    #[inline(always)]
    fn write(&mut self, code_point: u32) {
        if self.hashes.length == self.code_points.len() {
            grow(&mut self.code_points);
        }
        self.code_points[self.hashes.length] = code_point;
    }
}

impl Sink for SpelledText {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.single_or_boundary(code_point, true);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.write(code_point);
        self.hashes.run(code_point);
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.hashes.boundary();
    }

    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        self.write(code_point);
        self.hashes.single_or_boundary(code_point, is_single);
    }

    #[inline(always)]
    fn plains(&mut self, offset: usize, plains: &[Plain]) {
        let mut length = self.hashes.length;
        while self.code_points.len() < length + plains.len() {
            grow(&mut self.code_points);
        }
        let code_points = &mut self.code_points[..];
        for plain in plains {
            code_points[length] = plain.code_point();
            length += usize::from(plain.is_unit());
        }
        self.hashes.plains(offset, plains);
    }
}

/// XXH3-128 of token hashes in little-endian order.
pub fn digest(tokens: &[u64]) -> u128 {
    if cfg!(target_endian = "little") {
        return xxh3_128(bytemuck::cast_slice(tokens));
    }
    let bytes: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
    xxh3_128(&bytes)
}

/// Writes tokens into the buffer of a [`FoldedText`].
#[derive(Default)]
pub(crate) struct TokenHashes {
    pub(crate) buffer: Vec<u64>,
    pub(crate) count: usize,
    pub(crate) length: usize,
    in_run: bool,
}

impl TokenHashes {
    pub(crate) fn into(buffer: Vec<u64>) -> Self {
        Self { buffer, count: 0, length: 0, in_run: false }
    }

    #[inline(always)]
    fn begin(&mut self, code_point: u32) {
        if self.count == self.buffer.len() {
            grow(&mut self.buffer);
        }
        self.buffer[self.count] = absorb(TOKEN_SEED, code_point.into());
    }
}

#[cold]
pub(crate) fn grow<T: Clone + Default>(buffer: &mut Vec<T>) {
    buffer.resize((2 * buffer.len()).max(1024), T::default());
}

impl Sink for TokenHashes {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.single_or_boundary(code_point, true);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.length += 1;
        if self.in_run {
            let token = &mut self.buffer[self.count - 1];
            *token = absorb(*token, code_point.into());
        } else {
            self.begin(code_point);
            self.count += 1;
            self.in_run = true;
        }
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.in_run = false;
    }

    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        self.begin(code_point);
        self.count += usize::from(is_single);
        self.length += usize::from(is_single);
        self.in_run = false;
    }

    #[inline(always)]
    fn plains(&mut self, _offset: usize, plains: &[Plain]) {
        while self.buffer.len() < self.count + plains.len() {
            grow(&mut self.buffer);
        }
        let (tokens, mut count, mut in_run) = (&mut self.buffer[..], self.count, self.in_run);
        for plain in plains {
            let code_point = u64::from(plain.code_point());
            if plain.is_run() {
                let (place, token) = if in_run { (count - 1, tokens[count - 1]) } else { (count, TOKEN_SEED) };
                tokens[place] = absorb(token, code_point);
                count = place + 1;
                in_run = true;
            } else {
                // A break is overwritten by the next token.
                tokens[count] = absorb(TOKEN_SEED, code_point);
                count += usize::from(plain.is_single());
                in_run = false;
            }
        }
        (self.count, self.in_run) = (count, in_run);
        self.length += Plain::units(plains);
    }
}

/// Fills `hashes` with token hashes; each code point has a flag that marks the start of a token.
pub(crate) fn hash_tokens(code_points: impl Iterator<Item = (u32, bool)>, hashes: &mut Vec<u64>) {
    hashes.clear();
    for (code_point, begins) in code_points {
        match hashes.last_mut() {
            Some(token) if !begins => *token = absorb(*token, code_point.into()),
            _ => hashes.push(absorb(TOKEN_SEED, code_point.into())),
        }
    }
}

/// Hashes a token.
#[inline]
pub(crate) fn hash_token(token: &[u32]) -> u64 {
    token.iter().fold(TOKEN_SEED, |hash, &code_point| absorb(hash, code_point.into()))
}

/// Appends the hash of every window of `width` tokens: `mix(Σ tokenᵢ · BASE^(m−1−i) ⊕ m · GOLDEN)` over the window's
/// m tokens, modulo 2⁶⁴.
#[allow(unsafe_code, reason = "calls what was compiled for processors that multiply eight numbers at once")]
#[inline]
pub(crate) fn window_hashes(tokens: &[u64], width: usize, hashes: &mut Vec<u64>) {
    let length = width.min(tokens.len());
    #[cfg(target_arch = "x86_64")]
    if length == USUAL && std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512dq") {
        // SAFETY: the required CPU features were detected.
        return unsafe { usual_windows_avx512(tokens, hashes) };
    }
    if length > 0 {
        rolling_windows(tokens, length, hashes);
    }
}

#[inline]
fn rolling_windows(tokens: &[u64], length: usize, hashes: &mut Vec<u64>) {
    let mut polynomial = tokens[..length].iter().fold(0, |sum: u64, &token| sum.wrapping_mul(BASE).wrapping_add(token));
    hashes.push(finish(polynomial, length));
    let leaving = (0..length).fold(1, |power: u64, _| power.wrapping_mul(BASE));
    hashes.extend(tokens[length..].iter().zip(tokens).map(|(&enters, &leaves)| {
        polynomial = polynomial.wrapping_mul(BASE).wrapping_add(enters).wrapping_sub(leaves.wrapping_mul(leaving));
        finish(polynomial, length)
    }));
}

#[inline(always)]
fn finish(polynomial: u64, length: usize) -> u64 {
    mix(polynomial ^ (length as u64).wrapping_mul(GOLDEN))
}

/// The default number of tokens per window.
const USUAL: usize = 5;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn usual_windows_avx512(tokens: &[u64], hashes: &mut Vec<u64>) {
    usual_windows(tokens, hashes);
}

/// Computes each window from the definition: more work than a rolling hash, but no window depends on the previous one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn usual_windows(tokens: &[u64], hashes: &mut Vec<u64>) {
    let (first, count) = (hashes.len(), tokens.len() + 1 - USUAL);
    hashes.resize(first + count, 0);
    let [a, b, c, d, e]: [&[u64]; USUAL] = std::array::from_fn(|place| &tokens[place..][..count]);
    let hashes = &mut hashes[first..];
    for at in 0..count {
        let add = |sum: u64, token: u64| sum.wrapping_mul(BASE).wrapping_add(token);
        hashes[at] = finish(add(add(add(add(a[at], b[at]), c[at]), d[at]), e[at]), USUAL);
    }
}

/// Returns the token ranges covered by `is_selected` shingles, ordered and disjoint; `hashes` are those of all shingles
/// of the tokens.
pub(crate) fn covered_tokens(
    tokens: usize,
    width: usize,
    hashes: &[u64],
    is_selected: impl Fn(u64) -> bool,
) -> Vec<Range<usize>> {
    let length = width.min(tokens);
    let mut covered: Vec<Range<usize>> = Vec::new();
    for (first, _) in hashes.iter().enumerate().filter(|&(_, &hash)| is_selected(hash)) {
        match covered.last_mut() {
            Some(last) if first <= last.end => last.end = first + length,
            _ => covered.push(first..first + length),
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> FoldedText {
        let mut folded = FoldedText::default();
        folded.read_code_points(text);
        folded
    }

    fn shingles(text: &str, width: usize) -> Vec<u64> {
        let mut hashes = Vec::new();
        folded(text).shingles(width, &mut hashes);
        hashes
    }

    /// The definition, window by window.
    fn slow_windows(tokens: &[u64], width: usize) -> Vec<u64> {
        if tokens.is_empty() {
            return Vec::new();
        }
        let length = width.min(tokens.len());
        let hash = |window: &[u64]| {
            let sum = window.iter().rev().enumerate().fold(0u64, |sum, (power, token)| {
                sum.wrapping_add(token.wrapping_mul((0..power).fold(1, |p: u64, _| p.wrapping_mul(BASE))))
            });
            mix(sum ^ (length as u64).wrapping_mul(GOLDEN))
        };
        tokens.windows(length).map(hash).collect()
    }

    proptest! {
        #[test]
        fn rolling_equals_the_definition(tokens in prop::collection::vec(any::<u64>(), 0..40), width in 1usize..9) {
            let (mut rolled, expected) = (vec![7], [vec![7], slow_windows(&tokens, width)].concat());
            window_hashes(&tokens, width, &mut rolled);
            prop_assert_eq!(&rolled, &expected);
            if width <= tokens.len() {
                rolled.truncate(1);
                rolling_windows(&tokens, width, &mut rolled);
                prop_assert_eq!(&rolled, &expected);
            }
        }

        #[test]
        fn tokens_are_covered_that_lie_in_a_wanted_shingle(
            tokens in prop::collection::vec(0_u64..4, 0..40),
            width in 1_usize..6,
            is_selected in prop::collection::hash_set(0_usize..40, 0..8),
        ) {
            let mut hashes = Vec::new();
            window_hashes(&tokens, width, &mut hashes);
            let is_wanted = |hash| is_selected.iter().any(|&place| hashes.get(place) == Some(&hash));
            let windows = tokens.windows(width.min(tokens.len()).max(1)).enumerate();
            let mut slow = vec![false; tokens.len()];
            for (start, window) in windows.filter(|&(start, _)| is_wanted(hashes[start])) {
                slow[start..start + window.len()].fill(true);
            }
            let mut fast = vec![false; tokens.len()];
            let covered = covered_tokens(tokens.len(), width, &hashes, is_wanted);
            prop_assert!(covered.windows(2).all(|pair| pair[0].end < pair[1].start));
            covered.into_iter().for_each(|tokens| fast[tokens].fill(true));
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn code_points_and_utf8_agree(text in "\\PC{0,60}") {
            let code_points: Vec<u32> = text.chars().map(u32::from).collect();
            let mut from_code_points = FoldedText::default();
            from_code_points.read(Text::CodePoints(&code_points));
            let from_utf8 = folded(&text);
            prop_assert_eq!(from_code_points.tokens(), from_utf8.tokens());
            prop_assert_eq!(from_code_points.digest(), from_utf8.digest());
        }

        #[test]
        fn a_text_is_spelled_as_its_tokens_are(text in "[今天a1b ，。\u{301}éﬁⅧ\u{200b}]{0,60}|\\PC{0,60}", before in "\\PC{0,80}") {
            let mut spelled = SpelledText::default();
            spelled.read(Text::Utf8(&before));
            spelled.read(Text::Utf8(&text));
            let folded = folded(&text);
            prop_assert_eq!(spelled.tokens(), folded.tokens());
            let code_points: Vec<u32> = crate::text::fold_to_string(text.as_str()).chars().map(u32::from).collect();
            prop_assert_eq!(spelled.code_points(), &code_points);
        }
    }

    #[test]
    fn a_short_text_is_one_shingle_and_an_empty_one_none() {
        assert_eq!(shingles("你好", 5).len(), 1);
        assert_eq!(shingles("你好", 5), shingles("【你】 好！", 5));
        assert_ne!(shingles("你好", 5), shingles("你好吗", 5));
        assert!(shingles("。！？ \u{200b}", 5).is_empty());
    }
}
