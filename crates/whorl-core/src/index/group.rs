//! Groups of documents that share keys.
//!
//! # Problem
//!
//! A posting is a key with a document. Most keys of a corpus occur once, and all postings together exceed the memory.
//!
//! # Choice
//!
//! Postings are scattered into partitions by the top bits of their keys as they are produced. A later pass reads one
//! partition at a time into [`Buckets`], by the next bits: the filter and the sort of a bucket stay in the cache of a
//! core. Only keys shared by two or more documents survive. Two documents that share one key often share a hundred, so
//! [`Gathering`] merges keys with the same small set of documents into one group.
//!
//! The alternative, a filter and a sort for a whole partition on each core, took more than three times the memory and,
//! for two million documents, 1.7 times the processor time.

use rayon::prelude::*;

use crate::hash::{GOLDEN, absorb, mix};

/// Bytes of a posting in a partition: key and document, little-endian.
pub const POSTING_BYTES: usize = 12;
/// For keys with fewer documents, only the number of keys shared by the same documents is kept, not the keys.
pub const FEW: usize = 8;
/// Postings of a bucket, about.
const BUCKET: usize = 1 << 16;
/// Maximum number of bits that select a bucket.
const BUCKET_BITS: u32 = 12;

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

/// The postings of one whole partition, in buckets by key.
#[derive(Debug)]
pub struct Buckets {
    buckets: Vec<Vec<Posting>>,
    /// Leading bits that all keys have in common.
    common_bits: u32,
    /// The bits after them that select the bucket.
    bits: u32,
}

/// A key and a document, without padding.
#[derive(Clone, Copy, Debug)]
struct Posting {
    /// The lower and the upper half of the key.
    key: [u32; 2],
    document: u32,
}

impl Posting {
    fn of(bytes: &[u8; POSTING_BYTES]) -> Self {
        let number = |place: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[place + byte]));
        Self { key: [number(0), number(4)], document: number(8) }
    }

    fn key(self) -> u64 {
        u64::from(self.key[1]) << 32 | u64::from(self.key[0])
    }
}

impl Buckets {
    /// Creates buckets for about `count` postings, whose keys agree in their leading `common_bits`.
    pub fn new(count: usize, common_bits: u32) -> Self {
        let bits = (count / BUCKET).checked_ilog2().unwrap_or(0).min(BUCKET_BITS).min(64 - common_bits);
        let room = (count >> bits) + (count >> bits) / 16;
        Self { buckets: (0..1 << bits).map(|_| Vec::with_capacity(room)).collect(), common_bits, bits }
    }

    /// Adds postings; `base` is the number of their document 0. The order in which they are added does not matter.
    pub fn add(&mut self, postings: &[u8], base: u32) {
        let (common_bits, bits) = (self.common_bits, self.bits);
        for bytes in postings.as_chunks().0 {
            let Posting { key, document } = Posting::of(bytes);
            let posting = Posting { key, document: base + document };
            let bucket = if bits == 0 { 0 } else { posting.key() << common_bits >> (64 - bits) };
            self.buckets[bucket as usize].push(posting);
        }
    }

    /// Returns the groups of documents that share a key, in the order of the keys, in parallel. Linear, except for
    /// sorting the postings that share a key.
    pub fn into_groups(self, rank_of: &[u32]) -> Vec<Groups> {
        self.buckets.into_par_iter().map(|bucket| Groups::of_bucket(&bucket, rank_of)).collect()
    }
}

/// Merges groups as they are added. Groups are merged if they have the same members, fewer than [`FEW`], and keys with
/// the same lowest bit, which may encode the field of a key.
#[derive(Debug, Default)]
pub struct Gathering {
    groups: Groups,
    /// Open addressing by a hash of the members: a small group with the upper half of its hash, or [`FREE`].
    slots: Vec<(u32, u32)>,
    /// Number of slots in use.
    used: usize,
}

