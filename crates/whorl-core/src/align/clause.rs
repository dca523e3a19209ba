//! Detection of rewritten text: pairs of clauses that share many distinctive k-grams, regardless of the text between
//! them.
//!
//! Clauses are vectors of k-grams, weighted by how few clauses of both texts contain them (tf-idf). Comparing every
//! pair of clauses would be quadratic. Candidate pairs are therefore found through shared k-grams, ignoring those in
//! many clauses, so the work is bounded by [`SHARED_BY`]² steps per k-gram. Nearby pairs are joined into a run of
//! maximum sum.

use std::ops::Range;

use super::letters::letters;
use super::pieces::gap::Edits;
use super::pieces::piece::{Covered, Piece, Streams};
use super::stream::Stream;

/// A k-gram in more clauses of a text is ignored.
const SHARED_BY: usize = 6;
/// For k-grams in more clauses the weight is not tabulated: they are rare.
const HELD_BY: usize = 31;
/// Maximum length of a clause; longer ones are divided.
const LONGEST: usize = 60;
/// A pair of clauses with a lower cosine reduces the score of a run.
const ALIKE: f32 = 0.3;
/// Number of letters of similar clauses that prove as much as one letter of an equal run beyond a phrase.
const LETTERS_A_PROOF: u32 = 3;
/// Maximum number of clauses between two clauses of a run.
const REACH: usize = 3;
const LOOK_BACK: usize = 16;

/// A k-gram with a clause that contains it.
type Entry = (u64, u32);

/// Two similar clauses.
#[derive(Clone, Copy, Debug)]
struct Seed {
    a: u32,
    b: u32,
    cosine: f32,
}

/// Finds rewritten passages; reused from pair to pair.
#[derive(Default)]
pub(crate) struct Clauses {
    a: Side,
    b: Side,
    /// The weight of a k-gram by the number of clauses that contain it, at most [`HELD_BY`].
    weights: Vec<f32>,
    /// Places in the entries of both texts with the same k-gram.
    common: Vec<(u32, u32)>,
    shared: Vec<(u32, u32, f32)>,
    seeds: Vec<Seed>,
}

#[derive(Default)]
struct Side {
    clauses: Vec<Range<usize>>,
    /// For each unit, the clause that contains the whole k-gram starting there.
    clause_of: Vec<u32>,
    /// Ordered. Only the first `count` are valid; the rest is capacity.
    entries: Vec<Entry>,
    count: usize,
    /// The sum of the squared weights of the k-grams of each clause.
    norms: Vec<f32>,
}

/// Marks units without a clause.
const NONE: u32 = u32::MAX;

impl Side {
    /// Divides the uncovered parts of a stream into clauses and lists their k-grams.
    fn read(&mut self, stream: &Stream, covered: &[bool], min_length: usize, width: usize) {
        let cuts = stream.cuts(width);
        self.clauses.clear();
        let mut start = 0;
        for unit in 0..=covered.len() {
            let stops = unit == covered.len() || covered[unit];
            if stops || unit - start == LONGEST || cuts.ends_clause[unit] {
                if unit - start >= min_length {
                    self.clauses.push(start..unit);
                }
                start = unit + usize::from(stops);
            }
        }
        self.clause_of.clear();
        self.clause_of.resize(covered.len(), NONE);
        for (number, clause) in (0..).zip(&self.clauses) {
            self.clause_of[clause.start..(clause.end + 1).saturating_sub(width).max(clause.start)].fill(number);
        }
        if self.entries.len() < cuts.grams.len() {
            self.entries.resize(cuts.grams.len(), (0, NONE));
        }
        let (mut count, mut last) = (0, (0, NONE));
        for &(gram, unit) in &cuts.grams {
            let entry = (gram, self.clause_of[unit as usize]);
            self.entries[count] = entry;
            count += usize::from((entry.1 != NONE) & (entry != last));
            last = entry;
        }
        self.count = count;
        self.norms.clear();
        self.norms.resize(self.clauses.len(), 0.0);
    }

    fn entries(&self) -> &[Entry] {
        &self.entries[..self.count]
    }

