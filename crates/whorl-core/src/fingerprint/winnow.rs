//! Winnowing: of all k-grams of a text a few are chosen so that every shared run of `window + k − 1` code points shares
//! one of them.
//!
//! Source: Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.

use super::{Body, Family};
use crate::hash::{GOLDEN, absorb, mix};
use crate::text::pinyin::Pinyin;
use crate::text::shingle::SpelledText;

/// Base of the polynomial that hashes a k-gram.
const BASE: u64 = 0x9FB2_1C65_1E98_DF25;

/// Winnowed k-grams of folded code points: the family `winnowing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winnowing {
    /// Code points a k-gram.
    pub k: usize,
    /// K-grams a window.
    pub window: usize,
    /// Whether Han characters count as their syllables.
    pub by_sound: bool,
}

impl Family for Winnowing {
    type Folded = SpelledText;
    type Scratch = Winnower;

    fn scratch(&self) -> Winnower {
        Winnower::default()
    }

    fn fingerprint(&self, body: &Body<'_, SpelledText>, winnower: &mut Winnower, keys: &mut Vec<u64>, _: &mut [u8]) {
        let code_points = body.folded.code_points().iter().copied();
        if self.by_sound {
            let pinyin = Pinyin::get();
            winnower.keys(code_points.map(|unit| pinyin.sound(unit)), self.k, self.window, keys);
        } else {
            winnower.keys(code_points, self.k, self.window, keys);
        }
    }
}

/// The hash of every k-gram of a folded text, and the choice among them.
#[derive(Default)]
pub struct Winnower {
    values: Vec<u64>,
    hashes: Vec<u64>,
    lowest: Vec<u64>,
}

impl Winnower {
    /// Appends the keys of a text of folded `code_points`, distinct and ascending: the lowest hash of every `window`
    /// consecutive k-grams.
    ///
    /// A text of fewer k-grams than a window is one window; a text of fewer than `k` code points is one k-gram of all
    /// of them; a text without code points has no key. About four nanoseconds a code point.
    pub fn keys(&mut self, code_points: impl Iterator<Item = u32>, k: usize, window: usize, keys: &mut Vec<u64>) {
        self.values.clear();
        self.values.extend(code_points.map(|code_point| absorb(BASE, code_point.into())));
        self.hash_grams(k);
        let first = keys.len();
        choose(&self.hashes, window, &mut self.lowest, keys);
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

    fn hash_grams(&mut self, k: usize) {
        self.hashes.clear();
        let length = k.min(self.values.len());
        if length == 0 {
            return;
        }
        let finish = |polynomial: u64| mix(polynomial ^ (length as u64).wrapping_mul(GOLDEN));
        let step = |sum: u64, value: u64| sum.wrapping_mul(BASE).wrapping_add(value);
        let mut polynomial = self.values[..length].iter().fold(0, |sum, &value| step(sum, value));
        self.hashes.push(finish(polynomial));
        let leaving = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let entering = self.values[length..].iter();
        self.hashes.extend(entering.zip(&self.values).map(|(&enters, &leaves)| {
            // One multiplication waits for the step before; the other does not.
            polynomial = step(polynomial, enters.wrapping_sub(leaves.wrapping_mul(leaving)));
            finish(polynomial)
        }));
    }
}

/// Appends the lowest hash of every window, once for each stretch of windows that have the same.
///
/// Of every `window` hashes the lowest from each one to the last of them is known, and the lowest from the next one on
/// is kept while going on: the lower of both is that of a window. No branch depends on the hashes. `rest` is room.
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
        let mut keys = Vec::new();
        let mut code_points = Vec::new();
        Text::Utf8(text).fold_to_code_points(&mut code_points);
        Winnower::default().keys(code_points.into_iter(), k, window, &mut keys);
        keys
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
