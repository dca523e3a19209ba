//! Postings in order, each in as many bits as it needs.
//!
//! Uniform keys in order fall evenly into buckets by their first bits. A directory says where each bucket begins, so a
//! posting is the remaining bits of its key and the bits of its row: `64 - directory bits + row bits`. Nothing is
//! lost. With 16 to 32 postings a bucket both together are the smallest: one bit more would double the directory, one
//! less cost every posting a bit.

use crate::segment_file::{Column, Refused, SegmentFile};

/// A uniform key and a row.
pub(super) type Posting = (u64, u32);

const LONGEST_DIRECTORY: u32 = 28;
/// Bytes that a reader may look at beyond the last posting.
const MARGIN: usize = 16;

/// How postings are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    pub directory_bits: u32,
    pub row_bits: u32,
}

impl Packing {
    /// The packing for so many postings and rows that takes the least room.
    pub fn of(postings: usize, rows: usize) -> Self {
        let row_bits = rows.saturating_sub(1).checked_ilog2().map_or(0, |bits| bits + 1);
        let with = |directory_bits| Self { directory_bits, row_bits };
        let room = |packing: &Self| packing.bytes(postings) + packing.directory_len() * size_of::<u32>();
        (0..=LONGEST_DIRECTORY).map(with).min_by_key(room).expect("there are some")
    }

    /// Bits of a posting; at most 96.
    fn width(self) -> usize {
        (64 - self.directory_bits + self.row_bits) as usize
    }

    /// Bytes of so many postings.
    pub fn bytes(self, postings: usize) -> usize {
        (postings * self.width()).div_ceil(8) + MARGIN
    }

    /// Numbers in the directory.
    pub fn directory_len(self) -> usize {
        (1 << self.directory_bits) + 1
    }

    fn bucket(self, key: u64) -> usize {
        (key >> 1 >> (63 - self.directory_bits)) as usize
    }

    /// The bits of a key that its bucket does not tell.
    fn tail(self, key: u64) -> u64 {
        if self.directory_bits == 0 { key } else { key & (u64::MAX >> self.directory_bits) }
    }
}

/// Fills the columns of a segment, posting after posting.
pub(super) struct Packer<'a> {
    packing: Packing,
    directory: &'a mut [u32],
    bytes: &'a mut [u8],
    written: usize,
    bits: u128,
    bit_count: u32,
}

impl<'a> Packer<'a> {
    pub fn new(packing: Packing, directory: &'a mut [u32], bytes: &'a mut [u8]) -> Self {
        Self { packing, directory, bytes, written: 0, bits: 0, bit_count: 0 }
    }

    /// Adds postings, in order.
    pub fn add(&mut self, postings: &[Posting]) {
        let tail_bits = 64 - self.packing.directory_bits;
        for &(key, row) in postings {
            self.directory[self.packing.bucket(key) + 1] += 1;
            self.put(u64::from(row), self.packing.row_bits);
            self.put(self.packing.tail(key), tail_bits);
        }
    }

    #[inline]
    fn put(&mut self, value: u64, bits: u32) {
        self.bits |= u128::from(value) << self.bit_count;
        self.bit_count += bits;
        if self.bit_count >= 64 {
            self.bytes[self.written..self.written + 8].copy_from_slice(&(self.bits as u64).to_le_bytes());
            self.written += 8;
            self.bits >>= 64;
            self.bit_count -= 64;
        }
    }

    /// Writes what is left, and turns the counts of the directory into places.
    pub fn finish(self) {
        self.bytes[self.written..self.written + 8].copy_from_slice(&(self.bits as u64).to_le_bytes());
        (1..self.directory.len()).for_each(|bucket| self.directory[bucket] += self.directory[bucket - 1]);
    }
}

/// Packed postings in a file.
#[derive(Debug)]
pub(super) struct Packed {
    packing: Packing,
    count: usize,
    directory: Column<u32>,
    bytes: Column<u8>,
}

/// The postings of a bucket, or of any range.
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
    pub fn row(&self, at: usize) -> u32 {
        (self.bits(at) & !(u128::MAX << self.packing.row_bits)) as u32
    }

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

    /// The postings with a tail.
    fn run(&self, tail: u64) -> (usize, usize) {
        let start = self.first_from(tail);
        // Most runs are short; a long one ends where a search says.
        let mut end = start;
        while end < self.count && end < start + 8 && self.tail(end) == tail {
            end += 1;
        }
        if end == start + 8 {
            end = tail.checked_add(1).map_or(self.count, |next| self.first_from(next));
        }
        (start, end)
    }

    /// A value that depends on the bytes: to have them in the cache when they are needed.
    pub fn touch(&self) -> u8 {
        self.bytes.iter().step_by(64).fold(0, |sum, byte| sum ^ byte)
    }
}

impl Packed {
    pub fn open(file: &SegmentFile, rows: usize) -> Result<Self, Refused> {
        let count = file.fact("postings")? as usize;
        let packing =
            Packing { directory_bits: file.fact("directory bits")? as u32, row_bits: file.fact("row bits")? as u32 };
        let packed = Self { packing, count, directory: file.column("directory")?, bytes: file.column("postings")? };
        let fits = packing.directory_bits <= LONGEST_DIRECTORY
            && packing.row_bits <= 32
            && rows as u64 <= 1 << packing.row_bits
            && count <= u32::MAX as usize
            && packed.directory.len() == packing.directory_len()
            && packed.bytes.len() == packing.bytes(count);
        if fits { Ok(packed) } else { Err(Refused::Damaged("its columns do not fit each other".into())) }
    }

    /// How many postings there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The bounds of the bucket of a uniform key.
    #[inline]
    pub fn bucket(&self, file: &SegmentFile, key: u64) -> Result<(usize, usize), Refused> {
        let bucket = self.packing.bucket(key);
        let bounds = file.read(self.directory, bucket..bucket + 2)?;
        Ok((bounds[0] as usize, bounds[1] as usize))
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

    /// The postings with a key of a bucket, whose bounds are given: where they begin and end.
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
        for bucket in self.packing.bucket(first)..=self.packing.bucket(last) {
            let bounds = file.read(self.directory, bucket..bucket + 2)?;
            let view = self.view(file, bounds[0] as usize, bounds[1] as usize)?;
            let head = (bucket as u64) << 1 << (63 - self.packing.directory_bits);
            for at in 0..view.count {
                let key = if self.packing.directory_bits == 0 { view.tail(at) } else { head | view.tail(at) };
                if (first..=last).contains(&key) {
                    with((key, view.row(at)))?;
                }
            }
        }
        Ok(())
    }
}
