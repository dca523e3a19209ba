//! Rounds: which comparisons the next documents will need, so that they run in parallel.

use std::collections::HashMap;

use super::tally::{Candidate, Tally};
use super::{BATCH_BYTES, BATCH_DOCUMENTS, Probe};
use crate::hash::BuildNumberHasher;
use crate::judge::compare::Comparisons;
use crate::judge::verdict::Glance;

impl Probe {
    /// True if a batch that has reached `rank`, with `busy` documents with candidates, takes another one.
    pub(super) fn has_room(&self, rank: u32, busy: usize, comparisons: &[Comparisons]) -> bool {
        (rank as usize) < self.order.len()
            && busy < BATCH_DOCUMENTS
            && comparisons.iter().map(Comparisons::bytes).sum::<usize>() < BATCH_BYTES
    }

    /// Plans the comparisons that the ranks from `first` on will certainly or probably need: with every kept candidate,
    /// and with the first document of the round under each of their keys. Returns the end of the round.
    pub(super) fn foresee(
        &self,
        first: u32,
        busy: &mut usize,
        comparisons: &mut [Comparisons],
        tally: &mut Tally,
    ) -> u32 {
        let mut leaders: HashMap<u32, u32, BuildNumberHasher> = HashMap::default();
        let mut rank = first;
        comparisons.iter_mut().for_each(Comparisons::forget_outcomes);
        while self.has_room(rank, *busy, comparisons)
            && comparisons.iter().map(Comparisons::planned).sum::<usize>() < self.round
        {
            let groups = self.groups_of(rank);
            let has_candidates =
                !groups.is_empty() || self.firsts[rank as usize] < rank || !self.sought.of(rank).is_empty();
            if rank >= self.references && has_candidates {
                *busy += 1;
                let mut candidates = self.candidates(rank, tally);
                let leading = groups.iter().filter_map(|group| Some((*leaders.get(group)?, self.keys_of(*group))));
                candidates.extend(tally.candidates(leading, |shared_keys| self.is_candidate(shared_keys)));
                self.keep_closest(rank, &mut candidates);
                if self.firsts[rank as usize] >= first {
                    self.add_first(rank, &mut candidates);
                }
                let identical = self.first_identical(rank, &candidates);
                for candidate in candidates.into_iter().filter(|candidate| candidate.rank < identical) {
                    self.plan(rank, candidate, identical, comparisons);
                }
            }
            for &group in groups {
                leaders.entry(group).or_insert(rank);
            }
            rank += 1;
        }
        rank
    }

    pub(super) fn plan(&self, rank: u32, candidate: Candidate, identical: u32, comparisons: &mut [Comparisons]) {
        let pair = self.pair(rank, candidate);
        for ((field, comparisons), shared) in self.fields.iter().zip(comparisons).zip(candidate.shared_keys) {
            let is_open = match field.glance(pair, shared, self.rivals(identical)) {
                Glance::Open | Glance::Reached(_) => true,
                Glance::Equal => self.fields.len() > 1,
                Glance::Missed(_) | Glance::RuledOut(_) => false,
            };
            if shared as usize >= field.min_shared && is_open {
                comparisons.plan(pair, |document| field.documents.lengths[document as usize]);
            }
        }
    }
}
