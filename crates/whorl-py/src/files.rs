//! Texts reread from their input files.

use std::path::PathBuf;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::text::Text;
use whorl_files::RowFiles;

use crate::refusals;
use crate::rows::{RowColumns, encoding_named};
use crate::threads::Compute;

/// Copies rows of one file, given as byte ranges including newlines, to a new file. Returns the number of rows.
///
/// The last range may end one byte past the file because its newline may be missing. Raises `InputError` if a row no
/// longer exists.
#[pyfunction]
pub fn copy_ranges(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    starts: PyBuffer<u64>,
    ends: PyBuffer<u64>,
) -> PyResult<usize> {
    let ranges: Vec<(u64, u64)> = starts.to_vec(py)?.into_iter().zip(ends.to_vec(py)?).collect();
    py.compute(|| whorl_files::copy_ranges(&source, &target, &ranges)).map_err(refusals::of_rows)
}

/// Flushes files to disk, several at the same time. Raises `OSError` if one cannot be flushed; others may have been.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "pyo3 extracts owned paths")]
pub fn sync_files(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<()> {
    py.detach(|| whorl_files::sync_files(&paths)).map_err(|(path, error)| refusals::of_system(path, &error))
}

/// Locations of the texts of documents: rows of JSON Lines files, or UTF-8 in a side file.
#[pyclass(frozen)]
pub struct FileTexts(RowFiles);

#[pymethods]
impl FileTexts {
    /// `files` are paths with the encoding of their rows, or None for plain UTF-8 text.
    #[new]
    fn new(
        py: Python<'_>,
        files: Vec<(PathBuf, Option<String>)>,
        columns: &RowColumns,
        file_of: PyBuffer<u32>,
        offsets: PyBuffer<u64>,
        lengths: PyBuffer<u32>,
    ) -> PyResult<Self> {
        let files = files
            .into_iter()
            .map(|(path, encoding)| Ok((path, encoding.map(|name| encoding_named(&name)).transpose()?)))
            .collect::<PyResult<_>>()?;
        Ok(Self(RowFiles {
            files,
            columns: columns.0.clone(),
            file_of: file_of.to_vec(py)?,
            offsets: offsets.to_vec(py)?,
            lengths: lengths.to_vec(py)?,
        }))
    }

    /// Reads the text of one document.
    fn text(&self, document: u32) -> PyResult<String> {
        self.0.text(document).map_err(refusals::of_rows)
    }
}

impl TextSource for FileTexts {
    type Error = PyErr;

    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), PyErr> {
        self.0.read(documents, on_text).map_err(refusals::of_rows)
    }
}
