//! Winnowing: of all k-grams of a text a few are chosen so that every shared run of `window + k − 1` code points shares
//! one of them.
//!
//! Source: Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD 2003.

use crate::hash::{GOLDEN, absorb, mix};
use crate::text::Text;

/// Base of the polynomial that hashes a k-gram.
const BASE: u64 = 0x9FB2_1C65_1E98_DF25;

/// The hash of every k-gram of a folded text, and the choice among them.
#[derive(Default)]
pub struct Winnower {
    code_points: Vec<u32>,
    hashes: Vec<u64>,
}

impl Winnower {
    /// Appends the keys of `text`, distinct and ascending: the lowest hash of every `window` consecutive k-grams, the
    /// last one of equals.
    ///
    /// A text of fewer k-grams than a window is one window; a text of fewer than `k` code points is one k-gram of all
    /// of them; a text without code points has no key. About three nanoseconds a code point.
    pub fn keys(&mut self, text: Text<'_>, k: usize, window: usize, keys: &mut Vec<u64>) {
        text.fold_to_code_points(&mut self.code_points);
        self.hash_grams(k);
        let first = keys.len();
        choose(&self.hashes, window, keys);
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
        let length = k.min(self.code_points.len());
        if length == 0 {
            return;
        }
        let finish = |polynomial: u64| mix(polynomial ^ (length as u64).wrapping_mul(GOLDEN));
        let value = |code_point: u32| absorb(BASE, code_point.into());
        let step = |sum: u64, &code_point: &u32| sum.wrapping_mul(BASE).wrapping_add(value(code_point));
        let mut polynomial = self.code_points[..length].iter().fold(0, step);
        self.hashes.push(finish(polynomial));
        let leaving = (0..length).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let entering = self.code_points[length..].iter();
        self.hashes.extend(entering.zip(&self.code_points).map(|(enters, &leaves)| {
            polynomial = step(polynomial, enters).wrapping_sub(value(leaves).wrapping_mul(leaving));
            finish(polynomial)
        }));
    }
}

/// Appends the lowest hash of every window, once for each place it stands at.
fn choose(hashes: &[u64], window: usize, chosen: &mut Vec<u64>) {
    let window = window.min(hashes.len());
    if window == 0 {
        return;
    }
    let mut lowest = lowest_of(hashes, 0, window);
    chosen.push(hashes[lowest]);
    for end in window..hashes.len() {
        let before = lowest;
        if hashes[end] <= hashes[lowest] {
            lowest = end;
        } else if lowest + window <= end {
            lowest = lowest_of(hashes, end + 1 - window, end + 1);
        }
        if lowest != before {
            chosen.push(hashes[lowest]);
        }
    }
}

/// The place of the last lowest hash of a window. The lowest hash leaves its window once in a window's length, so this
/// costs a constant time a hash on average.
fn lowest_of(hashes: &[u64], start: usize, end: usize) -> usize {
    let later = |lowest: usize, place: usize| if hashes[place] <= hashes[lowest] { place } else { lowest };
    (start..end).reduce(later).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str, k: usize, window: usize) -> Vec<u64> {
        let mut keys = Vec::new();
        Winnower::default().keys(Text::Utf8(text), k, window, &mut keys);
        keys
    }

    proptest! {
        #[test]
        fn chosen_are_the_lowest_of_every_window(hashes in prop::collection::vec(0u64..9, 0..60), window in 1usize..8) {
            let mut fast = Vec::new();
            choose(&hashes, window, &mut fast);
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
