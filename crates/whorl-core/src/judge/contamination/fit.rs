//! Aligns a whole item with a stretch of a document.
//!
//! # Problem
//!
//! The aligner of [`crate::align`] looks for passages of any two texts and needs 36 letters or 12 Han characters of
//! evidence for one. An item may be shorter than that, and is known to be one unit: the question is how much of it is
//! there.
//!
//! # Choice
//!
//! An exact fitting alignment: the item from end to end against any part of the stretch. The number of cells is the
//! product of the lengths, which is affordable because it runs only for candidates and a stretch is about as long as
//! the item. What it leaves unmatched between two matches is then compared letter by letter, so that a misspelled or
//! divided word counts as the share of it that is there. Items longer than [`LONGEST`] tokens are matched by extending
//! the windows that they share with the document instead.

use std::collections::HashMap;
use std::ops::Range;

use super::tokens::{Place, spell};

/// Maximum number of tokens of an item that is aligned exactly.
pub(super) const LONGEST: usize = 384;
/// Maximum number of tokens of a gap that is compared by letters.
const WIDEST_GAP: usize = 8;
/// Maximum number of letters that are compared.
const LONGEST_WORD: usize = 128;
/// Minimum similarity of the letters of a gap.
const SIMILAR: f64 = 0.6;
const MATCH: i32 = 8;
/// Skipping a token; more than four in a row are not worth a single match behind them.
const GAP: i32 = -2;

/// A sequence of tokens.
#[derive(Clone, Copy)]
pub(super) struct Sequence<'t> {
    pub tokens: &'t [u64],
    pub places: &'t [Place],
    pub original: &'t [u32],
}

/// How an item fits a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fit {
    /// For each token of the item, its counterpart in the document.
    pub matches: Vec<Option<u32>>,
    /// For each token of the item, the percentage of it that is there.
    pub credit: Vec<u8>,
    /// The tokens of the document from the first to the last match.
    pub range: Range<usize>,
}

impl Fit {
    /// True if the item is in the document token by token.
    pub fn is_whole(&self) -> bool {
        self.range.len() == self.matches.len() && self.matches.iter().all(Option::is_some)
    }
}

/// Aligns items; one per worker, because its tables are reused.
#[derive(Default)]
pub(super) struct Fitter {
    scores: Vec<i32>,
    /// For each cell, the step that leads to it.
    steps: Vec<u8>,
}

/// Score of what is not in the band.
const OUTSIDE: i32 = i32::MIN / 2;
const STOP: u8 = 0;
const DIAGONAL: u8 = 1;
const SKIP_ITEM: u8 = 2;
const SKIP_DOCUMENT: u8 = 3;

impl Fitter {
    /// Aligns an item with a band of a document. Returns None if no token matches.
    pub fn fit(&mut self, item: Sequence<'_>, document: Sequence<'_>, band: Band) -> Option<Fit> {
        let mut fit = Fit { matches: vec![None; item.tokens.len()], credit: vec![0; item.tokens.len()], range: 0..0 };
        if let Some(start) = band.ends().find(|&start| is_at(item.tokens, document.tokens, start)) {
            (0..item.tokens.len()).for_each(|token| fit.matches[token] = Some((start + token) as u32));
        } else if item.tokens.len() > LONGEST {
            extend_equal(
                item.tokens,
                document.tokens,
                band.tokens(item.tokens.len(), document.tokens.len()),
                &mut fit.matches,
            );
        } else {
            self.align(item.tokens, document.tokens, band, &mut fit.matches);
        }
        let first = fit.matches.iter().flatten().next()?;
        let last = fit.matches.iter().rev().flatten().next()?;
        fit.range = *first as usize..*last as usize + 1;
        fit.matches.iter().zip(&mut fit.credit).for_each(|(token, credit)| *credit = 100 * u8::from(token.is_some()));
        if !fit.is_whole() {
            fit.compare_gaps(item, document);
        }
        Some(fit)
    }

