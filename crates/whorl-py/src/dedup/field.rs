//! Fields: the fingerprints of the documents in one text column, and its rule.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::judge::probe::{self, Documents, Rule, Verdict};

use crate::verify::Demand;

/// Fingerprint columns and rule of one field, consumed by a probe.
#[pyclass]
pub struct Field {
    field: Option<probe::Field>,
    /// Expected number of documents.
    documents: usize,
}

#[pymethods]
impl Field {
    /// Creates an empty field for this many documents. `rule` is (measure, threshold, minimum code agreement, distance
    /// limits by length).
    #[new]
    fn new(
        rule: (String, f64, u32, Vec<(u32, u32)>),
        demands: Vec<PyRef<'_, Demand>>,
        min_shared: usize,
        documents: usize,
    ) -> PyResult<Self> {
        let (measure, threshold, min_agreement, limits) = rule;
        let rule = match measure.as_str() {
            "exact" => Rule::Exact,
            "keys" => Rule::Keys { threshold },
            "hamming" => Rule::Hamming { limits },
            "jaccard" | "containment" => Rule::Agreement { min_agreement },
            other => return Err(PyValueError::new_err(format!("unknown measure '{other}'"))),
        };
        let verdict = Verdict { rule, demands: demands.iter().map(|demand| demand.0.clone()).collect() };
        let field = probe::Field { verdict, min_shared, documents: Documents::default() };
        Ok(Self { field: Some(field), documents })
    }

    /// Appends documents. All must have codes of the same width.
    fn add(
        &mut self,
        py: Python<'_>,
        digests: PyBuffer<u64>,
        lengths: PyBuffer<u32>,
        codes: PyBuffer<u8>,
        key_counts: PyBuffer<u32>,
    ) -> PyResult<()> {
        let field = self.field.as_mut().ok_or_else(|| PyValueError::new_err("the field was taken by a probe"))?;
        let count = lengths.item_count();
        if count == 0 {
            return Ok(());
        }
        let target = &mut field.documents;
        let width = codes.item_count() / count;
        let fit = digests.item_count() == 2 * count
            && key_counts.item_count() == count
            && codes.item_count() == width * count
            && (target.lengths.is_empty() || target.code_width == width);
        if !fit {
            return Err(PyValueError::new_err("the columns of the documents do not fit each other"));
        }
        target.code_width = width;
        let further = self.documents.saturating_sub(target.lengths.len()).max(count);
        target.digests.reserve_exact(further);
        target.lengths.reserve_exact(further);
        target.codes.reserve_exact(further * width);
        target.key_counts.reserve_exact(further);
        let halves = digests.to_vec(py)?;
        target.digests.extend(halves.chunks_exact(2).map(|half| u128::from(half[1]) << 64 | u128::from(half[0])));
        target.lengths.append(&mut lengths.to_vec(py)?);
        target.codes.append(&mut codes.to_vec(py)?);
        target.key_counts.append(&mut key_counts.to_vec(py)?);
        Ok(())
    }
}

pub(super) fn take_fields(py: Python<'_>, fields: &[Py<Field>]) -> PyResult<Vec<probe::Field>> {
    let fields: Option<Vec<probe::Field>> = fields.iter().map(|field| field.borrow_mut(py).field.take()).collect();
    fields.ok_or_else(|| PyValueError::new_err("a field was taken by another probe"))
}
