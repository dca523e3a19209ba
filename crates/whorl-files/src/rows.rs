//! Rows that are read again from the files they came from.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use memchr::memchr_iter;
use rayon::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::rows::jsonl;
use whorl_core::text::Text;

const DOCUMENTS_A_TASK: usize = 128;
/// Small enough to stay in the cache, large enough that calls do not matter.
const COPY_BYTES: u64 = 1 << 20;

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
/// The last one may end one byte beyond the file: its newline may be missing. Some parts are copied at a time, each of
/// them read while others are written.
///
/// # Errors
/// A file that has no row there any more, or that the system refuses.
pub fn copy_ranges(source: &Path, target: &Path, ranges: &[(u64, u64)]) -> Result<usize, RowsFailed> {
    let length = std::fs::metadata(source).map_err(at(source))?.len();
    File::create(target).map_err(at(target))?;
    let lacks_newline = ranges.last().is_some_and(|&(_, end)| end == length + 1);
    let last = ranges.len().saturating_sub(1);
    if ranges.iter().enumerate().any(|(number, &(_, end))| end > length + u64::from(number == last)) {
        return Err(RowsFailed::Short(source.to_owned()));
    }
    let parts = Part::all(ranges, length);
    let mut rows = usize::from(lacks_newline);
    for wave in parts.chunks(rayon::current_num_threads()) {
        rows += wave.par_iter().map(|part| part.copy(source, target)).sum::<Result<usize, RowsFailed>>()?;
    }
    Ok(rows)
}

/// Some byte ranges of a file that lie together in a new one.
struct Part {
    ranges: Vec<Range<u64>>,
    /// Where they begin in the new file.
    to: u64,
    /// How long they are together.
    bytes: u64,
}

impl Part {
    /// All ranges, of a file of `length` bytes, in parts of at most [`COPY_BYTES`].
    fn all(ranges: &[(u64, u64)], length: u64) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for piece in ranges.iter().flat_map(|&(start, end)| pieces(start..end.min(length))) {
            let bytes = piece.end - piece.start;
            match parts.last_mut() {
                Some(part) if part.bytes + bytes <= COPY_BYTES => {
                    part.bytes += bytes;
                    part.ranges.push(piece);
                }
                last => {
                    let to = last.map_or(0, |part| part.to + part.bytes);
                    parts.push(Self { ranges: vec![piece], to, bytes });
                }
            }
        }
        parts
    }

    /// Copies it; returns how many newlines it has.
    fn copy(&self, source: &Path, target: &Path) -> Result<usize, RowsFailed> {
        let mut input = File::open(source).map_err(at(source))?;
        let mut bytes = vec![0; self.bytes as usize];
        let mut filled = 0;
        for range in &self.ranges {
            let part = &mut bytes[filled..][..(range.end - range.start) as usize];
            filled += part.len();
            let read = input.seek(SeekFrom::Start(range.start)).and_then(|_| input.read_exact(part));
            read.map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => RowsFailed::Short(source.to_owned()),
                _ => at(source)(error),
            })?;
        }
        let mut output = OpenOptions::new().write(true).open(target).map_err(at(target))?;
        output.seek(SeekFrom::Start(self.to)).and_then(|_| output.write_all(&bytes)).map_err(at(target))?;
        Ok(memchr_iter(b'\n', &bytes).count())
    }
}

fn pieces(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    range.clone().step_by(COPY_BYTES as usize).map(move |start| start..range.end.min(start + COPY_BYTES))
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
