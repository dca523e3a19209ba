//! Decides which repeated text is cut, by reading both texts of every pair.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::borders::cuts;
use super::document::{Document, Search};
use super::group::Pair;
use super::layout::Form;
use super::mend::mend;
use super::runs::{Run, joined, runs};
use super::units::Kind;
use crate::judge::probe::TextSource;

/// The rank of no document: nothing is kept of the text.
pub const NONE: u32 = u32::MAX;
/// Maximum length of the texts of a batch, in folded code points, beyond a single pair.
const BATCH_UNITS: u64 = 3 << 19;
/// Maximum number of pairs in a batch.
const BATCH_PAIRS: usize = 1 << 15;

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
    /// The length of what is left, in the measure of the search.
    pub left: u32,
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

/// Decides pairs in the order of rank; remembers its cuts.
#[derive(Debug)]
pub struct Decider {
    search: Search,
    keeps: bool,
    mends: bool,
    past: Vec<Past>,
    /// The document whose pairs continue in the next batch, and its runs so far.
    pending: Option<(u32, Vec<Run>)>,
}

/// Documents of a batch, by rank.
type Loaded = BTreeMap<u32, Document>;

impl Decider {
    /// Creates a decider. If `keeps` is false, all occurrences are cut; `mends` also deletes what only surrounds cuts.
    pub fn new(search: Search, keeps: bool, mends: bool) -> Self {
        Self { search, keeps, mends, past: Vec::new(), pending: None }
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
        let mut loaded = self.load(texts, document_of, ranks)?;
        let by_pair: Vec<&[Pair]> = batch.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)).collect();
        let equal: Vec<(u32, Vec<Run>)> =
            by_pair.par_iter().map(|pairs| (pairs[0].rank, self.equal(&loaded, pairs))).collect();
        let found: usize = equal.iter().map(|(_, runs)| runs.len()).sum();
        decided.refuted += if self.search.kind == Kind::Passages { 0 } else { (batch.len() - found) as u64 };
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
        loaded.extend(self.load(texts, document_of, missing)?);
        let result: Vec<_> = pieces
            .into_par_iter()
            .filter(|(_, pieces)| !pieces.is_empty())
            .map(|(rank, pieces)| self.strip(&loaded, rank, &pieces))
            .collect();
        for (rows, document) in result {
            decided.rows.extend(rows);
            decided.documents.push(document);
        }
        Ok(())
    }

    fn load<S: TextSource>(&self, texts: &S, document_of: &[u32], mut ranks: Vec<u32>) -> Result<Loaded, S::Error> {
        ranks.sort_unstable();
        ranks.dedup();
        let numbers: Vec<u32> = ranks.iter().map(|&rank| document_of[rank as usize]).collect();
        let places: Vec<OnceLock<Document>> = ranks.iter().map(|_| OnceLock::new()).collect();
        texts.read(&numbers, &|index, text| {
            // A text is passed once; a second one would be the same.
            let _ = places[index].set(Document::new(text, &self.search));
        })?;
        let documents = places.into_iter().map(|place| place.into_inner().expect("every text is read"));
        Ok(ranks.into_iter().zip(documents).collect())
    }

    /// The equal runs at pairs of two documents; units are compared as they are.
    fn equal(&self, loaded: &Loaded, pairs: &[Pair]) -> Vec<Run> {
        let (document, other) = (&loaded[&pairs[0].rank], &loaded[&pairs[0].other]);
        if self.search.kind == Kind::Passages {
            return runs(document, other, pairs, self.search.least);
        }
        let units = |document: &Document, place: u32| document.spans()[place as usize].clone();
        let run = |pair: &Pair| {
            let (own, theirs) = (units(document, pair.place), units(other, pair.other_place));
            let is_equal = document.stream.units()[own.clone()] == other.stream.units()[theirs.clone()];
            is_equal.then(|| Run {
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
                let own = &document.units()[unit];
                self.piece(own.range.clone(), run.units(), &run, own.form)
            };
            return runs.into_iter().map(piece).collect();
        }
        let mut pieces = Vec::new();
        for stretch in joined_over(&runs) {
            for cut in cuts(document, &stretch) {
                self.divide(document, &cut.range, &cut.units, &runs, &mut pieces);
            }
        }
        pieces
    }

    /// Divides a cut into pieces that lie within one run each, as few as possible.
    fn divide(
        &self,
        document: &Document,
        range: &Range<usize>,
        units: &Range<usize>,
        runs: &[Run],
        pieces: &mut Vec<Piece>,
    ) {
        let mut start = units.start;
        let mut offset = range.start;
        while start < units.end {
            let covering = runs.iter().filter(|run| run.start <= start && start < run.end);
            let Some(run) =
                covering.max_by_key(|run| (run.end.min(units.end), std::cmp::Reverse((run.other, run.other_start, run.count))))
            else {
                return;
            };
            let end = run.end.min(units.end);
            let behind = if end == units.end { range.end } else { document.stream.start_of(end) };
            let shifted = Run { start, other_start: run.other_start + start - run.start, ..run.clone() };
            pieces.push(self.piece(offset..behind, start..end, &shifted, Form::Text));
            (start, offset) = (end, behind);
        }
    }

    fn piece(&self, range: Range<usize>, units: Range<usize>, run: &Run, form: Form) -> Piece {
        let other = if self.keeps { run.other } else { NONE };
        Piece { range, units, other, other_start: run.other_start, form, count: run.count }
    }

    /// Replaces sources that were cut themselves by the places where their text stays, and remembers the pieces.
    fn trace(&mut self, rank: u32, pieces: Vec<Piece>) -> Vec<Piece> {
        if self.search.kind != Kind::Passages || !self.keeps {
            return pieces;
        }
        let mut traced = Vec::new();
        for piece in pieces {
            let begun = traced.len();
            let mut open = vec![piece];
            while let Some(piece) = open.pop() {
                self.step(rank, piece, &mut open, &mut traced);
            }
            for piece in &traced[begun..] {
                self.past.push(Past {
                    rank,
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
    fn step(&self, rank: u32, piece: Piece, open: &mut Vec<Piece>, traced: &mut Vec<Piece>) {
        let length = piece.units.len();
        let source = piece.other_start..piece.other_start + length;
        if piece.other == rank && source.end > piece.units.start {
            // The source reaches into the piece: text that repeats itself.
            let distance = piece.units.start - source.start;
            let (first, rest) = split(piece, distance);
            let again = Piece { other_start: source.start, ..rest };
            open.push(again);
            open.push(first);
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
            rows.push(row(document, rank, range, (piece.other, kept_range), piece.form, piece.count));
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
        let gone: u32 = deletions.iter().map(|range| document.stream.length(&document.stream.units_of(range))).sum();
        let narrow = |range: &Range<usize>| range.start as u32..range.end as u32;
        let deletions = deletions.iter().map(narrow).collect();
        (rows, Stripped { rank, left: document.stream.whole() - gone, deletions })
    }
}

impl Piece {
    fn nothing() -> Self {
        Self { range: 0..0, units: 0..0, other: NONE, other_start: 0, form: Form::Text, count: 0 }
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

/// The ranges of pieces in the original; those of divided pieces meet where the second one begins.
fn offsets(document: &Document, pieces: &[Piece]) -> Vec<Range<usize>> {
    let start = |piece: &Piece| match piece.range.start {
        usize::MAX => document.stream.start_of(piece.units.start),
        start => start,
    };
    let end = |piece: &Piece| match piece.range.end {
        usize::MAX => document.stream.start_of(piece.units.end),
        end => end,
    };
    pieces.iter().map(|piece| start(piece)..end(piece)).collect()
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

/// Number of pairs whose documents are held in memory together; at least one.
fn batch_of(pairs: &[Pair], lengths: &[u32]) -> usize {
    let (mut size, mut count, mut last) = (0u64, 0, (NONE, NONE));
    let length = |rank: u32| u64::from(lengths[rank as usize]);
    for pair in pairs {
        // Pairs of the same two documents stay together, so that each of their runs is found once.
        if (pair.rank, pair.other) != last {
            size += length(pair.other) + if pair.rank == last.0 { 0 } else { length(pair.rank) };
            if count > 0 && (size > BATCH_UNITS || count >= BATCH_PAIRS) {
                break;
            }
        }
        last = (pair.rank, pair.other);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::inside::group::{Grouping, group};
    use crate::inside::records::records;
    use crate::inside::stream::Measure;
    use crate::text::Text;

    struct InMemory(Vec<String>);

    impl TextSource for InMemory {
        type Error = ();

        fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), ()> {
            documents
                .iter()
                .enumerate()
                .for_each(|(index, &document)| on_text(index, Text::Utf8(&self.0[document as usize])));
            Ok(())
        }
    }

    fn pairs_of(texts: &[String], search: &Search) -> Vec<Pair> {
        let mut found = Vec::new();
        for (rank, text) in texts.iter().enumerate() {
            let document = Document::new(Text::Utf8(text), search);
            records(&document, search, rank as u32, 0, &mut |record| found.push(record));
        }
        let any_surroundings = search.kind == Kind::Passages;
        group(&mut found, &Grouping { repeats: 2, both_ways: false, any_surroundings }).pairs
    }

    fn decided(texts: &[String], search: &Search) -> Decided {
        let ranks: Vec<u32> = (0..texts.len() as u32).collect();
        let lengths = vec![1; texts.len()];
        let source = InMemory(texts.to_vec());
        Decider::new(*search, true, false).decide(&source, &ranks, &lengths, pairs_of(texts, search)).unwrap()
    }

    /// The repeated units of every document by the definition, in quadratic time.
    fn slow(documents: &[Document], least: u32) -> Vec<Vec<bool>> {
        let mut repeated: Vec<Vec<bool>> =
            documents.iter().map(|document| vec![false; document.stream.units().len()]).collect();
        for (rank, document) in documents.iter().enumerate() {
            let units = document.stream.units();
            for start in (0..units.len()).filter(|&unit| document.stream.is_border(unit)) {
                let ends = (start + 1..=units.len()).filter(|&end| document.stream.is_border(end));
                for end in ends.filter(|&end| document.stream.length(&(start..end)) >= least) {
                    let own = &units[start..end];
                    let is_known = |(other, earlier): (usize, &Document)| {
                        let last = if other == rank { start } else { earlier.stream.units().len() };
                        let begins = (0..(last + 1).saturating_sub(own.len()))
                            .filter(|&at| earlier.stream.is_border(at) && earlier.stream.is_border(at + own.len()));
                        begins.into_iter().any(|at| earlier.stream.units()[at..at + own.len()] == *own)
                    };
                    if documents[..=rank].iter().enumerate().any(is_known) {
                        repeated[rank][start..end].fill(true);
                    }
                }
            }
        }
        repeated
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        let piece = prop_oneof![
            "[ab甲乙 ]{0,12}".boxed(),
            Just("the quick brown fox, and the dog. ".to_owned()).boxed(),
            Just("今天天气很好，我们出门去。".to_owned()).boxed(),
            Just("وقال الوزير، إن الحكومة تدرس القرار. ".to_owned()).boxed(),
            Just("for i in range(10): print(i)\n".to_owned()).boxed(),
            Just("ab ab ab ab ab ab ".to_owned()).boxed(),
        ];
        let text = prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat());
        prop::collection::vec(text, 1..6)
    }

    proptest! {
        #[test]
        fn repeated_stretches_are_those_of_the_definition(texts in texts(), least in 5u32..40, tokens: bool) {
            let (measure, least) = if tokens { (Measure::Tokens, least / 3) } else { (Measure::Letters, least) };
            let search = Search { kind: Kind::Passages, measure, least: least.max(4) };
            let documents: Vec<Document> =
                texts.iter().map(|text| Document::new(Text::Utf8(text), &search)).collect();
            let mut repeated: Vec<Vec<bool>> =
                documents.iter().map(|document| vec![false; document.stream.units().len()]).collect();
            let mut pairs = pairs_of(&texts, &search);
            pairs.sort_unstable();
            pairs.sort_by_key(|pair| (pair.rank, pair.other));
            for pairs in pairs.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)) {
                let (rank, other) = (pairs[0].rank as usize, pairs[0].other as usize);
                for run in runs(&documents[rank], &documents[other], pairs, search.least) {
                    repeated[rank][run.units()].fill(true);
                }
            }
            prop_assert_eq!(repeated, slow(&documents, search.least));
        }

        #[test]
        fn what_is_cut_stays_elsewhere_and_no_word_is_divided(texts in texts(), least in 5u32..40, kind in 0usize..4) {
            let kind = [Kind::Lines, Kind::Sentences, Kind::Paragraphs, Kind::Passages][kind];
            let search = Search { kind, measure: Measure::Letters, least };
            let decided = decided(&texts, &search);
            let points: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let folded = |rank: u32, range: &Range<u32>| {
                crate::text::tokens(&points[rank as usize][range.start as usize..range.end as usize])
            };
            let mut cut: Vec<Vec<bool>> = points.iter().map(|points| vec![false; points.len()]).collect();
            for row in &decided.rows {
                prop_assert!(row.kept < row.rank || row.kept == row.rank && row.kept_range.start < row.range.start);
                prop_assert_eq!(folded(row.rank, &row.range), folded(row.kept, &row.kept_range));
                for place in row.range.clone() {
                    prop_assert!(!std::mem::replace(&mut cut[row.rank as usize][place as usize], true));
                }
            }
            for row in &decided.rows {
                prop_assert!(row.kept_range.clone().all(|place| !cut[row.kept as usize][place as usize]));
                let text = &points[row.rank as usize];
                for border in [row.range.start as usize, row.range.end as usize] {
                    let is_letter = |place: usize| {
                        text.get(place).is_some_and(|&point| char::from_u32(point).is_some_and(char::is_alphanumeric))
                            && crate::text::class(text[place]) == crate::text::Class::Run
                    };
                    prop_assert!(border == 0 || !is_letter(border - 1) || !is_letter(border), "{:?}", row);
                }
            }
        }
    }

    #[test]
    fn a_source_that_was_cut_is_traced_to_where_the_text_stays() {
        let [first, second, third] = ["The ice house burned down on Monday night.", "Nobody was hurt.", "Rain came."];
        let texts =
            [format!("{first} A."), format!("B. {first} {second} {third}"), format!("C. {first} {second} {third} D.")];
        let search = Search { kind: Kind::Passages, measure: Measure::Letters, least: 30 };
        let rows: Vec<(u32, u32, String)> =
            decided(&texts, &search).rows.into_iter().map(|row| (row.rank, row.kept, row.text)).collect();
        let rest = format!("{second} {third}");
        let expected = [(1, 0, first.to_owned()), (2, 0, format!("{first} ")), (2, 1, rest)];
        assert_eq!(rows, expected);
    }
}
