//! A folded text with the original position of each token.

use std::ops::Range;

use crate::text::shingle::{FoldedText, TokenHashes, covered_tokens, digest, grow, window_hashes};
use crate::text::{Sink, Text, fold};

/// Position of a token.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Its first code point in the original text.
    start: u32,
    /// The code point after its last one in the original text.
    end: u32,
    /// Folded code points before it.
    folded: u32,
}

/// A folded text: its tokens as hashes, with their positions in the original text.
///
/// Reused from text to text, so that a worker allocates once. Offsets are 32 bits wide: a text has fewer than 2³² code
/// points.
#[derive(Default)]
pub struct LocatedText {
    original: Vec<u32>,
    hashes: TokenHashes,
    /// Only the first entries belong to tokens; the rest is capacity.
    places: Vec<Place>,
}

impl LocatedText {
    /// Folds `text`, replacing the previous contents.
    pub fn read(&mut self, text: Text<'_>) {
        self.original.clear();
        match text {
            Text::Utf8(text) => self.original.extend(text.chars().map(u32::from)),
            Text::CodePoints(text) => self.original.extend_from_slice(text),
        }
        let sink = Locations::into(std::mem::take(&mut self.hashes.buffer), std::mem::take(&mut self.places));
        Locations { hashes: self.hashes, places: self.places, .. } = fold(self.original.as_slice(), sink);
    }

    /// The code points of the original text.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// One hash per token, in order.
    pub fn tokens(&self) -> &[u64] {
        &self.hashes.buffer[..self.hashes.count]
    }

    /// Number of code points of the folded text, without separators.
    pub fn length(&self) -> usize {
        self.hashes.length
    }

    /// For each of ascending offsets of the original text, returns the first token that starts at or after it. Linear.
    pub fn tokens_at(&self, offsets: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut token = 0;
        offsets.map(move |offset| {
            token += self.places()[token..].iter().take_while(|place| (place.start as usize) < offset).count();
            token
        })
    }

    /// The first token with at least `folded` folded code points before it.
    pub fn token_behind(&self, folded: usize) -> usize {
        self.places().partition_point(|place| (place.folded as usize) < folded)
    }

    /// Number of folded code points before `token`, or in total for the end of the tokens.
    pub fn folded_before(&self, token: usize) -> usize {
        self.places().get(token).map_or(self.length(), |place| place.folded as usize)
    }

    /// Number of folded code points of `tokens`.
    pub fn length_of(&self, tokens: &Range<usize>) -> usize {
        self.folded_before(tokens.end) - self.folded_before(tokens.start)
    }

    /// The lower half of the digest of `tokens`: the same as for a text that consists of them.
    pub fn hash_of(&self, tokens: Range<usize>) -> u64 {
        digest(&self.tokens()[tokens]) as u64
    }

    /// The range of one or more `tokens` in the original text.
    pub fn span_of(&self, tokens: Range<usize>) -> Range<usize> {
        let places = &self.places()[tokens];
        places[0].start as usize..places[places.len() - 1].end as usize
    }

    fn places(&self) -> &[Place] {
        &self.places[..self.hashes.count]
    }
}

/// Returns the stretches of `text` covered by shingles that also occur in `other`, as code-point ranges in order.
/// Ranges separated only by dropped characters are merged.
pub fn shared_spans(text: Text<'_>, other: Text<'_>, width: usize) -> Vec<Range<usize>> {
    let mut folded = FoldedText::default();
    folded.read(other);
    let (mut known, mut hashes) = (Vec::new(), Vec::new());
    folded.shingles(width, &mut known);
    known.sort_unstable();
    let mut located = LocatedText::default();
    located.read(text);
    window_hashes(located.tokens(), width, &mut hashes);
    let is_known = |hash| known.binary_search(&hash).is_ok();
    let covered = covered_tokens(located.tokens().len(), width, &hashes, is_known);
    covered.into_iter().map(|tokens| located.span_of(tokens)).collect()
}

/// Writes tokens and positions side by side.
struct Locations {
    hashes: TokenHashes,
    places: Vec<Place>,
    position: u32,
}

