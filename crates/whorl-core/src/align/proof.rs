//! What a short passage must prove: that it is more than a phrase which both texts have because of their topic.
//!
//! Phrases of a topic are short equal runs with other words between them. So a passage proves what its equal runs have
//! beyond a phrase each, and the less, the less of it is alike. A long one that is mostly alike needs no such runs. One
//! that proves too little may be part of a copy in pieces: what stands beside it in the second text speaks for it.

use super::letters::letters;
use super::piece::{Piece, Streams};

/// What a passage that stands alone must have beyond that: 13 Han characters or 39 letters prove it, even if its clause
/// goes on a little otherwise.
const ALONE: f64 = 19.0;
/// The same of the first and the last of passages in a row.
const AT_AN_END: f64 = 12.0;
/// So much of two stretches is alike where phrases of one topic follow each other;
const LOOSELY: f64 = 0.55;
/// what is alike beyond that, times the equal letters: 60 of them at a similarity of 0.85, 120 at 0.7.
const LONG: f64 = 18.0;

/// The share of both stretches that is equal or sounds alike.
fn alike(piece: &Piece) -> f64 {
    f64::from(2 * piece.edits.alike()) / (piece.a.len() + piece.b.len()) as f64
}

/// What a piece proves, in letters.
fn proof(piece: &Piece) -> f64 {
    f64::from(piece.proof) * alike(piece)
}

impl Streams<'_> {
    /// True if a piece is a passage wherever it stands: it says more than phrases do, or is most of the shorter text.
    pub fn proves(self, piece: &Piece) -> bool {
        let shorter = self.a.units().len().min(self.b.units().len()) as u32;
        let equal = f64::from(letters(&self.b.units()[piece.b.clone()])) * alike(piece);
        proof(piece) >= ALONE
            || equal * (alike(piece) - LOOSELY) >= LONG
            || 5 * piece.edits.alike() >= 4 * shorter && piece.edits.alike() > 0
    }

    /// Drops what neither proves anything nor is beside what does. The pieces are in the order of the second text.
    pub fn keep_proven(self, pieces: &mut Vec<Piece>) {
        let is_beside = |one: &Piece, next: &Piece| next.b.start.saturating_sub(one.b.end) <= self.script.beside;
        let mut kept = Vec::with_capacity(pieces.len());
        for row in pieces.chunk_by(is_beside) {
            self.judge_row(row, &mut kept);
        }
        let mut kept = kept.into_iter();
        pieces.retain(|_| kept.next() == Some(true));
    }

    /// Which of the pieces in a row are passages: those that prove it and what stands between them, up to the beginning
    /// and the end of the text; beyond those, what proves a part.
    fn judge_row(self, row: &[Piece], kept: &mut Vec<bool>) {
        let Some(first) = row.iter().position(|piece| self.proves(piece)) else {
            kept.extend(row.iter().map(|_| false));
            return;
        };
        let last = row.iter().rposition(|piece| self.proves(piece)).unwrap_or(first);
        let begins_text = row[0].b.start <= self.script.beside;
        let ends_text = row[row.len() - 1].b.end + self.script.beside >= self.b.units().len();
        let between = if begins_text { 0 } else { first }..=if ends_text { row.len() - 1 } else { last };
        kept.extend(row.iter().enumerate().map(|(place, piece)| between.contains(&place) || proof(piece) >= AT_AN_END));
    }
}
