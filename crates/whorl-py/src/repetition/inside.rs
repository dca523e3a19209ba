//! Python bindings for repeated text within documents.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::OnceLock;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;
use whorl_core::inside::decide::{Decided, Decider, NONE, Past, Piece, Proposed, Row};
use whorl_core::inside::document::{Document, Search};
use whorl_core::inside::group::{Grouping, Pair, group};
use whorl_core::inside::layout::Form;
use whorl_core::inside::records::{Record, Recorder, records};
use whorl_core::inside::repetition::{MEASURES, Repetition};
use whorl_core::inside::units::Kind;
use whorl_core::judge::probe::TextSource;
use whorl_core::rows::jsonl;
use whorl_core::text::{Text, TextBlock};
use whorl_core::words::Dictionary;

use crate::buffer::Buffer;
use crate::dedup::TextStorage;
use crate::rows::{RowColumns, encoding_named};
use crate::texts::Texts;
use crate::threads::Compute;

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

const RECORD_BYTES: usize = 24;
const PAIR_BYTES: usize = 20;
const PIECE_NUMBERS: usize = 9;

/// What to search for within documents.
#[pyclass(frozen)]
pub struct InsideSearch(Search);

#[pymethods]
impl InsideSearch {
    #[new]
    fn new(kind: &str, measure: &str, min_length: u32) -> PyResult<Self> {
        let kind = kind.parse().map_err(PyValueError::new_err)?;
        let measure = measure.parse().map_err(PyValueError::new_err)?;
        Ok(Self(Search { kind, measure, min_length }))
    }

    /// The length of a text in the measure of the search.
    fn length(&self, text: &str) -> u32 {
        Document::new(Text::Utf8(text), &self.0).stream.whole()
    }
}

/// Computes the records of some documents, scattered into 2^bits partitions; with `keys`, only those with one of them.
/// Returns the records and the bounds.
#[pyfunction]
#[pyo3(signature = (texts, documents, ranks, scopes, search, bits, keys = None))]
#[expect(clippy::too_many_arguments, reason = "the columns of the documents, and how they are searched")]
pub fn inside_records(
    py: Python<'_>,
    texts: TextStorage,
    documents: PyBuffer<u32>,
    ranks: PyBuffer<u32>,
    scopes: PyBuffer<u64>,
    search: &InsideSearch,
    bits: u32,
    keys: Option<PyBuffer<u64>>,
) -> PyResult<(Buffer, Buffer)> {
    let keys: Option<HashSet<u64>> =
        keys.map(|keys| Ok::<_, PyErr>(keys.to_vec(py)?.into_iter().collect())).transpose()?;
    let is_wanted = |record: &Record| keys.as_ref().is_none_or(|keys| keys.contains(&record.key));
    let (documents, ranks, scopes) = (documents.to_vec(py)?, ranks.to_vec(py)?, scopes.to_vec(py)?);
    if ranks.len() != documents.len() || scopes.len() != documents.len() {
        return Err(PyValueError::new_err("every document needs a rank and a scope"));
    }
    py.compute(|| {
        let by_document: Vec<OnceLock<Vec<Record>>> = documents.iter().map(|_| OnceLock::new()).collect();
        texts.read(&documents, &|index, text| {
            let mut of_text = Vec::new();
            RECORDER.with_borrow_mut(|recorder| {
                recorder.read(text, &search.0, ranks[index], scopes[index], |record| {
                    if is_wanted(&record) {
                        of_text.push(record);
                    }
                });
            });
            // A text is passed once.
            let _ = by_document[index].set(of_text);
        })?;
        let all = by_document.iter().filter_map(OnceLock::get).flatten();
        Ok(scattered(all, 1 << bits, |record| partition_of(record, bits), record_bytes))
    })
}

