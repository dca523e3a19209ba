//! Boilerplate: runs of text that many documents have which are no copies of each other, such as notices.
//!
//! It is learned from keys. A key that [`MANY`] documents of different texts have is either that of an article which was
//! reprinted often, or of something that stands in articles of all sorts; a sample of its documents tells which. Where
//! they are no copies of each other, the runs of tokens that most of them have are boilerplate: neither counted nor
//! shown as copied, in any document.
//!
//! A stretch that makes up half or more of most of the texts that have it is an article, such as a viral post to which
//! everyone adds a comment. The documents that share it may be less alike than copies are, so this is decided by the
//! stretch and not by the comparison of the documents.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use crate::align::pair::{Given, Judge, Judgement, LeaveOut, Stream, new_names};
use crate::align::{DENSE_FROM, Passage};
use crate::hash::BuildNumberHasher;
use crate::text::shingle::{FoldedText, covered_tokens, window_hashes};
use crate::text::{Text, body, metadata};

/// Tokens of a run that is looked for.
const RUN: usize = 8;
/// So many documents of different texts have a key that may be boilerplate.
pub const MANY: usize = 8;
/// So many of them are looked at.
pub const SAMPLE: usize = 6;
/// Of two copies, at least this share of one stands in the other,
const COPIED: f64 = 0.7;
/// or this share, if that is in passages of which one is longer than notices are: then an article has taken it over.
const EXCERPT: f64 = 0.4;
/// The longest notice, in code points, where a character of a script of thousands of them counts as so many: a licence in
/// English is not longer for standing in a Chinese page.
const NOTICE: usize = 1200;
const DENSE: usize = 6;

/// A stretch that makes up this share of most texts that have it is an article.
const ARTICLE: f64 = 0.5;
/// Stretches of an article with at most this many folded code points between them are one stretch: an edit does not
/// split it.
const GAP: usize = 8;
/// A Han character says as much as so many letters.
const LETTERS: usize = 3;

/// The longest text that is shown of a notice, in code points.
const SHOWN: usize = 200;

/// Runs of tokens, by hash.
#[derive(Clone, Debug, Default)]
pub struct Boilerplate {
    runs: HashSet<u64, BuildNumberHasher>,
}

impl Boilerplate {
    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds that of others.
    pub fn add(&mut self, other: Self) {
        self.runs.extend(other.runs);
    }

    /// This and that of others, at the cost of a copy of the larger one.
    pub fn with(&self, other: &Self) -> Self {
        let (more, fewer) = if self.runs.len() < other.runs.len() { (other, self) } else { (self, other) };
        let mut all = more.clone();
        all.runs.extend(&fewer.runs);
        all
    }

    /// This without that of others.
    pub fn without(&self, other: &Self) -> Self {
        Self { runs: self.runs.difference(&other.runs).copied().collect() }
    }

    /// True where a run of this hash is boilerplate.
    pub fn has(&self, run: u64) -> bool {
        self.runs.contains(&run)
    }

    /// Those with these hashes.
    pub fn of_runs(runs: impl IntoIterator<Item = u64>) -> Self {
        Self { runs: runs.into_iter().collect() }
    }

    /// Their hashes, ascending.
    pub fn runs(&self) -> Vec<u64> {
        let mut runs: Vec<u64> = self.runs.iter().copied().collect();
        runs.sort_unstable();
        runs
    }

    /// What some documents have in common that share a key; nothing where most of them are copies of each other, or
    /// where a stretch of it makes up half or more of most of those that have it.
    /// Linear in the texts, of which two are compared only where most have a run in common.
    pub fn of_sample(texts: &[&Runs], judge: &mut Judge) -> Self {
        let runs = common_runs(texts);
        let common = Self { runs };
        if common.is_empty() || common.is_article_in(texts) {
            return Self::default();
        }
        let names = new_names();
        let given = |place: usize| Given::plain((names, place), texts[place].text());
        let are_copies = |judge: &mut Judge, a: usize, b: usize| {
            let Judgement { shares, passages, .. } = judge.judge(given(a), given(b), LeaveOut::default(), &[]);
            let is_long = |passage: &Passage| is_longer_than_notices(&texts[b].text()[passage.b.clone()]);
            let least = if passages.iter().any(is_long) { EXCERPT } else { COPIED };
            shares.iter().any(|share| f64::from(share.covered) >= least * f64::from(share.counted))
        };
        let pairs = texts.len() - 1;
        let enough = pairs.div_ceil(2);
        let (mut copies, mut strangers) = (0, 0);
        while copies < enough && strangers <= pairs - enough {
            let place = copies + strangers + 1;
            *if are_copies(judge, place - 1, place) { &mut copies } else { &mut strangers } += 1;
        }
        if copies == enough { Self::default() } else { common }
    }

