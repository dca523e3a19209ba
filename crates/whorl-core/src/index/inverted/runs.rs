//! Where the postings of keys lie.

use std::hint::black_box;

use rayon::prelude::*;

use super::segment::Segment;
use crate::index::segment_file::Refused;
use crate::index::segments::{Sealed, Segment as _, State, Window};

/// Keys of a task: so many that the lines of memory that they touch stay in the cache.
const KEYS_A_TASK: usize = 512;

/// As many rows of a run are read while its postings are at hand; further ones lie beside each other anyway.
const ROWS_AT_HAND: usize = 32;

/// The postings with one key in one segment.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub segment: u32,
    /// Where its rows are among those at hand; none where they are too many.
    rows: Option<u32>,
    pub start: usize,
    pub end: usize,
}

impl Run {
    /// How many they are.
    pub fn len(&self) -> usize {
        self.end - self.start
    }
}

/// The runs of a key, in the order of the segments.
#[derive(Clone, Copy)]
pub(super) struct KeyRuns<'a> {
    pub runs: &'a [Run],
    rows: &'a [u32],
}

/// For each of some uniform keys its runs, in the order of the segments.
pub(super) struct Runs {
    parts: Vec<Part>,
}

/// Those of [`KEYS_A_TASK`] keys.
struct Part {
    runs: Vec<Run>,
    /// Where those of each key end.
    ends: Vec<u32>,
    /// The rows at hand.
    rows: Vec<u32>,
}

impl Runs {
    /// Those in the segments that may have rows in the window; on all threads if so wanted.
    pub fn of(
        state: &State<Segment>,
        keys: &[u64],
        window: Option<Window>,
        on_all_threads: bool,
    ) -> Result<Self, Refused> {
        let part = |keys: &[u64]| Part::of(state, keys, window);
        let parts = match on_all_threads {
            true => keys.par_chunks(KEYS_A_TASK).map(part).collect::<Result<_, Refused>>()?,
            false => keys.chunks(KEYS_A_TASK).map(part).collect::<Result<_, Refused>>()?,
        };
        Ok(Self { parts })
    }

    /// Those of a key, by its number.
    #[inline]
    pub fn of_key(&self, key: usize) -> KeyRuns<'_> {
        let Part { runs, ends, rows } = &self.parts[key / KEYS_A_TASK];
        let own = key % KEYS_A_TASK;
        let start = if own == 0 { 0 } else { ends[own - 1] };
        KeyRuns { runs: &runs[start as usize..ends[own] as usize], rows }
    }
}

impl Part {
    /// A key is four jumps in memory: where its bucket begins about, where exactly, the tags of its postings and, where
    /// one of these is its own, the postings. All keys make one before any makes the next, so that the processor waits
    /// for many at once.
    fn of(state: &State<Segment>, keys: &[u64], window: Option<Window>) -> Result<Self, Refused> {
        let mut found: Vec<(u32, Run)> = Vec::new();
        let mut rows = Vec::new();
        for (segment, sealed) in (0..).zip(&state.segments) {
            if !sealed.segment.labels().meet(window) {
                continue;
            }
            let postings = sealed.segment.postings();
            let samples: Vec<u32> = keys.iter().map(|&key| postings.sample(key)).collect::<Result<_, _>>()?;
            black_box(samples.iter().fold(0, |sum, &sample| sum ^ postings.touch_bucket(sample)));
            let bucket = |(&key, sample)| postings.bucket(key, sample);
            let buckets: Vec<(usize, usize)> = keys.iter().zip(samples).map(bucket).collect::<Result<_, _>>()?;
            black_box(buckets.iter().fold(0, |sum, &(start, _)| sum ^ postings.touch_tags(start)));
            let mut tagged: Vec<(u32, (usize, usize))> = Vec::new();
            for ((number, &key), bucket) in (0..).zip(keys).zip(buckets) {
                let (start, end) = postings.tagged(key, bucket)?;
                if start < end {
                    tagged.push((number, (start, end)));
                }
            }
            black_box(tagged.iter().fold(0, |sum, &(_, (start, _))| sum ^ postings.touch(start)));
            for (number, bounds) in tagged {
                let (start, end) = postings.run(keys[number as usize], bounds)?;
                if start < end {
                    let at_hand = (end - start <= ROWS_AT_HAND).then_some(rows.len() as u32);
                    if at_hand.is_some() {
                        rows.extend(postings.view(start, end)?.rows());
                    }
                    found.push((number, Run { segment, rows: at_hand, start, end }));
                }
            }
        }
        found.sort_by_key(|&(number, _)| number);
        let mut ends = vec![0; keys.len()];
        found.iter().for_each(|&(number, _)| ends[number as usize] += 1);
        let mut end = 0;
        for own in &mut ends {
            end += *own;
            *own = end;
        }
        Ok(Self { runs: found.into_iter().map(|(_, run)| run).collect(), ends, rows })
    }
}

/// Appends the places of the documents of some runs: the number of the segment above the row.
pub(super) fn list(
    state: &State<Segment>,
    KeyRuns { runs, rows }: KeyRuns<'_>,
    window: Option<Window>,
    found: &mut Vec<u64>,
) -> Result<(), Refused> {
    for run in runs {
        let sealed = &state.segments[run.segment as usize];
        let mut add = |row| {
            if is_wanted(sealed, row, window)? {
                found.push(u64::from(run.segment) << 32 | u64::from(row));
            }
            Ok(())
        };
        match run.rows {
            Some(first) => rows[first as usize..][..run.len()].iter().copied().try_for_each(&mut add)?,
            None => sealed.segment.postings().view(run.start, run.end)?.rows().try_for_each(&mut add)?,
        }
    }
    Ok(())
}

/// Appends the places of the first so many documents of some runs.
pub(super) fn list_first(
    state: &State<Segment>,
    KeyRuns { runs, .. }: KeyRuns<'_>,
    window: Option<Window>,
    most: usize,
    found: &mut Vec<u64>,
) -> Result<(), Refused> {
    let full = found.len() + most;
    for run in runs {
        let sealed = &state.segments[run.segment as usize];
        for row in sealed.segment.postings().view(run.start, run.end)?.rows() {
            if found.len() == full {
                return Ok(());
            }
            if is_wanted(sealed, row, window)? {
                found.push(u64::from(run.segment) << 32 | u64::from(row));
            }
        }
    }
    Ok(())
}

/// Whether a row was not removed and lies in a window.
pub(super) fn is_wanted(sealed: &Sealed<Segment>, row: u32, window: Option<Window>) -> Result<bool, Refused> {
    Ok(sealed.is_living(row) && sealed.segment.labels().in_window(sealed.segment.file(), row, window)?)
}
