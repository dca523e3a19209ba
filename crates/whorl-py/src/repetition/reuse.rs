//! Python bindings for text reuse across a corpus. Results are columns, so that no row becomes a Python object.

use std::collections::HashMap;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::judge::reuse::clusters::{Side, clusters};
use whorl_core::judge::reuse::{Request, candidates};
use whorl_core::text::TextBlock;

use crate::align::Comparer;
use crate::buffer::Buffer;
use crate::texts::Texts;
use crate::threads::Compute;

/// Finds the pairs of texts that may share a passage. Returns them as u32 numbers, the lower text first; equal runs as
/// both texts, both ranges and the matched length, if `min_letters` is below that of passages; and the number of hot
/// k-grams.
#[pyfunction]
pub fn reuse_candidates(
    py: Python<'_>,
    texts: Texts,
    groups: Vec<u32>,
    min_letters: u32,
    hot: usize,
    noisy: bool,
) -> (Buffer, Buffer, usize) {
    let nominated = py.compute(|| candidates(&texts, &Request { groups: &groups, min_letters, hot, noisy }));
    let pairs: Vec<u32> = nominated.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let run = |run: &whorl_core::judge::reuse::Run| {
        [run.a, run.b, run.of_a.0, run.of_a.1, run.of_b.0, run.of_b.1, run.matched]
    };
    let runs: Vec<u32> = nominated.runs.iter().flat_map(run).collect();
    (Buffer::of(&pairs, u32::to_le_bytes), Buffer::of(&runs, u32::to_le_bytes), nominated.hot)
}

/// Columns of compared pairs and of their passages.
#[pyclass(frozen, get_all)]
pub struct ReusedPassages {
    /// Names of relations, kinds and directions, to which the codes refer.
    names: Vec<&'static str>,
    /// For each pair: relation and direction as u32 codes, number of passages.
    pairs: Py<Buffer>,
    /// For each pair: copied and reworded shares of the first text, of the second, and the confidence, as f64.
    shares: Py<Buffer>,
    /// For each passage: pair, both ranges, matched, replaced, homophones, inserted, deleted, in the other script, noise,
    /// kind, moved, as u32.
    passages: Py<Buffer>,
    /// For each passage: similarity, as f64.
    similarities: Py<Buffer>,
}

/// Codes of names in order of their first use.
#[derive(Default)]
struct Names {
    names: Vec<&'static str>,
    codes: HashMap<&'static str, u32>,
}

impl Names {
    fn code(&mut self, name: &'static str) -> u32 {
        *self.codes.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }
}

/// Compares pairs of texts, two numbers each, and returns their passages as columns. With `content`, sentences are
/// aligned by their content where texts have hardly a passage in common.
#[pyfunction]
#[pyo3(signature = (comparer, pairs, content = false))]
pub fn reused_passages(
    py: Python<'_>,
    comparer: &Comparer,
    pairs: PyBuffer<u32>,
    content: bool,
) -> PyResult<ReusedPassages> {
    let numbers = pairs.to_vec(py)?;
    let pairs: Vec<(usize, usize)> = numbers.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1] as usize)).collect();
    let all_judged = py.compute(|| comparer.judge_by_script(&pairs, content));
    let mut names = Names::default();
    let (mut of_pairs, mut shares, mut passages, mut similarities) = (vec![], vec![], vec![], vec![]);
    for (number, judged) in all_judged.iter().enumerate() {
        let relation = names.code(judged.relation());
        let direction = names.code(judged.direction().unwrap_or(""));
        of_pairs.extend([relation, direction, judged.passages().len() as u32]);
        shares.extend(judged.shares());
        for passage in judged.passages() {
            let (range, edits, similarity, kind, moved) = passage.columns();
            passages.push(number as u32);
            passages.extend(range);
            passages.extend(edits);
            passages.extend([names.code(kind), u32::from(moved)]);
            similarities.push(similarity);
        }
    }
    let numbers = |values: &[u32]| Py::new(py, Buffer::of(values, u32::to_le_bytes));
    let floats = |values: &[f64]| Py::new(py, Buffer::of(values, f64::to_le_bytes));
    Ok(ReusedPassages {
        names: names.names,
        pairs: numbers(&of_pairs)?,
        shares: floats(&shares)?,
        passages: numbers(&passages)?,
        similarities: floats(&similarities)?,
    })
}

/// Joins passages that share places into clusters. `sides` has both texts with their ranges: six u32 a passage. Returns
/// the cluster of each passage; and text, range and cluster of each place, ordered by cluster and text.
#[pyfunction]
pub fn passage_clusters(py: Python<'_>, sides: PyBuffer<u32>) -> PyResult<(Buffer, Buffer)> {
    let numbers = sides.to_vec(py)?;
    let side = |side: &[u32]| (side[0], side[1], side[2]);
    let sides: Vec<(Side, Side)> = numbers.chunks_exact(6).map(|row| (side(&row[..3]), side(&row[3..]))).collect();
    let grouped = py.compute(|| clusters(&sides));
    let place = |place: &whorl_core::judge::reuse::clusters::Place| {
        [place.document, place.range.start, place.range.end, place.cluster]
    };
    let places: Vec<u32> = grouped.places.iter().flat_map(place).collect();
    Ok((Buffer::of(&grouped.of_passages, u32::to_le_bytes), Buffer::of(&places, u32::to_le_bytes)))
}

/// Copies ranges of texts, which count code points, as UTF-8. Returns the bytes and their bounds as i64.
#[pyfunction]
pub fn text_slices(
    py: Python<'_>,
    texts: Texts,
    numbers: PyBuffer<u32>,
    starts: PyBuffer<u32>,
    ends: PyBuffer<u32>,
) -> PyResult<(Buffer, Buffer)> {
    let (numbers, starts, ends) = (numbers.to_vec(py)?, starts.to_vec(py)?, ends.to_vec(py)?);
    let is_sound = starts.len() == numbers.len()
        && ends.len() == numbers.len()
        && numbers.iter().all(|&number| (number as usize) < texts.len());
    if !is_sound {
        return Err(PyIndexError::new_err("a range has no text"));
    }
    let slices: Vec<String> = py.compute(|| {
        let slice = |at: usize| {
            let (start, end) = (starts[at] as usize, ends[at] as usize);
            texts.with_text(numbers[at] as usize, |text| text.characters(start..end))
        };
        (0..numbers.len()).into_par_iter().with_min_len(1024).map(slice).collect()
    });
    let mut bounds = Vec::with_capacity(slices.len() + 1);
    bounds.push(0i64);
    slices.iter().for_each(|slice| bounds.push(bounds[bounds.len() - 1] + slice.len() as i64));
    Ok((Buffer::new(slices.concat().into_bytes()), Buffer::of(&bounds, i64::to_le_bytes)))
}
