//! Deciding, in rank order, which documents are copies of a document already kept.
//!
//! The definition: take the documents in rank order; a document is dropped if a document already kept, sharing at
//! least `min_shared` keys with it, verifies; its `duplicate_of` is the most similar such document, then the best
//! ranked. Otherwise it is kept and listed under each of its keys; a key lists at most [`LISTED`] documents and is
//! hot from then on.
//!
//! The decisions are sequential, the exact comparisons they need are not: a batch of documents is compared with
//! everything it can already be seen to need, in parallel, and what remains is compared when its turn comes. Batches
//! change the speed and never the result.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::group::Groups;
use crate::shingle::FoldedText;
use crate::sketch::code_agreement;
use crate::text::Text;
use crate::verify::{Overlap, Scratch, ShingleSet};

/// A key lists at most this many kept documents.
pub const LISTED: usize = 64;
/// `duplicate_of` of a kept document.
pub const KEPT: u32 = u32::MAX;
/// A batch ends when it has this many documents with candidates,
const BATCH_DOCUMENTS: usize = 4096;
/// or when the texts it must read have this many code points.
const BATCH_CODE_POINTS: usize = 12 << 20;

/// Reads the texts of documents. Implemented where there is I/O.
pub trait TextSource: Sync {
    /// Why a text cannot be read.
    type Error: Send;

    /// Calls `each` with the position in `documents` and the text of every one of them, in any order and from any
    /// number of threads.
    ///
    /// # Errors
    /// When a text cannot be read as it was when the run began.
    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), Self::Error>;
}

/// What makes a candidate a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Equal digests of the folded texts.
    Exact,
    /// Exact Jaccard similarity of the sets of `width`-token shingles, at or above `threshold`.
    Jaccard {
        /// Tokens a shingle.
        width: usize,
        /// Inclusive, in (0, 1].
        threshold: f64,
        /// Candidates whose codes agree in fewer fields than this are ruled out unread.
        least_agreement: u32,
    },
}

/// What the passes before this one know of each document, indexed by document.
#[derive(Debug, Default)]
pub struct Documents {
    /// Digest of the folded text.
    pub digests: Vec<u128>,
    /// Folded code points.
    pub lengths: Vec<u32>,
    /// Sketch codes, `code_width` bytes each.
    pub codes: Vec<u8>,
    /// Bytes of a code; 0 when the family has none.
    pub code_width: usize,
}

impl Documents {
    fn code(&self, document: u32) -> &[u8] {
        &self.codes[document as usize * self.code_width..][..self.code_width]
    }
}

/// What became of one document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The rank of the kept document it copies, or [`KEPT`].
    pub duplicate_of: u32,
    /// The figure that proves it.
    pub overlap: Overlap,
}

/// A key that would have listed more than [`LISTED`] documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// The key.
    pub key: u64,
    /// Documents that have it.
    pub documents: usize,
    /// Kept documents that were not listed under it.
    pub unlisted: usize,
    /// The best ranked document that has it.
    pub example: u32,
}

/// Similarities in hundredths, rounded down.
pub type Histogram = [u64; 101];

/// The state of the decisions so far.
pub struct Probe {
    verdict: Verdict,
    min_shared: usize,
    references: u32,
    order: Vec<u32>,
    documents: Documents,
    keys: Vec<u64>,
    /// Where the room of each group's listing begins in `listed`, and where the last one ends.
    listing_starts: Vec<usize>,
    listing_lengths: Vec<u8>,
    listed: Vec<u32>,
    /// The groups of rank r are `groups[group_starts[r]..group_starts[r + 1]]`.
    group_starts: Vec<usize>,
    groups: Vec<u32>,
    unlisted: BTreeMap<u32, usize>,
    decisions: Vec<Decision>,
    removed: Histogram,
    near_misses: Histogram,
}

const UNDECIDED: Decision = Decision { duplicate_of: KEPT, overlap: Overlap { shared: 0, united: 0 } };
const IDENTICAL: Overlap = Overlap { shared: 1, united: 1 };

/// How a candidate stands before its text is read.
enum Glance {
    /// The folded texts are equal.
    Identical,
    /// The codes leave no chance; the estimated similarity.
    RuledOut(f64),
    /// The texts must be compared.
    Open,
}