/// Computes the records of approved texts, whose ranks are their numbers: the records and the bounds of the partitions.
#[pyfunction]
pub fn inside_approved_records(
    py: Python<'_>,
    texts: Vec<String>,
    scopes: PyBuffer<u64>,
    search: &InsideSearch,
    bits: u32,
) -> PyResult<(Buffer, Buffer)> {
    let scopes = scopes.to_vec(py)?;
    if scopes.len() != texts.len() {
        return Err(PyValueError::new_err("every text needs a scope"));
    }
    Ok(py.compute(|| {
        let mut all = Vec::new();
        for (rank, (text, scope)) in texts.iter().zip(scopes).enumerate() {
            let document = Document::of_unit(Text::Utf8(text), &search.0);
            records(&document, &search.0, rank as u32, scope, |record| all.push(record));
        }
        scattered(&all, 1 << bits, |record| partition_of(record, bits), record_bytes)
    }))
}

/// The partition of a record, by the first bits of its key.
fn partition_of(record: &Record, bits: u32) -> usize {
    (record.key >> 1 >> (63 - bits)) as usize
}

/// Groups the records of a partition. Returns the pairs of places by bucket of ranks, the bounds of the buckets, and
/// the number of keys with too many surroundings and of places that were not compared with all of them.
#[pyfunction]
#[pyo3(signature = (records, search, repeats, both_ways, bucket_ranks, buckets, approved = 0))]
#[expect(clippy::too_many_arguments, reason = "how the records are grouped, and how their pairs are divided")]
pub fn inside_pairs(
    py: Python<'_>,
    records: PyBuffer<u8>,
    search: &InsideSearch,
    repeats: u32,
    both_ways: bool,
    bucket_ranks: u32,
    buckets: usize,
    approved: u32,
) -> PyResult<(Buffer, Buffer, u64, u64)> {
    let bytes = records.to_vec(py)?;
    Ok(py.compute(|| {
        let mut records: Vec<Record> = bytes.chunks_exact(RECORD_BYTES).map(record_of).collect();
        let any_surroundings = search.0.kind == Kind::Passages;
        let grouped = group(&mut records, &Grouping { repeats, both_ways, any_surroundings, approved });
        let bucket = |pair: &Pair| (pair.rank / bucket_ranks.max(1)) as usize;
        let (pairs, bounds) = scattered(&grouped.pairs, buckets, bucket, pair_bytes);
        (pairs, bounds, grouped.hot, grouped.cut)
    }))
}

/// Sorts values into parts, in their order. Returns their bytes and the bounds of the parts, in values.
fn scattered<'v, T: 'v, const BYTES: usize>(
    values: impl IntoIterator<Item = &'v T, IntoIter: Clone>,
    parts: usize,
    part: impl Fn(&T) -> usize,
    bytes: impl Fn(&T) -> [u8; BYTES],
) -> (Buffer, Buffer) {
    let values = values.into_iter();
    let mut bounds = vec![0u64; parts + 1];
    values.clone().for_each(|value| bounds[part(value) + 1] += 1);
    for place in 0..parts {
        bounds[place + 1] += bounds[place];
    }
    let mut next: Vec<usize> = bounds.iter().map(|&bound| bound as usize * BYTES).collect();
    let mut written = vec![0; bounds[parts] as usize * BYTES];
    for value in values {
        let place = &mut next[part(value)];
        written[*place..*place + BYTES].copy_from_slice(&bytes(value));
        *place += BYTES;
    }
    (Buffer::new(written), Buffer::of(&bounds, u64::to_le_bytes))
}

fn record_bytes(record: &Record) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    bytes[..8].copy_from_slice(&record.key.to_le_bytes());
    bytes[8..16].copy_from_slice(&record.surroundings.to_le_bytes());
    bytes[16..20].copy_from_slice(&record.rank.to_le_bytes());
    bytes[20..].copy_from_slice(&record.place.to_le_bytes());
    bytes
}

fn record_of(bytes: &[u8]) -> Record {
    let wide = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Record { key: wide(0), surroundings: wide(8), rank: number(bytes, 4), place: number(bytes, 5) }
}

fn pair_bytes(pair: &Pair) -> [u8; PAIR_BYTES] {
    bytes_of([pair.rank, pair.place, pair.other, pair.other_place, pair.count])
}

fn pair_of(bytes: &[u8]) -> Pair {
    let value = |place: usize| number(bytes, place);
    Pair { rank: value(0), place: value(1), other: value(2), other_place: value(3), count: value(4) }
}

