//! Terms: the folded words of a text that say something, and how much each says.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use crate::text::{Text, fold_to_string};
use crate::words::{Cutter, Dictionary, IDF_STEPS, Idf, Mode, word_hash};

/// Function words: particles, modal words, pronouns, conjunctions and the formulas of news, in Chinese and English.
const STOP_WORDS: &str = include_str!("stop_words.txt");

/// Which words are terms, and what they weigh.
#[derive(Clone, Debug, PartialEq)]
pub struct TermRules {
    /// Let the model guess words that the dictionary lacks.
    pub hmm: bool,
    /// Only words whose tag begins with one of these, such as "n" and "v"; empty for all.
    pub tags: Vec<String>,
    /// Shorter words, in characters, are noise.
    pub shortest: usize,
    /// Drop function words.
    pub stop_words: bool,
    /// Drop words that are nothing but digits.
    pub drop_numbers: bool,
    /// As how many a word of the first line counts: the title, where columns were joined.
    pub title: u32,
    /// As how many a word of the first sentence below the title counts.
    pub opening: u32,
}

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The hash of the folded word.
    pub hash: u64,
    /// How often it occurs, as positions count.
    pub count: u32,
    /// How rare it is, in steps of [`IDF_STEPS`]; one where no table was given.
    pub rarity: u32,
}

impl Term {
    /// Count times rarity.
    pub fn weight(&self) -> u64 {
        u64::from(self.count) * u64::from(self.rarity)
    }
}

/// The distinct terms of a text, by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms(pub Vec<Term>);

impl Terms {
    /// Keeps the `limit` heaviest terms, the lower hash first among equals, in that order.
    pub fn keep_heaviest(&mut self, limit: usize) {
        self.0.sort_unstable_by(|a, b| b.weight().cmp(&a.weight()).then(a.hash.cmp(&b.hash)));
        self.0.truncate(limit);
    }

    /// The weights on a scale from 1, the lightest, to 5, the heaviest of the text; all 5 when all weigh the same.
    pub fn scale(&self) -> impl Iterator<Item = u64> + '_ {
        let weights = || self.0.iter().map(Term::weight);
        let (least, most) = (weights().min().unwrap_or(0), weights().max().unwrap_or(0));
        weights().map(move |weight| if most == least { 5 } else { 1 + 4 * (weight - least) / (most - least) })
    }
}

/// Reads the terms of texts; shared by all workers.
pub struct TermReader {
    dictionary: Arc<Dictionary>,
    idf: Option<Arc<Idf>>,
    rules: TermRules,
}

impl TermReader {
    /// Terms by `rules`; without a table every word is equally rare. Words that the table has as common are dropped.
    pub fn new(dictionary: Arc<Dictionary>, idf: Option<Arc<Idf>>, rules: TermRules) -> Self {
        Self { dictionary, idf, rules }
    }

    /// A cutter for one worker, to be handed to [`Self::read`].
    pub fn cutter(&self) -> Cutter<'_> {
        Cutter::new(&self.dictionary, Mode::Precise, self.rules.hmm, true, !self.rules.tags.is_empty())
    }

    /// Puts the terms of `text` into `terms`. Cost: that of cutting, about 0.1 µs a character.
    pub fn read(&self, cutter: &mut Cutter<'_>, text: Text<'_>, terms: &mut Terms) {
        let emphasis = Emphasis::of(text, &self.rules);
        let found = &mut terms.0;
        found.clear();
        cutter.cut(text, |word, place| {
            if self.is_term(word, place.tag) {
                found.push(Term { hash: word_hash(word), count: emphasis.at(place.start), rarity: IDF_STEPS });
            }
        });
        found.sort_unstable_by_key(|term| term.hash);
        found.dedup_by(|next, kept| {
            let same = next.hash == kept.hash;
            kept.count += if same { next.count } else { 0 };
            same
        });
        found.retain_mut(|term| {
            term.rarity = self.idf.as_ref().map_or(IDF_STEPS, |idf| idf.value(term.hash));
            let dull = self.rules.stop_words && stop_words().contains(&term.hash);
            !dull && !self.idf.as_ref().is_some_and(|idf| idf.is_common(term.hash))
        });
    }

    fn is_term(&self, word: &str, tag: u16) -> bool {
        let rules = &self.rules;
        let long_enough = word.chars().nth(rules.shortest.saturating_sub(1)).is_some();
        let tag = &self.dictionary.tags()[usize::from(tag)];
        long_enough
            && !(rules.drop_numbers && word.chars().all(char::is_numeric))
            && (rules.tags.is_empty() || rules.tags.iter().any(|wanted| tag.starts_with(wanted.as_str())))
    }
}

