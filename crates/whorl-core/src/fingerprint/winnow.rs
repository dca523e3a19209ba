//! Winnowing: selects k-grams of a text such that every shared stretch of `window + k − 1` code points has at least one
//! selected k-gram in common.
//!
//! A Han character carries about as much information as three letters, so a k that suits an alphabet is much too long
//! for Chinese. Dense code points ([`DENSE_FROM`] and above: Han, kana, Hangul) may therefore have their own k and
//! window. Choosing the size per text would be simpler, but a quotation must have the same keys in any surrounding
//! text. The size is therefore chosen per code point: each contributes a fraction to a k-gram and to a window, and
//! these end where the fractions add up to a whole.
//!
//! Source: Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.

use std::ops::Range;

use super::{Body, Family};
use crate::align::DENSE_FROM;
use crate::hash::{GOLDEN, absorb, mix};
use crate::text::pinyin::Pinyin;
use crate::text::shingle::SpelledText;

/// Base of the polynomial that hashes a k-gram.
const BASE: u64 = 0x9FB2_1C65_1E98_DF25;

/// Winnowed k-grams of folded code points: the family `winnowing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winnowing {
    /// Sizes for letters and other code points that are not dense.
    pub sparse: Grams,
    /// Sizes for dense code points.
    pub dense: Grams,
    /// Whether Han characters are replaced by their syllables.
    pub by_sound: bool,
}

/// The size of k-grams and of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grams {
    /// Code points per k-gram.
    pub k: usize,
    /// K-grams per window.
    pub window: usize,
}

impl Family for Winnowing {
    type Folded = SpelledText;
    type Scratch = Winnower;

    fn scratch(&self) -> Winnower {
        Winnower::default()
    }

    fn fingerprint(&self, body: &Body<'_, SpelledText>, winnower: &mut Winnower, keys: &mut Vec<u64>, _: &mut [u8]) {
        winnower.keys(body.folded.code_points(), *self, keys);
    }
}

/// Hashes every k-gram of a folded text and selects among them.
#[derive(Default)]
pub struct Winnower {
    values: Vec<u64>,
    hashes: Vec<u64>,
    lowest: Vec<u64>,
    powers: Vec<u64>,
    /// Positions of hashes, each lower than all later ones.
    rising: Vec<usize>,
}

/// Weights of code points, such that `k` sparse code points, or the corresponding number of dense ones, add up to a
/// whole.
#[derive(Clone, Copy)]
struct Weights {
    sparse: usize,
    dense: usize,
}

impl Weights {
    /// A sparse code point weighs the size of the dense ones, and a dense code point that of the sparse ones.
    fn of(sparse: usize, dense: usize) -> Self {
        Self { sparse: dense, dense: sparse }
    }

    fn whole(self) -> usize {
        self.sparse * self.dense
    }

    fn of_code_point(self, code_point: u32) -> usize {
        if code_point >= DENSE_FROM { self.dense } else { self.sparse }
    }

    /// Returns, for each code point, the shortest stretch from it that adds up to a whole, while there is one; if there
    /// is none at all, the entire text.
    fn stretches(self, code_points: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
        let (mut start, mut end, mut weight) = (0, 0, 0);
        std::iter::from_fn(move || {
            while weight < self.whole() && end < code_points.len() {
                weight += self.of_code_point(code_points[end]);
                end += 1;
            }
            if start == code_points.len() || (weight < self.whole() && start > 0) {
                return None;
            }
            weight -= self.of_code_point(code_points[start]);
            start += 1;
            Some(start - 1..end)
        })
    }
}

