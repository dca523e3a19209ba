//! Python bindings for sentences, segments, punctuation and bags.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use whorl_core::fingerprint::fingerprint;
use whorl_core::fingerprint::structure::{Bag, ByParts, Contexts, LongestSentences, Rule, Segments};
use whorl_core::text::Text;
use whorl_core::text::located::LocatedText;

use crate::fingerprints::{FingerprintBuffers, buffers};
use crate::texts::{Texts, code_points};
use crate::threads::Compute;

/// Fingerprints of the family `longest_sentence`.
#[pyfunction]
pub fn longest_sentence(
    py: Python<'_>,
    texts: Texts,
    count: usize,
    run: usize,
    min_length: usize,
    per_sentence: bool,
    min_shared: usize,
) -> FingerprintBuffers {
    let parts = LongestSentences { count, run, min_length, per_sentence, min_shared };
    buffers(py.compute(|| fingerprint(&texts, &ByParts(parts))))
}

/// Fingerprints of the family `segment`.
#[pyfunction]
pub fn segment(
    py: Python<'_>,
    texts: Texts,
    count: usize,
    rule: &str,
    min_length: usize,
    min_shared: usize,
) -> PyResult<FingerprintBuffers> {
    let parts = Segments { count, rule: rule_named(rule)?, min_length, min_shared };
    Ok(buffers(py.compute(|| fingerprint(&texts, &ByParts(parts)))))
}

/// Fingerprints of the family `punctuation`.
#[pyfunction]
pub fn punctuation(py: Python<'_>, texts: Texts, width: usize, sample: u64, min_shared: usize) -> FingerprintBuffers {
    buffers(py.compute(|| fingerprint(&texts, &ByParts(Contexts { width, sample, min_shared }))))
}

/// Fingerprints of the family `bag`.
#[pyfunction]
pub fn bag(py: Python<'_>, texts: Texts, min_length: usize) -> FingerprintBuffers {
    buffers(py.compute(|| fingerprint(&texts, &Bag { min_length })))
}

/// Returns the sentences of a text as code-point ranges.
#[pyfunction]
pub fn sentences(text: &Bound<'_, PyString>) -> PyResult<Vec<(usize, usize)>> {
    let ranges = whorl_core::text::sentence::sentences(&code_points(text)?);
    Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
}

/// Returns the segments of a text as code-point ranges; None for empty segments.
#[pyfunction]
pub fn segments(text: &Bound<'_, PyString>, count: usize, rule: &str) -> PyResult<Vec<Option<(usize, usize)>>> {
    let parts = Segments { count, rule: rule_named(rule)?, min_length: 0, min_shared: 1 };
    let located = located(text)?;
    let span = |tokens: std::ops::Range<usize>| (!tokens.is_empty()).then(|| located.span_of(tokens));
    let spans = parts.cut(&located).into_iter().map(span);
    Ok(spans.map(|span| span.map(|range| (range.start, range.end))).collect())
}

/// Returns the contexts of a text's punctuation marks as code-point ranges.
#[pyfunction]
pub fn punctuation_contexts(text: &Bound<'_, PyString>, width: usize) -> PyResult<Vec<(usize, usize)>> {
    let located = located(text)?;
    let contexts = Contexts { width, sample: 1, min_shared: 1 }.find(&located);
    let spans = contexts.into_iter().map(|tokens| located.span_of(tokens));
    Ok(spans.map(|range| (range.start, range.end)).collect())
}

fn located(text: &Bound<'_, PyString>) -> PyResult<LocatedText> {
    let mut located = LocatedText::default();
    located.read(Text::CodePoints(&code_points(text)?));
    Ok(located)
}

fn rule_named(name: &str) -> PyResult<Rule> {
    match name {
        "length" => Ok(Rule::Length),
        "sentence" => Ok(Rule::Sentence),
        "paragraph" => Ok(Rule::Paragraph),
        _ => Err(PyValueError::new_err(format!("no rule '{name}'"))),
    }
}
