//! What became of each word between two stretches that belong together, to be marked where it stands.
//!
//! Words and single characters are held against each other by their folded forms. What is most in common, in order, is
//! the same; long stretches are cut at what is unique in both before what lies between is compared, so that the work
//! stays bounded; where even that leaves too much to compare, all of it counts as replaced.
//!
//! Source: Cohen's patience diff for the cuts.

use std::collections::HashMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::anchor::{common_prefix, common_suffix};
use super::change::moved;
use crate::text::pinyin::pinyin_fold;
use crate::text::{Class, class, fold_to_string};

/// Two stretches are compared word by word if the product of their lengths is no more.
const MOST_WORK: usize = 1 << 20;
/// Words in a row that may be unique.
const GRAM: usize = 4;

/// What became of a run of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// It is the same, but perhaps for the spaces behind it.
    Same,
    /// The same in other width, case, punctuation or script.
    Form,
    /// Others stand in its place that sound alike.
    Homophones,
    /// Others stand in its place.
    Replaced,
    /// Only the first text has it.
    Deleted,
    /// Only the second text has it.
    Inserted,
}

impl RunKind {
    /// As users see it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Form => "form",
            Self::Homophones => "homophones",
            Self::Replaced => "replaced",
            Self::Deleted => "deleted",
            Self::Inserted => "inserted",
        }
    }
}

/// A run of one text and what stands for it in the other, in code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What became of it.
    pub kind: RunKind,
    /// In the first text.
    pub a: Range<usize>,
    /// In the second text.
    pub b: Range<usize>,
}

/// How one stretch became the other. The runs fill both, in order, and no two neighbours are of one kind.
///
/// Linear, but for parts of at most about a thousand words.
pub fn edit_runs(a: &[u32], b: &[u32]) -> Vec<Run> {
    let mut numbers = HashMap::new();
    let (a, b) = (Words::of(a, &mut numbers), Words::of(b, &mut numbers));
    let mut marker = Marker { a: &a, b: &b, runs: Vec::new() };
    let prefix = common_prefix(&a.keys, &b.keys);
    let suffix = common_suffix(&a.keys[prefix..], &b.keys[prefix..]);
    let (end_a, end_b) = (a.keys.len() - suffix, b.keys.len() - suffix);
    marker.equal(0, 0, prefix);
    let (mut from_a, mut from_b) = (prefix, prefix);
    for (at_a, at_b) in cuts(&a.keys[prefix..end_a], &b.keys[prefix..end_b]) {
        marker.between(from_a..prefix + at_a, from_b..prefix + at_b);
        (from_a, from_b) = (prefix + at_a, prefix + at_b);
    }
    marker.between(from_a..end_a, from_b..end_b);
    marker.equal(end_a, end_b, suffix);
    marker.runs
}

/// A text as words and single characters, each with the spaces behind it.
struct Words<'t> {
    text: &'t [u32],
    /// Where each begins, and the end.
    starts: Vec<usize>,
    /// Equal for what is the same but for its form.
    keys: Vec<u32>,
}

impl<'t> Words<'t> {
    fn of(text: &'t [u32], numbers: &mut HashMap<String, u32>) -> Self {
        let mut starts = Vec::new();
        let mut in_run = false;
        for (place, &unit) in text.iter().enumerate() {
            let class = class(unit);
            let goes_on = match class {
                Class::Run => in_run,
                Class::Drop => true,
                Class::Break => is_space(unit),
                Class::Single => false,
            };
            if place == 0 || !goes_on {
                starts.push(place);
            }
            in_run = class == Class::Run || in_run && class == Class::Drop;
        }
        starts.push(text.len());
        let keys = starts.windows(2).map(|ends| {
            let next = numbers.len() as u32;
            *numbers.entry(key(&text[ends[0]..ends[1]])).or_insert(next)
        });
        let keys = keys.collect();
        Self { text, starts, keys }
    }

    fn span(&self, words: &Range<usize>) -> Range<usize> {
        self.starts[words.start]..self.starts[words.end]
    }

