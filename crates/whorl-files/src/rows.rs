//! Rows that are read again from the files they came from.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use rayon::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::rows::jsonl;
use whorl_core::text::Text;

const DOCUMENTS_A_TASK: usize = 128;
/// Small enough to stay in the cache, large enough that calls do not matter.
const COPY_BYTES: usize = 256 << 10;

/// Why rows cannot be read again.
#[derive(Debug)]
pub enum RowsFailed {
    /// The system refuses a file.
    File(PathBuf, io::Error),
    /// A row that is to be copied is not there any more.
    Short(PathBuf),
    /// What lies at a byte is no row any more, and why.
    Changed(PathBuf, u64, String),
}

impl fmt::Display for RowsFailed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(to, "{}: {error}", path.display()),
            Self::Short(path) => write!(to, "{} changed while it was written", path.display()),
            Self::Changed(path, offset, reason) => {
                write!(to, "{} changed while it was read: at byte {offset}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for RowsFailed {}

fn at(path: &Path) -> impl Fn(io::Error) -> RowsFailed {
    move |error| RowsFailed::File(path.to_owned(), error)
}

/// Copies rows of one file, given as byte ranges with their newlines, in order, to a new file; returns how many.
///
/// The last one may end one byte beyond the file: its newline may be missing.
///
/// # Errors
/// A file that has no row there any more, or that the system refuses.
pub fn copy_ranges(source: &Path, target: &Path, ranges: &[(u64, u64)]) -> Result<usize, RowsFailed> {
    let mut input = File::open(source).map_err(at(source))?;
    let length = input.metadata().map_err(at(source))?.len();
    let output = File::create(target).map_err(at(target))?;
    let mut output = BufWriter::with_capacity(COPY_BYTES, output);
    let mut buffer = vec![0; COPY_BYTES];
    let mut rows = 0;
    for (number, &(start, end)) in ranges.iter().enumerate() {
        let is_last = number + 1 == ranges.len();
        if end > length + u64::from(is_last) {
            return Err(RowsFailed::Short(source.to_owned()));
        }
        input.seek(SeekFrom::Start(start)).map_err(at(source))?;
        let mut left = end.min(length).saturating_sub(start);
        while left > 0 {
            let part = &mut buffer[..left.min(COPY_BYTES as u64) as usize];
            input.read_exact(part).map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => RowsFailed::Short(source.to_owned()),
                _ => at(source)(error),
            })?;
            output.write_all(part).map_err(at(target))?;
            left -= part.len() as u64;
            rows += part.iter().filter(|&&byte| byte == b'\n').count();
        }
        rows += usize::from(end > length);
    }
    output.flush().map_err(at(target))?;
    Ok(rows)
}

/// Where the texts of documents lie: rows of JSON Lines files, or UTF-8 that was written aside.
pub struct RowFiles {
    /// Paths with the encoding of their rows, or None for plain UTF-8 text.
    pub files: Vec<(PathBuf, Option<&'static Encoding>)>,
    /// What the text of a row is made of.
    pub columns: jsonl::Columns,
    /// The file of each document,
    pub file_of: Vec<u32>,
    /// where its text begins there,
    pub offsets: Vec<u64>,
    /// and its bytes.
    pub lengths: Vec<u32>,
}

impl RowFiles {
    /// The text of one document.
    ///
    /// # Errors
    /// It is not there any more, or the system refuses its file.
    pub fn text(&self, document: u32) -> Result<String, RowsFailed> {
        self.load(document, &mut None, &mut Vec::new())
    }

    fn load(&self, document: u32, open: &mut Option<(u32, File)>, bytes: &mut Vec<u8>) -> Result<String, RowsFailed> {
        let index = document as usize;
        let (path, encoding) = &self.files[self.file_of[index] as usize];
        let file = match open {
            Some((file_of, file)) if *file_of == self.file_of[index] => file,
            _ => &mut open.insert((self.file_of[index], File::open(path).map_err(at(path))?)).1,
        };
        bytes.resize(self.lengths[index] as usize, 0);
        file.seek(SeekFrom::Start(self.offsets[index])).and_then(|_| file.read_exact(bytes)).map_err(at(path))?;
        let text = match encoding {
            Some(encoding) => jsonl::row_text(bytes, &self.columns, encoding),
            None => String::from_utf8(std::mem::take(bytes)).map_err(|error| error.to_string()),
        };
        text.map_err(|reason| RowsFailed::Changed(path.clone(), self.offsets[index], reason))
    }
}

impl TextSource for RowFiles {
    type Error = RowsFailed;

    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), RowsFailed> {
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
