//! MinHash sketches: a set of shingle hashes becomes `size` values. The share of values on which two sketches agree is
//! an unbiased estimate of the Jaccard similarity of the sets.
//!
//! Classic MinHash evaluates one hash function per value, O(n · size). [`fast_similarity_sketch`] has the same
//! guarantees in O(n + size · log size). [`k_function_minhash`] is the classic definition, kept as the reference that
//! the fast algorithm is tested against.

use crate::hash::{GOLDEN, absorb, mix};

/// The largest number of values a sketch may have: rounds are numbered in 16 bits.
pub(crate) const LARGEST_SKETCH: usize = 1 << 14;
const ROUND_SHIFT: u32 = 48;
const EMPTY: u64 = u64::MAX;
/// Odd, so that multiplication permutes the 64-bit values before their upper half is kept.
const VALUE_MULTIPLIER: u64 = 0xA076_1D64_78BD_642F;

/// Working memory for sketches of one size.
pub(crate) struct Sketcher {
    lowest: Vec<u64>,
}

impl Sketcher {
    /// Creates a sketcher for sketches of `size` values.
    pub fn new(size: usize) -> Self {
        assert!((1..=LARGEST_SKETCH).contains(&size), "a sketch has 1 to {LARGEST_SKETCH} values");
        Self { lowest: vec![EMPTY; size] }
    }

    /// Writes the Fast Similarity Sketch of a set of shingle hashes (repeats allowed) into `values`. Returns false and
    /// leaves `values` unchanged for the empty set.
    ///
    /// Round i < size throws every element into a random bin with a random value in [i, i+1); each bin keeps its lowest
    /// value. Round size + i throws every element into bin i, so that no bin is empty after 2 · size rounds. The rounds
    /// stop as soon as all bins are full, which is after the first round for most texts.
    ///
    /// Source: Dahlgaard, Knudsen, Thorup: Fast Similarity Sketching, FOCS 2017, algorithm 1.
    #[inline]
    pub fn fast_similarity_sketch(&mut self, hashes: &[u64], values: &mut [u32]) -> bool {
        if hashes.is_empty() {
            return false;
        }
        let size = self.lowest.len();
        self.lowest.fill(EMPTY);
        if size.is_power_of_two() && size > 1 {
            self.throw_into_power_of_two(hashes);
        } else {
            hashes.iter().for_each(|&hash| self.throw(hash, 0));
        }
        let mut round = 1;
        while self.lowest.contains(&EMPTY) {
            for &hash in hashes {
                let hash = mix(hash.wrapping_add((round as u64).wrapping_mul(GOLDEN)));
                if round < size {
                    self.throw(hash, round);
                } else {
                    self.keep_lowest(round - size, hash, round);
                }
            }
            round += 1;
        }
        for (value, &lowest) in values.iter_mut().zip(&self.lowest) {
            *value = (lowest.wrapping_mul(VALUE_MULTIPLIER) >> 32) as u32;
        }
        true
    }

    /// The first round for power-of-two sizes: multiplication is a shift, no bin needs a check, and no step depends on
    /// another.
    #[inline(always)]
    fn throw_into_power_of_two(&mut self, hashes: &[u64]) {
        let lowest = &mut self.lowest[..];
        let (bits, mask) = (lowest.len().trailing_zeros(), lowest.len() - 1);
        for &hash in hashes {
            let bin = (hash >> (64 - bits)) as usize & mask;
            lowest[bin] = lowest[bin].min(hash << bits >> (64 - ROUND_SHIFT));
        }
    }

    /// The upper part of `hash · size` is the bin, the lower part the value within it.
    #[inline(always)]
    fn throw(&mut self, hash: u64, round: usize) {
        let product = u128::from(hash) * self.lowest.len() as u128;
        self.keep_lowest((product >> 64) as usize, product as u64, round);
    }

