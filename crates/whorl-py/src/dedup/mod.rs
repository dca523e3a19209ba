//! Python bindings for the passes of a batch run.

mod field;
mod groups;
mod rulings;
mod storage;
mod strings;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::judge::boilerplate::Boilerplate;
use whorl_core::judge::probe::{self, Combine};
use whorl_core::judge::ruling::Removable;
use whorl_core::{index::group, rows::order, text::form};

pub use field::Field;
use field::take_fields;
pub use groups::Groups;
use groups::{GivenColumns, GroupColumns, columns_of, groups_of};
pub use rulings::{RELATIONS, removals, ruling};
use rulings::{columns_of_changes, named};
pub use storage::TextStorage;
pub use strings::Strings;

use crate::buffer::Buffer;
use crate::texts::Texts;
use crate::threads::Compute;

/// Scatters keys into 2^bits partitions. Returns the postings and the partition bounds.
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

/// Scores the form of each text as `u32`; lower is better.
#[pyfunction]
pub fn blemishes(py: Python<'_>, texts: Texts) -> Buffer {
    Buffer::of(&py.compute(|| form::blemishes(&texts)), u32::to_le_bytes)
}

/// Ranks the documents by preference (lowest first), then by identifier, then by position.
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

/// Returns one byte per document: 1 if another document has the same identifier and the identifier is not empty.
///
/// `order` lists the documents sorted by identifier.
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

/// A part of a run in column form.
type PartColumns = (Buffer, u32, Vec<Buffer>, GroupColumns, Buffer, Buffer);

fn combine(all_fields: bool) -> Combine {
    if all_fields { Combine::All } else { Combine::Any }
}

/// The deduplication decisions of a batch run.
#[pyclass]
pub struct Probe(probe::Probe);

