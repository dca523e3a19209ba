//! The files of whorl: folders of segment files that an index is saved in, and rows that are read again.
//!
//! A folder holds *segments*, which never change, and a *manifest*, which names those that count. The manifest with the
//! highest number is that of the index. A commit is made of these steps:
//!
//! ```text
//! lock ─→ write each new segment beside its name, down to the disk ─→ rename it ─→ sync the folder
//!      ─→ write the manifest beside its name, down to the disk ─→ link it to its name ─→ sync the folder
//!      ─→ remove what the manifest does not name
//! ```
//!
//! So whatever has a final name is whole, and a manifest that is on the disk names segments that are: a crash between
//! any two steps leaves what was there before, or what was to be there. A [`Disk`] does the steps; [`System`] is the one
//! of the operating system.

mod disk;
mod folder;
mod names;
mod rows;

pub use disk::{Disk, Held, System};
pub use folder::{Failed, Home, Kinds, open};
pub use rows::{RowFiles, RowsFailed, copy_ranges};
