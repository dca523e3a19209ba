//! Python bindings for the Hamming index.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use whorl_core::index::hamming::{Ask, Code, Design, Index, JoinFailed, Near, Segment};
use whorl_core::index::segment_file::{Refused, SegmentFile};
use whorl_core::index::segments::{Common as _, Window};
use whorl_files::{Access, Failed, Home, Kinds, System};

use crate::buffer::{Buffer, payloads_of};
use crate::index::snapshot::Snapshot;
use crate::refusals::{not_added, of_folder, refused};
use crate::threads::Compute;

/// An index of codes of up to 64, 128 or 256 bits.
enum Width {
    Word(Arc<Index<u64>>),
    Wide(Arc<Index<u128>>),
    Long(Arc<Index<[u128; 2]>>),
}

/// Runs the same code for either width.
macro_rules! with {
    ($self:expr, $index:ident => $body:expr) => {
        match &$self.index {
            Width::Word($index) => $body,
            Width::Wide($index) => $body,
            Width::Long($index) => $body,
        }
    };
}

/// Reads codes from 64-bit words: one, two or four each, the lowest first.
fn codes<C: Code>(py: Python<'_>, words: &PyBuffer<u64>, bits: u32) -> PyResult<Vec<C>> {
    let words = words.to_vec(py)?;
    let code = |words: &[u64]| code_of(words, bits).ok_or_else(|| too_long(format!("{words:x?}"), bits));
    words.chunks_exact(C::WIDTH as usize / 64).map(code).collect()
}

/// Reads a code from a Python integer.
fn code_of_number<C: Code>(number: &Bound<'_, PyAny>, bits: u32) -> PyResult<C> {
    let number = number.py().import("operator")?.call_method1("index", (number,))?;
    let bytes = number.call_method1("to_bytes", (C::WIDTH / 8, "little"))?;
    let bytes: &[u8] = bytes.extract()?;
    let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("words of 8 bytes")));
    code_of(&words.collect::<Vec<_>>(), bits).ok_or_else(|| too_long(number, bits))
}

/// Returns the code with a value; None if that has more than `bits` bits.
fn code_of<C: Code>(words: &[u64], bits: u32) -> Option<C> {
    let has_more = bits < C::WIDTH && C::from_words(words).down(bits) != C::zeroed();
    (!has_more).then(|| C::from_value(words, bits))
}

fn too_long(code: impl Display, bits: u32) -> PyErr {
    PyValueError::new_err(format!("the code {code} has more than {bits} bits"))
}

fn opened<C: Code>(
    manifest: &SegmentFile,
    segments: Vec<SegmentFile>,
    most_candidates: usize,
) -> Result<Arc<Index<C>>, Refused> {
    Index::from_files(manifest, segments, most_candidates).map(Arc::new)
}

/// Id and distance of each code near a query; numbers of skipped candidates and of unlisted results.
type Answer = (Vec<(u64, u32)>, u64, u64);

/// An index of `whorl_core::index::hamming` and the folder it is saved in.
#[pyclass(frozen)]
pub struct HammingIndex {
    index: Width,
    home: Arc<Home>,
}

#[pymethods]
impl HammingIndex {
    /// `design` is a name or the text of a design; None selects the default.
    #[new]
    fn new(bits: u32, design: Option<&str>, most_candidates: usize) -> PyResult<Self> {
        let design = design.map_or_else(|| Design::standard(bits), str::parse).map_err(PyValueError::new_err)?;
        if design.bits() != bits {
            return Err(PyValueError::new_err(format!("a design for {} bits, not {bits}", design.bits())));
        }
        let index = match bits {
            ..=64 => Width::Word(Arc::new(Index::new(design, most_candidates))),
            ..=128 => Width::Wide(Arc::new(Index::new(design, most_candidates))),
            _ => Width::Long(Arc::new(Index::new(design, most_candidates))),
        };
        Ok(Self { index, home: Arc::new(Home::new(Access::Mapped, System)) })
    }

