//! Merging of segments: each slice of the key space is read from all segments at once, and slices are processed in
//! parallel.

use rayon::prelude::*;

use super::order::in_order;
use super::packed::{Packer, Posting};
use super::postings::Postings;
use crate::index::segment_file::Refused;
use crate::index::segments::Payloads;

/// Approximate number of postings per slice.
const SLICE: usize = 1 << 16;
/// Number of slices sorted in parallel while earlier ones are packed.
const WAVE: u64 = 16;

const GONE: u32 = u32::MAX;

/// The postings of a segment, with the new numbers of its rows.
struct Part<'a> {
    postings: Postings<'a>,
    new_rows: Vec<u32>,
}

impl Part<'_> {
    fn for_each(&self, range: (u64, u64), mut with: impl FnMut(Posting)) -> Result<(), Refused> {
        self.postings.for_each(range, |(key, row)| {
            match self.new_rows.get(row as usize) {
                Some(&GONE) => {}
                Some(&row) => with((key, row)),
                None => return Err(Refused::Damaged("a row that is not there".into())),
            }
            Ok(())
        })
    }
}

/// The living rows of several segments, in order.
#[derive(Default)]
pub(super) struct Merging<'a> {
    parts: Vec<Part<'a>>,
    posting_bound: usize,
    has_dead: bool,
    /// Ids of the living rows.
    pub ids: Vec<u64>,
    /// Times of the living rows; empty if no row has one.
    pub times: Vec<i64>,
    /// Payloads of the living rows.
    pub payloads: Payloads,
}

impl<'a> Merging<'a> {
    /// Adds a segment: `count` postings, the labels of its rows, and which rows are living.
    pub(super) fn add(
        &mut self,
        (postings, count): (Postings<'a>, usize),
        (ids, times, payloads): (&[u64], &[i64], &Payloads),
        is_living: impl Fn(u32) -> bool,
    ) {
        let mut new_rows = vec![GONE; ids.len()];
        for (row, &id) in ids.iter().enumerate().filter(|(row, _)| is_living(*row as u32)) {
            new_rows[row] = self.ids.len() as u32;
            self.payloads.push(self.ids.len(), payloads.get(row));
            self.ids.push(id);
            self.times.extend(times.get(row));
        }
        self.posting_bound += count;
        self.has_dead |= new_rows.contains(&GONE);
        self.parts.push(Part { postings, new_rows });
    }

    /// Number of postings of the living rows.
    pub(super) fn count(&self) -> Result<usize, Refused> {
        if !self.has_dead {
            return Ok(self.posting_bound);
        }
        let slices = Slices::of(self.posting_bound);
        let in_slice = |slice: u64| {
            let mut count = 0;
            self.parts.iter().try_for_each(|part| part.for_each(slices.range(slice), |_| count += 1))?;
            Ok(count)
        };
        (0..slices.count()).into_par_iter().map(in_slice).try_reduce(|| 0, |a, b| Ok(a + b))
    }

    /// Packs these postings in order.
    pub(super) fn fill(&self, packer: &mut Packer<'_>) -> Result<(), Refused> {
        let slices = Slices::of(self.posting_bound);
        let in_slice = |slice: u64| {
            let mut postings: Vec<Posting> = Vec::with_capacity(SLICE * 2);
            self.parts
                .iter()
                .try_for_each(|part| part.for_each(slices.range(slice), |posting| postings.push(posting)))?;
            Ok(in_order(postings.len(), postings.iter().copied(), slices.bits))
        };
        let in_wave = |first: u64| -> Result<Vec<Vec<Posting>>, Refused> {
            (first..slices.count().min(first + WAVE)).into_par_iter().map(in_slice).collect()
        };
        let mut wave = in_wave(0)?;
        let mut first = 0;
        while !wave.is_empty() {
            first += WAVE;
            let mut pack = || wave.iter().for_each(|postings| packer.add(postings));
            if first >= slices.count() {
                // No work remains for another thread, so none is woken: most merges are small.
                pack();
                break;
            }
            let ((), next) = rayon::join(pack, || in_wave(first));
            wave = next?;
        }
        Ok(())
    }
}

/// A division of the key space into equal ranges.
#[derive(Clone, Copy)]
struct Slices {
    bits: u32,
}

impl Slices {
    fn of(postings: usize) -> Self {
        Self { bits: (postings / SLICE).checked_ilog2().unwrap_or(0) }
    }

    fn count(self) -> u64 {
        1 << self.bits
    }

    fn range(self, slice: u64) -> (u64, u64) {
        let first = slice << 1 << (63 - self.bits);
        (if self.bits == 0 { 0 } else { first }, first | (u64::MAX >> self.bits))
    }
}
