//! The index as a whole: many readers, one writer.

use std::sync::{Arc, Mutex, OnceLock, RwLock};

use rayon::prelude::*;

use super::answer::{Ask, Counters, Found, Near, Tally};
use super::code::Code;
use super::design::Design;
use super::plan::Plan;
use super::scan::scan;
use super::segment::{Listing, Segment};
use super::segment_build::Rows;
use super::state::{Sealed, State};
use crate::segment_file::Refused;

/// Rows that are compared one by one until there are more of them. A look-up in a segment takes as long as comparing
/// about 600 codes; a segment for so few would be merged too often.
pub(super) const RECENT: usize = 2 << 10;
/// Rows of the largest segment. It bounds the memory that building one takes beside it.
const LARGEST_SEGMENT: usize = 16 << 20;
/// A segment is merged with those after it unless it is more than so many times as large as all of them.
const GROWTH: usize = 2;
const QUERIES_A_TASK: usize = 64;
const LARGEST_DISTANCES: (u32, u32) = (11, 15);
/// The largest id; one more can always be counted.
pub const LARGEST_ID: u64 = i64::MAX as u64;

/// Codes with ids, and all that are within a few bits of a given one.
pub struct Index<C> {
    design: Design,
    plans: Vec<OnceLock<Option<Plan>>>,
    most_candidates: usize,
    /// Held for a moment only: to take the state, or to put a new one in its place.
    state: RwLock<Arc<State<C>>>,
    writing: Mutex<()>,
    counters: Counters,
}

/// How much an index holds, and what was asked of it since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Codes that a query can find.
    pub codes: usize,
    /// Removed codes whose place is not free yet.
    pub removed: usize,
    /// Segments.
    pub segments: usize,
    /// Codes that came after the last segment was made.
    pub recent: usize,
    /// Bytes of all this, in memory or mapped.
    pub bytes: usize,
    /// What the queries took.
    pub tally: Tally,
}

const UNPOISONED: &str = "no thread panicked with it";

impl<C: Code> Index<C> {
    /// An index without codes. Of the codes that share a key at most `most_candidates` are compared with a query.
    pub fn new(design: Design, most_candidates: usize) -> Self {
        let state = State { segments: Vec::new(), recent: Arc::new(Rows::empty()), next_id: 0, timed: None };
        Self::with_state(design, most_candidates, state)
    }

    pub(super) fn with_state(design: Design, most_candidates: usize, state: State<C>) -> Self {
        let plans = (0..=largest_distance(design.bits())).map(|_| OnceLock::new()).collect();
        let state = RwLock::new(Arc::new(state));
        Self { design, plans, most_candidates, state, writing: Mutex::new(()), counters: Counters::default() }
    }

    /// Its tables.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The largest distance that can be asked for.
    pub fn largest_distance(&self) -> u32 {
        largest_distance(self.design.bits())
    }

    /// Whether its codes have times; none as long as there never were codes.
    pub fn timed(&self) -> Option<bool> {
        self.state().timed
    }

    pub(super) fn state(&self) -> Arc<State<C>> {
        self.state.read().expect(UNPOISONED).clone()
    }

    fn plan(&self, k: u32) -> Option<&Plan> {
        self.plans[k as usize].get_or_init(|| self.design.plan(k)).as_ref()
    }

    /// Adds codes, given at the top of their words. Without ids they are numbered on, from 0 or after the largest id.
    ///
    /// # Errors
    /// The columns are of different lengths, an id is too large, or some codes of the index have times and some not.
    pub fn add(&self, codes: Vec<C>, ids: Option<Vec<u64>>, times: Option<Vec<i64>>) -> Result<(), String> {
        let _writing = self.writing.lock().expect(UNPOISONED);
        if codes.is_empty() {
            return Ok(());
        }
        let state = self.state();
        if state.timed.is_some_and(|timed| timed != times.is_some()) {
            return Err("either all codes of an index have times or none".into());
        }
        let timed = times.is_some();
        let ids = ids.unwrap_or_else(|| (state.next_id..state.next_id.saturating_add(codes.len() as u64)).collect());
        let rows = Rows { codes, ids, times: times.unwrap_or_default() };
        if rows.ids.len() != rows.len() || timed && rows.times.len() != rows.len() {
            return Err("every code needs an id, and a time if any has one".into());
        }
        let largest = rows.ids.iter().max().copied().unwrap_or(0);
        if largest > LARGEST_ID {
            return Err(format!("the id {largest} is larger than 2^63 - 1"));
        }
        let sealed = if state.recent.len() + rows.len() < RECENT {
            None
        } else {
            let mut all = Arc::unwrap_or_clone(state.recent.clone());
            all.append(&rows);
            Some(self.with_new(state.segments.clone(), all).map_err(|refused| refused.to_string())?)
        };
        drop(state);
        let mut guard = self.state.write().expect(UNPOISONED);
        let state = Arc::make_mut(&mut guard);
        state.next_id = state.next_id.max(largest + 1);
        state.timed = Some(timed);
        match sealed {
            None => Arc::make_mut(&mut state.recent).append(&rows),
            Some(segments) => (state.segments, state.recent) = (segments, Arc::new(Rows::empty())),
        }
        Ok(())
    }

