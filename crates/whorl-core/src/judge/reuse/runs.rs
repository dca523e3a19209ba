//! Equal runs of two documents that are too short for a comparison to prove.

use std::ops::Range;

use rayon::prelude::*;

use super::meetings::Hit;
use crate::align::letters::letters_of;
use crate::align::pair::Stream;
use crate::text::TextBlock;

/// An equal run of two documents, in code points of the originals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The first document.
    pub a: u32,
    /// The second document.
    pub b: u32,
    /// The range in the first document.
    pub of_a: (u32, u32),
    /// The range in the second document.
    pub of_b: (u32, u32),
    /// Number of equal folded code points.
    pub matched: u32,
}

/// An equal run in units of the second document; those of the first lie `diagonal` lower.
struct Stretch {
    hit: Hit,
    units: Range<u32>,
    of_b: (u32, u32),
}

/// Joins common k-grams, ordered and distinct, into maximal runs of whole words with at least
/// `min_letters`.
pub(super) fn located(texts: &impl TextBlock, hits: &[Hit], min_letters: u32) -> Vec<Run> {
    let follows = |before: &Hit, next: &Hit| {
        (before.a, before.b, before.diagonal, before.unit + 1) == (next.a, next.b, next.diagonal, next.unit)
    };
    let joined: Vec<(Hit, u32)> = hits.chunk_by(follows).map(|run| (run[0], run[run.len() - 1].unit)).collect();
    let in_second = |stream: &mut Stream, runs: &[(Hit, u32)]| {
        texts.with_text(runs[0].0.b as usize, |text| stream.read(text));
        runs.iter().filter_map(|&(hit, last)| stretch(stream, hit, last, min_letters)).collect::<Vec<_>>()
    };
    let by_second: Vec<&[(Hit, u32)]> = joined.chunk_by(|x, y| x.0.b == y.0.b).collect();
    let mut stretches: Vec<Stretch> =
        by_second.into_par_iter().map_init(Stream::default, in_second).flatten_iter().collect();
    stretches.par_sort_unstable_by_key(|stretch| (stretch.hit.a, stretch.hit));
    let in_first = |stream: &mut Stream, stretches: &[Stretch]| {
        texts.with_text(stretches[0].hit.a as usize, |text| stream.read(text));
        stretches.iter().map(|stretch| run(stream, stretch)).collect::<Vec<_>>()
    };
    let by_first: Vec<&[Stretch]> = stretches.chunk_by(|x, y| x.hit.a == y.hit.a).collect();
    by_first.into_par_iter().map_init(Stream::default, in_first).flatten_iter().collect()
}

/// The whole words of a run that ends with the k-gram at `last`; None if they are too short.
fn stretch(stream: &Stream, hit: Hit, last: u32, min_letters: u32) -> Option<Stretch> {
    let units = stream.units();
    let (mut start, mut end, mut letters) = (hit.unit as usize, last as usize, 0);
    while end < units.len() && letters < min_letters {
        letters += letters_of(units[end]);
        end += 1;
    }
    while start < end && !stream.begins_token(start) {
        start += 1;
    }
    while end > start && end < units.len() && !stream.begins_token(end) {
        end -= 1;
    }
    let letters: u32 = units[start..end].iter().map(|&unit| letters_of(unit)).sum();
    let of_b = stream.span_of(start..end.max(start + 1));
    (letters >= min_letters).then_some(Stretch {
        hit,
        units: start as u32..end as u32,
        of_b: (of_b.start as u32, of_b.end as u32),
    })
}

fn run(stream: &Stream, stretch: &Stretch) -> Run {
    let Stretch { hit, units, of_b } = stretch;
    let there = |unit: u32| (unit as i32 - hit.diagonal) as usize;
    let of_a = stream.span_of(there(units.start)..there(units.end));
    Run { a: hit.a, b: hit.b, of_a: (of_a.start as u32, of_a.end as u32), of_b: *of_b, matched: units.len() as u32 }
}
