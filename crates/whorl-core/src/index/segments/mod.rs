//! What every index keeps its rows in: segments that never change, and the rows that came after them.
//!
//! ```text
//! rows ─add→ recent ─seal→ segment ─merge→ fewer, larger segments
//!                           └─bury→ removed rows, until they are merged away
//! ```
//!
//! An index is many readers and one writer: a reader keeps the [`State`] it began with, a writer puts a new one in its
//! place ([`Log`]). Merging may run beside both ([`Log::tidy`]). Segments lie in [`SegmentFile`]s and are the same in memory and mapped; a manifest names those of an
//! index. What a row holds is up to the [`Segment`]; that it has an id, and perhaps a time, is not.
//!
//! Source: O'Neil, Cheng, Gawlick, O'Neil: The log-structured merge-tree, Acta Informatica 1996 (merging by size).

mod files;
mod labels;
mod log;
mod merging;
mod rows;
mod state;

use crate::index::segment_file::{Refused, SegmentFile};

pub use files::Files;
pub use labels::{Labels, Window};
pub use log::{AddFailed, LARGEST_ID, Log, Size};
pub use rows::{Rows, Values};
pub use state::{Dead, Sealed, State};

/// What the segments of one index have in common, such as the design of its tables.
pub trait Common: Sized + Send + Sync {
    /// As it is written in a manifest.
    fn to_text(&self) -> String;
    /// What a manifest says; none when it cannot be read.
    fn from_text(text: &str) -> Option<Self>;

    /// What the manifest of an index says.
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

/// Rows in a [`SegmentFile`], ordered so that they are found.
pub trait Segment: Sized + Send + Sync {
    /// What all segments of an index agree in.
    type Common: Common;
    /// What a row holds beside its id and time.
    type Values: Values;

    /// The kind of the files of segments.
    const SEGMENT: [u8; 4];
    /// The kind of a manifest.
    const MANIFEST: [u8; 4];
    /// As many rows wait to become a segment.
    const RECENT: usize;
    /// The weight that no segment made by merging exceeds. It bounds the memory that making one takes beside it.
    const LARGEST: usize;

    /// Makes a segment of rows.
    fn build(common: &Self::Common, rows: Rows<Self::Values>) -> Self;

    /// Takes a file for a segment.
    ///
    /// # Errors
    /// It belongs to an index that has other things in common, or its columns do not fit each other.
    fn open(file: SegmentFile, common: &Self::Common) -> Result<Self, Refused>;

    /// One segment of what is alive in several, in the order of adding; none of nothing.
    ///
    /// # Errors
    /// One of them is damaged.
    fn merge(common: &Self::Common, parts: &[Sealed<Self>]) -> Result<Option<Self>, Refused>;

    /// The file it lies in.
    fn file(&self) -> &SegmentFile;

    /// Ids and times of its rows.
    fn labels(&self) -> &Labels;

    /// What merging it costs, in units of [`Values::weight`].
    fn weight(&self) -> usize;
}
