//! Decides, in rank order, which documents are copies of a document already kept.
//!
//! # Definition
//!
//! Documents are taken in rank order. The candidates of a document are the kept documents that share at least
//! `min_shared` keys with it, or have the same body. If more than [`COMPARED`] candidates pass the fingerprints, those
//! that share the most keys are compared. A document is removed if a candidate verifies; its `duplicate_of` is the most
//! similar such candidate, ties going to the best ranked. Otherwise it is kept and listed under each of its keys. A key
//! lists at most [`LISTED`] documents and is called hot from then on.
//!
//! Verification has two steps: the similarity reaches the threshold, and the [relation] of the whole texts is one for
//! which documents are removed. A document with another relation to a kept one stays and is linked to it.
//! [Compilations](compilations) are detected before the decisions, and their stories are not removed for them. If
//! fields are judged separately, the lowest bit of a key is the number of its field. A candidate must then share enough
//! keys in every field or in one, depending on [`Combine`].
//!
//! # Parallelism
//!
//! The decisions are sequential, but the exact comparisons behind them need not be. A batch of documents is compared in
//! parallel with every candidate that can already be foreseen; the remaining comparisons are made when they are needed.
//! Batches affect the speed and never the result.
//!
//! [relation]: crate::align::relation

mod assessment;
mod candidates;
mod compilations;
mod grouping;
mod learning;
mod links;
mod parts;
mod rounds;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::align::outline::Changes;
use crate::align::relation::Relation;
use crate::index::group::Groups;
use crate::judge::boilerplate::Boilerplate;
use crate::judge::compare::Comparisons;
pub use crate::judge::compare::TextSource;
use crate::judge::passages::{Place, places};
use crate::judge::ruling::Removable;
pub use crate::judge::verdict::{Combine, Demand, Documents, FIELDS, Field, Rule, Verdict};
use crate::measure::verify::Figure;
use assessment::{Assessment, UNASSESSED};
use candidates::Sought;
use compilations::Compilations;
use grouping::{firsts, groups_by_rank};
pub use learning::Notice;
use links::Links;
pub use links::{LINKS, Link};
pub use parts::Part;
use tally::Tally;

/// Maximum number of kept documents listed under a key.
pub const LISTED: usize = 64;
/// Maximum number of kept documents compared with a document, after fingerprints have ruled out others: those that
/// share the most keys, ties going to the best ranked. This bounds the comparisons per document in a large family of
/// similar texts.
pub const COMPARED: usize = 16;
/// `duplicate_of` of a kept document.
pub const KEPT: u32 = u32::MAX;
/// A batch ends at this number of documents with candidates,
const BATCH_DOCUMENTS: usize = 4096;
/// or when its comparisons take this many bytes.
const BATCH_BYTES: usize = 96 << 20;
/// A round of a batch ends at this number of planned comparisons. A round is planned before any of its documents is
/// decided, so in a family of similar texts a long round compares documents with others that are removed in it.
const ROUND: usize = 2048;

/// The decision on one document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The rank of the kept document that it copies, or [`KEPT`].
    pub duplicate_of: u32,
    /// The similarity that the verdict is based on.
    pub figure: Figure,
    /// The relation to that document; [`Relation::Unrelated`] if the document is kept.
    pub relation: Relation,
}

/// A key with more than [`LISTED`] kept documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// The key.
    pub key: u64,
    /// Number of documents with the key.
    pub documents: usize,
    /// Number of kept documents not listed under the key.
    pub unlisted: usize,
    /// The best ranked document with the key.
    pub example: u32,
}

/// Counts of similarities in hundredths, rounded down.
pub type Histogram = [u64; 101];

