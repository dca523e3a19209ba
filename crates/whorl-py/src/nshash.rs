//! Python bindings for nshash fingerprints.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::fingerprint::nshash::{Sentence, SentenceHash, longest_sentences};

use crate::texts::Texts;
use crate::threads::Compute;

/// Hash of a sentence with its start and end in code points.
type Place = (String, usize, usize);

/// Returns the longest sentences of each text.
#[pyfunction]
pub fn nshash(py: Python<'_>, texts: Texts, hash: &str, count: usize) -> PyResult<Vec<Vec<Place>>> {
    let hash = match hash {
        "md5" => SentenceHash::Md5,
        "farmhash" => SentenceHash::FarmHash64,
        other => return Err(PyValueError::new_err(format!("there is no hash '{other}'"))),
    };
    let longest = py.compute(|| longest_sentences(&texts, count, hash));
    let plain = |Sentence { hash, place }| (hash, place.start, place.end);
    Ok(longest.into_iter().map(|sentences| sentences.into_iter().map(plain).collect()).collect())
}