    /// Opens a saved index.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, most_candidates: usize, mapped: bool) -> PyResult<Self> {
        let access = if mapped { Access::Mapped } else { Access::Read };
        py.compute(|| {
            // The file kinds do not depend on the width.
            let (number, manifest, segments) = whorl_files::open(&System, &path, Kinds::of::<Segment<u64>>(), access)?;
            let in_folder = |refused| Failed::Refused(path.clone(), refused);
            let index = match Design::of_manifest(&manifest).map_err(in_folder)?.bits() {
                ..=64 => Width::Word(opened(&manifest, segments, most_candidates).map_err(in_folder)?),
                ..=128 => Width::Wide(opened(&manifest, segments, most_candidates).map_err(in_folder)?),
                _ => Width::Long(opened(&manifest, segments, most_candidates).map_err(in_folder)?),
            };
            Ok(Self { index, home: Arc::new(Home::at(path, number, access, System)) })
        })
        .map_err(of_folder)
    }

    /// Writes the segments that the folder does not have yet.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        with!(self, index => py.compute(|| self.home.save(index.log(), path))).map_err(of_folder)
    }

    /// Takes a snapshot of the current state.
    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        with!(self, index => Snapshot::of(py, index, Index::log, &self.home))
    }

    /// Adds codes with optional ids, times and payloads, one of each per code; payloads are given by their bytes and
    /// their ends. With `merge` false, large merges are deferred to `tidy`.
    #[pyo3(signature = (words, ids, times, merge, payloads=None))]
    fn add(
        &self,
        py: Python<'_>,
        words: PyBuffer<u64>,
        ids: Option<PyBuffer<u64>>,
        times: Option<PyBuffer<i64>>,
        merge: bool,
        payloads: Option<(PyBuffer<u8>, PyBuffer<u64>)>,
    ) -> PyResult<()> {
        let payloads = payloads_of(py, payloads)?;
        let ids = ids.map(|ids| ids.to_vec(py)).transpose()?;
        let times = times.map(|times| times.to_vec(py)).transpose()?;
        with!(self, index => {
            let codes = codes(py, &words, index.design().bits())?;
            py.compute(|| index.log().add_with(codes, (ids, times, payloads), merge)).map_err(not_added)
        })
    }

    /// Returns the payload of each id; None without a code.
    fn payloads<'py>(&self, py: Python<'py>, ids: PyBuffer<u64>) -> PyResult<Vec<Option<Bound<'py, PyBytes>>>> {
        let ids = ids.to_vec(py)?;
        let payloads = with!(self, index => py.compute(|| index.log().payloads(&ids)).map_err(refused))?;
        Ok(payloads.into_iter().map(|payload| payload.map(|bytes| PyBytes::new(py, &bytes))).collect())
    }

    /// Performs a pending merge. Returns True if there was one.
    fn tidy(&self, py: Python<'_>) -> PyResult<bool> {
        with!(self, index => py.compute(|| index.log().tidy()).map_err(refused))
    }

    /// Removes all codes with these ids. Returns how many were removed.
    fn remove(&self, py: Python<'_>, ids: PyBuffer<u64>) -> PyResult<usize> {
        let ids = ids.to_vec(py)?;
        with!(self, index => py.compute(|| index.log().remove(ids)).map_err(refused))
    }

    /// Removes all codes older than a time. Returns how many were removed.
    fn expire(&self, py: Python<'_>, time: i64) -> PyResult<usize> {
        with!(self, index => py.compute(|| index.log().expire(time)).map_err(refused))
    }

    /// Merges into as few segments as possible.
    fn merge(&self, py: Python<'_>) -> PyResult<()> {
        with!(self, index => py.compute(|| index.log().merge()).map_err(refused))
    }

    /// Verifies the checksum of every byte.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        with!(self, index => py.compute(|| index.log().verify()).map_err(refused))
    }

    /// Returns id and distance of each code near a query, and the numbers of skipped candidates and of unlisted
    /// results.
    #[pyo3(signature = (code, k, first, limit, window))]
    fn query(
        &self,
        py: Python<'_>,
        code: &Bound<'_, PyAny>,
        k: u32,
        first: bool,
        limit: usize,
        window: Option<(i64, i64)>,
    ) -> PyResult<Answer> {
        let ask = ask(k, first, limit, window);
        let (near, tally) = with!(self, index => {
            let code = code_of_number(code, index.design().bits())?;
            py.compute(|| index.query(code, &ask))
        })
        .map_err(refused)?;
        Ok((near.into_iter().map(|near| (near.id, near.distance)).collect(), tally.cut, tally.unlisted))
    }

    /// Returns query number, id and distance of each code near one of many queries, and the numbers of skipped
    /// candidates and of unlisted results.
    fn query_many(
        &self,
        py: Python<'_>,
        words: PyBuffer<u64>,
        k: u32,
        first: bool,
        limit: usize,
        window: Option<(i64, i64)>,
    ) -> PyResult<(Buffer, Buffer, Buffer, u64, u64)> {
        let ask = ask(k, first, limit, window);
        let (answers, tally) = with!(self, index => {
            let codes = codes(py, &words, index.design().bits())?;
            py.compute(|| index.query_many(&codes, &ask)).map_err(refused)?
        });
        let column = |value: fn(&(u32, Near)) -> u64| answers.iter().map(value).collect::<Vec<_>>();
        Ok((
            Buffer::of(&column(|answer| answer.0.into()), |query| (query as u32).to_le_bytes()),
            Buffer::of(&column(|answer| answer.1.id), u64::to_le_bytes),
            Buffer::of(&column(|answer| answer.1.distance.into()), |distance| [distance as u8]),
            tally.cut,
            tally.unlisted,
        ))
    }

    /// Returns all close pairs as later id, earlier id and distance, and the number of pairs beyond the limit.
    fn self_join(&self, py: Python<'_>, k: u32, limit: usize) -> PyResult<(Buffer, Buffer, Buffer, u64)> {
        let joined = with!(self, index => py.compute(|| index.self_join(k, limit)));
        let joined = joined.map_err(|failed| match failed {
            JoinFailed::Refused(why) => refused(why),
            JoinFailed::TooManyPairs(many) => PyValueError::new_err(many.to_string()),
        })?;
        Ok((
            Buffer::of(&joined.later, u64::to_le_bytes),
            Buffer::of(&joined.earlier, u64::to_le_bytes),
            Buffer::new(joined.distance),
            joined.unlisted,
        ))
    }

    /// Returns size and query statistics by name.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = with!(self, index => index.stats());
        let values = PyDict::new(py);
        values.set_item("codes", stats.codes)?;
        values.set_item("removed", stats.removed)?;
        values.set_item("segments", stats.segments)?;
        values.set_item("recent", stats.recent)?;
        values.set_item("bytes", stats.bytes)?;
        values.set_item("queries", stats.tally.queries)?;
        values.set_item("probes", stats.tally.probes)?;
        values.set_item("candidates", stats.tally.candidates)?;
        values.set_item("scans", stats.tally.scans)?;
        values.set_item("cut", stats.tally.cut)?;
        values.set_item("unlisted", stats.tally.unlisted)?;
        Ok(values)
    }

    #[getter]
    fn bits(&self) -> u32 {
        with!(self, index => index.design().bits())
    }

    #[getter]
    fn design(&self) -> String {
        with!(self, index => index.design().to_string())
    }

    #[getter]
    fn largest_distance(&self) -> u32 {
        with!(self, index => index.largest_distance())
    }

    /// True if the codes have times; None while the index has never had a code.
    #[getter]
    fn timed(&self) -> Option<bool> {
        with!(self, index => index.log().timed())
    }
}

fn ask(k: u32, first: bool, limit: usize, window: Option<(i64, i64)>) -> Ask {
    Ask { k, first, limit, window: window.map(|(since, until)| Window { since, until }) }
}
