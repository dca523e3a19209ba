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
use crate::sketch::{code_agreement, hamming};
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

/// What makes a candidate a copy: the rule and, where it is asked for, the exact overlap besides. Equal folded texts are
/// copies whatever the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is judged by the fingerprints alone.
    pub rule: Rule,
    /// What is judged by the texts; the figure is then this one.
    pub overlap: Option<OverlapRule>,
}

/// A judgement on fingerprints.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Equal digests of the folded texts.
    Exact,
    /// The share of the document's keys that the candidate has too, at or above `threshold`.
    Keys {
        /// Inclusive, in [0, 1].
        threshold: f64,
    },
    /// The Hamming distance of the codes.
    Hamming {
        /// Pairs of a length and the largest distance for texts up to that length, ascending; the last distance also
        /// holds for longer texts.
        limits: Vec<(u32, u32)>,
    },
    /// The number of four-bit fields in which the codes agree; it can rule a candidate out, never accept it.
    Agreement {
        /// Candidates that agree in fewer fields are ruled out unread.
        least: u32,
    },
}

/// A judgement on the exact overlap of the sets of shingles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapRule {
    /// What the overlap is measured by.
    pub measure: Measure,
    /// Tokens a shingle.
    pub width: usize,
    /// Inclusive, in (0, 1].
    pub threshold: f64,
}

/// Measures of the overlap of two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Shared by united.
    Jaccard,
    /// Shared by the set of the document that may be dropped.
    Containment,
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
    /// Keys of each document.
    pub key_counts: Vec<u32>,
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
    /// The figure that proves it: shared and united shingles, keys or bits, as the verdict counts.
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

/// A document that shares keys with another.
#[derive(Clone, Copy)]
struct Candidate {
    rank: u32,
    shared_keys: u32,
}

