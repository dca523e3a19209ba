//! Storage: index folders made of segment files, and rows reread from input files.
//!
//! # Problem
//!
//! An index must survive a crash at any moment, readers must not block writers, and a save should cost only what
//! changed.
//!
//! # Design
//!
//! A folder contains immutable *segments* and a *manifest* that lists the live ones. The manifest with the highest
//! number is current. A commit consists of these steps:
//!
//! ```text
//! lock ─→ write each new segment to a temporary name, fsync ─→ rename ─→ fsync the folder
//!      ─→ write the manifest to a temporary name, fsync ─→ link to its final name ─→ fsync the folder
//!      ─→ remove files that the manifest does not list
//! ```
//!
//! A file with a final name is therefore complete, and a manifest on disk lists only segments on disk. A crash between
//! two steps leaves either the old state or the new one. All steps go through a [`Disk`], so that tests can crash at
//! each of them; [`System`] is the implementation for the operating system.

mod disk;
mod folder;
mod names;
mod rows;

pub use disk::{Access, Disk, System, sync_files};
pub use folder::{Failed, Home, Kinds, open};
pub use rows::{RowFiles, RowsFailed, copy_ranges};