    /// The end of the entries with the k-gram of the entry at `start`.
    fn end_of_gram(&self, start: usize) -> usize {
        let gram = self.entries[start].0;
        start + self.entries()[start..].iter().take_while(|entry| entry.0 == gram).count()
    }

    /// Adds the weights of k-grams that only this text has.
    fn weigh(&mut self, entries: Range<usize>, squared: impl Fn(usize) -> f32) {
        let mut start = entries.start;
        while start < entries.end {
            let end = self.end_of_gram(start);
            self.add(start..end, squared(end - start));
            start = end;
        }
    }

    fn add(&mut self, entries: Range<usize>, squared: f32) {
        for &(_, clause) in &self.entries[entries] {
            self.norms[clause as usize] += squared;
        }
    }
}

/// Finds where two ordered lists have the same k-gram; the first of each such pairs of places is at the first entries
/// with it.
///
/// Without a branch: which list has the next k-gram cannot be predicted.
fn find_common(a: &[Entry], b: &[Entry], common: &mut Vec<(u32, u32)>) {
    common.clear();
    common.resize(a.len().min(b.len()) + 1, (0, 0));
    let (mut left, mut right, mut count) = (0, 0, 0);
    while left < a.len() && right < b.len() {
        let (gram_a, gram_b) = (a[left].0, b[right].0);
        common[count] = (left as u32, right as u32);
        count += usize::from(gram_a == gram_b);
        left += usize::from(gram_a <= gram_b);
        right += usize::from(gram_b <= gram_a);
    }
    common.truncate(count);
}

impl Clauses {
    /// Appends the rewritten passages of the uncovered parts, and covers them.
    pub fn find(&mut self, streams: Streams<'_>, covered: &mut Covered, related: bool, passages: &mut Vec<Piece>) {
        let script = streams.script;
        self.a.read(streams.a, &covered.a, script.least_clause, script.clause_gram);
        self.b.read(streams.b, &covered.b, script.least_clause, script.clause_gram);
        self.meet();
        self.seed();
        let min_length = if related { script.least_inside } else { script.rewritten };
        for run in self.runs(covered) {
            let piece = self.piece(&run, streams);
            let length = run.iter().map(|seed| self.b.clauses[seed.b as usize].len() as u32).sum::<u32>();
            if length >= min_length && covered.is_free(piece.a.clone(), piece.b.clone()) {
                covered.set(&piece, true);
                passages.push(piece);
            }
        }
    }

    /// Computes the weights of all k-grams, and the clauses that share them.
    fn meet(&mut self) {
        self.shared.clear();
        let clauses = self.a.clauses.len() + self.b.clauses.len();
        let weight = |held_by: usize| (clauses as f32 / held_by as f32).ln().max(0.1);
        self.weights.clear();
        self.weights.extend((0..=clauses.min(HELD_BY)).map(weight));
        let squared = |held_by: usize| {
            let weight = self.weights.get(held_by).copied().unwrap_or_else(|| weight(held_by));
            weight * weight
        };
        find_common(self.a.entries(), self.b.entries(), &mut self.common);
        let (mut left, mut right) = (0, 0);
        for &(start_a, start_b) in &self.common {
            let (start_a, start_b) = (start_a as usize, start_b as usize);
            if start_a < left {
                continue;
            }
            self.a.weigh(left..start_a, squared);
            self.b.weigh(right..start_b, squared);
            (left, right) = (self.a.end_of_gram(start_a), self.b.end_of_gram(start_b));
            let (in_a, in_b) = (start_a..left, start_b..right);
            let product = squared(in_a.len() + in_b.len());
            self.a.add(in_a.clone(), product);
            self.b.add(in_b.clone(), product);
            if in_a.len() <= SHARED_BY && in_b.len() <= SHARED_BY {
                let (in_a, in_b) = (&self.a.entries[in_a], &self.b.entries[in_b]);
                self.shared.extend(in_b.iter().flat_map(|b| in_a.iter().map(move |a| (b.1, a.1, product))));
            }
        }
        let (last_a, last_b) = (self.a.count, self.b.count);
        self.a.weigh(left..last_a, squared);
        self.b.weigh(right..last_b, squared);
    }

