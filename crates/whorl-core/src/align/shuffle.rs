//! Joining what was rewritten clause by clause: changed pieces that stand in another order, all of one stretch.

use std::ops::Range;

use super::gap::Edits;
use super::piece::{Covered, MUCH_CHANGED, Piece, Streams};

/// Pieces that are joined at once.
const MOST: usize = 12;
/// The longest stretch, in gaps of a chain: a sentence or two.
const STRETCH: u32 = 10;
/// One side may be longer by this part of it.
const DRIFT: usize = 5;
/// So much of both stretches must be alike.
const LEAST_ALIKE: f64 = 0.5;

impl Streams<'_> {
    /// Makes one of pieces that follow each other in the second stream and fill one stretch of the first in any order,
    /// where much of it was changed. What is the same but for its order stays apart. Linear in the pieces.
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

    /// All of these pieces and what stands between them, if it is no longer than a sentence or two,
    /// about as long on both sides, much changed, and somebody's own or nobody's.
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
        let own: u32 = pieces.iter().map(|piece| count(&covered[range(piece).clone()])).sum();
        own == count(&covered[hull.clone()])
    };
    fills(&hull.a, &covered.a, |piece| &piece.a) && fills(&hull.b, &covered.b, |piece| &piece.b)
}
