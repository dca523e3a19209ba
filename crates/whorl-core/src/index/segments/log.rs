//! The writer: adds, removes and merges rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use super::{Payloads, Rows, Sealed, Segment, State, Values};
use crate::index::segment_file::{Refused, SegmentFile};

/// The largest id; its successor is still representable.
pub const LARGEST_ID: u64 = i64::MAX as u64;

/// Maximum weight of merges that run while rows are added, which takes milliseconds.
const AT_ONCE: usize = if cfg!(test) { 1 << 6 } else { 1 << 16 };

pub(super) const UNPOISONED: &str = "no thread panicked with it";

/// The rows of an index, for many readers and one writer at a time.
pub struct Log<S: Segment> {
    common: S::Common,
    /// Locked only briefly, to read or replace the state.
    state: RwLock<Arc<State<S>>>,
    /// The number of leading segments that a writer must not change because they are being merged.
    writing: Mutex<usize>,
    pub(super) tidying: Mutex<()>,
}

/// Reason for not adding rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddFailed {
    /// The rows are inconsistent with each other or with existing rows.
    Contradiction(String),
    /// A segment to be merged is damaged.
    Refused(Refused),
}

impl From<String> for AddFailed {
    fn from(contradiction: String) -> Self {
        Self::Contradiction(contradiction)
    }
}

/// Size of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Number of searchable rows.
    pub living: usize,
    /// Removed rows whose space is not yet reclaimed.
    pub removed: usize,
    /// Number of segments.
    pub segments: usize,
    /// Bytes of the segments, in memory or mapped.
    pub bytes: usize,
}

impl<S: Segment> Log<S> {
    /// Creates an empty log.
    pub fn new(common: S::Common) -> Self {
        Self::with_state(common, State { segments: Vec::new(), recent: Arc::default(), next_id: 0, timed: None })
    }

    pub(super) fn with_state(common: S::Common, state: State<S>) -> Self {
        Self { common, state: RwLock::new(Arc::new(state)), writing: Mutex::default(), tidying: Mutex::default() }
    }

    /// The properties common to all segments.
    pub fn common(&self) -> &S::Common {
        &self.common
    }

    /// A snapshot of the current state.
    pub fn state(&self) -> Arc<State<S>> {
        self.state.read().expect(UNPOISONED).clone()
    }

    /// Whether the rows have times; None while there have never been any rows.
    pub fn timed(&self) -> Option<bool> {
        self.state().timed
    }

    /// The id of the next row added without an id.
    pub fn next_id(&self) -> u64 {
        self.state().next_id
    }

    /// Adds rows. Without ids they are numbered consecutively, from 0 or after the largest id.
    ///
    /// # Errors
    /// The columns differ in length, an id is too large, or only some rows of the index have times; or a segment to be
    /// merged is damaged. Nothing is added then.
    pub fn add(&self, values: S::Values, ids: Option<Vec<u64>>, times: Option<Vec<i64>>) -> Result<(), AddFailed> {
        self.put(values, (ids, times, Payloads::default()), S::LARGEST)
    }

    /// Adds rows like [`Log::add`], but leaves large merges to [`Log::tidy`].
    ///
    /// # Errors
    /// As [`Log::add`].
    pub fn append(&self, values: S::Values, ids: Option<Vec<u64>>, times: Option<Vec<i64>>) -> Result<(), AddFailed> {
        self.put(values, (ids, times, Payloads::default()), AT_ONCE.min(S::LARGEST))
    }

    /// Adds rows with payloads, like [`Log::add`] or, if `merge` is false, [`Log::append`].
    ///
    /// # Errors
    /// As [`Log::add`]; or there is not one payload for each row.
    pub fn add_with(
        &self,
        values: S::Values,
        labels: (Option<Vec<u64>>, Option<Vec<i64>>, Payloads),
        merge: bool,
    ) -> Result<(), AddFailed> {
        self.put(values, labels, if merge { S::LARGEST } else { AT_ONCE.min(S::LARGEST) })
    }

