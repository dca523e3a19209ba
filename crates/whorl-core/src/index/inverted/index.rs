//! The inverted index over all segments.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::asked::QueryKeys;
use super::hits::count_hits;
use super::runs::{KeyRuns, Run, Runs, is_wanted, list, list_first};
use super::segment::Segment;
use crate::hash::unmix;
use crate::index::segment_file::{Refused, SegmentFile};
use crate::index::segments::{Log, Sealed, Segment as _, Size, State, Window};

const QUERIES_A_TASK: usize = 16;
/// Approximate number of keys per batch of look-ups.
const KEYS_AT_ONCE: usize = 1 << 20;
/// Below this many keys, waking other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 11;

/// Keys with their documents.
pub struct Index {
    log: Log<Segment>,
    most_documents: usize,
    counters: [AtomicU64; 5],
}

/// Parameters of a query.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Maximum number of results: the documents with the most hits; ties are ordered by insertion.
    pub limit: usize,
    /// Minimum number of keys that a document must share with the query; at least 1.
    pub min_hits: u32,
    /// Minimum share of the query's keys, without skipped ones, that a document must have; 0 to 1.
    pub min_share: f64,
    /// For a query most of whose keys are skipped, the number of earliest documents per skipped key that are counted
    /// nevertheless.
    pub earliest: usize,
    /// The time window; None for all times.
    pub window: Option<Window>,
}

/// A document that shares keys with a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its id.
    pub id: u64,
    /// Number of keys shared with the query.
    pub hits: u32,
}

/// The result of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Documents by descending number of hits.
    pub hits: Vec<Hit>,
    /// Number of distinct keys of the query.
    pub keys: u32,
    /// Number of these that were skipped because too many documents have them.
    pub cut: u32,
    /// Number of matching documents beyond the result limit.
    pub unlisted: u64,
}

/// Cost of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of queries.
    pub queries: u64,
    /// Number of distinct keys of all queries.
    pub keys: u64,
    /// Number of skipped keys among these.
    pub cut: u64,
    /// Number of postings read.
    pub postings: u64,
    /// Number of matching documents beyond the result limits.
    pub unlisted: u64,
}

/// Size and query statistics of an index since its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rows, segments and bytes.
    pub size: Size,
    /// Number of postings, including those of removed documents.
    pub postings: usize,
    /// Cost of all queries.
    pub tally: Tally,
}

impl Index {
    /// Creates an empty index. Keys of more than `most_documents` documents are skipped.
    pub fn new(most_documents: usize) -> Self {
        Self::with_log(Log::new(()), most_documents)
    }

    /// Opens an index from a manifest and the files of its segments, in manifest order.
    ///
    /// # Errors
    /// The files do not belong together, or the parts read here are damaged.
    pub fn from_files(manifest: &SegmentFile, files: Vec<SegmentFile>, most_documents: usize) -> Result<Self, Refused> {
        Ok(Self::with_log(Log::from_files(manifest, files)?, most_documents))
    }

    fn with_log(log: Log<Segment>, most_documents: usize) -> Self {
        Self { log, most_documents, counters: Default::default() }
    }

    /// The documents of the index, for adding, removing and saving.
    pub fn log(&self) -> &Log<Segment> {
        &self.log
    }

    /// Returns the documents that share keys with a query.
    ///
    /// # Errors
    /// A part of the index that is read for the first time is damaged.
    pub fn query(&self, keys: &[u64], ask: &Ask) -> Result<Answer, Refused> {
        Ok(self.answers(&self.log.state(), &[keys], ask)?.pop().unwrap_or_default())
    }

    /// Runs [`Index::query`] for many queries on all threads. The keys of all queries are looked up in ascending order,
    /// so that the index is read sequentially.
    ///
    /// # Errors
    /// As [`Index::query`].
    pub fn query_many(&self, queries: &[&[u64]], ask: &Ask) -> Result<Vec<Answer>, Refused> {
        let state = self.log.state();
        let mut answers = Vec::with_capacity(queries.len());
        let mut rest = queries;
        while !rest.is_empty() {
            let fits = |keys: &mut usize, query: &&[u64]| {
                *keys += query.len();
                (*keys <= KEYS_AT_ONCE).then_some(())
            };
            let (some, others) = rest.split_at(rest.iter().scan(0, fits).count().max(1));
            answers.extend(self.answers(&state, some, ask)?);
            rest = others;
        }
        Ok(answers)
    }

    fn answers(&self, state: &State<Segment>, queries: &[&[u64]], ask: &Ask) -> Result<Vec<Answer>, Refused> {
        let query_keys = QueryKeys::of(queries);
        let is_small = query_keys.keys.len() < WORTH_SHARING;
        let runs = Runs::of(state, &query_keys.keys, ask.window, !is_small)?;
        let answer = |query: usize| {
            self.answer(state, &query_keys.of_query(query).map(|key| runs.of_key(key)).collect::<Vec<_>>(), ask)
        };
        let answers: Vec<(Answer, u64)> = if is_small {
            (0..queries.len()).map(answer).collect::<Result<_, Refused>>()?
        } else {
            let numbers = (0..queries.len()).into_par_iter().with_min_len(QUERIES_A_TASK);
            numbers.map(answer).collect::<Result<_, Refused>>()?
        };
        let counted = answers.into_iter().map(|(answer, postings)| {
            self.count(&answer, postings);
            answer
        });
        Ok(counted.collect())
    }

