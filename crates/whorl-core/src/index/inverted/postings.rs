//! Reading of packed postings.

use super::packed::{MARGIN, MOST_BUCKET_BITS, Packing, Posting, Room, SAMPLE, WORD};
use crate::index::segment_file::{Column, ColumnValues, Refused, SegmentFile};

/// Locations of the postings in a file.
#[derive(Debug)]
pub(super) struct Packed {
    packing: Packing,
    count: usize,
    samples: Column<u32>,
    buckets: Column<u64>,
    tags: Column<u8>,
    bytes: Column<u8>,
}

/// A range of adjacent postings.
pub(super) struct View<'a> {
    packing: Packing,
    bytes: &'a [u8],
    /// The bit at which the first posting begins.
    start: usize,
    count: usize,
}

impl View<'_> {
    /// A posting without its tag: the rest of its key above its row.
    #[inline]
    fn bits(&self, at: usize) -> u128 {
        let bit = self.start + at * self.packing.width();
        let bytes = self.bytes[bit / 8..].first_chunk::<MARGIN>().expect("there is a margin");
        u128::from_le_bytes(*bytes) >> (bit % 8)
    }

    #[inline]
    fn rest(&self, at: usize) -> u64 {
        self.packing.rest((self.bits(at) >> self.packing.row_bits) as u64)
    }

    #[inline]
    fn row(&self, at: usize) -> u32 {
        (self.bits(at) & !(u128::MAX << self.packing.row_bits)) as u32
    }

    /// The row of each posting.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.count).map(|at| self.row(at))
    }

    /// Among postings of one bucket and tag, returns the bounds of those with a rest.
    fn run(&self, rest: u64) -> (usize, usize) {
        let first_from = |rest: u64| {
            let (mut from, mut to) = (0, self.count);
            while from < to {
                let middle = usize::midpoint(from, to);
                if self.rest(middle) < rest { from = middle + 1 } else { to = middle }
            }
            from
        };
        (first_from(rest), first_from(rest + 1))
    }
}

impl Packed {
    pub fn open(file: &SegmentFile, rows: usize) -> Result<Self, Refused> {
        let bits = |name| Ok(u32::try_from(file.fact(name)?).unwrap_or(u32::MAX));
        let packing = Packing { bucket_bits: bits("bucket bits")?, row_bits: bits("row bits")? };
        let packed = Self {
            packing,
            count: file.fact("postings")? as usize,
            samples: file.column("samples")?,
            buckets: file.column("buckets")?,
            tags: file.column("tags")?,
            bytes: file.column("postings")?,
        };
        let fits = packing.bucket_bits <= MOST_BUCKET_BITS
            && packing.row_bits <= 32
            && rows as u64 <= 1 << packing.row_bits
            && packed.count < u32::MAX as usize - (1 << MOST_BUCKET_BITS);
        let has = |room: Room| {
            packed.samples.len() * size_of::<u32>() == room.samples
                && packed.buckets.len() * size_of::<u64>() == room.buckets
                && packed.tags.len() == room.tags
                && packed.bytes.len() == room.postings
        };
        if fits && has(packing.room(packed.count)) {
            return Ok(packed);
        }
        Err(Refused::Damaged("its columns do not fit each other".into()))
    }

    /// Number of postings.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The postings in the file.
    pub fn of<'a>(&self, file: &'a SegmentFile) -> Postings<'a> {
        Postings {
            packing: self.packing,
            count: self.count,
            samples: file.values(self.samples),
            buckets: file.values(self.buckets),
            tags: file.values(self.tags),
            bytes: file.values(self.bytes),
        }
    }
}

/// Number of words read together; they cover the postings of most samples.
const NEAR: usize = 4;

/// Position in a byte of the one that is preceded by a number of ones: `[ones before][byte]`.
static PLACES: [[u8; 256]; 8] = places();

const fn places() -> [[u8; 256]; 8] {
    let mut places = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut before) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[before][byte] = place;
                before += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
}

