//! The steps that a commit is made of.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use memmap2::{Mmap, MmapMut};
use whorl_core::index::segment_file::Body;

/// How the files of an index are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Mapped: at once, whatever their size; but who shortens one ends the process that looks into it.
    Mapped,
    /// Read into memory, for folders that others write to.
    Read,
}

/// Where folders lie. Every method is one step: a crash finds it done or not done, but for [`write`](Self::write), which
/// it may find half done.
pub trait Disk: Send + Sync {
    /// What lets others write as soon as it is dropped.
    type Lock;

    /// Makes a folder, and those above it, unless it is there; their names are on the disk.
    ///
    /// # Errors
    /// The system refuses it; so with all that follow.
    fn create_folder(&self, folder: &Path) -> io::Result<()>;
    /// The names in a folder.
    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>>;
    /// The bytes of a file, where numbers lie straight.
    fn open(&self, path: &Path, held: Held) -> io::Result<Body>;
    /// Writes a file, down to the disk; its name may not be there after a crash.
    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()>;
    /// Gives a file another name, in the place of any other file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name, which no other file has.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a name.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Brings the names of a folder down to the disk.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Waits until nobody else has this lock, and takes it.
    fn lock(&self, path: &Path) -> io::Result<Self::Lock>;
}

/// The disks of the operating system.
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

    fn open(&self, path: &Path, held: Held) -> io::Result<Body> {
        Ok(Box::new(match held {
            Held::Mapped => map(path)?,
            Held::Read => read(path)?,
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
        // The parent of a relative path of one name is here.
        match File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }) {
            // One that may be written to and not be read.
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

#[allow(unsafe_code, reason = "maps a file, which nothing can promise will stay as it is")]
fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: a file with a final name is never written to again, only removed, which leaves a mapping as it is.
    unsafe { Mmap::map(&file) }
}

/// The bytes of a file in pages of memory, which numbers need to lie straight.
fn read(path: &Path) -> io::Result<Mmap> {
    let mut file = File::open(path)?;
    let mut memory = MmapMut::map_anon(usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?.max(1))?;
    file.read_exact(&mut memory)?;
    memory.make_read_only()
}
