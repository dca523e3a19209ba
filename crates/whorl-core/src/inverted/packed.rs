//! Postings in order, each in as many bits as it needs.
//!
//! Uniform keys in order fall evenly into buckets by their first bits, about one into each. How many a bucket has is
//! written in unary: a one for every posting, a zero at the end of the bucket. So a posting itself is only the bits of
//! its key that the bucket does not tell, and the bits of its row: `64 - bucket bits + row bits`, and three more bits
//! for the buckets. Nothing is lost. Where every [`SAMPLE`]th bucket begins is written down; from there zeros are
//! counted.
//!
//! Source: Elias: Efficient storage and retrieval by content and address of static files, JACM 1974; Vigna:
//! Quasi-succinct indices, WSDM 2013.

use crate::segment_file::{Column, Refused, SegmentFile};

/// A uniform key and a row.
pub(super) type Posting = (u64, u32);

const MOST_BUCKET_BITS: u32 = 28;
/// Buckets from one whose beginning is written down to the next.
const SAMPLE: usize = 64;
const WORD: usize = 64;
/// Bytes that a reader may look at beyond the last posting.
const MARGIN: usize = 16;

/// How postings are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    pub bucket_bits: u32,
    pub row_bits: u32,
}

/// Bytes of each column of packed postings.
pub(super) struct Room {
    pub samples: usize,
    pub buckets: usize,
    pub postings: usize,
}

impl Packing {
    /// The packing for so many postings and rows that takes the least room.
    pub fn of(postings: usize, rows: usize) -> Self {
        let row_bits = rows.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        let with = |bucket_bits| Self { bucket_bits, row_bits };
        let bytes = |packing: &Self| {
            let Room { samples, buckets, postings } = packing.room(postings);
            samples + buckets + postings
        };
        (0..=MOST_BUCKET_BITS).map(with).min_by_key(bytes).expect("there are some")
    }

    /// The bytes that so many postings take.
    pub fn room(self, postings: usize) -> Room {
        let buckets = 1usize << self.bucket_bits;
        Room {
            samples: buckets.div_ceil(SAMPLE) * size_of::<u32>(),
            buckets: (postings + buckets).div_ceil(WORD) * size_of::<u64>(),
            postings: (postings * self.width()).div_ceil(8) + MARGIN,
        }
    }

    /// Bits of a posting; at most 96.
    fn width(self) -> usize {
        (64 - self.bucket_bits + self.row_bits) as usize
    }

    fn bucket(self, key: u64) -> usize {
        (key >> 1 >> (63 - self.bucket_bits)) as usize
    }

    /// The bits of a key that its bucket does not tell.
    fn tail(self, key: u64) -> u64 {
        key & (u64::MAX >> self.bucket_bits)
    }

    /// The key with a tail in a bucket.
    fn key(self, bucket: usize, tail: u64) -> u64 {
        (bucket as u64) << 1 << (63 - self.bucket_bits) | tail
    }
}

/// Fills the columns of a segment, posting after posting.
pub(super) struct Packer<'a> {
    packing: Packing,
    samples: &'a mut [u32],
    buckets: &'a mut [u64],
    bytes: &'a mut [u8],
    /// Buckets that are written, and bits that they and their postings took.
    bucket: usize,
    bit: usize,
    written: usize,
    /// What is not written yet: so many bits, fewer than 64.
    bits: u64,
    bit_count: u32,
}

impl<'a> Packer<'a> {
    pub fn new(packing: Packing, samples: &'a mut [u32], buckets: &'a mut [u64], bytes: &'a mut [u8]) -> Self {
        Self { packing, samples, buckets, bytes, bucket: 0, bit: 0, written: 0, bits: 0, bit_count: 0 }
    }

    /// Adds postings, in order.
    pub fn add(&mut self, postings: &[Posting]) {
        let tail_bits = 64 - self.packing.bucket_bits;
        for &(key, row) in postings {
            self.end_buckets(self.packing.bucket(key));
            self.buckets[self.bit / WORD] |= 1 << (self.bit % WORD);
            self.bit += 1;
            self.put(u64::from(row), self.packing.row_bits);
            self.put(self.packing.tail(key), tail_bits);
        }
    }

    /// Ends the buckets before one.
    #[inline]
    fn end_buckets(&mut self, before: usize) {
        while self.bucket < before {
            self.bucket += 1;
            self.bit += 1;
            if self.bucket.is_multiple_of(SAMPLE) && self.bucket / SAMPLE < self.samples.len() {
                self.samples[self.bucket / SAMPLE] = self.bit as u32;
            }
        }
    }

    #[inline]
    fn put(&mut self, value: u64, bits: u32) {
        self.bits |= value << self.bit_count;
        self.bit_count += bits;
        if self.bit_count >= 64 {
            self.bytes[self.written..self.written + 8].copy_from_slice(&self.bits.to_le_bytes());
            self.written += 8;
            self.bit_count -= 64;
            self.bits = value.checked_shr(bits - self.bit_count).unwrap_or(0);
        }
    }

    /// Writes what is left.
    pub fn finish(mut self) {
        self.end_buckets(1 << self.packing.bucket_bits);
        self.bytes[self.written..self.written + 8].copy_from_slice(&self.bits.to_le_bytes());
    }
}

/// Packed postings in a file.
#[derive(Debug)]
pub(super) struct Packed {
    packing: Packing,
    count: usize,
    samples: Column<u32>,
    buckets: Column<u64>,
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
    /// Everything about a posting: the tail of its key above its row.
    #[inline]
    fn bits(&self, at: usize) -> u128 {
        let bit = self.start + at * self.packing.width();
        let bytes = self.bytes[bit / 8..].first_chunk::<MARGIN>().expect("there is a margin");
        u128::from_le_bytes(*bytes) >> (bit % 8)
    }

