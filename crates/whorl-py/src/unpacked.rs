//! Texts that are unpacked for Rust, which Python may read too.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use whorl_core::rows::packing;

use crate::threads::Compute;

/// Unpacked texts, which Rust reads in place without the GIL. In Python they are a sequence of `str`.
#[pyclass(frozen, sequence)]
pub struct UnpackedTexts(pub Arc<Vec<Vec<u32>>>);

#[pymethods]
impl UnpackedTexts {
    /// Unpacks texts; a missing text becomes the empty text.
    ///
    /// # Errors
    /// A packed text is damaged.
    #[new]
    fn new(py: Python<'_>, packed: Vec<Option<PyBackedBytes>>) -> PyResult<Self> {
        let unpacked = py.compute(|| {
            let mut unpacked = packing::unpack(&packed.iter().flatten().collect::<Vec<_>>()).into_iter();
            let of = |packed_text: &Option<PyBackedBytes>| {
                if packed_text.is_some() { unpacked.next()? } else { Some(Vec::new()) }
            };
            packed.iter().map(of).collect::<Option<Vec<_>>>()
        });
        Ok(Self(Arc::new(unpacked.ok_or_else(|| PyValueError::new_err("a text is damaged"))?)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyString>> {
        string_of(py, self.0.get(index).ok_or_else(|| PyIndexError::new_err("there are not so many texts"))?)
    }
}

/// Creates a `str` from code points, lone surrogates included.
pub fn string_of<'py>(py: Python<'py>, code_points: &[u32]) -> PyResult<Bound<'py, PyString>> {
    const ORDER: u32 = 0xFEFF;
    let bytes = PyBytes::new_with(py, 4 * (code_points.len() + 1), |bytes| {
        let units = bytes.chunks_exact_mut(4).zip([&ORDER].into_iter().chain(code_points));
        units.for_each(|(unit, code_point)| unit.copy_from_slice(&code_point.to_ne_bytes()));
        Ok(())
    })?;
    PyString::from_encoded_object(&bytes, Some(c"utf-32"), Some(c"surrogatepass"))
}
