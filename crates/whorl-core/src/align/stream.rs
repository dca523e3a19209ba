//! A text as the stream that is aligned: folded code points with their original positions, and tokens.

use std::ops::Range;

use super::clauses::{ClauseTable, ClauseTables, SHAPES};
use super::stretches::Stretches;
use crate::text::metadata::metadata;
use crate::text::shingle::hash_tokens;
use crate::text::{Plain, Sink, Text, fold};

/// Folded code points without separators, with their positions in the original text.
///
/// Reused from text to text. Offsets are 31 bits wide: a text has fewer than 2³¹ code points.
#[derive(Default)]
pub struct Stream {
    original: Vec<u32>,
    units: Units,
    /// The units that are not evidence because they are boilerplate or incidental.
    left_out: Stretches,
    /// The folded code points of the [`metadata`], which are not units.
    metadata: Vec<u32>,
    clauses: ClauseTables,
}

/// Only the first `count` entries are units; the rest is capacity.
#[derive(Default)]
struct Units {
    code_points: Vec<u32>,
    starts: Vec<Start>,
    /// Ends of units that were made of several code points; empty if every unit was made of one.
    ends: Vec<u32>,
    count: usize,
    position: u32,
    in_run: bool,
    composed: bool,
}

/// The start of a unit in the original, times two, plus one for the first unit of a token.
#[derive(Clone, Copy, Default)]
struct Start(u32);

impl Start {
    fn offset(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn begins_token(self) -> bool {
        self.0 & 1 == 1
    }
}

impl Stream {
    /// Folds `text` without its metadata, replacing the previous contents. Linear.
    pub fn read(&mut self, text: Text<'_>) {
        self.clauses = Default::default();
        self.left_out.take(std::iter::empty());
        self.original.clear();
        match text {
            Text::Utf8(text) => self.original.extend(text.chars().map(u32::from)),
            Text::CodePoints(text) => self.original.extend_from_slice(text),
        }
        self.units.clear();
        self.units = fold(self.original.as_slice(), std::mem::take(&mut self.units));
        if self.units.composed {
            self.units.close(self.original.len() as u32);
        }
        self.metadata.clear();
        let spans = metadata(&self.original);
        if !spans.is_empty() {
            self.units.take_out(&spans, &mut self.metadata);
        }
    }

    /// A copy without spare capacity.
    pub fn to_size(&self) -> Self {
        let Units { code_points, starts, ends, count, position, in_run, composed } = &self.units;
        let units = Units {
            code_points: code_points[..*count].to_vec(),
            starts: starts[..*count].to_vec(),
            ends: ends.clone(),
            count: *count,
            position: *position,
            in_run: *in_run,
            composed: *composed,
        };
        Self {
            original: self.original.clone(),
            units,
            left_out: self.left_out.clone(),
            metadata: self.metadata.clone(),
            clauses: Default::default(),
        }
    }

    /// Its clauses in one of the [`SHAPES`]; computed on first use.
    pub(crate) fn clauses(&self, shape: usize) -> &ClauseTable {
        self.clauses[shape].get_or_init(|| ClauseTable::of(self, SHAPES[shape]))
    }

    /// Excludes the units that begin in disjoint stretches of the original: they are aligned, but are not evidence.
    pub fn leave_out(&mut self, spans: &[Range<usize>]) {
        let mut left_out = std::mem::take(&mut self.left_out);
        left_out.take(spans.iter().map(|span| self.units_in(span.clone())));
        self.left_out = left_out;
    }

    /// Number of evidential units.
    pub fn telling(&self, units: Range<usize>) -> usize {
        units.len() - self.left_out.within(&units)
    }

    /// True if two streams have equal folds, metadata included.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.units() == other.units() && self.has_metadata_of(other)
    }

    /// True if two texts have the same metadata.
    pub fn has_metadata_of(&self, other: &Self) -> bool {
        self.metadata == other.metadata
    }

    /// The code points of the original text.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// The folded code points.
    pub fn units(&self) -> &[u32] {
        &self.units.code_points[..self.units.count]
    }

    /// Fills `hashes` with one hash per token, in order.
    pub fn tokens(&self, hashes: &mut Vec<u64>) {
        hash_tokens(self.units().iter().copied().zip(self.begins(0..self.units.count)), hashes);
    }

    /// For each of some units, whether it is the first one of a token.
    pub fn begins(&self, units: Range<usize>) -> impl Iterator<Item = bool> {
        self.starts()[units].iter().map(|start| start.begins_token())
    }

