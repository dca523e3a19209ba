//! Decides which repeated text is cut, by reading both texts of every pair.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::borders::{approved_cuts, cuts};
use super::document::{Document, Search};
use super::group::Pair;
use super::layout::{Form, trimmed};
use super::mend::mend;
use super::runs::{Run, joined, runs};
use super::units::Kind;
use crate::judge::probe::TextSource;
use crate::text::Text;

mod trace;

#[cfg(test)]
mod tests;

pub use trace::Past;

/// The rank of no document: nothing is kept of the text.
pub const NONE: u32 = u32::MAX;
/// Maximum length of the texts of a batch, in folded code points, beyond a single pair.
const BATCH_UNITS: u64 = 3 << 19;
/// Maximum number of pairs in a batch.
const BATCH_PAIRS: usize = 1 << 17;

/// A cut of a document, and what is kept for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank of the document.
    pub rank: u32,
    /// The place of the cut, in code points.
    pub range: Range<u32>,
    /// The rank of the document that keeps the text; [`NONE`] if none does.
    pub kept: u32,
    /// The place of the text in that one.
    pub kept_range: Range<u32>,
    /// What was cut.
    pub form: Form,
    /// Number of places with the text, as far as they were counted.
    pub count: u32,
    /// Number of folded code points.
    pub letters: u32,
    /// Number of tokens.
    pub tokens: u32,
    /// The text.
    pub text: String,
}

/// A document with cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    /// Its rank.
    pub rank: u32,
    /// The remaining length, in the measure of the search.
    pub remaining: u32,
    /// The ranges to delete, in code points.
    pub deletions: Vec<Range<u32>>,
}

/// The decisions about some documents.
#[derive(Debug, Default)]
pub struct Decided {
    /// All cuts, by rank and place.
    pub rows: Vec<Row>,
    /// All documents with cuts, by rank.
    pub documents: Vec<Stripped>,
    /// Number of pairs whose texts differ although their keys are equal, or are not equal for long enough.
    pub refuted: u64,
}

/// A part of a cut with one source: folded units of both documents.
#[derive(Clone, Debug)]
struct Piece {
    range: Range<usize>,
    units: Range<usize>,
    other: u32,
    other_start: usize,
    form: Form,
    count: u32,
}

/// Decides pairs in the order of rank; remembers its cuts.
#[derive(Debug)]
pub struct Decider {
    search: Search,
    keeps: bool,
    mends: bool,
    past: Vec<Past>,
    /// Approved texts, which have the first ranks. If there are any, only they are cut.
    approved: Vec<Arc<Document>>,
    /// The document whose pairs continue in the next batch, and its runs so far.
    pending: Option<(u32, Vec<Run>)>,
    /// The documents of the last batch: text that many documents share is usually kept by few.
    recent: Loaded,
}

/// Documents of a batch, by rank.
type Loaded = BTreeMap<u32, Arc<Document>>;

impl Decider {
    /// Creates a decider. If `keeps` is false, all occurrences are cut; `mends` also deletes what only surrounds cuts.
    pub fn new(search: Search, keeps: bool, mends: bool) -> Self {
        Self { search, keeps, mends, past: Vec::new(), approved: Vec::new(), pending: None, recent: Loaded::new() }
    }

