//! Joining of text rewritten clause by clause: changed pieces in another order that fill one stretch.

use std::ops::Range;

use super::gap::Edits;
use super::piece::{Covered, MUCH_CHANGED, Piece, Streams};

/// Maximum number of pieces joined together.
const MOST: usize = 12;
/// Maximum length of the stretch, in chain gaps: a sentence or two.
const STRETCH: u32 = 10;
/// One side may be longer by one part in this many.
const DRIFT: usize = 5;
/// Minimum share of both stretches that must be alike.
const LEAST_ALIKE: f64 = 0.5;

impl Streams<'_> {
    /// Joins consecutive pieces of the second stream that fill one stretch of the first in any order, if much of it was
    /// changed. Text that is merely reordered stays separate. Linear in the pieces.
    pub fn join_shuffled(self, pieces: &mut Vec<Piece>, covered: &Covered) {
        let mut kept = 0;
        let mut first = 0;
        while first < pieces.len() {
            let ends = (first + 2..=pieces.len().min(first + MOST)).rev();
            let mut hulls = ends.filter_map(|end| Some((self.hull(&pieces[first..end])?, end)));
            let joined = hulls.find(|(hull, end)| is_filled(hull, &pieces[first..*end], covered));
            let (piece, next) = joined.unwrap_or_else(|| (pieces[first].clone(), first + 1));
            pieces[kept] = piece;
            kept += 1;
            first = next;
        }
        pieces.truncate(kept);
    }

    /// The hull of these pieces, if it is no longer than a sentence or two, about as long on both sides, heavily
    /// changed, and consistently boilerplate or not.
    fn hull(self, pieces: &[Piece]) -> Option<Piece> {
        let ends = |range: fn(&Piece) -> &Range<usize>| {
            let start = pieces.iter().map(|piece| range(piece).start).min()?;
            Some(start..pieces.iter().map(|piece| range(piece).end).max()?)
        };
        let (a, b) = (ends(|piece| &piece.a)?, ends(|piece| &piece.b)?);
        let longer = a.len().max(b.len());
        let is_mixed = || pieces.iter().any(|piece| self.is_own(piece) != self.is_own(&pieces[0]));
        if longer > (STRETCH * self.script.reach.gap) as usize
            || DRIFT * a.len().abs_diff(b.len()) > longer
            || is_mixed()
        {
            return None;
        }
        let matched = pieces.iter().map(|piece| piece.edits.matched).sum();
        let homophones = pieces.iter().map(|piece| piece.edits.homophones).sum();
        let edits = Edits::of_lengths(a.len(), b.len(), matched, homophones);
        let proof = pieces.iter().map(|piece| piece.proof).sum();
        (LEAST_ALIKE..MUCH_CHANGED).contains(&edits.similarity()).then_some(Piece { a, b, edits, proof })
    }
}

/// True if nothing but the pieces lies in their hull.
fn is_filled(hull: &Piece, pieces: &[Piece], covered: &Covered) -> bool {
    let count = |covered: &[bool]| covered.iter().map(|&covered| u32::from(covered)).sum::<u32>();
    let fills = |hull: &Range<usize>, covered: &[bool], range: fn(&Piece) -> &Range<usize>| {
        let overlap: u32 = pieces.iter().map(|piece| count(&covered[range(piece).clone()])).sum();
        overlap == count(&covered[hull.clone()])
    };
    fills(&hull.a, &covered.a, |piece| &piece.a) && fills(&hull.b, &covered.b, |piece| &piece.b)
}