    /// Computes the pairs of similar clauses, ordered by the clause of the second text.
    fn seed(&mut self) {
        self.shared.sort_unstable_by_key(|&(b, a, _)| (b, a));
        self.seeds.clear();
        for pair in self.shared.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (b, a, _) = pair[0];
            let product: f32 = pair.iter().map(|&(_, _, weight)| weight).sum();
            let cosine = product / (self.a.norms[a as usize] * self.b.norms[b as usize]).sqrt();
            if cosine > ALIKE / 2.0 {
                self.seeds.push(Seed { a, b, cosine });
            }
        }
    }

    /// The contribution of a pair of clauses to a run.
    fn worth(&self, seed: Seed) -> f32 {
        (seed.cosine - ALIKE) * self.b.clauses[seed.b as usize].len() as f32
    }

    /// Returns runs of similar clauses that are near each other in both texts, in any order within; best first and
    /// without common clauses.
    fn runs(&self, covered: &Covered) -> Vec<Vec<Seed>> {
        let mut best: Vec<(f32, Option<usize>)> = Vec::with_capacity(self.seeds.len());
        for (index, &seed) in self.seeds.iter().enumerate() {
            let before = (index.saturating_sub(LOOK_BACK)..index).filter(|&earlier| {
                let previous = self.seeds[earlier];
                let near = seed.b > previous.b
                    && (seed.b - previous.b) as usize <= REACH
                    && seed.a.abs_diff(previous.a) as usize <= REACH;
                near && self.is_open(previous, seed, covered)
            });
            let link = before.map(|earlier| (best[earlier].0, earlier)).max_by(|one, other| one.0.total_cmp(&other.0));
            let (gained, link) = link.filter(|link| link.0 > 0.0).map_or((0.0, None), |(sum, from)| (sum, Some(from)));
            best.push((gained + self.worth(seed), link));
        }
        let mut order: Vec<usize> = (0..best.len()).filter(|&index| best[index].0 > 0.0).collect();
        order.sort_by(|&one, &other| best[other].0.total_cmp(&best[one].0));
        let mut used = (vec![false; self.a.clauses.len()], vec![false; self.b.clauses.len()]);
        let mut runs = Vec::new();
        for last in order {
            let mut run = Vec::new();
            let mut at = Some(last);
            while let Some(index) = at {
                let Seed { a, b, .. } = self.seeds[index];
                if std::mem::replace(&mut used.1[b as usize], true) || std::mem::replace(&mut used.0[a as usize], true)
                {
                    break;
                }
                run.push(self.seeds[index]);
                at = best[index].1;
            }
            runs.extend((!run.is_empty()).then_some(run));
        }
        runs
    }

    /// True if no passage lies between two pairs of clauses.
    fn is_open(&self, previous: Seed, seed: Seed, covered: &Covered) -> bool {
        let between = |clauses: &[Range<usize>], one_clause: u32, other: u32| {
            let (first, last) = (one_clause.min(other) as usize, one_clause.max(other) as usize);
            clauses[first].end.min(clauses[last].start)..clauses[last].start
        };
        let in_a = between(&self.a.clauses, previous.a, seed.a);
        let in_b = between(&self.b.clauses, previous.b, seed.b);
        let reach = LONGEST * REACH;
        in_a.len() <= reach && in_b.len() <= reach && covered.is_free(in_a, in_b)
    }

    /// The passage from the first to the last clause of a run, in both texts.
    fn piece(&self, run: &[Seed], streams: Streams<'_>) -> Piece {
        let hull = |clauses: &[Range<usize>], number: fn(&Seed) -> u32| {
            let of_run = || run.iter().map(|seed| &clauses[number(seed) as usize]);
            of_run().map(|clause| clause.start).min().unwrap_or(0)..of_run().map(|clause| clause.end).max().unwrap_or(0)
        };
        let (a, b) = (hull(&self.a.clauses, |seed| seed.a), hull(&self.b.clauses, |seed| seed.b));
        let matched: u32 = run
            .iter()
            .map(|seed| {
                let clause_a = &streams.a.units()[self.a.clauses[seed.a as usize].clone()];
                Edits::between(clause_a, &streams.b.units()[self.b.clauses[seed.b as usize].clone()]).matched
            })
            .sum();
        let edits = Edits::of_lengths(a.len(), b.len(), matched, 0);
        let clauses = run.iter().map(|seed| &streams.b.units()[self.b.clauses[seed.b as usize].clone()]);
        let proof = clauses.map(letters).sum::<u32>() / LETTERS_A_PROOF;
        Piece { a, b, edits, proof }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::align::{ALPHABETIC, DENSE};
    use crate::hash::{absorb, mix};
    use crate::text::Text;

    /// The k-grams of each clause by definition.
    fn slow_entries(stream: &Stream, clauses: &[Range<usize>], width: usize) -> Vec<Entry> {
        let hash = |gram: &[u32]| mix(gram.iter().fold(0, |sum, &unit| absorb(sum, unit.into())));
        let of_clause = |(clause, number): (&Range<usize>, u32)| -> Vec<Entry> {
            stream.units()[clause.clone()].windows(width).map(|gram| (hash(gram), number)).collect()
        };
        let mut entries: Vec<Entry> = clauses.iter().zip(0..).flat_map(of_clause).collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    fn side(entries: &BTreeSet<Entry>) -> Side {
        let clauses = vec![0..1; CLAUSES as usize];
        let norms = vec![0.0; clauses.len()];
        Side { entries: entries.iter().copied().collect(), count: entries.len(), clauses, norms, ..Side::default() }
    }

    const CLAUSES: u32 = 12;

    proptest! {
        #[test]
        fn k_grams_weigh_what_the_definition_says(
            a in prop::collection::btree_set((0u64..20, 0..CLAUSES), 0..60),
            b in prop::collection::btree_set((0u64..20, 0..CLAUSES), 0..60),
        ) {
            let mut clauses = Clauses { a: side(&a), b: side(&b), ..Clauses::default() };
            clauses.meet();
            let of_gram = |entries: &BTreeSet<Entry>, gram| entries.iter().filter(|entry| entry.0 == gram).count();
            let squared = |gram| {
                let held_by = of_gram(&a, gram) + of_gram(&b, gram);
                ((2 * CLAUSES) as f32 / held_by as f32).ln().max(0.1).powi(2)
            };
            for (entries, side) in [(&a, &clauses.a), (&b, &clauses.b)] {
                for clause in 0..CLAUSES {
                    let of_clause = entries.iter().filter(|entry| entry.1 == clause);
                    let norm: f32 = of_clause.map(|entry| squared(entry.0)).sum();
                    prop_assert!((norm - side.norms[clause as usize]).abs() < 1e-3);
                }
            }
            let mut shared: Vec<(u32, u32, f32)> = Vec::new();
            for &(gram, in_a) in &a {
                let is_rare = of_gram(&a, gram) <= SHARED_BY && of_gram(&b, gram) <= SHARED_BY;
                let with = b.iter().filter(|entry| entry.0 == gram && is_rare);
                shared.extend(with.map(|&(_, in_b)| (in_b, in_a, squared(gram))));
            }
            let order = |a: &(u32, u32, f32), b: &(u32, u32, f32)| a.partial_cmp(b).unwrap();
            shared.sort_by(order);
            clauses.shared.sort_by(order);
            prop_assert_eq!(clauses.shared, shared);
        }

        #[test]
        fn clauses_have_the_k_grams_of_what_is_not_covered(
            text in "[ab甲乙，。 ]{0,200}",
            covered in prop::collection::vec(prop::bool::weighted(0.05), 200),
        ) {
            let mut stream = Stream::default();
            stream.read(Text::Utf8(&text));
            for script in [DENSE, ALPHABETIC] {
                let (min_length, width) = (script.least_clause, script.clause_gram);
                let mut side = Side::default();
                side.read(&stream, &covered[..stream.units().len()], min_length, width);
                prop_assert_eq!(side.entries(), &slow_entries(&stream, &side.clauses, width));
                prop_assert!(side.clauses.iter().all(|clause| !covered[clause.clone()].contains(&true)));
            }
        }
    }
}
