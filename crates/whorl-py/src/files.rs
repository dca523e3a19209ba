//! Texts read again from the files they came from.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use encoding_rs::Encoding;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::rows::jsonl;
use whorl_core::text::Text;

use crate::refusals::input_error;
use crate::rows::{RowColumns, encoding_named};
use crate::threads::Compute;

const DOCUMENTS_A_TASK: usize = 128;
/// Small enough to stay in the cache, large enough that calls do not matter.
const COPY_BYTES: usize = 256 << 10;

/// Copies rows of one file, given as byte ranges with their newlines, in order, to a new file; returns how many.
///
/// The last one may end one byte beyond the file: its newline may be missing. A file that has no row there any more is an
/// `InputError`.
#[pyfunction]
pub fn copy_ranges(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    starts: PyBuffer<u64>,
    ends: PyBuffer<u64>,
) -> PyResult<usize> {
    let ranges: Vec<(u64, u64)> = starts.to_vec(py)?.into_iter().zip(ends.to_vec(py)?).collect();
    let named = |path: &PathBuf, error: std::io::Error| {
        PyOSError::new_err((error.raw_os_error(), error.to_string(), path.clone()))
    };
    let changed = || {
        input_error(
            &format!("{} changed while it was written", source.display()),
            "leave the input alone, and start again",
        )
    };
    py.compute(|| {
        let mut input = File::open(&source).map_err(|error| named(&source, error))?;
        let length = input.metadata().map_err(|error| named(&source, error))?.len();
        let output = File::create(&target).map_err(|error| named(&target, error))?;
        let mut output = BufWriter::with_capacity(COPY_BYTES, output);
        let mut buffer = vec![0; COPY_BYTES];
        let mut rows = 0;
        for (number, &(start, end)) in ranges.iter().enumerate() {
            let is_last = number + 1 == ranges.len();
            if end > length + u64::from(is_last) {
                return Err(changed());
            }
            input.seek(SeekFrom::Start(start)).map_err(|error| named(&source, error))?;
            let mut left = end.min(length).saturating_sub(start);
            while left > 0 {
                let part = &mut buffer[..left.min(COPY_BYTES as u64) as usize];
                input.read_exact(part).map_err(|error| match error.kind() {
                    ErrorKind::UnexpectedEof => changed(),
                    _ => named(&source, error),
                })?;
                output.write_all(part).map_err(|error| named(&target, error))?;
                left -= part.len() as u64;
                rows += part.iter().filter(|&&byte| byte == b'\n').count();
            }
            rows += usize::from(end > length);
        }
        output.flush().map_err(|error| named(&target, error))?;
        Ok(rows)
    })
}

/// Where the texts of documents lie: rows of JSON Lines files, or UTF-8 that was written aside.
#[pyclass(frozen)]
pub struct FileTexts {
    files: Vec<(PathBuf, Option<&'static Encoding>)>,
    columns: jsonl::Columns,
    file_of: Vec<u32>,
    offsets: Vec<u64>,
    lengths: Vec<u32>,
}

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
        Ok(Self {
            files,
            columns: columns.0.clone(),
            file_of: file_of.to_vec(py)?,
            offsets: offsets.to_vec(py)?,
            lengths: lengths.to_vec(py)?,
        })
    }

    /// The text of one document.
    fn text(&self, document: u32) -> PyResult<String> {
        let mut open = None;
        let mut bytes = Vec::new();
        self.load(document, &mut open, &mut bytes)
    }
}

impl FileTexts {
    fn load(&self, document: u32, open: &mut Option<(u32, File)>, bytes: &mut Vec<u8>) -> PyResult<String> {
        let index = document as usize;
        let (path, encoding) = &self.files[self.file_of[index] as usize];
        let in_file =
            |error: std::io::Error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path.clone()));
        let file = match open {
            Some((file_of, file)) if *file_of == self.file_of[index] => file,
            _ => &mut open.insert((self.file_of[index], File::open(path).map_err(in_file)?)).1,
        };
        bytes.resize(self.lengths[index] as usize, 0);
        file.seek(SeekFrom::Start(self.offsets[index])).and_then(|_| file.read_exact(bytes)).map_err(in_file)?;
        let text = match encoding {
            Some(encoding) => jsonl::row_text(bytes, &self.columns, encoding),
            None => String::from_utf8(std::mem::take(bytes)).map_err(|error| error.to_string()),
        };
        text.map_err(|reason| {
            let (path, offset) = (path.display(), self.offsets[index]);
            PyValueError::new_err(format!("{path} changed while it was read: at byte {offset}: {reason}"))
        })
    }
}

impl TextSource for FileTexts {
    type Error = PyErr;

    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), PyErr> {
        documents.par_chunks(DOCUMENTS_A_TASK).enumerate().try_for_each(|(task, part)| {
            let (mut open, mut bytes) = (None, Vec::new());
            for (position, &document) in part.iter().enumerate() {
                let text = self.load(document, &mut open, &mut bytes)?;
                each(task * DOCUMENTS_A_TASK + position, Text::Utf8(&text));
            }
            Ok(())
        })
    }
}
