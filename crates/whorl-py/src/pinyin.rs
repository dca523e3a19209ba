//! Python bindings for pinyin, pinyin granules and look-alikes.

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

/// Folds a text and replaces every Han character with its toneless syllable; tokens are separated by a space.
#[pyfunction]
pub fn pinyin_fold(text: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(pinyin::pinyin_fold(code_points(text)?.as_slice()))
}

/// Returns the syllable and the offset of every Han character of a text.
#[pyfunction]
pub fn pinyin_readings(text: &Bound<'_, PyString>) -> PyResult<Vec<(&'static str, usize)>> {
    let readings = pinyin::readings(code_points(text)?.as_slice());
    Ok(readings.into_iter().map(|reading| (reading.syllable, reading.offset)).collect())
}

/// Returns the initial letters of the syllables of a text's Han characters, by word or by character.
#[pyfunction]
pub fn pinyin_initials(text: &Bound<'_, PyString>, by_word: bool) -> PyResult<String> {
    Ok(pinyin::initials(code_points(text)?.as_slice(), by_word))
}

/// Restores the characters replaced by look-alikes. Returns the code points and the number of replacements.
#[pyfunction]
pub fn undo_look_alikes(text: &Bound<'_, PyString>) -> PyResult<(Buffer, usize)> {
    let mut code_points = code_points(text)?;
    let count = look_alike::undo(&mut code_points);
    Ok((Buffer::of(&code_points, u32::to_le_bytes), count))
}

/// The prepared rule of the family `pinyin`.
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

    /// Fingerprints of the family `pinyin`.
    fn fingerprint(&self, py: Python<'_>, texts: Texts) -> FingerprintBuffers {
        buffers(py.compute(|| fingerprint(&texts, &self.0)))
    }

    /// Returns the digits of every granule of a text, one byte each.
    fn digits(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Buffer> {
        let text = code_points(text)?;
        Ok(Buffer::new(py.compute(|| self.0.digits(Text::CodePoints(&text)))))
    }

    /// Returns the `u64` lookup keys of each text for finding it as an excerpt, and the `u32` number of keys of each.
    fn sought(&self, py: Python<'_>, texts: Texts) -> (Buffer, Buffer) {
        let sought_keys = py.compute(|| fingerprint(&texts, &SoughtGranules(&self.0)));
        (Buffer::of(&sought_keys.keys, u64::to_le_bytes), Buffer::of(&sought_keys.counts, u32::to_le_bytes))
    }

    /// Returns the `u64` keys to look a text up by.
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