fn past_bytes(past: Past) -> [u8; PAIR_BYTES] {
    bytes_of([past.rank, past.start, past.end, past.kept, past.kept_start])
}

fn past_of(bytes: &[u8]) -> Past {
    let value = |place: usize| number(bytes, place);
    Past { rank: value(0), start: value(1), end: value(2), kept: value(3), kept_start: value(4) }
}

fn bytes_of(values: [u32; 5]) -> [u8; PAIR_BYTES] {
    let mut bytes = [0; PAIR_BYTES];
    for (place, value) in bytes.chunks_exact_mut(4).zip(values) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// The 32-bit number at a place counted in such numbers.
fn number(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * place..4 * place + 4].try_into().expect("four bytes"))
}

/// Decides which repeated text is cut, in the order of rank.
#[pyclass]
pub struct InsideDecider {
    decider: Decider,
    document_of: Vec<u32>,
    lengths: Vec<u32>,
}

#[pymethods]
impl InsideDecider {
    /// `document_of` and `lengths` have the document and its folded length for every rank. If there are `approved`
    /// texts, which have the first ranks, only whole ones are cut.
    #[new]
    #[pyo3(signature = (search, keeps, mends, document_of, lengths, approved = Vec::new()))]
    fn new(
        py: Python<'_>,
        search: &InsideSearch,
        keeps: bool,
        mends: bool,
        document_of: PyBuffer<u32>,
        lengths: PyBuffer<u32>,
        approved: Vec<String>,
    ) -> PyResult<Self> {
        let (document_of, lengths) = (document_of.to_vec(py)?, lengths.to_vec(py)?);
        if document_of.len() != lengths.len() {
            return Err(PyValueError::new_err("every rank needs a document and a length"));
        }
        let approved = approved.iter().map(|text| Text::Utf8(text));
        let decider = Decider::new(search.0, keeps, mends).with_approved(approved);
        Ok(Self { decider, document_of, lengths })
    }

    /// Decides all pairs of some documents. Returns columns by name.
    fn decide<'py>(
        &mut self,
        py: Python<'py>,
        texts: TextStorage,
        pairs: PyBuffer<u8>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let pairs = self.pairs_of(py, &pairs)?;
        let Self { decider, document_of, lengths } = self;
        let decided = py.compute(|| decider.decide(&texts, document_of, lengths, pairs))?;
        columns_of(py, &decided)
    }

    /// Compares the texts of all pairs of some documents. Returns the pieces that are proposed for cutting, nine numbers
    /// each, and the number of refuted pairs.
    fn propose(&mut self, py: Python<'_>, texts: TextStorage, pairs: PyBuffer<u8>) -> PyResult<(Buffer, u64)> {
        let pairs = self.pairs_of(py, &pairs)?;
        let Self { decider, document_of, lengths } = self;
        let Proposed { pieces, refuted } = py.compute(|| decider.propose(&texts, document_of, lengths, pairs))?;
        Ok((pieces_buffer(&pieces), refuted))
    }

    /// Traces proposed pieces, by rank, to the documents that keep their text.
    fn trace(&mut self, py: Python<'_>, pieces: PyBuffer<u32>) -> PyResult<Buffer> {
        let pieces = pieces_of(&pieces.to_vec(py)?)?;
        Ok(pieces_buffer(&py.compute(|| self.decider.trace(pieces))))
    }

    /// Strips documents, all of whose traced pieces are among these. Returns columns by name.
    fn strip<'py>(
        &mut self,
        py: Python<'py>,
        texts: TextStorage,
        pieces: PyBuffer<u32>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let pieces = pieces_of(&pieces.to_vec(py)?)?;
        let count = self.document_of.len();
        if pieces
            .iter()
            .any(|piece| piece.rank.max(if piece.other == NONE { 0 } else { piece.other }) as usize >= count)
        {
            return Err(PyValueError::new_err("a piece has no document"));
        }
        let Self { decider, document_of, lengths } = self;
        let decided = py.compute(|| decider.strip(&texts, document_of, lengths, &pieces))?;
        columns_of(py, &decided)
    }

    /// Number of cuts so far.
    fn cuts(&self) -> usize {
        self.decider.past().len()
    }

    /// The cuts from a number on, for `resume`.
    fn past(&self, first: usize) -> Buffer {
        Buffer::of(self.decider.past().get(first..).unwrap_or_default(), past_bytes)
    }

    /// Adds the cuts of an earlier call, to continue after it.
    fn resume(&mut self, py: Python<'_>, past: PyBuffer<u8>) -> PyResult<()> {
        self.decider.resume(past.to_vec(py)?.chunks_exact(PAIR_BYTES).map(past_of));
        Ok(())
    }
}

