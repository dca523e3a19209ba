//! Python bindings for the texts of a class: their paratext, and the nomination of pairs.

use std::ops::Range;

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::judge::boilerplate;
use whorl_core::judge::pairing::{Request, nominate};
use whorl_core::text::{TextBlock, paratext};

use crate::boilerplate::Boilerplate;
use crate::buffer::Buffer;
use crate::texts::Texts;
use crate::threads::Compute;

/// A form: its first document, its range there, and the number of documents that contain it.
type FormRow = (u32, usize, usize, u32);

/// Finds the pairs of texts that may share a passage. Returns them as u32 numbers, the lower text first; the learned
/// forms; and these as boilerplate.
///
/// `fresh` selects the texts whose pairs are wanted. Ranges in `excluded` and runs in `learned` do not nominate. With a
/// `limit`, runs that more fresh texts contain are learned as forms.
#[pyfunction]
#[pyo3(signature = (texts, fresh, excluded, learned, min_letters, limit))]
pub fn nominated_pairs(
    py: Python<'_>,
    texts: Texts,
    fresh: Vec<bool>,
    excluded: Vec<Vec<(usize, usize)>>,
    learned: Option<Py<Boilerplate>>,
    min_letters: u32,
    limit: Option<usize>,
) -> (Buffer, Vec<FormRow>, Boilerplate) {
    let ranges = |spans: Vec<(usize, usize)>| spans.into_iter().map(|(start, end)| start..end).collect();
    let excluded: Vec<Vec<Range<usize>>> = excluded.into_iter().map(ranges).collect();
    let none = boilerplate::Boilerplate::default();
    let boilerplate = learned.as_ref().map_or(&none, |learned| &learned.get().0);
    let nominations = py
        .compute(|| nominate(&texts, &Request { fresh: &fresh, excluded: &excluded, boilerplate, min_letters, limit }));
    let numbers: Vec<u32> = nominations.pairs.into_iter().flat_map(|(a, b)| [a, b]).collect();
    let row = |form: whorl_core::judge::forms::Form| (form.document, form.range.start, form.range.end, form.documents);
    (
        Buffer::of(&numbers, u32::to_le_bytes),
        nominations.forms.into_iter().map(row).collect(),
        Boilerplate(boilerplate::Boilerplate::of_runs(nominations.runs)),
    )
}

/// Returns the covers, declarations, tables of contents and lists of references of each text, as code-point ranges with
/// their kind.
#[pyfunction]
pub fn paratexts(py: Python<'_>, texts: Texts) -> Vec<Vec<(&'static str, usize, usize)>> {
    let of_text = |text: &[u32]| {
        let parts = paratext::parts(text).into_iter();
        let references = paratext::references(text).into_iter().map(|range| ("references", range.start, range.end));
        parts.map(|(part, range)| (part.name(), range.start, range.end)).chain(references).collect()
    };
    py.compute(|| (0..texts.len()).into_par_iter().map(|number| texts.with_code_points(number, of_text)).collect())
}
