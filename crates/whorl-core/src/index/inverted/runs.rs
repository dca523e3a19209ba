//! Locating the postings of keys.

use std::hint::black_box;

use rayon::prelude::*;

use super::segment::Segment;
use crate::index::segment_file::Refused;
use crate::index::segments::{Sealed, Segment as _, State, Window};

/// Keys per parallel task, chosen so that the touched cache lines stay in the cache.
const KEYS_A_TASK: usize = 512;

/// Maximum number of rows of a run that are copied when its postings are located; longer runs are sequential anyway.
const ROWS_AT_HAND: usize = 32;

/// The postings of a key in one segment.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub segment: u32,
    /// Index of its rows among the copied rows; None for a long run.
    rows: Option<u32>,
    pub start: usize,
    pub end: usize,
}

impl Run {
    /// Number of postings.
    pub fn len(&self) -> usize {
        self.end - self.start
    }
}

/// The runs of a key, in segment order.
#[derive(Clone, Copy)]
pub(super) struct KeyRuns<'a> {
    pub runs: &'a [Run],
    rows: &'a [u32],
}

/// The runs of several uniform keys, in segment order.
pub(super) struct Runs {
    parts: Vec<Part>,
}

/// The runs of [`KEYS_A_TASK`] keys.
struct Part {
    runs: Vec<Run>,
    /// The end of each key's runs.
    ends: Vec<u32>,
    /// The copied rows.
    rows: Vec<u32>,
}

impl Runs {
    /// Locates runs in the segments that may have rows in the window; optionally on all threads.
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

    /// The runs of a key, by index.
    #[inline]
    pub fn of_key(&self, key: usize) -> KeyRuns<'_> {
        let Part { runs, ends, rows } = &self.parts[key / KEYS_A_TASK];
        let local = key % KEYS_A_TASK;
        let start = if local == 0 { 0 } else { ends[local - 1] };
        KeyRuns { runs: &runs[start as usize..ends[local] as usize], rows }
    }
}

impl Part {
    /// A key takes four dependent memory accesses: the approximate start of its bucket, the exact bounds, the tags,
    /// and, if a tag matches, the postings. All keys perform one access before any performs the next, so that the
    /// processor overlaps the cache misses.
    fn of(state: &State<Segment>, keys: &[u64], window: Option<Window>) -> Result<Self, Refused> {
        let mut listed: Vec<(u32, Run)> = Vec::new();
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
                    listed.push((number, Run { segment, rows: at_hand, start, end }));
                }
            }
        }
        listed.sort_by_key(|&(number, _)| number);
        let mut ends = vec![0; keys.len()];
        listed.iter().for_each(|&(number, _)| ends[number as usize] += 1);
        let mut end = 0;
        for local in &mut ends {
            end += *local;
            *local = end;
        }
        Ok(Self { runs: listed.into_iter().map(|(_, run)| run).collect(), ends, rows })
    }
}

/// Appends the documents of some runs, each as the segment number above the row.
pub(super) fn list(
    state: &State<Segment>,
    KeyRuns { runs, rows }: KeyRuns<'_>,
    window: Option<Window>,
    places: &mut Vec<u64>,
) -> Result<(), Refused> {
    for run in runs {
        let sealed = &state.segments[run.segment as usize];
        let mut add = |row| {
            if is_wanted(sealed, row, window)? {
                places.push(u64::from(run.segment) << 32 | u64::from(row));
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

/// Appends the first documents of some runs, up to a limit.
pub(super) fn list_first(
    state: &State<Segment>,
    KeyRuns { runs, .. }: KeyRuns<'_>,
    window: Option<Window>,
    limit: usize,
    places: &mut Vec<u64>,
) -> Result<(), Refused> {
    let full = places.len() + limit;
    for run in runs {
        let sealed = &state.segments[run.segment as usize];
        for row in sealed.segment.postings().view(run.start, run.end)?.rows() {
            if places.len() == full {
                return Ok(());
            }
            if is_wanted(sealed, row, window)? {
                places.push(u64::from(run.segment) << 32 | u64::from(row));
            }
        }
    }
    Ok(())
}

/// True if a row was not removed and lies in the window.
pub(super) fn is_wanted(sealed: &Sealed<Segment>, row: u32, window: Option<Window>) -> Result<bool, Refused> {
    Ok(sealed.is_living(row) && sealed.segment.labels().in_window(sealed.segment.file(), row, window)?)
}
