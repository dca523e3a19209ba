//! Python bindings for rows of JSON Lines.

use encoding_rs::Encoding;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use whorl_core::rows::{encoding, json_values, jsonl, order, time};

use crate::buffer::Buffer;
use crate::threads::Compute;

/// The columns to read from each row.
#[pyclass(frozen)]
pub struct RowColumns(pub jsonl::Columns);

#[pymethods]
impl RowColumns {
    #[new]
    #[pyo3(signature = (texts, id=None, order=None, dates=Vec::new()))]
    fn new(texts: Vec<String>, id: Option<&str>, order: Option<&str>, dates: Vec<String>) -> Self {
        Self(jsonl::Columns::new(&texts, id, order).with_dates(dates))
    }
}

pub fn encoding_named(name: &str) -> PyResult<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| PyValueError::new_err(format!("unknown encoding '{name}'")))
}

/// Reads the rows of a block of whole lines; see `whorl_core::rows::jsonl::scan`.
#[pyfunction]
pub fn scan_jsonl<'py>(
    py: Python<'py>,
    block: &[u8],
    columns: &RowColumns,
    encoding: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let encoding = encoding_named(encoding)?;
    let scan = py.compute(|| jsonl::scan(block, &columns.0, encoding));
    let positions = |values: &[usize]| Buffer::of(values, |value| (value as i64).to_le_bytes());
    let has_id: Vec<u8> = scan.has_id.iter().map(|&has| has.into()).collect();
    let rejected: Vec<(usize, usize, usize, String, bool)> = scan
        .rejected
        .into_iter()
        .map(|row| (row.line, row.bytes.start, row.bytes.end, row.reason, row.lacks_text))
        .collect();
    let result = PyDict::new(py);
    result.set_item("texts", Buffer::new(scan.texts.bytes))?;
    result.set_item("text_bounds", Buffer::of(&scan.texts.bounds, i64::to_le_bytes))?;
    result.set_item("ids", Buffer::new(scan.ids.bytes))?;
    result.set_item("id_bounds", Buffer::of(&scan.ids.bounds, i64::to_le_bytes))?;
    result.set_item("has_id", Buffer::new(has_id))?;
    result.set_item("orders", Buffer::of(&scan.orders, f64::to_le_bytes))?;
    result.set_item("date_columns", scan.date_columns)?;
    result.set_item("mended", scan.mended)?;
    result.set_item("lines", positions(&scan.lines))?;
    result.set_item("offsets", positions(&scan.offsets))?;
    result.set_item("lengths", positions(&scan.lengths))?;
    result.set_item("rejected", rejected)?;
    Ok(result)
}

/// Splits a stream into the values of a JSON array, or into consecutive JSON values; see
/// `whorl_core::rows::json_values::Splitter`.
#[pyclass]
pub struct JsonSplitter(json_values::Splitter);

#[pymethods]
impl JsonSplitter {
    #[new]
    fn new(in_array: bool, longest: usize) -> Self {
        Self(json_values::Splitter::new(in_array, longest))
    }

    /// True if the array has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// Returns the bytes of the unfinished value.
    fn rest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.rest())
    }

    /// Feeds the next bytes. Returns the values that end within them, and how many of the bytes belong to the array.
    fn feed<'py>(&mut self, py: Python<'py>, bytes: &[u8]) -> (Vec<Bound<'py, PyBytes>>, usize) {
        let (values, taken) = self.0.feed(bytes);
        (values.iter().map(|value| PyBytes::new(py, value)).collect(), taken)
    }
}

/// Counts the lines of a block.
#[pyfunction]
pub fn count_lines(py: Python<'_>, block: &[u8]) -> usize {
    py.compute(|| jsonl::count_lines(block))
}

/// Selects the lines of a block whose byte in `keep` is not 0. Returns them and their number.
#[pyfunction]
pub fn select_lines(py: Python<'_>, block: &[u8], keep: &[u8]) -> (Buffer, usize) {
    py.compute(|| {
        let keep: Vec<bool> = keep.iter().map(|&keep| keep != 0).collect();
        let selected = jsonl::select_lines(block, &keep);
        let count = jsonl::count_lines(&selected);
        (Buffer::new(selected), count)
    })
}

/// True if `name` is a supported encoding of rows.
#[pyfunction]
pub fn is_encoding(name: &str) -> bool {
    encoding_named(name).is_ok()
}

/// Guesses the encodings of bytes that are not UTF-8, most likely first, each with a flag for the claimed one.
#[pyfunction]
#[pyo3(signature = (data, claimed=None))]
pub fn likely_encodings(py: Python<'_>, data: &[u8], claimed: Option<&str>) -> Vec<(String, bool)> {
    let candidates = py.compute(|| encoding::likely(data, claimed));
    candidates.into_iter().map(|likely| (likely.name, likely.is_claimed)).collect()
}

/// Returns the UTF-16 encoding of bytes without a byte order mark, or None.
#[pyfunction]
pub fn wide_encoding(py: Python<'_>, data: &[u8]) -> Option<&'static str> {
    py.compute(|| encoding::wide(data))
}

/// Parses dates and numbers as sort values of documents; NaN if unparsable.
#[pyfunction]
pub fn order_values(values: Vec<Option<String>>) -> Buffer {
    let values: Vec<f64> =
        values.iter().map(|value| value.as_deref().and_then(order::value).unwrap_or(f64::NAN)).collect();
    Buffer::of(&values, f64::to_le_bytes)
}

/// Parses dates as seconds since 1970; NaN if unparsable. See `whorl_core::rows::time::seconds`.
#[pyfunction]
pub fn date_values(values: Vec<Option<String>>) -> Buffer {
    let values: Vec<f64> =
        values.iter().map(|value| value.as_deref().and_then(time::seconds).unwrap_or(f64::NAN)).collect();
    Buffer::of(&values, f64::to_le_bytes)
}
