//! Pieces: chains cut where their gaps are strange to each other, and drawn out at both ends.

use std::ops::Range;

use super::Script;
use super::anchor::{Anchor, common_prefix};
use super::gap::{self, Edits};
use super::stream::Stream;

/// Pieces that are less alike go on over gaps that verbatim ones do not bridge.
const MUCH_CHANGED: f64 = 0.85;

/// A stretch of each stream, in units, and how they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Of the first stream.
    pub a: Range<usize>,
    /// Of the second stream.
    pub b: Range<usize>,
    /// How one became the other.
    pub edits: Edits,
}

impl Piece {
    /// That of an anchor; one of sounds may be written with other characters.
    fn of(anchor: Anchor, streams: Streams<'_>) -> Self {
        let a = anchor.a as usize..anchor.a_end() as usize;
        let b = anchor.b as usize..anchor.b_end() as usize;
        let (units_a, units_b) = (&streams.a.units()[a.clone()], &streams.b.units()[b.clone()]);
        let matched = units_a.iter().zip(units_b).filter(|(a, b)| a == b).count() as u32;
        let replaced = anchor.length - matched;
        Self { edits: Edits { matched, replaced, homophones: replaced, ..Edits::default() }, a, b }
    }
}

/// Which units of both streams belong to a piece already.
#[derive(Default)]
pub struct Covered {
    /// Of the first stream.
    pub a: Vec<bool>,
    /// Of the second stream.
    pub b: Vec<bool>,
}

impl Covered {
    /// None of streams of these lengths.
    pub fn clear(&mut self, a: usize, b: usize) {
        self.a.clear();
        self.a.resize(a, false);
        self.b.clear();
        self.b.resize(b, false);
    }

    /// All of a piece, or no longer.
    pub fn set(&mut self, piece: &Piece, covered: bool) {
        self.a[piece.a.clone()].fill(covered);
        self.b[piece.b.clone()].fill(covered);
    }

    /// What is left of an anchor without its covered units, in order.
    fn left_of(&self, anchor: Anchor) -> impl Iterator<Item = Anchor> {
        let is_free = move |at: u32| !self.a[(anchor.a + at) as usize] && !self.b[(anchor.b + at) as usize];
        let mut at = 0;
        std::iter::from_fn(move || {
            at += (at..anchor.length).take_while(|&at| !is_free(at)).count() as u32;
            let length = (at..anchor.length).take_while(|&at| is_free(at)).count() as u32;
            let left = Anchor { a: anchor.a + at, b: anchor.b + at, length };
            at += length;
            (length > 0).then_some(left)
        })
    }

    /// True if nothing of either stretch is covered.
    pub fn is_free(&self, a: Range<usize>, b: Range<usize>) -> bool {
        !self.a[a].contains(&true) && !self.b[b].contains(&true)
    }
}

/// Puts the pieces of what is not covered of a chain in place of what `found` held. Linear in the chain, and in the
/// gaps that it bridges.
pub fn pieces(chain: &[Anchor], streams: Streams<'_>, covered: &Covered, found: &mut Vec<Piece>) {
    found.clear();
    for anchor in chain.iter().flat_map(|&anchor| covered.left_of(anchor)) {
        let next = Piece::of(anchor, streams);
        let joined = found.last_mut().is_some_and(|piece| streams.join(piece, &next, covered));
        if !joined {
            found.push(next);
        }
    }
}

/// Two streams, and what is known of their script.
#[derive(Clone, Copy)]
pub struct Streams<'s> {
    /// The first stream.
    pub a: &'s Stream,
    /// The second stream.
    pub b: &'s Stream,
    /// That of both.
    pub script: Script,
}

