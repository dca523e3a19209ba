//! Packed texts: compressed bytes with a checksum.
//!
//! A packed text starts with eight bytes: the number of code points and a checksum, both little-endian. A Zstandard
//! frame with a declared size follows; it contains the code points as encoded by [`characters`]. The checksum is the
//! lower half of XXH3-64 of the frame, seeded with the number of code points, so that damage is detected before
//! decompression.

mod characters;

use std::cell::RefCell;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd_safe::{CCtx, CParameter, DCtx, compress_bound, find_frame_compressed_size, get_frame_content_size};

use crate::text::TextBlock;
use crate::text::{CodePoints, Text};

/// Maximum number of code points of a text.
pub const MOST_CODE_POINTS: usize = 1 << 26;
/// Level 1 takes 5% more space in the same time, level 4 takes 1% less in twice the time.
const LEVEL: i32 = 3;
/// A Zstandard block takes at least four bytes and expands to at most 128 KiB.
const MOST_FROM_ONE_BYTE: usize = 32 << 10;
/// Buffer capacity that a worker keeps for the next text.
const KEPT_BYTES: usize = 1 << 20;
/// Texts per parallel task; smaller tasks do not pay for another thread.
const TEXTS_A_TASK: usize = 8;

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::new(Packer::new());
    static UNPACKER: RefCell<Unpacker> = RefCell::new(Unpacker::new());
}

/// Packs every text of `block`, in parallel. Linear in the texts: about 15 µs for a thousand Chinese characters.
///
/// # Panics
/// If a text has more than [`MOST_CODE_POINTS`].
pub fn pack(block: &impl TextBlock) -> Vec<Vec<u8>> {
    in_parallel(block.len(), |index| block.with_text(index, |text| PACKER.with_borrow_mut(|packer| packer.pack(text))))
}

/// Unpacks texts in parallel; None for a damaged text. Linear in the texts: about 6 µs for a thousand Chinese
/// characters. Malicious bytes cannot cause larger allocations than a valid text.
pub fn unpack(packed: &[impl AsRef<[u8]> + Sync]) -> Vec<Option<Vec<u32>>> {
    in_parallel(packed.len(), |index| UNPACKER.with_borrow_mut(|unpacker| unpacker.unpack(packed[index].as_ref())))
}

fn in_parallel<R: Send>(count: usize, act: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if count <= TEXTS_A_TASK {
        return (0..count).map(act).collect();
    }
    (0..count).into_par_iter().with_min_len(TEXTS_A_TASK).map(act).collect()
}

fn checksum(frame: &[u8], count: u32) -> u32 {
    xxh3_64_with_seed(frame, count.into()) as u32
}

struct Packer {
    context: CCtx<'static>,
    encoded: Vec<u8>,
    frame: Vec<u8>,
}

impl Packer {
    fn new() -> Self {
        let mut context = CCtx::create();
        context.set_parameter(CParameter::CompressionLevel(LEVEL)).expect("the level exists");
        Self { context, encoded: Vec::new(), frame: Vec::new() }
    }

    fn pack(&mut self, text: Text<'_>) -> Vec<u8> {
        self.encoded.clear();
        let count = match text {
            Text::Utf8(text) => characters::encode(text.code_points(), &mut self.encoded),
            Text::CodePoints(text) => characters::encode(text.code_points(), &mut self.encoded),
        };
        assert!(count <= MOST_CODE_POINTS, "a text is too long to be packed");
        let count = count as u32;
        self.frame.clear();
        self.frame.reserve(compress_bound(self.encoded.len()));
        self.context.compress2(&mut self.frame, &self.encoded).expect("there is room for the frame");
        let checksum = checksum(&self.frame, count);
        let packed = [&count.to_le_bytes(), &checksum.to_le_bytes(), &self.frame[..]].concat();
        if self.encoded.len() > KEPT_BYTES {
            *self = Self::new();
        }
        packed
    }
}

struct Unpacker {
    context: DCtx<'static>,
    encoded: Vec<u8>,
}

impl Unpacker {
    fn new() -> Self {
        Self { context: DCtx::create(), encoded: Vec::new() }
    }

    fn unpack(&mut self, packed: &[u8]) -> Option<Vec<u32>> {
        let (count, rest) = packed.split_first_chunk()?;
        let (expected, frame) = rest.split_first_chunk()?;
        let count = u32::from_le_bytes(*count);
        if u32::from_le_bytes(*expected) != checksum(frame, count)
            || find_frame_compressed_size(frame) != Ok(frame.len())
        {
            return None;
        }
        let (count, size) = (count as usize, usize::try_from(get_frame_content_size(frame).ok()??).ok()?);
        if count > MOST_CODE_POINTS || size > (4 * count).min(frame.len() * MOST_FROM_ONE_BYTE) {
            return None;
        }
        self.encoded.clear();
        self.encoded.try_reserve_exact(size).ok()?;
        let filled = self.context.decompress(&mut self.encoded, frame) == Ok(size);
        let text = if filled { characters::decode(&self.encoded, count) } else { None };
        if size > KEPT_BYTES {
            *self = Self::new();
        }
        text
    }
}

#[cfg(test)]
mod tests;