impl InsideDecider {
    fn pairs_of(&self, py: Python<'_>, pairs: &PyBuffer<u8>) -> PyResult<Vec<Pair>> {
        let pairs: Vec<Pair> = pairs.to_vec(py)?.chunks_exact(PAIR_BYTES).map(pair_of).collect();
        let count = self.document_of.len();
        if pairs.iter().any(|pair| pair.rank.max(pair.other) as usize >= count) {
            return Err(PyValueError::new_err("a pair has no document"));
        }
        Ok(pairs)
    }
}

/// The forms of pieces by number; the level of a heading does not matter for them.
const FORMS: [Form; 5] = [Form::Text, Form::Heading(1), Form::Row, Form::Head, Form::Fence];

fn pieces_buffer(pieces: &[Piece]) -> Buffer {
    let numbers = |piece: &Piece| {
        let (range, units) = (&piece.range, &piece.units);
        let places = [range.start, range.end, units.start, units.end].map(|place| place as u32);
        let form = form_number(piece.form);
        let [start, end, first, last] = places;
        [piece.rank, start, end, first, last, piece.other, piece.other_start as u32, form, piece.count]
    };
    let values: Vec<u32> = pieces.iter().flat_map(numbers).collect();
    Buffer::of(&values, u32::to_le_bytes)
}

fn pieces_of(numbers: &[u32]) -> PyResult<Vec<Piece>> {
    // A border that follows from the units has no offset.
    let offset = |place: u32| if place == u32::MAX { usize::MAX } else { place as usize };
    let piece = |values: &[u32]| {
        let &[rank, start, end, first, last, other, other_start, form, count] = values else { return None };
        Some(Piece {
            rank,
            range: offset(start)..offset(end),
            units: first as usize..last as usize,
            other,
            other_start: other_start as usize,
            form: *FORMS.get(form as usize)?,
            count,
        })
    };
    let pieces: Option<Vec<Piece>> = numbers.chunks(PIECE_NUMBERS).map(piece).collect();
    pieces.ok_or_else(|| PyValueError::new_err("the pieces are damaged"))
}

fn columns_of<'py>(py: Python<'py>, decided: &Decided) -> PyResult<Bound<'py, PyDict>> {
    let rows = |value: fn(&Row) -> u32| {
        let values: Vec<u32> = decided.rows.iter().map(value).collect();
        Buffer::of(&values, u32::to_le_bytes)
    };
    let texts: Vec<&[u8]> = decided.rows.iter().map(|row| row.text.as_bytes()).collect();
    let mut bounds = vec![0i64];
    texts.iter().for_each(|text| bounds.push(bounds[bounds.len() - 1] + text.len() as i64));
    let mut ends = vec![0u64];
    decided.documents.iter().for_each(|own| ends.push(ends[ends.len() - 1] + own.deletions.len() as u64));
    let documents = |value: fn(&whorl_core::inside::decide::Stripped) -> u32| {
        let values: Vec<u32> = decided.documents.iter().map(value).collect();
        Buffer::of(&values, u32::to_le_bytes)
    };
    let ranges: Vec<u32> =
        decided.documents.iter().flat_map(|own| &own.deletions).flat_map(|range| [range.start, range.end]).collect();
    let columns = PyDict::new(py);
    columns.set_item("rank", rows(|row| row.rank))?;
    columns.set_item("start", rows(|row| row.range.start))?;
    columns.set_item("end", rows(|row| row.range.end))?;
    columns.set_item("kept", rows(|row| row.kept))?;
    columns.set_item("kept_start", rows(|row| row.kept_range.start))?;
    columns.set_item("kept_end", rows(|row| row.kept_range.end))?;
    columns.set_item("form", rows(|row| form_number(row.form)))?;
    columns.set_item("count", rows(|row| row.count))?;
    columns.set_item("letters", rows(|row| row.letters))?;
    columns.set_item("tokens", rows(|row| row.tokens))?;
    columns.set_item("text", Buffer::new(texts.concat()))?;
    columns.set_item("text_bounds", Buffer::of(&bounds, i64::to_le_bytes))?;
    columns.set_item("document", documents(|own| own.rank))?;
    columns.set_item("left", documents(|document| document.remaining))?;
    columns.set_item("deletion_bounds", Buffer::of(&ends, u64::to_le_bytes))?;
    columns.set_item("deletions", Buffer::of(&ranges, u32::to_le_bytes))?;
    columns.set_item("refuted", decided.refuted)?;
    Ok(columns)
}

