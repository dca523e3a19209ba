//! What a user did wrong, as the error that the Python package has for it.

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// An `InputError` with its cure.
pub fn input_error(py: Python<'_>, message: &str, cure: &str) -> PyErr {
    let error = || {
        let kind = py.import("whorl.errors")?.getattr("InputError")?;
        kind.call((message,), Some(&[("cure", cure)].into_py_dict(py)?))
    };
    error().map_or_else(|failure| failure, PyErr::from_value)
}
