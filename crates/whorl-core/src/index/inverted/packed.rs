//! Postings in order, each in as many bits as it needs.
//!
//! Uniform keys in order fall evenly into buckets by their first bits, about one into each. How many a bucket has is
//! written in unary: a one for every posting, a zero at the end of the bucket. So a posting itself is only the bits of
//! its key that the bucket does not tell, and the bits of its row: `64 - bucket bits + row bits`, and three more bits
//! for the buckets. Nothing is lost. Where every [`SAMPLE`]th bucket begins is written down; from there zeros are
//! counted.
//!
//! The first eight of these bits of each key, its tag, lie apart from the rest. Most keys that are asked for are not
//! there, and most of these are told by the tags, which are dense: the rest is not touched.
//!
//! Source: Elias: Efficient storage and retrieval by content and address of static files, JACM 1974; Vigna:
//! Quasi-succinct indices, WSDM 2013.

/// A uniform key and a row.
pub(super) type Posting = (u64, u32);

pub(super) const MOST_BUCKET_BITS: u32 = 28;
/// Buckets from one whose beginning is written down to the next.
pub(super) const SAMPLE: usize = 64;
pub(super) const WORD: usize = 64;
const TAG_BITS: u32 = u8::BITS;
/// Bytes that a reader may look at beyond the last posting.
pub(super) const MARGIN: usize = 16;

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
    pub tags: usize,
    pub postings: usize,
}

impl Packing {
    /// The packing for so many postings and rows that takes the least room.
    pub fn of(postings: usize, rows: usize) -> Self {
        let row_bits = rows.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        let with = |bucket_bits| Self { bucket_bits, row_bits };
        let bytes = |packing: &Self| {
            let Room { samples, buckets, tags, postings } = packing.room(postings);
            samples + buckets + tags + postings
        };
        (0..=MOST_BUCKET_BITS).map(with).min_by_key(bytes).expect("there are some")
    }

    /// The bytes that so many postings take.
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

    /// The first bits of a key that its bucket does not tell.
    pub fn tag(self, key: u64) -> u8 {
        (key >> self.rest_bits()) as u8
    }

    /// The bits of a key that neither its bucket nor its tag tells.
    pub fn rest(self, key: u64) -> u64 {
        key & ((1 << self.rest_bits()) - 1)
    }

    /// The key of a bucket, a tag and a rest.
    pub fn key(self, bucket: usize, tag: u8, rest: u64) -> u64 {
        (bucket as u64) << 1 << (63 - self.bucket_bits) | u64::from(tag) << self.rest_bits() | rest
    }
}

/// Fills the columns of a segment, posting after posting.
pub(super) struct Packer<'a> {
    packing: Packing,
    samples: &'a mut [u32],
    buckets: &'a mut [u64],
    tags: &'a mut [u8],
    bytes: &'a mut [u8],
    /// Postings and samples that are written, and bytes.
    count: usize,
    sampled: usize,
    written: usize,
    /// What is not written yet: so many bits, fewer than 64.
    bits: u64,
    bit_count: u32,
}

impl<'a> Packer<'a> {
    /// Fills columns that are all zero.
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
            // Before it lie as many zeros as buckets, and as many ones as postings.
            let bit = bucket + self.count;
            self.buckets[bit / WORD] |= 1 << (bit % WORD);
            self.tags[self.count] = self.packing.tag(key);
            self.count += 1;
            self.put(u64::from(row), self.packing.row_bits);
            self.put(self.packing.rest(key), rest_bits);
        }
    }

    /// Writes down where the buckets up to a sample begin, which is known once a posting of a later one comes.
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

    /// Writes what is left.
    pub fn finish(mut self) {
        self.sample(self.samples.len() - 1);
        self.bytes[self.written..self.written + 8].copy_from_slice(&self.bits.to_le_bytes());
    }
}