    /// Makes segments of rows and merges the last ones until each is much larger than all after it.
    fn with_new(&self, mut segments: Vec<Sealed<C>>, rows: Rows<C>) -> Result<Vec<Sealed<C>>, Refused> {
        let parts = rows.parts(LARGEST_SEGMENT).into_iter();
        segments.extend(parts.map(|part| Sealed::new(Segment::build(&self.design, part))));
        let Some(last) = segments.last() else { return Ok(segments) };
        let (mut from, mut total) = (segments.len() - 1, last.living());
        while from > 0 {
            let before = segments[from - 1].living();
            if before > GROWTH * total || before + total > LARGEST_SEGMENT {
                break;
            }
            (from, total) = (from - 1, total + before);
        }
        if from + 1 < segments.len() {
            let merged = self.merged(&segments[from..])?;
            segments.truncate(from);
            segments.extend(merged);
        }
        Ok(segments)
    }

    /// One segment of what is alive in several; none of nothing.
    fn merged(&self, segments: &[Sealed<C>]) -> Result<Option<Sealed<C>>, Refused> {
        let mut rows = Rows::empty();
        for sealed in segments {
            rows.append(&sealed.segment.living(sealed.dead.as_deref())?);
        }
        Ok((!rows.is_empty()).then(|| Sealed::new(Segment::build(&self.design, rows))))
    }

    /// Makes a segment of the rows that came last.
    ///
    /// # Errors
    /// A segment that would be merged is damaged.
    pub fn seal(&self) -> Result<(), Refused> {
        let _writing = self.writing.lock().expect(UNPOISONED);
        let state = self.state();
        if !state.recent.is_empty() {
            self.replace(self.with_new(state.segments.clone(), (*state.recent).clone())?, Rows::empty());
        }
        Ok(())
    }

