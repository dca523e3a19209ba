//! Text reuse across a corpus: pairs of documents that may share a passage, short equal runs, and clusters of passages.
//!
//! # Problem
//!
//! Every document may quote every other one. Comparing all pairs is quadratic. So is listing all pairs of the documents
//! that quote one sentence, which cutting frequent keys avoids only by losing the sentence.
//!
//! # Choice
//!
//! Documents are numbered by date, and k-grams are grouped with all their places. A k-gram in few documents nominates
//! all pairs of these. A hot one, in more than [`Request::hot`] documents, pairs each of them only with the earliest
//! ones: [`clusters`] joins these pairs into one passage with all its places, so nothing is lost, and the number of
//! pairs stays linear.
//!
//! A [`Channel`] is a size of k-grams with the evidence that a pair needs: long k-grams for verbatim text, k-grams of the
//! minimum length for short quotations, and rare short k-grams, several on a diagonal, for texts with recognition
//! errors, in which no long one survives.

pub mod clusters;
mod grams;
mod meetings;
mod runs;

use rayon::prelude::*;

use self::grams::{Groups, shared_postings};
use self::meetings::{Hit, Meetings};
pub use self::runs::Run;
use self::runs::located;
use crate::align::letters::LETTERS;
use crate::fingerprint::Grams;
use crate::text::TextBlock;

/// The shortest passage that comparisons prove, in letters. Shorter ones are equal runs.
const PROVEN_LETTERS: u32 = 39;

/// A corpus is small if a k-gram in this many documents is not hot.
const SMALL: usize = 200;

/// What to search for.
#[derive(Clone, Copy)]
pub struct Request<'r> {
    /// For each document a number; two documents with the same number are not a pair.
    pub groups: &'r [u32],
    /// Minimum length of a passage, in letters.
    pub min_letters: u32,
    /// Number of documents with a k-gram above which it is hot.
    pub hot: usize,
    /// Also find candidates by short rare k-grams.
    pub noisy: bool,
}

impl Request<'_> {
    fn wants(&self, a: u32, b: u32) -> bool {
        self.groups[a as usize] != self.groups[b as usize]
    }
}

/// Pairs of documents.
pub type Pairs = Vec<(u32, u32)>;

/// What was found.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Pairs of documents, ordered, the lower document first.
    pub pairs: Pairs,
    /// Equal runs of at least the minimum length, ordered by their documents; only if it is below that of passages
    /// that comparisons prove.
    pub runs: Vec<Run>,
    /// Number of hot k-grams.
    pub hot: usize,
}

/// A size of k-grams and the evidence that a pair needs.
#[derive(Clone, Copy, Debug)]
struct Channel {
    sparse: Grams,
    dense: Grams,
    /// Letters of common k-grams on a diagonal.
    min_letters: u32,
    /// Maximum distance of two k-grams of a passage in one text, in letters.
    reach: u32,
    /// Maximum difference of the distances in both, in letters.
    drift: u32,
    /// K-grams in more documents are ignored; they are left to other channels.
    max_documents: usize,
    /// Whether equal runs are recorded.
    with_runs: bool,
}

impl Channel {
    /// Every equal run of 37 letters or 13 Han characters has two selected k-grams.
    fn verbatim(min_letters: u32) -> Self {
        Self {
            sparse: Grams { k: 30, window: 4 },
            dense: Grams { k: 10, window: 2 },
            min_letters: 33 + min_letters.saturating_sub(PROVEN_LETTERS) / 2,
            reach: 102,
            drift: 24,
            max_documents: usize::MAX,
            with_runs: false,
        }
    }

    /// Every equal run of the minimum length.
    fn short(min_letters: u32) -> Self {
        let sparse = Grams { k: min_letters as usize, window: 1 };
        let dense = Grams { k: min_letters.div_ceil(LETTERS) as usize, window: 1 };
        Self { sparse, dense, min_letters: 0, with_runs: true, ..Self::verbatim(min_letters) }
    }

    /// Two or three runs of five Han characters or more within sixty. In a small corpus two always suffice, and those of
    /// set phrases count as well: an edited phrase has no others.
    fn noisy(hot: usize) -> Self {
        let is_small = hot >= SMALL;
        Self {
            sparse: Grams { k: 12, window: 1 },
            dense: Grams { k: 5, window: 1 },
            min_letters: if is_small { 30 } else { 36 },
            reach: 180,
            drift: 36,
            max_documents: if is_small { 128 } else { 32 },
            with_runs: false,
        }
    }

    fn gram_letters(&self) -> u32 {
        self.sparse.k as u32
    }
}

/// Finds the pairs of documents that may share a passage. Documents are in order of time.
///
/// Cost: two passes over the texts for each channel; memory for the keys that documents share, 44 bytes a place.
pub fn candidates(texts: &impl TextBlock, request: &Request<'_>) -> Candidates {
    let is_short = request.min_letters < PROVEN_LETTERS;
    let first = if is_short { Channel::short(request.min_letters) } else { Channel::verbatim(request.min_letters) };
    let mut nominated = search(texts, request, first);
    if request.noisy {
        nominated.pairs.extend(search(texts, request, Channel::noisy(request.hot)).pairs);
        nominated.pairs.par_sort_unstable();
        nominated.pairs.dedup();
    }
    nominated
}

fn search(texts: &impl TextBlock, request: &Request<'_>, channel: Channel) -> Candidates {
    let postings = shared_postings(texts, (channel.sparse, channel.dense));
    let groups = Groups::of(&postings, channel.max_documents, request.hot);
    drop(postings);
    let centers = groups.centers(request, channel.reach);
    let documents: Vec<&[(u32, u32, u32)]> = groups.by_document();
    let find = |meetings: &mut Meetings, places: &&[(u32, u32, u32)]| {
        meetings.begin(texts, places[0].0);
        groups.meet(places, request, &centers, meetings);
        meetings.take(places[0].0)
    };
    let parts: Vec<(Pairs, Vec<Hit>)> =
        documents.par_iter().map_init(|| Meetings::new(request.groups.len(), channel), find).collect();
    let (pairs, hits): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let mut pairs = pairs.concat();
    pairs.par_sort_unstable();
    pairs.dedup();
    let mut hits = hits.concat();
    hits.par_sort_unstable();
    hits.dedup();
    let mut runs = located(texts, &hits, channel.gram_letters());
    runs.par_sort_unstable();
    Candidates { pairs, runs, hot: groups.hot }
}

#[cfg(test)]
mod tests;
