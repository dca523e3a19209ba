//! The first step: compares the texts of pairs, and proposes what is cut.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

use super::strip::border;
use super::{BATCH_UNITS, Decider, NONE, Piece};
use crate::inside::borders::{approved_cuts, cuts};
use crate::inside::document::Document;
use crate::inside::group::Pair;
use crate::inside::layout::Form;
use crate::inside::runs::{Run, joined, runs};
use crate::inside::units::Kind;
use crate::judge::probe::TextSource;

/// Maximum number of pairs in a batch.
const BATCH_PAIRS: usize = 1 << 17;

/// What is proposed for some documents.
#[derive(Debug, Default)]
pub struct Proposed {
    /// The parts of all cuts, by rank and place.
    pub pieces: Vec<Piece>,
    /// Number of pairs whose texts differ although their keys are equal, or are not equal for long enough.
    pub refuted: u64,
}

impl Decider {
    /// Compares a batch of pairs. The pieces of the document of rank `next`, whose pairs continue in the next batch,
    /// come with that one.
    pub(super) fn propose_batch<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        batch: &[Pair],
        next: Option<u32>,
    ) -> Result<Proposed, S::Error> {
        let ranks = batch.iter().flat_map(|pair| [pair.rank, pair.other]).collect();
        self.turn();
        self.load(texts, document_of, ranks)?;
        let by_pair: Vec<&[Pair]> = batch.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)).collect();
        let equal: Vec<(u32, Vec<Run>)> = by_pair.par_iter().map(|pairs| (pairs[0].rank, self.equal(pairs))).collect();
        let proved: usize = equal.iter().map(|(_, runs)| runs.len()).sum();
        let refuted = if self.search.kind == Kind::Passages { 0 } else { (batch.len() - proved) as u64 };
        let mut of_rank: Vec<(u32, Vec<Run>)> = self.pending.take().into_iter().collect();
        for (rank, runs) in equal {
            match of_rank.last_mut() {
                Some(last) if last.0 == rank => last.1.extend(runs),
                _ => of_rank.push((rank, runs)),
            }
        }
        if of_rank.last().is_some_and(|last| Some(last.0) == next) {
            self.pending = of_rank.pop();
        }
        let pieces: Vec<Vec<Piece>> =
            of_rank.into_par_iter().map(|(rank, runs)| self.pieces(rank, &self.recent[&rank], runs)).collect();
        Ok(Proposed { pieces: pieces.concat(), refuted })
    }

    /// The equal runs at pairs of two documents; units are compared as they are.
    fn equal(&self, pairs: &[Pair]) -> Vec<Run> {
        let (document, other) = (&self.recent[&pairs[0].rank], &self.recent[&pairs[0].other]);
        if self.search.kind == Kind::Passages {
            let mut equal = runs(document, other, pairs, self.search.min_length);
            if !self.approved.is_empty() {
                equal.retain(|run| run.units().len() == other.stream.units().len());
            }
            return equal;
        }
        let units = |document: &Document, place: u32| document.spans()[place as usize].clone();
        let run = |pair: &Pair| {
            let (own, theirs) = (units(document, pair.place), units(other, pair.other_place));
            let is_equal = document.stream.units()[own.clone()] == other.stream.units()[theirs.clone()];
            is_equal.then_some(Run {
                start: own.start,
                end: own.end,
                other: pair.other,
                other_start: theirs.start,
                count: pair.count,
            })
        };
        pairs.iter().filter_map(run).collect()
    }

    /// The cuts of a document, each divided by the runs that prove it.
    fn pieces(&self, rank: u32, document: &Document, mut runs: Vec<Run>) -> Vec<Piece> {
        runs.sort_unstable();
        if self.search.kind != Kind::Passages {
            let place = |run: &Run| document.spans().binary_search_by_key(&run.start, |span| span.start);
            let unit = |run: &Run| place(run).unwrap_or_else(|after| after);
            let piece = |run: Run| {
                // Units without letters, such as rules, begin at the same folded unit as the next one.
                let mut unit = unit(&run);
                while document.spans()[unit].is_empty() {
                    unit += 1;
                }
                let part = &document.units()[unit];
                self.piece(rank, (part.range.clone(), run.units()), &run, part.form)
            };
            return runs.into_iter().map(piece).collect();
        }
        let mut pieces = Vec::new();
        for stretch in joined_over(&runs) {
            let cuts = match self.approved.as_slice() {
                [] => cuts(document, &stretch, self.search.min_length),
                _ => approved_cuts(document, &stretch),
            };
            for cut in cuts {
                self.divide((rank, document), &cut.range, &cut.units, &runs, &mut pieces);
            }
        }
        pieces
    }

    /// Divides a cut into pieces that lie within one run each: as few as possible, and at borders of sentences where two
    /// runs overlap.
    fn divide(
        &self,
        (rank, document): (u32, &Document),
        range: &Range<usize>,
        units: &Range<usize>,
        runs: &[Run],
        pieces: &mut Vec<Piece>,
    ) {
        let furthest = |start: usize| {
            let covering = runs.iter().filter(|run| run.start <= start && start < run.end);
            let reach = |run: &&Run| (run.end.min(units.end), Reverse((run.other, run.other_start, run.count)));
            covering.max_by_key(reach)
        };
        let mut start = units.start;
        let mut offset = range.start;
        while let Some(run) = furthest(start) {
            let mut end = run.end.min(units.end);
            if let Some(next) = furthest(end).filter(|_| end < units.end) {
                let spans = document.spans();
                let last = spans.partition_point(|span| span.start <= end);
                let border = spans[..last].last().map_or(0, |span| span.start);
                end = if border > start && border >= next.start { border } else { end };
            }
            let behind = if end == units.end { range.end } else { border(document, end) };
            let shifted = Run { start, other_start: run.other_start + start - run.start, ..run.clone() };
            pieces.push(self.piece(rank, (offset..behind, start..end), &shifted, Form::Text));
            (start, offset) = (end, behind);
            if start == units.end {
                return;
            }
        }
    }

    fn piece(&self, rank: u32, (range, units): (Range<usize>, Range<usize>), run: &Run, form: Form) -> Piece {
        let other = if self.keeps { run.other } else { NONE };
        Piece { rank, range, units, other, other_start: run.other_start, form, count: run.count }
    }
}

/// The stretches that runs cover.
fn joined_over(runs: &[Run]) -> Vec<Range<usize>> {
    joined(runs.iter().map(Run::units))
}

/// Divides sorted pairs into batches, whose documents are in memory together. Returns each with the rank of the pair
/// behind it.
pub(super) fn batches<'p>(pairs: &'p [Pair], lengths: &[u32]) -> Vec<(&'p [Pair], Option<u32>)> {
    let mut batches = Vec::new();
    let mut rest = pairs;
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(batch_of(rest, lengths));
        batches.push((batch, later.first().map(|pair| pair.rank)));
        rest = later;
    }
    batches
}

/// Number of pairs whose documents are held in memory together; at least those of the first two documents.
fn batch_of(pairs: &[Pair], lengths: &[u32]) -> usize {
    let (mut size, mut count, mut held) = (0u64, 0, HashSet::new());
    for same in pairs.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)) {
        // Pairs of the same two documents stay together, so that each of their runs is found once.
        for rank in [same[0].rank, same[0].other] {
            size += if held.insert(rank) { u64::from(lengths[rank as usize]) } else { 0 };
        }
        if count > 0 && (size > BATCH_UNITS || count + same.len() > BATCH_PAIRS) {
            break;
        }
        count += same.len();
    }
    count
}
