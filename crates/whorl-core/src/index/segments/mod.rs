//! Storage of rows for every index: immutable segments and the recent rows.
//!
//! ```text
//! rows ─add→ recent ─seal→ segment ─merge→ fewer, larger segments
//!                           └─bury→ removed rows, until they are merged away
//! ```
//!
//! An index has many readers and one writer. A reader keeps the [`State`] it began with; a writer replaces the current
//! one ([`Log`]). Merging can run concurrently with both ([`Log::tidy`]). Segments are [`SegmentFile`]s, with the same
//! layout in memory and mapped; a manifest lists those of an index. Each [`Segment`] type defines the values of a row;
//! every row has an id, optionally a time, and optionally a payload.
//!
//! Source: O'Neil, Cheng, Gawlick, O'Neil: The log-structured merge-tree, Acta Informatica 1996 (merging by size).

mod files;
mod labels;
mod log;
mod merging;
mod payloads;
mod rows;
mod state;

use crate::index::segment_file::{Refused, SegmentFile};

pub use files::Files;
pub use labels::{Labels, Window};
pub use log::{AddFailed, LARGEST_ID, Log, Size};
pub use payloads::Payloads;
pub use rows::{Rows, Values};
pub use state::{Dead, Sealed, State};

/// Properties common to all segments of an index, such as the design of its tables.
pub trait Common: Sized + Send + Sync {
    /// Serializes the properties for a manifest.
    fn to_text(&self) -> String;
    /// Parses the text in a manifest; None if it is invalid.
    fn from_text(text: &str) -> Option<Self>;

    /// Reads the properties from the manifest of an index.
    ///
    /// # Errors
    /// It is damaged.
    fn of_manifest(manifest: &SegmentFile) -> Result<Self, Refused> {
        let text = manifest.read_all(manifest.column::<u8>("design")?)?;
        let common = std::str::from_utf8(text).ok().and_then(Self::from_text);
        common.ok_or_else(|| Refused::Damaged("a design that cannot be read".into()))
    }
}

impl Common for () {
    fn to_text(&self) -> String {
        String::new()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.is_empty().then_some(())
    }
}

/// Rows in a [`SegmentFile`], ordered for searching.
pub trait Segment: Sized + Send + Sync {
    /// The properties common to all segments of an index.
    type Common: Common;
    /// The contents of a row in addition to its id and time.
    type Values: Values;

    /// File kind of segments.
    const SEGMENT: [u8; 4];
    /// File kind of manifests.
    const MANIFEST: [u8; 4];
    /// Number of rows that are collected before a segment is built.
    const RECENT: usize;
    /// Maximum weight of a merged segment. It bounds the additional memory of a merge.
    const LARGEST: usize;

    /// Builds a segment from rows.
    fn build(common: &Self::Common, rows: Rows<Self::Values>) -> Self;

    /// Opens a file as a segment.
    ///
    /// # Errors
    /// It belongs to an index with other properties, or its columns are inconsistent.
    fn open(file: SegmentFile, common: &Self::Common) -> Result<Self, Refused>;

    /// Merges the living rows of several segments in insertion order; None if there are no rows.
    ///
    /// # Errors
    /// A segment is damaged.
    fn merge(common: &Self::Common, parts: &[Sealed<Self>]) -> Result<Option<Self>, Refused>;

    /// The underlying file.
    fn file(&self) -> &SegmentFile;

    /// Ids, times and payloads of its rows.
    fn labels(&self) -> &Labels;

    /// Cost of merging it, in units of [`Values::weight`].
    fn weight(&self) -> usize;
}
