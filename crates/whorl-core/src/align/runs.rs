//! Word-level differences between two stretches, marked in place and counted.
//!
//! Tokens are compared by their folds. The longest common subsequence is unchanged; what lies between is replaced,
//! token by token if the numbers of tokens are equal, otherwise as a whole. Signs between tokens belong to the token
//! before them.

use std::ops::Range;

use super::change::is_han;
use super::diff::{Block, blocks};
use super::pieces::anchor::{common_prefix, common_suffix};
use super::pieces::gap::Edits;
use super::stream::Stream;
use crate::text::Text;
use crate::text::pinyin::Pinyin;
use crate::text::shingle::hash_token;

/// The change of a run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// Unchanged, except possibly for the spaces after it.
    Same,
    /// The same in other width, case, punctuation or script.
    Form,
    /// Replaced by homophones.
    Homophones,
    /// Replaced.
    Replaced,
    /// Only the first text has it.
    Deleted,
    /// Only the second text has it.
    Inserted,
}

impl RunKind {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Form => "form",
            Self::Homophones => "homophones",
            Self::Replaced => "replaced",
            Self::Deleted => "deleted",
            Self::Inserted => "inserted",
        }
    }
}

/// A run of one text and its counterpart in the other, in code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The change.
    pub kind: RunKind,
    /// Its range in the first text.
    pub a: Range<usize>,
    /// Its range in the second text.
    pub b: Range<usize>,
}

/// Computes the runs from one stretch to the other. The runs cover both in order, and no two neighbors have the same
/// kind.
///
/// Linear, except for parts of at most some hundred tokens.
pub fn edit_runs(a: &[u32], b: &[u32]) -> Vec<Run> {
    let mut streams = [Stream::default(), Stream::default()];
    streams[0].read(Text::CodePoints(a));
    streams[1].read(Text::CodePoints(b));
    let [a, b] = streams.each_ref().map(|stream| Tokens::of(stream, 0..stream.units().len()));
    let mut marker = Marker { a: &a, b: &b, at_a: 0, at_b: 0, runs: Vec::new() };
    steps(&a, &b, |kind, of_a, of_b| match kind {
        RunKind::Same => of_a.zip(of_b).for_each(|(at_a, at_b)| marker.mark(kind, at_a..at_a + 1, at_b..at_b + 1)),
        _ => marker.mark(kind, of_a, of_b),
    });
    marker.signs(a.keys.len(), b.keys.len());
    marker.runs
}

/// A step from one stretch to another: some tokens of each; either range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The change.
    pub kind: RunKind,
    /// Its tokens in the first stretch.
    pub a: Range<usize>,
    /// Its tokens in the second stretch.
    pub b: Range<usize>,
}

impl Step {
    /// Counts its edits in folded code points. All tokens replaced by homophones count as such; other replaced tokens
    /// have their common subsequence in common.
    pub fn edits(&self, a: &Tokens<'_>, b: &Tokens<'_>) -> Edits {
        let (of_a, of_b) = (a.units(&self.a), b.units(&self.b));
        match self.kind {
            RunKind::Same | RunKind::Form => Edits::equal(of_b.len()),
            RunKind::Homophones => Edits::of_lengths(of_a.len(), of_b.len(), 0, u32::MAX),
            _ => Edits { homophones: 0, ..Edits::between(of_a, of_b) },
        }
    }

    /// Of this many replaced units, the number that are Han characters on both sides.
    pub fn han_of(&self, replaced: u32, a: &Tokens<'_>, b: &Tokens<'_>) -> u32 {
        let han = |units: &[u32]| units.iter().filter(|&&unit| is_han(unit)).count() as u32;
        if replaced == 0 { 0 } else { replaced.min(han(a.units(&self.a))).min(han(b.units(&self.b))) }
    }
}

/// Computes the steps from one stretch to another, in order. Linear as [`edit_runs`].
pub(super) fn steps_between(a: &Tokens<'_>, b: &Tokens<'_>) -> Vec<Step> {
    let mut all = Vec::new();
    steps(a, b, |kind, a, b| all.push(Step { kind, a, b }));
    all
}