/// Position in a word of the one that is preceded by `before` ones; the word must have more. Branch-free, because the
/// branches would be unpredictable.
///
/// Source: Vigna: Broadword implementation of rank/select queries, WEA 2008, algorithm 2, with a table in its last
/// step.
#[inline]
fn place_of_one(word: u64, before: u32) -> usize {
    const EVERY_BYTE: u64 = u64::MAX / 255;
    const HIGHEST: u64 = EVERY_BYTE << 7;
    let pairs = word - (word >> 1 & (u64::MAX / 3));
    let nibbles = (pairs & (u64::MAX / 5)) + (pairs >> 2 & (u64::MAX / 5));
    // In each byte, the number of ones up to its end, at most 64.
    let up_to = ((nibbles + (nibbles >> 4)) & (EVERY_BYTE * 0x0f)).wrapping_mul(EVERY_BYTE);
    let full = (((u64::from(before) * EVERY_BYTE) | HIGHEST) - up_to) & HIGHEST;
    let bit = (((full >> 7).wrapping_mul(EVERY_BYTE) >> 56) * 8) & 63;
    let remaining = u64::from(before) - (up_to << 8 >> bit & 0xff);
    bit as usize + usize::from(PLACES[remaining as usize & 7][(word >> bit) as usize & 255])
}

/// Returns the bit after a number of zeros among some words, counted from a bit of the first word; None if there are
/// fewer.
#[inline]
fn after_zeros(words: &[u64; NEAR], from: usize, zeros: usize) -> Option<usize> {
    let mut open = words.map(|word| !word);
    open[0] &= u64::MAX << from;
    let [first, second, third, fourth] = open.map(|word| word.count_ones() as usize);
    let ends = [0, first, first + second, first + second + third];
    if zeros > ends[3] + fourth {
        return None;
    }
    let word: usize = ends[1..].iter().map(|&end| usize::from(zeros > end)).sum();
    Some(word * WORD + place_of_one(open[word], (zeros - 1 - ends[word]) as u32) + 1)
}

/// Postings sorted by key.
pub(super) struct Postings<'a> {
    packing: Packing,
    count: usize,
    samples: ColumnValues<'a, u32>,
    buckets: ColumnValues<'a, u64>,
    tags: ColumnValues<'a, u8>,
    bytes: ColumnValues<'a, u8>,
}

impl<'a> Postings<'a> {
    /// The approximate bit at which the bucket of a uniform key begins.
    #[inline]
    pub fn sample(&self, key: u64) -> Result<u32, Refused> {
        let sample = self.packing.bucket(key) / SAMPLE;
        Ok(self.samples.read(sample..sample + 1)?[0])
    }

    /// Prefetch: a value that depends on the first bits of a sample.
    pub fn touch_bucket(&self, sample: u32) -> u64 {
        self.buckets.peek(sample as usize / WORD).unwrap_or_default()
    }

    /// The bounds of the postings in the bucket of a uniform key.
    #[inline]
    pub fn bucket(&self, key: u64, sample: u32) -> Result<(usize, usize), Refused> {
        let bucket = self.packing.bucket(key);
        let start = self.after_zeros(sample as usize, bucket % SAMPLE)?;
        let end = self.after_zeros(start, 1)? - 1;
        match start.checked_sub(bucket) {
            Some(first) if end >= start && end - bucket <= self.count => Ok((first, end - bucket)),
            _ => Err(Refused::Damaged("postings that are not there".into())),
        }
    }

    /// The bit after a number of zeros, counted from a bit.
    #[inline]
    fn after_zeros(&self, from: usize, zeros: usize) -> Result<usize, Refused> {
        if zeros == 0 {
            return Ok(from);
        }
        let (first, from_bit) = (from / WORD, from % WORD);
        let open = !self.buckets.read(first..first + 1)?[0] >> from_bit;
        if zeros == 1 && open != 0 {
            return Ok(from + open.trailing_zeros() as usize + 1);
        }
        let near = self.buckets.read_from(first, NEAR)?.first_chunk();
        if let Some(place) = near.and_then(|words| after_zeros(words, from_bit, zeros)) {
            return Ok(first * WORD + place);
        }
        let (mut word, mut open, mut remaining) = (first, open << from_bit, zeros as u32);
        while open.count_ones() < remaining {
            remaining -= open.count_ones();
            word += 1;
            open = !self.buckets.read(word..word + 1)?[0];
        }
        Ok(word * WORD + place_of_one(open, remaining - 1) + 1)
    }

