//! Cohesion: whether two stretches of a text have the same topic.
//!
//! The parts of a text repeat words of its topic that other texts lack (Hearst, "TextTiling", Computational Linguistics
//! 23, 1997, section 3). The expected amount of repetition depends on language, style and length, so a fixed threshold
//! is not enough: the two halves of each stretch serve as the reference.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::align::DENSE_FROM;
use crate::align::stream::Stream;

/// Shorter words, in letters, are mostly function words, which any two texts share.
const CONTENT_WORD: usize = 5;
/// Minimum cosine between parts of one text: 19 of 20 divided news articles reach it, and 1 of 30 pairs of different
/// articles.
const LEAST: f64 = 0.12;
/// Parts of one text are this many times as similar as the halves of each are on average, which are shorter. Most
/// articles on one event are not: merging two costs both originals, so the factor is strict.
const FACTOR: f64 = 1.2;

/// Term counts. Terms are words of letters, and pairs of characters in scripts without spaces.
type Terms = BTreeMap<u64, u64>;

/// True if two stretches of a text, each given by its units in order, have the same topic: they are clearly more
/// similar than the halves of each are on average. Linear, except for sorting.
pub(in crate::align) fn cohere(stream: &Stream, a: &[usize], b: &[usize]) -> bool {
    let terms = |units: &[usize]| terms(stream, units);
    let halves = |units: &[usize]| {
        let (first, second) = units.split_at(units.len() / 2);
        cosine(&terms(first), &terms(second))
    };
    let alike = cosine(&terms(a), &terms(b));
    alike >= LEAST && 2.0 * alike >= FACTOR * (halves(a) + halves(b))
}

fn terms(stream: &Stream, units: &[usize]) -> Terms {
    let mut terms = Terms::new();
    let mut add = |units: Range<usize>| {
        let hash = stream.units()[units].iter().fold(0, |hash, &unit| crate::hash::absorb(hash, unit.into()));
        *terms.entry(hash).or_default() += 1;
    };
    let is_dense = |unit: usize| stream.units()[unit] >= DENSE_FROM;
    let goes_on = |&before: &usize, &unit: &usize| unit == before + 1 && is_dense(before) == is_dense(unit);
    for run in units.chunk_by(|before, unit| goes_on(before, unit) && (is_dense(*unit) || !stream.begins_token(*unit)))
    {
        let (start, end) = (run[0], run[0] + run.len());
        if is_dense(start) {
            (start + 1..end).for_each(|unit| add(unit - 1..unit + 1));
        } else if run.len() >= CONTENT_WORD {
            add(start..end);
        }
    }
    terms
}

fn cosine(a: &Terms, b: &Terms) -> f64 {
    let product = |a: &Terms, b: &Terms| a.iter().filter_map(|(term, count)| Some(count * b.get(term)?)).sum::<u64>();
    let norm = (product(a, a) as f64 * product(b, b) as f64).sqrt();
    if norm > 0.0 { product(a, b) as f64 / norm } else { 0.0 }
}
