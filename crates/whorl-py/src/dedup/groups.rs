//! Groups of documents that share keys.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use rayon::prelude::*;
use whorl_core::index::group;

use crate::buffer::Buffer;
use crate::threads::Compute;

/// Keys shared by two or more documents. Keys with the same small set of documents are stored as one group.
#[pyclass]
#[derive(Default)]
pub struct Groups(pub(super) group::Gathering);

#[pymethods]
impl Groups {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a whole partition of about `count` postings, whose keys agree in their leading `common_bits`. `pieces` yields
    /// postings with the number of their document 0; only one piece is in memory beside the partition.
    fn add_partition(
        &mut self,
        py: Python<'_>,
        pieces: &Bound<'_, PyAny>,
        count: usize,
        common_bits: u32,
        rank_of: PyBuffer<u32>,
    ) -> PyResult<()> {
        let mut buckets = group::Buckets::new(count, common_bits);
        for piece in pieces.try_iter()? {
            let (postings, base): (PyBackedBytes, u32) = piece?.extract()?;
            buckets.add(&postings, base);
        }
        let rank_of = rank_of.to_vec(py)?;
        py.compute(|| buckets.into_groups(&rank_of).iter().for_each(|of_bucket| self.0.add(of_bucket)));
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.0.groups().len()
    }

    /// Returns a key per group, its multiplicity, the start of its members (plus the final end), and the members.
    fn columns(&self) -> GroupColumns {
        columns_of(self.0.groups())
    }

    /// Adds groups in column form; members are documents, which are mapped to ranks.
    fn add_columns(&mut self, py: Python<'_>, columns: GivenColumns, rank_of: PyBuffer<u32>) -> PyResult<()> {
        let (mut added, rank_of) = (groups_of(py, &columns)?, rank_of.to_vec(py)?);
        if added.members.iter().any(|&document| document as usize >= rank_of.len()) {
            return Err(PyValueError::new_err("a group has a document without a rank"));
        }
        py.compute(|| {
            added.members.par_iter_mut().for_each(|member| *member = rank_of[*member as usize]);
            added.sort_members();
            self.0.add(&added);
        });
        Ok(())
    }
}

/// Groups in column form: keys, multiplicities, starts, members.
pub(super) type GroupColumns = (Buffer, Buffer, Buffer, Buffer);
/// The same columns as input from Python.
pub(super) type GivenColumns = (PyBuffer<u64>, PyBuffer<u32>, PyBuffer<u64>, PyBuffer<u32>);

pub(super) fn columns_of(groups: &group::Groups) -> GroupColumns {
    let starts: Vec<u64> = groups.starts.iter().map(|&start| start as u64).collect();
    (
        Buffer::of(&groups.keys, u64::to_le_bytes),
        Buffer::of(&groups.multiplicities, u32::to_le_bytes),
        Buffer::of(&starts, u64::to_le_bytes),
        Buffer::of(&groups.members, u32::to_le_bytes),
    )
}

pub(super) fn groups_of(
    py: Python<'_>,
    (keys, multiplicities, starts, members): &GivenColumns,
) -> PyResult<group::Groups> {
    let groups = group::Groups {
        keys: keys.to_vec(py)?,
        multiplicities: multiplicities.to_vec(py)?,
        starts: starts.to_vec(py)?.into_iter().map(|start| start as usize).collect(),
        members: members.to_vec(py)?,
    };
    let is_whole = groups.starts.first().is_none_or(|&first| first == 0)
        && groups.starts.last().copied().unwrap_or(0) == groups.members.len()
        && groups.starts.is_sorted()
        && groups.starts.len().saturating_sub(1) == groups.keys.len()
        && groups.multiplicities.len() == groups.keys.len();
    is_whole.then_some(groups).ok_or_else(|| PyValueError::new_err("the columns of the groups do not fit each other"))
}