    /// A range of postings.
    #[inline]
    pub fn view(&self, start: usize, end: usize) -> Result<View<'a>, Refused> {
        if start > end || end > self.count {
            return Err(Refused::Damaged("postings that are not there".into()));
        }
        let (first, last) = (start * self.packing.width(), end * self.packing.width());
        let bytes = self.bytes.read(first / 8..last.div_ceil(8) + MARGIN)?;
        Ok(View { packing: self.packing, bytes, start: first % 8, count: end - start })
    }

    /// Prefetch: a value that depends on the first tag of a bucket.
    pub fn touch_tags(&self, start: usize) -> u8 {
        self.tags.peek(start).unwrap_or_default()
    }

    /// The bounds of the postings with the tag of a key within the bounds of its bucket.
    #[inline]
    pub fn tagged(&self, key: u64, (start, end): (usize, usize)) -> Result<(usize, usize), Refused> {
        let (tags, tag) = (self.tags.read(start..end)?, self.packing.tag(key));
        let first = tags.partition_point(|&own| own < tag);
        if tags.get(first) != Some(&tag) {
            return Ok((start, start));
        }
        Ok((start + first, start + tags.partition_point(|&own| own <= tag)))
    }

    /// Prefetch: a value that depends on a posting.
    pub fn touch(&self, posting: usize) -> u8 {
        self.bytes.peek(posting * self.packing.width() / 8).unwrap_or_default()
    }

    /// The bounds of the postings with a key among those with its tag.
    #[inline]
    pub fn run(&self, key: u64, (start, end): (usize, usize)) -> Result<(usize, usize), Refused> {
        let (from, to) = self.view(start, end)?.run(self.packing.rest(key));
        Ok((start + from, start + to))
    }

    /// Calls `with` for every posting of uniform keys from `first` to `last`, in order.
    pub fn for_each(
        &self,
        (first, last): (u64, u64),
        mut with: impl FnMut(Posting) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let (start, _) = self.bucket(first, self.sample(first)?)?;
        let (_, end) = self.bucket(last, self.sample(last)?)?;
        let (postings, tags) = (self.view(start, end)?, self.tags.read(start..end)?);
        // A bucket is preceded by as many zeros as buckets, and as many ones as postings.
        let bits = start + self.packing.bucket(first)..end + self.packing.bucket(last);
        let words = self.buckets.read(bits.start / WORD..bits.end.div_ceil(WORD))?;
        let mut at = 0;
        for (number, &word) in (bits.start / WORD..).zip(words) {
            let mut ones = word;
            while ones != 0 {
                let bit = number * WORD + ones.trailing_zeros() as usize;
                ones &= ones - 1;
                if !bits.contains(&bit) {
                    continue;
                }
                let Some(&tag) = tags.get(at) else {
                    return Err(Refused::Damaged("postings that are not there".into()));
                };
                let key = self.packing.key(bit - start - at, tag, postings.rest(at));
                if (first..=last).contains(&key) {
                    with((key, postings.row(at)))?;
                }
                at += 1;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{after_zeros, place_of_one};

    proptest! {
        #[test]
        fn a_one_is_where_as_many_are_before_it(word: u64, sparse: u64, full in any::<bool>()) {
            let word = if full { word | sparse } else { word & sparse };
            let places: Vec<usize> = (0..64).filter(|place| word >> place & 1 == 1).collect();
            for (before, &place) in places.iter().enumerate() {
                prop_assert_eq!(place_of_one(word, before as u32), place);
            }
        }

        #[test]
        fn zeros_are_counted(words: [u64; 4], more: [u64; 4], from in 0usize..64, zeros in 1usize..260) {
            let words = std::array::from_fn(|word| words[word] | more[word]);
            let is_zero = |bit: &usize| words[bit / 64] >> (bit % 64) & 1 == 0;
            let expected = (from..256).filter(is_zero).nth(zeros - 1).map(|bit| bit + 1);
            prop_assert_eq!(after_zeros(&words, from, zeros), expected);
        }
    }
}
