//! Records: the keys of a document with their places, by which repeated text is found.
//!
//! A unit has one record, made of the digest of its fold. Passages have records at sampled places: in every window of
//! the text, the place whose following letters have the lowest hash. Equal windows select equal places, so every run
//! of at least `min_length` letters contains a record that its copies have too.
//!
//! A record of a passage also has the digest of its surroundings, `min_length` letters on both sides. Places with equal
//! surroundings are interchangeable: each of them proves the same text as copied. A hot key, such as one in a footer of
//! a million pages, therefore costs one comparison a page and not one for each pair.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_128;

use super::document::{Document, Search};
use super::stream::{Fold, Measure};
use super::units::Kind;
use crate::hash::{GOLDEN, mix};
use crate::text::Text;

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

/// Computes records; keeps its buffers from one text to the next.
#[derive(Debug, Default)]
pub struct Recorder {
    fold: Fold,
    sampler: Sampler,
}

impl Recorder {
    /// Passes the records of a text to `emit`. `scope` separates documents that are not compared with each other.
    pub fn read(&mut self, text: Text<'_>, search: &Search, rank: u32, scope: u64, emit: impl FnMut(Record)) {
        if search.kind == Kind::Passages {
            self.fold.read(text, search.measure);
            self.sampler.sample(&self.fold, search, passage(rank, scope, emit));
        } else {
            records_of_units(&Document::new(text, search), search, rank, scope, emit);
        }
    }
}

/// Passes the records of a document to `emit`, as [`Recorder::read`] those of a text.
pub fn records(document: &Document, search: &Search, rank: u32, scope: u64, emit: impl FnMut(Record)) {
    if search.kind == Kind::Passages {
        Sampler::default().sample(document.stream.fold(), search, passage(rank, scope, emit));
    } else {
        records_of_units(document, search, rank, scope, emit);
    }
}

fn passage(rank: u32, scope: u64, mut emit: impl FnMut(Record)) -> impl FnMut(u64, u64, usize) {
    move |key, surroundings, place| emit(Record { key: mix(key ^ scope), surroundings, rank, place: place as u32 })
}

fn records_of_units(document: &Document, search: &Search, rank: u32, scope: u64, mut emit: impl FnMut(Record)) {
    for (number, span) in document.spans().iter().enumerate() {
        if document.is_searched(number, search.min_length) {
            let digest = xxh3_128(bytemuck::cast_slice(&document.stream.units()[span.clone()]));
            let key = mix(digest as u64 ^ scope);
            emit(Record { key, surroundings: (digest >> 64) as u64, rank, place: number as u32 });
        }
    }
}

/// The rolling hash of every range of units.
#[derive(Debug, Default)]
struct Hashes {
    sums: Vec<u64>,
    powers: Vec<u64>,
}

impl Hashes {
    fn read(&mut self, units: &[u32]) {
        self.sums.clear();
        self.sums.reserve(units.len() + 1);
        let mut sum = 0u64;
        self.sums.push(sum);
        self.sums.extend(units.iter().map(|&unit| {
            sum = sum.wrapping_mul(BASE).wrapping_add(mix(u64::from(unit) ^ GOLDEN));
            sum
        }));
    }

    fn of(&mut self, range: Range<usize>) -> u64 {
        if self.powers.len() <= range.len() {
            self.extend_powers(range.len());
        }
        mix(self.sums[range.end].wrapping_sub(self.sums[range.start].wrapping_mul(self.powers[range.len()])))
    }

    #[cold]
    fn extend_powers(&mut self, length: usize) {
        let mut power = self.powers.last().map_or(1, |power| power.wrapping_mul(BASE));
        while self.powers.len() <= length {
            self.powers.push(power);
            power = power.wrapping_mul(BASE);
        }
    }
}

/// A place that may be sampled: the beginning of a token, and the hash of the letters that follow.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    place: usize,
    hash: u64,
}

/// Samples the places of passages. Runs consist of whole tokens, so that places and windows begin with a token.
#[derive(Debug, Default)]
struct Sampler {
    hashes: Hashes,
    candidates: Vec<Candidate>,
}

impl Sampler {
    /// Passes key, surroundings and place of every sampled place. Linear, times the number of tokens in a window at worst.
    fn sample(&mut self, fold: &Fold, search: &Search, mut emit: impl FnMut(u64, u64, usize)) {
        if fold.whole() < search.min_length.max(1) {
            return;
        }
        let widths = Widths::of(search);
        let before = fold.before();
        self.hashes.read(fold.units());
        self.find_candidates(fold, widths.gram);
        let mut around = Around { first: 0, last: 0 };
        // The window has the candidates from `start` to `end`; `lowest` is the last one with the lowest hash.
        let (mut end, mut lowest, mut emitted) = (0, 0, usize::MAX);
        for start in 0..self.candidates.len() {
            let limit = before[self.candidates[start].place] + widths.window;
            let unread = if lowest < start { start } else { end.max(start) };
            lowest = lowest.max(start);
            while end < self.candidates.len() && before[self.candidates[end].place] < limit {
                end += 1;
            }
            for next in unread..end {
                if self.candidates[next].hash <= self.candidates[lowest].hash {
                    lowest = next;
                }
            }
            // A window at the end that is not full of candidates is in no run that is long enough.
            if end == self.candidates.len() && before[before.len() - 1] < limit - 1 + widths.gram {
                return;
            }
            if lowest != emitted {
                emitted = lowest;
                let Candidate { place, hash } = self.candidates[lowest];
                let range = around.of(fold, place, before[place] + widths.gram, widths.around);
                let surroundings = self.hashes.of(range.clone()) ^ mix((place - range.start) as u64);
                emit(hash, surroundings, place);
            }
        }
    }

    /// Finds the tokens that at least `gram` letters follow.
    fn find_candidates(&mut self, fold: &Fold, gram: u32) {
        self.candidates.clear();
        let (units, before) = (fold.units(), fold.before());
        let mut gram_end = 0;
        for place in (0..units.len()).filter(|&place| fold.is_border(place)) {
            while gram_end < units.len() && before[gram_end] < before[place] + gram {
                gram_end += 1;
            }
            if before[gram_end] < before[place] + gram {
                return;
            }
            self.candidates.push(Candidate { place, hash: self.hashes.of(place..gram_end) });
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
    fn of(&mut self, fold: &Fold, place: usize, gram_end: u32, width: u32) -> Range<usize> {
        let before = fold.before();
        while self.first < place && before[self.first + 1] + width <= before[place] {
            self.first += 1;
        }
        self.last = self.last.max(place);
        while self.last < fold.units().len() && before[self.last] < gram_end + width {
            self.last += 1;
        }
        let (mut start, mut end) = (self.first, self.last);
        while start > 0 && !fold.is_border(start) {
            start -= 1;
        }
        while !fold.is_border(end) {
            end += 1;
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sampled_keys(text: &str, search: &Search) -> Vec<(u64, usize)> {
        let mut keys = Vec::new();
        let document = Document::new(Text::Utf8(text), search);
        Sampler::default().sample(document.stream.fold(), search, |key, _, place| keys.push((key, place)));
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
