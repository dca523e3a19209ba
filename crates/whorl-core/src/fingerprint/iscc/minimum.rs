//! The minimum hash of ISO 24138 over 32-bit features.
//!
//! For each of 64 permutations (a, b), the standard takes the minimum over all features f of the lower half of
//! ((a · f + b) mod 2⁶⁴) mod (2⁶¹ − 1), and of all minima the lowest bits.
//!
//! 64 multiplications of 64 bits and as many reductions a feature are slow. But with x = (a · f + b) mod 2⁶⁴, the value
//! is the lower half of x plus its three highest bits: see [`value`]. So it exceeds the lower half of x by at most 7. The
//! minimum of the lower halves, which needs multiplications of 32 bits only, bounds the minimum, and values are only
//! computed in the blocks of features that reach the bound: for most texts, one block for each permutation.

use super::permutations::PERMUTATIONS;

/// Number of features in a block.
const BLOCK: usize = 64;
/// The largest value of three bits.
const HIGHEST: u32 = 7;
/// Bits of each minimum in the hash.
const LOWEST_BITS: usize = 4;

/// Returns the hash of features: the lowest bits of all minima, then their second bits, and so on.
pub(super) fn minimum_hash(features: &[u32], bounds: &mut Vec<u32>) -> [u8; 32] {
    let mut hash = [0; 32];
    for (place, &permutation) in PERMUTATIONS.iter().enumerate() {
        let minimum = minimum(features, permutation, bounds);
        for bit in 0..LOWEST_BITS {
            let at = bit * PERMUTATIONS.len() + place;
            hash[at / 8] |= ((minimum >> bit & 1) as u8) << (7 - at % 8);
        }
    }
    hash
}

