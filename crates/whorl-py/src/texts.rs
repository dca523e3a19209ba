//! Texts from Python: `str` is copied as code points; Arrow string arrays and unpacked texts are read in place.

use std::sync::Arc;

use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use whorl_core::text::TextBlock;
use whorl_core::text::{self, Text};

use crate::arrow;
use crate::unpacked::UnpackedTexts;

/// Texts that can be read without the GIL. A null is an empty text.
pub enum Texts {
    CodePoints { units: Vec<u32>, bounds: Vec<usize> },
    Unpacked(Arc<Vec<Vec<u32>>>),
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
}

impl TextBlock for Texts {
    fn len(&self) -> usize {
        match self {
            Self::CodePoints { bounds, .. } => bounds.len() - 1,
            Self::Unpacked(texts) => texts.len(),
            Self::Utf8(array) => array.len(),
            Self::LargeUtf8(array) => array.len(),
            Self::Utf8View(array) => array.len(),
        }
    }

    fn with_text<R>(&self, index: usize, read: impl FnOnce(Text<'_>) -> R) -> R {
        match self {
            Self::CodePoints { units, bounds } => read(Text::CodePoints(&units[bounds[index]..bounds[index + 1]])),
            Self::Unpacked(texts) => read(Text::CodePoints(&texts[index])),
            Self::Utf8(array) => read(Text::Utf8(if array.is_null(index) { "" } else { array.value(index) })),
            Self::LargeUtf8(array) => read(Text::Utf8(if array.is_null(index) { "" } else { array.value(index) })),
            Self::Utf8View(array) => read(Text::Utf8(if array.is_null(index) { "" } else { array.value(index) })),
        }
    }
}

impl Texts {
    fn of_array(data: ArrayData) -> PyResult<Self> {
        match data.data_type() {
            DataType::Utf8 => Ok(Self::Utf8(data.into())),
            DataType::LargeUtf8 => Ok(Self::LargeUtf8(data.into())),
            DataType::Utf8View => Ok(Self::Utf8View(data.into())),
            other => Err(PyTypeError::new_err(format!("texts must be an Arrow string array, not {other}"))),
        }
    }

    /// Calls `read` with the code points of one text.
    pub fn with_code_points<R>(&self, index: usize, read: impl FnOnce(&[u32]) -> R) -> R {
        self.with_text(index, |text| match text {
            Text::CodePoints(text) => read(text),
            Text::Utf8(text) => read(&text.chars().map(u32::from).collect::<Vec<_>>()),
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Texts {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(texts) = object.cast::<UnpackedTexts>() {
            return Ok(Self::Unpacked(texts.get().0.clone()));
        }
        if !object.is_exact_instance_of::<PyList>() {
            if object.hasattr("__arrow_c_array__")? {
                return Self::of_array(arrow::from_array(&object)?);
            }
            if object.hasattr("__arrow_c_stream__")? {
                return Self::of_array(arrow::from_stream(&object)?);
            }
            if object.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err("texts must be several: give a list of str"));
            }
        }
        let mut units = Vec::new();
        let mut bounds = vec![0];
        for item in object.try_iter()? {
            let item = item?;
            if !item.is_none() {
                let string = item.cast::<PyString>().map_err(|_| {
                    let kind = item.get_type();
                    PyTypeError::new_err(format!("texts must be str, not {kind}"))
                })?;
                append_code_points(string, &mut units)?;
            }
            bounds.push(units.len());
        }
        Ok(Self::CodePoints { units, bounds })
    }
}

/// Appends the code points of `string`, lone surrogates included.
#[allow(unsafe_code, reason = "the interpreter writes into reserved memory")]
fn append_code_points(string: &Bound<'_, PyString>, units: &mut Vec<u32>) -> PyResult<()> {
    let length = string.len()?;
    units.reserve(length + 1);
    let end = units.len();
    // SAFETY: the reserved space holds `length` code units and the requested terminator; `set_len` follows only if all
    // of them were written.
    unsafe {
        let target = units.as_mut_ptr().add(end);
        if pyo3::ffi::PyUnicode_AsUCS4(string.as_ptr(), target, length as isize + 1, 1).is_null() {
            return Err(PyErr::fetch(string.py()));
        }
        units.set_len(end + length);
    }
    Ok(())
}

/// The code points of `string`, lone surrogates included.
pub fn code_points(string: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    let mut units = Vec::new();
    append_code_points(string, &mut units)?;
    Ok(units)
}

/// Folds a text, without separators.
#[pyfunction]
pub fn fold(text: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(text::fold_to_string(code_points(text)?.as_slice()))
}

/// Returns the stretches of a text that are its body.
#[pyfunction]
pub fn body_ranges(text: &Bound<'_, PyString>) -> PyResult<Vec<(usize, usize)>> {
    let ranges = whorl_core::text::body::ranges(&code_points(text)?);
    Ok(ranges.into_iter().map(|range| (range.start, range.end)).collect())
}

/// Returns the tokens of a text.
#[pyfunction]
pub fn tokens(text: &Bound<'_, PyString>) -> PyResult<Vec<String>> {
    Ok(text::tokens(code_points(text)?.as_slice()))
}

/// The kind of a run with its start and end in both texts.
type EditRun = (&'static str, usize, usize, usize, usize);

/// Computes the edit runs from one text to another.
#[pyfunction]
pub fn edit_runs(a: &Bound<'_, PyString>, b: &Bound<'_, PyString>) -> PyResult<Vec<EditRun>> {
    let runs = whorl_core::align::runs::edit_runs(&code_points(a)?, &code_points(b)?);
    Ok(runs.into_iter().map(|run| (run.kind.name(), run.a.start, run.a.end, run.b.start, run.b.end)).collect())
}

/// Returns the stretches of `text`, as code-point ranges, covered by shingles that also occur in `other`.
#[pyfunction]
pub fn shared_spans(
    text: &Bound<'_, PyString>,
    other: &Bound<'_, PyString>,
    width: usize,
) -> PyResult<Vec<(usize, usize)>> {
    let (text, other) = (code_points(text)?, code_points(other)?);
    let (text, other) = (Text::CodePoints(&text), Text::CodePoints(&other));
    let spans = whorl_core::text::located::shared_spans(text, other, width);
    Ok(spans.into_iter().map(|span| (span.start, span.end)).collect())
}
