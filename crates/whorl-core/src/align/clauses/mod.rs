//! Detection of rewritten text: pairs of clauses that share many distinctive k-grams, regardless of the text between
//! them.
//!
//! Clauses are vectors of k-grams, weighted by how few clauses of both texts contain them (tf-idf). Comparing every
//! pair of clauses would be quadratic. Candidate pairs are therefore found through shared k-grams, ignoring those in
//! many clauses, so the work is bounded by [`SHARED_BY`]² steps per k-gram. Nearby pairs are joined into a run of
//! maximum sum.

mod table;

use std::ops::Range;
use std::sync::OnceLock;

pub(crate) use self::table::{ClauseTable, DENSE_CLAUSES, SHAPES, SPARSE_CLAUSES};
use self::table::{LONGEST, NONE, Shape, divided};
use super::letters::letters;
use super::pieces::gap::Edits;
use super::pieces::piece::{Covered, Piece, Streams};

/// A k-gram in more clauses of a text is ignored.
const SHARED_BY: usize = 6;
/// For k-grams in more clauses the weight is not tabulated: they are rare.
const HELD_BY: usize = 31;
/// Weights are sums of multiples of this part, so that their order does not matter. The weights of a clause of
/// [`LONGEST`] units fit into 32 bits, however many clauses there are.
const PART: f64 = 1.0 / 65536.0;
/// A pair of clauses with a lower cosine reduces the score of a run.
const ALIKE: f32 = 0.3;
/// Number of letters of similar clauses that prove as much as one letter of an equal run beyond a phrase.
const LETTERS_A_PROOF: u32 = 3;
/// Maximum number of clauses between two clauses of a run.
const REACH: usize = 3;
const LOOK_BACK: usize = 16;

/// The clauses of one stream by script, computed on first use.
pub(crate) type ClauseTables = [OnceLock<ClauseTable>; SHAPES.len()];

/// Two similar clauses.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    weights: Weights,
    /// Common k-grams: their numbers in both texts.
    common: Vec<(u32, u32)>,
    /// Clauses of both texts with a common k-gram, and its squared weight.
    shared: Vec<(u32, u32, u32)>,
    products: Vec<u32>,
    seeds: Vec<Seed>,
}

/// Squared weights of k-grams by the number of clauses that contain them: the fewer, the more.
#[derive(Default)]
struct Weights {
    clauses: usize,
    /// Up to [`HELD_BY`].
    squared: Vec<u32>,
}

impl Weights {
    fn set(&mut self, clauses: usize) {
        self.clauses = clauses;
        self.squared.clear();
        self.squared.extend((0..=clauses.min(HELD_BY)).map(|held_by| squared_weight(clauses, held_by)));
    }

    fn of(&self, held_by: usize) -> u32 {
        self.squared.get(held_by).copied().unwrap_or_else(|| squared_weight(self.clauses, held_by))
    }
}

fn squared_weight(clauses: usize, held_by: usize) -> u32 {
    let weight = (clauses as f64 / held_by.max(1) as f64).ln().max(0.1);
    (weight * weight / PART).round() as u32
}

/// The clauses of the uncovered parts of a text. Where nothing is covered, they are those of the whole text, so only
/// the others are computed for a pair.
#[derive(Default)]
struct Side {
    clauses: Vec<Range<usize>>,
    /// The number here of each clause of the whole text; [`NONE`] if part of it, or of its segment, is covered.
    numbers: Vec<u32>,
    /// K-grams of clauses that are not in the table, with the clause; ordered, distinct.
    added: Vec<(u32, u32)>,
    /// Whether clauses with a k-gram were added or removed, by k-gram; empty if none were.
    is_changed: Vec<bool>,
    /// The clauses with the current k-gram.
    holders: Vec<u32>,
    /// The sum of the squared weights of the k-grams of each clause.
    norms: Vec<u32>,
}

