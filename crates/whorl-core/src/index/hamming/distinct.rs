//! The codes of some rows, each once.

use std::ops::Range;

use rayon::prelude::*;

use super::code::Code;

/// Codes in their order, and the rows of each in the order of adding.
pub(super) struct Distinct<C> {
    pub codes: Vec<C>,
    pub rows: Vec<u32>,
    /// Where the rows of each code begin, and where the last ones end.
    pub starts: Vec<u32>,
}

impl<C: Code> Distinct<C> {
    /// The codes of rows. Sorts them.
    pub fn of(codes: &[C]) -> Self {
        let mut sorted: Vec<(C, u32)> = codes.iter().copied().zip(0..).collect();
        sorted.par_sort_unstable();
        let mut distinct = Self { codes: Vec::new(), rows: Vec::with_capacity(codes.len()), starts: Vec::new() };
        for (at, &(code, row)) in sorted.iter().enumerate() {
            if distinct.codes.last() != Some(&code) {
                distinct.codes.push(code);
                distinct.starts.push(at as u32);
            }
            distinct.rows.push(row);
        }
        distinct.starts.push(codes.len() as u32);
        distinct
    }

    /// Where the rows with a code lie.
    pub fn range(&self, number: u32) -> Range<usize> {
        self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize
    }

    /// The rows with a code.
    pub fn rows(&self, number: u32) -> &[u32] {
        &self.rows[self.range(number)]
    }
}
