//! Rust memory as a Python buffer, so that bulk results reach NumPy and Arrow without a copy.

use std::ffi::{c_int, c_void};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use whorl_core::index::segments::Payloads;

/// Read-only bytes owned by Rust. `numpy.frombuffer` and `pyarrow.py_buffer` read them in place.
#[pyclass(frozen)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Serializes the values in little-endian order.
    pub fn of<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Self {
        let mut buffer = Vec::with_capacity(values.len() * N);
        values.iter().for_each(|&value| buffer.extend_from_slice(&bytes(value)));
        Self(buffer)
    }
}

/// Reads payloads from their bytes and their ends.
pub fn payloads_of(py: Python<'_>, buffers: Option<(PyBuffer<u8>, PyBuffer<u64>)>) -> PyResult<Payloads> {
    let Some((bytes, ends)) = buffers else { return Ok(Payloads::default()) };
    Payloads::new(bytes.to_vec(py)?, ends.to_vec(py)?).map_err(PyValueError::new_err)
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// # Safety
    /// Called by the interpreter with a valid view to fill.
    #[allow(unsafe_code, reason = "the buffer protocol is made of pointers")]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("the buffer is read-only"));
        }
        // The pointer of an empty vector is aligned for bytes only, but readers may interpret it as a column of wider
        // numbers.
        static NOTHING: u128 = 0;
        let bytes = &slf.get().0;
        let start = if bytes.is_empty() { (&raw const NOTHING).cast::<u8>() } else { bytes.as_ptr() };
        // SAFETY: the view belongs to the interpreter; the memory belongs to the frozen object that the view keeps
        // alive.
        let filled =
            unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start as *mut c_void, bytes.len() as isize, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
