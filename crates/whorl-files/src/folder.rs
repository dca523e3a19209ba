//! A folder of segment files. Every file is written beside its final name and then given it, so whatever has a final
//! name is whole; the manifest with the highest number says which segments count.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use whorl_core::index::segment_file::{Refused, SegmentFile};
use whorl_core::index::segments::{Files, Log, Segment, State};

use crate::disk::{Disk, Held, System};
use crate::names::{LOCK, generation_of, is_index_file, manifest_path, part_path, segment_path};

/// How often a reader looks again when a writer has replaced what it was about to open.
const ATTEMPTS: usize = 5;

/// The kinds of the files of one sort of index.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    manifest: [u8; 4],
    segment: [u8; 4],
}

impl Kinds {
    /// Those of the index whose segments these are.
    pub const fn of<S: Segment>() -> Self {
        Self { manifest: S::MANIFEST, segment: S::SEGMENT }
    }
}

/// The folder in which an index was saved last, and the number of its manifest there.
pub struct Home<D = System> {
    place: Mutex<Option<(PathBuf, u64)>>,
    held: Held,
    disk: D,
}

impl<D: Disk> Home<D> {
    /// That of an index that was not saved yet.
    pub fn new(held: Held, disk: D) -> Self {
        Self { place: Mutex::default(), held, disk }
    }

    /// That of an index that was opened.
    pub fn at(folder: PathBuf, number: u64, held: Held, disk: D) -> Self {
        Self { place: Mutex::new(Some((folder, number))), held, disk }
    }

    /// Writes what the folder does not have yet. What was written is read from there from now on.
    ///
    /// # Errors
    /// As [`Self::save_state`].
    pub fn save<S: Segment>(&self, log: &Log<S>, folder: PathBuf) -> Result<(), Failed> {
        let sealed = log.sealed().map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        self.save_state(log, &sealed, folder, false)
    }

    /// Writes what the folder does not have yet of a state that the log had once, in the place of any other index there
    /// if so wanted. What was written is read from there from now on.
    ///
    /// # Errors
    /// The folder holds something else, or the system refuses a step. What it held before is still there then, and
    /// still whole.
    ///
    /// # Panics
    /// When another thread panicked while it saved.
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
        let found = newest(disk, &folder)?;
        let known = home.as_ref().filter(|(known, _)| *known == folder).map(|&(_, number)| number);
        if found != known && !replace {
            return Err(Failed::Occupied(folder));
        }
        let number = found.map_or(1, |found| found + 1);
        let Files { manifest, segments } = state.to_files(log.common(), number);
        let files: Vec<_> = segments.iter().map(|segment| segment.file()).collect();
        let commit = Commit { disk, folder: &folder, number, segments: &files, kind: S::SEGMENT, replace };
        let written = commit.make(&manifest)?;
        let files = written.iter().map(|path| load(disk, path, S::SEGMENT, self.held)).collect::<Result<_, _>>()?;
        log.read_from(files).map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        *home = Some((folder, number));
        Ok(())
    }
}

/// Why a folder cannot be opened or written.
#[derive(Debug)]
pub enum Failed {
    /// The system refuses a file.
    File(PathBuf, io::Error),
    /// A file is not, or is no longer, what it should be.
    Refused(PathBuf, Refused),
    /// The folder holds an index that is not the one to be replaced.
    Occupied(PathBuf),
    /// The folder holds a file of something else.
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

/// The newest index of a folder: its number, its manifest, its segments in order.
///
/// # Errors
/// There is none, or one of its files is damaged or cannot be read.
pub fn open(
    disk: &impl Disk,
    folder: &Path,
    kinds: Kinds,
    held: Held,
) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    let mut attempt = 1;
    loop {
        match open_once(disk, folder, kinds, held) {
            Err(Failed::File(_, error)) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}

fn open_once(
    disk: &impl Disk,
    folder: &Path,
    kinds: Kinds,
    held: Held,
) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    // A listing may miss a manifest that takes the place of another meanwhile, but not twice.
    let Some(generation) = newest(disk, folder)?.or(newest(disk, folder)?) else {
        return Err(Failed::Refused(folder.to_owned(), Refused::Foreign("it has no manifest".into())));
    };
    let path = manifest_path(folder, generation);
    let manifest = load(disk, &path, kinds.manifest, held)?;
    let names = names(&manifest).map_err(|refused| Failed::Refused(path, refused))?;
    let segments = names.into_iter().map(|name| load(disk, &segment_path(folder, name), kinds.segment, held));
    Ok((generation, manifest, segments.collect::<Result<_, _>>()?))
}

/// An index that is written under a number into a folder.
struct Commit<'c, D> {
    disk: &'c D,
    folder: &'c Path,
    number: u64,
    segments: &'c [&'c SegmentFile],
    kind: [u8; 4],
    /// Whether segments that are there may be damaged.
    replace: bool,
}