/// Tokens of a stream.
pub(super) struct Tokens<'s> {
    stream: &'s Stream,
    /// The first unit of each token, and the end.
    starts: Vec<usize>,
    /// The hash of each token.
    keys: Vec<u64>,
}

impl<'s> Tokens<'s> {
    /// The tokens of some units.
    pub fn of(stream: &'s Stream, units: Range<usize>) -> Self {
        let mut starts: Vec<usize> = Vec::with_capacity(units.len() + 1);
        let begins = units.clone().zip(stream.begins(units.clone()));
        starts.extend(begins.filter_map(|(unit, begins)| (begins || unit == units.start).then_some(unit)));
        starts.push(units.end);
        let code_points = stream.units();
        let keys = starts.windows(2).map(|token| hash_token(&code_points[token[0]..token[1]])).collect();
        Self { stream, starts, keys }
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The hash of each token.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The folded code points of some tokens.
    pub fn units(&self, tokens: &Range<usize>) -> &'s [u32] {
        &self.stream.units()[self.places(tokens)]
    }

    /// The range of some tokens in the stream, in units.
    pub fn places(&self, tokens: &Range<usize>) -> Range<usize> {
        self.starts[tokens.start]..self.starts[tokens.end]
    }

    /// The tokens that begin among some units of the stream.
    pub fn within(&self, units: Range<usize>) -> Range<usize> {
        let first = |unit: usize| self.starts[..self.len()].partition_point(|&start| start < unit);
        first(units.start)..first(units.end)
    }

    /// The original text between a token, or the end, and the token before it.
    pub fn before(&self, token: usize) -> &'s [u32] {
        self.stream.before(self.starts[token])
    }

    /// True if a token begins with a capital in the text.
    pub fn is_capital(&self, token: usize) -> bool {
        let first = self.stream.original()[self.stream.start_of(self.starts[token])];
        char::from_u32(first).is_some_and(char::is_uppercase)
    }

    /// True if tokens missing from another text are better marked with the signs before them than with those after
    /// them: the other text has the latter, before its token at `place`.
    fn goes_with_signs_before(&self, tokens: &Range<usize>, other: &Self, place: usize) -> bool {
        let [before, behind] = [tokens.start, tokens.end].map(|token| self.text(&self.signs_before(token)));
        let there = other.text(&other.signs_before(place));
        before != there && behind == there
    }

    /// The range of a token in the text, including the spaces after it.
    fn span(&self, token: usize) -> Range<usize> {
        let span = self.stream.span_of(self.starts[token]..self.starts[token + 1]);
        span.start..self.signs_before(token + 1).start
    }

    fn text(&self, span: &Range<usize>) -> &'s [u32] {
        &self.stream.original()[span.clone()]
    }

    /// The text of a range without the spaces at its end.
    fn written(&self, span: &Range<usize>) -> &'s [u32] {
        let text = self.text(span);
        &text[..text.iter().rposition(|&unit| !is_space(unit)).map_or(0, |last| last + 1)]
    }

    /// The range of the signs before a token, or of those at the end.
    fn signs_before(&self, token: usize) -> Range<usize> {
        let text = self.stream.original();
        let unit = self.starts[token];
        let end = if token == self.keys.len() { text.len() } else { self.stream.start_of(unit) };
        let start = if token == 0 { 0 } else { self.stream.end_of(unit - 1).min(end) };
        let spaces = text[start..end].iter().take_while(|&&unit| token > 0 && is_space(unit)).count();
        start + spaces..end
    }
}

