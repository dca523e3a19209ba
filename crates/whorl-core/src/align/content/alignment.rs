//! Alignment of the sentences of two texts by the terms that they share.
//!
//! Each sentence of the second text is aligned with at most one of the first, in order or with jumps, so that the sum of
//! the shared weights is largest. A rewrite merges and divides sentences: neighbors that share terms are then joined.

use std::ops::Range;

use super::terms::{Occurrence, Terms, shared_terms, weight};

/// A term in more sentences of a text does not align them.
const SHARED_BY: usize = 6;
/// Minimum weight of the shared terms of two aligned sentences,
const PAIR: u32 = 3;
/// and of a sentence that is added to a pair.
const ADDED: u32 = 2;
/// Aligned sentences that do not follow each other cost this weight.
const JUMP: u32 = 2;
/// Sentences follow each other if no more than this many are skipped.
const SKIPPED: u32 = 2;

/// A sentence of each text, with the weight of the terms that they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seed {
    b: u32,
    a: u32,
    weight: u32,
}

/// The pairs of sentences that share terms, ordered by the sentence of the second text. Terms in many sentences are
/// ignored, so that a term yields at most [`SHARED_BY`]² pairs.
fn seeds(a: &Terms, b: &Terms) -> Vec<Seed> {
    let sentences = |term: &[Occurrence]| {
        let mut sentences: Vec<u32> = term.iter().map(|occurrence| occurrence.sentence).collect();
        sentences.dedup();
        sentences
    };
    let mut pairs = Vec::new();
    for (of_a, of_b) in shared_terms(a, b) {
        let (in_a, in_b) = (sentences(of_a), sentences(of_b));
        if in_a.len() <= SHARED_BY && in_b.len() <= SHARED_BY {
            let weight = weight(of_a[0].hash);
            pairs.extend(in_b.iter().flat_map(|&b| in_a.iter().map(move |&a| Seed { b, a, weight })));
        }
    }
    pairs.sort_unstable();
    let same = |last: &Seed, next: &Seed| (last.b, last.a) == (next.b, next.a);
    let sum = |pair: &[Seed]| Seed { weight: pair.iter().map(|seed| seed.weight).sum(), ..pair[0] };
    pairs.chunk_by(same).map(sum).collect()
}

/// Chooses at most one sentence of the first text for each of the second, so that the sum of the weights, minus
/// [`JUMP`] for each pair that does not follow the previous one, is largest. Linear in the seeds.
fn chain(seeds: &[Seed], sentences_a: usize) -> Vec<Seed> {
    let seeds: Vec<Seed> = seeds.iter().copied().filter(|seed| seed.weight >= PAIR).collect();
    let mut best: Vec<(u32, Option<usize>)> = vec![(0, None); seeds.len()];
    // The best chain so far, and the best one for each sentence of the first text that it ends at.
    let mut top: Option<usize> = None;
    let mut ending: Vec<Option<usize>> = vec![None; sentences_a];
    let mut start = 0;
    for of_sentence in seeds.chunk_by(|one, next| one.b == next.b) {
        for (seed, index) in of_sentence.iter().zip(start..) {
            let near = seed.a.saturating_sub(SKIPPED)..=seed.a;
            let following = near.filter_map(|a| ending[a as usize]).map(|last| (best[last].0, last));
            let jumping = top.map(|last| (best[last].0.saturating_sub(JUMP), last));
            let before = following.chain(jumping).max_by_key(|&(sum, last)| (sum, last)).filter(|&(sum, _)| sum > 0);
            best[index] = (seed.weight + before.map_or(0, |(sum, _)| sum), before.map(|(_, last)| last));
        }
        for (seed, index) in of_sentence.iter().zip(start..) {
            let better = |last: &Option<usize>| last.is_none_or(|last| best[index].0 > best[last].0);
            if better(&ending[seed.a as usize]) {
                ending[seed.a as usize] = Some(index);
            }
            if better(&top) {
                top = Some(index);
            }
        }
        start += of_sentence.len();
    }
    let mut chosen: Vec<Seed> = std::iter::successors(top, |&last| best[last].1).map(|index| seeds[index]).collect();
    chosen.reverse();
    chosen
}

/// Aligned sentences: numbers of consecutive sentences of both texts.
type Group = [Range<usize>; 2];