    /// True if there are at least `count` tokens.
    pub fn has_tokens(&self, count: usize) -> bool {
        self.starts().iter().filter(|start| start.begins_token()).take(count).count() == count
    }

    /// True if `unit` is the first one of a token.
    pub fn begins_token(&self, unit: usize) -> bool {
        self.units.starts[unit].begins_token()
    }

    fn starts(&self) -> &[Start] {
        &self.units.starts[..self.units.count]
    }

    /// The units that begin in a stretch of the original.
    pub fn units_in(&self, span: Range<usize>) -> Range<usize> {
        let first = |offset: usize| self.starts().partition_point(|start| start.offset() < offset);
        first(span.start)..first(span.end)
    }

    /// Flags the units that begin in some stretches of the original.
    pub fn cover(&self, spans: impl Iterator<Item = Range<usize>>, covered: &mut Vec<bool>) {
        covered.clear();
        covered.resize(self.units.count, false);
        spans.for_each(|span| covered[self.units_in(span)].fill(true));
    }

    /// The first code point of the original that `unit` was made of.
    pub fn start_of(&self, unit: usize) -> usize {
        self.units.starts[unit].offset()
    }

    /// The end of the last code point of the original that `unit` was made of.
    pub fn end_of(&self, unit: usize) -> usize {
        if self.units.composed { self.units.ends[unit] as usize } else { self.start_of(unit) + 1 }
    }

    /// The range of one or more `units` in the original.
    pub fn span_of(&self, units: Range<usize>) -> Range<usize> {
        self.start_of(units.start)..self.end_of(units.end - 1)
    }

    /// The ranges of non-empty stretches of tokens in the original, in order.
    pub fn spans_of_tokens(&self, stretches: &[Range<usize>]) -> Vec<Range<usize>> {
        if stretches.is_empty() {
            return Vec::new();
        }
        let begins = self.starts().iter().enumerate().filter(|(_, start)| start.begins_token());
        let units: Vec<usize> = begins.map(|(unit, _)| unit).chain([self.units.count]).collect();
        stretches.iter().map(|tokens| self.span_of(units[tokens.start]..units[tokens.end])).collect()
    }

    /// The original text before `first`, and between the units from `first` to `last`.
    pub fn between(&self, first: usize, last: usize) -> &[u32] {
        let start = if first == 0 { 0 } else { self.start_of(first - 1) };
        &self.original[start..self.start_of(last)]
    }

    /// True if `unit`, which is not the first, directly follows the previous unit.
    pub fn follows(&self, unit: usize) -> bool {
        self.start_of(unit) <= self.start_of(unit - 1) + 1
    }

    /// The original text between `unit` and the one before it.
    pub fn before(&self, unit: usize) -> &[u32] {
        let start = if unit == 0 { 0 } else { self.end_of(unit - 1) };
        let end = if unit == self.units.count { self.original.len() } else { self.start_of(unit) };
        &self.original[start.min(end)..end]
    }
}

impl Sink for Units {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.push(code_point, true);
        self.in_run = false;
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.push(code_point, !self.in_run);
        self.in_run = true;
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.in_run = false;
    }

    #[inline(always)]
    fn plains(&mut self, offset: usize, plains: &[Plain]) {
        while self.code_points.len() < self.count + plains.len() {
            self.grow();
        }
        if self.composed {
            self.close(offset as u32);
        }
        let (first, mut count, mut in_run) = (self.count, self.count, self.in_run);
        let (code_points, starts) = (&mut self.code_points[..], &mut self.starts[..]);
        for (plain, position) in plains.iter().zip(offset as u32..) {
            let is_run = plain.is_run();
            code_points[count] = plain.code_point();
            starts[count] = Start(position << 1 | u32::from(!(is_run & in_run)));
            count += usize::from(plain.is_unit());
            in_run = is_run;
        }
        (self.count, self.in_run) = (count, in_run);
        if self.composed {
            self.ends.extend(self.starts[first..count].iter().map(|start| start.offset() as u32 + 1));
        }
    }

    #[inline(always)]
    fn position(&mut self, offset: usize) {
        if self.composed {
            self.close(offset as u32);
        }
        self.position = offset as u32;
    }

    fn combine(&mut self) {
        if !self.composed {
            self.composed = true;
            self.ends.extend(self.starts[..self.count].iter().map(|start| start.offset() as u32 + 1));
        }
    }
}

impl Units {
    fn clear(&mut self) {
        self.ends.clear();
        (self.count, self.position, self.in_run, self.composed) = (0, 0, false, false);
    }

