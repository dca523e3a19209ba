//! Groups of documents before the decisions: by key, by body, and by similar codes.

use super::{Field, LISTED, Rule};
use crate::hash::mix;
use crate::index::group::Groups;
use crate::index::hamming::pairs;

/// Maximum average number of added groups per document.
const ADDED: usize = 64;

/// Adds a group for every two codes that must share a key, if one of their keys has too many documents to list them
/// all. The group contains the [`LISTED`] best ranked documents of each code.
///
/// Nothing is added if there would be more than 64 groups per document. Documents are then found by keys only, which
/// are reported as hot.
pub fn add_near_codes(fields: &[Field], order: &[u32], groups: &mut Groups) {
    for (place, field) in (0..).zip(fields) {
        let Rule::Hamming { limits } = &field.verdict.rule else { continue };
        let is_of_field = |key: u64| fields.len() == 1 || key & 1 == place;
        let mut sizes = groups.keys.iter().zip(groups.starts.windows(2));
        let is_cut = sizes.any(|(&key, bounds)| is_of_field(key) && bounds[1] - bounds[0] > LISTED);
        let Some(&(_, distance)) = limits.last().filter(|_| is_cut) else { continue };
        let key = |number: u64| if fields.len() == 1 { mix(number) } else { mix(number) & !1 | place };
        groups.append(near_codes(field, order, distance, key));
    }
}

/// Documents with a code, as ranks, grouped by code.
struct Coded {
    codes: Vec<u128>,
    /// The ranks of code c are `ranks[starts[c]..starts[c + 1]]`, ascending.
    starts: Vec<usize>,
    ranks: Vec<u32>,
}

impl Coded {
    fn of(field: &Field, order: &[u32]) -> Self {
        let documents = &field.documents;
        let has_code = |&(_, document): &(u32, u32)| documents.key_counts[document as usize] > 0;
        let code = |document: u32| {
            let mut bytes = [0; 16];
            bytes[..documents.code_width].copy_from_slice(documents.code(document));
            u128::from_le_bytes(bytes)
        };
        let ranked = (0..).zip(order.iter().copied()).filter(has_code);
        let mut sorted: Vec<(u128, u32)> = ranked.map(|(rank, document)| (code(document), rank)).collect();
        sorted.sort_unstable();
        let mut coded = Self { codes: Vec::new(), starts: vec![0], ranks: Vec::with_capacity(sorted.len()) };
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            coded.codes.push(same[0].0);
            coded.ranks.extend(same.iter().map(|&(_, rank)| rank));
            coded.starts.push(coded.ranks.len());
        }
        coded
    }

    fn ranks(&self, code: usize) -> &[u32] {
        &self.ranks[self.starts[code]..self.starts[code + 1]]
    }
}

fn near_codes(field: &Field, order: &[u32], distance: u32, key: impl Fn(u64) -> u64) -> Groups {
    let coded = Coded::of(field, order);
    let bits = 8 * field.documents.code_width as u32;
    let at_the_top: Vec<u128> = coded.codes.iter().map(|code| code << (u128::BITS - bits)).collect();
    let mut groups = Groups::default();
    let Ok(near) = pairs(&at_the_top, bits, distance) else { return groups };
    if near.len() > ADDED * order.len() {
        return groups;
    }
    let mut add = |number: u64, members: &[&[u32]]| {
        let mut members = members.concat();
        members.sort_unstable();
        groups.push(key(number), 1, members);
    };
    let best = |code: u32| {
        let ranks = coded.ranks(code as usize);
        &ranks[..ranks.len().min(LISTED)]
    };
    for code in (0..coded.codes.len()).filter(|&code| coded.ranks(code).len() > 1) {
        add(code as u64, &[coded.ranks(code)]);
    }
    for pair in near {
        add(u64::from(pair.a) << 32 | u64::from(pair.b), &[best(pair.a), best(pair.b)]);
    }
    groups
}