    fn slice(&self, words: &Range<usize>) -> &'t [u32] {
        &self.text[self.span(words)]
    }
}

fn is_space(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(char::is_whitespace)
}

fn without_spaces(word: &[u32]) -> &[u32] {
    let length = word.iter().rposition(|&unit| !is_space(unit)).map_or(0, |last| last + 1);
    &word[..length]
}

/// The folded word; of a sign that the fold drops, the sign in its compatible form.
fn key(word: &[u32]) -> String {
    let folded = fold_to_string(word);
    if !folded.is_empty() {
        return folded;
    }
    let sign = |&unit: &u32| char::from_u32(unit).map_or_else(|| format!("\0{unit:x}"), |sign| sign.nfkc().collect());
    let signs: String = without_spaces(word).iter().map(sign).collect();
    if signs.is_empty() { " ".into() } else { signs }
}

struct Marker<'m> {
    a: &'m Words<'m>,
    b: &'m Words<'m>,
    runs: Vec<Run>,
}

impl Marker<'_> {
    fn push(&mut self, kind: RunKind, a: Range<usize>, b: Range<usize>) {
        let (a, b) = (self.a.span(&a), self.b.span(&b));
        match self.runs.last_mut() {
            Some(last) if last.kind == kind => (last.a.end, last.b.end) = (a.end, b.end),
            _ => self.runs.push(Run { kind, a, b }),
        }
    }

    /// Words with the same keys.
    fn equal(&mut self, a: usize, b: usize, length: usize) {
        for (a, b) in (a..a + length).zip(b..b + length) {
            let (a, b) = (a..a + 1, b..b + 1);
            let is_same = without_spaces(self.a.slice(&a)) == without_spaces(self.b.slice(&b));
            self.push(if is_same { RunKind::Same } else { RunKind::Form }, a, b);
        }
    }

    fn between(&mut self, a: Range<usize>, b: Range<usize>) {
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (at_a, at_b) in common_words(&self.a.keys[a.clone()], &self.b.keys[b.clone()]) {
            let (at_a, at_b) = (a.start + at_a, b.start + at_b);
            self.other(from_a..at_a, from_b..at_b);
            self.equal(at_a, at_b, 1);
            (from_a, from_b) = (at_a + 1, at_b + 1);
        }
        self.other(from_a..a.end, from_b..b.end);
    }

    /// Words that have nothing in common.
    fn other(&mut self, a: Range<usize>, b: Range<usize>) {
        match (a.is_empty(), b.is_empty()) {
            (true, true) => {}
            (false, true) => self.push(RunKind::Deleted, a, b),
            (true, false) => self.push(RunKind::Inserted, a, b),
            (false, false) if a.len() == b.len() => {
                for (a, b) in a.zip(b) {
                    self.replaced(a..a + 1, b..b + 1);
                }
            }
            (false, false) => self.replaced(a, b),
        }
    }

    /// Signs that the fold drops differ in form only.
    fn replaced(&mut self, a: Range<usize>, b: Range<usize>) {
        let (own, other) = (self.a.slice(&a), self.b.slice(&b));
        let sound = |words: &[u32]| Some(pinyin_fold(words)).filter(|sound| !sound.is_empty());
        let kind = match (sound(own), sound(other)) {
            (None, None) => RunKind::Form,
            (own, other) if own == other => RunKind::Homophones,
            _ => RunKind::Replaced,
        };
        self.push(kind, a, b);
    }
}