/// The core comparison: the changes of the tokens in order. Unchanged tokens may differ in form.
fn steps(a: &Tokens<'_>, b: &Tokens<'_>, mut give: impl FnMut(RunKind, Range<usize>, Range<usize>)) {
    let (mut from_a, mut from_b) = (0, 0);
    let ends = Block { a: a.keys.len(), b: b.keys.len(), length: 0 };
    for block in blocks(&a.keys, &b.keys).into_iter().chain([ends]) {
        let (other_a, other_b) = (from_a..block.a, from_b..block.b);
        match (other_a.len(), other_b.len()) {
            (0, 0) => {}
            (_, 0) => give(RunKind::Deleted, other_a, other_b),
            (0, _) => give(RunKind::Inserted, other_a, other_b),
            (of_a, of_b) if of_a == of_b => {
                for (a_at, b_at) in other_a.zip(other_b) {
                    let (one_a, one_b) = (a_at..a_at + 1, b_at..b_at + 1);
                    give(in_place_of(a.units(&one_a), b.units(&one_b)), one_a, one_b);
                }
            }
            _ => give(in_place_of(a.units(&other_a), b.units(&other_b)), other_a, other_b),
        }
        if block.length > 0 {
            give(RunKind::Same, block.a..block.a + block.length, block.b..block.b + block.length);
        }
        (from_a, from_b) = (block.a + block.length, block.b + block.length);
    }
}

/// The kind of a replacement: the same text divided differently, homophones, or other tokens.
fn in_place_of(a: &[u32], b: &[u32]) -> RunKind {
    let pinyin = Pinyin::get();
    let sound_alike = || a.iter().map(|&unit| pinyin.sound(unit)).eq(b.iter().map(|&unit| pinyin.sound(unit)));
    match () {
        () if a == b => RunKind::Form,
        () if a.len() == b.len() && sound_alike() => RunKind::Homophones,
        () => RunKind::Replaced,
    }
}

fn is_space(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(char::is_whitespace)
}

struct Marker<'m> {
    a: &'m Tokens<'m>,
    b: &'m Tokens<'m>,
    /// End of the last run.
    at_a: usize,
    at_b: usize,
    runs: Vec<Run>,
}

