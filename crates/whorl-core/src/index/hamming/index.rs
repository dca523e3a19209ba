//! The Hamming index over all segments and recent rows.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::answer::{Ask, Counters, Near, PlacedNear, Tally};
use super::code::Code;
use super::design::Design;
use super::plan::Plan;
use super::scan::scan;
use super::segment::{Listing, Segment};
use crate::index::segment_file::{Refused, SegmentFile};
use crate::index::segments::{Log, Size, State};

const QUERIES_A_TASK: usize = 64;
/// The maximum distance of a query, for codes of up to 64, 128 and 256 bits.
const LARGEST_DISTANCES: [u32; 3] = [11, 15, 63];

/// Codes with ids, searchable by Hamming distance.
pub struct Index<C: Code> {
    log: Log<Segment<C>>,
    plans: Vec<OnceLock<Option<Plan>>>,
    most_candidates: usize,
    counters: Counters,
}

/// Size and query statistics of an index since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of searchable codes.
    pub codes: usize,
    /// Removed codes whose space is not yet reclaimed.
    pub removed: usize,
    /// Number of segments.
    pub segments: usize,
    /// Codes added since the last segment was built.
    pub recent: usize,
    /// Total size in bytes, in memory or mapped.
    pub bytes: usize,
    /// Cost of all queries.
    pub tally: Tally,
}

impl<C: Code> Index<C> {
    /// Creates an empty index. A query compares at most `most_candidates` codes that share a key.
    pub fn new(design: Design, most_candidates: usize) -> Self {
        Self::with_log(Log::new(design), most_candidates)
    }

    /// Opens an index from a manifest and the files of its segments, in manifest order.
    ///
    /// # Errors
    /// The files do not belong together, or the parts read here are damaged.
    pub fn from_files(
        manifest: &SegmentFile,
        files: Vec<SegmentFile>,
        most_candidates: usize,
    ) -> Result<Self, Refused> {
        Ok(Self::with_log(Log::from_files(manifest, files)?, most_candidates))
    }

    fn with_log(log: Log<Segment<C>>, most_candidates: usize) -> Self {
        let plans = (0..=largest_distance(log.common().bits())).map(|_| OnceLock::new()).collect();
        Self { log, plans, most_candidates, counters: Counters::default() }
    }

    /// The rows of the index, for adding, removing and saving.
    pub fn log(&self) -> &Log<Segment<C>> {
        &self.log
    }

    /// The table design.
    pub fn design(&self) -> &Design {
        self.log.common()
    }

    /// The maximum distance of a query.
    pub fn largest_distance(&self) -> u32 {
        largest_distance(self.design().bits())
    }

    fn plan(&self, k: u32) -> Option<&Plan> {
        self.plans[k as usize].get_or_init(|| self.design().plan(k)).as_ref()
    }

    /// Returns the codes within `ask.k` bits of `query`, nearest first, ties in insertion order, with the cost and
    /// omissions.
    ///
    /// # Errors
    /// A part of the index that is read for the first time is damaged.
    ///
    /// # Panics
    /// `ask.k` is larger than [`Index::largest_distance`].
    pub fn query(&self, query: C, ask: &Ask) -> Result<(Vec<Near>, Tally), Refused> {
        let mut tally = Tally::default();
        let answer = self.answer(&self.log.state(), query, ask, &mut tally);
        self.counters.add(tally);
        Ok((answer?, tally))
    }

    /// Runs [`Index::query`] for many queries on all threads; each result has the number of its query.
    ///
    /// # Errors
    /// As [`Index::query`]. The tally covers all queries.
    pub fn query_many(&self, queries: &[C], ask: &Ask) -> Result<(Vec<(u32, Near)>, Tally), Refused> {
        let state = self.log.state();
        let task = |(number, chunk): (usize, &[C])| {
            let mut tally = Tally::default();
            let mut answers = Vec::new();
            for (position, &query) in chunk.iter().enumerate() {
                let number = (number * QUERIES_A_TASK + position) as u32;
                answers.extend(self.answer(&state, query, ask, &mut tally)?.into_iter().map(|near| (number, near)));
            }
            Ok((answers, tally))
        };
        let parts: Vec<_> = queries.par_chunks(QUERIES_A_TASK).enumerate().map(task).collect::<Result<_, Refused>>()?;
        let mut total = Tally::default();
        parts.iter().for_each(|(_, tally)| total.add(*tally));
        self.counters.add(total);
        Ok((parts.into_iter().flat_map(|(answers, _)| answers).collect(), total))
    }

    fn answer(&self, state: &State<Segment<C>>, query: C, ask: &Ask, tally: &mut Tally) -> Result<Vec<Near>, Refused> {
        let ask = &Ask { limit: if ask.first { 1 } else { ask.limit.max(1) }, ..*ask };
        let plan = self.plan(ask.k);
        let mut results = Vec::new();
        tally.queries += 1;
        for (number, sealed) in state.segments.iter().enumerate() {
            let place = (number as u64) << 32;
            let mut list = Listing { dead: sealed.dead.as_ref(), place, results: &mut results, tally };
            sealed.segment.search(query, ask, plan, self.most_candidates, &mut list)?;
            if ask.first && !results.is_empty() {
                break;
            }
        }
        if !ask.first || results.is_empty() {
            search_recent(state, query, ask, &mut results, tally);
        }
        results.sort_unstable();
        if results.len() > ask.limit {
            tally.unlisted += if ask.first { 0 } else { (results.len() - ask.limit) as u64 };
            results.truncate(ask.limit);
        }
        Ok(results.into_iter().map(|PlacedNear { distance, id, .. }| Near { id, distance }).collect())
    }

    /// Returns size and query statistics.
    pub fn stats(&self) -> Stats {
        let Size { living, removed, segments, bytes } = self.log.size();
        let state = self.log.state();
        let recent = &state.recent;
        Stats {
            codes: living,
            removed,
            segments,
            recent: recent.len(),
            bytes: bytes + recent.len() * (size_of::<C>() + 8) + recent.times.len() * 8,
            tally: self.counters.tally(),
        }
    }
}

fn largest_distance(bits: u32) -> u32 {
    bits.min(LARGEST_DISTANCES[bits.div_ceil(64).next_power_of_two().ilog2() as usize])
}

fn search_recent<C: Code>(
    state: &State<Segment<C>>,
    query: C,
    ask: &Ask,
    results: &mut Vec<PlacedNear>,
    tally: &mut Tally,
) {
    let recent = &state.recent;
    let mut near = Vec::new();
    scan(&recent.values, query, ask.k, &mut near);
    tally.candidates += recent.len() as u64;
    let place = (state.segments.len() as u64) << 32;
    for (row, distance) in near {
        let id = recent.ids[row as usize];
        if ask.window.is_none_or(|window| recent.times.get(row as usize).is_some_and(|&time| window.has(time))) {
            results.push(PlacedNear { distance, place: place + u64::from(row), id });
        }
    }
}
