//! The last step: what is deleted from each document, and where its text is kept.

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

use super::{BATCH_UNITS, Decided, Decider, NONE, Piece, Row, Stripped};
use crate::inside::document::Document;
use crate::inside::layout::{Form, trimmed};
use crate::inside::mend::mend;
use crate::inside::runs::joined;
use crate::judge::probe::TextSource;

impl Decider {
    /// Strips documents, all of whose pieces are in the batch.
    pub(super) fn strip_batch<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        pieces: &[Piece],
        decided: &mut Decided,
    ) -> Result<(), S::Error> {
        let ranks = pieces.iter().flat_map(|piece| [piece.rank, piece.other]).filter(|&rank| rank != NONE).collect();
        self.load(texts, document_of, ranks)?;
        let documents: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.rank == b.rank).collect();
        let result: Vec<_> = documents.into_par_iter().map(|pieces| self.strip_document(pieces)).collect();
        for (rows, document) in result {
            decided.rows.extend(rows);
            decided.documents.push(document);
        }
        Ok(())
    }

    /// The rows of a document, and what is deleted from it.
    fn strip_document(&self, pieces: &[Piece]) -> (Vec<Row>, Stripped) {
        let rank = pieces[0].rank;
        let document = &self.recent[&rank];
        let text = document.stream.original();
        let ranges = offsets(document, pieces);
        let mut rows: Vec<Row> = Vec::new();
        for (piece, range) in pieces.iter().zip(&ranges) {
            let kept_range = match self.recent.get(&piece.other) {
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
pub(super) fn border(document: &Document, unit: usize) -> usize {
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

/// Divides pieces into batches, whose documents are in memory together; those of a document stay together.
pub(super) fn batches<'p>(pieces: &'p [Piece], lengths: &[u32]) -> Vec<&'p [Piece]> {
    let mut batches = Vec::new();
    let (mut start, mut end, mut size, mut held) = (0, 0, 0u64, HashSet::new());
    for document in pieces.chunk_by(|a, b| a.rank == b.rank) {
        let ranks = document.iter().flat_map(|piece| [piece.rank, piece.other]).filter(|&rank| rank != NONE);
        size += ranks.filter(|&rank| held.insert(rank)).map(|rank| u64::from(lengths[rank as usize])).sum::<u64>();
        end += document.len();
        if size > BATCH_UNITS {
            batches.push(&pieces[start..end]);
            (start, size) = (end, 0);
            held.clear();
        }
    }
    batches.extend((start < end).then(|| &pieces[start..end]));
    batches
}
