//! Rows reread from their input files.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter::Peekable;
use std::ops::Range;
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use memchr::memchr_iter;
use rayon::prelude::*;
use whorl_core::judge::probe::TextSource;
use whorl_core::rows::jsonl;
use whorl_core::text::Text;

const DOCUMENTS_A_TASK: usize = 128;
/// Bytes per write call. The page cache uses folios of that size, which are cheaper to allocate than small pages.
const BLOCK_BYTES: usize = 1 << 21;

/// Error of rereading rows.
#[derive(Debug)]
pub enum RowsFailed {
    /// The operating system reports an error for a file.
    File(PathBuf, io::Error),
    /// A row to be copied no longer exists.
    Short(PathBuf),
    /// The bytes at an offset are no longer a row; with the reason.
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

/// Copies rows of one file, given as byte ranges including newlines, to a new file. Returns the number of rows.
///
/// The last range may end one byte past the file because its newline may be missing. Reading a block overlaps with
/// writing the previous one.
///
/// # Errors
/// A row no longer exists, or the operating system reports an error.
pub fn copy_ranges(source: &Path, target: &Path, ranges: &[(u64, u64)]) -> Result<usize, RowsFailed> {
    let mut input = File::open(source).map_err(at(source))?;
    let mut output = File::create(target).map_err(at(target))?;
    let length = input.metadata().map_err(at(source))?.len();
    let lacks_newline = ranges.last().is_some_and(|&(_, end)| end == length + 1);
    let last = ranges.len().saturating_sub(1);
    if ranges.iter().enumerate().any(|(number, &(_, end))| end > length + u64::from(number == last)) {
        return Err(RowsFailed::Short(source.to_owned()));
    }
    let mut remaining = ranges.iter().flat_map(|&(start, end)| pieces(start..end.min(length))).peekable();
    let (mut written, mut rows) = (Vec::new(), usize::from(lacks_newline));
    let mut read = Vec::with_capacity(BLOCK_BYTES);
    while remaining.peek().is_some() || !written.is_empty() {
        let (filled, wrote) = rayon::join(
            || fill(&mut read, &mut input, &mut remaining).map_err(in_source(source)),
            || output.write_all(&written).map_err(at(target)),
        );
        wrote?;
        rows += filled?;
        std::mem::swap(&mut read, &mut written);
    }
    Ok(rows)
}

/// Fills a block with pieces of a file as long as they fit, replacing its contents. Returns the number of newlines.
fn fill(
    block: &mut Vec<u8>,
    input: &mut File,
    pieces: &mut Peekable<impl Iterator<Item = Range<u64>>>,
) -> io::Result<usize> {
    block.clear();
    while let Some(piece) = pieces.next_if(|piece| block.len() + (piece.end - piece.start) as usize <= BLOCK_BYTES) {
        let filled = block.len();
        block.resize(filled + (piece.end - piece.start) as usize, 0);
        input.seek(SeekFrom::Start(piece.start))?;
        input.read_exact(&mut block[filled..])?;
    }
    Ok(memchr_iter(b'\n', block).count())
}

fn pieces(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    range.clone().step_by(BLOCK_BYTES).map(move |start| start..range.end.min(start + BLOCK_BYTES as u64))
}

fn in_source(source: &Path) -> impl Fn(io::Error) -> RowsFailed {
    move |error| match error.kind() {
        ErrorKind::UnexpectedEof => RowsFailed::Short(source.to_owned()),
        _ => RowsFailed::File(source.to_owned(), error),
    }
}

/// Locations of the texts of documents: rows of JSON Lines files, or UTF-8 in a side file.
pub struct RowFiles {
    /// Paths with the encoding of their rows, or None for plain UTF-8 text.
    pub files: Vec<(PathBuf, Option<&'static Encoding>)>,
    /// The columns that make up the text of a row.
    pub columns: jsonl::Columns,
    /// The file of each document.
    pub file_of: Vec<u32>,
    /// The byte offset of each text in its file.
    pub offsets: Vec<u64>,
    /// The length of each text in bytes.
    pub lengths: Vec<u32>,
}

impl RowFiles {
    /// Reads the text of one document.
    ///
    /// # Errors
    /// The text no longer exists, or the operating system reports an error for its file.
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
        let read = file.seek(SeekFrom::Start(self.offsets[index])).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.changed(index, "the file ends before the row does".to_owned()),
            _ => RowsFailed::File(path.clone(), error),
        })?;
        let text = match encoding {
            Some(encoding) => jsonl::row_text(bytes, &self.columns, encoding),
            None => String::from_utf8(std::mem::take(bytes)).map_err(|error| error.to_string()),
        };
        text.map_err(|reason| self.changed(index, reason))
    }

    fn changed(&self, index: usize, reason: String) -> RowsFailed {
        RowsFailed::Changed(self.files[self.file_of[index] as usize].0.clone(), self.offsets[index], reason)
    }
}

impl TextSource for RowFiles {
    type Error = RowsFailed;

    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), RowsFailed> {
        documents.par_chunks(DOCUMENTS_A_TASK).enumerate().try_for_each(|(task, part)| {
            let (mut open, mut bytes) = (None, Vec::new());
            for (position, &document) in part.iter().enumerate() {
                let text = self.load(document, &mut open, &mut bytes)?;
                on_text(task * DOCUMENTS_A_TASK + position, Text::Utf8(&text));
            }
            Ok(())
        })
    }
}
