//! Strings of the tables of a run: ids, files and labels of its documents.

use std::ops::Range;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::buffer::Buffer;
use crate::threads::Compute;

/// n concatenated strings.
#[pyclass(frozen)]
pub struct Strings {
    values: Vec<u8>,
    bounds: Vec<i64>,
}

impl Strings {
    fn with_capacity(strings: usize) -> Self {
        let mut bounds = Vec::with_capacity(strings + 1);
        bounds.push(0);
        Self { values: Vec::new(), bounds }
    }

    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    fn get(&self, row: u32) -> &[u8] {
        let row = row as usize;
        &self.values[self.bounds[row] as usize..self.bounds[row + 1] as usize]
    }

    fn push(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.values.extend_from_slice(part));
        self.bounds.push(self.values.len() as i64);
    }

    fn demand(&self, rows: &[u32]) -> PyResult<()> {
        match rows.iter().find(|&&row| row as usize >= self.len()) {
            Some(row) => Err(PyIndexError::new_err(format!("there is no string {row}"))),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl Strings {
    /// String i is `values[bounds[i]..bounds[i + 1]]`.
    #[new]
    fn new(py: Python<'_>, values: PyBuffer<u8>, bounds: PyBuffer<i64>) -> PyResult<Self> {
        let (values, bounds) = (values.to_vec(py)?, bounds.to_vec(py)?);
        let all = Range { start: 0, end: values.len() as i64 + 1 };
        if bounds.is_empty() || !bounds.is_sorted() || !bounds.iter().all(|bound| all.contains(bound)) {
            return Err(PyValueError::new_err("the bounds must ascend and lie within the values"));
        }
        Ok(Self { values, bounds })
    }

    /// Returns the string of a row.
    fn __getitem__(&self, row: u32) -> PyResult<&str> {
        self.demand(&[row])?;
        str::from_utf8(self.get(row)).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the bytes and the bounds of the strings in some rows.
    fn take(&self, py: Python<'_>, rows: PyBuffer<u32>) -> PyResult<(Buffer, Buffer)> {
        let rows = rows.to_vec(py)?;
        self.demand(&rows)?;
        let chosen = py.compute(|| {
            let mut chosen = Self::with_capacity(rows.len());
            rows.iter().for_each(|&row| chosen.push(&[self.get(row)]));
            chosen
        });
        Ok((Buffer::new(chosen.values), Buffer::of(&chosen.bounds, i64::to_le_bytes)))
    }

    /// Returns the labels of documents whose ids these strings are: the id, or `file:row` where `placed` is not 0.
    fn labels(
        &self,
        py: Python<'_>,
        placed: PyBuffer<u8>,
        files: &Self,
        file: PyBuffer<u32>,
        row: PyBuffer<i64>,
    ) -> PyResult<Self> {
        let (placed, file, row) = (placed.to_vec(py)?, file.to_vec(py)?, row.to_vec(py)?);
        if [placed.len(), file.len(), row.len()] != [self.len(); 3] {
            return Err(PyValueError::new_err("the columns must have a row for each document"));
        }
        files.demand(&file)?;
        Ok(py.compute(|| {
            let mut labels = Self::with_capacity(self.len());
            for (document, (&placed, (&file, &row))) in placed.iter().zip(file.iter().zip(&row)).enumerate() {
                match placed {
                    0 => labels.push(&[self.get(document as u32)]),
                    _ => labels.push(&[files.get(file), b":", row.to_string().as_bytes()]),
                }
            }
            labels
        }))
    }
}
