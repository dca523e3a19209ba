//! A folder of segment files. Every file is written beside its final name and then given it, so whatever has a final
//! name is whole; the manifest with the highest number says which segments count.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use memmap2::{Mmap, MmapMut};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use whorl_core::segment_file::{Refused, SegmentFile};
use whorl_core::segments::{AddFailed, Files, Log, Segment, State};

use crate::refusals::usage_error;

pyo3::create_exception!(
    whorl._core,
    RefusedFile,
    PyValueError,
    "A file that is not, or is no longer, what it should be."
);

/// How often a reader looks again when a writer has replaced what it was about to open.
const ATTEMPTS: usize = 5;
/// The file that whoever writes into a folder has locked.
const LOCK: &str = "saving.lock";
const MANIFEST_DIGITS: usize = 10;
const SEGMENT_DIGITS: usize = 16;

/// The kinds of the files of one sort of index.
#[derive(Clone, Copy)]
pub struct Kinds {
    manifest: [u8; 4],
    segment: [u8; 4],
}

impl Kinds {
    pub const fn of<S: Segment>() -> Self {
        Self { manifest: S::MANIFEST, segment: S::SEGMENT }
    }
}

/// How the files of an index are held.
#[derive(Clone, Copy, Default)]
pub enum Held {
    /// Mapped: at once, whatever their size; but who shortens one ends the process that looks into it.
    #[default]
    Mapped,
    /// Read into memory, for folders that others write to.
    Read,
}

impl Held {
    pub fn of(mapped: bool) -> Self {
        if mapped { Self::Mapped } else { Self::Read }
    }
}

/// The folder in which an index was saved last, and the number of its manifest there.
#[derive(Default)]
pub struct Home {
    place: Mutex<Option<(PathBuf, u64)>>,
    held: Held,
}

impl Home {
    pub fn at(folder: PathBuf, number: u64, held: Held) -> Self {
        Self { place: Mutex::new(Some((folder, number))), held }
    }

    /// Writes what the folder does not have yet. What was written is read from there from now on.
    pub fn save<S: Segment>(&self, log: &Log<S>, folder: PathBuf) -> Result<(), Failed> {
        let sealed = log.sealed().map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        self.save_state(log, &sealed, folder, false)
    }

    /// Writes what the folder does not have yet of a state that the log had once, in the place of any other index there
    /// if so wanted. What was written is read from there from now on.
    pub fn save_state<S: Segment>(
        &self,
        log: &Log<S>,
        state: &Arc<State<S>>,
        folder: PathBuf,
        replace: bool,
    ) -> Result<(), Failed> {
        let mut home = self.place.lock().expect("no thread panicked with it");
        make_folder(&folder).map_err(at(&folder))?;
        if newest(&folder)?.is_none()
            && let Some(name) = foreign(&folder).map_err(at(&folder))?
        {
            return Err(Failed::Foreign(folder, name));
        }
        let _lock = locked(&folder)?;
        let found = newest(&folder)?;
        let known = home.as_ref().filter(|(known, _)| *known == folder).map(|&(_, number)| number);
        if found != known && !replace {
            return Err(Failed::Occupied(folder));
        }
        let number = found.map_or(1, |found| found + 1);
        let Files { manifest, segments } = state.to_files(log.common(), number);
        let files: Vec<_> = segments.iter().map(|segment| segment.file()).collect();
        let written = commit(&folder, number, &manifest, &files, S::SEGMENT, replace)?;
        let files = written.iter().map(|path| load(path, S::SEGMENT, self.held)).collect::<Result<_, _>>()?;
        log.read_from(files).map_err(|refused| Failed::Refused(folder.clone(), refused))?;
        *home = Some((folder, number));
        Ok(())
    }
}

/// Why a folder cannot be opened or written.
pub enum Failed {
    File(PathBuf, io::Error),
    Refused(PathBuf, Refused),
    /// The folder holds an index that is not the one to be replaced.
    Occupied(PathBuf),
    /// The folder holds a file of something else.
    Foreign(PathBuf, String),
}

