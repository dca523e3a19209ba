//! Records: the keys of a document with their places, by which repeated text is found.
//!
//! A unit has one record, made of the digest of its fold. Passages have records at sampled places: in every window of
//! the text, the place whose following letters have the lowest hash. Equal windows select equal places, so every run
//! of at least `min_length` letters contains a record that its copies have too.
//!
//! A record of a passage also has the digest of its surroundings, `min_length` letters on both sides. Places with equal
//! surroundings are interchangeable: each of them proves the same text as copied. A hot key, such as one in a footer of
//! a million pages, therefore costs one comparison a page and not one for each pair.

use std::collections::VecDeque;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::document::{Document, Search};
use super::stream::Measure;
use super::units::Kind;
use crate::hash::{GOLDEN, mix};

/// A key and its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Hash of the text at the place.
    pub key: u64,
    /// Hash of the text around the place; for units the second half of the digest.
    pub surroundings: u64,
    /// The document, by rank.
    pub rank: u32,
    /// The number of the unit; for passages the folded unit.
    pub place: u32,
}

/// Multiplier of the rolling hash, odd.
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// The lengths that sampling uses for runs of `min_length`: of hashed windows, and of the windows they are chosen from.
#[derive(Clone, Copy, Debug)]
struct Widths {
    gram: u32,
    window: u32,
    around: u32,
}

impl Widths {
    /// Long grams make few chance candidates, short ones few records: three quarters of the run was fastest for 60 to
    /// 300 letters.
    fn of(search: &Search) -> Self {
        let min_length = search.min_length.max(1);
        // A window may end up to two letters late, within a character that counts as three.
        let slack = match search.measure {
            Measure::Letters => 3,
            Measure::Tokens => 0,
        };
        let gram = (min_length - min_length / 4).min(min_length.saturating_sub(slack + 1)).max(1);
        Self { gram, window: min_length.saturating_sub(gram + slack).max(1), around: min_length + 2 * slack }
    }
}

/// Passes the records of a document to `emit`. `scope` separates documents that are not compared with each other.
pub fn records(document: &Document, search: &Search, rank: u32, scope: u64, emit: &mut impl FnMut(Record)) {
    if search.kind == Kind::Passages {
        sampled(document, search, |key, surroundings, place| {
            emit(Record { key: mix(key ^ scope), surroundings, rank, place: place as u32 });
        });
        return;
    }
    for (number, span) in document.spans().iter().enumerate() {
        if document.is_searched(number, search.min_length) {
            let digest = xxh3_128(bytemuck::cast_slice(&document.stream.units()[span.clone()]));
            let key = mix(digest as u64 ^ scope);
            emit(Record { key, surroundings: (digest >> 64) as u64, rank, place: number as u32 });
        }
    }
}

/// The rolling hash of every range of units.
struct Hashes {
    sums: Vec<u64>,
    powers: Vec<u64>,
}

impl Hashes {
    fn new(units: &[u32]) -> Self {
        let mut sums = Vec::with_capacity(units.len() + 1);
        let mut sum = 0u64;
        sums.push(sum);
        for &unit in units {
            sum = sum.wrapping_mul(BASE).wrapping_add(mix(u64::from(unit) ^ GOLDEN));
            sums.push(sum);
        }
        Self { sums, powers: vec![1] }
    }

    fn of(&mut self, range: Range<usize>) -> u64 {
        while self.powers.len() <= range.len() {
            self.powers.push(self.powers[self.powers.len() - 1].wrapping_mul(BASE));
        }
        mix(self.sums[range.end].wrapping_sub(self.sums[range.start].wrapping_mul(self.powers[range.len()])))
    }
}

/// Passes key, surroundings and place of every sampled place. Linear.
fn sampled(document: &Document, search: &Search, mut emit: impl FnMut(u64, u64, usize)) {
    let stream = &document.stream;
    let (before, units) = (stream.before(), stream.units());
    let widths = Widths::of(search);
    if stream.whole() < search.min_length.max(1) {
        return;
    }
    let mut hashes = Hashes::new(units);
    let mut around = Around { first: 0, last: 0 };
    let (mut gram_end, mut next, mut chosen) = (0, 0, usize::MAX);
    let mut waiting: VecDeque<(u64, usize)> = VecDeque::new();
    for start in 0..units.len() {
        // The window has the places whose distance from its start is below its width.
        while next < units.len() && before[next] < before[start] + widths.window {
            while gram_end < units.len() && before[gram_end] < before[next] + widths.gram {
                gram_end += 1;
            }
            if before[gram_end] < before[next] + widths.gram {
                return;
            }
            let hash = hashes.of(next..gram_end);
            while waiting.back().is_some_and(|&(last, _)| last >= hash) {
                waiting.pop_back();
            }
            waiting.push_back((hash, next));
            next += 1;
        }
        while waiting.front().is_some_and(|&(_, place)| place < start) {
            waiting.pop_front();
        }
        let Some(&(key, place)) = waiting.front() else { continue };
        if place != chosen {
            chosen = place;
            let range = around.of(document, place, before[place] + widths.gram, widths.around);
            let surroundings = hashes.of(range.clone()) ^ mix((place - range.start) as u64);
            emit(key, surroundings, place);
        }
    }
}

/// Moves with the chosen places, which ascend.
struct Around {
    first: usize,
    last: usize,
}

impl Around {
    /// The units around a place: `width` on both sides, up to the borders of tokens.
    fn of(&mut self, document: &Document, place: usize, gram_end: u32, width: u32) -> Range<usize> {
        let stream = &document.stream;
        let before = stream.before();
        while self.first < place && before[self.first + 1] + width <= before[place] {
            self.first += 1;
        }
        self.last = self.last.max(place);
        while self.last < stream.units().len() && before[self.last] < gram_end + width {
            self.last += 1;
        }
        let (mut start, mut end) = (self.first, self.last);
        while start > 0 && !stream.is_border(start) {
            start -= 1;
        }
        while !stream.is_border(end) {
            end += 1;
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    fn sampled_keys(text: &str, search: &Search) -> Vec<(u64, usize)> {
        let mut keys = Vec::new();
        sampled(&Document::new(Text::Utf8(text), search), search, |key, _, place| keys.push((key, place)));
        keys
    }

    proptest! {
        #[test]
        fn every_run_has_a_record_that_does_not_depend_on_what_is_around_it(
            run in "[ab甲乙 ]{0,40}", before in "[ab甲]{0,20}", after in "[ab甲]{0,20}", min_length in 4u32..30, tokens: bool,
        ) {
            let measure = if tokens { Measure::Tokens } else { Measure::Letters };
            let search = Search { kind: Kind::Passages, measure, min_length };
            let stream = |text: &str| Document::new(Text::Utf8(text), &search).stream;
            prop_assume!(stream(&run).whole() >= min_length);
            let alone: Vec<u64> = sampled_keys(&run, &search).into_iter().map(|(key, _)| key).collect();
            let within = sampled_keys(&format!("{before} {run} {after}"), &search);
            let first = stream(&before).units().len();
            let last = first + stream(&run).units().len();
            let inside: Vec<u64> =
                within.iter().filter(|(_, place)| (first..last).contains(place)).map(|&(key, _)| key).collect();
            prop_assert!(inside.iter().any(|key| alone.contains(key)));
        }
    }
}