    #[inline(always)]
    fn keep_lowest(&mut self, bin: usize, value: u64, round: usize) {
        let value = (round as u64) << ROUND_SHIFT | value >> (64 - ROUND_SHIFT);
        self.lowest[bin] = self.lowest[bin].min(value);
    }
}

/// Classic MinHash with one independent hash function per value.
///
/// Source: Broder: On the resemblance and containment of documents, SEQUENCES 1997.
pub(crate) fn k_function_minhash(hashes: &[u64], values: &mut [u32]) -> bool {
    if hashes.is_empty() {
        return false;
    }
    for (function, value) in values.iter_mut().enumerate() {
        let seed = mix((function as u64 + 1).wrapping_mul(GOLDEN));
        let lowest = hashes.iter().map(|&hash| mix(hash ^ seed)).min().unwrap_or(EMPTY);
        *value = (lowest.wrapping_mul(VALUE_MULTIPLIER) >> 32) as u32;
    }
    true
}

/// Appends the keys of a sketch: band i is the hash of i and of its `rows` consecutive values. Two sketches that agree
/// on a whole band share its key.
#[inline]
pub(crate) fn band_keys(values: &[u32], bands: usize, rows: usize, keys: &mut Vec<u64>) {
    debug_assert!(bands * rows <= values.len());
    keys.extend(values.chunks_exact(rows).take(bands).enumerate().map(|(band, values)| {
        let start = mix((band as u64 + 1).wrapping_mul(GOLDEN));
        mix(values.iter().fold(start, |state, &value| absorb(state, value.into())))
    }));
}

/// Packs the lowest four bits of every value into `code`, two per byte, low half first. A batch run stores this code to
/// rule out candidates. An unpaired last value is dropped.
#[inline]
pub(crate) fn pack_code(values: &[u32], code: &mut [u8]) {
    for (byte, pair) in code.iter_mut().zip(values.chunks_exact(2)) {
        *byte = (pair[0] & 15 | (pair[1] & 15) << 4) as u8;
    }
}

/// Number of four-bit fields on which two codes of equal length agree.
#[inline]
pub(crate) fn code_agreement(a: &[u8], b: &[u8]) -> u32 {
    let differing = |x: u64| {
        let nibbles = (x | x >> 1 | x >> 2 | x >> 3) & 0x1111_1111_1111_1111;
        nibbles.count_ones()
    };
    let word = |bytes: &[u8]| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(padded)
    };
    let different: u32 = a.chunks(8).zip(b.chunks(8)).map(|(a, b)| differing(word(a) ^ word(b))).sum();
    2 * a.len() as u32 - different
}