impl From<Failed> for PyErr {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::File(path, error) => PyOSError::new_err((error.raw_os_error(), error.to_string(), path)),
            Failed::Refused(path, refused) => RefusedFile::new_err(format!("{}: {refused}", path.display())),
            Failed::Occupied(path) => PyFileExistsError::new_err(path),
            Failed::Foreign(path, name) => usage_error(
                &format!("{} holds {name}, which is no part of an index", path.display()),
                "save the index in a folder of its own, new or empty",
            ),
        }
    }
}

/// What is told of rows that were not added.
pub fn not_added(failed: AddFailed) -> PyErr {
    match failed {
        AddFailed::Contradiction(why) => PyValueError::new_err(why),
        AddFailed::Refused(refused) => RefusedFile::new_err(refused.to_string()),
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> Failed {
    move |error| Failed::File(path.to_owned(), error)
}

/// The newest index of a folder: its number, its manifest, its segments in order.
pub fn open(folder: &Path, kinds: Kinds, held: Held) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    let mut attempt = 1;
    loop {
        match open_once(folder, kinds, held) {
            Err(Failed::File(_, error)) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}

fn open_once(folder: &Path, kinds: Kinds, held: Held) -> Result<(u64, SegmentFile, Vec<SegmentFile>), Failed> {
    // A listing may miss a manifest that takes the place of another meanwhile, but not twice.
    let Some(generation) = newest(folder)?.or(newest(folder)?) else {
        return Err(Failed::Refused(folder.to_owned(), Refused::Foreign("it has no manifest".into())));
    };
    let path = manifest_path(folder, generation);
    let manifest = load(&path, kinds.manifest, held)?;
    let names = names(&manifest).map_err(|refused| Failed::Refused(path, refused))?;
    let segments = names.into_iter().map(|name| load(&segment_path(folder, name), kinds.segment, held));
    Ok((generation, manifest, segments.collect::<Result<_, _>>()?))
}

/// Writes an index under a number into a folder; returns the files of the segments that were not there, or were damaged
/// in an index that is replaced.
///
/// When anything fails, what the folder held before is still there and still whole.
fn commit(
    folder: &Path,
    generation: u64,
    manifest: &SegmentFile,
    segments: &[&SegmentFile],
    kind: [u8; 4],
    replace: bool,
) -> Result<Vec<PathBuf>, Failed> {
    let mut written = Vec::new();
    let committed = write_all(folder, generation, manifest, segments, kind, replace, &mut written);
    if let Err(failed) = committed {
        // What cannot be removed is without effect: no manifest names it.
        written.iter().for_each(|path| _ = fs::remove_file(path));
        return Err(failed);
    }
    // The index is written; a file that cannot be removed (mapped, on some systems) only takes room.
    _ = remove_unnamed(folder, generation, segments);
    Ok(written)
}

/// The lock of a folder, which its end lets go, so that nobody removes what another is writing.
fn locked(folder: &Path) -> Result<File, Failed> {
    let path = folder.join(LOCK);
    let lock = || {
        let file = File::options().create(true).append(true).open(&path)?;
        file.lock()?;
        Ok(file)
    };
    lock().map_err(at(&path))
}

fn write_all(
    folder: &Path,
    generation: u64,
    manifest: &SegmentFile,
    segments: &[&SegmentFile],
    kind: [u8; 4],
    replace: bool,
    written: &mut Vec<PathBuf>,
) -> Result<(), Failed> {
    for segment in segments {
        let path = segment_path(folder, segment.identity());
        if !(path.exists() && (!replace || is_whole(&path, kind))) {
            let part = write_part(&path, segment)?;
            fs::rename(&part, &path).map_err(at(&path))?;
            written.push(path);
        }
    }
    // The names of segments are on the disk before a manifest counts on them.
    sync_folder(folder).map_err(at(folder))?;
    let path = manifest_path(folder, generation);
    let part = write_part(&path, manifest)?;
    // Unlike a renaming, a link fails when another writer was faster.
    let linked = fs::hard_link(&part, &path);
    let _ = fs::remove_file(&part);
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(Failed::Occupied(folder.to_owned())),
        linked => linked.map_err(at(&path))?,
    }
    sync_folder(folder).map_err(|error| {
        // A manifest that cannot be taken back keeps what it names.
        if fs::remove_file(&path).is_err() {
            written.clear();
        }
        Failed::File(folder.to_owned(), error)
    })
}

/// Whether a segment that is there says what it did when it was written.
fn is_whole(path: &Path, kind: [u8; 4]) -> bool {
    load(path, kind, Held::Read).is_ok_and(|file| file.verify().is_ok())
}

/// Writes a file beside its final name, down to the disk; leaves nothing when that fails.
fn write_part(path: &Path, content: &SegmentFile) -> Result<PathBuf, Failed> {
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let write = || {
        let mut file = File::create(&part)?;
        content.parts().iter().try_for_each(|bytes| file.write_all(bytes))?;
        file.sync_all()
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        Failed::File(path.to_owned(), error)
    })?;
    Ok(part)
}

/// Makes a folder where there is none, and those above it; their names are on the disk.
fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<_> = folder.ancestors().take_while(|path| !path.exists()).collect();
    fs::create_dir_all(folder)?;
    missing.iter().filter_map(|path| path.parent()).try_for_each(sync_folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        // One that may be written to and not be read.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        opened => opened?.sync_all(),
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes what the manifest of a generation does not name: what it replaced, and what a writer left that was killed.
fn remove_unnamed(folder: &Path, generation: u64, segments: &[&SegmentFile]) -> io::Result<()> {
    let named: Vec<PathBuf> = segments.iter().map(|segment| segment_path(folder, segment.identity())).collect();
    let manifest = manifest_path(folder, generation);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if is_index_file(&entry.file_name()) && path != manifest && !named.contains(&path) {
            _ = fs::remove_file(path);
        }
    }
    Ok(())
}

/// A file of a folder that no index wrote, if there is one.
fn foreign(folder: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if name != LOCK && !is_index_file(&name) {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Whether a name is one that `manifest_path`, `segment_path` or `write_part` gives.
fn is_index_file(name: &OsStr) -> bool {
    let Some((stem, kind)) = name.to_str().and_then(|name| name.rsplit_once('.')) else { return false };
    match kind {
        "manifest" => is_manifest(stem),
        "segment" => is_segment(stem),
        "part" => stem.split_once('.').is_some_and(|(stem, process)| {
            (is_manifest(stem) || is_segment(stem)) && process.bytes().all(|byte| byte.is_ascii_digit())
        }),
        _ => false,
    }
}

fn is_manifest(stem: &str) -> bool {
    stem.len() == MANIFEST_DIGITS && stem.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_segment(stem: &str) -> bool {
    stem.len() == SEGMENT_DIGITS && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The segments that a manifest names.
fn names(manifest: &SegmentFile) -> Result<Vec<u64>, Refused> {
    Ok(manifest.read_all(manifest.column::<u64>("segments")?)?.to_vec())
}

fn newest(folder: &Path) -> Result<Option<u64>, Failed> {
    let mut newest = None;
    for entry in fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_suffix(".manifest").filter(|stem| is_manifest(stem))?.parse().ok());
        newest = newest.max(number);
    }
    Ok(newest)
}

fn manifest_path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("{generation:0MANIFEST_DIGITS$}.manifest"))
}

fn segment_path(folder: &Path, name: u64) -> PathBuf {
    folder.join(format!("{name:0SEGMENT_DIGITS$x}.segment"))
}

fn load(path: &Path, kind: [u8; 4], held: Held) -> Result<SegmentFile, Failed> {
    let bytes = match held {
        Held::Mapped => map(path),
        Held::Read => read(path),
    };
    let bytes = bytes.map_err(at(path))?;
    SegmentFile::open(Box::new(bytes), kind).map_err(|refused| Failed::Refused(path.to_owned(), refused))
}

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
