//! All pairs of distinct codes within a distance, without an index.
//!
//! The remaining bits are divided into k + 1 blocks, and for each block, codes that agree in it are grouped. Small
//! groups are compared pair by pair. Doing so for all groups would be quadratic for codes with a common block, so a
//! large group is divided again by its remaining bits.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::code::Code;
use super::scan::scan_pairs;

/// Maximum number of collected pairs, which bounds the memory.
pub const LARGEST_JOIN: usize = 1 << 28;
/// Groups of up to this many codes times k + 1 are compared pair by pair, which is faster than another division.
const SMALL_GROUP: usize = 96;
const LARGEST_KEY: u32 = 16;
/// Larger groups are divided by several threads.
const SHARED_WORK: usize = 64 << 10;

/// The indexes of two codes in ascending order, and their distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The lower index.
    pub a: u32,
    /// The higher index.
    pub b: u32,
    /// Number of differing bits.
    pub distance: u32,
}

/// Error: there are more pairs than [`LARGEST_JOIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPairs;

impl fmt::Display for TooManyPairs {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "more than {LARGEST_JOIN} pairs")
    }
}

impl std::error::Error for TooManyPairs {}

/// Returns all pairs of `codes` within `k`, in order. The codes are distinct and occupy the top `bits` bits of their
/// words.
///
/// 10⁷ random codes of 64 bits and k = 3: about a second on two cores.
///
/// # Errors
/// There are too many pairs.
pub fn pairs<C: Code>(codes: &[C], bits: u32, k: u32) -> Result<Vec<Pair>, TooManyPairs> {
    let low: Vec<C> = codes.par_iter().map(|&code| code.down(C::WIDTH - bits)).collect();
    let numbers: Vec<u32> = (0..codes.len() as u32).collect();
    let join = Join { k, pair_count: AtomicUsize::new(0) };
    let mut pairs = join.group(&low, &numbers, bits, &[]);
    if join.pair_count.into_inner() > LARGEST_JOIN {
        return Err(TooManyPairs);
    }
    pairs.par_sort_unstable();
    Ok(pairs)
}

struct Join {
    k: u32,
    pair_count: AtomicUsize,
}

impl Join {
    /// Returns the pairs of a group whose codes may differ in their lowest `free` bits. Pairs that agree under one of
    /// the masks in `earlier` are skipped because an earlier group contains them.
    fn group<C: Code>(&self, codes: &[C], numbers: &[u32], free: u32, earlier: &[C]) -> Vec<Pair> {
        let blocks = self.k + 1;
        if codes.len() <= SMALL_GROUP * blocks as usize || blocks > free {
            return self.compare(codes, numbers, earlier);
        }
        if self.pair_count.load(Ordering::Relaxed) > LARGEST_JOIN {
            return Vec::new();
        }
        let cut = |block: u32| {
            let range = free * block / blocks..free * (block + 1) / blocks;
            self.block(codes, numbers, free, range, earlier_blocks(block, blocks, free, codes.len(), earlier))
        };
        if codes.len() > SHARED_WORK {
            (0..blocks).into_par_iter().map(cut).flatten().collect()
        } else {
            (0..blocks).flat_map(cut).collect()
        }
    }

    /// Returns the pairs of codes that agree in a block, counted from the highest free bit.
    fn block<C: Code>(&self, codes: &[C], numbers: &[u32], free: u32, block: Range<u32>, earlier: Vec<C>) -> Vec<Pair> {
        let lift = Lift::new(free, block.start, key_bits(block, codes.len()));
        let earlier: Vec<C> = earlier.into_iter().map(|mask| lift.apply(mask)).collect();
        let groups = Groups::of(codes, numbers, &lift);
        let group = |bounds: &[u32]| {
            let range = bounds[0] as usize..bounds[1] as usize;
            if range.len() < 2 {
                return Vec::new();
            }
            self.group(&groups.codes[range.clone()], &groups.numbers[range], free - lift.length, &earlier)
        };
        if codes.len() > SHARED_WORK {
            groups.bounds.par_windows(2).with_min_len(64).flat_map_iter(group).collect()
        } else {
            groups.bounds.windows(2).flat_map(group).collect()
        }
    }

    fn compare<C: Code>(&self, codes: &[C], numbers: &[u32], earlier: &[C]) -> Vec<Pair> {
        let mut near = Vec::new();
        scan_pairs(codes, self.k, &mut near);
        let is_new = |&(a, b, _): &(u32, u32, u32)| {
            let differ = codes[a as usize].differing(codes[b as usize]);
            earlier.iter().all(|&mask| differ.and(mask) != C::zeroed())
        };
        let pair = |(a, b, distance): (u32, u32, u32)| {
            let [a, b] = [numbers[a as usize], numbers[b as usize]];
            Pair { a: a.min(b), b: a.max(b), distance }
        };
        let pairs: Vec<Pair> = near.into_iter().filter(is_new).map(pair).collect();
        self.pair_count.fetch_add(pairs.len(), Ordering::Relaxed);
        pairs
    }
}

/// The number of leading bits of a block by which `count` codes are grouped.
fn key_bits(block: Range<u32>, count: usize) -> u32 {
    (block.end - block.start).min(count.ilog2()).min(LARGEST_KEY)
}

/// The masks of groups processed before a block: the `earlier` ones, and the keys of the previous blocks.
fn earlier_blocks<C: Code>(block: u32, blocks: u32, free: u32, count: usize, earlier: &[C]) -> Vec<C> {
    let mask = |before: u32| {
        let range = free * before / blocks..free * (before + 1) / blocks;
        let (start, length) = (range.start, key_bits(range, count));
        C::ones(length).up(free - start - length)
    };
    earlier.iter().copied().chain((0..block).map(mask)).collect()
}

/// Moves the bits of a key to the top of the free bits.
struct Lift {
    free: u32,
    start: u32,
    length: u32,
}

impl Lift {
    fn new(free: u32, start: u32, length: u32) -> Self {
        Self { free, start, length }
    }

    #[inline(always)]
    fn apply<C: Code>(&self, code: C) -> C {
        if self.start == 0 {
            return code;
        }
        let below = self.free - self.start - self.length;
        let part = |from: u32, length: u32| code.down(from).and(C::ones(length));
        let fixed = code.and(C::ones(self.free).inverted());
        let key = part(below, self.length).up(self.free - self.length);
        let above = part(below + self.length, self.start).up(below);
        fixed.or(key).or(above).or(part(0, below))
    }

    #[inline(always)]
    fn key<C: Code>(&self, code: C) -> usize {
        code.down(self.free - self.start - self.length).and(C::ones(self.length)).low()
    }
}

/// Codes with their indexes, sorted by key.
struct Groups<C> {
    codes: Vec<C>,
    numbers: Vec<u32>,
    bounds: Vec<u32>,
}

impl<C: Code> Groups<C> {
    fn of(codes: &[C], numbers: &[u32], lift: &Lift) -> Self {
        let mut bounds = vec![0u32; (1 << lift.length) + 1];
        codes.iter().for_each(|&code| bounds[lift.key(code) + 1] += 1);
        (1..bounds.len()).for_each(|at| bounds[at] += bounds[at - 1]);
        let mut next = bounds.clone();
        let mut groups = Self { codes: vec![C::zeroed(); codes.len()], numbers: vec![0; codes.len()], bounds };
        for (&code, &number) in codes.iter().zip(numbers) {
            let place = &mut next[lift.key(code)];
            groups.codes[*place as usize] = lift.apply(code);
            groups.numbers[*place as usize] = number;
            *place += 1;
        }
        groups
    }
}
