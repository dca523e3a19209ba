//! Extension of pieces at both ends, over small edits and to clause boundaries.

use std::ops::Range;

use super::boundary::{ends_clause, ends_sentence, may_end_clause};
use super::gap::Edits;
use super::piece::{Covered, Piece, Streams};
use crate::align::Script;
use crate::align::stream::Stream;

impl Streams<'_> {
    /// Extends a piece at both ends over equal units and small edits within uncovered text, and moves its ends to
    /// nearby clause boundaries. Returns false if it cannot become a passage: little is alike, and no clause ends
    /// nearby.
    pub fn draw_out(self, piece: &mut Piece, covered: &Covered) -> bool {
        let (a, b) = (self.a.units(), self.b.units());
        let free = |unit: Option<&u32>, covered: &[bool], at: usize| unit.copied().filter(|_| !covered[at]);
        let (end_a, end_b) = (piece.a.end, piece.b.end);
        let ahead = Tail::follow(
            |at| free(a.get(end_a + at), &covered.a, end_a + at),
            |at| free(b.get(end_b + at), &covered.b, end_b + at),
            self.script,
        );
        piece.a.end += ahead.a;
        piece.b.end += ahead.b;
        piece.edits.add(ahead.edits);
        let before = |start: usize, at: usize| start.wrapping_sub(at + 1);
        let (start_a, start_b) = (piece.a.start, piece.b.start);
        let back = Tail::follow(
            |at| free(a.get(before(start_a, at)), &covered.a, before(start_a, at)),
            |at| free(b.get(before(start_b, at)), &covered.b, before(start_b, at)),
            self.script,
        );
        piece.a.start -= back.a;
        piece.b.start -= back.b;
        piece.edits.add(back.edits);
        let max_steps = piece.edits.alike() as usize + 2 * self.script.skip;
        if max_steps < self.script.least_inside as usize && !self.may_be_of_clauses(piece) {
            return false;
        }
        self.end_at_clause(piece, covered);
        self.start_at_clause(piece, covered);
        true
    }

    /// False if the ends of a piece cannot be moved to clause boundaries.
    fn may_be_of_clauses(self, piece: &Piece) -> bool {
        let Script { skip, overhang, .. } = self.script;
        let is_near = |stream: &Stream, from: usize, to: usize| {
            from == 0
                || to >= stream.units().len()
                || stream.between(from, to).iter().fold(false, |any, &sign| any | may_end_clause(sign))
        };
        [(self.a, &piece.a), (self.b, &piece.b)].into_iter().all(|(stream, units)| {
            is_near(stream, units.end.saturating_sub(overhang), units.end + skip)
                && is_near(stream, units.start.saturating_sub(skip), units.start + overhang)
        })
    }

    /// True if a piece begins and ends at clause boundaries in both streams.
    pub fn is_of_clauses(self, piece: &Piece) -> bool {
        let whole = |stream: &Stream, units: &Range<usize>| {
            let begins = units.start == 0 || ends_clause(stream.before(units.start));
            begins && (units.end == stream.units().len() || ends_clause(stream.before(units.end)))
        };
        whole(self.a, &piece.a) && whole(self.b, &piece.b)
    }

    /// Removes the first words of another sentence from the end, or extends it to the end of the clause.
    fn end_at_clause(self, piece: &mut Piece, covered: &Covered) {
        let is_end = |stream: &Stream, end: usize| end == stream.units().len() || ends_clause(stream.before(end));
        if is_end(self.a, piece.a.end) && is_end(self.b, piece.b.end) {
            return;
        }
        let over = (1..=self.script.overhang.min(piece.a.len() / 2).min(piece.b.len() / 2)).find(|&over| {
            ends_sentence(self.a.before(piece.a.end - over)) && ends_sentence(self.b.before(piece.b.end - over))
        });
        if let Some(over) = over {
            let (tail_a, tail_b) = (piece.a.end - over..piece.a.end, piece.b.end - over..piece.b.end);
            if self.a.units()[tail_a.clone()] == self.b.units()[tail_b.clone()] {
                piece.a.end -= over;
                piece.b.end -= over;
                piece.edits.matched -= over as u32;
                return;
            }
        }
        let ahead = |stream: &Stream, end: usize| {
            (0..=self.script.skip).find(|&far| end + far <= stream.units().len() && is_end(stream, end + far))
        };
        if let (Some(far_a), Some(far_b)) = (ahead(self.a, piece.a.end), ahead(self.b, piece.b.end)) {
            let (rest_a, rest_b) = (piece.a.end..piece.a.end + far_a, piece.b.end..piece.b.end + far_b);
            if covered.is_free(rest_a.clone(), rest_b.clone()) {
                piece.edits.add(Edits::between(&self.a.units()[rest_a.clone()], &self.b.units()[rest_b.clone()]));
                piece.a.end = rest_a.end;
                piece.b.end = rest_b.end;
            }
        }
    }

    /// Removes the last words of another sentence from the start, or extends it to the start of the clause.
    fn start_at_clause(self, piece: &mut Piece, covered: &Covered) {
        let is_start = |stream: &Stream, start: usize| start == 0 || ends_clause(stream.before(start));
        if is_start(self.a, piece.a.start) && is_start(self.b, piece.b.start) {
            return;
        }
        let over = (1..=self.script.overhang.min(piece.a.len() / 2).min(piece.b.len() / 2)).find(|&over| {
            ends_sentence(self.a.before(piece.a.start + over)) && ends_sentence(self.b.before(piece.b.start + over))
        });
        if let Some(over) = over {
            let (head_a, head_b) = (piece.a.start..piece.a.start + over, piece.b.start..piece.b.start + over);
            if self.a.units()[head_a.clone()] == self.b.units()[head_b.clone()] {
                piece.a.start += over;
                piece.b.start += over;
                piece.edits.matched -= over as u32;
                return;
            }
        }
        let back = |stream: &Stream, start: usize| {
            (0..=self.script.skip.min(start)).find(|&far| is_start(stream, start - far))
        };
        if let (Some(far_a), Some(far_b)) = (back(self.a, piece.a.start), back(self.b, piece.b.start)) {
            let (rest_a, rest_b) = (piece.a.start - far_a..piece.a.start, piece.b.start - far_b..piece.b.start);
            if covered.is_free(rest_a.clone(), rest_b.clone()) {
                piece.edits.add(Edits::between(&self.a.units()[rest_a.clone()], &self.b.units()[rest_b.clone()]));
                piece.a.start = rest_a.start;
                piece.b.start = rest_b.start;
            }
        }
    }
}