impl Probe {
    /// Prepares the decisions.
    ///
    /// `order[rank]` is a document; the first `references` ranks are kept whatever they are. `groups` has its members
    /// by rank.
    pub fn new(
        verdict: Verdict,
        min_shared: usize,
        references: u32,
        order: Vec<u32>,
        documents: Documents,
        groups: Groups,
    ) -> Self {
        let (group_starts, group_of) = groups_by_rank(&groups, order.len());
        let count = groups.len();
        Self {
            verdict,
            min_shared,
            references,
            decisions: Vec::with_capacity(order.len()),
            order,
            documents,
            keys: groups.keys,
            listing_starts: groups.starts,
            listing_lengths: vec![0; count],
            // The members by rank are in `groups` now; a listing never outgrows the members decided before it is
            // read, so it takes their place.
            listed: groups.members,
            group_starts,
            groups: group_of,
            unlisted: BTreeMap::new(),
            removed: [0; 101],
            near_misses: [0; 101],
        }
    }

    /// How many ranks have been decided.
    pub fn decided(&self) -> usize {
        self.decisions.len()
    }

    /// True when every rank has been decided.
    pub fn is_done(&self) -> bool {
        self.decisions.len() == self.order.len()
    }

    /// The decisions so far, by rank.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// Similarities of the removed documents to the documents kept for them.
    pub fn removed(&self) -> &Histogram {
        &self.removed
    }

    /// For each kept document that had candidates, its highest similarity to one of them. Exact where the texts were
    /// compared, estimated where the codes ruled the candidate out.
    pub fn near_misses(&self) -> &Histogram {
        &self.near_misses
    }

    /// The keys that listed fewer documents than they should have, the largest first.
    pub fn hot_keys(&self) -> Vec<HotKey> {
        let mut hot: Vec<HotKey> = self
            .unlisted
            .iter()
            .map(|(&group, &unlisted)| {
                let room = self.listing_starts[group as usize]..self.listing_starts[group as usize + 1];
                HotKey {
                    key: self.keys[group as usize],
                    documents: room.len(),
                    unlisted,
                    example: self.order[self.listed[room.start] as usize],
                }
            })
            .collect();
        hot.sort_by_key(|hot| (std::cmp::Reverse(hot.documents), hot.key));
        hot
    }