impl Locations {
    fn into(hashes: Vec<u64>, places: Vec<Place>) -> Self {
        Self { hashes: TokenHashes::into(hashes), places, position: 0 }
    }

    /// Writes the position of a token that begins here; if none does, the next call overwrites it.
    #[inline(always)]
    fn note(&mut self) {
        if self.hashes.count == self.places.len() {
            grow(&mut self.places);
        }
        let folded = self.hashes.length as u32;
        self.places[self.hashes.count] = Place { start: self.position, end: self.position + 1, folded };
    }
}

impl Sink for Locations {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.note();
        self.hashes.single(code_point);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.note();
        self.hashes.run(code_point);
        self.places[self.hashes.count - 1].end = self.position + 1;
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.hashes.boundary();
    }

    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        self.note();
        self.hashes.single_or_boundary(code_point, is_single);
    }

    #[inline(always)]
    fn position(&mut self, offset: usize) {
        self.position = offset as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn located(text: &str) -> LocatedText {
        let mut located = LocatedText::default();
        located.read(Text::Utf8(text));
        located
    }

    fn passage(text: &str, span: Range<usize>) -> String {
        text.chars().skip(span.start).take(span.len()).collect()
    }

    proptest! {
        #[test]
        fn the_tokens_are_those_of_the_fold(text in "\\PC{0,80}", before in "\\PC{0,80}") {
            let mut folded = FoldedText::default();
            folded.read(Text::Utf8(text.as_str()));
            let mut located = located(&before);
            located.read(Text::Utf8(&text));
            prop_assert_eq!(located.tokens(), folded.tokens());
            prop_assert_eq!(located.length(), folded.length());
            prop_assert_eq!(located.hash_of(0..located.tokens().len()), folded.digest() as u64);
        }

        #[test]
        fn every_token_lies_where_it_says(text in "[甲乙ab1 ，。①Ⅷﬁ\n]{0,40}") {
            let located = located(&text);
            let tokens = crate::text::tokens(text.as_str());
            let mut folded = 0;
            for (token, expected) in tokens.iter().enumerate() {
                let folded_tokens = crate::text::tokens(passage(&text, located.span_of(token..token + 1)).as_str());
                prop_assert!(folded_tokens.contains(expected), "{:?} is not in {:?}", expected, folded_tokens);
                prop_assert_eq!(located.folded_before(token), folded);
                folded += expected.chars().count();
            }
            prop_assert_eq!(located.folded_before(tokens.len()), folded);
        }

        #[test]
        fn shared_spans_are_covered_by_the_other_text(text in "[甲乙丙丁a ，]{0,40}", other in "[甲乙丙丁a ，]{0,40}") {
            let mut folded = FoldedText::default();
            let mut shingles = |text: &str| {
                let mut hashes = Vec::new();
                folded.read(Text::Utf8(text));
                folded.shingles(3, &mut hashes);
                hashes
            };
            let theirs = shingles(&other);
            for span in shared_spans(Text::Utf8(&text), Text::Utf8(&other), 3) {
                let passage = passage(&text, span);
                prop_assert!(shingles(&passage).iter().any(|hash| theirs.contains(hash)), "{passage:?}");
            }
        }
    }

    #[test]
    fn shared_spans_point_into_the_original_text() {
        let text = "前言：《今天》的　天气很好，适合出门散步。";
        let spans = shared_spans(Text::Utf8(text), Text::Utf8("今天的天气很好"), 5);
        let passages: Vec<String> = spans.into_iter().map(|span| passage(text, span)).collect();
        assert_eq!(passages, ["今天》的　天气很好"]);
    }

    #[test]
    fn spans_leave_separators_out() {
        let text = "“Good  morning，” 他说。";
        let located = located(text);
        assert_eq!(passage(text, located.span_of(0..2)), "Good  morning");
        assert_eq!(passage(text, located.span_of(1..3)), "morning，” 他");
        assert_eq!(located.tokens_at([0, 7, 7, 99].into_iter()).collect::<Vec<_>>(), [0, 1, 1, 4]);
        assert_eq!(located.token_behind(5), 2);
        assert_eq!(located.length_of(&(1..4)), "morning他说".chars().count());
    }
}
