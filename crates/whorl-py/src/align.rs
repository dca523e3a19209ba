//! Comparisons for Python.

use std::ops::Range;

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::Passage;
use whorl_core::align::pair::{Given, Judge, Judgement, LeaveOut, Share, Side};

use crate::texts::Texts;

type PassageRow = (usize, usize, usize, usize, f64, &'static str, bool, [u32; 7]);
type SideRow = (u32, u32, u32, u32, u32, u32, bool, Vec<(&'static str, usize, usize)>);
/// Shingles, identical, passages, dropped passages, title, byline, first text, second text.
type Row = ([u32; 3], bool, Vec<PassageRow>, Vec<(&'static str, u32)>, Option<bool>, bool, SideRow, SideRow);

/// Texts to be compared, and what is left out of them.
#[pyclass(frozen)]
pub struct Comparer {
    texts: Texts,
    boilerplate: Vec<Vec<Range<usize>>>,
    leave_out: LeaveOut,
}

#[pymethods]
impl Comparer {
    /// `boilerplate` has the ranges of each text that are some, or no entry for any.
    #[new]
    fn new(
        texts: Texts,
        boilerplate: Vec<Vec<(usize, usize)>>,
        quotations: bool,
        references: bool,
        least: u32,
    ) -> Self {
        let ranges = |spans: Vec<(usize, usize)>| spans.into_iter().map(|(start, end)| start..end).collect();
        let boilerplate = boilerplate.into_iter().map(ranges).collect();
        Self { texts, boilerplate, leave_out: LeaveOut { quotations, references, least } }
    }

    /// Judges pairs of texts, given by their numbers, in parallel.
    fn pairs(&self, py: Python<'_>, pairs: Vec<(usize, usize)>) -> Vec<Row> {
        let judge = |judge: &mut Judge, &(a, b): &(usize, usize)| self.row(judge, a, b, &[]);
        py.detach(|| match pairs.as_slice() {
            [pair] => vec![judge(&mut Judge::default(), pair)],
            pairs => pairs.par_iter().map_init(Judge::default, judge).collect(),
        })
    }

    /// Judges one text beside each of others in turn; what one gives to it is taken for the next.
    fn in_turn(&self, py: Python<'_>, sources: Vec<usize>, text: usize) -> Vec<Row> {
        py.detach(|| {
            let (mut judge, mut taken) = (Judge::default(), Vec::new());
            let one = |source: usize| {
                let row = self.row(&mut judge, source, text, &taken);
                taken.resize(judge.b.covered().len(), false);
                taken.iter_mut().zip(judge.b.covered()).for_each(|(taken, &covered)| *taken |= covered);
                row
            };
            sources.into_iter().map(one).collect()
        })
    }
}

impl Comparer {
    fn row(&self, judge: &mut Judge, a: usize, b: usize, taken: &[bool]) -> Row {
        let judgement = self.texts.with_code_points(a, |text_a| {
            self.texts.with_code_points(b, |text_b| {
                judge.judge(self.given(a, text_a), self.given(b, text_b), self.leave_out, taken)
            })
        });
        let Judgement { shingles, identical, passages, dropped, shares, own_words, title, byline } = judgement;
        let [first, second] = [0, 1].map(|at| side([&judge.a, &judge.b][at], shares[at], own_words[at]));
        (shingles, identical, passages.into_iter().map(passage).collect(), dropped, title, byline, first, second)
    }

    fn given<'t>(&'t self, number: usize, text: &'t [u32]) -> Given<'t> {
        Given { text, boilerplate: self.boilerplate.get(number).map_or(&[], Vec::as_slice) }
    }
}

fn passage(passage: Passage) -> PassageRow {
    let (Range { start: a_start, end: a_end }, Range { start: b_start, end: b_end }) = (passage.a, passage.b);
    let (edits, change) = (passage.edits, passage.change);
    let counts =
        [edits.matched, edits.replaced, edits.homophones, edits.inserted, edits.deleted, change.script, change.noise];
    (a_start, a_end, b_start, b_end, edits.similarity(), change.kind.name(), passage.moved, counts)
}

fn side(side: &Side, share: Share, own_words: Share) -> SideRow {
    let roles = side.roles.iter().map(|(role, range)| (role.name(), range.start, range.end)).collect();
    let (counted, covered) = (own_words.counted, own_words.covered);
    (share.counted, share.covered, counted, covered, side.hidden, side.look_alikes, side.dense, roles)
}
