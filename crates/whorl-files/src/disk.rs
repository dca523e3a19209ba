//! File-system primitives of a commit.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use memmap2::{Mmap, MmapMut};
use whorl_core::index::segment_file::Body;

/// How index files are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Memory-mapped: opens instantly at any size, but the process crashes if another program truncates the file.
    Mapped,
    /// Read into memory, for folders that other programs write to.
    Read,
}

/// The file-system operations that a commit needs.
///
/// Every method is atomic with respect to crashes, except for [`write`](Self::write), which may be interrupted halfway.
/// Tests replace the operating system with a model that crashes at any step.
pub trait Disk: Send + Sync {
    /// Lock guard; dropping it releases the lock.
    type Lock;

    /// Creates a folder and its missing parents, and syncs their names to disk.
    ///
    /// # Errors
    /// The operating system reports an error; this applies to all methods below.
    fn create_folder(&self, folder: &Path) -> io::Result<()>;
    /// Lists the names in a folder.
    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>>;
    /// Opens a file; its memory is aligned for numbers.
    fn open(&self, path: &Path, access: Access) -> io::Result<Body>;
    /// Writes a file and syncs its contents. Its name may still be lost in a crash.
    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()>;
    /// Renames a file, replacing any existing file of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Adds a second name to a file; fails if the name exists.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a name.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Syncs the names of a folder to disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Blocks until the lock is available and acquires it.
    fn lock(&self, path: &Path) -> io::Result<Self::Lock>;
}

/// The file system of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Disk for System {
    type Lock = File;

    fn create_folder(&self, folder: &Path) -> io::Result<()> {
        let missing: Vec<_> = folder.ancestors().take_while(|path| !path.exists()).collect();
        fs::create_dir_all(folder)?;
        missing.iter().filter_map(|path| path.parent()).try_for_each(|path| self.sync_folder(path))
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Body> {
        Ok(Box::new(match access {
            Access::Mapped => map(path)?,
            Access::Read => read(path)?,
        }))
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let mut file = File::create(path)?;
        parts.iter().try_for_each(|bytes| file.write_all(bytes))?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // The parent of a bare file name is the current folder.
        match File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }) {
            // A folder may be writable without being readable.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
            opened => opened?.sync_all(),
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(path)?;
        file.lock()?;
        Ok(file)
    }
}

/// Files that [`sync_files`] syncs at the same time.
const AT_ONCE: usize = 16;

/// Syncs the contents of files to disk, several at the same time.
///
/// A file system commits them together; one after the other takes several times as long.
///
/// # Errors
/// A file that cannot be synced; others may have been.
pub fn sync_files(paths: &[PathBuf]) -> Result<(), (PathBuf, io::Error)> {
    let next = AtomicUsize::new(0);
    let sync_some = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Windows syncs only what is open for writing.
            let synced = File::options().write(true).open(path).and_then(|file| file.sync_all());
            synced.map_err(|error| (path.clone(), error))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        // Where the system refuses a thread, the others do its work.
        let spawned =
            (1..paths.len().min(AT_ONCE)).map_while(|_| thread::Builder::new().spawn_scoped(scope, sync_some).ok());
        let threads: Vec<_> = spawned.collect();
        let here = sync_some();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .fold(here, Result::and)
    })
}

#[allow(unsafe_code, reason = "maps a file, which nothing can promise will stay as it is")]
fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: a file with a final name is never modified, only unlinked, which leaves a mapping intact.
    unsafe { Mmap::map(&file) }
}

/// Reads a file into page-aligned memory, as numbers require.
fn read(path: &Path) -> io::Result<Mmap> {
    let mut file = File::open(path)?;
    let mut memory = MmapMut::map_anon(usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?.max(1))?;
    file.read_exact(&mut memory)?;
    memory.make_read_only()
}
