//! Comparisons for Python.

use std::ops::Range;

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::Passage;
use whorl_core::align::pair::{Judge, Judgement, LeaveOut, Share, Side};

use crate::texts::Texts;

type PassageRow = (usize, usize, usize, usize, f64, &'static str, bool, [u32; 7]);
type SideRow = (u32, u32, u32, u32, u32, u32, bool, Vec<(&'static str, usize, usize)>);
/// Shingles, identical, passages, title, byline, first text, second text.
type Row = ([u32; 3], bool, Vec<PassageRow>, Option<bool>, bool, SideRow, SideRow);

/// Judges pairs of texts, given by their numbers, in parallel.
#[pyfunction]
pub fn compare(
    py: Python<'_>,
    texts: Texts,
    pairs: Vec<(usize, usize)>,
    quotations: bool,
    references: bool,
) -> Vec<Row> {
    let leave_out = LeaveOut { quotations, references };
    let judge = |judge: &mut Judge, &(a, b): &(usize, usize)| {
        texts.with_code_points(a, |a| texts.with_code_points(b, |b| row(judge, a, b, leave_out)))
    };
    py.detach(|| match pairs.as_slice() {
        [pair] => vec![judge(&mut Judge::default(), pair)],
        pairs => pairs.par_iter().map_init(Judge::default, judge).collect(),
    })
}

fn row(judge: &mut Judge, a: &[u32], b: &[u32], leave_out: LeaveOut) -> Row {
    let Judgement { shingles, identical, passages, shares, own_words, title, byline } = judge.judge(a, b, leave_out);
    let [first, second] = [0, 1].map(|at| side([&judge.a, &judge.b][at], shares[at], own_words[at]));
    (shingles, identical, passages.into_iter().map(passage).collect(), title, byline, first, second)
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
