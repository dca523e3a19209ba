//! In-place construction of a segment: columns are filled at their final position.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::{ALIGNMENT, BLOCK, COLUMN_ENTRY, FACT_ENTRY, HEADER, MAGIC, NAME, SegmentFile, VERSION};

/// Bytes aligned for the widest number in a column.
struct Memory(Vec<u128>);

impl AsRef<[u8]> for Memory {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// A segment under construction.
pub struct Builder {
    kind: [u8; 4],
    memory: Memory,
    columns: Vec<(String, usize, usize)>,
}

impl Builder {
    /// Allocates zeroed columns of these sizes.
    ///
    /// # Panics
    /// A name is longer than 16 bytes.
    pub fn new(kind: [u8; 4], columns: &[(&str, usize)]) -> Self {
        let mut end = HEADER;
        let place = |&(name, bytes): &(&str, usize)| {
            assert!(name.len() <= NAME, "the name '{name}' of a column is too long");
            let start = end.next_multiple_of(ALIGNMENT);
            end = start + bytes;
            (name.to_owned(), start, end)
        };
        let columns: Vec<_> = columns.iter().map(place).collect();
        let size = end.next_multiple_of(ALIGNMENT);
        Self { kind, memory: Memory(vec![0; size / size_of::<u128>()]), columns }
    }

    /// The columns to fill, in the order of their names.
    pub fn columns(&mut self) -> Vec<&mut [u8]> {
        let mut rest: &mut [u8] = bytemuck::cast_slice_mut(&mut self.memory.0);
        let mut passed = 0;
        let cut = |&(_, start, end): &(String, usize, usize)| {
            let (_, tail) = std::mem::take(&mut rest).split_at_mut(start - passed);
            let (column, tail) = tail.split_at_mut(end - start);
            (rest, passed) = (tail, end);
            column
        };
        self.columns.iter().map(cut).collect()
    }

    /// Adds the facts and the checksums.
    ///
    /// # Panics
    /// A name is longer than 16 bytes.
    pub fn finish(mut self, facts: &[(&str, u64)]) -> SegmentFile {
        let footer_start = self.memory.0.len() * size_of::<u128>();
        let blocks = footer_start.div_ceil(BLOCK);
        let footer_size = 16 + self.columns.len() * COLUMN_ENTRY + facts.len() * FACT_ENTRY + blocks * 8 + 8;
        let header = self.header(footer_start, footer_size);
        bytemuck::cast_slice_mut::<u128, u8>(&mut self.memory.0)[..HEADER].copy_from_slice(&header);
        let mut footer = Vec::with_capacity(footer_size);
        footer.extend((self.columns.len() as u64).to_le_bytes());
        footer.extend((facts.len() as u64).to_le_bytes());
        for (name, start, end) in &self.columns {
            put_name(&mut footer, name);
            footer.extend((*start as u64).to_le_bytes());
            footer.extend((*end as u64).to_le_bytes());
        }
        for (name, value) in facts {
            put_name(&mut footer, name);
            footer.extend(value.to_le_bytes());
        }
        let checksums: Vec<[u8; 8]> =
            self.memory.as_ref().par_chunks(BLOCK).map(|block| xxh3_64(block).to_le_bytes()).collect();
        footer.extend(checksums.as_flattened());
        footer.extend(xxh3_64(&footer).to_le_bytes());
        SegmentFile::with_footer(Box::new(self.memory), footer, footer_start).expect("it was made just now")
    }

    fn header(&self, footer_start: usize, footer_size: usize) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&self.kind);
        header[16..24].copy_from_slice(&((footer_start + footer_size) as u64).to_le_bytes());
        header[24..32].copy_from_slice(&(footer_start as u64).to_le_bytes());
        let checksum = xxh3_64(&header[..56]);
        header[56..].copy_from_slice(&checksum.to_le_bytes());
        header
    }
}

fn put_name(footer: &mut Vec<u8>, name: &str) {
    assert!(name.len() <= NAME, "the name '{name}' is too long");
    footer.extend(name.as_bytes());
    footer.resize(footer.len() + NAME - name.len(), 0);
}