    /// Maximizes matches minus skipped tokens; the document may begin and end anywhere in the band.
    ///
    /// A cell is a number of tokens of the item and a diagonal, so a match leads to the same diagonal, a skipped token
    /// of the item to the one before, and a skipped token of the document to the next one.
    fn align(&mut self, item: &[u64], document: &[u64], band: Band, matches: &mut [Option<u32>]) {
        let width = band.width();
        self.scores.clear();
        self.scores.resize(width, 0);
        self.steps.clear();
        self.steps.resize(item.len() * width, STOP);
        for (row, token) in item.iter().enumerate() {
            let steps = &mut self.steps[row * width..][..width];
            let first = band.first + row as i32;
            let mut before = OUTSIDE;
            for (at, into) in steps.iter_mut().enumerate() {
                // The token of the document that this diagonal has opposite the token of the item.
                let column = first + at as i32;
                let (mut best, mut step) = (OUTSIDE, STOP);
                if let Some(&above) = self.scores.get(at + 1) {
                    (best, step) = (above + GAP, SKIP_ITEM);
                }
                if before + GAP > best {
                    (best, step) = (before + GAP, SKIP_DOCUMENT);
                }
                let is_match = column >= 0 && document.get(column as usize) == Some(token);
                if is_match && self.scores[at] + MATCH >= best {
                    (best, step) = (self.scores[at] + MATCH, DIAGONAL);
                }
                self.scores[at] = best;
                *into = step;
                before = best;
            }
        }
        let mut at = (0..width).max_by_key(|&at| (self.scores[at], width - at)).unwrap_or(0);
        let mut row = item.len();
        while row > 0 {
            match self.steps[(row - 1) * width + at] {
                DIAGONAL => {
                    row -= 1;
                    matches[row] = Some((band.first + row as i32 + at as i32) as u32);
                }
                SKIP_DOCUMENT => at -= 1,
                SKIP_ITEM => (row, at) = (row - 1, at + 1),
                _ => break,
            }
        }
    }
}

/// The diagonals on which an item may be aligned: a diagonal is a token of the document minus one of the item.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    first: i32,
    last: i32,
    slack: i32,
}

impl Band {
    /// The diagonals from `first` to `last`, with room for edits of an item of `length` tokens.
    pub fn around(first: i32, last: i32, length: usize) -> Self {
        let slack = slack(length);
        Self { first: first - slack, last: last + slack, slack }
    }

    /// The diagonals of an item of `length` tokens that lies in a range of the document.
    pub fn within(range: &Range<usize>, length: usize) -> Self {
        let last = range.end as i32 - length as i32;
        Self::around(range.start as i32, last.max(range.start as i32), length)
    }

    /// Where an unchanged item begins if it lies on the first or on the last diagonal, before the room for edits.
    fn ends(self) -> impl Iterator<Item = usize> {
        let ends = [self.first + self.slack, self.last - self.slack];
        ends.into_iter().filter_map(|start| usize::try_from(start).ok())
    }

    fn width(self) -> usize {
        (self.last - self.first + 1) as usize
    }

    /// The tokens of a document of `total` tokens that the band covers.
    fn tokens(self, length: usize, total: usize) -> Range<usize> {
        let end = (self.last.max(0) as usize + length).min(total);
        (self.first.max(0) as usize).min(end)..end
    }
}

/// True if the tokens of an item are in a document at a place.
fn is_at(item: &[u64], document: &[u64], start: usize) -> bool {
    document.get(start..start + item.len()).is_some_and(|tokens| tokens == item)
}

/// By how many diagonals edits may move the end of an item of `length` tokens.
pub(super) fn slack(length: usize) -> i32 {
    length as i32 / 5 + 5
}

impl Fit {
    /// Compares the letters of unmatched tokens between two matches, and before the first and after the last one.
    fn compare_gaps(&mut self, item: Sequence<'_>, document: Sequence<'_>) {
        let mut start = 0;
        while start < self.matches.len() {
            let length = self.matches[start..].iter().take_while(|token| token.is_none()).count();
            if (1..=WIDEST_GAP).contains(&length) {
                self.compare_gap(start..start + length, item, document);
            }
            start += length + 1;
        }
    }

