//! Pieces: chains divided at unrelated gaps, and joined at related ones.

use std::ops::Range;

use super::anchor::{Anchor, common_prefix};
use super::boundary::ends_sentence;
use super::gap::{self, Edits};
use crate::align::Script;
use crate::align::letters::proof_of_run;
use crate::align::stream::Stream;

/// Pieces with a lower similarity are joined over gaps that verbatim ones do not bridge.
pub(crate) const MUCH_CHANGED: f64 = 0.85;

/// A stretch of each stream, in units, with their differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its range in the first stream.
    pub a: Range<usize>,
    /// Its range in the second stream.
    pub b: Range<usize>,
    /// The edits from the first to the second.
    pub edits: Edits,
    /// The evidence of its equal runs, see [`super::proof`].
    pub proof: u32,
}

impl Piece {
    /// The piece of an anchor; an anchor by sound may have different characters.
    fn of(anchor: Anchor, streams: Streams<'_>) -> Self {
        let (a, b) = (anchor.in_a(), anchor.in_b());
        let (units_a, units_b) = (&streams.a.units()[a.clone()], &streams.b.units()[b.clone()]);
        let matched = units_a.iter().zip(units_b).filter(|(a, b)| a == b).count() as u32;
        let replaced = anchor.length - matched;
        let proof = proof_of_run(units_b);
        Self { edits: Edits { matched, replaced, homophones: replaced, ..Edits::default() }, proof, a, b }
    }

    /// Adds the contents of another piece and of the gap between the two, but not its ranges.
    fn take_in(&mut self, next: &Self, between: Edits) {
        self.edits.add(between);
        self.edits.add(next.edits);
        self.proof += next.proof;
    }
}

/// The units of both streams that already belong to a piece.
#[derive(Default)]
pub(crate) struct Covered {
    /// Of the first stream.
    pub a: Vec<bool>,
    /// Of the second stream.
    pub b: Vec<bool>,
}

impl Covered {
    /// Resets to uncovered streams of these lengths.
    pub fn clear(&mut self, a: usize, b: usize) {
        self.a.clear();
        self.a.resize(a, false);
        self.b.clear();
        self.b.resize(b, false);
    }

    /// Sets the coverage of a piece.
    pub fn set(&mut self, piece: &Piece, covered: bool) {
        self.a[piece.a.clone()].fill(covered);
        self.b[piece.b.clone()].fill(covered);
    }

    /// The uncovered parts of an anchor, in order.
    fn left_of(&self, anchor: Anchor) -> impl Iterator<Item = Anchor> {
        let is_free = |(&a, &b): (&bool, &bool)| !(a | b);
        let mut rest = self.a[anchor.in_a()].iter().zip(&self.b[anchor.in_b()]).map(is_free);
        let mut at = 0;
        std::iter::from_fn(move || {
            at += rest.by_ref().position(|is_free| is_free)? as u32;
            let length = 1 + rest.by_ref().take_while(|&is_free| is_free).count() as u32;
            let uncovered = Anchor { a: anchor.a + at, b: anchor.b + at, length };
            at += length + 1;
            Some(uncovered)
        })
    }

    /// True if both stretches are entirely uncovered.
    pub fn is_free(&self, a: Range<usize>, b: Range<usize>) -> bool {
        !self.a[a].contains(&true) && !self.b[b].contains(&true)
    }
}

/// Fills `target` with the pieces of the uncovered parts of a chain. Linear in the chain and in the gaps that it
/// bridges.
pub fn pieces(chain: &[Anchor], streams: Streams<'_>, covered: &Covered, target: &mut Vec<Piece>) {
    target.clear();
    for anchor in chain.iter().flat_map(|&anchor| covered.left_of(anchor)) {
        let next = Piece::of(anchor, streams);
        let joined = target.last_mut().is_some_and(|piece| streams.join(piece, &next, covered));
        if !joined {
            target.push(next);
        }
    }
}

/// Two streams with the parameters of their script.
#[derive(Clone, Copy)]
pub(crate) struct Streams<'s> {
    /// The first stream.
    pub a: &'s Stream,
    /// The second stream.
    pub b: &'s Stream,
    /// The parameters for both.
    pub script: Script,
}

