//! Ids, times and payloads of the rows of a segment.

use rayon::prelude::*;

use super::payloads::{Payloads, StoredPayloads};
use crate::index::segment_file::{Column, Refused, SegmentFile};

/// A half-open time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first time in the window.
    pub since: i64,
    /// The first time after the window.
    pub until: i64,
}

impl Window {
    /// True if a time lies in the window.
    #[inline]
    pub fn has(&self, time: i64) -> bool {
        self.since <= time && time < self.until
    }

    /// True if the window overlaps `earliest` to `latest`.
    pub fn meets(&self, earliest: i64, latest: i64) -> bool {
        self.since <= latest && earliest < self.until
    }
}

/// Ids, times and payloads of the rows of a segment, by row.
#[derive(Debug)]
pub struct Labels {
    rows: usize,
    ids: Column<u64>,
    times: Column<i64>,
    payloads: Option<StoredPayloads>,
    first_id: u64,
    ids_ascend: bool,
    earliest: i64,
    latest: i64,
}

impl Labels {
    /// The ids to write: empty if they are consecutive.
    pub fn ids_to_write(ids: &[u64]) -> &[u64] {
        let consecutive = ids.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        if consecutive { &[] } else { ids }
    }

    /// The facts that complement the columns `ids` and `times`.
    pub fn facts(ids: &[u64], times: &[i64]) -> [(&'static str, u64); 5] {
        [
            ("rows", ids.len() as u64),
            ("first id", ids.first().copied().unwrap_or(0)),
            ("ids ascend", u64::from(ids.is_sorted())),
            ("earliest", times.iter().min().copied().unwrap_or(0) as u64),
            ("latest", times.iter().max().copied().unwrap_or(0) as u64),
        ]
    }

    /// Reads the labels of a file.
    ///
    /// # Errors
    /// They are missing or inconsistent.
    pub fn of(file: &SegmentFile) -> Result<Self, Refused> {
        let rows = file.fact("rows")? as usize;
        let labels = Self {
            rows,
            ids: file.column("ids")?,
            times: file.column("times")?,
            payloads: StoredPayloads::of(file, rows)?,
            first_id: file.fact("first id")?,
            ids_ascend: file.fact("ids ascend")? == 1,
            earliest: file.fact("earliest")? as i64,
            latest: file.fact("latest")? as i64,
        };
        let fits = |length: usize| length == 0 || length == labels.rows;
        if labels.rows <= u32::MAX as usize && fits(labels.ids.len()) && fits(labels.times.len()) {
            return Ok(labels);
        }
        Err(Refused::Damaged("its columns do not fit each other".into()))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The earliest and the latest time of a row; None without times.
    pub fn span(&self) -> Option<(i64, i64)> {
        (!self.times.is_empty()).then_some((self.earliest, self.latest))
    }

    /// True if any row may lie in the window.
    pub fn meet(&self, window: Option<Window>) -> bool {
        window.is_none_or(|window| self.span().is_some_and(|(earliest, latest)| window.meets(earliest, latest)))
    }

    /// True if a row lies in the window.
    ///
    /// # Errors
    /// The times are damaged, or the row does not exist.
    pub fn in_window(&self, file: &SegmentFile, row: u32, window: Option<Window>) -> Result<bool, Refused> {
        match window {
            None => Ok(true),
            Some(window) => Ok(window.has(file.read(self.times, row as usize..row as usize + 1)?[0])),
        }
    }

    /// The id of a row.
    ///
    /// # Errors
    /// The ids are damaged, or the row does not exist.
    pub fn id(&self, file: &SegmentFile, row: u32) -> Result<u64, Refused> {
        if row as usize >= self.rows {
            return Err(Refused::Damaged("a row that is not there".into()));
        }
        if self.ids.is_empty() {
            return Ok(self.first_id.wrapping_add(u64::from(row)));
        }
        Ok(file.read(self.ids, row as usize..row as usize + 1)?[0])
    }

    /// The payload of a row; empty if it has none.
    ///
    /// # Errors
    /// It is damaged, or the row does not exist.
    pub fn payload<'a>(&self, file: &'a SegmentFile, row: u32) -> Result<&'a [u8], Refused> {
        self.payloads.map_or(Ok(&[]), |stored| stored.get(file, row as usize))
    }

    /// The payloads of all rows.
    ///
    /// # Errors
    /// They are damaged.
    pub fn payloads(&self, file: &SegmentFile) -> Result<Payloads, Refused> {
        self.payloads.map_or_else(|| Ok(Payloads::default()), |stored| stored.all(file))
    }

    /// Ids and times of all rows; the times are empty if there are none.
    ///
    /// # Errors
    /// They are damaged.
    pub fn all(&self, file: &SegmentFile) -> Result<(Vec<u64>, Vec<i64>), Refused> {
        let ids = match self.ids.is_empty() {
            true => (0..self.rows as u64).map(|row| self.first_id.wrapping_add(row)).collect(),
            false => file.read_all(self.ids)?.to_vec(),
        };
        Ok((ids, file.read_all(self.times)?.to_vec()))
    }

    /// The rows with one of these sorted ids. Reads all ids, unless they ascend.
    ///
    /// # Errors
    /// The ids are damaged.
    pub fn rows_with(&self, file: &SegmentFile, sorted_ids: &[u64]) -> Result<Vec<u32>, Refused> {
        let count = self.rows as u64;
        if self.ids.is_empty() {
            let row = |id: &u64| id.checked_sub(self.first_id).filter(|&row| row < count);
            return Ok(sorted_ids.iter().filter_map(row).map(|row| row as u32).collect());
        }
        let ids = file.read_all(self.ids)?;
        if self.ids_ascend {
            let rows = |id: &u64| {
                let start = ids.partition_point(|known| known < id);
                start as u32..(start + ids[start..].partition_point(|known| known == id)) as u32
            };
            return Ok(sorted_ids.iter().flat_map(rows).collect());
        }
        let has = |(_, id): &(usize, &u64)| sorted_ids.binary_search(id).is_ok();
        Ok(ids.par_iter().enumerate().filter(has).map(|(row, _)| row as u32).collect())
    }

    /// The rows before a time.
    ///
    /// # Errors
    /// The times are damaged.
    pub fn rows_before(&self, file: &SegmentFile, time: i64) -> Result<Vec<u32>, Refused> {
        match self.span() {
            Some((_, latest)) if latest < time => Ok((0..self.rows as u32).collect()),
            Some((earliest, _)) if earliest < time => {
                let times = file.read_all(self.times)?;
                Ok((0..times.len() as u32).into_par_iter().filter(|&row| times[row as usize] < time).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}
