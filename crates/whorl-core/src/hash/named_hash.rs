//! Hash functions that other programs use for SimHash features, by their common names.
//!
//! A value has 128 bits. For MD5 and SHA-1 it is the lowest 128 bits of the digest as a big-endian number, as in
//! programs that parse the hexadecimal digest as an integer. The others have 64 bits; the upper 64 are derived from
//! them, as in all 128-bit codes.

use std::str::FromStr;

use md5::{Digest, Md5};
use sha1::Sha1;
use xxhash_rust::xxh3::xxh3_64;

use crate::hash::farm_hash64;
use crate::hash::{GOLDEN, mix};

/// A hash function for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedHash {
    /// XXH3-64 with seed 0.
    Xxh3,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// FarmHash `Hash64` without special instructions.
    FarmHash64,
    /// Bob Jenkins's lookup3, `hashlittle2` with both initial values 0 and its first result in the upper half. The C++
    /// library simhash by Yanyi Wu hashes words with it.
    Jenkins,
}

impl FromStr for NamedHash {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "xxh3" => Self::Xxh3,
            "md5" => Self::Md5,
            "sha1" => Self::Sha1,
            "farmhash64" => Self::FarmHash64,
            "jenkins" => Self::Jenkins,
            _ => return Err(format!("there is no hash '{name}'")),
        })
    }
}

impl NamedHash {
    /// Hashes `bytes`.
    pub fn of(self, bytes: &[u8]) -> u128 {
        match self {
            Self::Xxh3 => widened(xxh3_64(bytes)),
            Self::FarmHash64 => widened(farm_hash64(bytes)),
            Self::Jenkins => widened(lookup3(bytes, 0, 0)),
            Self::Md5 => last_sixteen(&Md5::digest(bytes)),
            Self::Sha1 => last_sixteen(&Sha1::digest(bytes)),
        }
    }
}

/// Extends a 64-bit hash to 128 bits by deriving the upper half.
#[inline]
pub(crate) fn widened(hash: u64) -> u128 {
    u128::from(mix(hash ^ GOLDEN)) << 64 | u128::from(hash)
}

fn last_sixteen(digest: &[u8]) -> u128 {
    digest.iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

/// Bob Jenkins: lookup3.c, May 2006, public domain: `hashlittle2`, whose first result is the upper half.
fn lookup3(bytes: &[u8], first: u32, second: u32) -> u64 {
    let start = 0xDEAD_BEEF_u32.wrapping_add(bytes.len() as u32).wrapping_add(first);
    let mut state = [start, start, start.wrapping_add(second)];
    let last = bytes.len().saturating_sub(1) / 12 * 12;
    for block in bytes[..last].chunks_exact(12) {
        add_block(&mut state, block);
        scramble(&mut state);
    }
    if !bytes.is_empty() {
        add_block(&mut state, &bytes[last..]);
        finish(&mut state);
    }
    u64::from(state[2]) << 32 | u64::from(state[1])
}

/// Adds up to twelve bytes as three little-endian words; missing bytes are zeros.
fn add_block(state: &mut [u32; 3], block: &[u8]) {
    for (place, &byte) in block.iter().enumerate() {
        let word = &mut state[place / 4];
        *word = word.wrapping_add(u32::from(byte) << (place % 4 * 8));
    }
}

/// Each step subtracts word `from` from word `to`, mixes in its rotation, and adds the third word to `from`.
fn scramble(state: &mut [u32; 3]) {
    for (to, from, rotation) in [(0, 2, 4), (1, 0, 6), (2, 1, 8), (0, 2, 16), (1, 0, 19), (2, 1, 4)] {
        state[to] = state[to].wrapping_sub(state[from]) ^ state[from].rotate_left(rotation);
        state[from] = state[from].wrapping_add(state[3 - to - from]);
    }
}

fn finish(state: &mut [u32; 3]) {
    for (to, from, rotation) in [(2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)] {
        state[to] = (state[to] ^ state[from]).wrapping_sub(state[from].rotate_left(rotation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values printed by `driver5` of lookup3.c.
    #[test]
    fn lookup3_gives_the_values_of_its_author() {
        let score = b"Four score and seven years ago";
        assert_eq!(lookup3(b"", 0, 0), 0xDEAD_BEEF_DEAD_BEEF);
        assert_eq!(lookup3(b"", 0, 0xDEAD_BEEF), 0xBD5B_7DDE_DEAD_BEEF);
        assert_eq!(lookup3(b"", 0xDEAD_BEEF, 0xDEAD_BEEF), 0x9C09_3CCD_BD5B_7DDE);
        assert_eq!(lookup3(score, 0, 0), 0x1777_0551_CE72_26E6);
        assert_eq!(lookup3(score, 0, 1), 0xE360_7CAE_BD37_1DE4);
        assert_eq!(lookup3(score, 1, 0), 0xCD62_8161_6CBE_A4B3);
    }

    #[test]
    fn digests_are_read_as_numbers() {
        assert_eq!(NamedHash::Md5.of(b"abc"), 0x9001_5098_3CD2_4FB0_D696_3F7D_28E1_7F72);
        // a9993e36 4706816aba3e25717850c26c9cd0d89d
        assert_eq!(NamedHash::Sha1.of(b"abc"), 0x4706_816A_BA3E_2571_7850_C26C_9CD0_D89D);
    }

    #[test]
    fn the_others_have_sixty_four_bits_of_their_own() {
        // XXH3-64 of the empty input, from its specification.
        assert_eq!(NamedHash::Xxh3.of(b"") as u64, 0x2D06_8005_38D3_94C2);
        assert_eq!(NamedHash::FarmHash64.of(b"abc"), widened(farm_hash64(b"abc")));
        assert_eq!(NamedHash::Jenkins.of(b"abc"), widened(lookup3(b"abc", 0, 0)));
    }
}
