//! Table designs: the bits of a code that form the key of each table.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::code::Code;
use crate::index::segments::Common;

/// Minimum and (exclusive) maximum length of a code in bits.
pub(crate) const CODE_BITS: Range<u32> = 8..257;
const MOST_TABLES: usize = 64;

/// The tables of an index, each with the bits of its key, counted from the most significant bit.
///
/// A design has a text form: `64:0-16;16-32;32-48;48-64` is four tables with 16 bits each, and a key of several ranges
/// is written `0-16,28-40`. The key of the first table is a prefix of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    bits: u32,
    keys: Vec<Vec<Range<u32>>>,
}

impl Design {
    /// Creates a design with these keys.
    ///
    /// # Errors
    /// A range is empty, not in ascending order or outside the code; the first key is not a prefix of the code; there
    /// are no tables or more than 64.
    pub fn new(bits: u32, keys: Vec<Vec<Range<u32>>>) -> Result<Self, String> {
        if !CODE_BITS.contains(&bits) {
            return Err(format!("a code of {bits} bits, not 8 to 256"));
        }
        if keys.is_empty() || keys.len() > MOST_TABLES {
            return Err(format!("{} tables, not 1 to {MOST_TABLES}", keys.len()));
        }
        for key in &keys {
            let ascends = key.windows(2).all(|pair| pair[0].end <= pair[1].start);
            let inside = key.iter().all(|range| range.start < range.end && range.end <= bits);
            if key.is_empty() || !ascends || !inside {
                return Err("a key whose ranges do not ascend within the code".into());
            }
        }
        let design = Self { bits, keys: keys.into_iter().map(joined).collect() };
        if design.keys[0].len() != 1 || design.keys[0][0].start != 0 {
            return Err("the key of the first table must be the first bits of the code".into());
        }
        Ok(design)
    }

    /// Divides a code into blocks of the given `lengths`; every combination of `chosen` blocks is the key of a table.
    ///
    /// # Errors
    /// As [`Design::new`].
    pub fn blocks(lengths: &[u32], chosen: usize) -> Result<Self, String> {
        let blocks = consecutive(0, lengths);
        let keys = choices(blocks.len(), chosen).into_iter();
        let keys = keys.map(|choice| choice.into_iter().map(|block| blocks[block].clone()).collect()).collect();
        Self::new(lengths.iter().sum(), keys)
    }

    /// Each combination of one 16-bit block and one of the four 12-bit blocks of the other 48 bits: 16 tables for
    /// 64-bit codes.
    fn nested() -> Self {
        let mut keys = Vec::new();
        for outer in consecutive(0, &[16; 4]) {
            for inner in consecutive(0, &[12; 4]) {
                let others: Vec<u32> = (0..64).filter(|bit| !outer.contains(bit)).collect();
                let mut bits: Vec<u32> = others[inner.start as usize..inner.end as usize].to_vec();
                bits.extend(outer.clone());
                bits.sort_unstable();
                keys.push(bits.into_iter().map(|bit| bit..bit + 1).collect());
            }
        }
        Self::new(64, keys).expect("a design of the literature")
    }