    fn compare_gap(&mut self, gap: Range<usize>, item: Sequence<'_>, document: Sequence<'_>) {
        let before = gap.start.checked_sub(1).and_then(|token| self.matches[token]).map(|token| token as usize + 1);
        let after = self.matches.get(gap.end).copied().flatten().map(|token| token as usize);
        let opposite = match (before, after) {
            (Some(before), Some(after)) => before..after,
            (Some(before), None) => before..(before + gap.len()).min(document.tokens.len()),
            (None, Some(after)) => after.saturating_sub(gap.len())..after,
            (None, None) => return,
        };
        if opposite.is_empty() || opposite.len() > WIDEST_GAP {
            return;
        }
        if item.places[gap.clone()].iter().any(|place| place.is_dense) {
            return;
        }
        let one_by_one = opposite.len() == gap.len();
        let similarity_of = |tokens: Range<usize>, others: Range<usize>| {
            let letters = spell(item.original, &item.places[tokens]);
            similarity(&letters, &spell(document.original, &document.places[others]))
        };
        if one_by_one {
            for (token, other) in gap.clone().zip(opposite.clone()) {
                self.grant(token..token + 1, similarity_of(token..token + 1, other..other + 1));
            }
        } else {
            self.grant(gap.clone(), similarity_of(gap.clone(), opposite.clone()));
        }
        if self.credit[gap.start] > 0 && before.is_none() {
            self.range.start = opposite.start;
        }
        if self.credit[gap.end - 1] > 0 && after.is_none() {
            self.range.end = opposite.end;
        }
    }

    fn grant(&mut self, tokens: Range<usize>, similarity: f64) {
        if similarity >= SIMILAR {
            self.credit[tokens].fill((100.0 * similarity) as u8);
        }
    }
}

/// Matches the tokens of runs that begin with a window that the item has only once, in the order of both.
fn extend_equal(item: &[u64], document: &[u64], region: Range<usize>, matches: &mut [Option<u32>]) {
    const RUN: usize = 6;
    let mut places = HashMap::<&[u64], Option<usize>>::new();
    for (place, window) in item.windows(RUN).enumerate() {
        places.entry(window).and_modify(|unique| *unique = None).or_insert(Some(place));
    }
    let (mut at, mut reached) = (region.start, 0);
    while at + RUN <= region.end {
        let place = places.get(&document[at..at + RUN]).copied().flatten().filter(|&place| place >= reached);
        let Some(place) = place else {
            at += 1;
            continue;
        };
        let length = item[place..].iter().zip(&document[at..region.end]).take_while(|(a, b)| a == b).count();
        (0..length).for_each(|step| matches[place + step] = Some((at + step) as u32));
        at += length;
        reached = place + length;
    }
}

/// One minus the edit distance over the longer length; exchanged neighbors are one edit.
fn similarity(a: &[u32], b: &[u32]) -> f64 {
    let longer = a.len().max(b.len());
    if longer == 0 || longer > LONGEST_WORD {
        return 0.0;
    }
    let width = b.len() + 1;
    let mut costs: Vec<usize> = (0..width * (a.len() + 1)).map(|cell| cell / width + cell % width).collect();
    for row in 1..=a.len() {
        for column in 1..width {
            let cell = row * width + column;
            let replaced = costs[cell - width - 1] + usize::from(a[row - 1] != b[column - 1]);
            let mut cost = replaced.min(costs[cell - 1] + 1).min(costs[cell - width] + 1);
            let is_exchanged = row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1];
            if is_exchanged {
                cost = cost.min(costs[cell - 2 * width - 2] + 1);
            }
            costs[cell] = cost;
        }
    }
    1.0 - costs[costs.len() - 1] as f64 / longer as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_letters_are_one_edit() {
        let of = |a: &str, b: &str| {
            let units = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
            (100.0 * similarity(&units(a), &units(b))).round()
        };
        assert_eq!(of("river", "rivre"), 80.0);
        assert_eq!(of("river", "river"), 100.0);
        assert_eq!(of("iran", "iraq"), 75.0);
        assert_eq!(of("austria", "australia"), 78.0);
        assert_eq!(of("", ""), 0.0);
    }
}
