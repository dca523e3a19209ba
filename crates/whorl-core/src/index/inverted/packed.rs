//! Sorted postings, each in as few bits as it needs.
//!
//! # Problem
//!
//! A posting as a key and a row takes twelve bytes, although sorted uniform keys are highly predictable.
//!
//! # Choice
//!
//! Sorted uniform keys are distributed evenly over buckets by their first bits, about one per bucket. The size of a
//! bucket is written in unary: a one for every posting, a zero at the end of the bucket. A posting then needs only the
//! key bits that its bucket does not determine, and the bits of its row: `64 - bucket bits + row bits`, plus three bits
//! for the buckets. The encoding is lossless. The start of every [`SAMPLE`]th bucket is stored; from there, zeros are
//! counted.
//!
//! The first eight of the remaining bits of each key, its tag, are stored in a separate dense column. Most keys of a
//! query are absent, and the tags alone exclude most of these without touching the other columns.
//!
//! Source: Elias: Efficient storage and retrieval by content and address of static files, JACM 1974; Vigna:
//! Quasi-succinct indices, WSDM 2013.

/// A uniform key and a row.
pub(super) type Posting = (u64, u32);

pub(super) const MOST_BUCKET_BITS: u32 = 28;
/// Number of buckets between stored bucket starts.
pub(super) const SAMPLE: usize = 64;
pub(super) const WORD: usize = 64;
const TAG_BITS: u32 = u8::BITS;
/// Bytes that a reader may access beyond the last posting.
pub(super) const MARGIN: usize = 16;

/// The parameters of packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    pub bucket_bits: u32,
    pub row_bits: u32,
}

/// Bytes of each column of packed postings.
pub(super) struct Room {
    pub samples: usize,
    pub buckets: usize,
    pub tags: usize,
    pub postings: usize,
}

impl Packing {
    /// Computes the smallest packing for this number of postings and rows.
    pub fn of(postings: usize, rows: usize) -> Self {
        let row_bits = rows.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        let with = |bucket_bits| Self { bucket_bits, row_bits };
        let bytes = |packing: &Self| {
            let Room { samples, buckets, tags, postings } = packing.room(postings);
            samples + buckets + tags + postings
        };
        (0..=MOST_BUCKET_BITS).map(with).min_by_key(bytes).expect("there are some")
    }

    /// The bytes needed for a number of postings.
    pub fn room(self, postings: usize) -> Room {
        let buckets = 1usize << self.bucket_bits;
        Room {
            samples: buckets.div_ceil(SAMPLE) * size_of::<u32>(),
            buckets: (postings + buckets).div_ceil(WORD) * size_of::<u64>(),
            tags: postings,
            postings: (postings * self.width()).div_ceil(8) + MARGIN,
        }
    }

    /// Bits of a posting without its tag; at most 88.
    pub fn width(self) -> usize {
        (self.rest_bits() + self.row_bits) as usize
    }

    fn rest_bits(self) -> u32 {
        64 - TAG_BITS - self.bucket_bits
    }

    pub fn bucket(self, key: u64) -> usize {
        (key >> 1 >> (63 - self.bucket_bits)) as usize
    }

    /// The first bits of a key that its bucket does not determine.
    pub fn tag(self, key: u64) -> u8 {
        (key >> self.rest_bits()) as u8
    }

    /// The bits of a key that neither its bucket nor its tag determines.
    pub fn rest(self, key: u64) -> u64 {
        key & ((1 << self.rest_bits()) - 1)
    }

    /// Reassembles the key from a bucket, a tag and a rest.
    pub fn key(self, bucket: usize, tag: u8, rest: u64) -> u64 {
        (bucket as u64) << 1 << (63 - self.bucket_bits) | u64::from(tag) << self.rest_bits() | rest
    }
}

/// Writes the columns of a segment, posting by posting.
pub(super) struct Packer<'a> {
    packing: Packing,
    samples: &'a mut [u32],
    buckets: &'a mut [u64],
    tags: &'a mut [u8],
    bytes: &'a mut [u8],
    /// Number of postings and samples written, and bytes.
    count: usize,
    sampled: usize,
    written: usize,
    /// Bits not written yet, fewer than 64.
    bits: u64,
    bit_count: u32,
}

impl<'a> Packer<'a> {
    /// Creates a packer for zeroed columns.
    pub fn new(
        packing: Packing,
        samples: &'a mut [u32],
        buckets: &'a mut [u64],
        [tags, bytes]: [&'a mut [u8]; 2],
    ) -> Self {
        Self { packing, samples, buckets, tags, bytes, count: 0, sampled: 0, written: 0, bits: 0, bit_count: 0 }
    }

    /// Adds postings, in order.
    pub fn add(&mut self, postings: &[Posting]) {
        let rest_bits = self.packing.rest_bits();
        for &(key, row) in postings {
            let bucket = self.packing.bucket(key);
            self.sample(bucket / SAMPLE);
            // It is preceded by `bucket` zeros and one 1 per posting.
            let bit = bucket + self.count;
            self.buckets[bit / WORD] |= 1 << (bit % WORD);
            self.tags[self.count] = self.packing.tag(key);
            self.count += 1;
            self.put(u64::from(row), self.packing.row_bits);
            self.put(self.packing.rest(key), rest_bits);
        }
    }

    /// Writes the bucket starts up to a sample, which are known as soon as a later posting arrives.
    #[inline]
    fn sample(&mut self, last: usize) {
        while self.sampled <= last {
            self.samples[self.sampled] = (self.sampled * SAMPLE + self.count) as u32;
            self.sampled += 1;
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

    /// Writes the remaining bits.
    pub fn finish(mut self) {
        self.sample(self.samples.len() - 1);
        self.bytes[self.written..self.written + 8].copy_from_slice(&self.bits.to_le_bytes());
    }
}
