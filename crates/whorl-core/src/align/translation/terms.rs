//! What a translation keeps: numbers, dates, words in Latin letters, and the terms of a dictionary.
//!
//! A number has the same term in digits, in Chinese numerals and in English words, whatever its unit: 3647亿 and *364.7
//! billion*. So have months and days of the week. A dictionary adds terms of both languages.

use std::collections::HashMap;
use std::ops::Range;

use crate::align::DENSE_FROM;
use crate::align::facts::numbers::{Number, Stated, power_of_word, stated};
use crate::align::facts::scanning::{Fact, facts, is_digit};
use crate::align::letters::letters;
use crate::align::runs::Tokens;
use crate::align::stream::Stream;
use crate::hash::{absorb, mix};
use crate::text::Text;
use crate::text::sentence::{is_line_break, sentences};
use crate::words::is_stop_word_of;

/// A Latin word from this length on is strong evidence.
const LONG_WORD: usize = 4;
/// Minimum length of a word.
const SHORTEST_WORD: usize = 2;
/// Minimum length of a word whose final "s" is a plural.
const SHORTEST_PLURAL: usize = 5;
/// Full names of months from this length on need no number beside them: "may" and "march" are verbs as well.
const UNAMBIGUOUS_MONTH: usize = 6;

/// A term of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    /// Its hash, with the weight and the origin in the lowest bits.
    pub hash: u64,
    /// Its length in units.
    pub units: u32,
}

const ORIGIN: u64 = 1 << 2;

impl Term {
    fn new(hash: u64, weight: u32, is_of_dictionary: bool, units: usize) -> Self {
        let origin = if is_of_dictionary { ORIGIN } else { 0 };
        Self { hash: mix(hash) & !7 | origin | u64::from(weight), units: units as u32 }
    }

    /// How unlikely it is that two unrelated sentences share it: 1 to 3.
    pub fn weight(self) -> u32 {
        (self.hash & 3) as u32
    }

    /// True if it is a term of the dictionary, which a translator may render in another way.
    pub fn is_of_dictionary(self) -> bool {
        self.hash & ORIGIN != 0
    }
}

/// Terms of two languages that mean the same.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// Terms by the hash of their first word or character, longest first: all of their hashes, and their meaning.
    entries: HashMap<u64, Vec<(Vec<u64>, u64)>>,
}

impl Dictionary {
    /// Builds a dictionary of pairs of terms. Terms that share a translation have one meaning. Linear, except that it
    /// sorts terms with the same first word.
    pub fn of<'t>(pairs: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut parents: Vec<usize> = Vec::new();
        for (first, second) in pairs {
            let [first, second] = [first, second].map(|term| {
                let keys = keys_of(term);
                (!keys.is_empty()).then(|| {
                    let count = numbers.len();
                    let number = *numbers.entry(keys).or_insert(count);
                    parents.extend((number == parents.len()).then_some(number));
                    root(&parents, number)
                })
            });
            if let (Some(first), Some(second)) = (first, second) {
                parents[first.max(second)] = first.min(second);
            }
        }
        let mut entries: HashMap<u64, Vec<(Vec<u64>, u64)>> = HashMap::new();
        for (keys, number) in numbers {
            entries.entry(keys[0]).or_default().push((keys, root(&parents, number) as u64));
        }
        entries.values_mut().for_each(|terms| terms.sort_unstable_by_key(|(keys, _)| std::cmp::Reverse(keys.len())));
        Self { entries }
    }

    /// The length in tokens and the meaning of the longest term at the start of some keys.
    fn longest(&self, keys: &[u64]) -> Option<(usize, u64)> {
        let terms = self.entries.get(keys.first()?)?;
        terms.iter().find(|(term, _)| keys.starts_with(term)).map(|(term, meaning)| (term.len(), *meaning))
    }
}

fn root(parents: &[usize], mut number: usize) -> usize {
    while parents[number] != number {
        number = parents[number];
    }
    number
}

fn keys_of(text: &str) -> Vec<u64> {
    let mut stream = Stream::default();
    stream.read(Text::Utf8(text));
    keys(&Tokens::of(&stream, 0..stream.units().len()))
}

/// The hash of each token; of a word without the sign of the plural.
fn keys(tokens: &Tokens<'_>) -> Vec<u64> {
    (0..tokens.len()).map(|token| hash_of(singular(tokens.units(&(token..token + 1))))).collect()
}

fn singular(word: &[u32]) -> &[u32] {
    match word {
        [stem @ .., last] if word.len() >= SHORTEST_PLURAL && *last == u32::from('s') => stem,
        _ => word,
    }
}

fn hash_of(units: &[u32]) -> u64 {
    units.iter().fold(0, |state, &unit| absorb(state, unit.into()))
}