/// A slot without a group.
const FREE: (u32, u32) = (u32::MAX, 0);

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
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            self.grow();
        }
        let hash = hash_of(key, members);
        let groups = &self.groups;
        let is_same = |group: usize| (groups.keys[group] ^ key) & 1 == 0 && groups.members_of(group) == members;
        let slot = self.slot_of(hash, is_same);
        if self.slots[slot] != FREE {
            return Some(self.slots[slot].0 as usize);
        }
        self.slots[slot] = (self.groups.len() as u32, (hash >> 32) as u32);
        self.used += 1;
        None
    }

    /// The slot of the group that `is_same` accepts, or the free slot where it belongs.
    fn slot_of(&self, hash: u64, is_same: impl Fn(usize) -> bool) -> usize {
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            let (group, upper) = self.slots[slot];
            if (group, upper) == FREE || upper == (hash >> 32) as u32 && is_same(group as usize) {
                return slot;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    fn grow(&mut self) {
        let room = (2 * self.slots.len()).max(1024);
        // The old slots are freed first: the groups have what is needed to fill the new ones.
        self.slots = Vec::new();
        self.slots = vec![FREE; room];
        for group in 0..self.groups.len() {
            let members = self.groups.members_of(group);
            if members.len() < FEW {
                let hash = hash_of(self.groups.keys[group], members);
                let slot = self.slot_of(hash, |_| false);
                self.slots[slot] = (group as u32, (hash >> 32) as u32);
            }
        }
    }

    /// The current groups.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the groups, without spare capacity.
    pub fn into_groups(self) -> Groups {
        drop(self.slots);
        let mut groups = self.groups;
        groups.keys.shrink_to_fit();
        groups.multiplicities.shrink_to_fit();
        groups.starts.shrink_to_fit();
        groups.members.shrink_to_fit();
        groups
    }
}

/// The hash of the members of a group and of the lowest bit of its key.
fn hash_of(key: u64, members: &[u32]) -> u64 {
    mix(members.iter().fold(absorb(GOLDEN, key & 1), |hash, &rank| absorb(hash, rank.into())))
}

impl Groups {
    /// The groups of a bucket. Most keys occur once, and a bitmap rules them out before the sort.
    fn of_bucket(bucket: &[Posting], rank_of: &[u32]) -> Self {
        let mut repeated = repeated_postings(bucket, rank_of);
        repeated.sort_unstable();
        repeated.dedup();
        let mut groups = Self::default();
        for group in repeated.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            groups.push(group[0].0, 1, group.iter().map(|&(_, rank)| rank));
        }
        groups
    }
}

/// Returns the postings with repeated keys, and a few others, by rank.
fn repeated_postings(bucket: &[Posting], rank_of: &[u32]) -> Vec<(u64, u32)> {
    let bits = (bucket.len() * 8).next_power_of_two().max(64);
    let shift = 64 - bits.trailing_zeros();
    let place = |key: u64| {
        let bit = (key.wrapping_mul(GOLDEN) >> shift) as usize;
        (bit / 64, 1u64 << (bit % 64))
    };
    let (mut once, mut twice) = (vec![0u64; bits / 64], vec![0u64; bits / 64]);
    for posting in bucket {
        let (word, bit) = place(posting.key());
        twice[word] |= once[word] & bit;
        once[word] |= bit;
    }
    let is_repeated = |posting: &&Posting| {
        let (word, bit) = place(posting.key());
        twice[word] & bit != 0
    };
    bucket.iter().filter(is_repeated).map(|posting| (posting.key(), rank_of[posting.document as usize])).collect()
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
        fn groups_equal_a_map_of_sets(documents in prop::collection::vec(prop::collection::vec(0u64..30, 0..6), 0..40), bits in 0u32..7, bucket_bits in 0u32..5) {
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
                let mut buckets = Buckets { buckets: vec![Vec::new(); 1 << bucket_bits], common_bits: bits, bits: bucket_bits };
                for (batch, base) in &batches {
                    buckets.add(&batch.bytes[batch.bounds[part] as usize..batch.bounds[part + 1] as usize], *base);
                }
                let mut groups = Groups::default();
                buckets.into_groups(&ranks).into_iter().for_each(|of_bucket| groups.append(of_bucket));
                prop_assert!(groups.keys.is_sorted());
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