    /// Decides the next batch of documents.
    ///
    /// # Errors
    /// When `source` cannot read a text; nothing of the batch is decided then.
    pub fn step<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let first = self.decided() as u32;
        let mut comparisons = Comparisons::new(self.verdict);
        let last = self.foresee(first, &mut comparisons);
        comparisons.run(source)?;
        for rank in first..last {
            let decision = self.decide(rank, &mut comparisons, source)?;
            self.record(rank, decision);
        }
        Ok(())
    }

    fn groups_of(&self, rank: u32) -> &[u32] {
        &self.groups[self.group_starts[rank as usize]..self.group_starts[rank as usize + 1]]
    }

    fn listing(&self, group: u32) -> &[u32] {
        let start = self.listing_starts[group as usize];
        &self.listed[start..start + usize::from(self.listing_lengths[group as usize])]
    }

    /// Plans the comparisons that the ranks from `first` on will surely or probably need, and returns where the batch
    /// ends: with every kept candidate, and with the first document of the batch under each of their keys.
    fn foresee(&self, first: u32, comparisons: &mut Comparisons) -> u32 {
        let mut leaders: HashMap<u32, u32> = HashMap::new();
        let mut busy = 0;
        let mut rank = first;
        while (rank as usize) < self.order.len()
            && busy < BATCH_DOCUMENTS
            && comparisons.code_points < BATCH_CODE_POINTS
        {
            let groups = self.groups_of(rank);
            if !groups.is_empty() && rank >= self.references {
                busy += 1;
                let mut candidates = self.candidates(rank);
                candidates.extend(groups.iter().filter_map(|group| leaders.get(group).copied()));
                candidates.sort_unstable();
                candidates.dedup();
                let identical = self.first_identical(rank, &candidates);
                for candidate in candidates {
                    if matches!(self.glance(rank, candidate, identical), Glance::Open) {
                        comparisons.plan(self, rank, candidate);
                    }
                }
            }
            for &group in groups {
                leaders.entry(group).or_insert(rank);
            }
            rank += 1;
        }
        rank
    }

    /// The kept documents that share at least `min_shared` keys with `rank`, best ranked first.
    fn candidates(&self, rank: u32) -> Vec<u32> {
        let mut hits: Vec<u32> = self.groups_of(rank).iter().flat_map(|&group| self.listing(group)).copied().collect();
        hits.sort_unstable();
        if self.min_shared > 1 {
            return hits.chunk_by(|a, b| a == b).filter(|run| run.len() >= self.min_shared).map(|run| run[0]).collect();
        }
        hits.dedup();
        hits
    }

    /// The best ranked candidate whose folded text equals that of `rank`: nothing ranked after it can be preferred.
    fn first_identical(&self, rank: u32, candidates: &[u32]) -> u32 {
        let digest = |rank: u32| self.documents.digests[self.order[rank as usize] as usize];
        let own = digest(rank);
        candidates.iter().copied().find(|&candidate| digest(candidate) == own).unwrap_or(KEPT)
    }

    fn glance(&self, rank: u32, candidate: u32, identical: u32) -> Glance {
        if candidate == identical {
            return Glance::Identical;
        }
        let Verdict::Jaccard { least_agreement, .. } = self.verdict else {
            return Glance::RuledOut(0.0);
        };
        if candidate > identical {
            return Glance::RuledOut(0.0);
        }
        let fields = 2 * self.documents.code_width as u32;
        if fields == 0 {
            return Glance::Open;
        }
        let (a, b) = (self.order[rank as usize], self.order[candidate as usize]);
        let agreement = code_agreement(self.documents.code(a), self.documents.code(b));
        // Beside an identical candidate only an equal set of shingles counts, and equal sets have equal codes.
        let needed = if identical == KEPT { least_agreement } else { fields };
        if agreement >= needed { Glance::Open } else { Glance::RuledOut(estimate(agreement, fields)) }
    }

    fn decide<S: TextSource>(
        &mut self,
        rank: u32,
        comparisons: &mut Comparisons,
        source: &S,
    ) -> Result<Decision, S::Error> {
        if rank < self.references {
            return Ok(UNDECIDED);
        }
        let candidates = self.candidates(rank);
        let identical = self.first_identical(rank, &candidates);
        let mut best = UNDECIDED;
        let mut nearest: Option<f64> = None;
        for candidate in candidates {
            let overlap = match self.glance(rank, candidate, identical) {
                Glance::Identical => IDENTICAL,
                Glance::RuledOut(estimate) => {
                    nearest = Some(nearest.map_or(estimate, |nearest| nearest.max(estimate)));
                    continue;
                }
                Glance::Open => comparisons.overlap(self, rank, candidate, source)?,
            };
            let similarity = overlap.jaccard();
            nearest = Some(nearest.map_or(similarity, |nearest| nearest.max(similarity)));
            if self.accepts(similarity) && similarity > best.overlap.jaccard() {
                best = Decision { duplicate_of: candidate, overlap };
            }
        }
        if best.duplicate_of == KEPT {
            if let Some(nearest) = nearest {
                self.near_misses[hundredths(nearest)] += 1;
            }
        } else {
            self.removed[hundredths(best.overlap.jaccard())] += 1;
        }
        Ok(best)
    }

    fn accepts(&self, similarity: f64) -> bool {
        match self.verdict {
            Verdict::Exact => similarity == 1.0,
            Verdict::Jaccard { threshold, .. } => similarity >= threshold,
        }
    }

    fn record(&mut self, rank: u32, decision: Decision) {
        self.decisions.push(decision);
        if decision.duplicate_of != KEPT {
            return;
        }
        for index in self.group_starts[rank as usize]..self.group_starts[rank as usize + 1] {
            let group = self.groups[index];
            let length = &mut self.listing_lengths[group as usize];
            if usize::from(*length) == LISTED {
                *self.unlisted.entry(group).or_default() += 1;
                continue;
            }
            self.listed[self.listing_starts[group as usize] + usize::from(*length)] = rank;
            *length += 1;
        }
    }
}