/// A possible extension at one end.
#[derive(Default)]
struct Tail {
    a: usize,
    b: usize,
    edits: Edits,
}

impl Tail {
    /// Follows two streams, indexed by the distance from the end of a piece.
    fn follow(a: impl Fn(usize) -> Option<u32>, b: impl Fn(usize) -> Option<u32>, script: Script) -> Self {
        let mut tail = Self::default();
        loop {
            let equal = tail.agreement(&a, &b);
            tail.a += equal;
            tail.b += equal;
            tail.edits.add(Edits::equal(equal));
            let Some((skip_a, skip_b)) = tail.resume(&a, &b, script) else {
                return tail;
            };
            let stretch = |stream: &dyn Fn(usize) -> Option<u32>, from: usize, length: usize| -> Vec<u32> {
                (from..from + length).filter_map(stream).collect()
            };
            tail.edits.add(Edits::between(&stretch(&a, tail.a, skip_a), &stretch(&b, tail.b, skip_b)));
            tail.a += skip_a;
            tail.b += skip_b;
        }
    }

    /// Number of units that agree from here on.
    fn agreement(&self, a: &impl Fn(usize) -> Option<u32>, b: &impl Fn(usize) -> Option<u32>) -> usize {
        let alike = |&at: &usize| {
            let unit = a(self.a + at);
            unit.is_some() && unit == b(self.b + at)
        };
        (0..).take_while(alike).count()
    }

    /// The smallest number of units to skip on either side so that the streams agree again.
    fn resume(
        &self,
        a: &impl Fn(usize) -> Option<u32>,
        b: &impl Fn(usize) -> Option<u32>,
        script: Script,
    ) -> Option<(usize, usize)> {
        let agreeing = agreeing(&ahead(a, self.a, NO_UNIT), &ahead(b, self.b, NO_OTHER_UNIT), script);
        if agreeing.iter().all(|&places| places == 0) {
            return None;
        }
        let agrees = |&(x, y): &(usize, usize)| agreeing[x] >> y & 1 == 1;
        (1..=script.skip).find_map(|longer| {
            let shorter = (0..longer).rev().flat_map(move |shorter| [(longer, shorter), (shorter, longer)]);
            std::iter::once((longer, longer)).chain(shorter).find(agrees)
        })
    }
}

