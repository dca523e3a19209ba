//! Python bindings for packed texts.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use whorl_core::rows::packing;

use crate::texts::Texts;
use crate::threads::Compute;
use crate::unpacked::string_of;

/// Packs texts; see `whorl_core::rows::packing`.
#[pyfunction]
pub fn pack_texts<'py>(py: Python<'py>, texts: Texts) -> Vec<Bound<'py, PyBytes>> {
    let packed = py.compute(|| packing::pack(&texts));
    packed.iter().map(|packed| PyBytes::new(py, packed)).collect()
}

/// Unpacks texts; damaged ones become None.
#[pyfunction]
pub fn unpack_texts<'py>(py: Python<'py>, packed: Vec<PyBackedBytes>) -> PyResult<Vec<Option<Bound<'py, PyString>>>> {
    let unpacked = py.compute(|| packing::unpack(&packed));
    unpacked.into_iter().map(|text| text.map(|text| string_of(py, &text)).transpose()).collect()
}