impl Winnower {
    /// Appends the keys of folded `code_points`, distinct and ascending: the lowest hash of every window of consecutive
    /// k-grams.
    ///
    /// A text with fewer k-grams than a window is one window; a text shorter than a k-gram is a single k-gram; an empty
    /// text has no key. About four nanoseconds per code point, twice that if dense code points have their own sizes.
    pub fn keys(&mut self, code_points: &[u32], family: Winnowing, keys: &mut Vec<u64>) {
        self.values.clear();
        if family.by_sound {
            let pinyin = Pinyin::get();
            self.values.extend(code_points.iter().map(|&unit| absorb(BASE, pinyin.sound(unit).into())));
        } else {
            self.values.extend(code_points.iter().map(|&unit| absorb(BASE, unit.into())));
        }
        let first = keys.len();
        let Winnowing { sparse, dense, .. } = family;
        if sparse == dense || code_points.iter().all(|&unit| unit < DENSE_FROM) {
            self.hash_grams(sparse.k);
            choose(&self.hashes, sparse.window, &mut self.lowest, keys);
        } else {
            self.hash_weighted_grams(code_points, Weights::of(sparse.k, dense.k));
            self.choose_weighted(code_points, Weights::of(sparse.window, dense.window), keys);
        }
        keys[first..].sort_unstable();
        let mut kept = first;
        for index in first..keys.len() {
            if index == first || keys[index] != keys[index - 1] {
                keys[kept] = keys[index];
                kept += 1;
            }
        }
        keys.truncate(kept);
    }

    /// Appends the selected k-grams with the positions at which they begin, in order; a k-gram that is selected at
    /// several positions is repeated. Replacement of sounds is not supported.
    pub fn places(&mut self, code_points: &[u32], sizes: (Grams, Grams), places: &mut Vec<(u64, u32)>) {
        let (sparse, dense) = sizes;
        self.values.clear();
        self.values.extend(code_points.iter().map(|&unit| absorb(BASE, unit.into())));
        self.hash_weighted_grams(code_points, Weights::of(sparse.k, dense.k));
        let windows = Weights::of(sparse.window, dense.window);
        self.lowest_places(code_points, windows, |place, hash| places.push((hash, place as u32)));
    }

    /// Hashes the k-gram that begins at each code point, while it is complete.
    fn hash_weighted_grams(&mut self, code_points: &[u32], weights: Weights) {
        self.hashes.clear();
        self.powers.clear();
        let longest = weights.sparse.max(weights.dense);
        self.powers.extend(std::iter::successors(Some(1u64), |power| Some(power.wrapping_mul(BASE))).take(longest + 1));
        let (mut polynomial, mut last) = (0u64, 0..0);
        for gram in weights.stretches(code_points) {
            if gram.start > last.start {
                let leaving = self.values[last.start].wrapping_mul(self.powers[last.len() - 1]);
                polynomial = polynomial.wrapping_sub(leaving);
            }
            let entering = &self.values[last.end..gram.end];
            polynomial = entering.iter().fold(polynomial, |sum, &value| step(sum, value));
            self.hashes.push(finish(polynomial, gram.len()));
            last = gram;
        }
    }

    /// Appends the lowest hash of every window, once per sequence of windows with the same minimum.
    fn choose_weighted(&mut self, code_points: &[u32], weights: Weights, chosen: &mut Vec<u64>) {
        let mut before = None;
        self.lowest_places(code_points, weights, |_, lowest| {
            if before != Some(lowest) {
                chosen.push(lowest);
                before = Some(lowest);
            }
        });
    }

    /// Calls `take` with the position and the hash of the lowest hash of every window, once for each position.
    fn lowest_places(&mut self, code_points: &[u32], weights: Weights, mut take: impl FnMut(usize, u64)) {
        self.rising.clear();
        let (mut first, mut entered, mut before) = (0, 0, None);
        for window in weights.stretches(&code_points[..self.hashes.len()]) {
            for place in entered..window.end {
                while self.rising.len() > first && self.hashes[self.rising[self.rising.len() - 1]] >= self.hashes[place]
                {
                    self.rising.pop();
                }
                self.rising.push(place);
            }
            entered = window.end;
            first += usize::from(self.rising[first] < window.start);
            let place = self.rising[first];
            if before != Some(place) {
                take(place, self.hashes[place]);
                before = Some(place);
            }
        }
    }