/// Number of bits in which two codes of equal length differ.
#[inline]
pub fn hamming(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(range: std::ops::Range<u64>, seed: u64) -> Vec<u64> {
        range.map(|element| mix(element ^ mix(seed))).collect()
    }

    fn fast(hashes: &[u64], size: usize) -> Vec<u32> {
        let mut values = vec![0; size];
        Sketcher::new(size).fast_similarity_sketch(hashes, &mut values);
        values
    }

    fn classic(hashes: &[u64], size: usize) -> Vec<u32> {
        let mut values = vec![0; size];
        k_function_minhash(hashes, &mut values);
        values
    }

    /// Algorithm 1 as published: real numbers, and rounds until no bin is empty. It shares only the hash functions with
    /// the fast version.
    fn printed_algorithm(hashes: &[u64], size: usize) -> Vec<u32> {
        let mut bins: Vec<Option<(usize, u64)>> = vec![None; size];
        for round in 0..2 * size {
            for &hash in hashes {
                let stream =
                    if round == 0 { hash } else { mix(hash.wrapping_add((round as u64).wrapping_mul(GOLDEN))) };
                let product = u128::from(stream) * size as u128;
                let (bin, value) =
                    if round < size { ((product >> 64) as usize, product as u64) } else { (round - size, stream) };
                let candidate = (round, value >> 16);
                bins[bin] = Some(bins[bin].map_or(candidate, |lowest| lowest.min(candidate)));
            }
            if bins.iter().all(Option::is_some) {
                break;
            }
        }
        let value =
            |(round, value): (usize, u64)| (((round as u64) << 48 | value).wrapping_mul(VALUE_MULTIPLIER) >> 32) as u32;
        bins.into_iter().flatten().map(value).collect()
    }

    proptest! {
        #[test]
        fn fast_sketch_equals_the_printed_algorithm(count in 1u64..400, seed: u64, size in 1usize..140) {
            let hashes = set(0..count, seed);
            prop_assert_eq!(fast(&hashes, size), printed_algorithm(&hashes, size));
        }

        #[test]
        fn repeats_and_order_do_not_matter(mut hashes in prop::collection::vec(any::<u64>(), 1..50)) {
            let sketch = fast(&hashes, 64);
            hashes.extend_from_within(..);
            hashes.reverse();
            prop_assert_eq!(fast(&hashes, 64), sketch);
        }

        #[test]
        fn code_agreement_counts_equal_low_nibbles(pairs in prop::collection::vec((0u32..40, 0u32..40), 1..70)) {
            let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().chain([(0, 0)]).unzip();
            let even = a.len() & !1;
            let (a, b) = (&a[..even], &b[..even]);
            let (mut code_a, mut code_b) = (vec![0; even / 2], vec![0; even / 2]);
            pack_code(a, &mut code_a);
            pack_code(b, &mut code_b);
            let expected = a.iter().zip(b).filter(|(a, b)| *a & 15 == *b & 15).count() as u32;
            prop_assert_eq!(code_agreement(&code_a, &code_b), expected);
        }
    }

    /// The share of values on which two sketches of the same size agree.
    fn agreement(a: &[u32], b: &[u32]) -> f64 {
        let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
        equal as f64 / a.len().max(1) as f64
    }

    /// Mean estimate and root-mean-square error over 400 independent pairs of sets.
    fn trial(sketch: impl Fn(&[u64], usize) -> Vec<u32>, union: u64, shared: u64) -> (f64, f64) {
        let jaccard = shared as f64 / union as f64;
        let apart = union - shared;
        let estimates: Vec<f64> = (0..400)
            .map(|seed| {
                let a = set(0..shared + apart / 2, seed);
                let b: Vec<u64> = [set(0..shared, seed), set(shared + apart / 2..union, seed)].concat();
                agreement(&sketch(&a, 128), &sketch(&b, 128))
            })
            .collect();
        let mean = estimates.iter().sum::<f64>() / 400.0;
        let square_error = estimates.iter().map(|estimate| (estimate - jaccard).powi(2)).sum::<f64>() / 400.0;
        (mean - jaccard, square_error.sqrt())
    }

    #[test]
    fn both_sketches_are_unbiased_and_the_fast_one_errs_no_more() {
        for (union, shared) in [(20, 10), (60, 54), (200, 100), (1000, 800), (3000, 600)] {
            let (fast_bias, fast_error) = trial(fast, union, shared);
            let (classic_bias, classic_error) = trial(classic, union, shared);
            // Four standard errors of a mean of 400 estimates, each with a standard deviation below 0.045.
            assert!(fast_bias.abs() < 0.009, "{union}/{shared}: fast bias {fast_bias}");
            assert!(classic_bias.abs() < 0.009, "{union}/{shared}: classic bias {classic_bias}");
            assert!(fast_error < classic_error * 1.1, "{union}/{shared}: {fast_error} against {classic_error}");
        }
    }

    #[test]
    fn equal_sketches_share_every_key_and_different_bands_never_collide() {
        let values = vec![7; 128];
        let mut keys = Vec::new();
        band_keys(&values, 16, 6, &mut keys);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 16, "equal values in different bands must give different keys");
    }
}
