//! Python bindings for words and terms.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use whorl_core::fingerprint::{ByTerms, Method, TermCode, fingerprint};
use whorl_core::text::Text;
use whorl_core::text::TextBlock;
use whorl_core::words::{self, Cutting, Dictionary, DocumentFrequencies, Idf, Stem, TermReader, TermRules, Weighting};

use crate::buffer::Buffer;
use crate::fingerprints::{FingerprintBuffers, buffers};
use crate::texts::Texts;
use crate::threads::Compute;

/// A dictionary for segmenting texts.
#[pyclass(frozen)]
pub struct Words(pub Arc<Dictionary>);

#[pymethods]
impl Words {
    /// Loads jieba's dictionary and adds user-defined lines. Raises ValueError with the line number for an invalid
    /// line.
    #[new]
    #[pyo3(signature = (user_words=None))]
    fn new(py: Python<'_>, user_words: Option<&str>) -> PyResult<Self> {
        let load = || match user_words {
            None => Ok(Dictionary::embedded()),
            Some(content) => Dictionary::with_words(content).map(Arc::new),
        };
        Ok(Self(py.compute(load).map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    /// Returns the part-of-speech tags by code.
    fn tags(&self) -> Vec<String> {
        self.0.tags().to_vec()
    }

    /// The XXH3-64 of the user-defined words; 0 if there are none.
    fn digest(&self) -> u64 {
        self.0.digest()
    }

    /// Segments texts. Returns starts, ends and tags of all words, the number of words per text, the concatenated
    /// words, and their ends.
    fn segment(
        &self,
        py: Python<'_>,
        texts: Texts,
        cutting: PyCutting,
    ) -> PyResult<(Buffer, Buffer, Buffer, Buffer, Buffer, Buffer)> {
        let cutting = cutting.read()?;
        let segments = py.compute(|| words::segment(&texts, &self.0, cutting));
        Ok((
            Buffer::of(&segments.starts, u32::to_le_bytes),
            Buffer::of(&segments.ends, u32::to_le_bytes),
            Buffer::of(&segments.tags, u16::to_le_bytes),
            Buffer::of(&segments.counts, u32::to_le_bytes),
            Buffer::new(segments.words.into_bytes()),
            Buffer::of(&segments.word_ends, u64::to_le_bytes),
        ))
    }

    /// Returns one line of segmented words per text, in UTF-8.
    fn lines(&self, py: Python<'_>, texts: Texts, cutting: PyCutting) -> PyResult<Buffer> {
        let cutting = cutting.read()?;
        Ok(Buffer::new(py.compute(|| words::lines(&texts, &self.0, cutting)).into_bytes()))
    }
}

/// Any object with the attributes of [`Cutting`].
#[derive(FromPyObject)]
struct PyCutting {
    mode: String,
    hmm: bool,
    fold: bool,
    tags: bool,
    stem: Option<String>,
    chunks: bool,
}

impl PyCutting {
    fn read(&self) -> PyResult<Cutting> {
        let Self { hmm, fold: folded, tags: tagged, chunks, .. } = *self;
        let mode = self.mode.parse().map_err(PyValueError::new_err)?;
        Ok(Cutting { mode, hmm, folded, tagged, stem: stem(self.stem.as_deref())?, chunks })
    }
}

fn stem(language: Option<&str>) -> PyResult<Option<Stem>> {
    language.map(str::parse).transpose().map_err(PyValueError::new_err)
}

/// The languages supported for stemming.
#[pyfunction]
pub fn stem_languages() -> Vec<&'static str> {
    Stem::languages().collect()
}

/// Inverse document frequencies of words.
#[pyclass(frozen)]
pub struct IdfTable(Arc<Idf>);

#[pymethods]
impl IdfTable {
    /// The embedded table.
    #[staticmethod]
    fn embedded() -> Self {
        Self(Idf::embedded())
    }

    /// The XXH3-64 of the counts; 0 for the embedded table.
    fn digest(&self) -> u64 {
        self.0.digest()
    }

    /// Creates a table from folded words, the number of documents with each, and the share above which a word is
    /// common.
    #[new]
    fn new(py: Python<'_>, documents: u64, words: Texts, counts: PyBuffer<u64>, common_share: f64) -> PyResult<Self> {
        let counts = counts.to_vec(py)?;
        if counts.len() != words.len() {
            return Err(PyValueError::new_err("every word needs a count"));
        }
        Ok(Self(py.compute(|| {
            let words: Vec<String> = (0..words.len()).map(|index| words.with_text(index, owned)).collect();
            let entries = words.iter().map(String::as_str).zip(counts);
            Arc::new(Idf::from_counts(documents, entries, common_share))
        })))
    }
}

fn owned(text: Text<'_>) -> String {
    match text {
        Text::Utf8(text) => text.to_owned(),
        Text::CodePoints(text) => text.iter().filter_map(|&unit| char::from_u32(unit)).collect(),
    }
}

/// Extracts terms and computes fingerprints from them.
#[pyclass(frozen)]
pub struct Terms(TermReader);

#[pymethods]
impl Terms {
    #[new]
    fn new(words: &Words, idf: Option<&IdfTable>, rules: PyRules) -> PyResult<Self> {
        let rules = rules.read()?;
        Ok(Self(TermReader::new(Arc::clone(&words.0), idf.map(|idf| Arc::clone(&idf.0)), rules)))
    }

    /// Returns hashes and weights of the heaviest terms, and the number of terms per text.
    fn terms(&self, py: Python<'_>, texts: Texts, limit: usize) -> (Buffer, Buffer, Buffer) {
        let terms = py.compute(|| words::terms(&texts, &self.0, limit));
        (
            Buffer::of(&terms.hashes, u64::to_le_bytes),
            Buffer::of(&terms.weights, u64::to_le_bytes),
            Buffer::of(&terms.counts, u32::to_le_bytes),
        )
    }

    /// Fingerprints of the family `simhash` over terms; `hash` names a hash function of another program.
    #[expect(clippy::too_many_arguments, reason = "the parameters of the family")]
    fn simhash(
        &self,
        py: Python<'_>,
        texts: Texts,
        terms: usize,
        min_terms: usize,
        bits: usize,
        blocks: usize,
        hash: Option<&str>,
    ) -> PyResult<FingerprintBuffers> {
        let hash = hash.map(str::parse).transpose().map_err(PyValueError::new_err)?;
        let method = Method::SimHash(TermCode { terms, min_terms, bits, blocks, hash });
        Ok(self.fingerprint(py, &texts, method))
    }

    /// Fingerprints of the family `info`.
    fn info(&self, py: Python<'_>, texts: Texts, terms: usize, min_terms: usize) -> FingerprintBuffers {
        self.fingerprint(py, &texts, Method::Info { terms, min_terms })
    }

    /// Fingerprints of the family `keywords`.
    fn keywords(&self, py: Python<'_>, texts: Texts, terms: usize, min_terms: usize) -> FingerprintBuffers {
        self.fingerprint(py, &texts, Method::Keywords { terms, min_terms })
    }

    /// Fingerprints of the family `imatch`.
    fn imatch(
        &self,
        py: Python<'_>,
        texts: Texts,
        band: (u32, u32),
        lexicons: u64,
        min_terms: usize,
    ) -> FingerprintBuffers {
        self.fingerprint(py, &texts, Method::IMatch { band, lexicons, min_terms })
    }
}

/// Any object with the attributes of [`TermRules`].
#[derive(FromPyObject)]
struct PyRules {
    hmm: bool,
    tags: Vec<String>,
    shortest: usize,
    stop_words: bool,
    numbers: bool,
    title: u32,
    opening: u32,
    weights: String,
    stem: Option<String>,
    chunks: bool,
}

impl PyRules {
    fn read(self) -> PyResult<TermRules> {
        let weighting = match self.weights.as_str() {
            "tf" => Weighting::Count,
            "tf-idf" => Weighting::Rarity,
            "scale" => Weighting::Scale,
            "textrank" => Weighting::TextRank,
            other => return Err(PyValueError::new_err(format!("no weights '{other}'"))),
        };
        let Self { hmm, shortest, stop_words, title, opening, chunks, .. } = self;
        let stem = stem(self.stem.as_deref())?;
        let drop_numbers = !self.numbers;
        let tags = self.tags;
        Ok(TermRules { hmm, tags, shortest, stop_words, drop_numbers, title, opening, weighting, stem, chunks })
    }
}

impl Terms {
    fn fingerprint(&self, py: Python<'_>, texts: &Texts, method: Method) -> FingerprintBuffers {
        buffers(py.compute(|| fingerprint(texts, &ByTerms { reader: &self.0, method })))
    }
}

/// Document frequencies of words.
#[pyclass(frozen)]
pub struct WordCounts(Mutex<DocumentFrequencies>);

#[pymethods]
impl WordCounts {
    #[new]
    fn new(words: &Words, hmm: bool) -> Self {
        Self(Mutex::new(DocumentFrequencies::new(Arc::clone(&words.0), hmm)))
    }

    /// Counts texts. Returns how many contained words.
    fn add(&self, py: Python<'_>, texts: Texts) -> u64 {
        py.compute(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).add(&texts))
    }

    fn __len__(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns the sorted words as UTF-8, their ends, and their counts; resets the counter.
    fn take(&self, py: Python<'_>) -> (Buffer, Buffer, Buffer) {
        py.compute(|| {
            let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (mut bytes, mut ends, mut counts) = (Vec::new(), vec![0], Vec::new());
            for (word, count) in &entries {
                bytes.extend_from_slice(word.as_bytes());
                ends.push(bytes.len() as i64);
                counts.push(*count);
            }
            (Buffer::new(bytes), Buffer::of(&ends, i64::to_le_bytes), Buffer::of(&counts, u64::to_le_bytes))
        })
    }
}
