//! The terms and facts of a text: what a rewrite keeps while the wording of every sentence changes.
//!
//! Terms need no dictionary: pairs of adjacent Han characters, words of letters, and numbers. Facts are the numbers and
//! the capitalized names among them. A word is represented by its first [`STEM`] letters, so that most forms of a word
//! are one term.

use std::ops::Range;
use std::sync::LazyLock;

use crate::align::DENSE_FROM;
use crate::align::stream::Stream;
use crate::hash::{absorb, mix};
use crate::text::scan::{places, within};
use crate::text::sentence::sentences;
use crate::words::is_stop_word_of;

/// Number of letters that represent a word.
const STEM: usize = 6;
/// Minimum length of a word in letters,
const SHORTEST_WORD: usize = 3;
/// and of a name.
const SHORTEST_NAME: usize = 2;
/// Minimum length of a number in digits, for a term; as a fact, any number counts.
const SHORTEST_NUMBER: usize = 2;
/// Han characters of grammar: pairs that contain one are not terms.
const GRAMMAR: &str = "的了在是和与及为将于以并等其这那有也都而之对把被从到由或但就不一个上中下们我你他她它还又更最已所此该各每向让使给则因如若";

/// An occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Occurrence {
    /// The hash of the term.
    pub hash: u64,
    /// Number of its sentence.
    pub sentence: u32,
    /// Its first unit,
    pub start: u32,
    /// and the unit after its last.
    pub end: u32,
}

/// The weight of a term: words and numbers are worth two pairs of Han characters. It is the lowest bit of the hash.
pub(super) fn weight(hash: u64) -> u32 {
    1 + (hash & 1) as u32
}

/// The terms of the available parts of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// The sentences, in units; a sentence is divided where it is not available.
    pub sentences: Vec<Range<usize>>,
    /// The occurrences of terms, in order of the hash, then of the sentence.
    pub occurrences: Vec<Occurrence>,
}

impl Terms {
    /// Reads the terms of the units that are not `blocked`. Sorts once.
    pub fn of(stream: &Stream, blocked: &[bool]) -> Self {
        let mut terms = Self::default();
        for span in sentences(stream.original()) {
            let units = stream.units_in(span);
            let is_open = |last: &usize, next: &usize| blocked[*last] == blocked[*next];
            let all: Vec<usize> = units.collect();
            for part in all.chunk_by(is_open).filter(|part| !blocked[part[0]]) {
                terms.read(stream, part[0]..part[part.len() - 1] + 1);
            }
        }
        terms.occurrences.sort_unstable();
        terms
    }

    fn read(&mut self, stream: &Stream, units: Range<usize>) {
        let sentence = self.sentences.len() as u32;
        let mut start = units.start;
        while start < units.end {
            let (end, hash) = term_at(stream, start, units.end);
            let occurrence = |hash| Occurrence { hash, sentence, start: start as u32, end: end as u32 };
            self.occurrences.extend(hash.map(occurrence));
            start = if is_dense(stream.units()[start]) { start + 1 } else { end };
        }
        self.sentences.push(units);
    }

    /// The occurrences in order of their sentences.
    pub fn in_order(&self) -> Vec<Occurrence> {
        let mut occurrences = self.occurrences.clone();
        occurrences.sort_unstable_by_key(|term| (term.sentence, term.start));
        occurrences
    }

    /// The units from the first to the last of some sentences.
    pub fn units(&self, sentences: &Range<usize>) -> Range<usize> {
        self.sentences[sentences.start].start..self.sentences[sentences.end - 1].end
    }

    /// The sum of the weights of the distinct terms.
    pub fn weight(&self) -> u32 {
        self.occurrences.chunk_by(|one, next| one.hash == next.hash).map(|term| weight(term[0].hash)).sum()
    }
}

/// The occurrences of each term that both texts have, in either.
pub(super) fn shared_terms<'t>(
    a: &'t Terms,
    b: &'t Terms,
) -> impl Iterator<Item = (&'t [Occurrence], &'t [Occurrence])> {
    let same = |last: &Occurrence, next: &Occurrence| last.hash == next.hash;
    let mut of_b = b.occurrences.chunk_by(same).peekable();
    a.occurrences.chunk_by(same).filter_map(move |of_a| {
        let hash = of_a[0].hash;
        while of_b.next_if(|term| term[0].hash < hash).is_some() {}
        of_b.next_if(|term| term[0].hash == hash).map(|of_b| (of_a, of_b))
    })
}

