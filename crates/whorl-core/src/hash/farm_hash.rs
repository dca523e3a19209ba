//! FarmHash 1.1 by Geoff Pike: `Hash64` of the C++ library compiled without special instructions.
//!
//! There are four functions, one for each range of lengths, with the same constants and little-endian words. Inputs of
//! more than 64 bytes are processed in blocks of 64; the last block is always the last 64 bytes. If the length is a
//! multiple of 64, that block is not processed twice.

const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K2: u64 = 0x9AE1_6A3B_2F90_404F;

const SEED: u64 = 81;
const BLOCK: usize = 64;

/// Hashes `bytes`.
pub(crate) fn farm_hash64(bytes: &[u8]) -> u64 {
    match bytes.len() {
        0..=16 => up_to_16(bytes),
        17..=32 => up_to_32(bytes),
        33..=64 => up_to_64(bytes),
        65..=96 => up_to_96(bytes),
        97..=256 => medium(bytes),
        _ => long(bytes),
    }
}

fn up_to_16(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let multiplier = multiplier_for(length);
    match length {
        0 => K2,
        1..=3 => {
            let first_two = u64::from(bytes[0]) | u64::from(bytes[length / 2]) << 8;
            let last = length as u64 + (u64::from(bytes[length - 1]) << 2);
            shift_mix(first_two.wrapping_mul(K2) ^ last.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..=7 => {
            let first = length as u64 + (half_word(bytes, 0) << 3);
            merge(first, half_word(bytes, length - 4), multiplier)
        }
        _ => {
            let first = word(bytes, 0).wrapping_add(K2);
            let last = word(bytes, length - 8);
            let upper = last.rotate_right(37).wrapping_mul(multiplier).wrapping_add(first);
            let lower = first.rotate_right(25).wrapping_add(last).wrapping_mul(multiplier);
            merge(upper, lower, multiplier)
        }
    }
}

fn up_to_32(bytes: &[u8]) -> u64 {
    let multiplier = multiplier_for(bytes.len());
    let (upper, lower) = both_ends(bytes, multiplier);
    merge(upper, lower, multiplier)
}

fn up_to_64(bytes: &[u8]) -> u64 {
    let multiplier = K2.wrapping_sub(30).wrapping_add(2 * bytes.len() as u64);
    let first = piece(&bytes[..32], K2.wrapping_sub(30), (0, 0));
    let last = piece(&bytes[bytes.len() - 32..], multiplier, (0, 0));
    last.wrapping_mul(multiplier).wrapping_add(first).wrapping_mul(multiplier)
}

fn up_to_96(bytes: &[u8]) -> u64 {
    let multiplier = K2.wrapping_sub(114).wrapping_add(2 * bytes.len() as u64);
    let first = piece(&bytes[..32], K2.wrapping_sub(114), (0, 0));
    let second = piece(&bytes[32..64], multiplier, (0, 0));
    let last = piece(&bytes[bytes.len() - 32..], multiplier, (first, second));
    last.wrapping_mul(9).wrapping_add(first >> 17).wrapping_add(second >> 21).wrapping_mul(multiplier)
}

/// Mixes the first and the last 16 bytes of at least 16 into two words.
fn both_ends(bytes: &[u8], multiplier: u64) -> (u64, u64) {
    let length = bytes.len();
    let first = word(bytes, 0).wrapping_mul(K1);
    let second = word(bytes, 8);
    let last = word(bytes, length - 8).wrapping_mul(multiplier);
    let before_last = word(bytes, length - 16).wrapping_mul(K2);
    let upper = first.wrapping_add(second).rotate_right(43);
    let upper = upper.wrapping_add(last.rotate_right(30)).wrapping_add(before_last);
    let lower = first.wrapping_add(second.wrapping_add(K2).rotate_right(18)).wrapping_add(last);
    (upper, lower)
}

fn piece(bytes: &[u8], multiplier: u64, seeds: (u64, u64)) -> u64 {
    let (upper, lower) = both_ends(bytes, multiplier);
    let (upper, lower) = (upper.wrapping_add(seeds.0), lower.wrapping_add(seeds.1));
    let mixed = shift_mix((upper ^ lower).wrapping_mul(multiplier));
    shift_mix((lower ^ mixed).wrapping_mul(multiplier))
}

fn medium(bytes: &[u8]) -> u64 {
    let (blocks, last) = blocks_and_last(bytes);
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let mut state = State {
        x: SEED.wrapping_mul(K2).wrapping_add(word(bytes, 0)),
        y,
        z: shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2),
        v: (0, 0),
        w: (0, 0),
    };
    for block in blocks {
        state.x = state.x.wrapping_add(state.y).wrapping_add(state.v.0).wrapping_add(word(block, 8));
        state.y = state.y.wrapping_add(state.v.1).wrapping_add(word(block, 48));
        state.stir(block, K1, (1, 1));
        std::mem::swap(&mut state.x, &mut state.z);
    }
    let multiplier = K1.wrapping_add((state.z & 0xFF) << 1);
    state.w.0 = state.w.0.wrapping_add(bytes_of_last(bytes));
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.x = state.x.wrapping_add(state.y).wrapping_add(state.v.0).wrapping_add(word(last, 8));
    state.y = state.y.wrapping_add(state.v.1).wrapping_add(word(last, 48));
    state.stir(last, multiplier, (9, 9));
    let State { x: z, y, z: x, v, w } = state;
    let upper = merge(v.0, w.0, multiplier).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    merge(upper, merge(v.1, w.1, multiplier).wrapping_add(x), multiplier)
}

fn long(bytes: &[u8]) -> u64 {
    let (blocks, last) = blocks_and_last(bytes);
    let z = shift_mix(113_u64.wrapping_mul(K2)).wrapping_mul(K2);
    let mut u = SEED.wrapping_sub(z);
    let mut state = State { x: SEED.wrapping_mul(K2), y: 113, z, v: (SEED, 0), w: (0, 0) };
    let multiplier = K2.wrapping_add(u & 0x82);
    for block in blocks {
        state.add_block(block, multiplier, &mut u);
    }
    u = u.wrapping_mul(9).wrapping_add(state.y);
    state.y = state.y.wrapping_add(u);
    state.v = (state.v.0.rotate_right(20), state.v.1.rotate_right(28));
    state.w.0 = state.w.0.wrapping_add(bytes_of_last(bytes));
    state.x = state.y.wrapping_sub(state.x).wrapping_add(state.v.0).wrapping_add(word(last, 8));
    state.y ^= state.v.1 ^ word(last, 48);
    state.stir(last, multiplier, (1, 9));
    let State { x, y, z, v, w } = state;
    let upper = merge(v.0.wrapping_add(x), w.0 ^ y, multiplier).wrapping_add(z).wrapping_sub(u);
    let lower = merge_turned(v.1.wrapping_add(y), w.1.wrapping_add(z), K2, 30) ^ x;
    merge_turned(upper, lower, K2, 31)
}

/// Hash state of long inputs.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// The part of a round that medium blocks share with the end of long inputs. `weights` are those of `v` and `w`.
    fn stir(&mut self, block: &[u8], multiplier: u64, weights: (u64, u64)) {
        let Self { x, y, z, v, w } = self;
        *x = x.rotate_right(37).wrapping_mul(multiplier) ^ w.1.wrapping_mul(weights.1);
        *y = y.rotate_right(42).wrapping_mul(multiplier);
        *y = y.wrapping_add(v.0.wrapping_mul(weights.0)).wrapping_add(word(block, 40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(multiplier);
        *v = half_block(&block[..32], v.1.wrapping_mul(multiplier), x.wrapping_add(w.0));
        *w = half_block(&block[32..], z.wrapping_add(w.1), y.wrapping_add(word(block, 16)));
    }

    fn add_block(&mut self, block: &[u8], multiplier: u64, u: &mut u64) {
        let Self { x, y, z, v, w } = self;
        let words: [u64; 8] = std::array::from_fn(|place| word(block, 8 * place));
        *x = x.wrapping_add(words[0]).wrapping_add(words[1]).rotate_right(26).wrapping_mul(9);
        *y = y.wrapping_add(words[2]).rotate_right(29);
        *z = z.wrapping_add(words[3]).wrapping_mul(multiplier).rotate_right(32);
        v.0 = v.0.wrapping_add(words[4]).rotate_right(33);
        v.1 = v.1.wrapping_add(words[5]).wrapping_add(words[1]).rotate_right(30);
        w.0 = (w.0.wrapping_add(words[6]) ^ *x).wrapping_mul(9);
        w.1 = w.1.wrapping_add(words[7]);
        *z = z.wrapping_add(w.1);
        w.1 = w.1.wrapping_add(*z);
        *z = z.wrapping_mul(9);
        std::mem::swap(u, y);

        *z = z.wrapping_add(words[0]).wrapping_add(words[6]);
        v.0 = v.0.wrapping_add(words[2]);
        v.1 = v.1.wrapping_add(words[3]);
        w.0 = w.0.wrapping_add(words[4]);
        w.1 = w.1.wrapping_add(words[5]).wrapping_add(words[6]);
        *x = x.wrapping_add(words[1]);
        *y = y.wrapping_add(words[7]).wrapping_add(v.0);
        v.0 = v.0.wrapping_add(x.wrapping_sub(*y));
        v.1 = v.1.wrapping_add(w.0);
        w.0 = w.0.wrapping_add(v.1);
        w.1 = w.1.wrapping_add(x.wrapping_sub(*y));
        *x = x.wrapping_add(w.1);
        w.1 = w.1.rotate_right(34);
        std::mem::swap(u, z);
    }
}

/// Returns the blocks before the last 64 bytes, and the last 64 bytes, which may overlap them.
fn blocks_and_last(bytes: &[u8]) -> (impl Iterator<Item = &[u8]>, &[u8]) {
    let before_last = (bytes.len() - 1) / BLOCK;
    (bytes.chunks_exact(BLOCK).take(before_last), &bytes[bytes.len() - BLOCK..])
}

/// The number of new bytes in the last block, minus one.
fn bytes_of_last(bytes: &[u8]) -> u64 {
    ((bytes.len() - 1) % BLOCK) as u64
}

fn half_block(bytes: &[u8], first: u64, second: u64) -> (u64, u64) {
    let start = first.wrapping_add(word(bytes, 0));
    let end = word(bytes, 24);
    let sum = start.wrapping_add(word(bytes, 8)).wrapping_add(word(bytes, 16));
    let turned = second.wrapping_add(start).wrapping_add(end).rotate_right(21).wrapping_add(sum.rotate_right(44));
    (sum.wrapping_add(end), turned.wrapping_add(start))
}

fn merge(upper: u64, lower: u64, multiplier: u64) -> u64 {
    shift_mix(mixed(upper, lower, multiplier)).wrapping_mul(multiplier)
}

fn merge_turned(upper: u64, lower: u64, multiplier: u64, bits: u32) -> u64 {
    mixed(upper, lower, multiplier).rotate_right(bits).wrapping_mul(multiplier)
}

fn mixed(upper: u64, lower: u64, multiplier: u64) -> u64 {
    (lower ^ shift_mix((upper ^ lower).wrapping_mul(multiplier))).wrapping_mul(multiplier)
}

fn shift_mix(value: u64) -> u64 {
    value ^ value >> 47
}

fn multiplier_for(length: usize) -> u64 {
    K2.wrapping_add(2 * length as u64)
}

fn word(bytes: &[u8], start: usize) -> u64 {
    u64::from_le_bytes(bytes[start..start + 8].try_into().expect("eight bytes"))
}

fn half_word(bytes: &[u8], start: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes[start..start + 4].try_into().expect("four bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed by the C++ library for `abc…` in steps of seven letters, by length.
    const FACTS: [(usize, u64); 31] = [
        (0, 0x9AE1_6A3B_2F90_404F),
        (1, 0xB345_4265_B6DF_75E3),
        (3, 0x2D5B_0CBC_C48F_DC6B),
        (4, 0x7B80_3BC7_5CEE_3292),
        (7, 0xED26_8688_6900_3B0A),
        (8, 0x93B5_2AF6_D9B9_2820),
        (16, 0xF496_A369_6582_095E),
        (17, 0x1F0C_6481_4DF2_3A1A),
        (32, 0x9636_DECC_E0F1_19BC),
        (33, 0xB0B8_CAF5_11DA_15B0),
        (63, 0x24A2_4241_01BC_92F1),
        (64, 0x28D7_B31D_1D69_208D),
        (65, 0x6ED6_772E_3973_8FA7),
        (96, 0x5684_9137_CD61_5794),
        (97, 0xC8EC_84D4_6783_7431),
        (127, 0x44D8_6F1D_C468_D399),
        (128, 0x9174_72F7_F980_118D),
        (129, 0x0EB7_D4A2_CDDB_5078),
        (191, 0x6A0A_347A_9195_2433),
        (192, 0x29DC_CCA4_51F6_D409),
        (193, 0xCA2C_FEF8_AEAD_29C7),
        (255, 0xD136_D749_C717_0B37),
        (256, 0x2AB9_5468_A424_BFC2),
        (257, 0xE7C1_A259_04D6_7346),
        (319, 0xE457_963F_A49A_5651),
        (320, 0xDE7A_042F_401F_B5CC),
        (321, 0xD8D8_C98A_DD35_3498),
        (384, 0xC132_625A_A78A_61E9),
        (512, 0x7960_C7EB_9D55_E5CB),
        (640, 0x3194_7C2E_5998_BA17),
        (1000, 0x89C6_F593_6210_F446),
    ];

    #[test]
    fn values_are_those_of_its_author() {
        let letters: Vec<u8> = (0..1000).map(|place| b'a' + (7 * place % 26) as u8).collect();
        for (length, hash) in FACTS {
            assert_eq!(farm_hash64(&letters[..length]), hash, "{length} bytes");
        }
    }
}
