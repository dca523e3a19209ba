//! The file format of index segments: columns of numbers with block checksums.
//!
//! ```text
//! header   64 bytes   magic, version, kind, length, offset of the footer, checksum of all this
//! columns             each aligned to a multiple of 64 bytes
//! footer              names and positions of the columns, named facts, a checksum for every block
//!                     before it, and finally the checksum of the footer: the identity of the file
//! ```
//!
//! A segment is immutable. Its layout is the same in memory and in a file, so a new segment can be searched
//! immediately, written by copying, and mapped by other processes. This module does no I/O: a [`SegmentFile`] reads
//! bytes owned by the caller. Verifying every checksum at opening would read the whole file. Only header and footer are
//! therefore verified at opening, every block when it is first read, and all of them by [`SegmentFile::verify`]. Values
//! in columns are never trusted to be in range. All numbers are little-endian.

mod build;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

pub use build::Builder;

/// Version of this format; files of other versions are rejected.
pub const VERSION: u32 = 1;
/// Bytes per checksum. Small, because the first look-up in a file verifies the blocks it touches.
pub(crate) const BLOCK: usize = 16 << 10;

const MAGIC: [u8; 8] = *b"whorlseg";
const HEADER: usize = 64;
const ALIGNMENT: usize = 64;
const NAME: usize = 16;
const COLUMN_ENTRY: usize = NAME + 16;
const FACT_ENTRY: usize = NAME + 8;

/// Reason for rejecting a segment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The file has another format.
    Foreign(String),
    /// The version is not supported.
    Version(u32),
    /// The file is damaged.
    Damaged(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(what) => write!(to, "not a file of this index: {what}"),
            Self::Version(version) => write!(to, "of format version {version}; this program reads version {VERSION}"),
            Self::Damaged(what) => write!(to, "damaged: {what}"),
        }
    }
}

impl std::error::Error for Refused {}

fn damaged<T>(what: impl Into<String>) -> Result<T, Refused> {
    Err(Refused::Damaged(what.into()))
}

/// The bytes of a file, in memory or mapped.
pub type Body = Box<dyn AsRef<[u8]> + Send + Sync>;

/// The location of a column of `T`.
#[derive(Debug)]
pub struct Column<T> {
    start: usize,
    length: usize,
    values: PhantomData<T>,
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> Column<T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if the column is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// An immutable file of columns, in memory or mapped.
pub struct SegmentFile {
    body: Body,
    footer: Vec<u8>,
    columns: Vec<(String, Range<usize>)>,
    facts: Vec<(String, u64)>,
    checksums: Range<usize>,
    /// A bit for every verified block; None if the bytes were produced by this process.
    checked: Option<Vec<AtomicU64>>,
}

impl SegmentFile {
    /// Reads the header and the footer of `body`.
    ///
    /// # Errors
    /// The bytes are not a file of this `kind` and version, or header, footer or length are damaged.
    pub fn open(body: Body, kind: [u8; 4]) -> Result<Self, Refused> {
        if cfg!(target_endian = "big") {
            return Err(Refused::Foreign("index files need a little-endian processor".into()));
        }
        let bytes = (*body).as_ref();
        let footer_start = read_header(bytes, kind)?;
        let footer = bytes[footer_start..].to_vec();
        let mut file = Self::with_footer(body, footer, footer_start)?;
        let blocks = footer_start.div_ceil(BLOCK);
        file.checked = Some((0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect());
        Ok(file)
    }

    fn with_footer(body: Body, footer: Vec<u8>, footer_start: usize) -> Result<Self, Refused> {
        let Some((content, checksum)) = footer.split_last_chunk::<8>() else {
            return damaged("the footer is cut off");
        };
        if u64::from_le_bytes(*checksum) != xxh3_64(content) {
            return damaged("the footer does not match its checksum");
        }
        let mut rest = content;
        let [column_count, fact_count] = [take_u64(&mut rest)?, take_u64(&mut rest)?];
        let mut columns = Vec::new();
        for _ in 0..column_count {
            let name = take_name(&mut rest)?;
            let (start, end) = (take_u64(&mut rest)? as usize, take_u64(&mut rest)? as usize);
            if start < HEADER || start > end || end > footer_start || start % ALIGNMENT != 0 {
                return damaged(format!("column '{name}' lies outside of the file"));
            }
            columns.push((name, start..end));
        }
        let mut facts = Vec::new();
        for _ in 0..fact_count {
            facts.push((take_name(&mut rest)?, take_u64(&mut rest)?));
        }
        if rest.len() != footer_start.div_ceil(BLOCK) * 8 {
            return damaged("the footer has not a checksum for every block");
        }
        let checksums = content.len() - rest.len()..content.len();
        Ok(Self { body, footer, columns, facts, checksums, checked: None })
    }

    /// The checksum over all checksums: equal for equal content, and used as the file name.
    pub fn identity(&self) -> u64 {
        let (_, checksum) = self.footer.split_last_chunk::<8>().expect("checked when it was opened");
        u64::from_le_bytes(*checksum)
    }

    /// The bytes of the file, in two consecutive parts.
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.bytes()[..self.footer_start()], &self.footer]
    }