/// The similarity that explains `agreement` of `fields` four-bit fields, one in sixteen agreeing by chance.
fn estimate(agreement: u32, fields: u32) -> f64 {
    let share = f64::from(agreement) / f64::from(fields);
    ((share - 1.0 / 16.0) / (15.0 / 16.0)).clamp(0.0, 1.0)
}

fn hundredths(similarity: f64) -> usize {
    // 0.29 · 100 is 28.999…: a similarity that is a whole number of hundredths must not fall below it.
    (similarity * 100.0 + 1e-9) as usize
}

/// Turns groups of ranks into groups by rank.
fn groups_by_rank(groups: &Groups, ranks: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; ranks + 1];
    for &rank in &groups.members {
        starts[rank as usize + 1] += 1;
    }
    for rank in 0..ranks {
        starts[rank + 1] += starts[rank];
    }
    let mut next = starts.clone();
    let mut by_rank = vec![0; groups.members.len()];
    for (group, bounds) in groups.starts.windows(2).enumerate() {
        for &rank in &groups.members[bounds[0]..bounds[1]] {
            by_rank[next[rank as usize]] = group as u32;
            next[rank as usize] += 1;
        }
    }
    (starts, by_rank)
}

/// The exact comparisons of one batch and the shingle sets behind them.
struct Comparisons {
    width: usize,
    pairs: Vec<(u32, u32)>,
    documents: Vec<u32>,
    known: HashSet<u32>,
    code_points: usize,
    sets: HashMap<u32, ShingleSet>,
    overlaps: HashMap<(u32, u32), Overlap>,
    scratch: Scratch,
}

impl Comparisons {
    fn new(verdict: Verdict) -> Self {
        let width = match verdict {
            Verdict::Jaccard { width, .. } => width,
            Verdict::Exact => 1,
        };
        Self {
            width,
            pairs: Vec::new(),
            documents: Vec::new(),
            known: HashSet::new(),
            code_points: 0,
            sets: HashMap::new(),
            overlaps: HashMap::new(),
            scratch: Scratch::default(),
        }
    }

    fn plan(&mut self, probe: &Probe, rank: u32, candidate: u32) {
        let pair = (probe.order[rank as usize], probe.order[candidate as usize]);
        self.pairs.push(pair);
        for document in [pair.0, pair.1] {
            if self.known.insert(document) {
                self.documents.push(document);
                self.code_points += probe.documents.lengths[document as usize] as usize;
            }
        }
    }

    fn run<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let documents = std::mem::take(&mut self.documents);
        self.load(documents, source)?;
        let sets = &self.sets;
        self.overlaps = self
            .pairs
            .par_iter()
            .map_init(Scratch::default, |scratch, &(a, b)| ((a, b), sets[&a].overlap(&sets[&b], scratch)))
            .collect();
        Ok(())
    }

    fn load<S: TextSource>(&mut self, mut documents: Vec<u32>, source: &S) -> Result<(), S::Error> {
        documents.sort_unstable();
        let loaded: Vec<std::sync::OnceLock<ShingleSet>> = documents.iter().map(|_| Default::default()).collect();
        let width = self.width;
        source.read(&documents, &|position, text| {
            thread_local! {
                static WORK: std::cell::RefCell<(FoldedText, Vec<u64>, Scratch)> = Default::default();
            }
            WORK.with_borrow_mut(|(folded, hashes, scratch)| {
                text.fold(folded);
                folded.shingles(width, hashes);
                // A position is given once; a second text for it would be the same text.
                let _ = loaded[position].set(ShingleSet::new(hashes, scratch));
            });
        })?;
        let sets = loaded.into_iter().map(|set| set.into_inner().unwrap_or_default());
        self.sets.extend(documents.into_iter().zip(sets));
        Ok(())
    }

    fn overlap<S: TextSource>(
        &mut self,
        probe: &Probe,
        rank: u32,
        candidate: u32,
        source: &S,
    ) -> Result<Overlap, S::Error> {
        let pair = (probe.order[rank as usize], probe.order[candidate as usize]);
        if let Some(&overlap) = self.overlaps.get(&pair) {
            return Ok(overlap);
        }
        let missing = [pair.0, pair.1].into_iter().filter(|document| !self.sets.contains_key(document)).collect();
        self.load(missing, source)?;
        Ok(self.sets[&pair.0].overlap(&self.sets[&pair.1], &mut self.scratch))
    }
}
