//! SimHash: a short code such that texts that share most of their features have codes that differ in few bits.
//!
//! Bit i of the code is 1 if the features whose hash has bit i set weigh more than the others; a tie is 0.
//!
//! Source: Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002; for web pages: Manku, Jain,
//! Das Sarma: Detecting near-duplicates for web crawling, WWW 2007.

use super::{Body, Family};
use crate::hash::named_hash::NamedHash;
use crate::hash::{GOLDEN, mix};
use crate::text::shingle::FoldedText;
use crate::text::shingle::text::ShingleText;

/// The largest code, in bits.
pub(crate) const LARGEST_CODE: usize = 128;

/// Blocks of a SimHash code over shingles: the family `simhash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimHash {
    /// Tokens per shingle.
    pub width: usize,
    /// Bits of the code, a multiple of 8.
    pub bits: usize,
    /// Number of blocks, one key each.
    pub blocks: usize,
    /// Texts with fewer shingles have no fingerprint.
    pub least_features: usize,
    /// The hash function for the characters of a shingle; None for whorl's shingle hash.
    pub hash: Option<NamedHash>,
}

impl Family for SimHash {
    type Folded = FoldedText;
    type Scratch = (Vec<u64>, ShingleText);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn code_width(&self) -> usize {
        self.bits / 8
    }

    fn fingerprint(
        &self,
        body: &Body<'_, FoldedText>,
        (hashes, characters): &mut Self::Scratch,
        keys: &mut Vec<u64>,
        code: &mut [u8],
    ) {
        let shingles = (body.folded.tokens().len() + 1).saturating_sub(self.width).max(1);
        if shingles < self.least_features {
            return;
        }
        let computed = match self.hash {
            None => {
                body.folded.shingles(self.width, hashes);
                self::code(hashes, self.bits)
            }
            Some(hash) => {
                characters.read(body.text);
                weighted_code(characters.shingles(self.width).map(|shingle| (hash.of(shingle), 1)), self.bits)
            }
        };
        if let Some(computed) = computed {
            block_keys(computed, self.bits, self.blocks, keys);
            code.copy_from_slice(&computed.to_le_bytes()[..self.bits / 8]);
        }
    }
}

/// Counts how often each bit is set in the lower halves of features' hashes, sixteen features at a time.
///
/// Updating 64 counters per feature is the obvious loop and the slow one. Carry-save adders instead reduce sixteen
/// words to one word of sixteens and a remainder: five operations per feature (Muła, Kurz, Lemire: Faster population
/// counts using AVX2 instructions, 2018, section 3).
struct BitCounts {
    counts: [u32; 64],
}

impl BitCounts {
    fn of(hashes: impl Iterator<Item = u64>) -> Self {
        let mut counts = Self { counts: [0; 64] };
        let (mut ones, mut twos, mut fours, mut eights) = (0, 0, 0, 0);
        let mut block = [0; 16];
        let mut filled = 0;
        for hash in hashes {
            block[filled] = hash;
            filled += 1;
            if filled == block.len() {
                filled = 0;
                let sixteens = add_sixteen(&block, &mut ones, &mut twos, &mut fours, &mut eights);
                counts.add(sixteens, 16);
            }
        }
        for (word, weight) in [(ones, 1), (twos, 2), (fours, 4), (eights, 8)] {
            counts.add(word, weight);
        }
        block[..filled].iter().for_each(|&hash| counts.add(hash, 1));
        counts
    }

    #[inline]
    fn add(&mut self, word: u64, weight: u32) {
        for (bit, count) in self.counts.iter_mut().enumerate() {
            *count += weight * (word >> bit & 1) as u32;
        }
    }

    /// Returns the bits that are set in more than half of `total` features.
    fn majority(&self, total: usize) -> u64 {
        self.counts.iter().enumerate().map(|(bit, &count)| u64::from(2 * count as usize > total) << bit).sum()
    }
}

/// Adds three words bitwise; returns the sum and the carry.
#[inline(always)]
fn add_three(a: u64, b: u64, c: u64) -> (u64, u64) {
    let partial = a ^ b;
    (partial ^ c, a & b | partial & c)
}

/// Adds sixteen words to the running counts and returns the carry into sixteens.
#[inline(always)]
fn add_sixteen(words: &[u64; 16], ones: &mut u64, twos: &mut u64, fours: &mut u64, eights: &mut u64) -> u64 {
    let mut carries_eight = [0; 2];
    for (half, carry_eight) in words.chunks_exact(8).zip(&mut carries_eight) {
        let mut carries_four = [0; 2];
        for (quarter, carry_four) in half.chunks_exact(4).zip(&mut carries_four) {
            let (sum, first) = add_three(*ones, quarter[0], quarter[1]);
            let (sum, second) = add_three(sum, quarter[2], quarter[3]);
            *ones = sum;
            (*twos, *carry_four) = add_three(*twos, first, second);
        }
        (*fours, *carry_eight) = add_three(*fours, carries_four[0], carries_four[1]);
    }
    let (sum, sixteens) = add_three(*eights, carries_eight[0], carries_eight[1]);
    *eights = sum;
    sixteens
}

/// Computes the `bits`-bit code of features of equal weight; repeats count. None without features.
///
/// The upper 64 bits of a 128-bit code come from a second hash of the feature's hash; shorter codes are the lowest
/// bits. About a nanosecond per feature and 64 bits.
pub fn code(hashes: &[u64], bits: usize) -> Option<u128> {
    assert!((1..=LARGEST_CODE).contains(&bits), "a code has 1 to {LARGEST_CODE} bits");
    if hashes.is_empty() {
        return None;
    }
    let low = BitCounts::of(hashes.iter().copied()).majority(hashes.len());
    let high =
        if bits > 64 { BitCounts::of(hashes.iter().map(|&hash| mix(hash ^ GOLDEN))).majority(hashes.len()) } else { 0 };
    Some(cut_to(bits, u128::from(high) << 64 | u128::from(low)))
}

