//! Groups of records with equal keys, as pairs of places to be compared.

use std::collections::HashMap;

use rayon::prelude::*;

use super::records::Record;
use crate::hash::BuildNumberHasher;

/// Maximum number of different surroundings of a key that every place is compared with.
pub const SURROUNDINGS: usize = 64;

/// A place and an earlier one that may have the same text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The rank of the document.
    pub rank: u32,
    /// The place in it.
    pub place: u32,
    /// The rank of the other document.
    pub other: u32,
    /// The place in that one.
    pub other_place: u32,
    /// Number of places with the key.
    pub count: u32,
}

/// How groups become pairs.
#[derive(Clone, Copy, Debug)]
pub struct Grouping {
    /// Minimum number of places with a key.
    pub repeats: u32,
    /// True if the first place is a copy too, of the next one.
    pub both_ways: bool,
    /// True if a place is compared with all different surroundings of its key; false if equal surroundings are
    /// required, as for units, where they are the second half of the digest.
    pub any_surroundings: bool,
    /// Number of the first ranks that are approved texts. If there are any, places are only compared with those.
    pub approved: u32,
}

/// The pairs of some records.
#[derive(Debug, Default)]
pub struct Grouped {
    /// The pairs, by key.
    pub pairs: Vec<Pair>,
    /// Number of keys with more different surroundings than are compared.
    pub hot: u64,
    /// Number of places at which they were not.
    pub cut: u64,
}

/// Groups records, whose order does not matter. O(n log n), times [`SURROUNDINGS`] at worst.
pub fn group(records: &mut [Record], grouping: &Grouping) -> Grouped {
    records.par_sort_unstable_by_key(|record| (record.key, record.rank, record.place, record.surroundings));
    let mut grouped = Grouped::default();
    for members in records.chunk_by(|a, b| a.key == b.key) {
        if members.len() < 2 {
            continue;
        }
        if grouping.approved > 0 {
            pair_approved(members, grouping, &mut grouped);
        } else if grouping.any_surroundings {
            if members.len() as u64 >= u64::from(grouping.repeats) {
                pair_surroundings(members, grouping, &mut grouped);
            }
        } else {
            pair_equal(members, grouping, &mut grouped);
        }
    }
    grouped
}

fn pair_of(member: &Record, other: &Record, count: usize) -> Pair {
    let count = count.min(u32::MAX as usize) as u32;
    Pair { rank: member.rank, place: member.place, other: other.rank, other_place: other.place, count }
}

/// Every member is paired with the approved texts: for units with the first one of the same digest, which proves
/// enough, for passages with each of them, because an approved passage has to be found whole.
fn pair_approved(members: &[Record], grouping: &Grouping, grouped: &mut Grouped) {
    let (approved, members) = members.split_at(members.partition_point(|record| record.rank < grouping.approved));
    for member in members {
        let is_equal = |text: &&Record| grouping.any_surroundings || text.surroundings == member.surroundings;
        let limit = if grouping.any_surroundings { usize::MAX } else { 1 };
        let texts = approved.iter().filter(is_equal).take(limit);
        grouped.pairs.extend(texts.map(|text| pair_of(member, text, members.len())));
    }
}

/// Units: every member is paired with the first one of the same digest.
fn pair_equal(members: &[Record], grouping: &Grouping, grouped: &mut Grouped) {
    let mut by_digest: HashMap<u64, Vec<&Record>, BuildNumberHasher> = HashMap::default();
    members.iter().for_each(|member| by_digest.entry(member.surroundings).or_default().push(member));
    let mut groups: Vec<Vec<&Record>> = by_digest.into_values().collect();
    groups.sort_unstable();
    for equal in groups.iter().filter(|equal| equal.len() as u64 >= u64::from(grouping.repeats.max(2))) {
        let count = equal.len();
        if grouping.both_ways {
            grouped.pairs.push(pair_of(equal[0], equal[1], count));
        }
        grouped.pairs.extend(equal[1..].iter().map(|member| pair_of(member, equal[0], count)));
    }
}

/// Passages: a member is paired with the first one of its own surroundings, or with the first ones of all others.
fn pair_surroundings(members: &[Record], grouping: &Grouping, grouped: &mut Grouped) {
    let count = members.len();
    let mut firsts: Vec<&Record> = Vec::new();
    let mut by_surroundings: HashMap<u64, usize, BuildNumberHasher> = HashMap::default();
    let mut is_hot = false;
    for member in members {
        let mut add = |first: &Record| {
            grouped.pairs.push(pair_of(member, first, count));
            if grouping.both_ways {
                grouped.pairs.push(pair_of(first, member, count));
            }
        };
        if let Some(&place) = by_surroundings.get(&member.surroundings) {
            add(firsts[place]);
            continue;
        }
        firsts.iter().copied().for_each(&mut add);
        if firsts.len() < SURROUNDINGS {
            by_surroundings.insert(member.surroundings, firsts.len());
            firsts.push(member);
        } else {
            is_hot = true;
            grouped.cut += 1;
        }
    }
    grouped.hot += u64::from(is_hot);
}