impl<D: Disk> Commit<'_, D> {
    /// Writes it; returns the files of the segments that were not there, or were damaged.
    ///
    /// When anything fails, what the folder held before is still there and still whole.
    fn make(&self, manifest: &SegmentFile) -> Result<Vec<PathBuf>, Failed> {
        let (mut written, mut fresh) = (Vec::new(), Vec::new());
        let made =
            self.write_segments(&mut written, &mut fresh).and_then(|()| self.write_manifest(manifest, &mut fresh));
        if let Err(failed) = made {
            // The manifest is the last of them. One that stays names segments that must stay too; segments that stay
            // are without effect.
            _ = fresh.iter().rev().try_for_each(|path| self.disk.remove(path));
            return Err(failed);
        }
        // The index is written; a file that cannot be removed (mapped, on some systems) only takes room.
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
        // No manifest may outlive a power cut that names a segment which does not.
        if written.is_empty() { Ok(()) } else { self.disk.sync_folder(self.folder).map_err(at(self.folder)) }
    }

    fn write_manifest(&self, manifest: &SegmentFile, fresh: &mut Vec<PathBuf>) -> Result<(), Failed> {
        let path = manifest_path(self.folder, self.number);
        let part = self.write_part(&path, manifest)?;
        // Unlike a renaming, a link fails when another writer was faster.
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

    /// Whether a segment that is there says what it did when it was written.
    fn is_whole(&self, path: &Path) -> bool {
        load(self.disk, path, self.kind, Held::Read).is_ok_and(|file| file.verify().is_ok())
    }

    /// Writes a file beside its final name, down to the disk; leaves nothing when that fails.
    fn write_part(&self, path: &Path, content: &SegmentFile) -> Result<PathBuf, Failed> {
        let part = part_path(path);
        self.disk.write(&part, &content.parts()).map_err(|error| {
            let _ = self.disk.remove(&part);
            Failed::File(path.to_owned(), error)
        })?;
        Ok(part)
    }

    /// Removes what the manifest does not name: what it replaced, and what a writer left that was killed.
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

/// A file of a folder that no index wrote, if there is one.
fn foreign(disk: &impl Disk, folder: &Path) -> Result<Option<String>, Failed> {
    let names = disk.names(folder).map_err(at(folder))?;
    let foreign = names.into_iter().find(|name| name != LOCK && !is_index_file(name));
    Ok(foreign.map(|name| name.to_string_lossy().into_owned()))
}

/// The segments that a manifest names.
fn names(manifest: &SegmentFile) -> Result<Vec<u64>, Refused> {
    Ok(manifest.read_all(manifest.column::<u64>("segments")?)?.to_vec())
}

fn newest(disk: &impl Disk, folder: &Path) -> Result<Option<u64>, Failed> {
    let names = disk.names(folder).map_err(at(folder))?;
    Ok(names.iter().filter_map(|name| generation_of(name)).max())
}

fn load(disk: &impl Disk, path: &Path, kind: [u8; 4], held: Held) -> Result<SegmentFile, Failed> {
    let bytes = disk.open(path, held).map_err(at(path))?;
    SegmentFile::open(bytes, kind).map_err(|refused| Failed::Refused(path.to_owned(), refused))
}
