//! Evidence: whether a short passage is more than a phrase of a common topic.
//!
//! Topical phrases are short equal runs with other words between them. The evidence of a passage is therefore the
//! excess of its equal runs over the length of a phrase, reduced if less of it is alike. A long passage that is mostly
//! alike needs no such runs. A passage with too little evidence may belong to a copy in pieces: its neighbors in the
//! second text support it.

use super::piece::{Piece, Streams};
use crate::align::letters::letters;

/// Evidence required for an isolated passage: 13 Han characters or 39 letters suffice, even if their clause continues a
/// little differently.
const ALONE: f64 = 19.0;
/// Evidence required for the first and the last passage of a row.
const AT_AN_END: f64 = 12.0;
/// Similarity of stretches with consecutive phrases of one topic.
const LOOSELY: f64 = 0.55;
/// The excess over that similarity times the equal letters, required for a long passage: 60 letters at a similarity of
/// 0.85, 120 at 0.7.
const LONG: f64 = 18.0;

/// The share of both stretches that is equal or homophonous.
fn alike(piece: &Piece) -> f64 {
    f64::from(2 * piece.edits.alike()) / (piece.a.len() + piece.b.len()) as f64
}

/// The evidence of a piece, in letters.
fn proof(piece: &Piece) -> f64 {
    f64::from(piece.proof) * alike(piece)
}

impl Streams<'_> {
    /// True if a piece is a passage regardless of its neighbors: it is more than a phrase, or most of the shorter text.
    pub fn proves(self, piece: &Piece) -> bool {
        let shorter = self.a.units().len().min(self.b.units().len()) as u32;
        let equal = f64::from(letters(&self.b.units()[piece.b.clone()])) * alike(piece);
        proof(piece) >= ALONE
            || equal * (alike(piece) - LOOSELY) >= LONG
            || 5 * piece.edits.alike() >= 4 * shorter && piece.edits.alike() > 0
    }

    /// Drops pieces without enough evidence and without proven neighbors. The pieces are in the order of the second
    /// text.
    pub fn keep_proven(self, pieces: &mut Vec<Piece>) {
        let is_beside =
            |previous: &Piece, next: &Piece| next.b.start.saturating_sub(previous.b.end) <= self.script.beside;
        let mut kept = Vec::with_capacity(pieces.len());
        for row in pieces.chunk_by(is_beside) {
            self.judge_row(row, &mut kept);
        }
        let mut kept = kept.into_iter();
        pieces.retain(|_| kept.next() == Some(true));
    }

    /// Determines which pieces of a row are passages: proven ones and those between them, up to the beginning and the
    /// end of the text; beyond those, pieces with partial evidence.
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