/// A sentence with its terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its units,
    pub units: Range<usize>,
    /// and its range in the text, with the signs that end it.
    pub span: Range<usize>,
    /// Its length in letters.
    pub letters: u32,
    /// Its number of characters of dense scripts.
    pub dense: u32,
    /// The number of its paragraph.
    pub paragraph: u32,
    /// Its distinct terms, ascending.
    pub terms: Vec<Term>,
}

/// Reads the sentences of which at most half is `blocked`. Linear, except that it sorts the terms of each sentence.
pub(super) fn read(stream: &Stream, blocked: &[bool], dictionary: &Dictionary) -> Vec<Sentence> {
    let (mut paragraph, mut end) = (0, 0);
    let mut all = Vec::new();
    for span in sentences(stream.original()) {
        paragraph += u32::from(stream.original()[end..span.start].iter().any(|&sign| is_line_break(sign)));
        end = span.end;
        let units = stream.units_in(span.clone());
        if 2 * blocked[units.clone()].iter().filter(|&&is_blocked| is_blocked).count() >= units.len() {
            continue;
        }
        let code_points = &stream.units()[units.clone()];
        all.push(Sentence {
            letters: letters(code_points),
            dense: code_points.iter().filter(|&&unit| unit >= DENSE_FROM).count() as u32,
            paragraph,
            terms: terms(&Tokens::of(stream, units.clone()), dictionary),
            units,
            span,
        });
    }
    all
}

/// The distinct terms of some tokens, ascending.
fn terms(tokens: &Tokens<'_>, dictionary: &Dictionary) -> Vec<Term> {
    let keys = keys(tokens);
    let mut terms = Vec::new();
    let mut numbers = facts(tokens).peekable();
    let mut at = 0;
    while at < tokens.len() {
        while numbers.next_if(|number| number.tokens.start < at).is_some() {}
        if let Some(number) = numbers.next_if(|number| number.tokens.start == at) {
            at = push_number(tokens, number, &mut terms);
        } else if let Some((length, meaning)) = dictionary.longest(&keys[at..]) {
            let units = tokens.units(&(at..at + length)).len();
            terms.push(Term::new(meaning, 2, true, units));
            at += length;
        } else {
            at = push_word(tokens, at, keys[at], &mut terms);
        }
    }
    terms.sort_unstable();
    terms.dedup_by_key(|term| term.hash);
    terms
}

/// Adds a number, and returns the end of its tokens.
fn push_number(tokens: &Tokens<'_>, fact: Fact, terms: &mut Vec<Term>) -> usize {
    let Fact { tokens: of_number, value } = fact;
    let end = of_number.end;
    let is_digits = |token: usize| tokens.units(&(token..token + 1)).iter().all(|&unit| is_digit(unit));
    let is_apart =
        |token: usize| matches!(tokens.before(token), [sign] if matches!(char::from_u32(*sign), Some('-' | '/')));
    let parts = of_number.clone().skip(1).filter(|&token| is_apart(token)).chain([end]);
    let units = |tokens_of: Range<usize>| tokens.units(&tokens_of).len();
    if of_number.clone().all(is_digits) && of_number.clone().skip(1).any(is_apart) {
        let parts: Vec<Range<usize>> =
            parts.scan(of_number.start, |start, end| Some(std::mem::replace(start, end)..end)).collect();
        let is_date = parts.len() == 3 && units(parts[0].clone()) == 4;
        for (place, part) in parts.into_iter().enumerate() {
            let length = units(part.clone());
            let value = tokens.value_of_digits(part);
            terms.extend(if is_date && place == 1 { month_term(&value, length) } else { number_term(&value, length) });
        }
        return end;
    }
    let sign =
        |token: usize| (token < tokens.len()).then(|| char::from_u32(tokens.units(&(token..token + 1))[0])).flatten();
    let length = units(of_number.clone());
    if sign(end) == Some('月') {
        terms.extend(month_term(&value, length));
        return end + 1;
    }
    let before = of_number.start.checked_sub(1).and_then(sign);
    if matches!(before, Some('周' | '期' | '拜')) {
        terms.extend(value.small().and_then(|day| day.checked_sub(1)).map(|day| weekday_term(day as usize, length)));
        return end;
    }
    let scale = |token: usize| {
        let is_near = token < tokens.len() && tokens.before(token).len() <= 1;
        is_near.then(|| power_of_word(tokens.units(&(token..token + 1)))).flatten()
    };
    let power = scale(end);
    let value = if let Some(power) = power { value.times(power) } else { value };
    terms.extend(number_term(&value, length));
    end + usize::from(power.is_some())
}

