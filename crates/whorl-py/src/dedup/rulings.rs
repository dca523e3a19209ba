//! Rulings on pairs of texts: their relation, and how a removed text differs from the kept one.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use whorl_core::align::outline::Changes;
use whorl_core::align::relation::{Derived, Relation};
use whorl_core::judge::ruling::{Removable, Ruling};

use super::TextStorage;
use crate::buffer::Buffer;
use crate::texts::code_points;
use crate::threads::Compute;

/// The names of all relations, closest last. A relation is identified by its index.
pub const RELATIONS: [&str; Relation::ALL.len()] = {
    let mut names = [""; Relation::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = Relation::ALL[place].name();
        place += 1;
    }
    names
};

pub(super) fn named(name: &str) -> PyResult<Relation> {
    let is_named = |relation: &Relation| relation.name() == name;
    let matching = Relation::ALL.into_iter().find(is_named);
    matching.ok_or_else(|| PyValueError::new_err(format!("unknown relation '{name}'")))
}

/// Rules on a text whose counterpart is kept. Returns the relation; which text derives ("a" is the kept one); the
/// confidence; the copied and reworded shares of both; and whether the relations allow its removal.
#[pyfunction]
pub fn ruling(
    py: Python<'_>,
    kept: &Bound<'_, PyString>,
    removed: &Bound<'_, PyString>,
    removable: Vec<String>,
) -> PyResult<RulingRow> {
    let removable = Removable::of(removable.iter().map(|name| named(name)).collect::<PyResult<Vec<_>>>()?);
    let (kept, removed) = (code_points(kept)?, code_points(removed)?);
    let ruling = py.compute(|| Ruling::on(&kept, &removed, removable));
    Ok((
        ruling.relation.name(),
        ruling.derived.map(Derived::name),
        ruling.confidence,
        ruling.copied.into(),
        ruling.reworded.into(),
        ruling.is_removable,
    ))
}

/// A ruling as a Python tuple.
type RulingRow = (&'static str, Option<&'static str>, f32, (f32, f32), (f32, f32), bool);

/// Compares removed documents with the kept ones: whether the titles differ (2 if missing), whether the bylines differ,
/// and eight change counts.
#[pyfunction]
pub fn removals(
    py: Python<'_>,
    texts: TextStorage,
    kept: PyBuffer<u32>,
    removed: PyBuffer<u32>,
) -> PyResult<(Buffer, Buffer, Buffer)> {
    let pairs: Vec<(u32, u32)> = kept.to_vec(py)?.into_iter().zip(removed.to_vec(py)?).collect();
    let result = py.compute(|| whorl_core::judge::removals::outlines(&pairs, &texts))?;
    Ok(columns_of_changes(result.iter().map(|outline| &outline.changes)))
}

/// Changes as columns: the title, the byline, and the counts.
pub(super) fn columns_of_changes<'c>(changes: impl Iterator<Item = &'c Changes> + Clone) -> (Buffer, Buffer, Buffer) {
    let column = |value: fn(&Changes) -> u8| Buffer::new(changes.clone().map(value).collect());
    let counts: Vec<u32> = changes.clone().flat_map(|changes| changes.counts).collect();
    (
        column(|changes| changes.title.map_or(2, u8::from)),
        column(|changes| u8::from(changes.byline)),
        Buffer::of(&counts, u32::to_le_bytes),
    )
}
