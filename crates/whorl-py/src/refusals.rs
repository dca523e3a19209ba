//! Conversion of core errors to Python exceptions.

use std::io;
use std::path::PathBuf;

use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use whorl_core::index::segment_file::Refused;
use whorl_core::index::segments::AddFailed;
use whorl_files::{Failed, RowsFailed};

pyo3::create_exception!(whorl._core, RefusedFile, PyValueError, "A file or folder is not a valid index.");

/// Converts an error about an index file.
pub fn refused(refused: Refused) -> PyErr {
    RefusedFile::new_err(refused.to_string())
}

/// Converts an error about an index folder.
pub fn of_folder(failed: Failed) -> PyErr {
    match failed {
        Failed::File(path, error) => of_system(path, &error),
        Failed::Refused(..) => RefusedFile::new_err(failed.to_string()),
        Failed::Occupied(path) => PyFileExistsError::new_err(path),
        Failed::Foreign(..) => usage_error(&failed.to_string(), "save the index in a folder of its own, new or empty"),
    }
}

/// Converts an error about rows that were not added to an index.
pub fn not_added(failed: AddFailed) -> PyErr {
    match failed {
        AddFailed::Contradiction(why) => PyValueError::new_err(why),
        AddFailed::Refused(why) => refused(why),
    }
}

/// Converts an error about rows that cannot be reread.
pub fn of_rows(failed: RowsFailed) -> PyErr {
    match failed {
        RowsFailed::File(path, error) => of_system(path, &error),
        RowsFailed::Short(_) => input_error(&failed.to_string(), "leave the input alone, and start again"),
        RowsFailed::Changed(..) => PyValueError::new_err(failed.to_string()),
    }
}

/// Converts an error of the operating system about a file.
pub fn of_system(path: PathBuf, error: &io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), error.to_string(), path))
}

/// Creates an `InputError` with a hint.
pub fn input_error(message: &str, hint: &str) -> PyErr {
    error("InputError", message, hint)
}

/// Creates a `UsageError` with a hint.
pub fn usage_error(message: &str, hint: &str) -> PyErr {
    error("UsageError", message, hint)
}

fn error(kind: &str, message: &str, hint: &str) -> PyErr {
    Python::attach(|py| {
        let kind = py.import("whorl.errors")?.getattr(kind)?;
        kind.call((message,), Some(&[("hint", hint)].into_py_dict(py)?)).map(PyErr::from_value)
    })
    .unwrap_or_else(|failure| failure)
}