#[pymethods]
impl Probe {
    /// With `all_fields`, every field must match for a document to be a copy; otherwise one field suffices.
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
        let groups = std::mem::take(&mut groups.0).into_groups();
        Ok(Self(probe::Probe::new(take_fields(py, &fields)?, combine(all_fields), references, order, groups)))
    }

    /// Prepares the decisions on a part produced by `parts`: references, group columns, total documents per key, and
    /// sought pairs. The fields hold the documents of the part, in order.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the columns of a part")]
    fn of_part(
        py: Python<'_>,
        fields: Vec<Py<Field>>,
        all_fields: bool,
        references: u32,
        groups: GivenColumns,
        sizes: PyBuffer<u32>,
        sought: PyBuffer<u32>,
        boilerplate: PyBuffer<u64>,
    ) -> PyResult<Self> {
        let fields = take_fields(py, &fields)?;
        let documents = fields.first().map_or(0, |field| field.documents.lengths.len());
        let groups = groups_of(py, &groups)?;
        let (sizes, sought) = (sizes.to_vec(py)?, sought.to_vec(py)?);
        let sought: Vec<(u32, u32, u32)> = sought.chunks_exact(3).map(|found| (found[0], found[1], found[2])).collect();
        let is_known = |&document: &u32| (document as usize) < documents;
        let are_known = groups.members.iter().chain(sought.iter().flat_map(|(a, b, _)| [a, b])).all(is_known);
        if sizes.len() != groups.len() || !are_known {
            return Err(PyValueError::new_err("the columns of the part do not fit each other"));
        }
        let ranks = (0..documents as u32).collect();
        let part = probe::Part { ranks, references, key_counts: Vec::new(), groups, sizes, sought };
        let boilerplate = Boilerplate::of_runs(boilerplate.to_vec(py)?);
        Ok(Self(probe::Probe::of_part(fields, combine(all_fields), part, boilerplate)))
    }

    /// Divides the undecided documents into at most `limit` parts. Each has ranks, references, key counts by field,
    /// group columns, total documents per key, and sought pairs.
    fn parts(&self, py: Python<'_>, limit: usize) -> Vec<PartColumns> {
        let column = |values: &[u32]| Buffer::of(values, u32::to_le_bytes);
        let columns = |part: probe::Part| {
            let sought: Vec<u32> = part.sought.iter().flat_map(|&(rank, found, keys)| [rank, found, keys]).collect();
            (
                column(&part.ranks),
                part.references,
                part.key_counts.iter().map(|counts| column(counts)).collect(),
                columns_of(&part.groups),
                column(&part.sizes),
                column(&sought),
            )
        };
        py.compute(|| self.0.parts(limit)).into_iter().map(columns).collect()
    }

    /// Returns the hashes of the token runs that are boilerplate.
    fn boilerplate(&self) -> Buffer {
        Buffer::of(&self.0.boilerplate(), u64::to_le_bytes)
    }

    /// Adds candidate pairs from another index: documents and references by rank, with the keys they share.
    fn add_sought(
        &mut self,
        py: Python<'_>,
        ranks: PyBuffer<u32>,
        references: PyBuffer<u32>,
        keys: PyBuffer<u32>,
    ) -> PyResult<()> {
        let (ranks, references, keys) = (ranks.to_vec(py)?, references.to_vec(py)?, keys.to_vec(py)?);
        let entries =
            ranks.into_iter().zip(references).zip(keys).map(|((rank, reference), keys)| (rank, reference, keys));
        self.0.add_sought(entries);
        Ok(())
    }

    /// Learns boilerplate before the first decision. `local` flags the fields whose keys come from local stretches.
    /// Runs with the hashes in `boilerplate` are already boilerplate.
    fn learn(&mut self, py: Python<'_>, texts: TextStorage, local: Vec<bool>, boilerplate: Vec<u64>) -> PyResult<()> {
        py.compute(|| self.0.learn(&texts, &local, Boilerplate::of_runs(boilerplate)))
    }

    /// Decides the next batch. Returns the number of decided documents.
    fn step(&mut self, py: Python<'_>, texts: TextStorage) -> PyResult<usize> {
        py.compute(|| self.0.step(&texts))?;
        Ok(self.0.decided())
    }

    /// Sets the relations (by name) for which documents are removed, the maximum number of links of a kept document, and
    /// whether the changes of removed documents are determined where this is cheap.
    fn direct(&mut self, removable: Vec<String>, links: usize, with_changes: bool) -> PyResult<()> {
        let removable = removable.iter().map(|name| named(name)).collect::<PyResult<Vec<_>>>()?;
        self.0.direct(Removable::of(removable), links, with_changes);
        Ok(())
    }

    /// Returns the changes of removed documents that were determined while they were compared: ranks, and the columns of
    /// `removals`.
    fn changes(&self) -> (Buffer, Buffer, Buffer, Buffer) {
        let changes = self.0.changes();
        let ranks: Vec<u32> = changes.iter().map(|&(rank, _)| rank).collect();
        let (title, byline, counts) = columns_of_changes(changes.iter().map(|(_, changes)| changes));
        (Buffer::of(&ranks, u32::to_le_bytes), title, byline, counts)
    }

    /// Returns the links of kept documents as columns: rank, rank of the other document, relation, direction (0
    /// neither, 1 the other derives, 2 the document derives), confidence, copied share of the other and of the
    /// document, and the reworded share of both.
    fn links(&self) -> (Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer) {
        let links = self.0.links();
        let ranks =
            |value: fn(&probe::Link) -> u32| Buffer::of(&links.iter().map(value).collect::<Vec<_>>(), u32::to_le_bytes);
        let bytes = |value: fn(&probe::Link) -> u8| Buffer::new(links.iter().map(value).collect());
        let shares = |value: fn(&probe::Link) -> [f32; 2]| {
            Buffer::of(&links.iter().flat_map(value).collect::<Vec<_>>(), f32::to_le_bytes)
        };
        let confidence: Vec<f32> = links.iter().map(|link| link.ruling.confidence).collect();
        (
            ranks(|link| link.rank),
            ranks(|link| link.other),
            bytes(|link| link.ruling.relation as u8),
            bytes(|link| link.ruling.derived.map_or(0, |derived| derived as u8 + 1)),
            Buffer::of(&confidence, f32::to_le_bytes),
            shares(|link| link.ruling.copied),
            shares(|link| link.ruling.reworded),
        )
    }

    /// Returns the passages shared by linked documents: the bounds of each link's passages, and four offsets per
    /// passage (start and end in the other document, start and end in the document).
    fn linked_passages(&self, py: Python<'_>, texts: TextStorage) -> PyResult<(Buffer, Buffer)> {
        let all = py.compute(|| self.0.linked_passages(&texts))?;
        let mut bounds: Vec<u64> = vec![0];
        let mut offsets: Vec<u32> = Vec::new();
        for places in &all {
            let flat = places.iter().flat_map(|[a, b]| [a.start, a.end, b.start, b.end]);
            offsets.extend(flat.map(|offset| offset as u32));
            bounds.push(offsets.len() as u64 / 4);
        }
        Ok((Buffer::of(&bounds, u64::to_le_bytes), Buffer::of(&offsets, u32::to_le_bytes)))
    }

    /// Returns how many links were dropped because a document exceeded its limit.
    fn cut_links(&self) -> u64 {
        self.0.cut_links()
    }

    /// Returns, by rank, the rank of the kept document or 2³²−1; the shared and total counts; the relation; the
    /// similarity.
    fn decisions(&self) -> (Buffer, Buffer, Buffer, Buffer, Buffer) {
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
            Buffer::new(decisions.iter().map(|decision| decision.relation as u8).collect()),
            Buffer::of(&similarities, f64::to_le_bytes),
        )
    }

    /// Returns, by rank, the similarity of each field that matched, NaN for the others. Empty if there is only one
    /// field.
    fn by_field(&self) -> Buffer {
        Buffer::of(self.0.by_field().as_flattened(), f64::to_le_bytes)
    }

    /// Returns histograms of the similarities of removed documents and of near misses, in hundredths.
    fn histograms(&self) -> (Vec<u64>, Vec<u64>) {
        (self.0.removed().to_vec(), self.0.near_misses().to_vec())
    }

    /// Returns the number of compared pairs.
    fn comparisons(&self) -> u64 {
        self.0.comparisons()
    }

    /// Returns the number of keys that belong to phrases.
    fn phrases(&self) -> usize {
        self.0.phrases()
    }

    /// Returns the learned boilerplate: text, example document, documents that contain it, number of keys.
    fn notices(&self) -> Vec<(String, u32, usize, usize)> {
        let row = |notice: &probe::Notice| (notice.text.clone(), notice.example, notice.documents, notice.keys);
        self.0.notices().iter().map(row).collect()
    }

    /// Returns keys with too many documents: key, documents, kept documents not listed under it, example.
    fn hot_keys(&self) -> Vec<(u64, usize, usize, u32)> {
        self.0.hot_keys().into_iter().map(|hot| (hot.key, hot.documents, hot.unlisted, hot.example)).collect()
    }
}
