//! The passes of a batch run for Python.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use rayon::prelude::*;
use whorl_core::align::outline::Changes;
use whorl_core::judge::boilerplate::Boilerplate;
use whorl_core::judge::probe::{self, Combine, Documents, Rule, TextSource, Verdict};
use whorl_core::text::{Text, TextBlock};
use whorl_core::{index::group, rows::order, text::form};

use crate::buffer::Buffer;
use crate::files::FileTexts;
use crate::texts::Texts;
use crate::threads::Compute;
use crate::verify::Demand;

/// Scatters keys into 2^bits partitions: the postings and the bounds of the partitions.
#[pyfunction]
pub fn partition(
    py: Python<'_>,
    keys: PyBuffer<u64>,
    counts: PyBuffer<u32>,
    first_document: u32,
    bits: u32,
) -> PyResult<(Buffer, Buffer)> {
    let (keys, counts) = (keys.to_vec(py)?, counts.to_vec(py)?);
    let partitioned = py.compute(|| group::partition(&keys, &counts, first_document, bits));
    Ok((Buffer::new(partitioned.bytes), Buffer::of(&partitioned.bounds, u64::to_le_bytes)))
}

/// How good the form of each text is, the lower the better, as `u32`.
#[pyfunction]
pub fn blemishes(py: Python<'_>, texts: Texts) -> Buffer {
    Buffer::of(&py.compute(|| form::blemishes(&texts)), u32::to_le_bytes)
}

/// The documents by rank: lowest preference first, then by identifier, then by position.
///
/// Identifier i is `identifiers[bounds[i]..bounds[i + 1]]`.
#[pyfunction]
pub fn rank(
    py: Python<'_>,
    preference: PyBuffer<f64>,
    identifiers: PyBuffer<u8>,
    bounds: PyBuffer<i64>,
) -> PyResult<Buffer> {
    let (preference, identifiers, bounds) = (preference.to_vec(py)?, identifiers.to_vec(py)?, bounds.to_vec(py)?);
    let identifier = |document: u32| {
        let document = document as usize;
        &identifiers[bounds[document] as usize..bounds[document + 1] as usize]
    };
    let order = py.compute(|| order::rank(&preference, identifier));
    Ok(Buffer::of(&order, u32::to_le_bytes))
}

/// A byte for each document: 1 where another one has the same identifier, unless it is empty.
///
/// `order` has the documents by identifier.
#[pyfunction]
pub fn repeated(
    py: Python<'_>,
    order: PyBuffer<u32>,
    identifiers: PyBuffer<u8>,
    bounds: PyBuffer<i64>,
) -> PyResult<Buffer> {
    let (order, identifiers, bounds) = (order.to_vec(py)?, identifiers.to_vec(py)?, bounds.to_vec(py)?);
    let identifier = |document: u32| {
        let document = document as usize;
        &identifiers[bounds[document] as usize..bounds[document + 1] as usize]
    };
    Ok(Buffer::new(py.compute(|| order::repeated(&order, identifier))))
}

/// Keys that two or more documents share.
#[pyclass]
#[derive(Default)]
pub struct Groups(group::Groups);

