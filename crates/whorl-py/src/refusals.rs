//! What a user did wrong, as the error that the Python package has for it.

use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// An `InputError` with its cure.
pub fn input_error(message: &str, cure: &str) -> PyErr {
    error("InputError", message, cure)
}

/// A `UsageError` with its cure.
pub fn usage_error(message: &str, cure: &str) -> PyErr {
    error("UsageError", message, cure)
}

fn error(kind: &str, message: &str, cure: &str) -> PyErr {
    Python::attach(|py| {
        let kind = py.import("whorl.errors")?.getattr(kind)?;
        kind.call((message,), Some(&[("cure", cure)].into_py_dict(py)?)).map(PyErr::from_value)
    })
    .unwrap_or_else(|failure| failure)
}
