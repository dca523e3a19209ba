//! An in-memory disk that models crashes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use memmap2::MmapMut;
use whorl_core::index::segment_file::Body;
use whorl_files::{Access, Disk};

type Names = BTreeMap<PathBuf, Vec<u8>>;

/// A failure injected at a step.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// The step and all later ones are not performed.
    Crash,
    /// The step fails, but later ones succeed.
    Fault,
}

/// The kind of a crash.
#[derive(Clone, Copy, Debug)]
pub enum Crash {
    /// The process is killed: everything written remains.
    Kill,
    /// The power fails: synced data remains, and of unsynced name changes those whose bits are set.
    PowerCut(u64),
}

/// A name change that has not been synced yet.
#[derive(Clone, Debug)]
enum Change {
    Set(PathBuf),
    Moved(PathBuf, PathBuf),
    Gone(PathBuf),
}

#[derive(Default)]
struct Inner {
    now: Names,
    on_disk: Names,
    pending: Vec<(Change, Vec<u8>)>,
    trouble: Option<(usize, Trouble)>,
    is_dead: bool,
}

/// The disk; clones share their state.
#[derive(Clone, Default)]
pub struct Model(Arc<Mutex<Inner>>);

impl Model {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// Injects a failure at a step.
    pub fn trouble(&self, step: usize, trouble: Trouble) {
        self.inner().trouble = Some((step, trouble));
    }

    /// Removes the injected failure.
    pub fn calm(&self) {
        self.inner().trouble = None;
    }

    /// True if the injected failure has occurred.
    pub fn was_in_trouble(&self) -> bool {
        self.inner().trouble.is_none()
    }

    /// True if the disk has crashed.
    pub fn is_dead(&self) -> bool {
        self.inner().is_dead
    }

    /// Restarts after a crash.
    pub fn start_again(&self, crash: Crash) {
        let mut inner = self.inner();
        if let Crash::PowerCut(survives) = crash {
            let mut surviving = std::mem::take(&mut inner.on_disk);
            for (number, (change, content)) in inner.pending.iter().enumerate() {
                if survives >> (number % 64) & 1 == 1 {
                    change.make(content, &mut surviving);
                }
            }
            inner.now = surviving;
        }
        inner.on_disk = inner.now.clone();
        inner.pending.clear();
        inner.is_dead = false;
    }
}

impl Change {
    fn make(&self, content: &[u8], names: &mut Names) {
        match self {
            Self::Set(path) => drop(names.insert(path.clone(), content.to_vec())),
            Self::Moved(from, to) => {
                names.remove(from);
                names.insert(to.clone(), content.to_vec());
            }
            Self::Gone(path) => drop(names.remove(path)),
        }
    }
}

impl Inner {
    fn live(&self) -> io::Result<()> {
        if self.is_dead { Err(io::Error::other("it crashed")) } else { Ok(()) }
    }

    fn step(&mut self) -> io::Result<()> {
        self.live()?;
        match &mut self.trouble {
            Some((0, trouble)) => {
                self.is_dead = matches!(trouble, Trouble::Crash);
                self.trouble = None;
                Err(io::Error::other("in trouble"))
            }
            Some((steps, _)) => {
                *steps -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn change(&mut self, change: Change, content: Vec<u8>) {
        change.make(&content, &mut self.now);
        self.pending.push((change, content));
    }

    fn content(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.now.get(path).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }
}

impl Disk for Model {
    type Lock = ();

    fn create_folder(&self, _: &Path) -> io::Result<()> {
        self.inner().live()
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let inner = self.inner();
        inner.live()?;
        let inside = inner.now.keys().filter(|path| path.parent() == Some(folder));
        Ok(inside.filter_map(|path| path.file_name().map(OsString::from)).collect())
    }

    fn open(&self, path: &Path, _: Access) -> io::Result<Body> {
        let inner = self.inner();
        inner.live()?;
        let content = inner.content(path)?;
        // Anonymous pages are aligned like a mapped file.
        let mut memory = MmapMut::map_anon(content.len().max(1))?;
        memory[..content.len()].copy_from_slice(&content);
        Ok(Box::new(memory.make_read_only()?))
    }

    fn write(&self, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let (mut inner, content) = (self.inner(), parts.concat());
        inner.step()?;
        inner.change(Change::Set(path.to_owned()), content[..content.len() / 2].to_vec());
        inner.step()?;
        inner.pending.pop();
        inner.change(Change::Set(path.to_owned()), content);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        inner.step()?;
        let content = inner.content(from)?;
        inner.change(Change::Moved(from.to_owned(), to.to_owned()), content);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        inner.step()?;
        let content = inner.content(from)?;
        if inner.now.contains_key(to) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        inner.change(Change::Set(to.to_owned()), content);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        inner.step()?;
        inner.content(path)?;
        inner.change(Change::Gone(path.to_owned()), Vec::new());
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        let mut inner = self.inner();
        inner.step()?;
        inner.on_disk = inner.now.clone();
        inner.pending.clear();
        Ok(())
    }

    fn lock(&self, _: &Path) -> io::Result<()> {
        self.inner().live()
    }
}