#[pymethods]
impl Groups {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds whole partitions in parallel, each given as pieces: postings, and the document that they call 0.
    fn add_partitions(
        &mut self,
        py: Python<'_>,
        partitions: Vec<Vec<(PyBackedBytes, u32)>>,
        rank_of: PyBuffer<u32>,
    ) -> PyResult<()> {
        let rank_of = rank_of.to_vec(py)?;
        let parts: Vec<group::Groups> = py.compute(|| {
            let group = |pieces: &Vec<(PyBackedBytes, u32)>| {
                let pieces: Vec<(&[u8], u32)> = pieces.iter().map(|(bytes, base)| (bytes.as_ref(), *base)).collect();
                let mut groups = group::Groups::default();
                groups.add_partition(&pieces, &rank_of);
                groups
            };
            partitions.par_iter().map(group).collect()
        });
        parts.into_iter().for_each(|part| self.0.append(part));
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// How one field of all documents is judged; a probe takes it.
#[pyclass]
pub struct Field(Option<probe::Field>);

#[pymethods]
impl Field {
    /// `rule` is (measure, threshold, least agreement of the codes, distance limits by length).
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the columns of one table")]
    fn new(
        py: Python<'_>,
        rule: (String, f64, u32, Vec<(u32, u32)>),
        demands: Vec<PyRef<'_, Demand>>,
        min_shared: usize,
        digests: PyBuffer<u64>,
        lengths: PyBuffer<u32>,
        codes: PyBuffer<u8>,
        key_counts: PyBuffer<u32>,
    ) -> PyResult<Self> {
        let (measure, threshold, least, limits) = rule;
        let rule = match measure.as_str() {
            "exact" => Rule::Exact,
            "keys" => Rule::Keys { threshold },
            "hamming" => Rule::Hamming { limits },
            "jaccard" | "containment" => Rule::Agreement { least },
            other => return Err(PyValueError::new_err(format!("unknown measure '{other}'"))),
        };
        let verdict = Verdict { rule, demands: demands.iter().map(|demand| demand.0.clone()).collect() };
        let lengths = lengths.to_vec(py)?;
        let documents = Documents {
            code_width: codes.item_count() / lengths.len().max(1),
            digests: digests
                .to_vec(py)?
                .chunks_exact(2)
                .map(|half| u128::from(half[1]) << 64 | u128::from(half[0]))
                .collect(),
            lengths,
            codes: codes.to_vec(py)?,
            key_counts: key_counts.to_vec(py)?,
        };
        Ok(Self(Some(probe::Field { verdict, min_shared, documents })))
    }
}

/// The decisions of a batch run.
#[pyclass]
pub struct Probe(probe::Probe);

#[pymethods]
impl Probe {
    /// `all_fields` says that every field must judge a copy; else one is enough.
    #[new]
    fn new(
        py: Python<'_>,
        fields: Vec<Py<Field>>,
        all_fields: bool,
        references: u32,
        order: PyBuffer<u32>,
        groups: &mut Groups,
    ) -> PyResult<Self> {
        let order = order.to_vec(py)?;
        if order.is_empty() {
            return Err(PyValueError::new_err("there are no documents to decide"));
        }
        let fields: Option<Vec<probe::Field>> = fields.iter().map(|field| field.borrow_mut(py).0.take()).collect();
        let fields = fields.ok_or_else(|| PyValueError::new_err("a field was taken by another probe"))?;
        let combine = if all_fields { Combine::All } else { Combine::Any };
        let groups = std::mem::take(&mut groups.0);
        Ok(Self(probe::Probe::new(fields, combine, references, order, groups)))
    }

    /// Adds references that another index has found: documents and references by rank, and the keys that they share.
    fn add_sought(
        &mut self,
        py: Python<'_>,
        ranks: PyBuffer<u32>,
        references: PyBuffer<u32>,
        keys: PyBuffer<u32>,
    ) -> PyResult<()> {
        let (ranks, references, keys) = (ranks.to_vec(py)?, references.to_vec(py)?, keys.to_vec(py)?);
        let found =
            ranks.into_iter().zip(references).zip(keys).map(|((rank, reference), keys)| (rank, reference, keys));
        self.0.add_sought(found);
        Ok(())
    }

    /// Learns boilerplate before anything is decided; `local` says of each field whether its keys stand for stretches.
    /// Runs of tokens with the hashes `known` are boilerplate already.
    fn learn(&mut self, py: Python<'_>, texts: Given, local: Vec<bool>, known: Vec<u64>) -> PyResult<()> {
        py.compute(|| self.0.learn(&texts, &local, Boilerplate::of_runs(known)))
    }

    /// Decides the next batch; returns how many documents are decided.
    fn step(&mut self, py: Python<'_>, texts: Given) -> PyResult<usize> {
        py.compute(|| self.0.step(&texts))?;
        Ok(self.0.decided())
    }

    /// By rank: the rank of the kept document or 2³²−1; what is shared, of what; the similarity.
    fn decisions(&self) -> (Buffer, Buffer, Buffer, Buffer) {
        let decisions = self.0.decisions();
        let column = |value: fn(&probe::Decision) -> u32| {
            let values: Vec<u32> = decisions.iter().map(value).collect();
            Buffer::of(&values, u32::to_le_bytes)
        };
        let similarities: Vec<f64> = decisions.iter().map(|decision| decision.figure.similarity).collect();
        (
            column(|decision| decision.duplicate_of),
            column(|decision| decision.figure.shared),
            column(|decision| decision.figure.united),
            Buffer::of(&similarities, f64::to_le_bytes),
        )
    }

    /// By rank, the similarity of each field that judged a copy, NaN for the others; empty where there is one field.
    fn by_field(&self) -> Buffer {
        Buffer::of(self.0.by_field().as_flattened(), f64::to_le_bytes)
    }

    /// Similarities of removed documents and of near misses, counted by hundredths.
    fn histograms(&self) -> (Vec<u64>, Vec<u64>) {
        (self.0.removed().to_vec(), self.0.near_misses().to_vec())
    }

    /// How many pairs of texts were compared.
    fn comparisons(&self) -> u64 {
        self.0.comparisons()
    }

    /// Boilerplate that was learned: text, an example, documents that have it, its keys.
    fn notices(&self) -> Vec<(String, u32, usize, usize)> {
        let row = |notice: &probe::Notice| (notice.text.clone(), notice.example, notice.documents, notice.keys);
        self.0.notices().iter().map(row).collect()
    }

    /// Key, documents that have it, kept documents not listed under it, an example.
    fn hot_keys(&self) -> Vec<(u64, usize, usize, u32)> {
        self.0.hot_keys().into_iter().map(|hot| (hot.key, hot.documents, hot.unlisted, hot.example)).collect()
    }
}

/// What pairs of a kept and a removed document are to each other: a word each; whether the titles differ, 2 for a missing
/// one; whether the bylines do; eight counts.
#[pyfunction]
pub fn removals(
    py: Python<'_>,
    texts: Given,
    kept: PyBuffer<u32>,
    removed: PyBuffer<u32>,
) -> PyResult<(Vec<&'static str>, Buffer, Buffer, Buffer)> {
    let pairs: Vec<(u32, u32)> = kept.to_vec(py)?.into_iter().zip(removed.to_vec(py)?).collect();
    let found = py.compute(|| whorl_core::judge::removals::outlines(&pairs, &texts))?;
    let column = |value: fn(&Changes) -> u8| Buffer::new(found.iter().map(|one| value(&one.changes)).collect());
    let counts: Vec<u32> = found.iter().flat_map(|one| one.changes.counts).collect();
    Ok((
        found.iter().map(|one| one.kind.name()).collect(),
        column(|changes| changes.title.map_or(2, u8::from)),
        column(|changes| u8::from(changes.byline)),
        Buffer::of(&counts, u32::to_le_bytes),
    ))
}

/// Where Python says that texts are: in files, or in its memory.
pub enum Given {
    Files(Py<FileTexts>),
    Memory(Memory),
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match object.cast::<FileTexts>() {
            Ok(files) => Self::Files(files.to_owned().unbind()),
            Err(_) => Self::Memory(Memory(object.to_owned().unbind())),
        })
    }
}

impl TextSource for Given {
    type Error = PyErr;

    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> PyResult<()> {
        match self {
            Self::Files(files) => files.get().read(documents, each),
            Self::Memory(memory) => memory.read(documents, each),
        }
    }
}

/// Texts that Python holds: called with a list of documents, it returns their texts.
pub struct Memory(Py<PyAny>);

impl TextSource for Memory {
    type Error = PyErr;

    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), PyErr> {
        let texts: Texts = Python::attach(|py| self.0.bind(py).call1((documents.to_vec(),))?.extract())?;
        if texts.len() != documents.len() {
            return Err(PyTypeError::new_err("not every document has a text"));
        }
        (0..texts.len()).into_par_iter().for_each(|index| texts.with_text(index, |text| each(index, text)));
        Ok(())
    }
}
