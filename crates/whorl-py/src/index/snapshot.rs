//! Python bindings for index snapshots.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use whorl_core::index::segments::{Log, Segment};
use whorl_files::{Failed, Home};

use crate::refusals::{of_folder, refused};
use crate::threads::Compute;

type Save = dyn Fn(PathBuf, bool) -> Result<(), Failed> + Send + Sync;

/// A snapshot of an index of either kind.
#[pyclass(frozen)]
pub struct Snapshot {
    save: Box<Save>,
}

impl Snapshot {
    /// Takes a snapshot with all data in segments. It is saved through the home of the index.
    pub fn of<I, S>(py: Python<'_>, index: &Arc<I>, log: fn(&I) -> &Log<S>, home: &Arc<Home>) -> PyResult<Self>
    where
        I: Send + Sync + 'static,
        S: Segment + 'static,
    {
        let (index, home) = (Arc::clone(index), Arc::clone(home));
        let state = py.compute(|| log(&index).sealed()).map_err(refused)?;
        let save = move |folder, replace| home.save_state(log(&index), &state, folder, replace);
        Ok(Self { save: Box::new(save) })
    }
}

#[pymethods]
impl Snapshot {
    /// Writes the segments that the folder does not have yet. With `replace`, any other index in the folder is
    /// replaced.
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> PyResult<()> {
        py.compute(|| (self.save)(path, replace)).map_err(of_folder)
    }
}
