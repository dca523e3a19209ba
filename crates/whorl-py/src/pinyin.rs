//! Pinyin, granules of it, and look-alikes for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use whorl_core::fingerprint::fingerprint;
use whorl_core::fingerprint::granule::{self, LETTERS, Normalisation, Rule, SoughtGranules};
use whorl_core::text::Text;
use whorl_core::{text::look_alike, text::pinyin};

use crate::buffer::Buffer;
use crate::fingerprints::{FingerprintBuffers, buffers};
use crate::texts::{Texts, code_points};
use crate::threads::Compute;

/// The folded text with every Han character as its toneless syllable; tokens are separated by a space.
#[pyfunction]
pub fn pinyin_fold(text: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(pinyin::pinyin_fold(code_points(text)?.as_slice()))
}

/// The syllable and the offset of every Han character of a text.
#[pyfunction]
pub fn pinyin_readings(text: &Bound<'_, PyString>) -> PyResult<Vec<(&'static str, usize)>> {
    let readings = pinyin::readings(code_points(text)?.as_slice());
    Ok(readings.into_iter().map(|reading| (reading.syllable, reading.offset)).collect())
}

/// The initial letters of the syllables of the Han characters of a text, by word or each by itself.
#[pyfunction]
pub fn pinyin_initials(text: &Bound<'_, PyString>, by_word: bool) -> PyResult<String> {
    Ok(pinyin::initials(code_points(text)?.as_slice(), by_word))
}

/// The code points of a text with its look-alikes put back, and how many there were.
#[pyfunction]
pub fn undo_look_alikes(text: &Bound<'_, PyString>) -> PyResult<(Buffer, usize)> {
    let mut code_points = code_points(text)?;
    let count = look_alike::undo(&mut code_points);
    Ok((Buffer::of(&code_points, u32::to_le_bytes), count))
}

/// The rule of the family `pinyin`, ready to be applied.
#[pyclass(frozen)]
pub struct Granules(granule::Granules);

#[pymethods]
impl Granules {
    #[new]
    fn new(
        granule: usize,
        step: usize,
        bins: u8,
        hits: usize,
        normalisation: &str,
        keep_others: bool,
        reference: [f64; LETTERS],
    ) -> PyResult<Self> {
        let normalisation = match normalisation {
            "zscore" => Normalisation::ZScore,
            "minmax" => Normalisation::MinMax,
            "quantile" => Normalisation::Quantile,
            other => return Err(PyValueError::new_err(format!("there is no normalisation {other:?}"))),
        };
        let rule = Rule { granule, step, bins, hits, normalisation, keep_others, reference };
        Ok(Self(granule::Granules::new(rule)))
    }

    /// Fingerprints of the family.
    fn fingerprint(&self, py: Python<'_>, texts: Texts) -> FingerprintBuffers {
        buffers(py.compute(|| fingerprint(&texts, &self.0)))
    }

    /// The digits of every granule of a text, a byte each.
    fn digits(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Buffer> {
        let text = code_points(text)?;
        Ok(Buffer::new(py.compute(|| self.0.digits(Text::CodePoints(&text)))))
    }

    /// The keys by which each text is looked up where it may be cut out of another, `u64`, and how many each has, `u32`.
    fn sought(&self, py: Python<'_>, texts: Texts) -> (Buffer, Buffer) {
        let found = py.compute(|| fingerprint(&texts, &SoughtGranules(&self.0)));
        (Buffer::of(&found.keys, u64::to_le_bytes), Buffer::of(&found.counts, u32::to_le_bytes))
    }

    /// The keys to look a text up by, `u64`.
    fn query(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        step: usize,
        pieces: usize,
        probes: usize,
    ) -> PyResult<Buffer> {
        let text = code_points(text)?;
        let keys = py.compute(|| self.0.query(Text::CodePoints(&text), step, pieces, probes));
        Ok(Buffer::of(&keys, u64::to_le_bytes))
    }
}