/// Computes the `bits`-bit code of (hash, weight) features: a bit is 1 if the features whose hash has it set outweigh
/// the others. None without features. The sum of the weights is less than 2⁶³.
///
/// About twenty nanoseconds per feature and 64 bits.
pub fn weighted_code(features: impl Iterator<Item = (u128, u64)>, bits: usize) -> Option<u128> {
    assert!((1..=LARGEST_CODE).contains(&bits), "a code has 1 to {LARGEST_CODE} bits");
    let mut sums = [0_u64; LARGEST_CODE];
    let mut total = None;
    for (hash, weight) in features {
        *total.get_or_insert(0) += weight;
        for (half, sums) in sums[..bits.next_multiple_of(64)].chunks_exact_mut(64).enumerate() {
            let word = (hash >> (64 * half)) as u64;
            sums.iter_mut().enumerate().for_each(|(bit, sum)| *sum += weight & (word >> bit & 1).wrapping_neg());
        }
    }
    let total = total?;
    let code = sums.iter().enumerate().map(|(bit, &sum)| u128::from(2 * sum > total) << bit).sum();
    Some(cut_to(bits, code))
}

fn cut_to(bits: usize, code: u128) -> u128 {
    if bits == LARGEST_CODE { code } else { code & ((1 << bits) - 1) }
}

/// Appends a key for each of `blocks` equal parts of a code. Codes that differ in fewer than `blocks` bits agree in at
/// least one part and share its key (the pigeonhole principle).
pub(crate) fn block_keys(code: u128, bits: usize, blocks: usize, keys: &mut Vec<u64>) {
    keys.extend((0..blocks).map(|block| {
        let (start, end) = (bits * block / blocks, bits * (block + 1) / blocks);
        let part = code >> start & ((1 << (end - start)) - 1);
        mix((part as u64) ^ mix((block as u64 + 1).wrapping_mul(GOLDEN)))
    }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::named_hash::widened;

    /// The sum for each bit of a code: the weight is added if the bit is set and subtracted otherwise.
    fn sums(features: &[(u128, u64)], bits: usize) -> Vec<i64> {
        let sum = |bit: usize| {
            let vote = |&(hash, weight): &(u128, u64)| {
                if hash >> bit & 1 == 1 { weight as i64 } else { -(weight as i64) }
            };
            features.iter().map(vote).sum()
        };
        (0..bits).map(sum).collect()
    }

    /// The definition: a bit is 1 if its sum is positive.
    fn by_sums(features: &[(u128, u64)], bits: usize) -> Option<u128> {
        let sums = sums(features, bits);
        let bits = sums.iter().enumerate();
        (!features.is_empty()).then(|| bits.map(|(bit, &sum)| u128::from(sum > 0) << bit).sum())
    }

    proptest! {
        #[test]
        fn counting_sixteen_at_a_time_equals_weighing_one_by_one(hashes in prop::collection::vec(any::<u64>(), 1..200), bits in 1usize..129) {
            let wide: Vec<(u128, u64)> = hashes.iter().map(|&hash| (widened(hash), 1)).collect();
            prop_assert_eq!(code(&hashes, bits), by_sums(&wide, bits));
        }

        #[test]
        fn weights_are_those_of_the_definition(features in prop::collection::vec((any::<u128>(), 0u64..9), 0..30), bits in 1usize..129) {
            prop_assert_eq!(weighted_code(features.iter().copied(), bits), by_sums(&features, bits));
        }

        #[test]
        fn codes_within_the_distance_share_a_key(code: u64, flips in prop::collection::vec(0u32..64, 0..4)) {
            let other = flips.iter().fold(code, |code, flip| code ^ 1 << flip);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            block_keys(code.into(), 64, 4, &mut a);
            block_keys(other.into(), 64, 4, &mut b);
            prop_assert!(a.iter().any(|key| b.contains(key)));
        }
    }

    /// The example of a widely copied article, eight bits wide. The hashes of the first two words are published and sum
    /// to (1, −1, −1, 9, 1, 9, −9, −1), first bit first; the code is that of the heavier word.
    #[test]
    fn worked_example() {
        let two = [(0b1001_1100, 5), (0b0111_0101, 4)];
        let first_bit_first: Vec<i64> = sums(&two, 8).into_iter().rev().collect();
        assert_eq!(first_bit_first, [1, -1, -1, 9, 1, 9, -9, -1]);
        assert_eq!(weighted_code(two.into_iter(), 8), Some(0b1001_1100));
        // The published sums of all sixteen words, most of whose hashes are not published.
        let code = [18, 9, -6, -9, 22, -35, 12, -5].iter().fold(0, |code, &sum| code << 1 | u32::from(sum > 0));
        assert_eq!(code, 0b1100_1010);
    }

    #[test]
    fn a_tie_is_zero_and_nothing_has_no_code() {
        assert_eq!(code(&[0b01, 0b10], 2), Some(0));
        assert_eq!(weighted_code([(0b01, 7), (0b10, 7)].into_iter(), 2), Some(0));
        assert_eq!(weighted_code([(0b01, 8), (0b10, 7)].into_iter(), 2), Some(0b01));
        assert_eq!(code(&[], 64), None);
    }
}
