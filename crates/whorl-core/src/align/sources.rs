//! Attribution of one text to many sources: decides which stretch belongs to which source.

use std::cmp::Reverse;
use std::ops::Range;

/// Passages with fewer equal units yield to longer ones: they may be common phrases.
const TELLING: u32 = 32;
const NONE: u32 = u32::MAX;

/// A passage that a source claims of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its range in the text.
    pub units: Range<usize>,
    /// Its similarity, in (0, 1].
    pub similarity: f64,
    /// Its number of equal units.
    pub matched: u32,
}

/// Assigns every unit of a text to one source: to that of the most similar passage that contains it; within a
/// hundredth, to that of the longest. Returns a flag for each source with any units.
///
/// `claims` are the passages of each source on its own. A source that loses some of its units is aligned `again` with
/// the units of the others taken, which returns its new coverage. Sources with the fewest units come first, and units
/// that one can no longer use are free for the next. Linear in the claims, except for a sort and for `again`.
pub fn settle(claims: &[Vec<Claim>], length: usize, mut again: impl FnMut(usize, &[bool]) -> Vec<bool>) -> Vec<bool> {
    let mut owners = vec![NONE; length];
    let mut all: Vec<(usize, &Claim)> = Vec::new();
    all.extend(claims.iter().enumerate().flat_map(|(source, claims)| claims.iter().map(move |claim| (source, claim))));
    all.sort_by_key(|(_, claim)| {
        let hundredths = (100.0 * claim.similarity).round() as u32;
        Reverse((claim.matched >= TELLING, hundredths, claim.matched))
    });
    for (source, claim) in &all {
        owners[claim.units.clone()]
            .iter_mut()
            .filter(|owner| **owner == NONE)
            .for_each(|owner| *owner = *source as u32);
    }
    let mut owned = vec![0_usize; claims.len()];
    owners.iter().filter(|&&owner| owner != NONE).for_each(|&owner| owned[owner as usize] += 1);
    let mut order: Vec<usize> = (0..claims.len()).filter(|&source| owned[source] > 0).collect();
    order.sort_by_key(|&source| owned[source]);
    for source in order {
        let is_own = |owner: &u32| *owner == source as u32;
        if claims[source].iter().any(|claim| !owners[claim.units.clone()].iter().all(is_own)) {
            let claimed: Vec<bool> = owners.iter().map(|owner| *owner != NONE && !is_own(owner)).collect();
            let covered = again(source, &claimed);
            for (owner, covered) in owners.iter_mut().zip(covered).filter(|(owner, _)| **owner == NONE || is_own(owner))
            {
                *owner = if covered { source as u32 } else { NONE };
            }
        }
    }
    (0..claims.len()).map(|source| owners.contains(&(source as u32))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(units: Range<usize>, similarity: f64) -> Claim {
        Claim { matched: (similarity * units.len() as f64) as u32, units, similarity }
    }

    fn settled(claims: &[Vec<Claim>]) -> (Vec<bool>, Vec<(usize, Vec<usize>)>) {
        let mut calls = Vec::new();
        let having = settle(claims, 300, |source, claimed| {
            calls.push((source, (0..300).filter(|&unit| claimed[unit]).collect()));
            let mut covered = vec![false; 300];
            claims[source].iter().for_each(|claim| covered[claim.units.clone()].fill(true));
            covered.iter().zip(claimed).map(|(covered, claimed)| *covered && !claimed).collect()
        });
        (having, calls)
    }

    #[test]
    fn the_most_similar_passage_has_a_stretch_and_the_longer_one_where_both_are_alike() {
        let claims = [vec![claim(0..300, 0.8)], vec![claim(100..200, 1.0)], vec![claim(120..180, 1.0)]];
        assert_eq!(settled(&claims), (vec![true, true, false], vec![(0, (100..200).collect())]));
    }

    #[test]
    fn phrases_yield_to_passages() {
        let claims = [vec![claim(0..300, 0.8)], vec![claim(100..120, 1.0)]];
        assert_eq!(settled(&claims), (vec![true, false], vec![]));
    }

    #[test]
    fn what_a_source_cannot_use_any_more_is_free() {
        let claims = [vec![claim(0..150, 0.9)], vec![claim(40..200, 1.0)], vec![claim(0..60, 0.5)]];
        let having = settle(&claims, 300, |source, claimed| {
            assert!(source == 0 && claimed[40] && !claimed[0]);
            vec![false; 300]
        });
        assert_eq!(having, [false, true, false]);
    }
}
