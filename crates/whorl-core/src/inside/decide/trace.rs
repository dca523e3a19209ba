//! Traces kept text to where it stays.
//!
//! A passage may be equal to text of a document from which that text was itself cut in favor of a third one. Its cut
//! then names the third document, and is divided where the sources differ.

use super::{Decider, Piece};
use crate::inside::units::Kind;

/// A cut of an earlier document, by which places are traced to where the text stays.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The rank of the document.
    pub rank: u32,
    /// The first folded unit.
    pub start: u32,
    /// The unit behind the last.
    pub end: u32,
    /// The rank of the document that keeps it.
    pub kept: u32,
    /// The first folded unit there.
    pub kept_start: u32,
}

impl Decider {
    /// Replaces sources that were cut themselves by the places where their text stays, and remembers the pieces.
    ///
    /// All pieces of lower rank were traced before. Reads no text.
    pub fn trace(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        if self.search.kind != Kind::Passages || !self.keeps || !self.approved.is_empty() {
            return pieces;
        }
        let mut traced = Vec::new();
        for piece in pieces {
            let begun = traced.len();
            let mut open = vec![piece];
            while let Some(piece) = open.pop() {
                self.step(piece, &mut open, &mut traced);
            }
            for piece in &traced[begun..] {
                self.past.push(Past {
                    rank: piece.rank,
                    start: piece.units.start as u32,
                    end: piece.units.end as u32,
                    kept: piece.other,
                    kept_start: piece.other_start as u32,
                });
            }
        }
        traced
    }

    /// Traces the first part of a piece by one step; the rest and what has to be traced further is left in `open`.
    fn step(&self, piece: Piece, open: &mut Vec<Piece>, traced: &mut Vec<Piece>) {
        let length = piece.units.len();
        let source = piece.other_start..piece.other_start + length;
        if piece.other == piece.rank && source.end > piece.units.start {
            // The source reaches into the piece: text that repeats itself. All parts are copies of the first one.
            let distance = piece.units.start - source.start;
            let mut parts = Vec::new();
            let mut rest = piece;
            while rest.units.len() > distance {
                let (first, others) = split(rest, distance);
                parts.push(first);
                rest = Piece { other_start: source.start, ..others };
            }
            parts.push(rest);
            open.extend(parts.into_iter().rev());
            return;
        }
        let of_other = {
            let begin = self.past.partition_point(|past| past.rank < piece.other);
            let end = self.past.partition_point(|past| past.rank <= piece.other);
            &self.past[begin..end]
        };
        let next = of_other.partition_point(|past| past.end as usize <= source.start);
        match of_other.get(next).filter(|past| (past.start as usize) < source.end) {
            None => traced.push(piece),
            Some(past) if past.start as usize > source.start => {
                let (first, rest) = split(piece, past.start as usize - source.start);
                open.push(rest);
                traced.push(first);
            }
            Some(past) => {
                let shift = source.start - past.start as usize;
                let within = (past.end as usize).min(source.end) - source.start;
                let (kept, kept_start) = (past.kept, past.kept_start as usize + shift);
                let (first, rest) = if within < length { split(piece, within) } else { (piece, Piece::nothing()) };
                if !rest.units.is_empty() {
                    open.push(rest);
                }
                open.push(Piece { other: kept, other_start: kept_start, ..first });
            }
        }
    }
}

impl Piece {
    fn nothing() -> Self {
        Self {
            rank: super::NONE,
            range: 0..0,
            units: 0..0,
            other: super::NONE,
            other_start: 0,
            form: crate::inside::layout::Form::Text,
            count: 0,
        }
    }
}

/// Divides a piece before its unit `at`; the offsets in the original are found later.
fn split(piece: Piece, at: usize) -> (Piece, Piece) {
    let middle = piece.units.start + at;
    let first = Piece { range: piece.range.start..usize::MAX, units: piece.units.start..middle, ..piece.clone() };
    let rest = Piece {
        range: usize::MAX..piece.range.end,
        units: middle..piece.units.end,
        other_start: piece.other_start + at,
        ..piece
    };
    (first, rest)
}