    /// Total number of bytes.
    pub fn size(&self) -> usize {
        self.footer_start() + self.footer.len()
    }

    fn footer_start(&self) -> usize {
        let bytes = self.bytes();
        // A mapped body ends with the footer; a body in memory has a separate footer.
        if self.checked.is_some() { bytes.len() - self.footer.len() } else { bytes.len() }
    }

    fn bytes(&self) -> &[u8] {
        (*self.body).as_ref()
    }

    /// Returns a named number.
    ///
    /// # Errors
    /// The file has no fact of this name.
    pub fn fact(&self, name: &str) -> Result<u64, Refused> {
        match self.facts.iter().find(|(known, _)| known == name) {
            Some(&(_, value)) => Ok(value),
            None => damaged(format!("the fact '{name}' is missing")),
        }
    }

    /// True if the file has the column `name`.
    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|(known, _)| known == name)
    }

    /// Locates the column `name`.
    ///
    /// # Errors
    /// The file has no column of this name and type.
    pub fn column<T: Pod>(&self, name: &str) -> Result<Column<T>, Refused> {
        let Some((_, range)) = self.columns.iter().find(|(known, _)| known == name) else {
            return damaged(format!("the column '{name}' is missing"));
        };
        let values = bytemuck::try_cast_slice::<u8, T>(&self.bytes()[range.clone()]);
        match values {
            Ok(values) => Ok(Column { start: range.start, length: values.len(), values: PhantomData }),
            Err(_) => damaged(format!("the column '{name}' does not hold such values")),
        }
    }

    /// Reads a range of a column of this file.
    ///
    /// # Errors
    /// The range exceeds the column, or a block that is read for the first time is damaged.
    #[inline]
    pub fn read<T: Pod>(&self, column: Column<T>, range: Range<usize>) -> Result<&[T], Refused> {
        self.values(column).read(range)
    }

    /// The values of a column of this file, for many small reads.
    #[inline]
    pub fn values<T: Pod>(&self, column: Column<T>) -> ColumnValues<'_, T> {
        let end = column.start + column.length * size_of::<T>();
        let values = bytemuck::cast_slice(&self.bytes()[column.start..end]);
        ColumnValues { file: self, start: column.start, values }
    }

    /// Reads all values of a column of this file.
    ///
    /// # Errors
    /// A block that is read for the first time is damaged.
    pub fn read_all<T: Pod>(&self, column: Column<T>) -> Result<&[T], Refused> {
        self.read(column, 0..column.length)
    }

    #[inline]
    fn check(&self, checked: &[AtomicU64], bytes: Range<usize>) -> Result<(), Refused> {
        for block in bytes.start / BLOCK..bytes.end.div_ceil(BLOCK) {
            // Relaxed ordering suffices: the bytes never change, and the bit only avoids repeated work.
            if checked[block / 64].load(Ordering::Relaxed) >> (block % 64) & 1 == 0 {
                self.check_block(block)?;
                checked[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    #[cold]
    fn check_block(&self, block: usize) -> Result<(), Refused> {
        let end = self.footer_start().min((block + 1) * BLOCK);
        let expected = &self.footer[self.checksums.clone()][block * 8..][..8];
        if xxh3_64(&self.bytes()[block * BLOCK..end]).to_le_bytes() == *expected {
            return Ok(());
        }
        damaged(format!("bytes {} to {end} do not match their checksum", block * BLOCK))
    }

    /// Verifies every byte: a pass over the whole file, on all threads.
    ///
    /// # Errors
    /// A block does not match its checksum.
    pub fn verify(&self) -> Result<(), Refused> {
        (0..self.footer_start().div_ceil(BLOCK)).into_par_iter().try_for_each(|block| self.check_block(block))
    }
}

/// The values of a column.
pub struct ColumnValues<'a, T> {
    file: &'a SegmentFile,
    start: usize,
    values: &'a [T],
}

impl<'a, T: Pod> ColumnValues<'a, T> {
    /// Reads a range of the values.
    ///
    /// # Errors
    /// The range exceeds the column, or a block that is read for the first time is damaged.
    #[inline(always)] // as a call it took a seventh of a look-up of many keys
    pub fn read(&self, range: Range<usize>) -> Result<&'a [T], Refused> {
        let Some(values) = self.values.get(range.clone()) else {
            return damaged("a number points outside of its column");
        };
        if let Some(checked) = &self.file.checked {
            let at = |place: usize| self.start + place * size_of::<T>();
            self.file.check(checked, at(range.start)..at(range.end))?;
        }
        Ok(values)
    }

    /// Reads up to `max_count` values from `first` on.
    ///
    /// # Errors
    /// As [`ColumnValues::read`].
    #[inline]
    pub fn read_from(&self, first: usize, max_count: usize) -> Result<&'a [T], Refused> {
        self.read(first..(first + max_count).min(self.values.len()).max(first))
    }

    /// Prefetch: a value that may be damaged.
    #[inline]
    pub fn peek(&self, place: usize) -> Option<T> {
        self.values.get(place).copied()
    }
}