    /// Returns a design by name: `4x8`, `4x16`, `8x16`, `16x16` and similar names (blocks × bits, one key per block), and for 64
    /// bits the multi-block designs of Manku et al.: `manku10`, `manku16`, `manku20`.
    ///
    /// # Errors
    /// The name does not exist.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "manku10" => Self::blocks(&[13, 13, 13, 13, 12], 2),
            "manku16" => Ok(Self::nested()),
            "manku20" => Self::blocks(&[11, 11, 11, 11, 10, 10], 3),
            _ => {
                let numbers = name.split_once('x').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                match numbers {
                    Some((count @ 1..=64usize, bits @ 1..=256u32)) => Self::blocks(&vec![bits; count], 1),
                    _ => Err(format!("there is no design '{name}'")),
                }
            }
        }
    }

    /// Returns the default design for codes of `bits` bits: blocks of 16 bits, or of 8 for codes up to 32 bits.
    ///
    /// # Errors
    /// The length is not supported.
    pub fn standard(bits: u32) -> Result<Self, String> {
        let blocks = bits.div_ceil(if bits <= 32 { 8 } else { 16 }).max(2);
        let bound = |block: u32| bits * block / blocks;
        Self::blocks(&(0..blocks).map(|block| bound(block + 1) - bound(block)).collect::<Vec<_>>(), 1)
    }

    /// Number of bits of a code.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The key of each table, as ranges of bits.
    pub fn keys(&self) -> &[Vec<Range<u32>>] {
        &self.keys
    }

    /// The permutations that move the key of each table to the top of a code.
    pub(super) fn permutations<C: Code>(&self) -> Vec<Permutation> {
        self.keys.iter().map(|key| Permutation::of(key, C::WIDTH)).collect()
    }
}

impl Common for Design {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl fmt::Display for Design {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &Range<u32>| format!("{}-{}", range.start, range.end);
        let key = |key: &Vec<Range<u32>>| key.iter().map(range).collect::<Vec<_>>().join(",");
        write!(to, "{}:{}", self.bits, self.keys.iter().map(key).collect::<Vec<_>>().join(";"))
    }
}

impl FromStr for Design {
    type Err = String;

    /// Parses a name or the text form of a design.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((bits, keys)) = text.split_once(':') else {
            return Self::named(text);
        };
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| format!("'{digits}' is not a number of a bit"));
        let range = |range: &str| match range.split_once('-') {
            Some((start, end)) => Ok(number(start)?..number(end)?),
            None => Err(format!("'{range}' is not a range of bits")),
        };
        let key = |key: &str| key.split(',').map(range).collect();
        Self::new(number(bits)?, keys.split(';').map(key).collect::<Result<_, _>>()?)
    }
}

/// Moves the bits of a key to the top of a code and preserves the order of all others.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    key_bits: u32,
    /// (from, to, count) of each move, counted from the top.
    moves: Vec<(u32, u32, u32)>,
}

impl Permutation {
    fn of(key: &[Range<u32>], width: u32) -> Self {
        let mut others = Vec::new();
        let mut passed = 0;
        for range in key {
            others.push(passed..range.start);
            passed = range.end;
        }
        others.push(passed..width);
        let mut to = 0;
        let mut moves = Vec::new();
        for range in joined(key.iter().cloned().chain(others).filter(|range| !range.is_empty()).collect()) {
            let length = range.end - range.start;
            moves.push((range.start, to, length));
            to += length;
        }
        Self { key_bits: key.iter().map(|range| range.end - range.start).sum(), moves }
    }

    /// Bits of the key.
    pub fn key_bits(&self) -> u32 {
        self.key_bits
    }

    /// Applies the permutation to a code.
    #[inline(always)]
    pub fn apply<C: Code>(&self, code: C) -> C {
        let moved =
            |&(from, to, length): &(u32, u32, u32)| code.up(from).down(C::WIDTH - length).up(C::WIDTH - length - to);
        self.moves.iter().map(moved).fold(C::zeroed(), C::or)
    }
}

/// Merges adjacent ranges.
fn joined(ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

fn consecutive(start: u32, lengths: &[u32]) -> Vec<Range<u32>> {
    let mut end = start;
    lengths
        .iter()
        .map(|length| {
            end += length;
            end - length..end
        })
        .collect()
}

/// Returns every combination of `chosen` out of `count` numbers, in order.
fn choices(count: usize, chosen: usize) -> Vec<Vec<usize>> {
    if chosen == 0 {
        return vec![Vec::new()];
    }
    let last = |last: usize| choices(last, chosen - 1).into_iter().map(move |choice| [choice, vec![last]].concat());
    let mut all: Vec<Vec<usize>> = (0..count).flat_map(last).collect();
    all.sort();
    all
}
