//! Several segments into one: each slice of the keys is read from all of them at once, slices in parallel.

use rayon::prelude::*;

use super::packed::{Packer, Posting};
use super::segment::Segment;
use crate::index::segment_file::Refused;
use crate::index::segments::{Sealed, Segment as _};

/// Postings of a slice, about.
const SLICE: usize = 1 << 16;
/// Slices that are in memory at once.
const WAVE: usize = 16;

const GONE: u32 = u32::MAX;

/// A segment, and what its rows are called in the merged one.
struct Part<'a> {
    segment: &'a Segment,
    new_rows: Vec<u32>,
}

impl Part<'_> {
    fn for_each(&self, range: (u64, u64), mut with: impl FnMut(Posting)) -> Result<(), Refused> {
        self.segment.postings().for_each(range, |(key, row)| {
            match self.new_rows.get(row as usize) {
                Some(&GONE) => {}
                Some(&row) => with((key, row)),
                None => return Err(Refused::Damaged("a row that is not there".into())),
            }
            Ok(())
        })
    }
}

/// One segment of the living rows of several, in their order; none of no rows.
pub(super) fn merge(parts: &[Sealed<Segment>]) -> Result<Option<Segment>, Refused> {
    let (mut ids, mut times) = (Vec::new(), Vec::new());
    let mut renumbered = Vec::with_capacity(parts.len());
    for part in parts {
        let (own_ids, own_times) = part.segment.labels().all(part.segment.file())?;
        let mut new_rows = vec![GONE; own_ids.len()];
        for (row, &id) in own_ids.iter().enumerate().filter(|(row, _)| part.is_living(*row as u32)) {
            new_rows[row] = ids.len() as u32;
            ids.push(id);
            times.extend(own_times.get(row));
        }
        renumbered.push(Part { segment: &part.segment, new_rows });
    }
    if ids.is_empty() {
        return Ok(None);
    }
    let most: usize = parts.iter().map(|part| part.segment.posting_count()).sum();
    let slices = Slices::of(most);
    let count = match parts.iter().all(|part| part.dead.is_none()) {
        true => most,
        false => living(&renumbered, slices)?,
    };
    Segment::of((&ids, &times), count, |packer| fill(&renumbered, slices, packer)).map(Some)
}

/// All keys in so many ranges of the same size.
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

fn living(parts: &[Part<'_>], slices: Slices) -> Result<usize, Refused> {
    let in_slice = |slice: u64| {
        let mut count = 0;
        parts.iter().try_for_each(|part| part.for_each(slices.range(slice), |_| count += 1))?;
        Ok(count)
    };
    (0..slices.count()).into_par_iter().map(in_slice).try_reduce(|| 0, |a, b| Ok(a + b))
}

fn fill(parts: &[Part<'_>], slices: Slices, packer: &mut Packer<'_>) -> Result<(), Refused> {
    let in_slice = |slice: u64| {
        let mut postings: Vec<Posting> = Vec::with_capacity(SLICE * 2);
        parts.iter().try_for_each(|part| part.for_each(slices.range(slice), |posting| postings.push(posting)))?;
        // Each part is in order already, which a stable sort makes use of.
        postings.sort();
        Ok(postings)
    };
    for first in (0..slices.count()).step_by(WAVE) {
        let wave = first..slices.count().min(first + WAVE as u64);
        let sorted: Vec<Vec<Posting>> = wave.into_par_iter().map(in_slice).collect::<Result<_, Refused>>()?;
        sorted.iter().for_each(|postings| packer.add(postings));
    }
    Ok(())
}