impl Streams<'_> {
    /// Number of evidential units of two similar stretches, on the side with fewer.
    pub fn telling(self, a: Range<usize>, b: Range<usize>) -> usize {
        self.a.telling(a).min(self.b.telling(b))
    }

    /// True if most of a piece is evidential.
    pub fn is_own(self, piece: &Piece) -> bool {
        2 * self.telling(piece.a.clone(), piece.b.clone()) >= piece.a.len().min(piece.b.len())
    }

    /// True if boilerplate would connect a piece to a smaller one.
    fn leads_astray(self, piece: &Piece, next: &Piece) -> bool {
        let (own, other) = if self.is_own(piece) { (piece, next) } else { (next, piece) };
        self.is_own(own) && !self.is_own(other) && own.edits.alike() < other.edits.alike()
    }

    /// Joins two consecutive pieces if the gap between them is short, or alike and uncovered.
    pub fn join(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        if next.a.start < piece.a.end || next.b.start < piece.b.end || self.leads_astray(piece, next) {
            return false;
        }
        let (between_a, between_b) = (piece.a.end..next.a.start, piece.b.end..next.b.start);
        let (longer, shorter) = (between_a.len().max(between_b.len()), between_a.len().min(between_b.len()));
        let reach = self.script.reach;
        if longer > reach.gap as usize || longer - shorter > reach.drift as usize {
            return false;
        }
        let edits = Edits::between(&self.a.units()[between_a.clone()], &self.b.units()[between_b.clone()]);
        let alike = f64::from(edits.alike()) >= self.script.alike_by_chance * longer as f64;
        if !(longer <= self.script.blind_gap || alike) || !covered.is_free(between_a, between_b) {
            return false;
        }
        piece.a.end = next.a.end;
        piece.b.end = next.b.end;
        piece.take_in(next, edits);
        true
    }

    /// Joins two consecutive pieces if one is heavily changed: the gap between them was changed even more.
    pub fn join_changed(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        if next.a.start < piece.a.end || next.b.start < piece.b.end || self.leads_astray(piece, next) {
            return false;
        }
        let (gap_a, gap_b) = (piece.a.end..next.a.start, piece.b.end..next.b.start);
        let changed = piece.edits.similarity().min(next.edits.similarity()) < MUCH_CHANGED;
        let reach = self.script.reach.gap as usize;
        let longest = ((piece.b.len() + next.b.len()) / 8).clamp(reach, reach.max(gap::LONGEST));
        if !changed || gap_a.len().max(gap_b.len()) > longest || !covered.is_free(gap_a.clone(), gap_b.clone()) {
            return false;
        }
        piece.take_in(next, Edits::between(&self.a.units()[gap_a], &self.b.units()[gap_b]));
        piece.a.end = next.a.end;
        piece.b.end = next.b.end;
        true
    }

    /// Joins two pieces in one sentence whose parts were exchanged, moved or reworded.
    pub fn join_in_sentence(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        let between = |earlier: &Range<usize>, other: &Range<usize>| {
            let (first, last) = if earlier.start <= other.start { (earlier, other) } else { (other, earlier) };
            first.end.min(last.start)..last.start
        };
        let (gap_a, gap_b) = (between(&piece.a, &next.a), between(&piece.b, &next.b));
        let is_one_sentence = |stream: &Stream, gap: &Range<usize>| {
            gap.len() <= self.script.reach.gap as usize
                && !(gap.start..=gap.end).any(|unit| ends_sentence(stream.before(unit)))
        };
        if self.leads_astray(piece, next)
            || !is_one_sentence(self.a, &gap_a)
            || !is_one_sentence(self.b, &gap_b)
            || !covered.is_free(gap_a.clone(), gap_b.clone())
        {
            return false;
        }
        piece.take_in(next, Edits::between(&self.a.units()[gap_a], &self.b.units()[gap_b]));
        piece.a = piece.a.start.min(next.a.start)..piece.a.end.max(next.a.end);
        piece.b.end = piece.b.end.max(next.b.end);
        true
    }
}

/// The range of a piece in the original text, including closing and opening marks.
pub fn span(stream: &Stream, units: &Range<usize>) -> Range<usize> {
    let span = stream.span_of(units.clone());
    let behind = stream.before(units.end);
    let closing = behind.iter().take_while(|&&code_point| closes(code_point)).count();
    let before = stream.before(units.start);
    let opening = before.iter().rev().take_while(|&&code_point| opens(code_point)).count();
    span.start - opening..span.end + closing
}

fn opens(code_point: u32) -> bool {
    matches!(char::from_u32(code_point), Some('“' | '‘' | '「' | '『' | '《' | '〈' | '（' | '(' | '【' | '[' | '〔'))
}

/// True unless the code point is white space or opens the following text.
fn closes(code_point: u32) -> bool {
    !opens(code_point) && char::from_u32(code_point).is_some_and(|sign| !sign.is_whitespace())
}

/// Lengths of the common prefix of two streams, and of the common suffix after it.
pub(crate) fn common_ends(a: &[u32], b: &[u32]) -> (usize, usize) {
    let prefix = common_prefix(a, b);
    (prefix, super::anchor::common_suffix(&a[prefix..], &b[prefix..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_left_of_an_anchor_is_free_on_both_sides_and_as_long_as_can_be(
            a in prop::collection::vec(prop::bool::weighted(0.2), 30),
            b in prop::collection::vec(prop::bool::weighted(0.2), 30),
            length in 0_u32..20,
        ) {
            let anchor = Anchor { a: 3, b: 7, length };
            let covered = Covered { a, b };
            let free: Vec<u32> = (0..length).filter(|&at| !covered.a[3 + at as usize] && !covered.b[7 + at as usize]).collect();
            let rows = free.chunk_by(|one, next| one + 1 == *next);
            let uncovered: Vec<Anchor> =
                rows.map(|row| Anchor { a: 3 + row[0], b: 7 + row[0], length: row.len() as u32 }).collect();
            prop_assert_eq!(covered.left_of(anchor).collect::<Vec<_>>(), uncovered);
        }
    }
}