/// Verifies the header and returns the offset of the footer.
fn read_header(bytes: &[u8], kind: [u8; 4]) -> Result<usize, Refused> {
    if !bytes.starts_with(&MAGIC) {
        return Err(Refused::Foreign("it does not begin like one".into()));
    }
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return damaged("the header is cut off");
    };
    let version = u32::from_le_bytes(header[8..12].try_into().expect("4 bytes"));
    if version != VERSION {
        return Err(Refused::Version(version));
    }
    if u64_at(header, 56) != xxh3_64(&header[..56]) {
        return damaged("the header does not match its checksum");
    }
    if header[12..16] != kind {
        let actual = String::from_utf8_lossy(&header[12..16]).into_owned();
        return Err(Refused::Foreign(format!("it holds '{actual}', not '{}'", String::from_utf8_lossy(&kind))));
    }
    let (length, footer_start) = (u64_at(header, 16), u64_at(header, 24));
    if length != bytes.len() as u64 {
        return damaged(format!("it has {} bytes and should have {length}", bytes.len()));
    }
    if footer_start < HEADER as u64 || footer_start > length {
        return damaged("the footer lies outside of the file");
    }
    Ok(footer_start as usize)
}

fn u64_at(bytes: &[u8], start: usize) -> u64 {
    u64::from_le_bytes(bytes[start..start + 8].try_into().expect("8 bytes"))
}

fn take_u64(rest: &mut &[u8]) -> Result<u64, Refused> {
    let Some((number, after)) = rest.split_first_chunk::<8>() else {
        return damaged("the footer is cut off");
    };
    *rest = after;
    Ok(u64::from_le_bytes(*number))
}

fn take_name(rest: &mut &[u8]) -> Result<String, Refused> {
    let Some((name, after)) = rest.split_first_chunk::<NAME>() else {
        return damaged("the footer is cut off");
    };
    *rest = after;
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(NAME);
    match std::str::from_utf8(&name[..end]) {
        Ok(name) => Ok(name.to_owned()),
        Err(_) => damaged("a name is not text"),
    }
}

#[cfg(test)]
pub(crate) mod tests;
