//! Boilerplate: text that many documents share without being copies of each other, such as notices.
//!
//! # Problem
//!
//! Shared boilerplate makes unrelated documents look like copies. A fixed list of phrases would be incomplete for every
//! new corpus, so it is learned from the corpus.
//!
//! # Choice
//!
//! A key of [`MANY`] documents with different texts belongs either to an article that was reprinted often, or to text
//! that occurs in articles of all kinds. A sample of its documents decides: if they are not copies of each other, the
//! token runs shared by most of them are boilerplate. These are neither counted nor reported as copied, in any
//! document.
//!
//! A stretch that makes up half or more of most texts that contain it is an article, such as a viral post to which
//! everyone adds a comment. The documents that share it may be less similar than copies, so this is decided by the
//! stretch instead of by comparing the documents.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use crate::align::pair::{InputText, Judge, Judgement, LeaveOut, Stream, new_names};
use crate::align::{DENSE_FROM, Passage};
use crate::hash::BuildNumberHasher;
use crate::text::shingle::{FoldedText, covered_tokens, window_hashes};
use crate::text::{Text, body, metadata};

/// Tokens per run.
pub(super) const RUN: usize = 8;
/// Minimum number of documents with different texts for a key to be possible boilerplate.
pub const MANY: usize = 8;
/// Number of these documents to examine.
pub const SAMPLE: usize = 6;
/// Two texts are copies if at least this share of one is in the other.
const COPIED: f64 = 0.7;
/// Two texts are also copies with this share, if it lies in passages, one longer than a notice.
const EXCERPT: f64 = 0.4;
/// Maximum length of a notice, in code points. A dense character counts as [`LETTERS`], so that an English licence has
/// the same length in a Chinese page.
const NOTICE: usize = 1200;
const DENSE: usize = 6;

/// A stretch with this share of most texts that contain it is an article.
const ARTICLE: f64 = 0.5;
/// Maximum gap, in folded code points, between stretches of an article that are merged, so that an edit does not split
/// it.
const GAP: usize = 8;
/// Number of letters that a Han character is worth.
const LETTERS: usize = 3;

/// Maximum length of the displayed text of a notice, in code points.
const SHOWN: usize = 200;

/// Token runs, by hash.
#[derive(Clone, Debug, Default)]
pub struct Boilerplate {
    runs: HashSet<u64, BuildNumberHasher>,
    sieve: Sieve,
}

/// A bitmap of hashes that rules out most others. It is small enough for the cache, unlike the set: every run of every
/// text is looked up, and few are boilerplate. Empty if the set is.
#[derive(Clone, Debug, Default)]
struct Sieve(Vec<u64>);

impl Sieve {
    /// Number of leading bits of a hash that select a bit of the map, which takes 16 KiB.
    const BITS: u32 = 17;

    fn add(&mut self, hash: u64) {
        if self.0.is_empty() {
            self.0 = vec![0; 1 << Self::BITS >> 6];
        }
        let bit = hash >> (64 - Self::BITS);
        self.0[(bit >> 6) as usize] |= 1 << (bit & 63);
    }

    /// False only for hashes that were not added.
    fn may_have(&self, hash: u64) -> bool {
        let bit = hash >> (64 - Self::BITS);
        self.0.get((bit >> 6) as usize).is_some_and(|word| word >> (bit & 63) & 1 == 1)
    }
}

impl Boilerplate {
    /// True if there are no runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds the runs of another set.
    pub fn add(&mut self, other: Self) {
        self.extend(other.runs);
    }

    fn extend(&mut self, runs: impl IntoIterator<Item = u64>) {
        for run in runs {
            self.sieve.add(run);
            self.runs.insert(run);
        }
    }

    /// Returns the union with another set, at the cost of copying the larger one.
    pub fn with(&self, other: &Self) -> Self {
        let (more, fewer) = if self.runs.len() < other.runs.len() { (other, self) } else { (self, other) };
        let mut all = more.clone();
        all.extend(fewer.runs.iter().copied());
        all
    }

    /// Returns the difference from another set.
    pub fn without(&self, other: &Self) -> Self {
        Self::of_runs(self.runs.difference(&other.runs).copied())
    }

    /// True if the run with this hash is boilerplate.
    pub fn has(&self, run: u64) -> bool {
        self.sieve.may_have(run) && self.runs.contains(&run)
    }

