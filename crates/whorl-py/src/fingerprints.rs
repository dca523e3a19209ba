//! Fingerprint families that need only texts and parameters.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::fingerprint::iscc;
use whorl_core::fingerprint::simhash::weighted_code;
use whorl_core::fingerprint::{
    self, Exact, Fingerprints, Grams, LowestShingles, MinHash, SimHash, Winnowing, fingerprint,
};

use crate::buffer::Buffer;
use crate::texts::Texts;
use crate::threads::Compute;

/// Digests, lengths, keys, counts and codes, one buffer each.
pub type FingerprintBuffers = (Buffer, Buffer, Buffer, Buffer, Buffer);

pub fn buffers(fingerprints: Fingerprints) -> FingerprintBuffers {
    (
        Buffer::of(&fingerprints.digests, u128::to_le_bytes),
        Buffer::of(&fingerprints.lengths, u32::to_le_bytes),
        Buffer::of(&fingerprints.keys, u64::to_le_bytes),
        Buffer::of(&fingerprints.counts, u32::to_le_bytes),
        Buffer::new(fingerprints.codes),
    )
}

/// Fingerprints of the family `exact`.
#[pyfunction]
pub fn exact(py: Python<'_>, texts: Texts) -> FingerprintBuffers {
    buffers(py.compute(|| fingerprint(&texts, &Exact)))
}

/// Fingerprints of the family `minhash`.
#[pyfunction]
pub fn minhash(
    py: Python<'_>,
    texts: Texts,
    width: usize,
    values: usize,
    bands: usize,
    rows: usize,
) -> FingerprintBuffers {
    let family = MinHash { width, values, bands, rows };
    buffers(py.compute(|| fingerprint(&texts, &family)))
}

/// Fingerprints of the family `simhash` over shingles; `hash` names a hash function of another program.
#[pyfunction]
#[pyo3(signature = (texts, width, bits, blocks, least_features, hash=None))]
pub fn simhash(
    py: Python<'_>,
    texts: Texts,
    width: usize,
    bits: usize,
    blocks: usize,
    least_features: usize,
    hash: Option<&str>,
) -> PyResult<FingerprintBuffers> {
    let hash = hash.map(str::parse).transpose().map_err(PyValueError::new_err)?;
    let family = SimHash { width, bits, blocks, least_features, hash };
    Ok(buffers(py.compute(|| fingerprint(&texts, &family))))
}

/// Computes the SimHash code of (hash, weight) features; None if there are none.
#[pyfunction]
pub fn simhash_code(features: Vec<(u128, u64)>, bits: usize) -> Option<u128> {
    weighted_code(features.into_iter(), bits)
}

/// Fingerprints of the family `winnowing`; `sparse` and `dense` are (k, window) of sparse and of dense code points.
#[pyfunction]
pub fn winnowing(
    py: Python<'_>,
    texts: Texts,
    sparse: (usize, usize),
    dense: (usize, usize),
    by_sound: bool,
) -> FingerprintBuffers {
    let [sparse, dense] = [sparse, dense].map(|(k, window)| Grams { k, window });
    buffers(py.compute(|| fingerprint(&texts, &Winnowing { sparse, dense, by_sound })))
}

/// Fingerprints of the family `shingles`.
#[pyfunction]
pub fn shingles(py: Python<'_>, texts: Texts, width: usize, sample: usize) -> FingerprintBuffers {
    buffers(py.compute(|| fingerprint(&texts, &LowestShingles { width, sample })))
}

/// Computes the MinHash values of each text as little-endian `u32`; None for a text without features.
#[pyfunction]
pub fn sketch(py: Python<'_>, texts: Texts, width: usize, values: usize, classic: bool) -> Vec<Option<Buffer>> {
    let sketches = py.compute(|| fingerprint::sketch(&texts, width, values, classic));
    sketches.into_iter().map(|sketch| sketch.map(|values| Buffer::of(&values, u32::to_le_bytes))).collect()
}

/// Computes the 256-bit Text-Code of ISO 24138 of each text, 32 bytes each.
#[pyfunction]
pub fn text_codes(py: Python<'_>, texts: Texts) -> Buffer {
    Buffer::new(py.compute(|| iscc::text_codes(&texts)).concat())
}
