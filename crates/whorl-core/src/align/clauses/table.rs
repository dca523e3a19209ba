//! Clauses of a whole text with their k-grams: what the comparison of clauses needs to know of a text, whatever it is
//! compared with.

use std::ops::Range;

use crate::align::pieces::boundary::{ends_clause, may_end_clause};
use crate::align::stream::Stream;
use crate::hash::order::in_order;
use crate::hash::{absorb, mix};
use crate::text::scan::places;

/// Maximum length of a clause; longer ones are divided.
pub(super) const LONGEST: usize = 60;
/// Marks units and clauses without a number.
pub(super) const NONE: u32 = u32::MAX;

/// The shape of clauses, by the script of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Minimum length of a clause, in units.
    pub min_length: usize,
    /// Length of the k-grams that clauses are compared by.
    pub width: usize,
}

/// The shapes in all scripts.
pub(crate) const SHAPES: [Shape; 2] = [Shape { min_length: 12, width: 5 }, Shape { min_length: 4, width: 2 }];
/// The shape in alphabetic scripts,
pub(crate) const SPARSE_CLAUSES: usize = 0;
/// and in dense ones.
pub(crate) const DENSE_CLAUSES: usize = 1;

/// Clauses of a stream and their distinct k-grams, which are numbered in the order of their hashes.
#[derive(Debug)]
pub(crate) struct ClauseTable {
    /// Starts of the segments between ends of clauses, and the end of the last one.
    pub(super) segments: Vec<u32>,
    /// The first clause of each segment, and the number of all.
    pub(super) first_clauses: Vec<u32>,
    /// The clauses: segments, or parts of long ones.
    pub(super) clauses: Vec<Range<usize>>,
    /// The hash of each k-gram.
    pub(super) hashes: Vec<u64>,
    /// The number of the k-gram that begins at each unit.
    pub(super) gram_of: Vec<u32>,
    /// The clauses with each k-gram, ascending.
    with_gram: Lists,
    /// For each clause, the number of its k-grams that no other clause has,
    pub(super) alone: Vec<u32>,
    /// and for each of its other k-grams, the number of clauses that have it.
    holders: Lists,
}