/// The state of the decisions.
pub struct Probe {
    fields: Vec<Field>,
    combine: Combine,
    references: u32,
    order: Vec<u32>,
    /// The key of each group (or one of several), and the number of keys it represents.
    keys: Vec<u64>,
    multiplicities: Vec<u32>,
    /// Number of documents with each key, if not all of them are in this probe; otherwise empty.
    sizes: Vec<u32>,
    /// Whether each key is boilerplate, which only documents without other keys retain; empty if there are none.
    cut: Vec<bool>,
    /// Number of these that were cut as phrases.
    phrases: usize,
    /// Start of each group's slots in `listed`, and the end of the last ones.
    listing_starts: Vec<usize>,
    listing_lengths: Vec<u8>,
    listed: Vec<u32>,
    /// The groups of rank r are `groups[group_starts[r]..group_starts[r + 1]]`.
    group_starts: Vec<usize>,
    groups: Vec<u32>,
    unlisted: BTreeMap<u32, usize>,
    /// By rank, the best ranked document with the same body; itself if it is the first or has no body.
    firsts: Vec<u32>,
    sought: Sought,
    boilerplate: Arc<Boilerplate>,
    notices: Vec<Notice>,
    /// Number of comparisons that end a round: [`ROUND`].
    round: usize,
    decisions: Vec<Decision>,
    by_field: Vec<[f64; FIELDS]>,
    /// Whether the changes of removed documents are determined,
    with_changes: bool,
    /// and those of some, by rank.
    changes: Vec<(u32, Changes)>,
    removed: Histogram,
    near_misses: Histogram,
    comparisons: u64,
    removable: Removable,
    links: Links,
    compilations: Compilations,
    tally: Tally,
}

const UNDECIDED: Decision = Decision { duplicate_of: KEPT, figure: Figure::NOTHING, relation: Relation::Unrelated };

impl Probe {
    /// Prepares the decisions.
    ///
    /// There are one to [`FIELDS`] `fields`. `order[rank]` is a document; the first `references` ranks are always kept.
    /// `groups` lists its members by rank.
    pub fn new(fields: Vec<Field>, combine: Combine, references: u32, order: Vec<u32>, mut groups: Groups) -> Self {
        grouping::add_near_codes(&fields, &order, &mut groups);
        Self::of_groups(fields, combine, references, order, groups)
    }

    fn of_groups(fields: Vec<Field>, combine: Combine, references: u32, order: Vec<u32>, groups: Groups) -> Self {
        let (group_starts, group_of) = groups_by_rank(&groups, order.len());
        let firsts = firsts(&fields, &order);
        let count = groups.len();
        Self {
            fields,
            combine,
            references,
            round: ROUND,
            decisions: Vec::with_capacity(order.len()),
            by_field: Vec::new(),
            with_changes: false,
            changes: Vec::new(),
            order,
            keys: groups.keys,
            multiplicities: groups.multiplicities,
            sizes: Vec::new(),
            cut: Vec::new(),
            phrases: 0,
            listing_starts: groups.starts,
            listing_lengths: vec![0; count],
            // The members by rank are in `groups` now. Listings never outgrow the members already decided, so they
            // reuse their memory.
            listed: groups.members,
            group_starts,
            groups: group_of,
            unlisted: BTreeMap::new(),
            firsts,
            sought: Sought::default(),
            boilerplate: Arc::default(),
            notices: Vec::new(),
            removed: [0; 101],
            near_misses: [0; 101],
            comparisons: 0,
            removable: Removable::default(),
            links: Links::default(),
            compilations: Compilations::default(),
            tally: Tally::default(),
        }
    }

    /// Adds references from another index: the rank of a document, that of the reference, and the keys that they share
    /// there. They are judged by the first field.
    pub fn add_sought(&mut self, entries: impl IntoIterator<Item = (u32, u32, u32)>) {
        self.sought.entries.extend(entries);
        self.sought.entries.sort_unstable();
    }

    /// Sets the relations for which documents are removed, the maximum number of links of a kept document, and whether
    /// the changes of removed documents are determined where this is cheap.
    pub fn direct(&mut self, removable: Removable, links: usize, with_changes: bool) {
        self.removable = removable;
        self.links.limit = links;
        self.with_changes = with_changes;
    }

    /// The changes of removed documents that were determined while they were compared, by rank. Those of the others are
    /// determined by [`outlines`](crate::judge::removals::outlines), with the same results.
    pub fn changes(&self) -> &[(u32, Changes)] {
        &self.changes
    }

    /// The links between kept documents, by rank.
    pub fn links(&self) -> &[Link] {
        self.links.all()
    }

    /// Number of links dropped because a document exceeded its limit.
    pub fn cut_links(&self) -> u64 {
        self.links.cut()
    }

    /// Number of decided ranks.
    pub fn decided(&self) -> usize {
        self.decisions.len()
    }

    /// The decisions made, by rank.
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// By rank, the similarity of each field that matched, NaN for the others; empty if there is only one field.
    pub fn by_field(&self) -> &[[f64; FIELDS]] {
        &self.by_field
    }

    /// Similarities of the removed documents to the documents kept for them.
    pub fn removed(&self) -> &Histogram {
        &self.removed
    }