    /// Returns the payloads of rows by id: of several rows with an id, that of the last one; None without a row.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn payloads(&self, ids: &[u64]) -> Result<Vec<Option<Vec<u8>>>, Refused> {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let state = self.state();
        let mut payloads: HashMap<u64, Vec<u8>> = HashMap::new();
        for sealed in &state.segments {
            let (file, labels) = (sealed.segment.file(), sealed.segment.labels());
            let mut rows = labels.rows_with(file, &sorted)?;
            rows.sort_unstable();
            for row in rows.into_iter().filter(|&row| sealed.is_living(row)) {
                payloads.insert(labels.id(file, row)?, labels.payload(file, row)?.to_vec());
            }
        }
        for (row, id) in state.recent.ids.iter().enumerate().filter(|(_, id)| sorted.binary_search(id).is_ok()) {
            payloads.insert(*id, state.recent.payloads.get(row).to_vec());
        }
        Ok(ids.iter().map(|id| payloads.get(id).cloned()).collect())
    }

    fn put(
        &self,
        values: S::Values,
        (ids, times, payloads): (Option<Vec<u64>>, Option<Vec<i64>>, Payloads),
        largest: usize,
    ) -> Result<(), AddFailed> {
        let settled = self.writing();
        if values.is_empty() {
            return Ok(());
        }
        let state = self.state();
        if state.timed.is_some_and(|timed| timed != times.is_some()) {
            return Err("either all rows of an index have times or none".to_owned().into());
        }
        let timed = times.is_some();
        let count = values.len();
        let ids = ids.unwrap_or_else(|| (state.next_id..state.next_id.saturating_add(count as u64)).collect());
        let rows = Rows { values, ids, times: times.unwrap_or_default(), payloads };
        if rows.ids.len() != count || timed && rows.times.len() != count {
            return Err("every row needs an id, and a time if any has one".to_owned().into());
        }
        if !rows.payloads.is_empty() && rows.payloads.len() != count {
            return Err("every row needs a payload if any has one".to_owned().into());
        }
        let last_id = rows.ids.iter().max().copied().unwrap_or(0);
        if last_id > LARGEST_ID {
            return Err(format!("the id {last_id} is larger than 2^63 - 1").into());
        }
        let sealed = if state.recent.len() + rows.len() < S::RECENT {
            None
        } else {
            let mut all = Arc::unwrap_or_clone(state.recent.clone());
            all.append(&rows);
            Some(self.with_new(&state.segments, all, *settled, largest).map_err(AddFailed::Refused)?)
        };
        drop(state);
        let mut guard = self.state.write().expect(UNPOISONED);
        let state = Arc::make_mut(&mut guard);
        state.next_id = state.next_id.max(last_id + 1);
        state.timed = Some(timed);
        match sealed {
            None => Arc::make_mut(&mut state.recent).append(&rows),
            Some(segments) => (state.segments, state.recent) = (segments, Arc::default()),
        }
        Ok(())
    }

    /// A snapshot of the current state with all rows in segments.
    ///
    /// # Errors
    /// A segment to be merged is damaged.
    pub fn sealed(&self) -> Result<Arc<State<S>>, Refused> {
        self.seal()?;
        Ok(self.state())
    }

    /// Moves the recent rows to a segment.
    ///
    /// # Errors
    /// A segment to be merged is damaged.
    pub fn seal(&self) -> Result<(), Refused> {
        let settled = self.writing();
        let state = self.state();
        if !state.recent.is_empty() {
            let segments = self.with_new(&state.segments, (*state.recent).clone(), *settled, S::LARGEST)?;
            self.replace(segments, Rows::default());
        }
        Ok(())
    }

    pub(super) fn writing(&self) -> MutexGuard<'_, usize> {
        self.writing.lock().expect(UNPOISONED)
    }

    pub(super) fn replace(&self, segments: Vec<Sealed<S>>, recent: Rows<S::Values>) {
        let mut guard = self.state.write().expect(UNPOISONED);
        let state = Arc::make_mut(&mut guard);
        (state.segments, state.recent) = (segments, Arc::new(recent));
    }

    /// Replaces segments by files with the same content, which were written to disk, to free their memory. Files of
    /// segments that no longer exist are dropped.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn read_from(&self, files: Vec<SegmentFile>) -> Result<(), Refused> {
        let _writing = self.writing();
        let state = self.state();
        let mut segments = state.segments.clone();
        for file in files {
            if let Some(own) = segments.iter_mut().find(|own| own.segment.file().identity() == file.identity()) {
                own.segment = Arc::new(S::open(file, &self.common)?);
            }
        }
        self.replace(segments, (*state.recent).clone());
        Ok(())
    }

    /// Removes all rows with one of these ids. Returns how many were removed. Reads the ids of every segment whose ids
    /// do not ascend.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn remove(&self, mut ids: Vec<u64>) -> Result<usize, Refused> {
        ids.sort_unstable();
        ids.dedup();
        let has = |rows: &Rows<S::Values>, row: usize| ids.binary_search(&rows.ids[row]).is_ok();
        self.bury(|segment| segment.labels().rows_with(segment.file(), &ids), has)
    }

    /// Removes all rows older than a time. Returns how many were removed. Segments that are older are dropped entirely.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn expire(&self, time: i64) -> Result<usize, Refused> {
        let rows = |segment: &S| segment.labels().rows_before(segment.file(), time);
        self.bury(rows, |rows, row| rows.times.get(row).is_some_and(|&own| own < time))
    }

    fn bury(
        &self,
        rows_of: impl Fn(&S) -> Result<Vec<u32>, Refused>,
        is_buried: impl Fn(&Rows<S::Values>, usize) -> bool,
    ) -> Result<usize, Refused> {
        let _writing = self.writing();
        let state = self.state();
        let mut buried = 0;
        let mut segments = Vec::new();
        for sealed in &state.segments {
            let mut sealed = sealed.clone();
            buried += sealed.bury(&rows_of(&sealed.segment)?);
            let mostly_dead = sealed.living() < sealed.segment.labels().len() / 2;
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

    /// Returns the size of the index.
    pub fn size(&self) -> Size {
        let state = self.state();
        let living: usize = state.segments.iter().map(Sealed::living).sum();
        let rows: usize = state.segments.iter().map(|sealed| sealed.segment.labels().len()).sum();
        Size {
            living: living + state.recent.len(),
            removed: rows - living,
            segments: state.segments.len(),
            bytes: state.segments.iter().map(|sealed| sealed.segment.file().size()).sum(),
        }
    }

    /// Verifies every byte of every segment.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn verify(&self) -> Result<(), Refused> {
        self.state().segments.iter().try_for_each(|sealed| sealed.segment.file().verify())
    }
}