    /// Creates a set from hashes.
    pub fn of_runs(runs: impl IntoIterator<Item = u64>) -> Self {
        let mut set = Self::default();
        set.extend(runs);
        set
    }

    /// The hashes in ascending order.
    pub fn runs(&self) -> Vec<u64> {
        let mut runs: Vec<u64> = self.runs.iter().copied().collect();
        runs.sort_unstable();
        runs
    }

    /// Returns what a sample of documents with a common key shares. Returns nothing if most of them are copies of each
    /// other, or if the shared stretch makes up half or more of most documents that contain it. Linear in the texts;
    /// two of them are compared only if most have a run in common.
    pub fn of_sample(texts: &[&Runs], judge: &mut Judge) -> Self {
        let common = Self::common_to(texts);
        if common.is_of_strangers(texts, judge) { common } else { Self::default() }
    }

    /// Returns the runs contained in more than half of some texts.
    pub(super) fn common_to(texts: &[&Runs]) -> Self {
        Self::of_runs(common_runs(texts))
    }

    /// True if these runs, which are common to a sample, are not those of an article or of copies.
    pub(super) fn is_of_strangers(&self, texts: &[&Runs], judge: &mut Judge) -> bool {
        if self.is_empty() || self.is_article_in(texts) {
            return false;
        }
        let names = new_names();
        let input = |place: usize| InputText::plain((names, place), texts[place].text());
        let are_copies = |judge: &mut Judge, a: usize, b: usize| {
            let Judgement { shares, passages, .. } = judge.judge(input(a), input(b), LeaveOut::default(), &[]);
            let is_long = |passage: &Passage| is_longer_than_notices(&texts[b].text()[passage.b.clone()]);
            let min_share = if passages.iter().any(is_long) { EXCERPT } else { COPIED };
            shares.iter().any(|share| f64::from(share.covered) >= min_share * f64::from(share.counted))
        };
        let pairs = texts.len() - 1;
        let enough = pairs.div_ceil(2);
        let (mut copies, mut strangers) = (0, 0);
        while copies < enough && strangers <= pairs - enough {
            let place = copies + strangers + 1;
            *if are_copies(judge, place - 1, place) { &mut copies } else { &mut strangers } += 1;
        }
        copies < enough
    }

    /// True if one stretch makes up half or more of most of the texts with any of these runs. Linear.
    fn is_article_in(&self, texts: &[&Runs]) -> bool {
        let shares = texts.iter().filter_map(|text| self.longest_share_of(text.text()));
        let (articles, bearers) =
            shares.fold((0, 0), |(articles, bearers), share| (articles + usize::from(share >= ARTICLE), bearers + 1));
        2 * articles > bearers
    }

    /// The share of a text's body covered by its longest stretch of these runs, in letters; None without one.
    fn longest_share_of(&self, text: &[u32]) -> Option<f64> {
        STREAM.with_borrow_mut(|stream| {
            stream.read(Text::CodePoints(text));
            let mut stretches: Vec<Range<usize>> = Vec::new();
            for range in self.ranges_in(stream) {
                let units = stream.units_in(range);
                match stretches.last_mut().filter(|last| units.start - last.end <= GAP) {
                    Some(last) => last.end = units.end,
                    None => stretches.push(units),
                }
            }
            let longest = stretches.into_iter().map(|units| letters(&stream.units()[units])).max()?;
            let body = body::ranges(text).into_iter().map(|range| letters(&stream.units()[stream.units_in(range)]));
            Some(longest as f64 / body.sum::<usize>().max(1) as f64)
        })
    }

