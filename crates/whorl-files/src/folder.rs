//! A folder of segment files.
//!
//! Every file is written under a temporary name and then renamed, so a file with a final name is always complete. The
//! manifest with the highest number lists the live segments.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use whorl_core::index::segment_file::{Refused, SegmentFile};
use whorl_core::index::segments::{Files, Log, Segment, State};

use crate::disk::{Access, Disk, System};
use crate::names::{LOCK, generation_of, is_index_file, manifest_path, part_path, segment_path};

/// How often a reader retries if a writer replaces the files it is about to open.
const ATTEMPTS: usize = 5;

/// File kinds of one type of index.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    manifest: [u8; 4],
    segment: [u8; 4],
}

impl Kinds {
    /// The kinds of the index with segments of type `S`.
    pub const fn of<S: Segment>() -> Self {
        Self { manifest: S::MANIFEST, segment: S::SEGMENT }
    }
}

/// The folder that an index was last saved in, and the number of its manifest.
pub struct Home<D = System> {
    place: Mutex<Option<(PathBuf, u64)>>,
    access: Access,
    disk: D,
}

impl<D: Disk> Home<D> {
    /// The home of an index that has not been saved yet.
    pub fn new(access: Access, disk: D) -> Self {
        Self { place: Mutex::default(), access, disk }
    }

    /// The home of an index that was opened from a folder.
    pub fn at(folder: PathBuf, number: u64, access: Access, disk: D) -> Self {
        Self { place: Mutex::new(Some((folder, number))), access, disk }
    }

    /// Writes what the folder does not have yet. From then on, written segments are read from the folder.
    ///
    /// # Errors
    /// As [`Self::save_state`].
    pub fn save<S: Segment>(&self, log: &Log<S>, folder: PathBuf) -> Result<(), Failed> {
        let sealed = log.sealed().map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        self.save_state(log, &sealed, folder, false)
    }

    /// Writes what the folder does not have yet of an earlier state of the log. With `replace`, any other index in the
    /// folder is replaced. From then on, written segments are read from the folder.
    ///
    /// # Errors
    /// The folder contains something else, or a step fails. The previous contents are then still complete.
    ///
    /// # Panics
    /// If another thread panicked while saving.
    pub fn save_state<S: Segment>(
        &self,
        log: &Log<S>,
        state: &Arc<State<S>>,
        folder: PathBuf,
        replace: bool,
    ) -> Result<(), Failed> {
        let disk = &self.disk;
        let mut home = self.place.lock().expect("no thread panicked with it");
        disk.create_folder(&folder).map_err(at(&folder))?;
        if newest(disk, &folder)?.is_none()
            && let Some(name) = foreign(disk, &folder)?
        {
            return Err(Failed::Foreign(folder, name));
        }
        let lock = folder.join(LOCK);
        let _lock = disk.lock(&lock).map_err(at(&lock))?;
        let current = newest(disk, &folder)?;
        let saved = home.as_ref().filter(|(saved, _)| *saved == folder).map(|&(_, number)| number);
        if current != saved && !replace {
            return Err(Failed::Occupied(folder));
        }
        let number = current.map_or(1, |current| current + 1);
        let Files { manifest, segments } = state.to_files(log.common(), number);
        let files: Vec<_> = segments.iter().map(|segment| segment.file()).collect();
        let commit = Commit { disk, folder: &folder, number, segments: &files, kind: S::SEGMENT, replace };
        let written = commit.make(&manifest)?;
        let files = written.iter().map(|path| load(disk, path, S::SEGMENT, self.access)).collect::<Result<_, _>>()?;
        log.read_from(files).map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        *home = Some((folder, number));
        Ok(())
    }
}

/// Error of opening or writing a folder.
#[derive(Debug)]
pub enum Failed {
    /// The operating system reports an error for a file.
    File(PathBuf, io::Error),
    /// A file is invalid or was changed.
    Refused(PathBuf, Refused),
    /// The folder contains a different index than the one to replace.
    Occupied(PathBuf),
    /// The folder contains a foreign file.
    Foreign(PathBuf, String),
}

impl fmt::Display for Failed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(to, "{}: {error}", path.display()),
            Self::Refused(path, refused) => write!(to, "{}: {refused}", path.display()),
            Self::Occupied(path) => write!(to, "{} holds another index", path.display()),
            Self::Foreign(path, name) => write!(to, "{} holds {name}, which is no part of an index", path.display()),
        }
    }
}

impl std::error::Error for Failed {}

fn at(path: &Path) -> impl Fn(io::Error) -> Failed {
    move |error| Failed::File(path.to_owned(), error)
}

/// Opens the newest index of a folder: its number, its manifest, and its segments in order.
///
/// # Errors
/// There is no index, or one of its files is damaged or unreadable.
pub fn open(
    disk: &impl Disk,
    folder: &Path,
    kinds: Kinds,
    access: Access,
) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    let mut attempt = 1;
    loop {
        match open_once(disk, folder, kinds, access) {
            Err(Failed::File(_, error)) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}

fn open_once(
    disk: &impl Disk,
    folder: &Path,
    kinds: Kinds,
    access: Access,
) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    // A listing may miss a manifest that replaces another one concurrently, but not twice in a row.
    let Some(generation) = newest(disk, folder)?.or(newest(disk, folder)?) else {
        return Err(Failed::Refused(folder.to_owned(), Refused::Foreign("it has no manifest".into())));
    };
    let path = manifest_path(folder, generation);
    let manifest = load(disk, &path, kinds.manifest, access)?;
    let names = names(&manifest).map_err(|refused| Failed::Refused(path, refused))?;
    let segments = names.into_iter().map(|name| load(disk, &segment_path(folder, name), kinds.segment, access));
    Ok((generation, manifest, segments.collect::<Result<_, _>>()?))
}

