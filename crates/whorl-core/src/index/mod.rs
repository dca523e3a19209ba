//! Indexes that find documents with common keys or similar codes: [`group`] for all documents of a corpus, [`inverted`]
//! and [`hamming`] for documents that keep arriving. The latter two store their rows in [`segments`], each of which is
//! a [`segment_file`].

pub mod group;
pub mod hamming;
pub mod inverted;
pub mod segment_file;
pub mod segments;