    /// Cuts only whole approved texts, which have the first ranks; they are not documents themselves.
    #[must_use]
    pub fn with_approved<'t>(mut self, texts: impl IntoIterator<Item = Text<'t>>) -> Self {
        self.approved = texts.into_iter().map(|text| Arc::new(Document::of_unit(text, &self.search))).collect();
        self
    }

    /// The cuts so far, for [`Self::resume`].
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// Adds the cuts of an earlier call, to continue after it.
    pub fn resume(&mut self, past: impl IntoIterator<Item = Past>) {
        self.past.extend(past);
    }

    /// Decides all pairs of some documents, whose ranks are higher than those of earlier calls.
    ///
    /// `document_of` and `lengths` have the number and the folded length of the document of each rank.
    ///
    /// # Errors
    /// A text cannot be read.
    pub fn decide<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        lengths: &[u32],
        mut pairs: Vec<Pair>,
    ) -> Result<Decided, S::Error> {
        pairs.sort_unstable_by_key(|pair| (pair.rank, pair.other, pair.place, pair.other_place, pair.count));
        pairs.dedup();
        let mut decided = Decided::default();
        let mut rest = pairs.as_slice();
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(batch_of(rest, lengths));
            self.batch(texts, document_of, batch, later.first().map(|pair| pair.rank), &mut decided)?;
            rest = later;
        }
        Ok(decided)
    }

    fn batch<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        batch: &[Pair],
        next: Option<u32>,
        decided: &mut Decided,
    ) -> Result<(), S::Error> {
        let ranks = batch.iter().flat_map(|pair| [pair.rank, pair.other]).collect();
        let mut recent = std::mem::take(&mut self.recent);
        let mut loaded = self.load(texts, document_of, ranks, &mut recent)?;
        let by_pair: Vec<&[Pair]> = batch.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)).collect();
        let equal: Vec<(u32, Vec<Run>)> =
            by_pair.par_iter().map(|pairs| (pairs[0].rank, self.equal(&loaded, pairs))).collect();
        let proved: usize = equal.iter().map(|(_, runs)| runs.len()).sum();
        decided.refuted += if self.search.kind == Kind::Passages { 0 } else { (batch.len() - proved) as u64 };
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
        let pieces: Vec<(u32, Vec<Piece>)> =
            of_rank.into_par_iter().map(|(rank, runs)| (rank, self.pieces(&loaded[&rank], runs))).collect();
        let pieces: Vec<(u32, Vec<Piece>)> =
            pieces.into_iter().map(|(rank, pieces)| (rank, self.trace(rank, pieces))).collect();
        let kept = pieces.iter().flat_map(|(_, pieces)| pieces.iter().map(|piece| piece.other));
        let missing = kept.filter(|rank| *rank != NONE && !loaded.contains_key(rank)).collect();
        loaded.extend(self.load(texts, document_of, missing, &mut recent)?);
        let result: Vec<_> = pieces
            .into_par_iter()
            .filter(|(_, pieces)| !pieces.is_empty())
            .map(|(rank, pieces)| self.strip(&loaded, rank, &pieces))
            .collect();
        for (rows, document) in result {
            decided.rows.extend(rows);
            decided.documents.push(document);
        }
        self.recent = loaded;
        Ok(())
    }

    /// Loads documents, or moves them over from recent ones.
    fn load<S: TextSource>(
        &self,
        texts: &S,
        document_of: &[u32],
        mut ranks: Vec<u32>,
        recent: &mut Loaded,
    ) -> Result<Loaded, S::Error> {
        ranks.sort_unstable();
        ranks.dedup();
        let (known, ranks): (Vec<u32>, Vec<u32>) = ranks.into_iter().partition(|rank| recent.contains_key(rank));
        let mut loaded: Loaded =
            known.into_iter().filter_map(|rank| recent.remove(&rank).map(|document| (rank, document))).collect();
        let (approved, ranks): (Vec<u32>, Vec<u32>) =
            ranks.into_iter().partition(|&rank| (rank as usize) < self.approved.len());
        loaded.extend(approved.into_iter().map(|rank| (rank, Arc::clone(&self.approved[rank as usize]))));
        let numbers: Vec<u32> = ranks.iter().map(|&rank| document_of[rank as usize]).collect();
        let places: Vec<OnceLock<Document>> = ranks.iter().map(|_| OnceLock::new()).collect();
        texts.read(&numbers, &|index, text| {
            // A text is passed once; a second one would be the same.
            let _ = places[index].set(Document::new(text, &self.search));
        })?;
        let documents = places.into_iter().map(|place| Arc::new(place.into_inner().expect("every text is read")));
        loaded.extend(ranks.into_iter().zip(documents));
        Ok(loaded)
    }

    /// The equal runs at pairs of two documents; units are compared as they are.
    fn equal(&self, loaded: &Loaded, pairs: &[Pair]) -> Vec<Run> {
        let (document, other) = (&loaded[&pairs[0].rank], &loaded[&pairs[0].other]);
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
    fn pieces(&self, document: &Document, mut runs: Vec<Run>) -> Vec<Piece> {
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
                self.piece(part.range.clone(), run.units(), &run, part.form)
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
                self.divide(document, &cut.range, &cut.units, &runs, &mut pieces);
            }
        }
        pieces
    }

    /// Divides a cut into pieces that lie within one run each: as few as possible, and at borders of sentences where two
    /// runs overlap.
    fn divide(
        &self,
        document: &Document,
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
            pieces.push(self.piece(offset..behind, start..end, &shifted, Form::Text));
            (start, offset) = (end, behind);
            if start == units.end {
                return;
            }
        }
    }

    fn piece(&self, range: Range<usize>, units: Range<usize>, run: &Run, form: Form) -> Piece {
        let other = if self.keeps { run.other } else { NONE };
        Piece { range, units, other, other_start: run.other_start, form, count: run.count }
    }

    /// The rows of a document, and what is deleted from it.
    fn strip(&self, loaded: &Loaded, rank: u32, pieces: &[Piece]) -> (Vec<Row>, Stripped) {
        let document = &loaded[&rank];
        let text = document.stream.original();
        let ranges = offsets(document, pieces);
        let mut rows: Vec<Row> = Vec::new();
        for (piece, range) in pieces.iter().zip(&ranges) {
            let kept_range = match loaded.get(&piece.other) {
                Some(other) => place_in(other, &(piece.other_start..piece.other_start + piece.units.len())),
                None => 0..0,
            };
            // A row ends where its text does; the white space up to the next row is cut with it.
            let place = trimmed(text, range.clone());
            rows.push(row(document, rank, &place, (piece.other, kept_range), piece.form, piece.count));
        }
        let joined_ranges = joined(ranges.into_iter());
        let (deletions, headings) = if self.mends {
            let mended = mend(text, document.lines(), &joined_ranges);
            (mended.deletions, mended.headings)
        } else {
            (joined_ranges, Vec::new())
        };
        for heading in headings {
            let form = document.lines().iter().find(|line| line.content.start == heading.start).map(|line| line.form);
            rows.push(row(document, rank, &heading, (NONE, 0..0), form.unwrap_or(Form::Head), 1));
        }
        rows.sort_by_key(|row| row.range.start);
        let deleted: u32 = deletions.iter().map(|range| document.stream.length(&document.stream.units_of(range))).sum();
        let narrow = |range: &Range<usize>| range.start as u32..range.end as u32;
        let deletions = deletions.iter().map(narrow).collect();
        (rows, Stripped { rank, remaining: document.stream.whole() - deleted, deletions })
    }
}

