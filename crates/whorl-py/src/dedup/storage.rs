//! Texts of a run, which the core reads when it compares them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::text::{Text, TextBlock};

use crate::files::FileTexts;
use crate::texts::Texts;

/// Where the texts of documents are stored: in files or in Python memory.
pub enum TextStorage {
    Files(Py<FileTexts>),
    Memory(Memory),
}

impl<'py> FromPyObject<'_, 'py> for TextStorage {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match object.cast::<FileTexts>() {
            Ok(files) => Self::Files(files.to_owned().unbind()),
            Err(_) => Self::Memory(Memory(object.to_owned().unbind())),
        })
    }
}

impl TextSource for TextStorage {
    type Error = PyErr;

    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> PyResult<()> {
        match self {
            Self::Files(files) => files.get().read(documents, on_text),
            Self::Memory(memory) => memory.read(documents, on_text),
        }
    }
}

/// Texts in Python memory: a callable that takes document numbers and returns their texts.
pub struct Memory(Py<PyAny>);

impl TextSource for Memory {
    type Error = PyErr;

    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), PyErr> {
        let texts: Texts = Python::attach(|py| self.0.bind(py).call1((documents.to_vec(),))?.extract())?;
        if texts.len() != documents.len() {
            return Err(PyTypeError::new_err("not every document has a text"));
        }
        (0..texts.len()).into_par_iter().for_each(|index| texts.with_text(index, |text| on_text(index, text)));
        Ok(())
    }
}