    #[inline(always)]
    fn push(&mut self, code_point: u32, begins_token: bool) {
        if self.count == self.code_points.len() {
            self.grow();
        }
        self.code_points[self.count] = code_point;
        self.starts[self.count] = Start(self.position << 1 | u32::from(begins_token));
        self.count += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let room = (2 * self.code_points.len()).max(1024);
        self.code_points.resize(room, 0);
        self.starts.resize(room, Start::default());
    }

    /// Moves the units that begin in ordered, disjoint stretches of the original to `removed`. A token ends where units
    /// are removed.
    fn take_out(&mut self, spans: &[Range<usize>], removed: &mut Vec<u32>) {
        let (mut kept, mut span, mut is_behind) = (0, 0, false);
        for unit in 0..self.count {
            let offset = self.starts[unit].offset();
            while spans.get(span).is_some_and(|span| span.end <= offset) {
                span += 1;
            }
            if spans.get(span).is_some_and(|span| span.start <= offset) {
                removed.push(self.code_points[unit]);
                is_behind = true;
                continue;
            }
            self.code_points[kept] = self.code_points[unit];
            self.starts[kept] = Start(self.starts[unit].0 | u32::from(is_behind));
            if self.composed {
                self.ends[kept] = self.ends[unit];
            }
            kept += 1;
            is_behind = false;
        }
        self.count = kept;
        self.ends.truncate(if self.composed { kept } else { 0 });
    }

    /// Sets the end of the units that began at the position to `offset`.
    fn close(&mut self, offset: u32) {
        self.ends.resize(self.count, offset);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::located::LocatedText;

    proptest! {
        #[test]
        fn a_mark_moves_no_unit_before_it(text in "[a甲ﬁé\u{200b} ，]{0,20}", rest in "[b乙 \u{301}]{0,9}") {
            let read = |text: &str| {
                let mut stream = Stream::default();
                stream.read(Text::Utf8(text));
                stream
            };
            let (alone, whole) = (read(&format!("{text} ")), read(&format!("{text} e\u{301}{rest}")));
            for unit in 0..alone.units.count {
                prop_assert_eq!(alone.span_of(unit..unit + 1), whole.span_of(unit..unit + 1));
            }
        }

        #[test]
        fn units_are_those_of_the_fold_without_metadata(
            lines in prop::collection::vec(("[0-5]{2}", "[a甲ﬁé\u{301}\u{200b} ，乙]{0,8}"), 0..8),
        ) {
            let write = |(time, text): &(String, String)| format!("00:00:{time} <i>{text}\n");
            let text: String = lines.iter().map(write).collect();
            let mut stream = Stream::default();
            stream.read(Text::Utf8(&text));
            let code_points: Vec<u32> = text.chars().map(u32::from).collect();
            let spans = metadata(&code_points);
            let whole = fold(code_points.as_slice(), Units::default());
            let is_taken = |unit: &usize| spans.iter().any(|span| span.contains(&whole.starts[*unit].offset()));
            let kept: Vec<usize> = (0..whole.count).filter(|unit| !is_taken(unit)).collect();
            let removed: Vec<u32> = (0..whole.count).filter(is_taken).map(|unit| whole.code_points[unit]).collect();
            prop_assert_eq!(&stream.metadata, &removed);
            prop_assert_eq!(stream.units().len(), kept.len());
            for (place, &unit) in kept.iter().enumerate() {
                prop_assert_eq!(stream.units()[place], whole.code_points[unit]);
                prop_assert_eq!(stream.start_of(place), whole.starts[unit].offset());
            }
        }

        #[test]
        fn tokens_are_those_of_a_located_text(
            text in "[ab甲乙ﬁé\u{301}\u{200b} ，。①Ⅷ\n]{0,40}",
            before in "[a甲é\u{301}]{0,60}",
        ) {
            let (mut stream, mut located, mut tokens) = (Stream::default(), LocatedText::default(), Vec::new());
            stream.read(Text::Utf8(&before));
            stream.read(Text::Utf8(&text));
            located.read(Text::Utf8(&text));
            stream.tokens(&mut tokens);
            prop_assert_eq!(&tokens, located.tokens());
            let single_tokens: Vec<Range<usize>> = (0..tokens.len()).map(|token| token..token + 1).collect();
            for (token, span) in stream.spans_of_tokens(&single_tokens).into_iter().enumerate() {
                let other = located.span_of(token..token + 1);
                prop_assert_eq!(span.start, other.start);
                prop_assert!(span.end == other.end || stream.units.composed && span.end > other.end);
            }
        }
    }
}