    /// Returns the stretches of a text that are covered by these runs, ordered and disjoint. Linear.
    pub fn ranges(&self, text: &[u32]) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        STREAM.with_borrow_mut(|stream| {
            stream.read(Text::CodePoints(text));
            self.ranges_in(stream)
        })
    }

    /// The same for a folded text.
    pub fn ranges_in(&self, stream: &Stream) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        HASHES.with_borrow_mut(|(tokens, runs)| {
            stream.tokens(tokens);
            runs.clear();
            window_hashes(tokens, RUN, runs);
            stream.spans_of_tokens(&covered_tokens(tokens.len(), RUN, runs, |run| self.has(run)))
        })
    }

    /// Returns the first text that contains any of the boilerplate, and the beginning of its longest stretch there.
    pub fn shown_in<'t>(&self, texts: impl IntoIterator<Item = &'t [u32]>) -> Option<(usize, String)> {
        texts
            .into_iter()
            .map(|text| self.beginning(text))
            .enumerate()
            .find(|(_, beginning)| !beginning.trim().is_empty())
    }

    /// The beginning of the longest boilerplate stretch of a text, at most [`SHOWN`] code points.
    fn beginning(&self, text: &[u32]) -> String {
        let longest = self.ranges(text).into_iter().max_by_key(|range| (range.len(), std::cmp::Reverse(range.start)));
        let stretch = longest.map_or(&[][..], |range| &text[range]);
        stretch.iter().take(SHOWN).map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}

/// A text with its runs.
#[derive(Debug, Default)]
pub struct Runs {
    text: Vec<u32>,
    /// Distinct and ascending.
    runs: Vec<u64>,
}

thread_local! {
    static FOLDED: RefCell<FoldedText> = RefCell::default();
    static STREAM: RefCell<Stream> = RefCell::default();
    /// Buffers for hashes of tokens and of runs.
    static HASHES: RefCell<(Vec<u64>, Vec<u64>)> = RefCell::default();
}

impl Runs {
    /// Computes the runs of a text.
    pub fn of(text: Text<'_>) -> Self {
        let mut of = Self::default();
        text.copy_to(&mut of.text);
        FOLDED.with_borrow_mut(|folded| {
            metadata::without(Text::CodePoints(&of.text), |text, _| folded.read(text));
            folded.shingles(RUN, &mut of.runs);
        });
        of.runs.sort_unstable();
        of.runs.dedup();
        of
    }

    /// The code points of the text.
    pub fn text(&self) -> &[u32] {
        &self.text
    }

    /// The hashes of its runs, distinct and ascending.
    pub fn into_hashes(self) -> Vec<u64> {
        self.runs
    }
}

fn is_longer_than_notices(stretch: &[u32]) -> bool {
    let dense = stretch.iter().filter(|&&code_point| code_point >= DENSE_FROM).count();
    stretch.len() + (DENSE - 1) * dense > NOTICE
}

/// The length of folded code points in letters: a dense character counts as [`LETTERS`].
fn letters(units: &[u32]) -> usize {
    units.len() + (LETTERS - 1) * units.iter().filter(|&&unit| unit >= DENSE_FROM).count()
}

