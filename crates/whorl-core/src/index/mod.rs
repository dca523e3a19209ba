//! Who shares a key with whom, and whose code is near: [`group`] for all documents at once, [`inverted`] and
//! [`hamming`] for documents that keep arriving. These two keep their rows in [`segments`], each of which is a
//! [`segment_file`].

pub mod group;
pub mod hamming;
pub mod inverted;
pub mod segment_file;
pub mod segments;
