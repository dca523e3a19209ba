//! Arrow string arrays through the C data interface.
//!
//! The interface does not validate data: an array is only as sound as the file it was read from. Offsets, lengths and
//! UTF-8 are therefore checked before any value is read.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, GenericStringArray, OffsetSizeTrait};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::refusals::input_error;
use crate::threads::Compute;

const HINT: &str = "write the column again with the program that created it, or remove the row";

/// A row and its fault.
type Fault = (usize, &'static str);

/// Imports an array of strings or string views and validates every value.
pub fn from_array(object: &Bound<'_, PyAny>) -> PyResult<ArrayData> {
    let data = import(object)?;
    demand_sound(object.py(), &data, 0)?;
    Ok(data)
}

/// Imports all chunks of a stream of Arrow strings as one array.
pub fn from_stream(stream: &Bound<'_, PyAny>) -> PyResult<ArrayData> {
    let chunks = stream.py().import("pyarrow")?.call_method1("chunked_array", (stream,))?;
    let mut first = 0;
    for chunk in chunks.getattr("chunks")?.try_iter()? {
        let data = import(&chunk?)?;
        demand_sound(stream.py(), &data, first)?;
        first += data.len();
    }
    from_array(&chunks.call_method1("cast", ("large_string",))?.call_method0("combine_chunks")?)
}

fn demand_sound(py: Python<'_>, data: &ArrayData, first: usize) -> PyResult<()> {
    match py.compute(|| fault_of(data)) {
        None => Ok(()),
        Some((row, reason)) => Err(input_error(&format!("texts: row {}, from 0: {reason}", first + row), HINT)),
    }
}

/// Returns the first unreadable row of an array of strings or views with the reason, or None.
#[pyfunction]
pub fn array_fault(py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<Option<Fault>> {
    let data = import(array)?;
    Ok(py.compute(|| fault_of(&data)))
}

/// Imports an array without looking at its values.
#[allow(unsafe_code, reason = "the Arrow C data interface is made of pointers")]
fn import(object: &Bound<'_, PyAny>) -> PyResult<ArrayData> {
    let refused = |error: ArrowError| input_error(&format!("not an Arrow array of strings: {error}"), HINT);
    demand_lengths(object)?;
    let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
    let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?;
    let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: the capsule carries its name, so the pointer is a structure of the Arrow C data interface; taking the
    // array out leaves a released one behind, as the interface asks.
    let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
    if array.is_released() {
        return Err(input_error("the Arrow array was taken before", "export it anew whenever it is asked for"));
    }
    // SAFETY: the capsule carries its name. A schema is consumed together with its array, and the array was still
    // present.
    let schema = unsafe { schema.as_ref() };
    let kind = DataType::try_from(schema).map_err(refused)?;
    if !matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::BinaryView) {
        return Err(PyTypeError::new_err(format!("texts must be an Arrow string array, not {kind}")));
    }
    // SAFETY: both structures are live. Buffer lengths and contents are checked before a value is read.
    unsafe { from_ffi(array, schema) }.map_err(refused)
}

/// Rejects a `pyarrow` array whose buffers are shorter than declared: the C data interface does not carry buffer
/// lengths.
fn demand_lengths(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    let module = object.get_type().module()?;
    if module.to_cow()? != "pyarrow.lib" {
        return Ok(());
    }
    object.call_method0("validate").map(drop).map_err(|error| match error.is_instance_of::<PyValueError>(py) {
        true => input_error(&format!("a damaged Arrow array: {}", error.value(py)), HINT),
        false => error,
    })
}

/// Returns the first unreadable row. Bytes under a null are ignored.
fn fault_of(data: &ArrayData) -> Option<Fault> {
    match data.data_type() {
        DataType::Utf8 => fault_of_strings::<i32>(&data.clone().into()),
        DataType::LargeUtf8 => fault_of_strings::<i64>(&data.clone().into()),
        _ => fault_of_views(data),
    }
}

fn fault_of_strings<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> Option<Fault> {
    if array.is_empty() {
        return None;
    }
    let offsets = array.value_offsets();
    if let Some(row) = offsets.windows(2).position(|pair| pair[0] < O::zero() || pair[0] > pair[1]) {
        return Some((row, "its offsets do not ascend"));
    }
    let values = array.value_data();
    let bounds = offsets[0].as_usize()..offsets[array.len()].as_usize();
    let Some(span) = values.get(bounds.clone()) else {
        return Some((array.len() - 1, "its bytes are not all there"));
    };
    let begins = |offset: &O| span.get(offset.as_usize() - bounds.start).is_none_or(|&byte| byte & 0xC0 != 0x80);
    if simdutf8::basic::from_utf8(span).is_ok() && offsets.iter().all(begins) {
        return None;
    }
    let of = |row: usize| &values[offsets[row].as_usize()..offsets[row + 1].as_usize()];
    let broken = (0..array.len()).find(|&row| array.is_valid(row) && simdutf8::basic::from_utf8(of(row)).is_err());
    broken.map(|row| (row, "it is not valid UTF-8"))
}

fn fault_of_views(data: &ArrayData) -> Option<Fault> {
    let readable = |row: usize| data.is_null(row) || data.slice(row, 1).validate_full().is_ok();
    if data.validate_full().is_ok() {
        return None;
    }
    (0..data.len()).find(|&row| !readable(row)).map(|row| (row, "its bytes are not all there, or are not valid UTF-8"))
}
