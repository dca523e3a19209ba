//! Word boundaries: a passage begins and ends between words, never within a number, nor between a character and its
//! marks.

use unicode_normalization::char::is_combining_mark;

use super::gap::{Edits, LONGEST};
use super::piece::{Covered, Piece, Streams};
use crate::align::stream::Stream;

/// From here on, not all scripts put spaces between words.
const UNSPACED_FROM: u32 = 0x0E00;

/// Distances of a position within a word from its start and its end.
#[derive(Clone, Copy, Default)]
struct Inside {
    before: usize,
    behind: usize,
}

impl Inside {
    /// Zeros between two words, and in anything longer than a word.
    fn of(stream: &Stream, unit: usize) -> Self {
        if !is_in_word(stream, unit) {
            return Self::default();
        }
        let before = (1..=LONGEST.min(unit)).find(|&far| !is_in_word(stream, unit - far));
        let behind = (1..=LONGEST).find(|&far| !is_in_word(stream, unit + far));
        before.zip(behind).map_or(Self::default(), |(before, behind)| Self { before, behind })
    }
}

/// True if a word, a number, or the expansion of one code point spans the position before `unit`.
fn is_in_word(stream: &Stream, unit: usize) -> bool {
    if unit == 0 || unit >= stream.units().len() {
        return false;
    }
    let (left, right) = (stream.units()[unit - 1], stream.units()[unit]);
    let goes_on = right < UNSPACED_FROM || char::from_u32(right).is_some_and(is_combining_mark);
    !stream.begins_token(unit) && goes_on
        || stream.start_of(unit) == stream.start_of(unit - 1)
        || is_digit(left) && is_digit(right) && matches!(stream.before(unit), &[sign] if is_point(sign))
}

fn is_digit(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(|sign| sign.is_ascii_digit())
}

fn is_point(sign: u32) -> bool {
    matches!(char::from_u32(sign), Some('.' | ',' | '．' | '，'))
}

impl Streams<'_> {
    /// Moves the ends of a piece to word boundaries: outwards if most of a word belongs to it and the rest is
    /// uncovered, otherwise inwards. Returns false if nothing alike remains.
    pub fn end_at_words(self, piece: &mut Piece, covered: &mut Covered) -> bool {
        while !piece.a.is_empty() && !piece.b.is_empty() && self.start_at_word(piece, covered) {}
        while !piece.a.is_empty() && !piece.b.is_empty() && self.stop_at_word(piece, covered) {}
        covered.set(piece, true);
        !piece.a.is_empty() && !piece.b.is_empty() && piece.edits.alike() > 0
    }

    /// True if the start was moved, and may have to be moved again.
    fn start_at_word(self, piece: &mut Piece, covered: &Covered) -> bool {
        let (in_a, in_b) = (Inside::of(self.a, piece.a.start), Inside::of(self.b, piece.b.start));
        let rest_a = piece.a.start - in_a.before..piece.a.start;
        let rest_b = piece.b.start - in_b.before..piece.b.start;
        if rest_a.is_empty() && rest_b.is_empty() {
            return false;
        }
        let has_most = in_a.before <= in_a.behind && in_b.before <= in_b.behind;
        if has_most && covered.is_free(rest_a.clone(), rest_b.clone()) {
            (piece.a.start, piece.b.start) = (rest_a.start, rest_b.start);
            piece.edits.add(Edits::between(&self.a.units()[rest_a], &self.b.units()[rest_b]));
            return false;
        }
        let cut = in_a.behind.max(in_b.behind);
        let off_a = piece.a.start..piece.a.end.min(piece.a.start + cut);
        let off_b = piece.b.start..piece.b.end.min(piece.b.start + cut);
        (piece.a.start, piece.b.start) = (off_a.end, off_b.end);
        self.cut_off(piece, &self.a.units()[off_a], &self.b.units()[off_b]);
        true
    }

    /// True if the end was moved, and may have to be moved again.
    fn stop_at_word(self, piece: &mut Piece, covered: &Covered) -> bool {
        let (in_a, in_b) = (Inside::of(self.a, piece.a.end), Inside::of(self.b, piece.b.end));
        let rest_a = piece.a.end..piece.a.end + in_a.behind;
        let rest_b = piece.b.end..piece.b.end + in_b.behind;
        if rest_a.is_empty() && rest_b.is_empty() {
            return false;
        }
        let has_most = in_a.behind <= in_a.before && in_b.behind <= in_b.before;
        if has_most && covered.is_free(rest_a.clone(), rest_b.clone()) {
            (piece.a.end, piece.b.end) = (rest_a.end, rest_b.end);
            piece.edits.add(Edits::between(&self.a.units()[rest_a], &self.b.units()[rest_b]));
            return false;
        }
        let cut = in_a.before.max(in_b.before);
        let off_a = piece.a.start.max(piece.a.end.saturating_sub(cut))..piece.a.end;
        let off_b = piece.b.start.max(piece.b.end.saturating_sub(cut))..piece.b.end;
        (piece.a.end, piece.b.end) = (off_a.start, off_b.start);
        self.cut_off(piece, &self.a.units()[off_a], &self.b.units()[off_b]);
        true
    }

    /// Subtracts the removed ends of a piece from its edits.
    fn cut_off(self, piece: &mut Piece, a: &[u32], b: &[u32]) {
        let (left_a, left_b) = (&self.a.units()[piece.a.clone()], &self.b.units()[piece.b.clone()]);
        if left_a == left_b {
            piece.edits = Edits::equal(left_a.len());
        } else if a == b && piece.edits.matched as usize >= a.len() {
            piece.edits.matched -= a.len() as u32;
        } else {
            let matched = piece.edits.matched.saturating_sub(Edits::between(a, b).matched);
            piece.edits = Edits::of_lengths(left_a.len(), left_b.len(), matched, piece.edits.homophones);
        }
    }
}