    fn count(&self, answer: &Answer, postings: u64) {
        let values = [1, answer.keys.into(), answer.cut.into(), postings, answer.unlisted];
        for (counter, value) in self.counters.iter().zip(values) {
            counter.fetch_add(value, Ordering::Relaxed);
        }
    }

    /// Answers a query from the runs of its keys. Also returns the number of postings read.
    fn answer(&self, state: &State<Segment>, keys: &[KeyRuns<'_>], ask: &Ask) -> Result<(Answer, u64), Refused> {
        let mut places = Vec::new();
        let mut cut = Vec::new();
        for &own in keys.iter().filter(|own| !own.runs.is_empty()) {
            if self.is_cut(state, own.runs, ask.window)? {
                cut.push(own);
            } else {
                list(state, own, ask.window, &mut places)?;
            }
        }
        if 2 * cut.len() > keys.len() {
            cut.iter().try_for_each(|&own| list_first(state, own, ask.window, ask.earliest, &mut places))?;
        }
        let postings = places.len() as u64;
        let looked_up = keys.len() - cut.len();
        let required = f64::from(ask.min_hits.max(1)).max((ask.min_share * looked_up as f64).ceil());
        let mut best: Vec<(u64, u32)> =
            count_hits(&mut places).filter(|&(_, hits)| f64::from(hits) >= required).collect();
        best.sort_by_key(|&(_, hits)| std::cmp::Reverse(hits));
        let unlisted = best.len().saturating_sub(ask.limit) as u64;
        best.truncate(ask.limit);
        let hit = |(place, hits): (u64, u32)| {
            let segment = &state.segments[(place >> 32) as usize].segment;
            Ok(Hit { id: segment.labels().id(segment.file(), place as u32)?, hits })
        };
        let hits = best.into_iter().map(hit).collect::<Result<_, Refused>>()?;
        Ok((Answer { hits, keys: keys.len() as u32, cut: cut.len() as u32, unlisted }, postings))
    }

    /// True if the key with these runs has more documents than the limit.
    fn is_cut(&self, state: &State<Segment>, runs: &[Run], window: Option<Window>) -> Result<bool, Refused> {
        if runs.iter().map(Run::len).sum::<usize>() <= self.most_documents {
            return Ok(false);
        }
        let mut documents = 0;
        for run in runs {
            let sealed = &state.segments[run.segment as usize];
            if window.is_none() && sealed.dead.is_none() {
                documents += run.len();
            } else {
                for row in sealed.segment.postings().view(run.start, run.end)?.rows() {
                    documents += usize::from(is_wanted(sealed, row, window)?);
                    if documents > self.most_documents {
                        break;
                    }
                }
            }
        }
        Ok(documents > self.most_documents)
    }

    /// Returns the keys of more than `more_than` documents with their counts, the most frequent first. Reads every
    /// posting.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn frequent(&self, more_than: usize) -> Result<Vec<(u64, u64)>, Refused> {
        let state = self.log.state();
        // A key above the total limit is above the proportional limit in at least one segment.
        let share = more_than / state.segments.len().max(1);
        let in_segment = |sealed: &Sealed<Segment>| frequent_in(&sealed.segment, share);
        let candidates: Vec<Vec<u64>> = state.segments.par_iter().map(in_segment).collect::<Result<_, Refused>>()?;
        let keys: Vec<u64> = candidates.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
        let mut frequent = Vec::new();
        let runs = Runs::of(&state, &keys, None, true)?;
        for (number, &key) in keys.iter().enumerate() {
            let mut documents = Vec::new();
            list(&state, runs.of_key(number), None, &mut documents)?;
            if documents.len() > more_than {
                frequent.push((unmix(key), documents.len() as u64));
            }
        }
        frequent.sort_unstable_by_key(|&(key, documents)| (std::cmp::Reverse(documents), key));
        Ok(frequent)
    }

    /// Returns size and query statistics.
    pub fn stats(&self) -> Stats {
        let state = self.log.state();
        let [queries, keys, cut, postings, unlisted] =
            std::array::from_fn(|at| self.counters[at].load(Ordering::Relaxed));
        Stats {
            size: self.log.size(),
            postings: state.segments.iter().map(|sealed| sealed.segment.posting_count()).sum(),
            tally: Tally { queries, keys, cut, postings, unlisted },
        }
    }
}

/// The uniform keys that occur more often than that in a segment.
fn frequent_in(segment: &Segment, more_than: usize) -> Result<Vec<u64>, Refused> {
    let (mut current, mut count) = (None, 0);
    let mut frequent = Vec::new();
    segment.postings().for_each((0, u64::MAX), |(key, _)| {
        if current != Some(key) {
            (current, count) = (Some(key), 0);
        }
        count += 1;
        if count == more_than + 1 {
            frequent.push(key);
        }
        Ok(())
    })?;
    Ok(frequent)
}
