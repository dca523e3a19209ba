//! Python bindings for the inverted index.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use whorl_core::index::inverted::{Answer, Ask, Index, Keys, Segment};
use whorl_core::index::segments::Window;
use whorl_files::{Access, Failed, Home, Kinds, System};

use crate::buffer::{Buffer, payloads_of};
use crate::index::snapshot::Snapshot;
use crate::refusals::{not_added, of_folder, refused};
use crate::threads::Compute;

/// Id and shared keys of each matching document; keys of the query, skipped keys, documents beyond the limit.
type Found = (Vec<(u64, u32)>, u32, u32, u64);

/// An index of `whorl_core::index::inverted` and the folder it is saved in.
#[pyclass(frozen)]
pub struct KeyIndex {
    index: Arc<Index>,
    home: Arc<Home>,
}

#[pymethods]
impl KeyIndex {
    #[new]
    fn new(most_documents: usize) -> Self {
        Self { index: Arc::new(Index::new(most_documents)), home: Arc::new(Home::new(Access::Mapped, System)) }
    }

    /// Opens a saved index.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, most_documents: usize, mapped: bool) -> PyResult<Self> {
        let access = if mapped { Access::Mapped } else { Access::Read };
        py.compute(|| {
            let (number, manifest, segments) = whorl_files::open(&System, &path, Kinds::of::<Segment>(), access)?;
            let index = Index::from_files(&manifest, segments, most_documents);
            let index = index.map_err(|refused| Failed::Refused(path.clone(), refused))?;
            Ok(Self { index: Arc::new(index), home: Arc::new(Home::at(path, number, access, System)) })
        })
        .map_err(of_folder)
    }

    /// Writes the segments that the folder does not have yet.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.compute(|| self.home.save(self.index.log(), path)).map_err(of_folder)
    }

    /// Takes a snapshot of the current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        Snapshot::of(py, &self.index, Index::log, &self.home)
    }

    /// Adds documents. Each has a number of consecutive keys, an id, and optionally a time and a payload, which are given
    /// by their bytes and their ends. With `merge` false, large merges are deferred to `tidy`.
    #[expect(clippy::too_many_arguments, reason = "a column each")]
    #[pyo3(signature = (keys, counts, ids, times, merge, payloads=None))]
    fn add(
        &self,
        py: Python<'_>,
        keys: PyBuffer<u64>,
        counts: PyBuffer<u32>,
        ids: Option<PyBuffer<u64>>,
        times: Option<PyBuffer<i64>>,
        merge: bool,
        payloads: Option<(PyBuffer<u8>, PyBuffer<u64>)>,
    ) -> PyResult<()> {
        let (keys, counts) = (keys.to_vec(py)?, counts.to_vec(py)?);
        let payloads = payloads_of(py, payloads)?;
        let ids = ids.map(|ids| ids.to_vec(py)).transpose()?;
        let times = times.map(|times| times.to_vec(py)).transpose()?;
        py.compute(|| {
            let (log, keys) = (self.index.log(), Keys::new(keys, &counts)?);
            log.add_with(keys, (ids, times, payloads), merge)
        })
        .map_err(not_added)
    }

    /// Returns the payload of each id; None without a document.
    fn payloads<'py>(&self, py: Python<'py>, ids: PyBuffer<u64>) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let ids = ids.to_vec(py)?;
        let payloads = py.compute(|| self.index.log().payloads(&ids)).map_err(refused)?;
        Ok(payloads.into_iter().map(|payload| payload.map(|bytes| PyBytes::new(py, &bytes))).collect())
    }

    /// Performs a pending merge. Returns True if there was one.
    fn tidy(&self, py: Python<'_>) -> PyResult<bool> {
        py.compute(|| self.index.log().tidy()).map_err(refused)
    }

    /// Removes all documents with these ids. Returns how many were removed.
    fn remove(&self, py: Python<'_>, ids: PyBuffer<u64>) -> PyResult<usize> {
        let ids = ids.to_vec(py)?;
        py.compute(|| self.index.log().remove(ids)).map_err(refused)
    }

    /// Removes all documents older than a time. Returns how many were removed.
    fn expire(&self, py: Python<'_>, time: i64) -> PyResult<usize> {
        py.compute(|| self.index.log().expire(time)).map_err(refused)
    }

    /// Merges into as few segments as possible.
    fn merge(&self, py: Python<'_>) -> PyResult<()> {
        py.compute(|| self.index.log().merge()).map_err(refused)
    }

    /// Verifies the checksum of every byte.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.compute(|| self.index.log().verify()).map_err(refused)
    }

    /// Returns id and shared keys of each document that shares keys with the query, then the number of query keys, of
    /// skipped keys, and of documents beyond the limit.
    #[expect(clippy::too_many_arguments, reason = "keys, and what is asked of them")]
    #[pyo3(signature = (keys, limit, min_shared, min_share, earliest, window))]
    fn query(
        &self,
        py: Python<'_>,
        keys: PyBuffer<u64>,
        limit: usize,
        min_shared: u32,
        min_share: f64,
        earliest: usize,
        window: Option<(i64, i64)>,
    ) -> PyResult<Found> {
        let keys = keys.to_vec(py)?;
        let ask = ask(limit, min_shared, min_share, earliest, window);
        let Answer { hits, keys, cut, unlisted } = py.compute(|| self.index.query(&keys, &ask)).map_err(refused)?;
        Ok((hits.into_iter().map(|hit| (hit.id, hit.hits)).collect(), keys, cut, unlisted))
    }

    /// Returns query number, id and shared keys of each matching document, and per query its keys, skipped keys, and
    /// documents beyond the limit.
    #[expect(clippy::too_many_arguments, reason = "two columns of keys, and what is asked of them")]
    #[pyo3(signature = (keys, counts, limit, min_shared, min_share, earliest, window))]
    fn query_many(
        &self,
        py: Python<'_>,
        keys: PyBuffer<u64>,
        counts: PyBuffer<u32>,
        limit: usize,
        min_shared: u32,
        min_share: f64,
        earliest: usize,
        window: Option<(i64, i64)>,
    ) -> PyResult<[Buffer; 6]> {
        let keys = Keys::new(keys.to_vec(py)?, &counts.to_vec(py)?).map_err(PyValueError::new_err)?;
        let ask = ask(limit, min_shared, min_share, earliest, window);
        let answers = py.compute(|| self.index.query_many(&keys.documents().collect::<Vec<_>>(), &ask));
        let answers = answers.map_err(refused)?;
        let numbered =
            || answers.iter().zip(0u32..).flat_map(|(answer, query)| answer.hits.iter().map(move |hit| (query, hit)));
        let words = |values: Vec<u64>| Buffer::of(&values, u64::to_le_bytes);
        let halves = |values: Vec<u32>| Buffer::of(&values, u32::to_le_bytes);
        Ok([
            halves(numbered().map(|(query, _)| query).collect()),
            words(numbered().map(|(_, hit)| hit.id).collect()),
            halves(numbered().map(|(_, hit)| hit.hits).collect()),
            halves(answers.iter().map(|answer| answer.keys).collect()),
            halves(answers.iter().map(|answer| answer.cut).collect()),
            words(answers.iter().map(|answer| answer.unlisted).collect()),
        ])
    }

    /// Returns the keys of more than `more_than` documents, with the number of documents of each.
    fn frequent(&self, py: Python<'_>, more_than: usize) -> PyResult<(Buffer, Buffer)> {
        let frequent = py.compute(|| self.index.frequent(more_than)).map_err(refused)?;
        let (keys, documents): (Vec<u64>, Vec<u64>) = frequent.into_iter().unzip();
        Ok((Buffer::of(&keys, u64::to_le_bytes), Buffer::of(&documents, u64::to_le_bytes)))
    }

    /// Returns size and query statistics by name.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.index.stats();
        let values = PyDict::new(py);
        values.set_item("documents", stats.size.living)?;
        values.set_item("removed", stats.size.removed)?;
        values.set_item("segments", stats.size.segments)?;
        values.set_item("postings", stats.postings)?;
        values.set_item("bytes", stats.size.bytes)?;
        values.set_item("queries", stats.tally.queries)?;
        values.set_item("keys", stats.tally.keys)?;
        values.set_item("cut", stats.tally.cut)?;
        values.set_item("postings_read", stats.tally.postings)?;
        values.set_item("unlisted", stats.tally.unlisted)?;
        Ok(values)
    }

    /// True if the documents have times; None while the index has never had a document.
    #[getter]
    fn timed(&self) -> Option<bool> {
        self.index.log().timed()
    }
}

fn ask(limit: usize, min_shared: u32, min_share: f64, earliest: usize, window: Option<(i64, i64)>) -> Ask {
    Ask {
        limit,
        min_hits: min_shared,
        min_share,
        earliest,
        window: window.map(|(since, until)| Window { since, until }),
    }
}
