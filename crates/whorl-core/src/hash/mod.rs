//! Hash functions whose values are written to files. They use plain 64-bit arithmetic and give the same results on
//! every platform.

mod farm_hash;
pub(crate) mod named_hash;
pub(crate) mod order;

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) use farm_hash::farm_hash64;
pub use named_hash::NamedHash;

/// The golden ratio in 64 bits: the step between independent hash streams.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Multiplier of [`absorb`].
const ABSORB: u64 = 0xF135_7AEA_2E62_A9C5;

/// Finalises `x`: every input bit flips about half of the output bits.
///
/// Stafford's "Mix13" constants, as in SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, OOPSLA 2014).
#[inline(always)]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The inverse of [`mix`].
pub(crate) const fn unmix(mut x: u64) -> u64 {
    x = (x ^ (x >> 31) ^ (x >> 62)).wrapping_mul(inverse(0x94D0_49BB_1331_11EB));
    x = (x ^ (x >> 27) ^ (x >> 54)).wrapping_mul(inverse(0xBF58_476D_1CE4_E5B9));
    x ^ (x >> 30) ^ (x >> 60)
}

/// The multiplicative inverse of an odd number by Newton's iteration: each step doubles the number of correct bits.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    let mut step = 0;
    while step < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        step += 1;
    }
    x
}

/// Absorbs a value into a running hash: xor, multiply, fold the upper half down.
#[inline(always)]
pub(crate) const fn absorb(state: u64, value: u64) -> u64 {
    let product = (state ^ value).wrapping_mul(ABSORB);
    product ^ (product >> 32)
}

/// Hasher for in-memory tables of uniform or small trusted numbers; there is no protection against chosen keys.
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = absorb(self.0, byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = mix(self.0 ^ u64::from(number));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 ^= hash;
    }
}

/// Builds a [`NumberHasher`].
pub(crate) type BuildNumberHasher = BuildHasherDefault<NumberHasher>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_splitmix64() {
        // The first outputs of SplitMix64 seeded with 0, published with the generator.
        let outputs: Vec<u64> = (1..=3).map(|i| mix(GOLDEN.wrapping_mul(i))).collect();
        assert!(outputs.iter().zip(1..).all(|(&output, i)| unmix(output) == GOLDEN.wrapping_mul(i)));
        assert_eq!(outputs, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }
}
