//! Groups of documents that share keys.
//!
//! # Problem
//!
//! A posting is a key with a document. Most keys of a corpus occur once, and all postings together exceed the memory.
//!
//! # Choice
//!
//! Postings are scattered into partitions by the top bits of their keys as they are produced. A later pass reads one
//! partition at a time, so memory does not grow with the corpus. Only keys shared by two or more documents survive. Two
//! documents that share one key often share a hundred, so [`Gathering`] merges keys with the same small set of
//! documents into one group.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::hash::{BuildNumberHasher, GOLDEN, absorb, mix};

/// Bytes of a posting in a partition: key and document, little-endian.
pub const POSTING_BYTES: usize = 12;
/// For keys with fewer documents, only the number of keys shared by the same documents is kept, not the keys.
pub const FEW: usize = 8;

/// Postings of one batch of documents, grouped by partition.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Partitioned {
    /// The postings, [`POSTING_BYTES`] each.
    pub bytes: Vec<u8>,
    /// The start of each partition in `bytes`, and the end of the last one.
    pub bounds: Vec<u64>,
}

/// Scatters the keys of a batch into 2^`bits` partitions by their top bits.
///
/// `counts[i]` of the `keys` belong to document `first_document + i`.
pub fn partition(keys: &[u64], counts: &[u32], first_document: u32, bits: u32) -> Partitioned {
    let partition_of = |key: u64| (key >> (63 - bits) >> 1) as usize;
    let mut bounds = vec![0u64; (1 << bits) + 1];
    for &key in keys {
        bounds[partition_of(key) + 1] += POSTING_BYTES as u64;
    }
    for partition in 1..bounds.len() {
        bounds[partition] += bounds[partition - 1];
    }
    let mut bytes = vec![0; keys.len() * POSTING_BYTES];
    let mut next: Vec<usize> = bounds.iter().map(|&bound| bound as usize).collect();
    let documents =
        counts.iter().zip(first_document..).flat_map(|(&count, document)| (0..count).map(move |_| document));
    for (&key, document) in keys.iter().zip(documents) {
        let start = &mut next[partition_of(key)];
        bytes[*start..*start + 8].copy_from_slice(&key.to_le_bytes());
        bytes[*start + 8..*start + POSTING_BYTES].copy_from_slice(&document.to_le_bytes());
        *start += POSTING_BYTES;
    }
    Partitioned { bytes, bounds }
}

/// Keys shared by two or more documents, with those documents by rank.
#[derive(Debug, Default)]
pub struct Groups {
    /// One key per group.
    pub keys: Vec<u64>,
    /// Number of keys that a group represents, all with the same members.
    pub multiplicities: Vec<u32>,
    /// Group g has the members `starts[g]..starts[g + 1]`. One element more than there are groups, or empty.
    pub starts: Vec<usize>,
    /// Ranks, ascending within a group.
    pub members: Vec<u32>,
}

