//! Candidates: the kept documents that a document is compared with.

use super::tally::{Candidate, Named, Tally};
use super::{COMPARED, Combine, FIELDS, KEPT, Probe};
use crate::judge::verdict::Glance;

/// References that share keys with documents according to another index.
#[derive(Default)]
pub(super) struct Sought {
    /// (rank of a document, rank of a reference, keys), ascending.
    pub entries: Vec<(u32, u32, u32)>,
}

impl Sought {
    pub fn of(&self, rank: u32) -> &[(u32, u32, u32)] {
        let start = self.entries.partition_point(|entry| entry.0 < rank);
        let end = start + self.entries[start..].partition_point(|entry| entry.0 == rank);
        &self.entries[start..end]
    }
}

impl Probe {
    /// The kept documents that share enough keys with `rank`, best ranked first.
    pub(super) fn candidates(&self, rank: u32, tally: &mut Tally) -> Vec<Candidate> {
        let listed = |&group: &u32| self.listing(group).iter().map(move |&rank| (rank, self.keys_of(group)));
        let named = self.groups_of(rank).iter().flat_map(listed);
        let mut candidates = tally.candidates(named, |shared_keys| self.is_candidate(shared_keys));
        self.keep_closest(rank, &mut candidates);
        self.add_sought_candidates(rank, &mut candidates);
        let is_kept = |first: u32| self.decisions.get(first as usize).is_some_and(|first| first.duplicate_of == KEPT);
        if is_kept(self.firsts[rank as usize]) {
            self.add_first(rank, &mut candidates);
        }
        candidates
    }

    /// Keeps the [`COMPARED`] candidates that share the most keys among those that the fingerprints do not rule out, in
    /// unchanged order.
    pub(super) fn keep_closest(&self, rank: u32, candidates: &mut Vec<Candidate>) {
        if candidates.len() <= COMPARED {
            return;
        }
        let is_open = |candidate: &Candidate| {
            let pair = self.pair(rank, *candidate);
            let glances = self.fields.iter().zip(candidate.shared_keys);
            glances
                .into_iter()
                .any(|(field, shared)| matches!(field.glance(pair, shared, false), Glance::Open | Glance::Reached(_)))
        };
        let shared = |candidate: &Candidate| candidate.shared_keys.iter().map(|&keys| u64::from(keys)).sum::<u64>();
        let mut open: Vec<(std::cmp::Reverse<u64>, u32)> = candidates
            .iter()
            .filter(|candidate| is_open(candidate))
            .map(|candidate| (std::cmp::Reverse(shared(candidate)), candidate.rank))
            .collect();
        if open.len() > COMPARED {
            let (_, &mut last, _) = open.select_nth_unstable(COMPARED - 1);
            candidates.retain(|candidate| {
                (std::cmp::Reverse(shared(candidate)), candidate.rank) <= last || !is_open(candidate)
            });
        }
    }

    /// Adds candidates from another index; the larger number of keys is used.
    pub(super) fn add_sought_candidates(&self, rank: u32, candidates: &mut Vec<Candidate>) {
        for &(_, reference, keys) in self.sought.of(rank) {
            let place = candidates.partition_point(|candidate| candidate.rank < reference);
            let mut shared_keys = [0; FIELDS];
            shared_keys[0] = keys;
            match candidates.get_mut(place).filter(|candidate| candidate.rank == reference) {
                Some(known) => known.shared_keys[0] = known.shared_keys[0].max(keys),
                None if self.is_candidate(shared_keys) => {
                    candidates.insert(place, Candidate { rank: reference, shared_keys })
                }
                None => (),
            }
        }
    }

    /// Adds the first document with the same body, regardless of shared keys.
    pub(super) fn add_first(&self, rank: u32, candidates: &mut Vec<Candidate>) {
        let first = self.firsts[rank as usize];
        let place = candidates.partition_point(|candidate| candidate.rank < first);
        let is_known = candidates.get(place).is_some_and(|candidate| candidate.rank == first);
        if first < rank && !is_known {
            candidates.insert(place, Candidate { rank: first, shared_keys: [u32::MAX; FIELDS] });
        }
    }

    /// The field of a key.
    pub(super) fn field_of(&self, group: u32) -> u8 {
        if self.fields.len() > 1 { (self.keys[group as usize] & 1) as u8 } else { 0 }
    }

    /// The keys of a group.
    pub(super) fn keys_of(&self, group: u32) -> Named {
        Named { field: self.field_of(group), keys: self.multiplicities[group as usize] }
    }

    pub(super) fn is_candidate(&self, shared_keys: [u32; FIELDS]) -> bool {
        let mut enough = self.fields.iter().zip(shared_keys).map(|(field, shared)| shared as usize >= field.min_shared);
        match self.combine {
            Combine::All => enough.all(|enough| enough),
            Combine::Any => enough.any(|enough| enough),
        }
    }

    /// The best ranked candidate whose folded fields equal those of `rank`: no later candidate can be preferred.
    pub(super) fn first_identical(&self, rank: u32, candidates: &[Candidate]) -> u32 {
        let is_identical = |&&candidate: &&Candidate| {
            let pair = self.pair(rank, candidate);
            self.fields.iter().all(|field| field.is_identical(pair))
        };
        candidates.iter().find(is_identical).map_or(KEPT, |candidate| candidate.rank)
    }

    pub(super) fn pair(&self, rank: u32, candidate: Candidate) -> (u32, u32) {
        (self.order[rank as usize], self.order[candidate.rank as usize])
    }

    /// True if only a similarity of 1 matters in every field because a candidate is `identical`.
    pub(super) fn rivals(&self, identical: u32) -> bool {
        identical != KEPT && self.fields.len() == 1
    }
}