/// Returns the minimum value of any feature under a permutation.
#[allow(unsafe_code, reason = "calls what was compiled for processors that multiply many numbers at once")]
fn minimum(features: &[u32], permutation: (u64, u64), bounds: &mut Vec<u32>) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the required CPU feature was detected.
            return unsafe { minimum_avx512(features, permutation, bounds) };
        }
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the required CPU feature was detected.
            return unsafe { minimum_avx2(features, permutation, bounds) };
        }
    }
    minimum_of_any(features, permutation, bounds)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn minimum_avx512(features: &[u32], permutation: (u64, u64), bounds: &mut Vec<u32>) -> u32 {
    minimum_of_any(features, permutation, bounds)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn minimum_avx2(features: &[u32], permutation: (u64, u64), bounds: &mut Vec<u32>) -> u32 {
    minimum_of_any(features, permutation, bounds)
}

#[inline(always)]
fn minimum_of_any(features: &[u32], permutation: (u64, u64), bounds: &mut Vec<u32>) -> u32 {
    let (multiplier, increment) = (permutation.0 as u32, (permutation.1 as u32).wrapping_add(HIGHEST));
    let bound = |&feature: &u32| multiplier.wrapping_mul(feature).wrapping_add(increment);
    bounds.clear();
    bounds.extend(features.chunks(BLOCK).map(|block| block.iter().map(bound).fold(u32::MAX, u32::min)));
    let lowest = bounds.iter().copied().fold(u32::MAX, u32::min);
    // Below 7, the lower half is one of the seven highest numbers, and it may or may not overflow.
    let limit = if lowest < HIGHEST { u32::MAX } else { lowest.saturating_add(HIGHEST) };
    let mut minimum = u32::MAX;
    for (block, _) in features.chunks(BLOCK).zip(&*bounds).filter(|&(_, &bound)| bound <= limit) {
        minimum = block.iter().map(|&feature| value(feature, permutation)).fold(minimum, u32::min);
    }
    minimum
}

/// Returns the lower half of x mod (2⁶¹ − 1) for x = (a · feature + b) mod 2⁶⁴.
///
/// With x = h · 2⁶¹ + l, that is l + h, unless l + h reaches 2⁶¹ − 1. No feature reaches it under any of the 64
/// permutations, as a test verifies.
#[inline(always)]
fn value(feature: u32, (multiplier, increment): (u64, u64)) -> u32 {
    let product = multiplier.wrapping_mul(feature.into()).wrapping_add(increment);
    (product as u32).wrapping_add((product >> 61) as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRIME: u64 = (1 << 61) - 1;

    /// The definition.
    fn slow_minimum(features: &[u32], (multiplier, increment): (u64, u64)) -> u32 {
        let value = |&feature: &u32| multiplier.wrapping_mul(feature.into()).wrapping_add(increment) % PRIME;
        features.iter().map(|feature| value(feature) as u32).min().unwrap_or(u32::MAX)
    }

    /// Returns Σ ⌊(a · i + b) / m⌋ over 0 ≤ i < count, in the manner of Euclid's algorithm.
    fn floor_sum(count: u128, m: u128, a: u128, b: u128) -> u128 {
        if count == 0 {
            return 0;
        }
        let whole = count * (count - 1) / 2 * (a / m) + count * (b / m);
        let last = (a % m) * count + b % m;
        if last < m { whole } else { whole + floor_sum(last / m, a % m, m, last % m) }
    }

    /// Returns how many features have a product, modulo 2⁶¹, among the `size` highest numbers.
    fn reaching(size: u128, (multiplier, increment): (u64, u64)) -> u128 {
        let (m, a, b) = (1 << 61, u128::from(multiplier), u128::from(increment));
        floor_sum(1 << 32, m, a, b + size) - floor_sum(1 << 32, m, a, b)
    }

    #[test]
    fn no_feature_reaches_the_prime_under_any_permutation() {
        let highest = u128::from(HIGHEST) + 1;
        assert_eq!(PERMUTATIONS.iter().map(|&permutation| reaching(highest, permutation)).sum::<u128>(), 0);
        let half = reaching(1 << 60, PERMUTATIONS[0]);
        assert!(half.abs_diff(1 << 31) < 1 << 24, "half of the features have a high product: {half}");
    }

    proptest! {
        #[test]
        fn floor_sums_are_sums_of_floors(count in 0_u128..60, m in 1_u128..50, a in 0_u128..200, b in 0_u128..200) {
            prop_assert_eq!(floor_sum(count, m, a, b), (0..count).map(|i| (a * i + b) / m).sum::<u128>());
        }

        #[test]
        fn minima_are_those_of_the_definition(features in prop::collection::vec(any::<u32>(), 0..300), place in 0_usize..64) {
            let permutation = PERMUTATIONS[place];
            prop_assert_eq!(minimum(&features, permutation, &mut Vec::new()), slow_minimum(&features, permutation));
            prop_assert_eq!(minimum_of_any(&features, permutation, &mut Vec::new()), slow_minimum(&features, permutation));
        }

        #[test]
        fn lower_halves_next_to_an_overflow(
            features in prop::collection::vec(any::<u32>(), 0..300),
            distances in prop::collection::vec(0_u32..12, 1..4),
        ) {
            for (multiplier, increment) in PERMUTATIONS.into_iter().filter(|(multiplier, _)| multiplier % 2 == 1) {
                // Newton's iteration: the inverse modulo 2³² finds the feature with a certain lower half.
                let step = |inverse: u32, _| {
                    inverse.wrapping_mul(2_u32.wrapping_sub((multiplier as u32).wrapping_mul(inverse)))
                };
                let inverse = (0..5).fold(multiplier as u32, step);
                let feature = |&distance: &u32| {
                    8_u32.wrapping_sub(distance).wrapping_sub(increment as u32).wrapping_mul(inverse)
                };
                let features: Vec<u32> = features.iter().copied().chain(distances.iter().map(feature)).collect();
                let permutation = (multiplier, increment);
                prop_assert_eq!(minimum(&features, permutation, &mut Vec::new()), slow_minimum(&features, permutation));
            }
        }
    }
}