impl Groups {
    /// Adds the groups of one whole partition. Its postings are divided into pieces, each with the number of its
    /// document 0. Linear, except for sorting the postings that share a key.
    pub fn add_partition(&mut self, pieces: &[(&[u8], u32)], rank_of: &[u32]) {
        let mut postings = repeated_postings(pieces, rank_of);
        postings.sort_unstable();
        postings.dedup();
        for group in postings.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            self.push(group[0].0, 1, group.iter().map(|&(_, rank)| rank));
        }
    }

    /// Adds a group.
    pub fn push(&mut self, key: u64, multiplicity: u32, members: impl IntoIterator<Item = u32>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.keys.push(key);
        self.multiplicities.push(multiplicity);
        self.members.extend(members);
        self.starts.push(self.members.len());
    }

    /// Returns the members of a group.
    pub fn members_of(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// Appends the groups of other partitions.
    pub fn append(&mut self, other: Self) {
        let shift = self.members.len();
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.keys.extend(other.keys);
        self.multiplicities.extend(other.multiplicities);
        self.members.extend(other.members);
        self.starts.extend(other.starts.iter().skip(1).map(|start| start + shift));
    }

    /// Sorts the members within each group.
    pub fn sort_members(&mut self) {
        let mut rest = self.members.as_mut_slice();
        for bounds in self.starts.windows(2) {
            let (group, after) = std::mem::take(&mut rest).split_at_mut(bounds[1] - bounds[0]);
            group.sort_unstable();
            rest = after;
        }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if no two documents share a key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Merges groups as they are added. Groups are merged if they have the same members, fewer than [`FEW`], and keys with
/// the same lowest bit, which may encode the field of a key.
#[derive(Debug, Default)]
pub struct Gathering {
    groups: Groups,
    /// The group for a set of members, by hash. Other sets with the same hash are not merged.
    places: HashMap<u64, u32, BuildNumberHasher>,
}

impl Gathering {
    /// Adds groups; a merged group keeps its first key. Linear.
    pub fn add(&mut self, others: &Groups) {
        for (group, (&key, &multiplicity)) in others.keys.iter().zip(&others.multiplicities).enumerate() {
            let members = others.members_of(group);
            match self.place_of(key, members) {
                Some(place) => self.groups.multiplicities[place] += multiplicity,
                None => self.groups.push(key, multiplicity, members.iter().copied()),
            }
        }
    }

    /// Returns the group to merge a key into; otherwise registers the next group for these members.
    fn place_of(&mut self, key: u64, members: &[u32]) -> Option<usize> {
        if members.len() >= FEW {
            return None;
        }
        let name = mix(members.iter().fold(absorb(GOLDEN, key & 1), |hash, &rank| absorb(hash, rank.into())));
        match self.places.entry(name) {
            Entry::Vacant(place) => {
                place.insert(self.groups.len() as u32);
                None
            }
            Entry::Occupied(place) => {
                let place = *place.get() as usize;
                let is_same = (self.groups.keys[place] ^ key) & 1 == 0 && self.groups.members_of(place) == members;
                is_same.then_some(place)
            }
        }
    }

    /// The current groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the groups.
    pub fn into_groups(self) -> Groups {
        self.groups
    }
}

fn postings(pieces: &[(&[u8], u32)]) -> impl Iterator<Item = (u64, u32)> {
    pieces.iter().flat_map(|&(bytes, base)| {
        bytes.chunks_exact(POSTING_BYTES).map(move |posting| {
            let (key, document) = posting.split_at(8);
            let key = u64::from_le_bytes(key.try_into().expect("eight bytes"));
            (key, base + u32::from_le_bytes(document.try_into().expect("four bytes")))
        })
    })
}

/// Returns the postings with repeated keys, and a few others. Most keys occur once, and a bitmap rules them out before
/// the sort.
fn repeated_postings(pieces: &[(&[u8], u32)], rank_of: &[u32]) -> Vec<(u64, u32)> {
    let count: usize = pieces.iter().map(|(bytes, _)| bytes.len() / POSTING_BYTES).sum();
    let bits = (count * 8).next_power_of_two().max(64);
    let shift = 64 - bits.trailing_zeros();
    let place = |key: u64| {
        let bit = (key.wrapping_mul(GOLDEN) >> shift) as usize;
        (bit / 64, 1u64 << (bit % 64))
    };
    let (mut once, mut twice) = (vec![0u64; bits / 64], vec![0u64; bits / 64]);
    for (key, _) in postings(pieces) {
        let (word, bit) = place(key);
        twice[word] |= once[word] & bit;
        once[word] |= bit;
    }
    postings(pieces)
        .filter(|&(key, _)| {
            let (word, bit) = place(key);
            twice[word] & bit != 0
        })
        .map(|(key, document)| (key, rank_of[document as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_with_small_numbers_have_hashes_of_their_own() {
        for other in [(2, vec![0, 1, 2]), (3, vec![0, 2])] {
            let mut groups = Groups::default();
            for (key, members) in [other, (4, vec![1, 2]), (6, vec![1, 2])] {
                groups.push(key, 1, members);
            }
            let mut all = Gathering::default();
            all.add(&groups);
            assert_eq!(all.into_groups().multiplicities, [1, 2]);
        }
    }

    proptest! {
        #[test]
        fn groups_equal_a_map_of_sets(documents in prop::collection::vec(prop::collection::vec(0u64..30, 0..6), 0..40), bits in 0u32..7) {
            let spread = |key: u64| key.wrapping_mul(GOLDEN);
            let mut expected: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
            for (document, keys) in documents.iter().enumerate() {
                for &key in keys {
                    expected.entry(spread(key)).or_default().insert(document as u32);
                }
            }
            expected.retain(|_, members| members.len() > 1);

            let (early, late) = documents.split_at(documents.len() / 2);
            let batch = |part: &[Vec<u64>], first: usize| {
                let keys: Vec<u64> = part.iter().flatten().copied().map(spread).collect();
                let counts: Vec<u32> = part.iter().map(|keys| keys.len() as u32).collect();
                (partition(&keys, &counts, 0, bits), first as u32)
            };
            let batches = [batch(early, 0), batch(late, early.len())];
            let ranks: Vec<u32> = (0..documents.len() as u32).collect();
            let mut all = Gathering::default();
            for part in 0..1usize << bits {
                let slices: Vec<(&[u8], u32)> = batches
                    .iter()
                    .map(|(batch, base)| (&batch.bytes[batch.bounds[part] as usize..batch.bounds[part + 1] as usize], *base))
                    .collect();
                let mut groups = Groups::default();
                groups.add_partition(&slices, &ranks);
                let computed: BTreeMap<u64, BTreeSet<u32>> = (0..groups.len())
                    .map(|group| (groups.keys[group], groups.members_of(group).iter().copied().collect()))
                    .collect();
                let partition_of = |key: u64| (key >> (63 - bits) >> 1) as usize;
                let here = expected.iter().filter(|&(&key, _)| partition_of(key) == part);
                prop_assert_eq!(computed, here.map(|(&key, members)| (key, members.clone())).collect());
                all.add(&groups);
            }
            let all = all.into_groups();
            let mut together: BTreeMap<(BTreeSet<u32>, u64), (u64, u32)> = BTreeMap::new();
            for (&key, members) in &expected {
                let name = if members.len() < FEW { key & 1 } else { key };
                together.entry((members.clone(), name)).or_insert((key, 0)).1 += 1;
            }
            let mut computed: Vec<(u64, u32, Vec<u32>)> = (0..all.len())
                .map(|group| (all.keys[group], all.multiplicities[group], all.members_of(group).to_vec()))
                .collect();
            computed.sort_unstable();
            let mut reference: Vec<(u64, u32, Vec<u32>)> =
                together.into_iter().map(|((members, _), (key, count))| (key, count, members.into_iter().collect())).collect();
            reference.sort_unstable();
            prop_assert_eq!(computed, reference);
        }
    }
}