impl Side {
    /// Divides the uncovered parts of a stream into clauses.
    fn read(&mut self, table: &ClauseTable, covered: &[bool], shape: Shape) {
        self.clauses.clear();
        self.numbers.clear();
        self.added.clear();
        self.is_changed.clear();
        for (segment, clauses) in table.segments.windows(2).zip(table.first_clauses.windows(2)) {
            let (segment, clauses) =
                (segment[0] as usize..segment[1] as usize, clauses[0] as usize..clauses[1] as usize);
            if !covered[segment.clone()].contains(&true) {
                let number = self.clauses.len() as u32;
                self.numbers.extend(number..number + clauses.len() as u32);
                self.clauses.extend_from_slice(&table.clauses[clauses]);
                continue;
            }
            self.is_changed.resize(table.hashes.len(), false);
            self.numbers.extend(clauses.clone().map(|_| NONE));
            for clause in &table.clauses[clauses] {
                table.grams_of(clause, shape).iter().for_each(|&gram| self.is_changed[gram as usize] = true);
            }
            let mut start = segment.start;
            for stretch in covered[segment].chunk_by(|one, next| one == next) {
                let units = start..start + stretch.len();
                start = units.end;
                for clause in divided(units, shape).filter(|_| !stretch[0]) {
                    let number = self.clauses.len() as u32;
                    let grams = table.grams_of(&clause, shape);
                    grams.iter().for_each(|&gram| self.is_changed[gram as usize] = true);
                    self.added.extend(grams.iter().map(|&gram| (gram, number)));
                    self.clauses.push(clause);
                }
            }
        }
        self.added.sort_unstable();
        self.added.dedup();
    }

    /// Lists the clauses with a k-gram, ascending.
    fn hold(&mut self, table: &ClauseTable, gram: u32) {
        self.holders.clear();
        self.holders.extend(kept(&self.numbers, table, gram));
        if self.is_changed.get(gram as usize) == Some(&true) {
            let added = self.added_with(gram);
            self.holders.extend(self.added[added].iter().map(|&(_, clause)| clause));
            self.holders.sort_unstable();
        }
    }

    fn added_with(&self, gram: u32) -> Range<usize> {
        let first = |gram: u32| self.added.partition_point(|&(other, _)| other < gram);
        first(gram)..first(gram + 1)
    }

    /// Weighs the k-grams of each clause as if no others were added, removed or common.
    fn weigh(&mut self, table: &ClauseTable, weights: &Weights) {
        self.norms.clear();
        self.norms.resize(self.clauses.len(), 0);
        let alone = weights.of(1);
        for (clause, &number) in self.numbers.iter().enumerate().filter(|&(_, &number)| number != NONE) {
            let shared: u32 = table.holder_counts(clause).iter().map(|&held_by| weights.of(held_by as usize)).sum();
            self.norms[number as usize] = table.alone[clause] * alone + shared;
        }
    }

    /// Corrects the weight of a k-gram that `held_by` clauses of both texts have.
    fn correct(&mut self, table: &ClauseTable, gram: u32, weights: &Weights, held_by: usize) {
        let (before, squared) = (weights.of(table.with_gram(gram).len()), weights.of(held_by));
        for number in kept(&self.numbers, table, gram) {
            let norm = &mut self.norms[number as usize];
            *norm = *norm - before + squared;
        }
        if let Some(is_changed) = self.is_changed.get_mut(gram as usize).filter(|is_changed| **is_changed) {
            *is_changed = false;
            for place in self.added_with(gram) {
                self.norms[self.added[place].1 as usize] += squared;
            }
        }
    }

    /// Corrects the weights of the remaining k-grams of added and removed clauses, which only this text has.
    fn correct_changed(&mut self, table: &ClauseTable, weights: &Weights) {
        for gram in 0..self.is_changed.len() as u32 {
            if self.is_changed[gram as usize] {
                let held_by = kept(&self.numbers, table, gram).count() + self.added_with(gram).len();
                self.correct(table, gram, weights, held_by);
            }
        }
    }
}