/// Pairs of words that are the same, the most there are in order; none where there is too much to compare.
fn common_words(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    if a.is_empty() || b.is_empty() || a.len() * b.len() > MOST_WORK {
        return Vec::new();
    }
    // The longest common subsequence of what begins at each two words.
    let width = b.len() + 1;
    let mut longest = vec![0u16; (a.len() + 1) * width];
    for (at_a, left) in a.iter().enumerate().rev() {
        for (at_b, right) in b.iter().enumerate().rev() {
            let at = at_a * width + at_b;
            longest[at] = match left == right {
                true => longest[at + width + 1] + 1,
                false => longest[at + width].max(longest[at + 1]),
            };
        }
    }
    let (mut at_a, mut at_b, mut pairs) = (0, 0, Vec::new());
    while at_a < a.len() && at_b < b.len() {
        let at = at_a * width + at_b;
        if a[at_a] == b[at_b] {
            pairs.push((at_a, at_b));
            (at_a, at_b) = (at_a + 1, at_b + 1);
        } else if longest[at + width] >= longest[at + 1] {
            at_a += 1;
        } else {
            at_b += 1;
        }
    }
    pairs
}

/// Where two long stretches are cut, in order: at words in a row that are unique in both. None of short ones.
fn cuts(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    if a.len() * b.len() <= MOST_WORK {
        return Vec::new();
    }
    let of_b = unique_grams(b);
    let mut shared: Vec<(usize, usize)> =
        unique_grams(a).into_iter().filter_map(|(gram, place)| Some((place, *of_b.get(gram)?))).collect();
    shared.sort_unstable();
    let places: Vec<usize> = shared.iter().map(|&(_, place)| place).collect();
    shared.into_iter().zip(moved(&places)).filter(|(_, is_moved)| !is_moved).map(|(cut, _)| cut).collect()
}

fn unique_grams(words: &[u32]) -> HashMap<&[u32], usize> {
    let mut places: HashMap<&[u32], (usize, usize)> = HashMap::new();
    for (place, gram) in words.windows(GRAM).enumerate() {
        places.entry(gram).or_insert((place, 0)).1 += 1;
    }
    places.into_iter().filter(|(_, (_, count))| *count == 1).map(|(gram, (place, _))| (gram, place)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code_points(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    /// The length of the longest common subsequence by its definition: of all subsequences of the shorter one.
    fn slow_common(a: &[u32], b: &[u32]) -> usize {
        let is_within = |part: &[u32]| {
            let mut rest = b.iter();
            part.iter().all(|word| rest.any(|other| other == word))
        };
        let chosen = |mask: u32| {
            let words = a.iter().enumerate().filter(move |(place, _)| mask >> place & 1 == 1);
            words.map(|(_, &word)| word).collect::<Vec<_>>()
        };
        (0..1u32 << a.len()).map(chosen).filter(|part| is_within(part)).map(|part| part.len()).max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn as_much_is_the_same_as_can_be(
            a in prop::collection::vec(0u32..4, 0..9),
            b in prop::collection::vec(0u32..4, 0..9),
        ) {
            let pairs = common_words(&a, &b);
            prop_assert!(pairs.iter().all(|&(at_a, at_b)| a[at_a] == b[at_b]));
            prop_assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert_eq!(pairs.len(), slow_common(&a, &b));
        }

        #[test]
        fn runs_fill_both_texts(a in "[在再这里甲，。 aAb\n\u{200b}𠮷]{0,40}", b in "[在再这里甲，。 aAb\n\u{200b}𠮷]{0,40}") {
            let (a, b) = (code_points(&a), code_points(&b));
            let runs = edit_runs(&a, &b);
            let (mut end_a, mut end_b) = (0, 0);
            for run in &runs {
                prop_assert_eq!((run.a.start, run.b.start), (end_a, end_b));
                (end_a, end_b) = (run.a.end, run.b.end);
                prop_assert_eq!(run.a.is_empty(), run.kind == RunKind::Inserted);
                prop_assert_eq!(run.b.is_empty(), run.kind == RunKind::Deleted);
                if matches!(run.kind, RunKind::Same | RunKind::Form) {
                    prop_assert_eq!(fold_to_string(&a[run.a.clone()]), fold_to_string(&b[run.b.clone()]));
                }
            }
            prop_assert_eq!((end_a, end_b), (a.len(), b.len()));
            prop_assert!(runs.windows(2).all(|pair| pair[0].kind != pair[1].kind));
        }
    }
}