/// The end of the word, number or pair of characters that starts at a unit, and its hash if it is a term.
fn term_at(stream: &Stream, start: usize, limit: usize) -> (usize, Option<u64>) {
    let units = stream.units();
    if is_dense(units[start]) {
        let end = (start + 2).min(limit);
        let is_pair = end == start + 2 && is_dense(units[start + 1]) && stream.before(start + 1).is_empty();
        let is_term = is_pair && !units[start..end].iter().any(|&unit| is_grammar(unit));
        return (end, is_term.then(|| hash(units[start..end].iter().copied()) & !1));
    }
    if is_digit(units[start]) {
        let end = number_end(stream, start, limit);
        return (end, (end - start >= SHORTEST_NUMBER).then(|| number_hash(stream, start..end) | 1));
    }
    let end = word_end(stream, start, limit);
    let is_term = end - start >= SHORTEST_WORD && !is_stop_word_of(&units[start..end]);
    (end, is_term.then(|| word_hash(&units[start..end]) | 1))
}

/// The distinct numbers and names of the units that are not `blocked`, ascending. Linear, except that it sorts once.
pub(super) fn facts(stream: &Stream, blocked: &[bool]) -> Vec<u64> {
    let units = stream.units();
    let mut facts = Vec::new();
    let mut end = 0;
    for start in places(units, is_digit) {
        if start >= end && !blocked[start] {
            end = number_end(stream, start, units.len());
            facts.extend(is_quantity(stream, start..end).then(|| number_hash(stream, start..end)));
        }
    }
    for capital in places(stream.original(), |code_point| within(code_point, 0x41, 0x5A)) {
        facts.extend(name_at(stream, capital, blocked));
    }
    facts.sort_unstable();
    facts.dedup();
    facts
}

/// The hash of the name that starts at an offset; None inside a word and for the first word of a sentence, which is
/// capitalized whatever it is.
fn name_at(stream: &Stream, offset: usize, blocked: &[bool]) -> Option<u64> {
    let before = &stream.original()[..offset];
    let character = |code_point: u32| char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER);
    if before.last().is_none_or(|&code_point| character(code_point).is_ascii_alphanumeric()) {
        return None;
    }
    let mut signs = before.iter().rev().map(|&code_point| character(code_point));
    let last = signs.find(|sign| !matches!(sign, ' ' | '"' | '\'' | '“' | '‘' | '(' | '（' | '<'))?;
    if matches!(last, '.' | '!' | '?' | ';' | '。' | '！' | '？' | '；' | '\n' | '\r') {
        return None;
    }
    let start = stream.units_in(offset..offset + 1).start;
    if start >= blocked.len() || blocked[start] || stream.start_of(start) != offset {
        return None;
    }
    let end = word_end(stream, start, blocked.len());
    let name = &stream.units()[start..end];
    (name.len() >= SHORTEST_NAME && !is_stop_word_of(name)).then(|| word_hash(name))
}

/// True if a number states a quantity or a date: not part of a name such as U23 or of a pair such as 3-0, and not the
/// number of an item.
fn is_quantity(stream: &Stream, number: Range<usize>) -> bool {
    let sign = |code_point: u32| char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER);
    let (before, after) = (stream.before(number.start), stream.before(number.end));
    let is_dash = |code_point: &u32| matches!(sign(*code_point), '-' | '–');
    let continues_word = before.is_empty() && number.start > 0 && is_letter(stream.units()[number.start - 1]);
    if continues_word || before.last().is_some_and(is_dash) || after.first().is_some_and(is_dash) {
        return false;
    }
    let opens_line = number.start == 0 || before.iter().any(|&code_point| matches!(sign(code_point), '\n' | '\r'));
    let closes_item = after.first().is_some_and(|&code_point| matches!(sign(code_point), '、' | ')' | '）' | '.'));
    !(opens_line && closes_item)
}