impl Streams<'_> {
    /// Makes one of two pieces that follow each other, if what stands between them is short or alike and free.
    pub fn join(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        if next.a.start < piece.a.end || next.b.start < piece.b.end {
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
        piece.edits.add(edits);
        piece.edits.add(next.edits);
        true
    }

    /// Makes one of two pieces that follow each other, of which one is much changed: what stands between them was
    /// changed even more.
    pub fn join_changed(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        if next.a.start < piece.a.end || next.b.start < piece.b.end {
            return false;
        }
        let (gap_a, gap_b) = (piece.a.end..next.a.start, piece.b.end..next.b.start);
        let changed = piece.edits.similarity().min(next.edits.similarity()) < MUCH_CHANGED;
        let reach = self.script.reach.gap as usize;
        let longest = ((piece.b.len() + next.b.len()) / 8).clamp(reach, reach.max(gap::LONGEST));
        if !changed || gap_a.len().max(gap_b.len()) > longest || !covered.is_free(gap_a.clone(), gap_b.clone()) {
            return false;
        }
        piece.edits.add(Edits::between(&self.a.units()[gap_a], &self.b.units()[gap_b]));
        piece.edits.add(next.edits);
        piece.a.end = next.a.end;
        piece.b.end = next.b.end;
        true
    }

    /// Makes one of two pieces in one sentence whose parts were exchanged, moved or put in other words.
    pub fn join_in_sentence(self, piece: &mut Piece, next: &Piece, covered: &Covered) -> bool {
        let between = |one: &Range<usize>, other: &Range<usize>| {
            let (first, last) = if one.start <= other.start { (one, other) } else { (other, one) };
            first.end.min(last.start)..last.start
        };
        let (gap_a, gap_b) = (between(&piece.a, &next.a), between(&piece.b, &next.b));
        let is_one_sentence = |stream: &Stream, gap: &Range<usize>| {
            gap.len() <= self.script.reach.gap as usize
                && !(gap.start..=gap.end).any(|unit| ends_sentence(stream.before(unit)))
        };
        if !is_one_sentence(self.a, &gap_a)
            || !is_one_sentence(self.b, &gap_b)
            || !covered.is_free(gap_a.clone(), gap_b.clone())
        {
            return false;
        }
        piece.edits.add(Edits::between(&self.a.units()[gap_a], &self.b.units()[gap_b]));
        piece.edits.add(next.edits);
        piece.a = piece.a.start.min(next.a.start)..piece.a.end.max(next.a.end);
        piece.b.end = piece.b.end.max(next.b.end);
        true
    }

    /// Draws a piece out at both ends over equal units and small edits, as far as nothing is covered, and moves its ends
    /// to those of clauses that are near.
    pub fn draw_out(self, piece: &mut Piece, covered: &Covered) {
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
        self.end_at_clause(piece, covered);
        self.start_at_clause(piece, covered);
    }

    /// Takes in the units that were made of the same code points as the first or the last of a piece, where free.
    pub fn complete(self, piece: &mut Piece, covered: &Covered) {
        let goes_on = |stream: &Stream, unit: usize, covered: &[bool]| {
            unit < covered.len() && !covered[unit] && stream.start_of(unit) == stream.start_of(unit - 1)
        };
        while goes_on(self.a, piece.a.end, &covered.a) {
            piece.a.end += 1;
            piece.edits.deleted += 1;
        }
        while goes_on(self.b, piece.b.end, &covered.b) {
            piece.b.end += 1;
            piece.edits.inserted += 1;
        }
        let began = |stream: &Stream, unit: usize, covered: &[bool]| {
            unit > 0 && !covered[unit - 1] && stream.start_of(unit) == stream.start_of(unit - 1)
        };
        while began(self.a, piece.a.start, &covered.a) {
            piece.a.start -= 1;
            piece.edits.deleted += 1;
        }
        while began(self.b, piece.b.start, &covered.b) {
            piece.b.start -= 1;
            piece.edits.inserted += 1;
        }
    }

    /// True if a piece begins and ends where clauses do, in both streams.
    pub fn is_of_clauses(self, piece: &Piece) -> bool {
        let whole = |stream: &Stream, units: &Range<usize>| {
            let begins = units.start == 0 || ends_clause(stream.before(units.start));
            begins && (units.end == stream.units().len() || ends_clause(stream.before(units.end)))
        };
        whole(self.a, &piece.a) && whole(self.b, &piece.b)
    }

    /// Cuts off the first words of another sentence, or goes on to the end of the clause.
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

    /// Cuts off the last words of another sentence, or goes back to the beginning of the clause.
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

/// What can be added at one end.
#[derive(Default)]
struct Tail {
    a: usize,
    b: usize,
    edits: Edits,
}

impl Tail {
    /// Follows two streams that are given by the distance from the end of a piece.
    fn follow(a: impl Fn(usize) -> Option<u32>, b: impl Fn(usize) -> Option<u32>, script: Script) -> Self {
        let mut tail = Self::default();
        loop {
            let equal = tail.agreement(&a, &b, 0, 0, usize::MAX);
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

    /// How many units agree behind so many on either side, up to a limit.
    fn agreement(
        &self,
        a: &impl Fn(usize) -> Option<u32>,
        b: &impl Fn(usize) -> Option<u32>,
        skip_a: usize,
        skip_b: usize,
        limit: usize,
    ) -> usize {
        let alike = |&at: &usize| {
            let unit = a(self.a + skip_a + at);
            unit.is_some() && unit == b(self.b + skip_b + at)
        };
        (0..limit).take_while(alike).count()
    }

    /// The fewest units to pass over on either side so that the streams agree again.
    fn resume(
        &self,
        a: &impl Fn(usize) -> Option<u32>,
        b: &impl Fn(usize) -> Option<u32>,
        script: Script,
    ) -> Option<(usize, usize)> {
        let agrees = |&(x, y): &(usize, usize)| self.agreement(a, b, x, y, script.agreement) == script.agreement;
        (1..=script.skip).find_map(|longer| {
            let shorter = (0..longer).rev().flat_map(move |shorter| [(longer, shorter), (shorter, longer)]);
            std::iter::once((longer, longer)).chain(shorter).find(agrees)
        })
    }
}

/// True if one of these code points, all between two units, ends a clause.
pub fn ends_clause(between: &[u32]) -> bool {
    between.iter().any(|&code_point| matches!(char::from_u32(code_point), Some('，' | ',' | '：' | ':' | '、')))
        || ends_sentence(between)
}

/// True if one of these code points, all between two units, ends a sentence or a line.
fn ends_sentence(between: &[u32]) -> bool {
    let ends = |code_point| {
        matches!(
            char::from_u32(code_point),
            Some(
                '\n' | '\r' | '。' | '.' | '．' | '！' | '!' | '？' | '?' | '；' | ';' | '…' | '\u{2028}' | '\u{2029}'
            )
        )
    };
    between.iter().any(|&code_point| ends(code_point))
}

/// Where a piece lies in the original text, with the marks that close it and those that open it.
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

/// Neither white space nor the beginning of what follows.
fn closes(code_point: u32) -> bool {
    !opens(code_point) && char::from_u32(code_point).is_some_and(|sign| !sign.is_whitespace())
}

/// How many units two streams have in common at their beginnings, and behind those at their ends.
pub fn common_ends(a: &[u32], b: &[u32]) -> (usize, usize) {
    let prefix = common_prefix(a, b);
    (prefix, super::anchor::common_suffix(&a[prefix..], &b[prefix..]))
}