/// Divides aligned pairs into groups that have no sentence in common.
struct Grouping<'t> {
    texts: [&'t Terms; 2],
    seeds: &'t [Seed],
    used: [Vec<bool>; 2],
}

impl<'t> Grouping<'t> {
    fn new(a: &'t Terms, b: &'t Terms, seeds: &'t [Seed]) -> Self {
        Self { texts: [a, b], seeds, used: [a, b].map(|text| vec![false; text.sentences.len()]) }
    }

    /// Groups the pairs of a chain. A rewrite merges and divides sentences, so a neighbor that shares terms with a
    /// group joins it.
    fn group(mut self, chain: &[Seed]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for seed in chain {
            let (a, b) = (seed.a as usize, seed.b as usize);
            let continued = groups.last_mut().filter(|last| last[1].end == b && last[0].contains(&a));
            if let Some(last) = continued.filter(|_| self.is_joined(1, b)) {
                last[1].end = b + 1;
            } else if self.used[0][a] {
                continue;
            } else {
                groups.push([a..a + 1, b..b + 1]);
            }
            (self.used[0][a], self.used[1][b]) = (true, true);
        }
        for group in &mut groups {
            for text in 0..2 {
                while self.takes(group, text, group[text].end, group[text].end) {
                    group[text].end += 1;
                }
                while self.takes(group, text, group[text].start.wrapping_sub(1), group[text].start) {
                    group[text].start -= 1;
                }
            }
        }
        groups
    }

    /// Uses a sentence for a group if it is free, shares terms with the group, and no other text lies before the
    /// sentence `border`, which is the sentence itself or the one after it.
    fn takes(&mut self, group: &Group, text: usize, sentence: usize, border: usize) -> bool {
        let is_free = self.used[text].get(sentence) == Some(&false);
        let takes = is_free && self.is_joined(text, border) && self.shares(group, text, sentence);
        if takes {
            self.used[text][sentence] = true;
        }
        takes
    }

    /// True if nothing lies between a sentence and the one before it.
    fn is_joined(&self, text: usize, sentence: usize) -> bool {
        let sentences = &self.texts[text].sentences;
        sentence > 0 && sentence < sentences.len() && sentences[sentence - 1].end == sentences[sentence].start
    }

    /// True if a sentence shares terms with the sentences of the other text in a group.
    fn shares(&self, group: &Group, text: usize, sentence: usize) -> bool {
        let weight = |other: usize| {
            let (a, b) = if text == 0 { (sentence, other) } else { (other, sentence) };
            let place = self.seeds.binary_search_by_key(&(b as u32, a as u32), |seed| (seed.b, seed.a));
            place.map_or(0, |place| self.seeds[place].weight)
        };
        group[1 - text].clone().map(weight).sum::<u32>() >= ADDED
    }
}

/// Aligned stretches of two texts, in units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::align) struct AlignedSentences {
    /// Its range in the first text,
    pub a: Range<usize>,
    /// and in the second.
    pub b: Range<usize>,
    /// Number of units in terms that both have, on the side with fewer.
    pub matched: u32,
}

/// Aligns the sentences of two texts, in order of the second. The stretches of each text are disjoint. Linear in the
/// terms, except that it sorts them.
pub(super) fn aligned_sentences(a: &Terms, b: &Terms) -> Vec<AlignedSentences> {
    let seeds = seeds(a, b);
    let (in_order_a, in_order_b) = (a.in_order(), b.in_order());
    let stretch = |[group_a, group_b]: Group| {
        let (of_a, of_b) = (within(&in_order_a, &group_a), within(&in_order_b, &group_b));
        let matched = units_in_shared_terms(of_a, of_b).min(units_in_shared_terms(of_b, of_a));
        AlignedSentences { a: a.units(&group_a), b: b.units(&group_b), matched }
    };
    let chain = chain(&seeds, a.sentences.len());
    Grouping::new(a, b, &seeds).group(&chain).into_iter().map(stretch).collect()
}