    #[inline]
    fn tail(&self, at: usize) -> u64 {
        self.packing.tail((self.bits(at) >> self.packing.row_bits) as u64)
    }

    #[inline]
    fn row(&self, at: usize) -> u32 {
        (self.bits(at) & !(u128::MAX << self.packing.row_bits)) as u32
    }

    /// The row of each posting.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        (0..self.count).map(|at| self.row(at))
    }

    /// The first posting of which the tail is not below `tail`.
    fn first_from(&self, tail: u64) -> usize {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.tail(middle) < tail { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// Where the postings with a tail begin and end.
    fn run(&self, tail: u64) -> (usize, usize) {
        let start = self.first_from(tail);
        if start == self.count || self.tail(start) != tail {
            return (start, start);
        }
        (start, if tail == u64::MAX { self.count } else { self.first_from(tail + 1) })
    }

    /// A value that depends on the first bytes: to have them in the cache when they are needed.
    pub fn touch(&self) -> u8 {
        self.bytes[0]
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
            bytes: file.column("postings")?,
        };
        let fits = packing.bucket_bits <= MOST_BUCKET_BITS
            && packing.row_bits <= 32
            && rows as u64 <= 1 << packing.row_bits
            && packed.count < u32::MAX as usize - (1 << MOST_BUCKET_BITS);
        let has = |room: Room| {
            packed.samples.len() * size_of::<u32>() == room.samples
                && packed.buckets.len() * size_of::<u64>() == room.buckets
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

    /// Near which bit the bucket of a uniform key begins.
    #[inline]
    pub fn sample(&self, file: &SegmentFile, key: u64) -> Result<u32, Refused> {
        let sample = self.packing.bucket(key) / SAMPLE;
        Ok(file.read(self.samples, sample..sample + 1)?[0])
    }

    /// A value that depends on the first bits from a sample on: to have them in the cache when they are needed.
    pub fn touch(&self, file: &SegmentFile, sample: u32) -> Result<u64, Refused> {
        self.word(file, sample as usize / WORD)
    }

    #[inline]
    fn word(&self, file: &SegmentFile, word: usize) -> Result<u64, Refused> {
        Ok(file.read(self.buckets, word..word + 1)?[0])
    }

    /// The bucket of a uniform key: where its postings begin and end.
    #[inline]
    pub fn bucket(&self, file: &SegmentFile, key: u64, sample: u32) -> Result<(usize, usize), Refused> {
        let bucket = self.packing.bucket(key);
        let start = self.after_zeros(file, sample as usize, bucket % SAMPLE)?;
        let end = self.after_zeros(file, start, 1)? - 1;
        match start.checked_sub(bucket) {
            Some(first) if end >= start && end - bucket <= self.count => Ok((first, end - bucket)),
            _ => Err(Refused::Damaged("postings that are not there".into())),
        }
    }

    /// The bit after so many zeros, counted from a bit on.
    #[inline]
    fn after_zeros(&self, file: &SegmentFile, from: usize, zeros: usize) -> Result<usize, Refused> {
        if zeros == 0 {
            return Ok(from);
        }
        let mut number = from / WORD;
        let mut open = !self.word(file, number)? & (u64::MAX << (from % WORD));
        let mut left = zeros as u32;
        while open.count_ones() < left {
            left -= open.count_ones();
            number += 1;
            open = !self.word(file, number)?;
        }
        (1..left).for_each(|_| open &= open - 1);
        Ok(number * WORD + open.trailing_zeros() as usize + 1)
    }

    /// Some postings.
    #[inline]
    pub fn view<'a>(&self, file: &'a SegmentFile, start: usize, end: usize) -> Result<View<'a>, Refused> {
        if start > end || end > self.count {
            return Err(Refused::Damaged("postings that are not there".into()));
        }
        let (first, last) = (start * self.packing.width(), end * self.packing.width());
        let bytes = file.read(self.bytes, first / 8..last.div_ceil(8) + MARGIN)?;
        Ok(View { packing: self.packing, bytes, start: first % 8, count: end - start })
    }

    /// The postings with a key, of whose bucket the bounds are given: where they begin and end.
    #[inline]
    pub fn run(&self, file: &SegmentFile, key: u64, bucket: (usize, usize)) -> Result<(usize, usize), Refused> {
        if bucket.0 == bucket.1 {
            return Ok(bucket);
        }
        let (start, end) = self.view(file, bucket.0, bucket.1)?.run(self.packing.tail(key));
        Ok((bucket.0 + start, bucket.0 + end))
    }

    /// Calls `with` with every posting of uniform keys from `first` to `last`, in order.
    pub fn for_each(
        &self,
        file: &SegmentFile,
        (first, last): (u64, u64),
        mut with: impl FnMut(Posting) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let (start, _) = self.bucket(file, first, self.sample(file, first)?)?;
        let (_, end) = self.bucket(file, last, self.sample(file, last)?)?;
        let postings = self.view(file, start, end)?;
        let mut bucket = self.packing.bucket(first);
        // Before a bucket lie as many zeros as buckets, and as many ones as postings.
        let bits = start + bucket..end + self.packing.bucket(last);
        let words = file.read(self.buckets, bits.start / WORD..bits.end.div_ceil(WORD))?;
        let mut at = 0;
        for bit in bits.clone() {
            if words[bit / WORD - bits.start / WORD] >> (bit % WORD) & 1 == 0 {
                bucket += 1;
                continue;
            }
            if at == postings.count {
                return Err(Refused::Damaged("postings that are not there".into()));
            }
            let key = self.packing.key(bucket, postings.tail(at));
            if (first..=last).contains(&key) {
                with((key, postings.row(at)))?;
            }
            at += 1;
        }
        Ok(())
    }
}