/// The ranges of pieces in the original; those of divided pieces meet where the second one begins.
fn offsets(document: &Document, pieces: &[Piece]) -> Vec<Range<usize>> {
    let start = |piece: &Piece| match piece.range.start {
        usize::MAX => border(document, piece.units.start),
        start => start,
    };
    let end = |piece: &Piece| match piece.range.end {
        usize::MAX => border(document, piece.units.end),
        end => end,
    };
    pieces.iter().map(|piece| start(piece)..end(piece)).collect()
}

/// The offset before a folded unit; before the marks that begin its sentence, if it is the first one.
fn border(document: &Document, unit: usize) -> usize {
    let spans = document.spans();
    let sentence = spans.partition_point(|own| own.start < unit || own.is_empty() && own.start == unit);
    let begins = spans.get(sentence).filter(|own| own.start == unit);
    begins.map_or_else(|| document.stream.start_of(unit), |_| document.units()[sentence].range.start)
}

/// The place of folded units in the original, with the marks of the units that they begin and end.
fn place_in(document: &Document, units: &Range<usize>) -> Range<usize> {
    let span = document.stream.span_of(units);
    let starts =
        document.spans().partition_point(|own| own.start < units.start || own.is_empty() && own.start == units.start);
    let ends = document.spans().partition_point(|own| own.end < units.end);
    let start = document.spans().get(starts).filter(|own| own.start == units.start);
    let end = document.spans().get(ends).filter(|own| own.end == units.end && !own.is_empty());
    let start = start.map_or(span.start, |_| document.units()[starts].range.start);
    let end = end.map_or(span.end, |_| document.units()[ends].range.end);
    start.min(span.start)..end.max(span.end)
}

fn row(document: &Document, rank: u32, range: &Range<usize>, kept: (u32, Range<usize>), form: Form, count: u32) -> Row {
    let text = &document.stream.original()[range.clone()];
    let character = |&point: &u32| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
    Row {
        rank,
        range: range.start as u32..range.end as u32,
        kept: kept.0,
        kept_range: kept.1.start as u32..kept.1.end as u32,
        form,
        count,
        letters: document.stream.units_of(range).len() as u32,
        tokens: document.stream.tokens(document.stream.units_of(range)),
        text: text.iter().map(character).collect(),
    }
}

/// The stretches that runs cover.
fn joined_over(runs: &[Run]) -> Vec<Range<usize>> {
    joined(runs.iter().map(Run::units))
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