/// The end of the number that starts at a unit; digits may be separated by one sign, as in 1,234, 13.9 and 8:26.
fn number_end(stream: &Stream, start: usize, limit: usize) -> usize {
    let continues = |unit: &usize| {
        let is_joined = match stream.before(*unit) {
            [] => true,
            [sign] => matches!(char::from_u32(*sign), Some('.' | ',' | ':' | '．' | '：')),
            _ => false,
        };
        is_digit(stream.units()[*unit]) && is_joined
    };
    (start + 1..limit).find(|unit| !continues(unit)).unwrap_or(limit.max(start + 1))
}

fn word_end(stream: &Stream, start: usize, limit: usize) -> usize {
    let continues = |unit: &usize| is_letter(stream.units()[*unit]) && stream.before(*unit).is_empty();
    (start + 1..limit).find(|unit| !continues(unit)).unwrap_or(limit.max(start + 1))
}

/// Hashes a number with its decimal point, but without separators of thousands.
fn number_hash(stream: &Stream, number: Range<usize>) -> u64 {
    let separator = |unit: usize| stream.before(unit).iter().copied().filter(|&sign| sign != u32::from(','));
    let behind = number.clone().skip(1).flat_map(|unit| separator(unit).chain([stream.units()[unit]]));
    hash([u32::from('#'), stream.units()[number.start]].into_iter().chain(behind))
}

fn word_hash(word: &[u32]) -> u64 {
    hash(word.iter().copied().take(STEM))
}

fn hash(units: impl Iterator<Item = u32>) -> u64 {
    mix(units.fold(0, |state, unit| absorb(state, unit.into())))
}

fn is_digit(unit: u32) -> bool {
    within(unit, u32::from('0'), u32::from('9'))
}

fn is_dense(unit: u32) -> bool {
    unit >= DENSE_FROM
}

fn is_letter(unit: u32) -> bool {
    !is_dense(unit) && !is_digit(unit)
}

fn is_grammar(unit: u32) -> bool {
    static SORTED: LazyLock<Vec<u32>> = LazyLock::new(|| {
        let mut characters: Vec<u32> = GRAMMAR.chars().map(u32::from).collect();
        characters.sort_unstable();
        characters
    });
    SORTED.binary_search(&unit).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn stream(text: &str) -> Stream {
        let mut stream = Stream::default();
        stream.read(Text::Utf8(text));
        stream
    }

    fn facts_of(text: &str) -> usize {
        let stream = stream(text);
        facts(&stream, &vec![false; stream.units().len()]).len()
    }

    fn shared_facts(a: &str, b: &str) -> usize {
        let [a, b] = [a, b].map(stream);
        let [a, b] = [a, b].map(|stream| facts(&stream, &vec![false; stream.units().len()]));
        a.iter().filter(|fact| b.binary_search(fact).is_ok()).count()
    }

    #[test]
    fn numbers_and_names_are_facts_and_numbering_is_not() {
        assert_eq!(facts_of("产量增长21.09%，达到9,800吨"), 2);
        assert_eq!(shared_facts("达到9,800吨", "共9800吨"), 1);
        assert_eq!(shared_facts("增长21.09%", "增长2109户"), 0);
        assert_eq!(facts_of("1. 渔港\n2、冰厂\n（U23）以3-0获胜"), 0);
        assert_eq!(facts_of("The harbour of Northport was opened by Ada Miller."), 3);
        assert_eq!(facts_of("Harbours opened. Many came."), 0);
    }

    #[test]
    fn terms_are_pairs_words_and_numbers_of_what_is_available() {
        let stream = stream("渔港的冰厂。Many harbours of 2024, 7 boats");
        let mut blocked = vec![false; stream.units().len()];
        let terms = Terms::of(&stream, &blocked);
        assert_eq!((terms.sentences.len(), terms.occurrences.len()), (2, 5));
        assert_eq!(terms.weight(), 2 + 2 * 3);
        blocked[..2].fill(true);
        let rest = Terms::of(&stream, &blocked);
        assert_eq!((rest.sentences[0].clone(), rest.occurrences.len()), (2..5, 4));
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        let terms = |text: &str| {
            let stream = stream(text);
            Terms::of(&stream, &vec![false; stream.units().len()]).occurrences[0].hash
        };
        assert_eq!(terms("harbours"), terms("Harbour"));
        assert_ne!(terms("harvest"), terms("harbour"));
    }
}