/// The numbers of the clauses of a whole text with a k-gram, of those that are not covered.
fn kept(numbers: &[u32], table: &ClauseTable, gram: u32) -> impl Iterator<Item = u32> {
    table.with_gram(gram).iter().map(|&clause| numbers[clause as usize]).filter(|&number| number != NONE)
}

/// Finds the values of two ascending lists that are equal, by their places.
///
/// Without a branch: which list has the next value cannot be predicted.
fn find_common(a: &[u64], b: &[u64], common: &mut Vec<(u32, u32)>) {
    common.clear();
    common.resize(a.len().min(b.len()) + 1, (0, 0));
    let (mut left, mut right, mut count) = (0, 0, 0);
    while left < a.len() && right < b.len() {
        let (hash_a, hash_b) = (a[left], b[right]);
        common[count] = (left as u32, right as u32);
        count += usize::from(hash_a == hash_b);
        left += usize::from(hash_a <= hash_b);
        right += usize::from(hash_b <= hash_a);
    }
    common.truncate(count);
}

impl Clauses {
    /// Appends the rewritten passages of the uncovered parts, and covers them.
    pub fn find(&mut self, streams: Streams<'_>, covered: &mut Covered, related: bool, passages: &mut Vec<Piece>) {
        let script = streams.script;
        let shape = SHAPES[script.clauses];
        let (table_a, table_b) = (streams.a.clauses(script.clauses), streams.b.clauses(script.clauses));
        self.a.read(table_a, &covered.a, shape);
        self.b.read(table_b, &covered.b, shape);
        self.meet(table_a, table_b);
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
    fn meet(&mut self, table_a: &ClauseTable, table_b: &ClauseTable) {
        let Self { a, b, weights, common, shared, .. } = self;
        weights.set(a.clauses.len() + b.clauses.len());
        a.weigh(table_a, weights);
        b.weigh(table_b, weights);
        shared.clear();
        find_common(&table_a.hashes, &table_b.hashes, common);
        for &(gram_a, gram_b) in common.iter() {
            a.hold(table_a, gram_a);
            b.hold(table_b, gram_b);
            let held_by = a.holders.len() + b.holders.len();
            a.correct(table_a, gram_a, weights, held_by);
            b.correct(table_b, gram_b, weights, held_by);
            if a.holders.len() <= SHARED_BY && b.holders.len() <= SHARED_BY {
                let squared = weights.of(held_by);
                shared.extend(b.holders.iter().flat_map(|&b| a.holders.iter().map(move |&a| (b, a, squared))));
            }
        }
        a.correct_changed(table_a, weights);
        b.correct_changed(table_b, weights);
    }

    /// Computes the pairs of similar clauses, ordered by the clause of the second text.
    fn seed(&mut self) {
        let Self { a, b, shared, products, seeds, .. } = self;
        shared.sort_unstable_by_key(|&(b, ..)| b);
        seeds.clear();
        products.clear();
        products.resize(a.clauses.len(), 0);
        for of_clause in shared.chunk_by(|one, other| one.0 == other.0) {
            let first = seeds.len();
            of_clause.iter().for_each(|&(_, a, squared)| products[a as usize] += squared);
            for &(in_b, in_a, _) in of_clause {
                let product = std::mem::take(&mut products[in_a as usize]);
                let norms = f64::from(a.norms[in_a as usize]) * f64::from(b.norms[in_b as usize]);
                let cosine = (f64::from(product) / norms.sqrt()) as f32;
                if cosine > ALIKE / 2.0 {
                    seeds.push(Seed { a: in_a, b: in_b, cosine });
                }
            }
            seeds[first..].sort_unstable_by_key(|seed| seed.a);
        }
    }

    /// The contribution of a pair of clauses to a run.
    fn worth(&self, seed: Seed) -> f32 {
        (seed.cosine - ALIKE) * self.b.clauses[seed.b as usize].len() as f32
    }

    /// Returns runs of similar clauses that are near each other in both texts, in any order within; best first and
    /// without common clauses.
    fn runs(&self, covered: &Covered) -> Vec<Vec<Seed>> {
        if !self.seeds.iter().any(|seed| seed.cosine > ALIKE) {
            return Vec::new();
        }
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
    use crate::align::pieces::boundary::ends_clause;
    use crate::align::stream::Stream;
    use crate::text::Text;

    /// The clauses of uncovered text, by definition.
    fn slow_clauses(stream: &Stream, covered: &[bool], shape: Shape) -> Vec<Range<usize>> {
        let ends = |unit: usize| ends_clause(stream.before(unit));
        let (mut clauses, mut start) = (Vec::new(), 0);
        for unit in 0..=covered.len() {
            let stops = unit == covered.len() || covered[unit];
            if stops || unit - start == LONGEST || ends(unit) {
                clauses.extend((unit - start >= shape.min_length).then_some(start..unit));
                start = unit + usize::from(stops);
            }
        }
        clauses
    }

    /// The distinct k-grams of each clause.
    fn slow_grams<'s>(stream: &'s Stream, clauses: &[Range<usize>], width: usize) -> Vec<BTreeSet<&'s [u32]>> {
        clauses.iter().map(|clause| stream.units()[clause.clone()].windows(width).collect()).collect()
    }