/// Maximum number of units that are skipped and that must agree after them, over all scripts.
const AHEAD: usize = 16;
/// Values that are not code points and differ from each other.
const NO_UNIT: u32 = u32::MAX;
const NO_OTHER_UNIT: u32 = u32::MAX - 1;

/// The units of a stream from a position on; `none` from the first missing one on.
fn ahead(stream: &impl Fn(usize) -> Option<u32>, from: usize, none: u32) -> [u32; AHEAD] {
    let mut units = [none; AHEAD];
    for (at, unit) in units.iter_mut().enumerate() {
        let Some(there) = stream(from + at) else { break };
        *unit = there;
    }
    units
}

/// By number of skipped units of the first stream, a bit for each number of the second after which both agree.
fn agreeing(a: &[u32; AHEAD], b: &[u32; AHEAD], script: Script) -> [u32; AHEAD] {
    let (mut alike, mut agreeing) = ([0; AHEAD], [0; AHEAD]);
    for (bits, &unit) in alike.iter_mut().zip(a).take(script.skip + script.agreement) {
        *bits = b.iter().enumerate().fold(0, |bits, (at, &other)| bits | u32::from(unit == other) << at);
    }
    for (x, places) in agreeing.iter_mut().take(script.skip + 1).enumerate() {
        let all = (1..script.agreement).fold(alike[x], |all, far| all & alike[x + far] >> far);
        *places = all & ((2 << script.skip) - 1);
    }
    agreeing
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::align::{ALPHABETIC, DENSE, is_passage};
    use crate::text::Text;

    /// The definition: all pairs of numbers, from small to large.
    fn slow_resume(a: &[u32], b: &[u32], script: Script) -> Option<(usize, usize)> {
        let agrees = |x: usize, y: usize| {
            let behind = |units: &[u32], from: usize| units.get(from..from + script.agreement).map(<[u32]>::to_vec);
            behind(a, x).is_some() && behind(a, x) == behind(b, y)
        };
        for longer in 1..=script.skip {
            if agrees(longer, longer) {
                return Some((longer, longer));
            }
            for shorter in (0..longer).rev() {
                for (x, y) in [(longer, shorter), (shorter, longer)] {
                    if agrees(x, y) {
                        return Some((x, y));
                    }
                }
            }
        }
        None
    }

    proptest! {
        #[test]
        fn what_is_not_drawn_out_to_clauses_would_be_no_passage(
            before in "[甲乙丙a，。 ]{0,9}[a甲乙丙]{0,9}",
            common in "[丁戊]{3,12}",
            behind in "[a甲乙丙]{0,9}[甲乙丙a，。 ]{0,9}",
            other in ("[甲乙丙a，。 ]{0,9}[己庚b]{0,9}", "[己庚b]{0,9}[甲乙丙a，。 ]{0,9}"),
        ) {
            let (mut a, mut b) = (Stream::default(), Stream::default());
            a.read(Text::Utf8(&format!("{before}{common}{behind}")));
            b.read(Text::Utf8(&format!("{}{common}{}", other.0, other.1)));
            let place = |stream: &Stream| stream.units().iter().position(|&unit| matches!(unit, 0x4E01 | 0x620A));
            let (start_a, start_b) = (place(&a).unwrap_or(0), place(&b).unwrap_or(0));
            let length = common.chars().count();
            for script in [DENSE, ALPHABETIC] {
                let streams = Streams { a: &a, b: &b, script };
                let mut covered = Covered::default();
                covered.clear(a.units().len(), b.units().len());
                let mut piece = Piece {
                    a: start_a..start_a + length,
                    b: start_b..start_b + length,
                    edits: Edits::equal(length),
                    proof: 0,
                };
                if !streams.draw_out(&mut piece, &covered) {
                    streams.end_at_clause(&mut piece, &covered);
                    streams.start_at_clause(&mut piece, &covered);
                    prop_assert!(!is_passage(&piece, streams), "{piece:?}");
                }
            }
        }

        #[test]
        fn the_fewest_units_are_passed_over(
            a in prop::collection::vec(0u32..4, 0..20),
            b in prop::collection::vec(0u32..4, 0..20),
        ) {
            for script in [DENSE, ALPHABETIC] {
                prop_assert!(script.skip + script.agreement <= AHEAD);
                let unit = |units: &[u32], at: usize| units.get(at).copied();
                let resumed = Tail::default().resume(&|at| unit(&a, at), &|at| unit(&b, at), script);
                prop_assert_eq!(resumed, slow_resume(&a, &b, script));
            }
        }
    }
}
