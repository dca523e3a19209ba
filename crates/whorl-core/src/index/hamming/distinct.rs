//! The distinct codes of some rows.

use std::ops::Range;

use rayon::prelude::*;

use super::code::Code;

/// Distinct codes in ascending order, with the rows of each in insertion order.
pub(super) struct Distinct<C> {
    pub codes: Vec<C>,
    pub rows: Vec<u32>,
    /// The start of each code's rows, and the end of the last ones.
    pub starts: Vec<u32>,
}

impl<C: Code> Distinct<C> {
    /// Groups rows by code. Sorts them.
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

    /// The range of the rows with a code.
    pub fn range(&self, number: u32) -> Range<usize> {
        self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize
    }

    /// The rows with a code.
    pub fn rows(&self, number: u32) -> &[u32] {
        &self.rows[self.range(number)]
    }
}