    proptest! {
        #[test]
        fn clauses_are_compared_as_by_definition(
            texts in ("[ab甲乙丙，。 ]{0,200}", "[ab甲乙丙，。 ]{0,200}"),
            long in "[甲乙ab]{0,150}",
            covered in prop::collection::vec(prop::bool::weighted(0.05), 700),
        ) {
            let mut streams = [Stream::default(), Stream::default()];
            streams[0].read(Text::Utf8(&format!("{}{long}", texts.0)));
            streams[1].read(Text::Utf8(&format!("{long}{}", texts.1)));
            let covered = [&covered[..350], &covered[350..]];
            for (number, shape) in SHAPES.into_iter().enumerate() {
                let tables = streams.each_ref().map(|stream| stream.clauses(number));
                let mut fast = Clauses::default();
                fast.a.read(tables[0], &covered[0][..streams[0].units().len()], shape);
                fast.b.read(tables[1], &covered[1][..streams[1].units().len()], shape);
                fast.meet(tables[0], tables[1]);
                fast.seed();
                let clauses: Vec<_> = (0..2)
                    .map(|side| slow_clauses(&streams[side], &covered[side][..streams[side].units().len()], shape))
                    .collect();
                prop_assert_eq!(&fast.a.clauses, &clauses[0]);
                prop_assert_eq!(&fast.b.clauses, &clauses[1]);
                let grams = [0, 1].map(|side| slow_grams(&streams[side], &clauses[side], shape.width));
                let holders = |side: usize, gram: &[u32]| grams[side].iter().filter(|grams| grams.contains(gram)).count();
                let all = clauses[0].len() + clauses[1].len();
                let squared = |gram: &[u32]| squared_weight(all, holders(0, gram) + holders(1, gram));
                for (side, norms) in [&fast.a.norms, &fast.b.norms].into_iter().enumerate() {
                    let expected: Vec<u32> =
                        grams[side].iter().map(|grams| grams.iter().map(|gram| squared(gram)).sum()).collect();
                    prop_assert_eq!(norms, &expected);
                }
                let is_rare = |gram: &[u32]| holders(0, gram) <= SHARED_BY && holders(1, gram) <= SHARED_BY;
                let mut expected = Vec::new();
                for (b, in_b) in (0..).zip(&grams[1]) {
                    for (a, in_a) in (0..).zip(&grams[0]) {
                        let shared = in_a.intersection(in_b).filter(|gram| is_rare(gram));
                        let product: u32 = shared.map(|gram| squared(gram)).sum();
                        let norms = f64::from(fast.a.norms[a as usize]) * f64::from(fast.b.norms[b as usize]);
                        let cosine = (f64::from(product) / norms.sqrt()) as f32;
                        expected.extend((cosine > ALIKE / 2.0).then_some(Seed { a, b, cosine }));
                    }
                }
                prop_assert_eq!(&fast.seeds, &expected);
            }
        }
    }
}