impl Marker<'_> {
    fn push(&mut self, kind: RunKind, end_a: usize, end_b: usize) {
        let (a, b) = (self.at_a..end_a, self.at_b..end_b);
        (self.at_a, self.at_b) = (end_a, end_b);
        match self.runs.last_mut() {
            _ if a.is_empty() && b.is_empty() => {}
            Some(last) if last.kind == kind => (last.a.end, last.b.end) = (end_a, end_b),
            _ => self.runs.push(Run { kind, a, b }),
        }
    }

    fn mark(&mut self, kind: RunKind, a: Range<usize>, b: Range<usize>) {
        if kind == RunKind::Deleted && self.a.goes_with_signs_before(&a, self.b, b.start) {
            return self.push(kind, self.a.signs_before(a.end).start, self.at_b);
        }
        if kind == RunKind::Inserted && self.b.goes_with_signs_before(&b, self.a, a.start) {
            return self.push(kind, self.at_a, self.b.signs_before(b.end).start);
        }
        self.signs(a.start, b.start);
        match kind {
            RunKind::Deleted => self.push(kind, self.a.signs_before(a.end).end, self.at_b),
            RunKind::Inserted => self.push(kind, self.at_a, self.b.signs_before(b.end).end),
            _ => {
                let (span_a, span_b) = (self.a.span(a.end - 1), self.b.span(b.end - 1));
                let is_other = self.a.written(&span_a) != self.b.written(&span_b);
                let kind = if kind == RunKind::Same && is_other { RunKind::Form } else { kind };
                self.push(kind, span_a.end, span_b.end);
            }
        }
    }

    /// Marks the signs before two tokens, unless they are already marked: their common prefix and suffix are unchanged,
    /// and the rest has another form.
    fn signs(&mut self, a: usize, b: usize) {
        let (signs_a, signs_b) = (self.a.signs_before(a), self.b.signs_before(b));
        let (signs_a, signs_b) = (self.at_a.max(signs_a.start)..signs_a.end, self.at_b.max(signs_b.start)..signs_b.end);
        let (own, other) = (self.a.text(&signs_a), self.b.text(&signs_b));
        let prefix = common_prefix(own, other);
        let suffix = common_suffix(&own[prefix..], &other[prefix..]);
        let (end_a, end_b) = (signs_a.end - suffix, signs_b.end - suffix);
        self.push(RunKind::Same, signs_a.start + prefix, signs_b.start + prefix);
        let kind = match (end_a - self.at_a, end_b - self.at_b) {
            (_, 0) => RunKind::Deleted,
            (0, _) => RunKind::Inserted,
            _ => RunKind::Form,
        };
        self.push(kind, end_a, end_b);
        self.push(RunKind::Same, signs_a.end, signs_b.end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold_to_string;

    fn code_points(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    fn counted(a: &[u32], b: &[u32]) -> Edits {
        let mut streams = [Stream::default(), Stream::default()];
        streams[0].read(Text::CodePoints(a));
        streams[1].read(Text::CodePoints(b));
        let [a, b] = streams.each_ref().map(|stream| Tokens::of(stream, 0..stream.units().len()));
        let mut edits = Edits::default();
        steps_between(&a, &b).iter().for_each(|step| edits.add(step.edits(&a, &b)));
        edits
    }

    proptest! {
        #[test]
        fn runs_fill_both_texts(a in "[在再这里甲，。 aAb\n\u{200b}𠮷]{0,40}", b in "[在再这里甲，。 aAb\n\u{200b}𠮷]{0,40}") {
            let (a, b) = (code_points(&a), code_points(&b));
            let (runs, edits) = (edit_runs(&a, &b), counted(&a, &b));
            let (mut end_a, mut end_b) = (0, 0);
            for run in &runs {
                prop_assert_eq!((run.a.start, run.b.start), (end_a, end_b));
                (end_a, end_b) = (run.a.end, run.b.end);
                prop_assert_eq!(run.a.is_empty(), run.kind == RunKind::Inserted);
                prop_assert_eq!(run.b.is_empty(), run.kind == RunKind::Deleted);
                if matches!(run.kind, RunKind::Same | RunKind::Form) {
                    prop_assert_eq!(fold_to_string(&a[run.a.clone()]), fold_to_string(&b[run.b.clone()]));
                }
            }
            prop_assert_eq!((end_a, end_b), (a.len(), b.len()));
            prop_assert!(runs.windows(2).all(|pair| pair[0].kind != pair[1].kind));
            let folded = |text: &[u32]| fold_to_string(text).chars().count() as u32;
            let of_kind = |kind: RunKind| runs.iter().filter(move |run| run.kind == kind);
            let Edits { matched, replaced, homophones, inserted, deleted } = edits;
            prop_assert_eq!((matched + replaced + deleted, matched + replaced + inserted), (folded(&a), folded(&b)));
            prop_assert_eq!(homophones, of_kind(RunKind::Homophones).map(|run| folded(&b[run.b.clone()])).sum::<u32>());
            prop_assert!(inserted >= of_kind(RunKind::Inserted).map(|run| folded(&b[run.b.clone()])).sum::<u32>());
            prop_assert!(deleted >= of_kind(RunKind::Deleted).map(|run| folded(&a[run.a.clone()])).sum::<u32>());
            if of_kind(RunKind::Replaced).next().is_none() {
                prop_assert_eq!(replaced, homophones);
            }
        }

        #[test]
        fn counts_are_those_of_the_marks(a in "[在再这里甲乙]{0,40}", b in "[在再这里甲乙]{0,40}") {
            let (a, b) = (code_points(&a), code_points(&b));
            let mut of_marks = Edits::default();
            for run in edit_runs(&a, &b) {
                let (from_a, from_b) = (run.a.len() as u32, run.b.len() as u32);
                let replaced = from_a.min(from_b);
                match run.kind {
                    RunKind::Same | RunKind::Form => of_marks.matched += from_b,
                    RunKind::Homophones => of_marks.homophones += replaced,
                    _ => {}
                }
                if !matches!(run.kind, RunKind::Same | RunKind::Form) {
                    of_marks.replaced += replaced;
                    of_marks.inserted += from_b - replaced;
                    of_marks.deleted += from_a - replaced;
                }
            }
            prop_assert_eq!(counted(&a, &b), of_marks);
        }
    }
}