/// By rank, the best ranked document with the same folded fields; itself if there is none, or if a field is empty.
pub fn firsts(fields: &[Field], order: &[u32]) -> Vec<u32> {
    let document = |rank: u32| order[rank as usize] as usize;
    let says = |&rank: &u32| fields.iter().all(|field| field.documents.lengths[document(rank)] > 0);
    let body = |rank: u32| fields.iter().map(move |field| field.documents.digests[document(rank)]);
    let mut ranks: Vec<u32> = (0..order.len() as u32).filter(says).collect();
    ranks.sort_unstable_by(|&a, &b| body(a).cmp(body(b)).then(a.cmp(&b)));
    let mut firsts: Vec<u32> = (0..order.len() as u32).collect();
    for same in ranks.chunk_by(|&a, &b| body(a).eq(body(b))) {
        same.iter().for_each(|&rank| firsts[rank as usize] = same[0]);
    }
    firsts
}

/// Inverts groups of ranks into groups by rank.
pub fn groups_by_rank(groups: &Groups, ranks: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; ranks + 1];
    for &rank in &groups.members {
        starts[rank as usize + 1] += 1;
    }
    for rank in 0..ranks {
        starts[rank + 1] += starts[rank];
    }
    let mut next = starts.clone();
    let mut by_rank = vec![0; groups.members.len()];
    for group in 0..groups.len() {
        for &rank in groups.members_of(group) {
            by_rank[next[rank as usize]] = group as u32;
            next[rank as usize] += 1;
        }
    }
    (starts, by_rank)
}

#[cfg(test)]
mod tests {
    use super::super::{Combine, Documents, Probe, TextSource, Verdict};
    use super::*;
    use crate::fingerprint::simhash::block_keys;
    use crate::index::group;
    use crate::text::Text;

    /// The same text for all documents, so that only the codes decide.
    struct OneText;

    impl TextSource for OneText {
        type Error = ();

        fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), ()> {
            (0..documents.len()).for_each(|position| on_text(position, Text::Utf8("渔港的冰厂")));
            Ok(())
        }
    }

    /// The documents removed for these 32-bit codes at a distance of 3.
    fn dropped(codes: &[u32]) -> Vec<bool> {
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        for &code in codes {
            let before = keys.len();
            block_keys(u128::from(code), 32, 4, &mut keys);
            counts.push((keys.len() - before) as u32);
        }
        let order: Vec<u32> = (0..codes.len() as u32).collect();
        let postings = group::partition(&keys, &counts, 0, 0);
        let mut groups = Groups::default();
        let mut buckets = group::Buckets::new(keys.len(), 0);
        buckets.add(&postings.bytes, 0);
        buckets.into_groups(&order).into_iter().for_each(|of_bucket| groups.append(of_bucket));
        let documents = Documents {
            digests: (1..=codes.len() as u128).collect(),
            lengths: vec![100; codes.len()],
            codes: codes.iter().flat_map(|code| code.to_le_bytes()).collect(),
            code_width: 4,
            key_counts: counts,
        };
        let verdict = Verdict { rule: Rule::Hamming { limits: vec![(u32::MAX, 3)] }, demands: Vec::new() };
        let field = Field { verdict, min_shared: 1, documents };
        let mut probe = Probe::new(vec![field], Combine::All, 0, order, groups);
        while probe.decided() < codes.len() {
            probe.step(&OneText).expect("no text fails");
        }
        probe.decisions().iter().map(|decision| decision.duplicate_of != super::super::KEPT).collect()
    }

    #[test]
    fn every_near_code_is_found_however_many_share_its_blocks() {
        let strangers = (0..20_000u64).map(|number| mix(number) as u32);
        let copies = (0..300u64).map(|number| mix(61 * number) as u32 ^ (1 << (number % 32)) ^ (1 << (number / 10)));
        let codes: Vec<u32> = strangers.chain(copies).collect();
        let mut kept: Vec<u32> = Vec::new();
        let expected: Vec<bool> = (codes.iter())
            .map(|&code| {
                let is_near = kept.iter().any(|other| (other ^ code).count_ones() <= 3);
                if !is_near {
                    kept.push(code);
                }
                is_near
            })
            .collect();
        assert!(expected.iter().filter(|&&is_near| is_near).count() >= 300);
        assert_eq!(dropped(&codes), expected);
    }
}
