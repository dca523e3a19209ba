//! Chains of sentences that share terms, in order with jumps.

use super::terms::Sentence;

/// A term in more sentences of a text does not align them.
const SHARED_BY: usize = 6;
/// The weight of a term that only one sentence of either text has, for each unit of its own weight.
const UNIT: u32 = 12;
/// Minimum weight of a pair of sentences.
const LIGHTEST: u32 = 18;
/// Maximum number of sentences of the first text that one of the second may continue in.
const BEST: usize = 8;
/// Letters that one of two sentences may have in addition to three times those of the other.
const SLACK: u32 = 10;
/// Sentences that follow each other are at most this far apart in both texts. Others cost the weight [`JUMP`],
pub(super) const REACH: u32 = 12;
const JUMP: u32 = 72;
/// and following ones cost this for each sentence that only one of the texts skips.
const DRIFT: u32 = 3;

/// A sentence of each text, with the weight of the terms that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seed {
    /// The sentence of the second text,
    pub b: u32,
    /// and of the first.
    pub a: u32,
    /// Their weight.
    pub weight: u32,
}

impl Seed {
    /// True if this pair follows an earlier one in both texts.
    pub fn follows(self, earlier: Self) -> bool {
        self.b > earlier.b && self.b - earlier.b <= REACH && self.a >= earlier.a && self.a - earlier.a <= REACH
    }

    /// The cost of going on from an earlier pair.
    fn cost(self, earlier: Self) -> u32 {
        if self.follows(earlier) { DRIFT * (self.b - earlier.b).abs_diff(self.a - earlier.a) } else { JUMP }
    }
}

/// The pairs of sentences that share rare terms and may have the same length, ordered by the sentence of the second
/// text. Linear in the terms, except that it sorts them.
pub(super) fn seeds(a: &[Sentence], b: &[Sentence]) -> Vec<Seed> {
    let occurrences = |text: &[Sentence]| {
        let numbered = text.iter().zip(0_u32..);
        let mut all: Vec<(u64, u32)> = numbered
            .flat_map(|(sentence, number)| sentence.terms.iter().map(move |term| (term.hash, number)))
            .collect();
        all.sort_unstable();
        all
    };
    let (of_a, of_b) = (occurrences(a), occurrences(b));
    let same = |last: &(u64, u32), next: &(u64, u32)| last.0 == next.0;
    let mut others = of_a.chunk_by(same).peekable();
    let mut pairs = Vec::new();
    for in_b in of_b.chunk_by(same) {
        while others.next_if(|in_a| in_a[0].0 < in_b[0].0).is_some() {}
        let Some(in_a) = others.next_if(|in_a| in_a[0].0 == in_b[0].0) else { continue };
        if in_a.len().max(in_b.len()) <= SHARED_BY {
            let weight = 2 * UNIT * (in_b[0].0 & 3) as u32 / (1 + in_a.len().max(in_b.len()) as u32);
            pairs.extend(in_b.iter().flat_map(|&(_, b)| in_a.iter().map(move |&(_, a)| Seed { b, a, weight })));
        }
    }
    pairs.sort_unstable();
    let same_pair = |last: &Seed, next: &Seed| (last.b, last.a) == (next.b, next.a);
    let sum = |pair: &[Seed]| Seed { weight: pair.iter().map(|seed| seed.weight).sum(), ..pair[0] };
    let is_likely = |seed: &Seed| {
        let (of_a, of_b) = (a[seed.a as usize].letters, b[seed.b as usize].letters);
        seed.weight >= LIGHTEST && of_a.max(of_b) <= 3 * of_a.min(of_b) + SLACK
    };
    let mut likely: Vec<Seed> = pairs.chunk_by(same_pair).map(sum).filter(is_likely).collect();
    likely.sort_unstable_by_key(|seed| (seed.b, std::cmp::Reverse(seed.weight), seed.a));
    let best = likely.chunk_by(|last, next| last.b == next.b).flat_map(|of_sentence| of_sentence.iter().take(BEST));
    let mut seeds: Vec<Seed> = best.copied().collect();
    seeds.sort_unstable();
    seeds
}

/// Chooses at most one sentence of the first text for each of the second, so that the sum of the weights minus the costs
/// is largest. Linear in the seeds: only those of the last [`REACH`] sentences can be followed.
pub(super) fn chain(seeds: &[Seed]) -> Vec<Seed> {
    let mut best: Vec<(u32, Option<usize>)> = Vec::with_capacity(seeds.len());
    // The best chain that ended before this sentence; the first seed that can be followed, and the first of the sentence.
    let (mut top, mut near, mut start): (Option<usize>, usize, usize) = (None, 0, 0);
    for of_sentence in seeds.chunk_by(|last, next| last.b == next.b) {
        while seeds[near].b + REACH < of_sentence[0].b {
            near += 1;
        }
        for seed in of_sentence {
            let reached = (near..start).chain(top);
            let sums = reached.map(|last| (best[last].0.saturating_sub(seed.cost(seeds[last])), last));
            let before = sums.filter(|&(sum, _)| sum > 0).max();
            best.push((seed.weight + before.map_or(0, |(sum, _)| sum), before.map(|(_, last)| last)));
        }
        let end = start + of_sentence.len();
        top = (start..end).chain(top).max_by_key(|&last| (best[last].0, last));
        start = end;
    }
    let mut chosen: Vec<Seed> = std::iter::successors(top, |&last| best[last].1).map(|index| seeds[index]).collect();
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The largest sum of a chain, by comparing each seed with every earlier one.
    fn slow_sum(seeds: &[Seed]) -> u32 {
        let mut best: Vec<u32> = Vec::new();
        for (place, seed) in seeds.iter().enumerate() {
            let earlier = seeds[..place].iter().zip(&best).filter(|(earlier, _)| earlier.b < seed.b);
            let sums = earlier.map(|(earlier, &sum)| sum.saturating_sub(seed.cost(*earlier)));
            best.push(seed.weight + sums.max().unwrap_or(0));
        }
        best.into_iter().max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn the_chain_is_the_best_one(
            seeds in prop::collection::btree_map((0_u32..60, 0_u32..60), LIGHTEST..200, 0..40),
        ) {
            let seeds: Vec<Seed> = seeds.into_iter().map(|((b, a), weight)| Seed { b, a, weight }).collect();
            let chain = chain(&seeds);
            prop_assert!(chain.windows(2).all(|pair| pair[0].b < pair[1].b));
            let costs: u32 = chain.windows(2).map(|pair| pair[1].cost(pair[0])).sum();
            prop_assert_eq!(chain.iter().map(|seed| seed.weight).sum::<u32>() - costs, slow_sum(&seeds));
        }
    }
}