/// Measures the repetition within each text: 14 numbers a text. See `whorl_core::inside::repetition`.
#[pyfunction]
pub fn inside_repetition(py: Python<'_>, texts: Texts) -> Buffer {
    let values = py.compute(|| {
        let dictionary = Dictionary::embedded();
        let measure = |worker: &mut Repetition<'_>, index: usize| texts.with_text(index, |text| worker.of(text));
        let numbers = (0..texts.len()).into_par_iter().with_min_len(16);
        numbers.map_init(|| Repetition::new(&dictionary), measure).collect::<Vec<_>>()
    });
    Buffer::of(&values.concat(), f32::to_le_bytes)
}

/// The names of the measures with their published limits.
#[pyfunction]
pub fn inside_measures() -> Vec<(&'static str, f32)> {
    MEASURES.to_vec()
}

/// 0 for text, 1 for headings, 2 for table rows, 3 for heads of tables, 4 for code blocks.
fn form_number(form: Form) -> u32 {
    match form {
        Form::Text | Form::Blank => 0,
        Form::Heading(_) => 1,
        Form::Row => 2,
        Form::Head => 3,
        Form::Fence => 4,
    }
}

/// Deletes ranges of the text of rows, each replaced by `mask`. Row i is the bytes `places[2i]..places[2i + 1]` of the
/// block, and its ranges are the pairs from `bounds[i]` to `bounds[i + 1]`. Returns the block with the new rows.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "rows of a block, and the columns of a table of edits")]
pub fn rewrite_rows<'py>(
    py: Python<'py>,
    block: &[u8],
    columns: &RowColumns,
    encoding: &str,
    places: PyBuffer<u64>,
    bounds: PyBuffer<u64>,
    deletions: PyBuffer<u32>,
    mask: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let encoding = encoding_named(encoding)?;
    let (places, bounds, deletions) = (places.to_vec(py)?, bounds.to_vec(py)?, deletions.to_vec(py)?);
    let ranges: Vec<jsonl::Deletion> = deletions.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
    let rows = places.len() / 2;
    let is_sound = bounds.len() == rows + 1
        && bounds.is_sorted()
        && bounds.last().is_none_or(|&end| end as usize <= ranges.len())
        && places.is_sorted()
        && places.last().is_none_or(|&end| end as usize <= block.len());
    if !is_sound {
        return Err(PyIndexError::new_err("a row or range is outside the block"));
    }
    let written = py.compute(|| {
        let of_row = |row: usize| {
            let bytes = &block[places[2 * row] as usize..places[2 * row + 1] as usize];
            let deletions = &ranges[bounds[row] as usize..bounds[row + 1] as usize];
            jsonl::rewrite(bytes, &columns.0, encoding, deletions, mask)
        };
        let rewritten: Vec<Vec<u8>> = (0..rows).into_par_iter().map(of_row).collect::<Result<_, _>>()?;
        let mut written = Vec::with_capacity(block.len());
        let mut start = 0;
        for (row, bytes) in rewritten.into_iter().enumerate() {
            written.extend_from_slice(&block[start..places[2 * row] as usize]);
            written.extend(bytes);
            start = places[2 * row + 1] as usize;
        }
        written.extend_from_slice(&block[start..]);
        Ok(written)
    });
    written.map(|bytes: Vec<u8>| PyBytes::new(py, &bytes)).map_err(|reason: String| PyValueError::new_err(reason))
}
