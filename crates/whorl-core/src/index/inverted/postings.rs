//! Packed postings, read.

use super::packed::{MARGIN, MOST_BUCKET_BITS, Packing, Posting, Room, SAMPLE, WORD};
use crate::index::segment_file::{Column, ColumnValues, Refused, SegmentFile};

/// Where the postings of a file lie.
#[derive(Debug)]
pub(super) struct Packed {
    packing: Packing,
    count: usize,
    samples: Column<u32>,
    buckets: Column<u64>,
    tags: Column<u8>,
    bytes: Column<u8>,
}

/// Some postings that lie beside each other.
pub(super) struct View<'a> {
    packing: Packing,
    bytes: &'a [u8],
    /// The bit in which the first posting begins.
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

    /// Of postings of one bucket and tag those of a rest: where they begin and end.
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

    /// How many postings there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The postings themselves, in the file.
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

/// Postings in order of their keys.
pub(super) struct Postings<'a> {
    packing: Packing,
    count: usize,
    samples: ColumnValues<'a, u32>,
    buckets: ColumnValues<'a, u64>,
    tags: ColumnValues<'a, u8>,
    bytes: ColumnValues<'a, u8>,
}

impl<'a> Postings<'a> {
    /// Near which bit the bucket of a uniform key begins.
    #[inline]
    pub fn sample(&self, key: u64) -> Result<u32, Refused> {
        let sample = self.packing.bucket(key) / SAMPLE;
        Ok(self.samples.read(sample..sample + 1)?[0])
    }

    /// A value that depends on the first bits from a sample on: to have them in the cache when they are needed.
    pub fn touch_bucket(&self, sample: u32) -> u64 {
        self.buckets.peek(sample as usize / WORD).unwrap_or_default()
    }

    #[inline]
    fn word(&self, word: usize) -> Result<u64, Refused> {
        Ok(self.buckets.read(word..word + 1)?[0])
    }

    /// The bucket of a uniform key: where its postings begin and end.
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

    /// The bit after so many zeros, counted from a bit on.
    #[inline]
    fn after_zeros(&self, from: usize, zeros: usize) -> Result<usize, Refused> {
        if zeros == 0 {
            return Ok(from);
        }
        let mut number = from / WORD;
        let mut open = !self.word(number)? & (u64::MAX << (from % WORD));
        let mut left = zeros as u32;
        while open.count_ones() < left {
            left -= open.count_ones();
            number += 1;
            open = !self.word(number)?;
        }
        (1..left).for_each(|_| open &= open - 1);
        Ok(number * WORD + open.trailing_zeros() as usize + 1)
    }

    /// Some postings.
    #[inline]
    pub fn view(&self, start: usize, end: usize) -> Result<View<'a>, Refused> {
        if start > end || end > self.count {
            return Err(Refused::Damaged("postings that are not there".into()));
        }
        let (first, last) = (start * self.packing.width(), end * self.packing.width());
        let bytes = self.bytes.read(first / 8..last.div_ceil(8) + MARGIN)?;
        Ok(View { packing: self.packing, bytes, start: first % 8, count: end - start })
    }

    /// A value that depends on the first tag of a bucket: to have it in the cache when it is needed.
    pub fn touch_tags(&self, start: usize) -> u8 {
        self.tags.peek(start).unwrap_or_default()
    }

    /// The postings with the tag of a key, of whose bucket the bounds are given: where they begin and end.
    #[inline]
    pub fn tagged(&self, key: u64, (start, end): (usize, usize)) -> Result<(usize, usize), Refused> {
        let (tags, tag) = (self.tags.read(start..end)?, self.packing.tag(key));
        let first = tags.partition_point(|&own| own < tag);
        if tags.get(first) != Some(&tag) {
            return Ok((start, start));
        }
        Ok((start + first, start + tags.partition_point(|&own| own <= tag)))
    }

    /// A value that depends on a posting: to have it in the cache when it is read.
    pub fn touch(&self, posting: usize) -> u8 {
        self.bytes.peek(posting * self.packing.width() / 8).unwrap_or_default()
    }

    /// The postings with a key among those with its tag: where they begin and end.
    #[inline]
    pub fn run(&self, key: u64, (start, end): (usize, usize)) -> Result<(usize, usize), Refused> {
        let (from, to) = self.view(start, end)?.run(self.packing.rest(key));
        Ok((start + from, start + to))
    }

    /// Calls `with` with every posting of uniform keys from `first` to `last`, in order.
    pub fn for_each(
        &self,
        (first, last): (u64, u64),
        mut with: impl FnMut(Posting) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let (start, _) = self.bucket(first, self.sample(first)?)?;
        let (_, end) = self.bucket(last, self.sample(last)?)?;
        let (postings, tags) = (self.view(start, end)?, self.tags.read(start..end)?);
        // Before a bucket lie as many zeros as buckets, and as many ones as postings.
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