/// Lists of numbers, one after the other.
#[derive(Debug)]
struct Lists {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Lists {
    fn of(&self, number: usize) -> &[u32] {
        &self.members[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

impl ClauseTable {
    /// Divides a stream into clauses. Linear.
    pub fn of(stream: &Stream, shape: Shape) -> Self {
        let ends = clause_ends(stream);
        let last = ends.len() - 1;
        let mut segments: Vec<u32> = (1..last).filter(|&unit| ends[unit]).map(|unit| unit as u32).collect();
        segments.insert(0, 0);
        segments.push(last as u32);
        let mut clauses = Vec::new();
        let mut first_clauses = vec![0];
        for segment in segments.windows(2) {
            clauses.extend(divided(segment[0] as usize..segment[1] as usize, shape));
            first_clauses.push(clauses.len() as u32);
        }
        let hash = |gram: &[u32]| mix(gram.iter().fold(0, |sum, &unit| absorb(sum, unit.into())));
        let places: Vec<u64> = stream.units().windows(shape.width).map(hash).collect();
        let grams = in_order(places.len(), places.iter().copied().zip(0..));
        let clause_of = clauses_of_grams(&clauses, last, shape.width);
        let (mut hashes, mut gram_of) = (Vec::with_capacity(grams.len()), vec![NONE; last]);
        let mut with_gram = Lists { starts: vec![0], members: Vec::with_capacity(grams.len()) };
        for equal in grams.chunk_by(|one, other| one.0 == other.0) {
            let start = with_gram.members.len();
            for &(_, unit) in equal {
                gram_of[unit as usize] = hashes.len() as u32;
                let clause = clause_of[unit as usize];
                if clause != NONE && with_gram.members[start..].last() != Some(&clause) {
                    with_gram.members.push(clause);
                }
            }
            hashes.push(equal[0].0);
            with_gram.starts.push(with_gram.members.len() as u32);
        }
        let (alone, holders) = holdings(&with_gram, clauses.len());
        Self { segments, first_clauses, clauses, hashes, gram_of, with_gram, alone, holders }
    }

    /// The clauses with a k-gram, ascending.
    pub(super) fn with_gram(&self, gram: u32) -> &[u32] {
        self.with_gram.of(gram as usize)
    }

    /// For each k-gram of a clause that other clauses have, the number of clauses with it.
    pub(super) fn holder_counts(&self, clause: usize) -> &[u32] {
        self.holders.of(clause)
    }

    /// The k-grams of a clause, in order.
    pub(super) fn grams_of(&self, clause: &Range<usize>, shape: Shape) -> &[u32] {
        &self.gram_of[starts_of_grams(clause, shape.width)]
    }
}

/// The units where the k-grams of a clause begin.
fn starts_of_grams(clause: &Range<usize>, width: usize) -> Range<usize> {
    clause.start..(clause.end + 1).saturating_sub(width).max(clause.start)
}

/// The clauses of a stretch without an end of a clause inside.
pub(super) fn divided(stretch: Range<usize>, shape: Shape) -> impl Iterator<Item = Range<usize>> {
    let end = stretch.end;
    let parts = stretch.step_by(LONGEST).map(move |start| start..(start + LONGEST).min(end));
    parts.filter(move |part| part.len() >= shape.min_length)
}

/// For each unit, the clause that contains the whole k-gram starting there.
fn clauses_of_grams(clauses: &[Range<usize>], length: usize, width: usize) -> Vec<u32> {
    let mut clause_of = vec![NONE; length];
    for (number, clause) in (0..).zip(clauses) {
        clause_of[starts_of_grams(clause, width)].fill(number);
    }
    clause_of
}

/// For each clause, the number of its k-grams that no other has, and the numbers of clauses with the others.
fn holdings(with_gram: &Lists, clauses: usize) -> (Vec<u32>, Lists) {
    let (mut alone, mut starts) = (vec![0; clauses], vec![0; clauses + 1]);
    for holders in with_gram.starts.windows(2).map(|bounds| &with_gram.members[bounds[0] as usize..bounds[1] as usize])
    {
        match holders {
            &[clause] => alone[clause as usize] += 1,
            _ => holders.iter().for_each(|&clause| starts[clause as usize + 1] += 1),
        }
    }
    (0..clauses).for_each(|clause| starts[clause + 1] += starts[clause]);
    let mut members = vec![0; starts[clauses] as usize];
    let mut next = starts.clone();
    for holders in with_gram.starts.windows(2).map(|bounds| &with_gram.members[bounds[0] as usize..bounds[1] as usize])
    {
        for &clause in holders.iter().filter(|_| holders.len() > 1) {
            let place = &mut next[clause as usize];
            members[*place as usize] = holders.len() as u32;
            *place += 1;
        }
    }
    (alone, Lists { starts, members })
}

/// For each unit and the end, whether a clause ends before it.
fn clause_ends(stream: &Stream) -> Vec<bool> {
    let original = stream.original();
    let count = stream.units().len();
    let mut ends = vec![false; count + 1];
    let mut unit = 0;
    let signs = places(original, may_end_clause).filter(|&at| ends_clause(&original[at..=at]));
    for sign in signs {
        unit += (unit..count).take_while(|&unit| stream.start_of(unit) <= sign).count();
        ends[unit] |= unit == 0 || stream.end_of(unit - 1) <= sign;
    }
    ends
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    proptest! {
        #[test]
        fn clauses_end_where_a_sign_between_two_units_ends_one(text in "[a甲ﬁé\u{301}\u{200b} ，。,.:、…！\n“”1-9]{0,60}") {
            let mut stream = Stream::default();
            stream.read(Text::Utf8(&text));
            let ends: Vec<bool> = (0..=stream.units().len()).map(|unit| ends_clause(stream.before(unit))).collect();
            prop_assert_eq!(clause_ends(&stream), ends);
        }
    }
}