    /// For each kept document with candidates, its highest similarity to one of them: exact if the texts were compared,
    /// estimated if the codes ruled the candidate out.
    pub fn near_misses(&self) -> &Histogram {
        &self.near_misses
    }

    /// Number of compared pairs of texts.
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// Number of keys of phrases, which produce no candidates for documents with other keys.
    pub fn phrases(&self) -> usize {
        self.phrases
    }

    /// The keys with unlisted documents, the largest first.
    pub fn hot_keys(&self) -> Vec<HotKey> {
        let mut hot: Vec<HotKey> = self
            .unlisted
            .iter()
            .map(|(&group, &unlisted)| {
                let room = self.listing_starts[group as usize]..self.listing_starts[group as usize + 1];
                HotKey {
                    key: self.keys[group as usize],
                    documents: self.size(group),
                    unlisted,
                    example: self.order[self.listed[room.start] as usize],
                }
            })
            .collect();
        hot.sort_by_key(|hot| (std::cmp::Reverse(hot.documents), hot.key));
        hot
    }

    /// Decides the next batch of documents, round by round. Texts read in a round are kept for the next one.
    ///
    /// # Errors
    /// If `source` cannot read a text; earlier decisions remain.
    pub fn step<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let first = self.decided() as u32;
        if first == 0 {
            self.find_compilations(source)?;
        }
        let mut tally = std::mem::take(&mut self.tally).of(self.order.len());
        let is_whole = self.fields.len() == 1;
        let of_field = |field: &Field| {
            let boilerplate = Arc::clone(&self.boilerplate);
            Comparisons::new(&field.verdict.demands, boilerplate, self.removable, is_whole, self.with_changes)
        };
        let mut comparisons: Vec<Comparisons> = self.fields.iter().map(of_field).collect();
        let (mut rank, mut last, mut busy) = (first, first, 0);
        while self.has_room(last, busy, &comparisons) {
            last = self.foresee(rank, &mut busy, &mut comparisons, &mut tally);
            comparisons.iter_mut().try_for_each(|comparisons| comparisons.run(source))?;
            while rank < last {
                let (decision, basis) = self.decide(rank, &mut comparisons, &mut tally, source)?;
                self.record(rank, decision);
                if self.fields.len() > 1 {
                    self.by_field.push(basis.by_field);
                }
                self.changes.extend(basis.changes.map(|changes| (rank, changes)));
                rank += 1;
            }
        }
        self.tally = tally;
        self.comparisons += comparisons.iter().map(Comparisons::performed).sum::<u64>();
        if last as usize == self.order.len() {
            self.link_stories(source)?;
        }
        Ok(())
    }

    /// Returns the passages shared by linked documents, in the order of the links.
    ///
    /// # Errors
    /// If `source` cannot read a text.
    pub fn linked_passages<S: TextSource>(&self, source: &S) -> Result<Vec<Vec<Place>>, S::Error> {
        let document = |rank: u32| self.order[rank as usize];
        let pairs: Vec<_> = self.links.all().iter().map(|link| (document(link.other), document(link.rank))).collect();
        let mut demands = self.fields.iter().flat_map(|field| &field.verdict.demands);
        places(&pairs, &self.boilerplate, demands.any(Demand::is_by_content), source)
    }

    /// The learned boilerplate; the most common comes first.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The ascending hashes of the token runs that are boilerplate.
    pub fn boilerplate(&self) -> Vec<u64> {
        self.boilerplate.runs()
    }

    /// Number of documents with the key of a group.
    fn size(&self, group: u32) -> usize {
        let slots = || self.listing_starts[group as usize + 1] - self.listing_starts[group as usize];
        self.sizes.get(group as usize).map_or_else(slots, |&size| size as usize)
    }

    fn groups_of(&self, rank: u32) -> &[u32] {
        &self.groups[self.group_starts[rank as usize]..self.group_starts[rank as usize + 1]]
    }

    fn listing(&self, group: u32) -> &[u32] {
        let start = self.listing_starts[group as usize];
        &self.listed[start..start + usize::from(self.listing_lengths[group as usize])]
    }

    fn decide<S: TextSource>(
        &mut self,
        rank: u32,
        comparisons: &mut [Comparisons],
        tally: &mut Tally,
        source: &S,
    ) -> Result<(Decision, Assessment), S::Error> {
        let mut best = (UNDECIDED, UNASSESSED);
        if rank < self.references {
            return Ok(best);
        }
        let candidates = self.candidates(rank, tally);
        let identical = self.first_identical(rank, &candidates);
        let mut nearest: Option<f64> = None;
        let mut links = Vec::new();
        for candidate in candidates.into_iter().take_while(|candidate| candidate.rank <= identical) {
            let assessment = self.assess(rank, candidate, identical, comparisons, source)?;
            let Assessment { figure, is_copy, ruling, .. } = assessment;
            nearest = Some(nearest.map_or(figure.similarity, |nearest| nearest.max(figure.similarity)));
            let Some(ruling) = ruling.filter(|_| is_copy) else { continue };
            let ruling = self.compilations.heeded(ruling, (candidate.rank, rank), self);
            if ruling.relation == Relation::Unrelated {
                continue;
            }
            if !ruling.is_removable {
                links.push(Link { rank, other: candidate.rank, ruling });
            } else if best.0.duplicate_of == KEPT || figure.similarity > best.0.figure.similarity {
                let decision = Decision { duplicate_of: candidate.rank, figure, relation: ruling.relation };
                best = (decision, assessment);
            }
        }
        if best.0.duplicate_of == KEPT {
            self.links.add(links);
            if let Some(nearest) = nearest {
                self.near_misses[hundredths(nearest)] += 1;
            }
        } else {
            self.removed[hundredths(best.0.figure.similarity)] += 1;
        }
        Ok(best)
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

fn hundredths(similarity: f64) -> usize {
    // 0.29 · 100 is 28.999…: a similarity of a whole number of hundredths must not be rounded below it.
    (similarity * 100.0 + 1e-9) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::index::group;
    use crate::judge::demand::Kind;
    use crate::measure::features::Part;
    use crate::text::Text;

    /// Number of documents that a key lists.
    const FIRST: u32 = LISTED as u32;

    /// Unrelated texts, except for the last two documents, which have the same sentences.
    struct Sentences;

    impl TextSource for Sentences {
        type Error = ();

        fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), ()> {
            for (position, &document) in documents.iter().enumerate() {
                let seed = u64::from(document.min(FIRST));
                let character = |place| char::from_u32(0x4E00 + (mix(seed << 8 | place) % 5000) as u32);
                on_text(position, Text::Utf8(&(0..90).filter_map(character).chain(['。']).collect::<String>()));
            }
            Ok(())
        }
    }

    /// Returns the probe after all decisions on documents with these keys.
    fn decided(keys: &[Vec<u64>], round: usize) -> Probe {
        let counts: Vec<u32> = keys.iter().map(|keys| keys.len() as u32).collect();
        let order: Vec<u32> = (0..keys.len() as u32).collect();
        let mut groups = Groups::default();
        let mut buckets = group::Buckets::new(0, 0);
        buckets.add(&group::partition(&keys.concat(), &counts, 0, 0).bytes, 0);
        buckets.into_groups(&order).into_iter().for_each(|of_bucket| groups.append(of_bucket));
        let documents = Documents {
            digests: (1..=keys.len() as u128).collect(),
            lengths: vec![90; keys.len()],
            key_counts: counts,
            ..Documents::default()
        };
        let demands = vec![Demand { figure: Kind::Copied(Part::Whole), threshold: 0.15 }];
        let verdict = Verdict { rule: Rule::Keys { threshold: 0.6 }, demands };
        let mut probe = Probe::new(vec![Field { verdict, min_shared: 1, documents }], Combine::All, 0, order, groups);
        probe.round = round;
        while probe.decided() < keys.len() {
            probe.step(&Sentences).expect("no text fails");
        }
        probe
    }

    #[test]
    fn a_document_behind_a_full_list_is_found_by_no_round() {
        // The list of the key 1 is full before the last two documents, so that they share one of three keys, which is
        // too few. A round that begins with the first of them expects it under the key 1, and compares them.
        let mut keys = vec![vec![1]; LISTED];
        keys.extend([vec![1, 2, 3, 4], vec![1, 2, 5]]);
        for round in [1, 2, 7, usize::MAX] {
            let probe = decided(&keys, round);
            assert!(probe.decisions().iter().all(|decision| decision.duplicate_of == KEPT));
            assert!(probe.links().is_empty());
        }
        keys.truncate(LISTED - 1);
        keys.extend([vec![7, 2, 3, 4], vec![1, 2, 3], vec![2, 3, 4]]);
        let copies = |round: usize| decided(&keys, round).decisions().to_vec();
        assert_eq!(copies(1)[LISTED + 1].duplicate_of, FIRST);
        assert!([2, 7, usize::MAX].into_iter().all(|round| copies(round) == copies(1)));
    }
}
