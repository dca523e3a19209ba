//! Python bindings for exact similarity.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use whorl_core::judge::demand::{self, Kind};
use whorl_core::measure::features::{Features, Unit};
use whorl_core::text::Text;

use crate::texts::code_points;
use crate::threads::Compute;
use crate::words::Words;

/// A minimum similarity that two texts must reach.
#[pyclass(frozen)]
pub struct Demand(pub demand::Demand);

#[pymethods]
impl Demand {
    /// `part` is "whole", "title" or "text". `over` is "shingles" (of tokens), "code_points", or a word mode of
    /// `words`; a feature is `width` consecutive units.
    #[new]
    #[pyo3(signature = (measure, threshold, *, part, over, width, fold, words=None, hmm=true))]
    #[expect(clippy::too_many_arguments, reason = "the fields, by keyword")]
    fn new(
        measure: &str,
        threshold: f64,
        part: &str,
        over: &str,
        width: usize,
        fold: &str,
        words: Option<&Words>,
        hmm: bool,
    ) -> PyResult<Self> {
        let unit = match words {
            None if over == "code_points" => Unit::CodePoints,
            None => Unit::Tokens,
            Some(words) => Unit::Words {
                dictionary: Arc::clone(&words.0),
                mode: over.parse().map_err(PyValueError::new_err)?,
                hmm,
            },
        };
        let part = part.parse().map_err(PyValueError::new_err)?;
        let figure = match measure {
            "copied" => Kind::Copied(part),
            "content" => Kind::Content(part),
            _ => {
                let likeness = fold.parse().map_err(PyValueError::new_err)?;
                let measure = measure.parse().map_err(PyValueError::new_err)?;
                Kind::Features(measure, Features { part, unit, width, likeness })
            }
        };
        Ok(Self(demand::Demand { figure, threshold }))
    }

    /// Returns the shared count, the total count and the similarity of two texts, also below the threshold.
    /// `removable` is the text that may be removed.
    fn figure(
        &self,
        py: Python<'_>,
        removable: &Bound<'_, PyString>,
        other: &Bound<'_, PyString>,
    ) -> PyResult<(u32, u32, f64)> {
        let (removable, other) = (code_points(removable)?, code_points(other)?);
        let figure = py.compute(|| self.0.figure(Text::CodePoints(&removable), Text::CodePoints(&other)));
        Ok((figure.shared, figure.united, figure.similarity))
    }
}