/// Number of units of some sentences in terms that other sentences have as well; both are occurrences in order of their
/// sentences.
fn units_in_shared_terms(of_text: &[Occurrence], of_other: &[Occurrence]) -> u32 {
    let mut others: Vec<u64> = of_other.iter().map(|term| term.hash).collect();
    others.sort_unstable();
    let shared = of_text.iter().filter(|term| others.binary_search(&term.hash).is_ok());
    let mut places: Vec<(u32, u32)> = shared.map(|term| (term.start, term.end)).collect();
    places.sort_unstable();
    let (mut count, mut end) = (0, 0);
    for (start, stop) in places {
        count += stop - start.max(end).min(stop);
        end = stop.max(end);
    }
    count
}

/// The occurrences in some sentences, among all in order of their sentences.
fn within<'t>(occurrences: &'t [Occurrence], sentences: &Range<usize>) -> &'t [Occurrence] {
    let first = |sentence: usize| occurrences.partition_point(|term| (term.sentence as usize) < sentence);
    &occurrences[first(sentences.start)..first(sentences.end)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::align::stream::Stream;
    use crate::text::Text;

    fn terms(text: &str) -> Terms {
        let mut stream = Stream::default();
        stream.read(Text::Utf8(text));
        Terms::of(&stream, &vec![false; stream.units().len()])
    }

    /// The largest sum of a chain, by comparing each seed with every earlier one.
    fn slow_sum(seeds: &[Seed]) -> u32 {
        let mut best: Vec<u32> = Vec::new();
        for (place, seed) in seeds.iter().enumerate() {
            let before = seeds[..place].iter().zip(&best).filter(|(earlier, _)| earlier.b < seed.b);
            let sums = before.map(|(earlier, &sum)| {
                let follows = earlier.a <= seed.a && seed.a - earlier.a <= SKIPPED;
                if follows { sum } else { sum.saturating_sub(JUMP) }
            });
            best.push(seed.weight + sums.max().unwrap_or(0));
        }
        best.into_iter().max().unwrap_or(0)
    }

    fn sum(chain: &[Seed]) -> u32 {
        let jumps = chain.windows(2).filter(|pair| pair[1].a < pair[0].a || pair[1].a - pair[0].a > SKIPPED).count();
        chain.iter().map(|seed| seed.weight).sum::<u32>() - JUMP * jumps as u32
    }

    fn sentences() -> impl Strategy<Value = String> {
        let clause = "[渔港冰厂船东码头12]{1,6}";
        prop::collection::vec(clause, 0..12).prop_map(|clauses| clauses.join("。"))
    }

    #[test]
    fn sentences_are_aligned_out_of_order() {
        let (a, b) = (terms("渔港添了渔船1875艘。冰厂产冰5300吨。"), terms("冰厂的5300吨冰。渔港有1875艘渔船。"));
        let aligned = aligned_sentences(&a, &b);
        let places: Vec<_> = aligned.iter().map(|both| (both.a.start, both.b.start)).collect();
        assert_eq!(places, [(11, 0), (0, 9)]);
    }

    #[test]
    fn a_sentence_that_was_divided_is_aligned_as_a_whole() {
        let (a, b) = (terms("渔港添了渔船1875艘，冰厂产冰5300吨。"), terms("渔港有1875艘渔船。冰厂产出5300吨。"));
        let [both] = aligned_sentences(&a, &b).try_into().expect("one stretch");
        assert_eq!((both.a, both.b), (0..20, 0..19));
    }

    proptest! {
        #[test]
        fn the_chain_is_the_best_one(
            seeds in prop::collection::btree_map((0_u32..8, 0_u32..8), PAIR..9, 0..24),
        ) {
            let seeds: Vec<Seed> = seeds.into_iter().map(|((b, a), weight)| Seed { b, a, weight }).collect();
            let chain = chain(&seeds, 8);
            prop_assert!(chain.windows(2).all(|pair| pair[0].b < pair[1].b));
            prop_assert_eq!(sum(&chain), slow_sum(&seeds));
        }

        #[test]
        fn aligned_stretches_are_disjoint_and_share_terms(a in sentences(), b in sentences()) {
            let (a, b) = (terms(&a), terms(&b));
            let aligned = aligned_sentences(&a, &b);
            prop_assert!(aligned.iter().all(|both| both.matched > 0));
            for side in [|both: &AlignedSentences| both.a.clone(), |both: &AlignedSentences| both.b.clone()] {
                let mut ranges: Vec<Range<usize>> = aligned.iter().map(side).collect();
                ranges.sort_unstable_by_key(|range| range.start);
                prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
            }
        }
    }
}
