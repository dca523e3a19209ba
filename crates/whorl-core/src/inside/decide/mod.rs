//! Decides which repeated text is cut, by reading both texts of every pair.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::document::{Document, Search};
use super::group::Pair;
use super::layout::Form;
use super::runs::Run;
use crate::judge::probe::TextSource;
use crate::text::Text;

mod propose;
mod strip;
mod trace;

#[cfg(test)]
mod tests;

pub use propose::Proposed;
pub use trace::Past;

/// The rank of no document: nothing is kept of the text.
pub const NONE: u32 = u32::MAX;
/// Maximum length of the texts of a batch, in folded code points, beyond a single pair.
const BATCH_UNITS: u64 = 3 << 19;

/// A cut of a document, and what is kept for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The rank of the document.
    pub rank: u32,
    /// The place of the cut, in code points.
    pub range: Range<u32>,
    /// The rank of the document that keeps the text; [`NONE`] if none does.
    pub kept: u32,
    /// The place of the text in that one.
    pub kept_range: Range<u32>,
    /// What was cut.
    pub form: Form,
    /// Number of places with the text, as far as they were counted.
    pub count: u32,
    /// Number of folded code points.
    pub letters: u32,
    /// Number of tokens.
    pub tokens: u32,
    /// The text.
    pub text: String,
}

/// A document with cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    /// Its rank.
    pub rank: u32,
    /// The remaining length, in the measure of the search.
    pub remaining: u32,
    /// The ranges to delete, in code points.
    pub deletions: Vec<Range<u32>>,
}

/// The decisions about some documents.
#[derive(Debug, Default)]
pub struct Decided {
    /// All cuts, by rank and place.
    pub rows: Vec<Row>,
    /// All documents with cuts, by rank.
    pub documents: Vec<Stripped>,
    /// Number of pairs whose texts differ although their keys are equal, or are not equal for long enough.
    pub refuted: u64,
}

/// A part of a cut with one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The rank of the document.
    pub rank: u32,
    /// The place in the original; `usize::MAX` for borders that follow from `units`.
    pub range: Range<usize>,
    /// The folded units.
    pub units: Range<usize>,
    /// The rank of the document with the source; [`NONE`] if the text is not kept.
    pub other: u32,
    /// The first folded unit there.
    pub other_start: usize,
    /// What is cut.
    pub form: Form,
    /// Number of places with the text, as far as they were counted.
    pub count: u32,
}

/// Decides pairs in the order of rank; remembers its cuts.
#[derive(Debug)]
pub struct Decider {
    search: Search,
    keeps: bool,
    mends: bool,
    past: Vec<Past>,
    /// Approved texts, which have the first ranks. If there are any, only they are cut.
    approved: Vec<Arc<Document>>,
    /// The document whose pairs continue in the next batch, and its runs so far.
    pending: Option<(u32, Vec<Run>)>,
    /// The documents of this batch.
    recent: Loaded,
    /// Those of the batch before: text that many documents share is usually kept by few.
    older: Loaded,
}

/// Documents of a batch, by rank.
type Loaded = BTreeMap<u32, Arc<Document>>;

impl Decider {
    /// Creates a decider. If `keeps` is false, all occurrences are cut; `mends` also deletes what only surrounds cuts.
    pub fn new(search: Search, keeps: bool, mends: bool) -> Self {
        let (past, approved, recent, older) = (Vec::new(), Vec::new(), Loaded::new(), Loaded::new());
        Self { search, keeps, mends, past, approved, pending: None, recent, older }
    }

    /// Cuts only whole approved texts, which have the first ranks; they are not documents themselves.
    #[must_use]
    pub fn with_approved<'t>(mut self, texts: impl IntoIterator<Item = Text<'t>>) -> Self {
        self.approved = texts.into_iter().map(|text| Arc::new(Document::of_unit(text, &self.search))).collect();
        self
    }

    /// The cuts so far, for [`Self::resume`].
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// Adds the cuts of an earlier call, to continue after it.
    pub fn resume(&mut self, past: impl IntoIterator<Item = Past>) {
        self.past.extend(past);
    }

    /// Decides all pairs of some documents, whose ranks are higher than those of earlier calls: proposes, traces and
    /// strips, and reads most texts only once.
    ///
    /// `document_of` and `lengths` have the number and the folded length of the document of each rank.
    ///
    /// # Errors
    /// A text cannot be read.
    pub fn decide<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        lengths: &[u32],
        pairs: Vec<Pair>,
    ) -> Result<Decided, S::Error> {
        let mut decided = Decided::default();
        for (batch, next) in propose::batches(&sorted(pairs), lengths) {
            let Proposed { pieces, refuted } = self.propose_batch(texts, document_of, batch, next)?;
            let pieces = self.trace(pieces);
            self.strip_batch(texts, document_of, &pieces, &mut decided)?;
            decided.refuted += refuted;
        }
        Ok(decided)
    }

    /// Compares the texts of all pairs of some documents, and proposes what is cut. Documents are independent of each
    /// other, except for [`Self::trace`].
    ///
    /// # Errors
    /// A text cannot be read.
    pub fn propose<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        lengths: &[u32],
        pairs: Vec<Pair>,
    ) -> Result<Proposed, S::Error> {
        let mut proposed = Proposed::default();
        for (batch, next) in propose::batches(&sorted(pairs), lengths) {
            let Proposed { pieces, refuted } = self.propose_batch(texts, document_of, batch, next)?;
            proposed.pieces.extend(pieces);
            proposed.refuted += refuted;
        }
        Ok(proposed)
    }

    /// Strips documents, all of whose traced pieces are among these.
    ///
    /// # Errors
    /// A text cannot be read.
    pub fn strip<S: TextSource>(
        &mut self,
        texts: &S,
        document_of: &[u32],
        lengths: &[u32],
        pieces: &[Piece],
    ) -> Result<Decided, S::Error> {
        let mut decided = Decided::default();
        for batch in strip::batches(pieces, lengths) {
            self.turn();
            self.strip_batch(texts, document_of, batch, &mut decided)?;
        }
        Ok(decided)
    }

    /// Begins a batch: documents that it does not need are dropped at the next one.
    fn turn(&mut self) {
        self.older = std::mem::take(&mut self.recent);
    }

    /// Loads documents into `recent`, or moves them over from the batch before.
    fn load<S: TextSource>(&mut self, texts: &S, document_of: &[u32], mut ranks: Vec<u32>) -> Result<(), S::Error> {
        ranks.retain(|rank| !self.recent.contains_key(rank));
        ranks.sort_unstable();
        ranks.dedup();
        let mut numbers = Vec::new();
        let mut unread = Vec::new();
        for rank in ranks {
            let loaded = self.older.remove(&rank).or_else(|| self.approved.get(rank as usize).map(Arc::clone));
            if let Some(document) = loaded {
                self.recent.insert(rank, document);
            } else {
                numbers.push(document_of[rank as usize]);
                unread.push(rank);
            }
        }
        let places: Vec<OnceLock<Document>> = unread.iter().map(|_| OnceLock::new()).collect();
        texts.read(&numbers, &|index, text| {
            // A text is passed once; a second one would be the same.
            let _ = places[index].set(Document::new(text, &self.search));
        })?;
        let documents = places.into_iter().map(|place| Arc::new(place.into_inner().expect("every text is read")));
        self.recent.extend(unread.into_iter().zip(documents));
        Ok(())
    }
}

/// Sorts pairs by rank, those of two documents together, without repetitions.
fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable_by_key(|pair| (pair.rank, pair.other, pair.place, pair.other_place, pair.count));
    pairs.dedup();
    pairs
}
