//! Packed texts for Python.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use whorl_core::rows::packing;

use crate::texts::Texts;
use crate::threads::Compute;

/// Packs texts; see `whorl_core::rows::packing`.
#[pyfunction]
pub fn pack_texts<'py>(py: Python<'py>, texts: Texts) -> Vec<Bound<'py, PyBytes>> {
    let packed = py.compute(|| packing::pack(&texts));
    packed.iter().map(|packed| PyBytes::new(py, packed)).collect()
}

/// The texts that were packed; None for those that are damaged.
#[pyfunction]
pub fn unpack_texts<'py>(py: Python<'py>, packed: Vec<PyBackedBytes>) -> PyResult<Vec<Option<Bound<'py, PyString>>>> {
    let unpacked = py.compute(|| packing::unpack(&packed));
    unpacked.into_iter().map(|text| text.map(|text| string_of(py, &text)).transpose()).collect()
}

/// The `str` of code points, lone surrogates included.
fn string_of<'py>(py: Python<'py>, code_points: &[u32]) -> PyResult<Bound<'py, PyString>> {
    const ORDER: u32 = 0xFEFF;
    let bytes = PyBytes::new_with(py, 4 * (code_points.len() + 1), |bytes| {
        let units = bytes.chunks_exact_mut(4).zip([&ORDER].into_iter().chain(code_points));
        units.for_each(|(unit, code_point)| unit.copy_from_slice(&code_point.to_ne_bytes()));
        Ok(())
    })?;
    PyString::from_encoded_object(&bytes, Some(c"utf-32"), Some(c"surrogatepass"))
}
