//! Runs: stretches of a document that are equal to earlier text, proved on the folded texts.

use std::ops::Range;

use super::document::Document;
use super::group::Pair;

/// A stretch of a document that is equal to one of another document, or to an earlier one of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The first folded unit in the document.
    pub start: usize,
    /// The unit behind the last.
    pub end: usize,
    /// The rank of the other document.
    pub other: u32,
    /// The first unit in that one.
    pub other_start: usize,
    /// Number of places with the key that led to the run.
    pub count: u32,
}

impl Run {
    /// The folded units of the document.
    pub fn units(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The maximal equal runs at some pairs of places of one document and another, at least `min_length` long.
///
/// Within one document, a run that overlaps its source is divided into those that do not.
pub fn runs(document: &Document, other: &Document, pairs: &[Pair], min_length: u32) -> Vec<Run> {
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    let shift = |pair: &Pair| i64::from(pair.place) - i64::from(pair.other_place);
    sorted.sort_unstable_by_key(|pair| (shift(pair), pair.place));
    let mut runs: Vec<Run> = Vec::new();
    let mut behind = (i64::MIN, 0);
    for pair in sorted {
        if behind.0 == shift(pair) && (pair.place as usize) < behind.1 {
            continue;
        }
        let (run, end) = extend(document, other, pair);
        behind = (shift(pair), end);
        if document.stream.length(&run.units()) < min_length {
            continue;
        }
        let distance = run.start.wrapping_sub(run.other_start);
        if pair.rank == pair.other && distance < run.end - run.start {
            without_overlap(document, &run, distance, min_length, &mut runs);
        } else {
            runs.push(run);
        }
    }
    runs
}

/// Extends equal places to a maximal run of whole tokens, possibly empty; also returns the unit at which the texts
/// differ again.
fn extend(document: &Document, other: &Document, pair: &Pair) -> (Run, usize) {
    let (units, others) = (document.stream.units(), other.stream.units());
    let (place, other_place) = (pair.place as usize, pair.other_place as usize);
    let back = units[..place].iter().rev().zip(others[..other_place].iter().rev());
    let back = back.take_while(|(a, b)| a == b).count();
    let ahead = units[place..].iter().zip(&others[other_place..]).take_while(|(a, b)| a == b).count();
    let in_other = |unit: usize| other_place + unit - place;
    let (mut start, behind) = (place - back, place + ahead);
    let mut end = behind;
    while start < end && !document.stream.is_border(start) {
        start += 1;
    }
    while end > start && !(document.stream.is_border(end) && other.stream.is_border(in_other(end))) {
        end -= 1;
    }
    let run = Run { start, end, other: pair.other, other_start: in_other(start), count: pair.count };
    (run, behind.max(place + 1))
}

/// Divides a run over periodic text, whose source is `distance` units before it, into runs that end before they begin.
fn without_overlap(document: &Document, run: &Run, distance: usize, min_length: u32, runs: &mut Vec<Run>) {
    let stream = &document.stream;
    for start in run.units().filter(|&unit| stream.is_border(unit)) {
        let mut end = (start + distance).min(run.end);
        while end > start && !stream.is_border(end) {
            end -= 1;
        }
        if stream.length(&(start..end)) >= min_length {
            let other_start = run.other_start + start - run.start;
            match runs.last_mut() {
                // Overlapping parts of one shift are one stretch; only its source may reach into it.
                Some(last)
                    if last.other == run.other && last.end >= start && last.start - last.other_start == distance =>
                {
                    last.end = end;
                }
                _ => runs.push(Run { start, end, other_start, ..run.clone() }),
            }
        }
    }
}

/// Joins ranges that overlap or touch. They must ascend by their start.
pub fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