    /// Whether one stretch makes up half or more of most of the texts that have any of these runs. Linear.
    fn is_article_in(&self, texts: &[&Runs]) -> bool {
        let shares = texts.iter().filter_map(|text| self.longest_share_of(text.text()));
        let (articles, bearers) =
            shares.fold((0, 0), |(articles, bearers), share| (articles + usize::from(share >= ARTICLE), bearers + 1));
        2 * articles > bearers
    }

    /// The share of the body of a text that its longest stretch of such runs makes up, in letters; None without one.
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

    /// The stretches of a text that are covered by such runs, in order and apart. Linear.
    pub fn ranges(&self, text: &[u32]) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        STREAM.with_borrow_mut(|stream| {
            stream.read(Text::CodePoints(text));
            self.ranges_in(stream)
        })
    }

    /// Those of a text that is folded already.
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

    /// The first of some texts that has any of it, and the beginning of its longest stretch there.
    pub fn shown_in<'t>(&self, texts: impl IntoIterator<Item = &'t [u32]>) -> Option<(usize, String)> {
        texts.into_iter().map(|text| self.shown(text)).enumerate().find(|(_, shown)| !shown.trim().is_empty())
    }

    /// The beginning of the longest stretch of a text that is boilerplate, at most [`SHOWN`] code points.
    fn shown(&self, text: &[u32]) -> String {
        let longest = self.ranges(text).into_iter().max_by_key(|range| (range.len(), std::cmp::Reverse(range.start)));
        let stretch = longest.map_or(&[][..], |range| &text[range]);
        stretch.iter().take(SHOWN).map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }
}

/// A text with the runs that it has.
#[derive(Debug, Default)]
pub struct Runs {
    text: Vec<u32>,
    /// Distinct, ascending.
    runs: Vec<u64>,
}

thread_local! {
    static FOLDED: RefCell<FoldedText> = RefCell::default();
    static STREAM: RefCell<Stream> = RefCell::default();
    /// Of tokens, and of runs.
    static HASHES: RefCell<(Vec<u64>, Vec<u64>)> = RefCell::default();
}

impl Runs {
    /// Those of a text.
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

    /// Its code points.
    pub fn text(&self) -> &[u32] {
        &self.text
    }
}

fn is_longer_than_notices(stretch: &[u32]) -> bool {
    let dense = stretch.iter().filter(|&&code_point| code_point >= DENSE_FROM).count();
    stretch.len() + (DENSE - 1) * dense > NOTICE
}

/// How much some folded code points say: a character of a script of thousands of them counts as [`LETTERS`] letters.
fn letters(units: &[u32]) -> usize {
    units.len() + (LETTERS - 1) * units.iter().filter(|&&unit| unit >= DENSE_FROM).count()
}

/// The runs that more than half of some texts have.
fn common_runs(texts: &[&Runs]) -> HashSet<u64, BuildNumberHasher> {
    let mut rest: Vec<&[u64]> = texts.iter().map(|text| &text.runs[..]).collect();
    let mut common = HashSet::default();
    while let Some(&lowest) = rest.iter().filter_map(|runs| runs.first()).min() {
        let mut holders = 0;
        for runs in rest.iter_mut().filter(|runs| runs.first() == Some(&lowest)) {
            *runs = &runs[1..];
            holders += 1;
        }
        if 2 * holders > texts.len() {
            common.insert(lowest);
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
        let boilerplate = Boilerplate { runs: common_runs(&[&Runs::of(Text::Utf8(notice))]) };
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
        let hosts = |taken: usize| -> Vec<Vec<u32>> {
            let shared: Vec<u32> = article(9, taken as u32);
            let own = (taken + taken / 3) as u32;
            (0..6).map(|host| [article(1000 + 700 * host, own), shared.clone()].concat()).collect()
        };
        assert!(of_sample(&hosts(400)).is_empty());
        assert!(!of_sample(&hosts(60)).is_empty());
    }

    /// Texts of a shared stretch among sentences of their own, of which it makes up about the share `percent`.
    fn bearers(is_han: bool, seed: u32, size: u32, percent: u32, place: u32) -> Vec<Vec<u32>> {
        let written = |first: u32, count: u32| -> Vec<u32> {
            let number = |place: u32| (first + 7919 * place) % 20_011;
            match is_han {
                true => (0..count).map(|place| 0x4E00 + number(place)).collect(),
                false => units(&(0..count).map(|place| format!("w{:05} ", number(place))).collect::<String>()),
            }
        };
        let own = size * (100 - percent) / percent;
        let before = own * place / 100;
        let text = |number: u32| {
            let first = seed + 997 * (number + 1);
            [written(first, before), written(seed, size), written(first + 13, own - before)].concat()
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