fn stop_words() -> &'static HashSet<u64> {
    static HASHES: LazyLock<HashSet<u64>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().map(|word| word_hash(&fold_to_string(word))).collect());
    &HASHES
}

/// Where words count more than once, in code points of the original.
struct Emphasis {
    title_end: u32,
    opening_end: u32,
    title: u32,
    opening: u32,
}

impl Emphasis {
    fn of(text: Text<'_>, rules: &TermRules) -> Self {
        let (mut title_end, mut opening_end) = (0, 0);
        if (rules.title, rules.opening) != (1, 1) {
            (title_end, opening_end) = match text {
                Text::Utf8(text) => heads(text.chars().map(u32::from)),
                Text::CodePoints(text) => heads(text.iter().copied()),
            };
        }
        Self { title_end, opening_end, title: rules.title, opening: rules.opening }
    }

    fn at(&self, place: u32) -> u32 {
        match place {
            _ if place < self.title_end => self.title,
            _ if place < self.opening_end => self.opening,
            _ => 1,
        }
    }
}

/// Where the first line ends, 0 when there is no other, and where the first sentence after it ends.
fn heads(code_points: impl Iterator<Item = u32>) -> (u32, u32) {
    let (mut title_end, mut sentence_end, mut opening_end) = (0, 0, 0);
    let mut blank = true;
    for (place, code_point) in (0..).zip(code_points) {
        let character = char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER);
        let line_ends = character == '\n';
        if !blank && (line_ends || matches!(character, '。' | '！' | '？' | '!' | '?')) {
            if title_end > 0 {
                opening_end = place;
                break;
            }
            sentence_end = if sentence_end == 0 { place } else { sentence_end };
            title_end = if line_ends { place } else { 0 };
            blank = line_ends;
        } else {
            blank &= character.is_whitespace();
        }
    }
    if title_end == 0 { (0, sentence_end) } else { (title_end, opening_end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> TermRules {
        TermRules {
            hmm: true,
            tags: Vec::new(),
            shortest: 2,
            stop_words: true,
            drop_numbers: true,
            title: 1,
            opening: 1,
        }
    }

    fn terms(text: &str, rules: TermRules, idf: Option<Arc<Idf>>) -> Terms {
        let reader = TermReader::new(Dictionary::embedded(), idf, rules);
        let mut terms = Terms::default();
        reader.read(&mut reader.cutter(), Text::Utf8(text), &mut terms);
        terms
    }

    fn count(terms: &Terms, word: &str) -> u32 {
        terms.0.iter().find(|term| term.hash == word_hash(word)).map_or(0, |term| term.count)
    }

    #[test]
    fn function_words_numbers_and_single_characters_are_no_terms() {
        let found = terms("但是茶农们在2024年的春天，茶农 and the farmers。", rules(), None);
        assert_eq!((count(&found, "茶农"), count(&found, "farmers")), (2, 1));
        for dull in ["但是", "2024", "年", "的", "and", "the"] {
            assert_eq!(count(&found, dull), 0, "{dull}");
        }
    }

    #[test]
    fn tags_choose_words() {
        let chosen = TermRules { tags: vec!["n".into()], ..rules() };
        let found = terms("美丽的茶园迅速扩大", chosen, None);
        assert_eq!((count(&found, "茶园"), count(&found, "迅速")), (1, 0));
    }

    #[test]
    fn words_of_the_title_and_the_opening_count_more() {
        let emphatic = TermRules { title: 3, opening: 2, ..rules() };
        let found = terms("茶园丰收\n\n今年茶园扩大。渔港和茶园\n冰厂", emphatic, None);
        assert_eq!((count(&found, "茶园"), count(&found, "扩大"), count(&found, "渔港")), (6, 2, 1));
    }

    #[test]
    fn the_scale_goes_from_one_to_five() {
        let term = |count| Term { hash: u64::from(count), count, rarity: IDF_STEPS };
        assert_eq!(Terms(vec![term(2), term(10), term(6), term(9)]).scale().collect::<Vec<_>>(), [1, 5, 3, 4]);
        assert_eq!(Terms(vec![term(2)]).scale().collect::<Vec<_>>(), [5]);
    }
}