/// Adds the word, or the number or date in words, that starts at a token, and returns the end of its tokens.
fn push_word(tokens: &Tokens<'_>, at: usize, key: u64, terms: &mut Vec<Term>) -> usize {
    let word = tokens.units(&(at..at + 1));
    if word[0] >= DENSE_FROM || word.len() < SHORTEST_WORD {
        return at + 1;
    }
    let is_number =
        |token: usize| token < tokens.len() && matches!(tokens.stated(&(token..token + 1)), Some(Stated::Number(_)));
    match tokens.stated(&(at..at + 1)) {
        Some(Stated::Number(_)) => {
            let end = (at + 1..tokens.len()).find(|&token| !is_number(token)).unwrap_or(tokens.len());
            if let Some(Stated::Number(value)) = stated((at..end).map(|token| tokens.units(&(token..token + 1)))) {
                terms.extend(number_term(&value, tokens.units(&(at..end)).len()));
            }
            return end;
        }
        Some(Stated::Month(month)) => {
            let has_digits = |token: usize| {
                token < tokens.len() && tokens.units(&(token..token + 1)).iter().all(|&unit| is_digit(unit))
            };
            if word.len() >= UNAMBIGUOUS_MONTH || has_digits(at + 1) || at > 0 && has_digits(at - 1) {
                terms.push(dated_term(MONTH, month, word.len()));
                return at + 1;
            }
        }
        Some(Stated::Weekday(day)) if word.len() >= UNAMBIGUOUS_MONTH => {
            terms.push(weekday_term(day, word.len()));
            return at + 1;
        }
        _ => {}
    }
    if !is_stop_word_of(word) {
        let weight = if singular(word).len() < LONG_WORD { 2 } else { 3 };
        terms.push(Term::new(key, weight, false, word.len()));
    }
    at + 1
}

const NUMBER: u64 = 1 << 60;
const MONTH: u64 = 2 << 60;
const WEEKDAY: u64 = 3 << 60;

/// None for zero and one, which many sentences have.
fn number_term(value: &Number, units: usize) -> Option<Term> {
    let is_common = value.small().is_some_and(|value| value < 2);
    let weight = value.significant().clamp(1, 3) as u32;
    (!is_common).then(|| Term::new(NUMBER ^ value.hash(), weight, false, units))
}

fn month_term(value: &Number, units: usize) -> Option<Term> {
    let month = value.small().filter(|month| (1..=12).contains(month))?;
    Some(dated_term(MONTH, month as usize - 1, units))
}

fn weekday_term(day: usize, units: usize) -> Term {
    dated_term(WEEKDAY, day, units)
}

fn dated_term(kind: u64, place: usize, units: usize) -> Term {
    Term::new(kind ^ place as u64, 2, false, units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str, dictionary: &Dictionary) -> Vec<u64> {
        let mut stream = Stream::default();
        stream.read(Text::Utf8(text));
        let read = read(&stream, &vec![false; stream.units().len()], dictionary);
        read.iter().flat_map(|sentence| &sentence.terms).map(|term| term.hash).collect()
    }

    fn are_same(first: &str, second: &str) -> bool {
        let [first, second] = [first, second].map(|text| hashes(text, &Dictionary::default()));
        !first.is_empty() && first == second
    }

    #[test]
    fn numbers_and_dates_are_the_same_in_both_languages() {
        assert!(are_same("产业规模达到3647亿元", "364.7 billion"));
        assert!(are_same("售出300多万张", "3 million"));
        assert!(are_same("有二十七个", "twenty-seven"));
        assert!(are_same("增长21.09%", "21.09%"));
        assert!(are_same("2025年10月7日", "October 7, 2025"));
        assert!(are_same("2025年10月7日", "2025-10-07"));
        assert!(are_same("星期二", "Tuesday"));
        assert!(!are_same("12艘", "13 boats"));
    }

    #[test]
    fn latin_words_are_kept_and_stop_words_are_not() {
        assert!(are_same("请在 Tracker 上用 asyncio.Future 提交", "Tracker, asyncio.Future"));
        assert!(hashes("the of", &Dictionary::default()).is_empty());
    }

    #[test]
    fn terms_of_a_dictionary_mean_the_same() {
        let dictionary =
            Dictionary::of([("冰厂", "ice plant"), ("制冰厂", "ice plants"), ("码头", "quay"), ("", "no")]);
        assert_eq!(hashes("制冰厂", &dictionary), hashes("ice plant", &dictionary));
        assert_eq!(hashes("冰厂", &dictionary), hashes("the Ice Plants", &dictionary));
        assert_ne!(hashes("码头", &dictionary), hashes("ice plant", &dictionary));
        assert!(hashes("渔港", &dictionary).is_empty());
    }
}