/// The runs contained in more than half of some texts.
fn common_runs(texts: &[&Runs]) -> Vec<u64> {
    let mut rest: Vec<&[u64]> = texts.iter().map(|text| &text.runs[..]).collect();
    let mut common = Vec::new();
    while let Some(&lowest) = rest.iter().filter_map(|runs| runs.first()).min() {
        let mut holders = 0;
        for runs in rest.iter_mut().filter(|runs| runs.first() == Some(&lowest)) {
            *runs = &runs[1..];
            holders += 1;
        }
        if 2 * holders > texts.len() {
            common.push(lowest);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::located::shared_spans;

    fn units(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    fn runs(texts: &[Vec<u32>]) -> Vec<Runs> {
        texts.iter().map(|text| Runs::of(Text::CodePoints(text))).collect()
    }

    fn of_sample(texts: &[Vec<u32>]) -> Boilerplate {
        Boilerplate::of_sample(&runs(texts).iter().collect::<Vec<_>>(), &mut Judge::default())
    }

    #[test]
    fn what_is_shown_is_of_a_text_that_has_it() {
        let notice = "凡转用其中一字一句者均须写信征得同意并注明出处";
        let boilerplate = Boilerplate::of_runs(common_runs(&[&Runs::of(Text::Utf8(notice))]));
        let texts = [units("雾散之后，渡口又热闹起来，船老大说今天要多跑两趟。"), units(&format!("渡口。{notice}"))];
        assert_eq!(boilerplate.shown_in(texts.iter().map(Vec::as_slice)), Some((1, notice.into())));
        assert_eq!(boilerplate.shown_in([&texts[0][..]]), None);
        assert_eq!(Boilerplate::of_runs(boilerplate.runs()).runs, boilerplate.runs);
    }

    proptest! {
        #[test]
        fn stretches_are_covered_by_the_runs(
            text in "[甲乙]{0,9}(凡转用其中一字一句者均须写信征得同意|a{1,3} |，|é|[甲乙]){0,20}",
            notice in "[甲乙]{0,12}|凡转用其中一字一句者均须写信征得同意|(a{1,3} ){0,12}",
        ) {
            let boilerplate = Boilerplate::of_runs(Runs::of(Text::Utf8(&notice)).runs);
            let spans = shared_spans(Text::Utf8(&text), Text::Utf8(&notice), RUN);
            prop_assert_eq!(boilerplate.ranges(&units(&text)), spans);
        }
    }

    #[test]
    fn a_stretch_ends_behind_the_marks_of_its_last_letter() {
        let notice = "o n e t w o s e\u{301}";
        let boilerplate = Boilerplate::of_runs(Runs::of(Text::Utf8(notice)).runs);
        assert_eq!(boilerplate.ranges(&units(&format!("{notice} a")))[0], 0..16);
    }

    #[test]
    fn a_long_excerpt_is_no_notice() {
        let article = |first: u32, length: u32| (0..length).map(|place| 0x4E00 + (first + 7 * place) % 5000).collect();
        let hosts = |shared_length: usize| -> Vec<Vec<u32>> {
            let shared: Vec<u32> = article(9, shared_length as u32);
            let filler_length = (shared_length + shared_length / 3) as u32;
            (0..6).map(|host| [article(1000 + 700 * host, filler_length), shared.clone()].concat()).collect()
        };
        assert!(of_sample(&hosts(400)).is_empty());
        assert!(!of_sample(&hosts(60)).is_empty());
    }

    /// Texts that contain a shared stretch among unrelated sentences; it makes up about `percent` of each.
    fn bearers(is_han: bool, seed: u32, size: u32, percent: u32, place: u32) -> Vec<Vec<u32>> {
        let written = |first: u32, count: u32| -> Vec<u32> {
            let number = |place: u32| (first + 7919 * place) % 20_011;
            match is_han {
                true => (0..count).map(|place| 0x4E00 + number(place)).collect(),
                false => units(&(0..count).map(|place| format!("w{:05} ", number(place))).collect::<String>()),
            }
        };
        let filler_length = size * (100 - percent) / percent;
        let before = filler_length * place / 100;
        let text = |number: u32| {
            let first = seed + 997 * (number + 1);
            [written(first, before), written(seed, size), written(first + 13, filler_length - before)].concat()
        };
        (0..SAMPLE as u32).map(text).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_makes_up_half_of_its_texts_is_an_article(
            is_han: bool, seed in 0u32..9000, size in 30u32..120, percent in 53u32..68, place in 0u32..101,
        ) {
            prop_assert!(of_sample(&bearers(is_han, seed, size, percent, place)).is_empty());
        }

        #[test]
        fn what_makes_up_less_is_boilerplate(
            is_han: bool, seed in 0u32..9000, size in 20u32..60, percent in 10u32..47, place in 0u32..101,
        ) {
            prop_assert!(!of_sample(&bearers(is_han, seed, size, percent, place)).is_empty());
        }
    }

    #[test]
    fn an_edit_in_each_copy_does_not_split_an_article() {
        let mut texts = bearers(true, 5, 80, 60, 0);
        (0..).zip(&mut texts).for_each(|(number, text)| text[10 + 11 * number] = u32::from('改'));
        assert!(of_sample(&texts).is_empty());
    }

    #[test]
    fn an_article_in_a_few_of_the_texts_that_quote_it_is_boilerplate() {
        let long = bearers(true, 5, 60, 20, 50);
        let mut texts = bearers(true, 5, 60, 60, 0);
        texts[2..].clone_from_slice(&long[2..]);
        assert!(!of_sample(&texts).is_empty());
    }

    #[test]
    fn a_licence_in_english_is_no_excerpt_in_chinese_pages() {
        let licence: String = (0..60).map(|word| format!("word{} ", 37 * word % 97)).collect();
        assert!((300..1200).contains(&licence.len()));
        let page = |first: u32| (0..300).map(|place| 0x4E00 + (first + 7 * place) % 5000).collect::<Vec<u32>>();
        let pages: Vec<_> = (0..6).map(|number| [page(701 * number), units(&licence)].concat()).collect();
        assert!(!of_sample(&pages).is_empty());
    }
}