/// How a candidate stands before its text is read.
enum Glance {
    /// The figure is known, and whether it makes a copy.
    Judged(Overlap, bool),
    /// There is no chance that it is a copy that would be chosen; the estimated similarity.
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
        let mut comparisons = Comparisons::new(&self.verdict);
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
                let leading = groups.iter().filter_map(|group| leaders.get(group).copied());
                candidates.extend(leading.map(|rank| Candidate { rank, shared_keys: 0 }));
                candidates.sort_unstable_by_key(|candidate| candidate.rank);
                candidates.dedup_by_key(|candidate| candidate.rank);
                let identical = self.first_identical(rank, &candidates);
                for candidate in candidates {
                    if matches!(self.glance(rank, candidate, identical), Glance::Open) {
                        comparisons.plan(self, rank, candidate.rank);
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
    fn candidates(&self, rank: u32) -> Vec<Candidate> {
        let mut hits: Vec<u32> = self.groups_of(rank).iter().flat_map(|&group| self.listing(group)).copied().collect();
        hits.sort_unstable();
        hits.chunk_by(|a, b| a == b)
            .filter(|run| run.len() >= self.min_shared)
            .map(|run| Candidate { rank: run[0], shared_keys: run.len() as u32 })
            .collect()
    }

    /// The best ranked candidate whose folded text equals that of `rank`: nothing ranked after it can be preferred.
    fn first_identical(&self, rank: u32, candidates: &[Candidate]) -> u32 {
        let digest = |rank: u32| self.documents.digests[self.order[rank as usize] as usize];
        let own = digest(rank);
        candidates.iter().map(|candidate| candidate.rank).find(|&candidate| digest(candidate) == own).unwrap_or(KEPT)
    }

    fn glance(&self, rank: u32, candidate: Candidate, identical: u32) -> Glance {
        if candidate.rank == identical {
            return Glance::Judged(IDENTICAL, true);
        }
        if candidate.rank > identical {
            return Glance::RuledOut(0.0);
        }
        let (a, b) = (self.order[rank as usize], self.order[candidate.rank as usize]);
        match &self.verdict.rule {
            Rule::Exact => Glance::RuledOut(0.0),
            Rule::Keys { threshold } => {
                let figure = Overlap { shared: candidate.shared_keys, united: self.documents.key_counts[a as usize] };
                self.judged(figure, figure.share() >= *threshold)
            }
            Rule::Hamming { limits } => {
                let bits = 8 * self.documents.code_width as u32;
                let distance = hamming(self.documents.code(a), self.documents.code(b));
                let figure = Overlap { shared: bits - distance, united: bits };
                self.judged(figure, distance <= self.distance_limit(a, b, limits))
            }
            Rule::Agreement { least } => self.glance_at_agreement(a, b, *least, identical == KEPT),
        }
    }

    /// A figure that passes the rule still needs the texts where the verdict asks for their overlap.
    fn judged(&self, figure: Overlap, passes: bool) -> Glance {
        if passes && self.verdict.overlap.is_some() { Glance::Open } else { Glance::Judged(figure, passes) }
    }

    fn distance_limit(&self, a: u32, b: u32, limits: &[(u32, u32)]) -> u32 {
        let length = self.documents.lengths[a as usize].min(self.documents.lengths[b as usize]);
        limits.iter().find(|(longest, _)| length <= *longest).or(limits.last()).map_or(0, |&(_, limit)| limit)
    }

    fn glance_at_agreement(&self, a: u32, b: u32, least: u32, is_best_open: bool) -> Glance {
        let fields = 2 * self.documents.code_width as u32;
        if fields == 0 {
            return Glance::Open;
        }
        let agreement = code_agreement(self.documents.code(a), self.documents.code(b));
        // Beside an identical candidate only an equal set of shingles counts, and equal sets have equal codes.
        let needed = if is_best_open { least } else { fields };
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
            let (overlap, is_copy) = match self.glance(rank, candidate, identical) {
                Glance::Judged(overlap, is_copy) => (overlap, is_copy),
                Glance::RuledOut(estimate) => {
                    nearest = Some(nearest.map_or(estimate, |nearest| nearest.max(estimate)));
                    continue;
                }
                Glance::Open => {
                    let overlap = comparisons.overlap(self, rank, candidate.rank, source)?;
                    (overlap, self.accepts(overlap.share()))
                }
            };
            let similarity = overlap.share();
            nearest = Some(nearest.map_or(similarity, |nearest| nearest.max(similarity)));
            if is_copy && (best.duplicate_of == KEPT || similarity > best.overlap.share()) {
                best = Decision { duplicate_of: candidate.rank, overlap };
            }
        }
        if best.duplicate_of == KEPT {
            if let Some(nearest) = nearest {
                self.near_misses[hundredths(nearest)] += 1;
            }
        } else {
            self.removed[hundredths(best.overlap.share())] += 1;
        }
        Ok(best)
    }

    fn accepts(&self, similarity: f64) -> bool {
        self.verdict.overlap.is_some_and(|rule| similarity >= rule.threshold)
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
    measure: Measure,
    width: usize,
    pairs: Vec<(u32, u32)>,
    documents: Vec<u32>,
    known: HashSet<u32>,
    code_points: usize,
    sets: HashMap<u32, ShingleSet>,
    overlaps: HashMap<(u32, u32), Overlap>,
}

impl Comparisons {
    fn new(verdict: &Verdict) -> Self {
        let (measure, width) = verdict.overlap.map_or((Measure::Jaccard, 1), |rule| (rule.measure, rule.width));
        Self {
            measure,
            width,
            pairs: Vec::new(),
            documents: Vec::new(),
            known: HashSet::new(),
            code_points: 0,
            sets: HashMap::new(),
            overlaps: HashMap::new(),
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
        let pairs = std::mem::take(&mut self.pairs);
        self.overlaps = pairs
            .par_iter()
            .map_init(Scratch::default, |scratch, &pair| (pair, self.measured(pair, scratch)))
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
        Ok(self.measured(pair, &mut Scratch::default()))
    }

    /// The overlap of two documents as the measure has it; the first is the one that may be dropped.
    fn measured(&self, (dropped, kept): (u32, u32), scratch: &mut Scratch) -> Overlap {
        let own = &self.sets[&dropped];
        let overlap = own.overlap(&self.sets[&kept], scratch);
        match self.measure {
            Measure::Jaccard => overlap,
            Measure::Containment => Overlap { united: own.len() as u32, ..overlap },
        }
    }
}
