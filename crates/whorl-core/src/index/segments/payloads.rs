//! Payloads of rows: a few bytes for each, which are stored and returned but never searched.

use crate::index::segment_file::{Column, Refused, SegmentFile};

/// The names of the columns: the bytes of all payloads, and where each ends. Segments without payloads lack both, so
/// their files are the same as before payloads existed.
const BYTES: &str = "payloads";
const ENDS: &str = "payload ends";

/// Payloads by row; a row without one has no bytes. If no row has one, there are no ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payloads {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Payloads {
    /// Checks the ends of payloads.
    ///
    /// # Errors
    /// They do not ascend to the number of bytes.
    pub fn new(bytes: Vec<u8>, ends: Vec<u64>) -> Result<Self, String> {
        if ends.is_sorted() && ends.last().copied().unwrap_or(0) == bytes.len() as u64 {
            return Ok(Self { bytes, ends });
        }
        Err("the ends of payloads must ascend to the number of their bytes".to_owned())
    }

    /// Number of rows; 0 if no row has a payload.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if no row has a payload.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The payload of a row; empty if it has none.
    pub fn get(&self, row: usize) -> &[u8] {
        match self.ends.get(row) {
            None => &[],
            Some(&end) => &self.bytes[row.checked_sub(1).map_or(0, |last| self.ends[last] as usize)..end as usize],
        }
    }

    /// Appends the payload of the row `row`, which follows all rows so far.
    pub fn push(&mut self, row: usize, payload: &[u8]) {
        if self.is_empty() && payload.is_empty() {
            return;
        }
        self.ends.resize(row, self.bytes.len() as u64);
        self.bytes.extend_from_slice(payload);
        self.ends.push(self.bytes.len() as u64);
    }

    /// Appends the payloads of `count` rows after `rows` rows.
    pub fn append(&mut self, rows: usize, other: &Self, count: usize) {
        (0..count).for_each(|row| self.push(rows + row, other.get(row)));
    }

    /// Selects rows by index.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::default();
        if !self.is_empty() {
            rows.iter().enumerate().for_each(|(place, &row)| selected.push(place, self.get(row)));
        }
        selected
    }

    /// Names and sizes of the columns of a segment of `rows` rows.
    pub fn columns(&self, rows: usize) -> Vec<(&'static str, usize)> {
        if self.is_empty() { Vec::new() } else { vec![(BYTES, self.bytes.len()), (ENDS, rows * 8)] }
    }

    /// Fills these columns.
    pub fn fill<'a>(&self, mut next: impl FnMut() -> &'a mut [u8]) {
        if self.is_empty() {
            return;
        }
        next().copy_from_slice(&self.bytes);
        let ends: &mut [u64] = bytemuck::cast_slice_mut(next());
        ends[..self.len()].copy_from_slice(&self.ends);
        ends[self.len()..].fill(self.bytes.len() as u64);
    }
}

/// The payloads of a segment in its file.
#[derive(Clone, Copy, Debug)]
pub struct StoredPayloads {
    bytes: Column<u8>,
    ends: Column<u64>,
}

impl StoredPayloads {
    /// Locates the payloads; None if the segment has none.
    ///
    /// # Errors
    /// Their number is not that of the rows.
    pub fn of(file: &SegmentFile, rows: usize) -> Result<Option<Self>, Refused> {
        if !file.has_column(ENDS) {
            return Ok(None);
        }
        let stored = Self { bytes: file.column(BYTES)?, ends: file.column(ENDS)? };
        if stored.ends.len() == rows {
            return Ok(Some(stored));
        }
        Err(Refused::Damaged("its columns do not fit each other".into()))
    }

    /// The payload of a row.
    ///
    /// # Errors
    /// It is damaged, or the row does not exist.
    pub fn get<'a>(&self, file: &'a SegmentFile, row: usize) -> Result<&'a [u8], Refused> {
        let bounds = file.read(self.ends, row.saturating_sub(1)..row + 1)?;
        let start = if row == 0 { 0 } else { bounds[0] };
        file.read(self.bytes, start as usize..bounds[bounds.len() - 1] as usize)
    }

    /// All payloads.
    ///
    /// # Errors
    /// They are damaged.
    pub fn all(&self, file: &SegmentFile) -> Result<Payloads, Refused> {
        let (bytes, ends) = (file.read_all(self.bytes)?.to_vec(), file.read_all(self.ends)?.to_vec());
        Payloads::new(bytes, ends).map_err(Refused::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Payloads;

    type Slow = Vec<Vec<u8>>;

    fn payloads_of(slow: &Slow) -> Payloads {
        let mut payloads = Payloads::default();
        slow.iter().enumerate().for_each(|(row, payload)| payloads.push(row, payload));
        payloads
    }

    fn read(payloads: &Payloads, rows: usize) -> Slow {
        (0..rows).map(|row| payloads.get(row).to_vec()).collect()
    }

    proptest! {
        #[test]
        fn payloads_equal_a_list(
            first in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3), 0..9),
            second in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3), 0..9),
            chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        ) {
            let (mut payloads, other) = (payloads_of(&first), payloads_of(&second));
            prop_assert_eq!(read(&payloads, first.len()), first.clone());
            payloads.append(first.len(), &other, second.len());
            let all: Slow = first.iter().chain(&second).cloned().collect();
            prop_assert_eq!(read(&payloads, all.len()), all.clone());
            prop_assert_eq!(payloads.is_empty(), all.iter().all(Vec::is_empty));
            if !all.is_empty() {
                let rows: Vec<usize> = chosen.iter().map(|index| index.index(all.len())).collect();
                let expected: Slow = rows.iter().map(|&row| all[row].clone()).collect();
                prop_assert_eq!(read(&payloads.select(&rows), rows.len()), expected);
            }
        }
    }

    #[test]
    fn ends_must_fit_the_bytes() {
        assert!(Payloads::new(vec![1, 2], vec![1, 1, 2]).is_ok());
        assert!(Payloads::new(vec![1, 2], vec![1]).is_err());
        assert!(Payloads::new(vec![1, 2], vec![2, 1, 2]).is_err());
    }
}