    fn hash_grams(&mut self, k: usize) {
        self.hashes.clear();
        let length = k.min(self.values.len());
        if length == 0 {
            return;
        }
        let mut polynomial = self.values[..length].iter().fold(0, |sum, &value| step(sum, value));
        self.hashes.push(finish(polynomial, length));
        let leaving = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let entering = self.values[length..].iter();
        self.hashes.extend(entering.zip(&self.values).map(|(&enters, &leaves)| {
            // Only one of the two multiplications depends on the previous step.
            polynomial = step(polynomial, enters.wrapping_sub(leaves.wrapping_mul(leaving)));
            finish(polynomial, length)
        }));
    }
}

fn step(sum: u64, value: u64) -> u64 {
    sum.wrapping_mul(BASE).wrapping_add(value)
}

/// Finalizes the hash of a k-gram of `length` code points.
fn finish(polynomial: u64, length: usize) -> u64 {
    mix(polynomial ^ (length as u64).wrapping_mul(GOLDEN))
}

/// Appends the lowest hash of every window, once per sequence of windows with the same minimum.
///
/// The obvious deque has branches that depend on the hashes and are mispredicted. Here the hashes are divided into
/// blocks of `window`: a window is a suffix of one block and a prefix of the next, so its minimum is the lower of a
/// precomputed suffix minimum and a running prefix minimum. `rest` is a buffer.
///
/// Source: van Herk: A fast algorithm for local minimum and maximum filters, Pattern Recognition Letters 1992.
fn choose(hashes: &[u64], window: usize, rest: &mut Vec<u64>, chosen: &mut Vec<u64>) {
    let window = window.min(hashes.len());
    if window == 0 {
        return;
    }
    let first = chosen.len();
    chosen.resize(first + hashes.len() - window + 1, 0);
    let (mut count, mut before) = (0, !lowest_of(&hashes[..window]));
    let room = &mut chosen[first..];
    rest.clear();
    rest.resize(window, 0);
    for start in (0..=hashes.len() - window).step_by(window) {
        let (own, after) = hashes[start..].split_at(window);
        let mut lowest = u64::MAX;
        for (place, &hash) in rest.iter_mut().zip(own).rev() {
            lowest = lowest.min(hash);
            *place = lowest;
        }
        let mut take = |of_window: u64| {
            room[count] = of_window;
            count += usize::from(before != of_window);
            before = of_window;
        };
        take(rest[0]);
        let mut lowest = u64::MAX;
        for (&of_rest, &enters) in rest[1..].iter().zip(after) {
            lowest = lowest.min(enters);
            take(of_rest.min(lowest));
        }
    }
    chosen.truncate(first + count);
}

