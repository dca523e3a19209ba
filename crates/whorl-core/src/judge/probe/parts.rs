//! Division of the documents into parts that can be decided separately, on other machines or at other times.
//!
//! Documents are connected if they share a key, have the same body, or were matched by another index. Every connected
//! component is placed in one part, so that no decision depends on another part: the decisions are those of a single
//! probe. Everything that depends on all documents is determined before the division: ranks, similar codes, and
//! boilerplate.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::{Combine, Field, Probe};
use crate::index::group::Groups;
use crate::judge::boilerplate::Boilerplate;

/// Documents without candidates outside the part.
#[derive(Debug, Default)]
pub struct Part {
    /// Their ranks among all documents in ascending order; the index of each is its rank in the part.
    pub ranks: Vec<u32>,
    /// Number of leading ranks that are references.
    pub references: u32,
    /// For each field, the number of keys of each document, without boilerplate.
    pub key_counts: Vec<Vec<u32>>,
    /// Groups of documents that share keys, by ranks of the part.
    pub groups: Groups,
    /// Number of documents of the whole corpus with the key of each group.
    pub sizes: Vec<u32>,
    /// Matches of another index, by ranks of the part.
    pub sought: Vec<(u32, u32, u32)>,
}

/// Connected components, represented by their lowest rank.
struct Components(Vec<u32>);

impl Components {
    fn of(&mut self, rank: u32) -> u32 {
        let mut root = rank;
        while self.0[root as usize] != root {
            // Path halving.
            self.0[root as usize] = self.0[self.0[root as usize] as usize];
            root = self.0[root as usize];
        }
        root
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

impl Probe {
    /// Prepares the decisions on a part of the documents; `fields` contain the documents of the part, in order.
    pub fn of_part(fields: Vec<Field>, combine: Combine, part: Part, boilerplate: Boilerplate) -> Self {
        let order = (0..part.ranks.len() as u32).collect();
        let mut probe = Self::of_groups(fields, combine, part.references, order, part.groups);
        probe.sizes = part.sizes;
        probe.add_sought(part.sought);
        probe.boilerplate = Arc::new(boilerplate);
        probe
    }

    /// Divides the documents with possible candidates into at most `max_parts` parts of about equal cost. A document in
    /// none of them is kept. Must be called before the first decision. O(n log n).
    pub fn parts(&self, max_parts: usize) -> Vec<Part> {
        let part_of = self.divided(max_parts);
        let used = part_of.iter().filter(|&&part| part != NONE).max().map_or(0, |&last| last as usize + 1);
        let mut parts: Vec<Part> = (0..used).map(|_| Part::default()).collect();
        let mut place = vec![0; part_of.len()];
        for part in &mut parts {
            part.key_counts = vec![Vec::new(); self.fields.len()];
            part.groups.starts.push(0);
        }
        for (rank, &number) in (0u32..).zip(&part_of).filter(|&(_, &number)| number != NONE) {
            let part = &mut parts[number as usize];
            place[rank as usize] = part.ranks.len() as u32;
            part.ranks.push(rank);
            part.references += u32::from(rank < self.references);
            for (counts, field) in part.key_counts.iter_mut().zip(&self.fields) {
                counts.push(field.documents.key_counts[self.order[rank as usize] as usize]);
            }
        }
        self.divide_groups(&part_of, &place, &mut parts);
        for &(rank, reference, keys) in &self.sought.entries {
            let part = &mut parts[part_of[rank as usize] as usize];
            part.sought.push((place[rank as usize], place[reference as usize], keys));
        }
        parts
    }

    fn divide_groups(&self, part_of: &[u32], place: &[u32], parts: &mut [Part]) {
        for group in 0..self.keys.len() as u32 {
            let members = self.active(group);
            if members.len() < 2 {
                continue;
            }
            let part = &mut parts[part_of[members[0] as usize] as usize];
            let (key, multiplicity) = (self.keys[group as usize], self.multiplicities[group as usize]);
            part.groups.push(key, multiplicity, members.iter().map(|&rank| place[rank as usize]));
            part.sizes.push(self.size(group) as u32);
        }
    }

    /// The ranks that a group still connects.
    fn active(&self, group: u32) -> Vec<u32> {
        let members = &self.listed[self.listing_starts[group as usize]..self.listing_starts[group as usize + 1]];
        if !self.cut.get(group as usize).is_some_and(|&cut| cut) {
            return members.to_vec();
        }
        members.iter().copied().filter(|&rank| self.groups_of(rank).contains(&group)).collect()
    }

    /// The part number of each rank; [`NONE`] for ranks without connections.
    fn divided(&self, max_parts: usize) -> Vec<u32> {
        let mut components = Components((0..self.order.len() as u32).collect());
        let mut weights = vec![0u64; self.order.len()];
        for group in 0..self.keys.len() as u32 {
            let members = self.active(group);
            members.iter().skip(1).for_each(|&rank| components.join(members[0], rank));
            weights[members.first().map_or(0, |&first| first as usize)] +=
                u64::from(self.multiplicities[group as usize]) * members.len() as u64;
        }
        for (rank, &first) in (0..).zip(&self.firsts) {
            components.join(rank, first);
        }
        for &(rank, reference, _) in &self.sought.entries {
            components.join(rank, reference);
        }
        let mut sizes = vec![0u32; self.order.len()];
        for rank in 0..self.order.len() as u32 {
            let root = components.of(rank) as usize;
            sizes[root] += 1;
            if root != rank as usize {
                weights[root] += std::mem::take(&mut weights[rank as usize]);
            }
        }
        let mut loads: BinaryHeap<Reverse<(u64, u32)>> = (0..max_parts as u32).map(|part| Reverse((0, part))).collect();
        let mut roots: Vec<u32> = (0..self.order.len() as u32).filter(|&root| sizes[root as usize] > 1).collect();
        roots.sort_by_key(|&root| Reverse(weights[root as usize] + u64::from(sizes[root as usize])));
        let mut part_of = vec![NONE; self.order.len()];
        for root in roots {
            let Some(Reverse((load, part))) = loads.pop() else { break };
            part_of[root as usize] = part;
            loads.push(Reverse((load + weights[root as usize] + u64::from(sizes[root as usize]), part)));
        }
        for rank in 0..self.order.len() as u32 {
            part_of[rank as usize] = part_of[components.of(rank) as usize];
        }
        part_of
    }
}

/// Marks ranks without a part.
const NONE: u32 = u32::MAX;