    /// Makes as few segments as possible, without what was removed. Takes the time and, beside it, the memory of
    /// building the largest of them.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn merge(&self) -> Result<(), Refused> {
        self.seal()?;
        let _writing = self.writing.lock().expect(UNPOISONED);
        let old = self.state().segments.clone();
        let mut segments = Vec::new();
        let mut start = 0;
        while start < old.len() {
            let (mut end, mut total) = (start + 1, old[start].living());
            while end < old.len() && total + old[end].living() <= LARGEST_SEGMENT {
                (end, total) = (end + 1, total + old[end].living());
            }
            let group = &old[start..end];
            let as_it_is = group.len() == 1 && group[0].dead.is_none();
            segments.extend(if as_it_is { Some(group[0].clone()) } else { self.merged(group)? });
            start = end;
        }
        self.replace(segments, Rows::empty());
        Ok(())
    }

    fn replace(&self, segments: Vec<Sealed<C>>, recent: Rows<C>) {
        let mut guard = self.state.write().expect(UNPOISONED);
        let state = Arc::make_mut(&mut guard);
        (state.segments, state.recent) = (segments, Arc::new(recent));
    }

    /// Removes all codes with one of these ids; returns how many there were. Reads the ids of every segment whose ids
    /// do not ascend.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn remove(&self, mut ids: Vec<u64>) -> Result<usize, Refused> {
        ids.sort_unstable();
        ids.dedup();
        let has = |rows: &Rows<C>, row: usize| ids.binary_search(&rows.ids[row]).is_ok();
        self.bury(|segment| segment.rows_with(&ids), has)
    }

    /// Removes all codes from before a time; returns how many there were. Segments that are older drop whole.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn expire(&self, time: i64) -> Result<usize, Refused> {
        let rows = |segment: &Segment<C>| match segment.times() {
            Some((_, latest)) if latest < time => Ok((0..segment.len() as u32).collect()),
            Some((earliest, _)) if earliest < time => segment.rows_before(time),
            _ => Ok(Vec::new()),
        };
        self.bury(rows, |rows, row| rows.times.get(row).is_some_and(|&own| own < time))
    }

    fn bury(
        &self,
        rows_of: impl Fn(&Segment<C>) -> Result<Vec<u32>, Refused>,
        is_buried: impl Fn(&Rows<C>, usize) -> bool,
    ) -> Result<usize, Refused> {
        let _writing = self.writing.lock().expect(UNPOISONED);
        let state = self.state();
        let mut buried = 0;
        let mut segments = Vec::new();
        for sealed in &state.segments {
            let mut sealed = sealed.clone();
            buried += sealed.bury(&rows_of(&sealed.segment)?);
            let mostly_dead = sealed.living() < sealed.segment.len() / 2;
            segments.extend(if mostly_dead { self.merged(&[sealed])? } else { Some(sealed) });
        }
        let mut recent = (*state.recent).clone();
        recent.retain(|rows, row| !is_buried(rows, row));
        buried += state.recent.len() - recent.len();
        drop(state);
        if buried > 0 {
            self.replace(segments, recent);
        }
        Ok(buried)
    }

    /// The codes within `ask.k` bits of `query`, nearest first, of those equally near the one added first.
    ///
    /// # Errors
    /// A part of the index that had not been read before is damaged.
    ///
    /// # Panics
    /// `ask.k` is larger than [`Index::largest_distance`].
    pub fn query(&self, query: C, ask: &Ask) -> Result<Vec<Near>, Refused> {
        let mut tally = Tally::default();
        let answer = self.answer(&self.state(), query, ask, &mut tally);
        self.counters.add(tally);
        answer
    }

    /// What [`Index::query`] answers to each of many queries, on all threads, each with the number of its query.
    ///
    /// # Errors
    /// As [`Index::query`]; also what was not listed of all answers together.
    pub fn query_many(&self, queries: &[C], ask: &Ask) -> Result<(Vec<(u32, Near)>, Tally), Refused> {
        let state = self.state();
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

    fn answer(&self, state: &State<C>, query: C, ask: &Ask, tally: &mut Tally) -> Result<Vec<Near>, Refused> {
        let ask = &Ask { most: if ask.first { 1 } else { ask.most.max(1) }, ..*ask };
        let plan = self.plan(ask.k);
        let mut found = Vec::new();
        tally.queries += 1;
        for (number, Sealed { segment, dead }) in state.segments.iter().enumerate() {
            let place = (number as u64) << 32;
            let mut list = Listing { dead: dead.as_ref(), place, found: &mut found, tally };
            segment.search(query, ask, plan, self.most_candidates, &mut list)?;
            if ask.first && !found.is_empty() {
                break;
            }
        }
        if !ask.first || found.is_empty() {
            search_recent(state, query, ask, &mut found, tally);
        }
        found.sort_unstable();
        if found.len() > ask.most {
            tally.unlisted += if ask.first { 0 } else { (found.len() - ask.most) as u64 };
            found.truncate(ask.most);
        }
        Ok(found.into_iter().map(|Found { distance, id, .. }| Near { id, distance }).collect())
    }

    /// How much it holds, and what was asked of it.
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let living: usize = state.segments.iter().map(Sealed::living).sum();
        let rows: usize = state.segments.iter().map(|sealed| sealed.segment.len()).sum();
        let bytes: usize = state.segments.iter().map(|sealed| sealed.segment.file().size()).sum();
        let recent = &state.recent;
        Stats {
            codes: living + recent.len(),
            removed: rows - living,
            segments: state.segments.len(),
            recent: recent.len(),
            bytes: bytes + recent.len() * (size_of::<C>() + 8) + recent.times.len() * 8,
            tally: self.counters.tally(),
        }
    }

    /// Checks every byte of every segment.
    ///
    /// # Errors
    /// One is damaged.
    pub fn verify(&self) -> Result<(), Refused> {
        self.state().segments.iter().try_for_each(|sealed| sealed.segment.file().verify())
    }
}

fn largest_distance(bits: u32) -> u32 {
    let (up_to_64, beyond) = LARGEST_DISTANCES;
    bits.min(if bits <= 64 { up_to_64 } else { beyond })
}

fn search_recent<C: Code>(state: &State<C>, query: C, ask: &Ask, found: &mut Vec<Found>, tally: &mut Tally) {
    let recent = &state.recent;
    let mut near = Vec::new();
    scan(&recent.codes, query, ask.k, &mut near);
    tally.candidates += recent.len() as u64;
    let place = (state.segments.len() as u64) << 32;
    for (row, distance) in near {
        let id = recent.ids[row as usize];
        if ask.window.is_none_or(|window| recent.times.get(row as usize).is_some_and(|&time| window.has(time))) {
            found.push(Found { distance, place: place + u64::from(row), id });
        }
    }
}