fn lowest_of(hashes: &[u64]) -> u64 {
    hashes.iter().copied().fold(u64::MAX, u64::min)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    fn keys(text: &str, k: usize, window: usize) -> Vec<u64> {
        keys_of(text, Grams { k, window }, Grams { k, window })
    }

    fn keys_of(text: &str, sparse: Grams, dense: Grams) -> Vec<u64> {
        let mut keys = Vec::new();
        let mut code_points = Vec::new();
        Text::Utf8(text).fold_to_code_points(&mut code_points);
        Winnower::default().keys(&code_points, Winnowing { sparse, dense, by_sound: false }, &mut keys);
        keys
    }

    /// The definition, k-gram by k-gram and window by window.
    fn slow_keys(text: &str, sparse: Grams, dense: Grams) -> BTreeSet<u64> {
        let mut units = Vec::new();
        Text::Utf8(text).fold_to_code_points(&mut units);
        let stretch = |units: &[u32], start: usize, size: fn(Grams) -> usize| {
            let weight = |&unit: &u32| if unit < DENSE_FROM { size(dense) } else { size(sparse) };
            let is_whole =
                |end: &usize| units[start..*end].iter().map(weight).sum::<usize>() >= size(sparse) * size(dense);
            (start + 1..=units.len()).find(is_whole)
        };
        let hash = |units: &[u32]| {
            finish(units.iter().fold(0, |sum, &unit| step(sum, absorb(BASE, unit.into()))), units.len())
        };
        let of = |start: usize| stretch(&units, start, |grams| grams.k).map(|end| hash(&units[start..end]));
        let mut hashes: Vec<u64> = (0..units.len()).map_while(of).collect();
        if hashes.is_empty() && !units.is_empty() {
            hashes.push(hash(&units));
        }
        let begins = &units[..hashes.len()];
        let window = |start: usize| {
            let end = stretch(begins, start, |grams| grams.window)?;
            hashes[start..end].iter().min().copied()
        };
        let keys: BTreeSet<u64> = (0..hashes.len()).map_while(window).collect();
        if keys.is_empty() { hashes.into_iter().min().into_iter().collect() } else { keys }
    }

    fn grams() -> impl Strategy<Value = Grams> {
        (1usize..9, 1usize..9).prop_map(|(k, window)| Grams { k, window })
    }

    proptest! {
        #[test]
        fn chosen_are_the_lowest_of_every_window(hashes in prop::collection::vec(0u64..9, 0..60), window in 1usize..8) {
            let mut fast = Vec::new();
            choose(&hashes, window, &mut Vec::new(), &mut fast);
            let lowest: BTreeSet<u64> =
                hashes.windows(window.min(hashes.len()).max(1)).filter_map(|window| window.iter().min().copied()).collect();
            prop_assert_eq!(fast.into_iter().collect::<BTreeSet<u64>>(), lowest);
        }

        #[test]
        fn every_shared_run_shares_a_key(
            run in "[一-九]{8}", before in "[甲乙丙丁a-z]{0,30}", after in "[寅卯辰巳0-9]{0,30}", other in "[东南西北]{0,30}",
        ) {
            // k + window − 1 = 8.
            let a = keys(&format!("{before}{run}{after}"), 4, 5);
            let b = keys(&format!("{other}{run}"), 4, 5);
            prop_assert!(a.iter().any(|key| b.contains(key)));
        }

        #[test]
        fn dense_code_points_have_sizes_of_their_own(
            text in "([一-九]{0,6}|[a-e0-9]{0,6}| |。){0,12}", sparse in grams(), dense in grams(),
        ) {
            let keys = keys_of(&text, sparse, dense);
            prop_assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(keys.into_iter().collect::<BTreeSet<u64>>(), slow_keys(&text, sparse, dense));
        }

        #[test]
        fn a_dense_run_shares_a_key_whatever_stands_around_it(
            run in "[一-九]{8}", before in "[甲乙丙丁a-z]{0,30}", after in "[寅卯辰巳0-9]{0,30}", other in "[东南西北a-z]{0,30}",
        ) {
            let (sparse, dense) = (Grams { k: 12, window: 9 }, Grams { k: 4, window: 5 });
            let a = keys_of(&format!("{before}{run}{after}"), sparse, dense);
            let b = keys_of(&format!("{other}{run}"), sparse, dense);
            prop_assert!(a.iter().any(|key| b.contains(key)));
        }

        #[test]
        fn keys_are_distinct_and_ascending(text in "[甲乙]{0,60}") {
            let keys = keys(&text, 3, 4);
            prop_assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn short_texts_have_one_key_and_empty_ones_none() {
        assert_eq!(keys("你好", 16, 17).len(), 1);
        assert_eq!(keys("你好", 16, 17), keys("「你」好。", 16, 17));
        assert_ne!(keys("你好", 16, 17), keys("您好", 16, 17));
        assert!(keys("……！", 16, 17).is_empty());
    }
}