/// The state of an index being written to a folder under a number.
struct Commit<'c, D> {
    disk: &'c D,
    folder: &'c Path,
    number: u64,
    segments: &'c [&'c SegmentFile],
    kind: [u8; 4],
    /// Whether existing segments must be checked for damage.
    replace: bool,
}

impl<D: Disk> Commit<'_, D> {
    /// Writes the index. Returns the files of segments that were missing or damaged.
    ///
    /// If a step fails, the previous contents of the folder are still complete.
    fn make(&self, manifest: &SegmentFile) -> Result<Vec<PathBuf>, Failed> {
        let (mut written, mut fresh) = (Vec::new(), Vec::new());
        let outcome =
            self.write_segments(&mut written, &mut fresh).and_then(|()| self.write_manifest(manifest, &mut fresh));
        if let Err(failed) = outcome {
            // The manifest is removed first: a manifest that remained would need its segments. Leftover segments are
            // harmless.
            _ = fresh.iter().rev().try_for_each(|path| self.disk.remove(path));
            return Err(failed);
        }
        // The commit is complete; a file that cannot be removed (mapped, on some systems) only wastes space.
        _ = self.remove_unnamed();
        Ok(written)
    }

    fn write_segments(&self, written: &mut Vec<PathBuf>, fresh: &mut Vec<PathBuf>) -> Result<(), Failed> {
        let there = self.disk.names(self.folder).map_err(at(self.folder))?;
        for segment in self.segments {
            let path = segment_path(self.folder, segment.identity());
            let is_there = there.iter().any(|name| Some(name.as_os_str()) == path.file_name());
            if is_there && (!self.replace || self.is_whole(&path)) {
                continue;
            }
            let part = self.write_part(&path, segment)?;
            self.disk.rename(&part, &path).map_err(at(&path))?;
            if !is_there {
                fresh.push(path.clone());
            }
            written.push(path);
        }
        // Sync the segments first: after a power failure, no manifest may name a missing segment.
        if written.is_empty() { Ok(()) } else { self.disk.sync_folder(self.folder).map_err(at(self.folder)) }
    }

    fn write_manifest(&self, manifest: &SegmentFile, fresh: &mut Vec<PathBuf>) -> Result<(), Failed> {
        let path = manifest_path(self.folder, self.number);
        let part = self.write_part(&path, manifest)?;
        // Unlike a rename, a link fails if another writer was faster.
        let linked = self.disk.link(&part, &path);
        let _ = self.disk.remove(&part);
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(Failed::Occupied(self.folder.to_owned()));
            }
            linked => linked.map_err(at(&path))?,
        }
        fresh.push(path);
        self.disk.sync_folder(self.folder).map_err(at(self.folder))
    }

    /// True if an existing segment still has its original contents.
    fn is_whole(&self, path: &Path) -> bool {
        load(self.disk, path, self.kind, Access::Read).is_ok_and(|file| file.verify().is_ok())
    }

    /// Writes a file under a temporary name and syncs it; removes it on failure.
    fn write_part(&self, path: &Path, content: &SegmentFile) -> Result<PathBuf, Failed> {
        let part = part_path(path);
        self.disk.write(&part, &content.parts()).map_err(|error| {
            let _ = self.disk.remove(&part);
            Failed::File(path.to_owned(), error)
        })?;
        Ok(part)
    }

    /// Removes files that the manifest does not name: replaced segments and leftovers of killed writers.
    fn remove_unnamed(&self) -> io::Result<()> {
        let of_segment = |segment: &&SegmentFile| segment_path(self.folder, segment.identity());
        let named: Vec<PathBuf> = self.segments.iter().map(of_segment).collect();
        let manifest = manifest_path(self.folder, self.number);
        for name in self.disk.names(self.folder)? {
            let path = self.folder.join(&name);
            if is_index_file(&name) && path != manifest && !named.contains(&path) {
                _ = self.disk.remove(&path);
            }
        }
        Ok(())
    }
}

/// Returns a file in the folder that does not belong to an index, if any.
fn foreign(disk: &impl Disk, folder: &Path) -> Result<Option<String>, Failed> {
    let names = disk.names(folder).map_err(at(folder))?;
    let foreign = names.into_iter().find(|name| name != LOCK && !is_index_file(name));
    Ok(foreign.map(|name| name.to_string_lossy().into_owned()))
}

/// Reads the segments named by a manifest.
fn names(manifest: &SegmentFile) -> Result<Vec<u64>, Refused> {
    Ok(manifest.read_all(manifest.column::<u64>("segments")?)?.to_vec())
}

fn newest(disk: &impl Disk, folder: &Path) -> Result<Option<u64>, Failed> {
    let names = disk.names(folder).map_err(at(folder))?;
    Ok(names.iter().filter_map(|name| generation_of(name)).max())
}

fn load(disk: &impl Disk, path: &Path, kind: [u8; 4], access: Access) -> Result<SegmentFile, Failed> {
    let bytes = disk.open(path, access).map_err(at(path))?;
    SegmentFile::open(bytes, kind).map_err(|refused| Failed::Refused(path.to_owned(), refused))
}
