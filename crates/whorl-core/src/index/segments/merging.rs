//! The merge policy: segments of similar size are merged into one.

use std::ops::Range;
use std::sync::Arc;

use super::log::UNPOISONED;
use super::{Log, Rows, Sealed, Segment};
use crate::index::segment_file::Refused;

/// A segment is merged with all later ones unless it is more than this many times their total size.
const GROWTH: usize = 2;

impl<S: Segment> Log<S> {
    /// Performs a pending merge concurrently with reads and additions. Returns true if there was one.
    ///
    /// # Errors
    /// A segment is damaged; all segments remain as they are.
    pub fn tidy(&self) -> Result<bool, Refused> {
        let _tidying = self.tidying.lock().expect(UNPOISONED);
        let parts = {
            let mut settled = self.writing();
            let state = self.state();
            let Some(run) = due(&weights(&state.segments), 0, S::LARGEST) else { return Ok(false) };
            *settled = run.end;
            state.segments[run].to_vec()
        };
        let merged = S::merge(self.common(), &parts);
        let mut settled = self.writing();
        *settled = 0;
        let merged = merged?;
        let state = self.state();
        let is_first = |candidate: &Sealed<S>| Arc::ptr_eq(&candidate.segment, &parts[0].segment);
        let mut segments = state.segments.clone();
        if let Some(first) = segments.iter().position(is_first)
            && let Some(now) = segments.get(first..first + parts.len())
            && now.iter().zip(&parts).all(|(now, then)| Arc::ptr_eq(&now.segment, &then.segment))
        {
            let merged = merged.map(|segment| with_dead_since(segment, &parts, now));
            segments.splice(first..first + parts.len(), merged);
            self.replace(segments, (*state.recent).clone());
        }
        Ok(true)
    }

    /// Merges into as few segments as possible, without removed rows. Takes the time and the additional memory of
    /// building the largest of them.
    ///
    /// # Errors
    /// A segment is damaged.
    pub fn merge(&self) -> Result<(), Refused> {
        self.seal()?;
        let _tidying = self.tidying.lock().expect(UNPOISONED);
        let _writing = self.writing();
        let old = self.state().segments.clone();
        let mut segments = Vec::new();
        let mut start = 0;
        while start < old.len() {
            let (mut end, mut total) = (start + 1, old[start].weight());
            while end < old.len() && total + old[end].weight() <= S::LARGEST {
                (end, total) = (end + 1, total + old[end].weight());
            }
            let group = &old[start..end];
            let as_it_is = group.len() == 1 && group[0].dead.is_none();
            segments.extend(if as_it_is { Some(group[0].clone()) } else { self.merged(group)? });
            start = end;
        }
        self.replace(segments, Rows::default());
        Ok(())
    }

    pub(super) fn merged(&self, segments: &[Sealed<S>]) -> Result<Option<Sealed<S>>, Refused> {
        Ok(S::merge(self.common(), segments)?.map(Sealed::new))
    }

    /// Returns these segments and those of new rows after the pending merges. Only segments from `first` on are merged,
    /// into segments of at most `largest` weight.
    pub(super) fn with_new(
        &self,
        segments: &[Sealed<S>],
        rows: Rows<S::Values>,
        first: usize,
        largest: usize,
    ) -> Result<Vec<Sealed<S>>, Refused> {
        let mut segments = segments.to_vec();
        let parts = rows.parts(S::LARGEST).into_iter();
        segments.extend(parts.map(|part| Sealed::new(S::build(self.common(), part))));
        while let Some(run) = due(&weights(&segments), first, largest) {
            let merged = self.merged(&segments[run.clone()])?;
            segments.splice(run, merged);
        }
        Ok(segments)
    }
}

fn weights<S: Segment>(segments: &[Sealed<S>]) -> Vec<usize> {
    segments.iter().map(Sealed::weight).collect()
}

/// The last segments from `first` on that should be merged into one of at most `largest` weight.
fn due(weights: &[usize], first: usize, largest: usize) -> Option<Range<usize>> {
    for last in (first..weights.len()).rev() {
        let (mut from, mut total) = (last, weights[last]);
        while from > first && weights[from - 1] <= GROWTH * total && weights[from - 1] + total <= largest {
            (from, total) = (from - 1, total + weights[from - 1]);
        }
        if from < last {
            return Some(from..last + 1);
        }
    }
    None
}

/// The segment merged from `then`, without the rows removed between `then` and `now`.
fn with_dead_since<S: Segment>(segment: S, then: &[Sealed<S>], now: &[Sealed<S>]) -> Sealed<S> {
    let mut merged = Sealed::new(segment);
    let mut dead = Vec::new();
    let mut row = 0;
    for (then, now) in then.iter().zip(now) {
        for old_row in (0..then.segment.labels().len() as u32).filter(|&row| then.is_living(row)) {
            if !now.is_living(old_row) {
                dead.push(row);
            }
            row += 1;
        }
    }
    merged.bury(&dead);
    merged
}

#[cfg(test)]
mod tests {
    use super::due;

    #[test]
    fn segments_of_similar_size_are_merged() {
        assert_eq!(due(&[], 0, 100), None);
        assert_eq!(due(&[9, 4, 2, 1], 0, 100), Some(0..4));
        assert_eq!(due(&[9, 4, 1], 0, 100), None);
        assert_eq!(due(&[9, 4, 3, 1], 0, 100), Some(0..3));
        assert_eq!(due(&[9, 4, 3, 1], 1, 100), Some(1..3));
        assert_eq!(due(&[9, 4, 3, 1], 0, 10), Some(1..3));
    }
}
