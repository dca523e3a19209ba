//! A document that is searched: its fold, and its lines and units on demand.

use std::ops::Range;
use std::sync::OnceLock;

use super::layout::{Form, Line, lines, trimmed};
use super::stream::{Measure, Stream};
use super::units::{Kind, Unit, has_gaps, units};
use crate::text::Text;

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The kind of repeated text.
    pub kind: Kind,
    /// What `min_length` is counted in.
    pub measure: Measure,
    /// Minimum length of a unit, or of a run of tokens.
    pub min_length: u32,
}

/// A text with everything that a search needs.
#[derive(Debug)]
pub struct Document {
    /// The folded text.
    pub stream: Stream,
    kind: Kind,
    is_unit: bool,
    layout: OnceLock<Layout>,
}

/// Lines and units. Most documents that share passages with others need only their fold.
#[derive(Debug)]
struct Layout {
    lines: Vec<Line>,
    units: Vec<Unit>,
    spans: Vec<Range<usize>>,
    has_gaps: bool,
}

impl Document {
    /// Folds a text. Linear.
    pub fn new(text: Text<'_>, search: &Search) -> Self {
        let stream = Stream::new(text, search.measure);
        Self { stream, kind: search.kind, is_unit: false, layout: OnceLock::new() }
    }

    /// Folds a text that is one unit, whatever lines and sentences it has. Linear.
    ///
    /// What a text is depends on what is around it: two lines are one paragraph if blank lines separate others.
    pub fn of_unit(text: Text<'_>, search: &Search) -> Self {
        Self { is_unit: true, ..Self::new(text, search) }
    }

    /// Its lines.
    pub fn lines(&self) -> &[Line] {
        &self.layout().lines
    }

    /// Its units; for passages its sentences.
    pub fn units(&self) -> &[Unit] {
        &self.layout().units
    }

    /// The folded units of each of them.
    pub fn spans(&self) -> &[Range<usize>] {
        &self.layout().spans
    }

    /// True if blank lines separate its paragraphs.
    pub fn has_gaps(&self) -> bool {
        self.layout().has_gaps
    }

    /// True if a unit is long enough to be cut for its own sake.
    pub fn is_searched(&self, unit: usize, min_length: u32) -> bool {
        self.units()[unit].stands_alone() && self.stream.length(&self.spans()[unit]) >= min_length.max(1)
    }

    fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| {
            let lines = lines(self.stream.original());
            let units = if self.is_unit {
                let range = trimmed(self.stream.original(), 0..self.stream.original().len());
                vec![Unit { range, form: Form::Text }]
            } else {
                units(self.stream.original(), &lines, self.kind)
            };
            let mut spans = Vec::with_capacity(units.len());
            let mut unit = 0;
            for own in &units {
                let start = self.stream.skip_to(unit, own.range.start);
                unit = self.stream.skip_to(start, own.range.end);
                spans.push(start..unit);
            }
            let has_gaps = has_gaps(&lines);
            Layout { lines, units, spans, has_gaps }
        })
    }
}
