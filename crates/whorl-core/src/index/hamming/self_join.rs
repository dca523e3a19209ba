//! Self-join: all pairs of an index within a distance.

use std::fmt;

use rayon::prelude::*;

use super::code::Code;
use super::distinct::Distinct;
use super::index::Index;
use super::pairs::{LARGEST_JOIN, Pair, TooManyPairs, pairs};
use super::segment::Segment;
use crate::index::segment_file::Refused;
use crate::index::segments::{Rows, Sealed};

/// The pairs of a self-join as columns: ids of the later and earlier row, and their distance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The row added later.
    pub later: Vec<u64>,
    /// The row added earlier.
    pub earlier: Vec<u64>,
    /// Number of differing bits.
    pub distance: Vec<u8>,
    /// Pairs omitted because their later row exceeds the limit of partners.
    pub unlisted: u64,
}

/// Error of a self-join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinFailed {
    /// The index is damaged.
    Refused(Refused),
    /// The result would not fit into memory.
    TooManyPairs(TooManyPairs),
}

impl fmt::Display for JoinFailed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(to),
            Self::TooManyPairs(many) => many.fmt(to),
        }
    }
}

impl std::error::Error for JoinFailed {}

impl<C: Code> Index<C> {
    /// Returns all pairs within `k`, at most `limit` earlier rows per row: the nearest; ties are in insertion order.
    /// Pairs are sorted by the later row.
    ///
    /// # Errors
    /// The index is damaged, or there are more pairs than [`LARGEST_JOIN`].
    pub fn self_join(&self, k: u32, limit: usize) -> Result<Joined, JoinFailed> {
        let state = self.log().state();
        let (ids, distinct) = match &state.segments[..] {
            [only] if only.dead.is_none() && state.recent.is_empty() => only.segment.sorted(),
            several => gathered(several, &state.recent),
        }
        .map_err(JoinFailed::Refused)?;
        drop(state);
        join(&ids, &distinct, self.design().bits(), k, limit).map_err(JoinFailed::TooManyPairs)
    }
}

/// The ids of all rows in insertion order, and their sorted codes.
fn gathered<C: Code>(
    segments: &[Sealed<Segment<C>>],
    recent: &Rows<Vec<C>>,
) -> Result<(Vec<u64>, Distinct<C>), Refused> {
    let mut rows = Rows::default();
    for sealed in segments {
        rows.append(&sealed.segment.living(sealed.dead.as_deref())?);
    }
    rows.append(recent);
    let distinct = Distinct::of(&rows.values);
    Ok((rows.ids, distinct))
}

fn join<C: Code>(ids: &[u64], distinct: &Distinct<C>, bits: u32, k: u32, limit: usize) -> Result<Joined, TooManyPairs> {
    let near = if k == 0 { Vec::new() } else { pairs(&distinct.codes, bits, k)? };
    let count = |number: u32| distinct.range(number).len() as u64;
    let within: u64 = (0..distinct.codes.len() as u32).map(|number| count(number) * (count(number) - 1) / 2).sum();
    let between: u64 = near.iter().map(|pair| count(pair.a) * count(pair.b)).sum();
    let neighbours = Neighbours::of(&near, distinct.codes.len());
    let list = |number: u32| {
        let mut listed = Vec::new();
        if count(number) > 1 || !neighbours.of_code(number).is_empty() {
            distinct
                .rows(number)
                .iter()
                .for_each(|&row| list_row(row, number, distinct, &neighbours, limit, &mut listed));
        }
        listed
    };
    let mut listed: Vec<(u32, u32, u8)> =
        (0..distinct.codes.len() as u32).into_par_iter().with_min_len(1024).flat_map_iter(list).collect();
    if listed.len() > LARGEST_JOIN {
        return Err(TooManyPairs);
    }
    listed.par_sort_unstable_by_key(|&(later, earlier, distance)| (later, distance, earlier));
    Ok(Joined {
        unlisted: within + between - listed.len() as u64,
        later: listed.iter().map(|pair| ids[pair.0 as usize]).collect(),
        earlier: listed.iter().map(|pair| ids[pair.1 as usize]).collect(),
        distance: listed.iter().map(|pair| pair.2).collect(),
    })
}

/// Lists up to `limit` earlier rows of a row, by ascending distance.
fn list_row<C: Code>(
    row: u32,
    number: u32,
    distinct: &Distinct<C>,
    neighbours: &Neighbours,
    limit: usize,
    listed: &mut Vec<(u32, u32, u8)>,
) {
    let mut remaining = limit;
    let mut level = Vec::new();
    let same_code = [(0, number)];
    for near in same_code.chunk_by(|_, _| true).chain(neighbours.of_code(number).chunk_by(|a, b| a.0 == b.0)) {
        for &(_, other) in near {
            let before = distinct.rows(other).iter().take_while(|&&other| other < row);
            level.extend(before.take(remaining));
        }
        level.sort_unstable();
        level.truncate(remaining);
        remaining -= level.len();
        listed.extend(level.drain(..).map(|earlier| (row, earlier, near[0].0)));
        if remaining == 0 {
            break;
        }
    }
}

/// For each distinct code, distance and index of the codes near it, nearest first.
struct Neighbours {
    near: Vec<(u8, u32)>,
    starts: Vec<u32>,
}

impl Neighbours {
    fn of(pairs: &[Pair], codes: usize) -> Self {
        let mut starts = vec![0u32; codes + 1];
        pairs.iter().flat_map(|pair| [pair.a, pair.b]).for_each(|number| starts[number as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut next = starts.clone();
        let mut near = vec![(0, 0); pairs.len() * 2];
        let mut put = |of: u32, distance: u32, other: u32| {
            near[next[of as usize] as usize] = (distance as u8, other);
            next[of as usize] += 1;
        };
        for &Pair { a, b, distance } in pairs {
            put(a, distance, b);
            put(b, distance, a);
        }
        for bounds in starts.windows(2).filter(|bounds| bounds[1] - bounds[0] > 1) {
            near[bounds[0] as usize..bounds[1] as usize].sort_unstable();
        }
        Self { near, starts }
    }

    fn of_code(&self, number: u32) -> &[(u8, u32)] {
        &self.near[self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize]
    }
}
