//! Python bindings for the contamination of documents by items of benchmarks.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::judge::contamination::{self, Field, Hit, Index, Part};
use whorl_core::text::TextBlock;

use crate::texts::Texts;
use crate::threads::Compute;

/// Items of benchmarks, indexed for finding them in documents.
#[pyclass(frozen)]
pub struct ContaminationIndex(Index);

#[pymethods]
impl ContaminationIndex {
    /// `items` has the item of each text, ascending from 0; `fields` what the text is to it: "question", "choice",
    /// "answer" or "passage".
    #[new]
    fn new(py: Python<'_>, texts: Texts, items: Vec<u32>, fields: Vec<String>) -> PyResult<Self> {
        if items.len() != texts.len() || fields.len() != texts.len() || !items.is_sorted() {
            return Err(PyValueError::new_err("each text needs an item, in order, and a field"));
        }
        let field = |name: &String| match name.as_str() {
            "question" => Ok(Field::Question),
            "choice" => Ok(Field::Choice),
            "answer" => Ok(Field::Answer),
            "passage" => Ok(Field::Passage),
            other => Err(PyValueError::new_err(format!("no field is called {other}"))),
        };
        let fields = fields.iter().map(field).collect::<PyResult<Vec<_>>>()?;
        let parts = items.into_iter().zip(fields).map(|(item, field)| Part { item, field }).collect();
        Ok(Self(py.compute(|| Index::new(&texts, parts))))
    }

    /// Number of items.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Number of questions that are too short to be found without their choices.
    #[getter]
    fn too_short(&self) -> usize {
        self.0.too_short()
    }

    /// Returns the hits in a block of documents, by document and position.
    fn scan(&self, py: Python<'_>, texts: Texts) -> Vec<ContaminationHit> {
        let hits = py.compute(|| contamination::scan(&self.0, &texts));
        let of_document =
            |(document, hits): (usize, Vec<Hit>)| hits.into_iter().map(move |hit| ContaminationHit::new(document, hit));
        hits.into_iter().enumerate().flat_map(of_document).collect()
    }
}

/// An item, or a part of it, in a document.
#[pyclass(frozen, get_all)]
pub struct ContaminationHit {
    document: usize,
    item: u32,
    part: u32,
    reason: &'static str,
    span: (usize, usize),
    extent: (usize, usize),
    part_span: (usize, usize),
    question: f64,
    choices: Option<f64>,
    answer: Option<f64>,
    passage: Option<f64>,
    asks: bool,
    units: u32,
    gaps: u64,
    fillers: u64,
}

impl ContaminationHit {
    fn new(document: usize, hit: Hit) -> Self {
        Self {
            document,
            item: hit.item,
            part: hit.part,
            reason: hit.reason.name(),
            span: (hit.document.start, hit.document.end),
            extent: (hit.extent.start, hit.extent.end),
            part_span: (hit.of_part.start, hit.of_part.end),
            question: hit.question,
            choices: hit.choices,
            answer: hit.answer,
            passage: hit.passage,
            asks: hit.asks,
            units: hit.units,
            gaps: hit.gaps,
            fillers: hit.fillers,
        }
    }
}
