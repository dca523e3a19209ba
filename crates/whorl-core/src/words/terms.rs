//! Terms: the significant folded words of a text with their weights.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use crate::text::{Text, fold_to_string};
use crate::words::chunk::{CONTENT_TAGS, Chunk, Chunker};
use crate::words::emphasis::Emphasis;
use crate::words::rank::{Occurrence, text_rank};
use crate::words::{Cutter, Dictionary, IDF_STEPS, Idf, Mode, Stem, code_points_hash, word_hash};

/// Stop words: particles, modal verbs, pronouns, conjunctions and stock phrases of news, in Chinese and English.
const STOP_WORDS: &str = include_str!("stop_words.txt");

/// How a term is weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Term frequency.
    Count,
    /// Term frequency times rarity (TF-IDF).
    Rarity,
    /// Terms are chosen by rarity and weighted from 1, the lightest, to 5, the heaviest.
    Scale,
    /// The TextRank score.
    TextRank,
}

/// How terms are selected and weighted.
#[derive(Clone, Debug, PartialEq)]
pub struct TermRules {
    /// Whether the model guesses words that are not in the dictionary.
    pub hmm: bool,
    /// Prefixes of the allowed tags, such as "n" and "v"; empty for all.
    pub tags: Vec<String>,
    /// Minimum length of a word in characters.
    pub shortest: usize,
    /// Whether to drop stop words.
    pub stop_words: bool,
    /// Whether to drop words that consist of digits.
    pub drop_numbers: bool,
    /// Multiplicity of a word in the first line, which is the title if columns were joined.
    pub title: u32,
    /// Multiplicity of a word in the first sentence below the title.
    pub opening: u32,
    /// How terms are weighted.
    pub weighting: Weighting,
    /// The language to stem words in, so that all forms of a word are one term.
    pub stem: Option<Stem>,
    /// Whether terms are chunks instead of words.
    pub chunks: bool,
}

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The hash of the folded word, stem or chunk.
    pub hash: u64,
    /// Rarity in steps of [`IDF_STEPS`]: that of its most frequent form, or the sum over the words of a chunk; 1
    /// without a table.
    pub rarity: u32,
    /// Weight in steps of [`IDF_STEPS`], or from 1 to 5 on the scale.
    pub weight: u64,
    /// Its range in [`Terms::words`].
    word: (u32, u32),
}

impl Term {
    /// Creates a term without its characters.
    pub fn new(hash: u64, rarity: u32, weight: u64) -> Self {
        Self { hash, rarity, weight, word: (0, 0) }
    }
}

/// The distinct terms of a text; reused from text to text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The terms: sorted by hash after reading, heaviest first after choosing.
    pub list: Vec<Term>,
    words: String,
    occurrence_list: Vec<TermOccurrence>,
}

/// An occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TermOccurrence {
    hash: u64,
    /// None until it is looked up by the hash, which is possible for words only.
    rarity: Option<u32>,
    count: u32,
    position: u32,
    word: (u32, u32),
}

impl Terms {
    /// The folded word, stem or chunk of `term`.
    pub fn word(&self, term: &Term) -> &str {
        &self.words[term.word.0 as usize..term.word.1 as usize]
    }

    /// Keeps the `limit` heaviest terms in descending order; ties are ordered by hash.
    pub fn keep_heaviest(&mut self, limit: usize) {
        self.list.sort_unstable_by(|a, b| b.weight.cmp(&a.weight).then(a.hash.cmp(&b.hash)));
        self.list.truncate(limit);
    }

    /// Scales the weights from 1, the lightest, to 5, the heaviest of the text; all 5 if all weights are equal.
    fn scale(&mut self) {
        let weights = || self.list.iter().map(|term| term.weight);
        let (lightest, heaviest) = (weights().min().unwrap_or(0), weights().max().unwrap_or(0));
        for term in &mut self.list {
            term.weight =
                if heaviest == lightest { 5 } else { 1 + 4 * (term.weight - lightest) / (heaviest - lightest) };
        }
    }

    #[cfg(test)]
    pub(crate) fn of(list: Vec<Term>) -> Self {
        Self { list, ..Self::default() }
    }

    fn clear(&mut self) {
        self.list.clear();
        self.words.clear();
        self.occurrence_list.clear();
    }

    fn push(&mut self, word: &str, rarity: Option<u32>, count: u32, position: u32) {
        let start = self.words.len() as u32;
        self.words.push_str(word);
        let word_place = (start, self.words.len() as u32);
        self.occurrence_list.push(TermOccurrence { hash: word_hash(word), rarity, count, position, word: word_place });
    }

    /// Merges occurrences with equal hashes into terms, sorted by hash, with the count as weight.
    fn merge(&mut self, rarity: impl Fn(u64) -> u32) {
        let stored_rarity = |entry: &TermOccurrence| entry.rarity.unwrap_or(0);
        let term = |entry: &TermOccurrence| Term {
            hash: entry.hash,
            rarity: stored_rarity(entry),
            weight: entry.count.into(),
            word: entry.word,
        };
        self.list.extend(self.occurrence_list.iter().map(term));
        self.list.sort_unstable_by_key(|term| (term.hash, term.rarity, term.word));
        self.list.dedup_by(|next, kept| {
            let same = next.hash == kept.hash;
            kept.weight += if same { next.weight } else { 0 };
            same
        });
        if self.occurrence_list.first().is_some_and(|entry| entry.rarity.is_none()) {
            self.list.iter_mut().for_each(|term| term.rarity = rarity(term.hash));
        }
    }

    /// Weights the terms by TextRank.
    fn rank(&mut self) {
        let number = |hash| self.list.binary_search_by_key(&hash, |term| term.hash).ok();
        let occurrence = |entry: &TermOccurrence| {
            let term = number(entry.hash)? as u32;
            Some(Occurrence { term, position: entry.position, count: entry.count })
        };
        let occurrences: Vec<Occurrence> = self.occurrence_list.iter().filter_map(occurrence).collect();
        let scores = text_rank(&occurrences, self.list.len());
        for (term, score) in self.list.iter_mut().zip(scores) {
            term.weight = (score * f64::from(IDF_STEPS)).round() as u64;
        }
    }
}

/// Reads the terms of texts; shared by all workers.
pub struct TermReader {
    dictionary: Arc<Dictionary>,
    idf: Option<Arc<Idf>>,
    rules: TermRules,
}

impl TermReader {
    /// Creates a reader for `rules`. Without a table, every word is equally rare. Words marked as common in the table
    /// are dropped.
    pub fn new(dictionary: Arc<Dictionary>, idf: Option<Arc<Idf>>, rules: TermRules) -> Self {
        Self { dictionary, idf, rules }
    }

    /// Creates a cutter for one worker, to pass to [`Self::read`].
    pub fn cutter(&self) -> Cutter<'_> {
        let tagged = self.rules.chunks || !self.rules.tags.is_empty();
        Cutter::new(&self.dictionary, Mode::Precise, self.rules.hmm, true, tagged)
    }

    /// Fills `terms` with the terms of `text`. Cost: that of segmentation, about 0.1 µs per character.
    pub fn read(&self, cutter: &mut Cutter<'_>, text: Text<'_>, terms: &mut Terms) {
        terms.clear();
        if self.rules.chunks {
            self.find_chunks(cutter, text, terms);
        } else {
            self.find_words(cutter, text, terms);
        }
        terms.merge(|hash| self.rarity(hash));
        terms.list.retain(|term| !self.is_dull(term.hash));
        match self.rules.weighting {
            Weighting::Count => terms.list.iter_mut().for_each(|term| term.weight *= u64::from(IDF_STEPS)),
            Weighting::Rarity | Weighting::Scale => {
                terms.list.iter_mut().for_each(|term| term.weight *= u64::from(term.rarity));
            }
            Weighting::TextRank => terms.rank(),
        }
    }

    /// Keeps the `limit` heaviest terms, heaviest first, with their final weights.
    pub fn choose(&self, terms: &mut Terms, limit: usize) {
        terms.keep_heaviest(limit);
        if self.rules.weighting == Weighting::Scale {
            terms.scale();
        }
    }

    fn find_words(&self, cutter: &mut Cutter<'_>, text: Text<'_>, terms: &mut Terms) {
        let emphasis = Emphasis::of(text, self.rules.title, self.rules.opening);
        let mut position = 0;
        cutter.cut(text, |word, place| {
            position += 1;
            if !self.is_term(word) || !self.has_tag(place.tag, &self.rules.tags) {
                return;
            }
            let count = emphasis.at(place.start);
            match self.rules.stem {
                None => terms.push(word, None, count, position),
                Some(stem) => {
                    let hash = word_hash(word);
                    if !self.is_dull(hash) {
                        terms.push(&stem.of(word), Some(self.rarity(hash)), count, position);
                    }
                }
            }
        });
    }

    fn find_chunks(&self, cutter: &mut Cutter<'_>, text: Text<'_>, terms: &mut Terms) {
        let emphasis = Emphasis::of(text, self.rules.title, self.rules.opening);
        let mut position = 0;
        let mut chunker = Chunker::new(text);
        let mut emit = |chunk: &Chunk| {
            position += 1;
            if let Some(place) = chunk.place.filter(|_| self.is_term(&chunk.text)) {
                let rarity = chunk.words.iter().map(|&hash| self.rarity(hash)).fold(0, u32::saturating_add);
                terms.push(&chunk.text, Some(rarity), emphasis.at(place.start), position);
            }
        };
        cutter.cut(text, |word, place| {
            let has_tag = match self.rules.tags.as_slice() {
                [] => self.has_tag(place.tag, &CONTENT_TAGS),
                tags => self.has_tag(place.tag, tags),
            };
            let stem = self.rules.stem.map_or(Cow::Borrowed(word), |stem| stem.of(word));
            chunker.take(word, &stem, place, has_tag && !self.is_dull(word_hash(word)), &mut emit);
        });
        chunker.finish(&mut emit);
    }

    fn is_term(&self, word: &str) -> bool {
        let long_enough = word.chars().nth(self.rules.shortest.saturating_sub(1)).is_some();
        long_enough && !(self.rules.drop_numbers && word.chars().all(char::is_numeric))
    }

    fn has_tag(&self, tag: u16, prefixes: &[impl AsRef<str>]) -> bool {
        let tag = &self.dictionary.tags()[usize::from(tag)];
        prefixes.is_empty() || prefixes.iter().any(|prefix| tag.starts_with(prefix.as_ref()))
    }

    fn rarity(&self, hash: u64) -> u32 {
        self.idf.as_ref().map_or(IDF_STEPS, |idf| idf.value(hash))
    }

    /// True for a stop word or a word that occurs in nearly all texts.
    fn is_dull(&self, hash: u64) -> bool {
        (self.rules.stop_words && is_stop_word(hash)) || self.idf.as_ref().is_some_and(|idf| idf.is_common(hash))
    }
}

/// True for the hash of a stop word.
pub(super) fn is_stop_word(hash: u64) -> bool {
    stop_words().contains(&hash)
}

/// True for a folded word that is a stop word.
pub(crate) fn is_stop_word_of(word: &[u32]) -> bool {
    is_stop_word(code_points_hash(word.iter().copied()))
}

fn stop_words() -> &'static HashSet<u64> {
    static HASHES: LazyLock<HashSet<u64>> =
        LazyLock::new(|| STOP_WORDS.split_whitespace().map(|word| word_hash(&fold_to_string(word))).collect());
    &HASHES
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
            weighting: Weighting::Count,
            stem: None,
            chunks: false,
        }
    }

    fn terms(text: &str, rules: TermRules, idf: Option<Arc<Idf>>) -> Terms {
        let reader = TermReader::new(Dictionary::embedded(), idf, rules);
        let mut terms = Terms::default();
        reader.read(&mut reader.cutter(), Text::Utf8(text), &mut terms);
        terms
    }

    fn weight(terms: &Terms, word: &str) -> u64 {
        terms.list.iter().find(|term| term.hash == word_hash(word)).map_or(0, |term| term.weight)
    }

    fn count(terms: &Terms, word: &str) -> u64 {
        weight(terms, word) / u64::from(IDF_STEPS)
    }

    #[test]
    fn function_words_numbers_and_single_characters_are_no_terms() {
        let result = terms("但是茶农们在2024年的春天，茶农 and the farmers。", rules(), None);
        assert_eq!((count(&result, "茶农"), count(&result, "farmers")), (2, 1));
        for dull in ["但是", "2024", "年", "的", "and", "the"] {
            assert_eq!(count(&result, dull), 0, "{dull}");
        }
        assert!(result.list.iter().all(|term| word_hash(result.word(term)) == term.hash));
    }

    #[test]
    fn tags_choose_words() {
        let chosen = TermRules { tags: vec!["n".into()], ..rules() };
        let result = terms("美丽的茶园迅速扩大", chosen, None);
        assert_eq!((count(&result, "茶园"), count(&result, "迅速")), (1, 0));
    }

    #[test]
    fn words_of_the_title_and_the_opening_count_more() {
        let emphatic = TermRules { title: 3, opening: 2, ..rules() };
        let result = terms("茶园丰收\n\n今年茶园扩大。渔港和茶园\n冰厂", emphatic, None);
        assert_eq!((count(&result, "茶园"), count(&result, "扩大"), count(&result, "渔港")), (6, 2, 1));
    }

    #[test]
    fn forms_of_a_word_count_together_and_are_as_rare_as_the_most_frequent() {
        let idf = Idf::from_counts(100, [("farmer", 10), ("farmers", 50)], 0.9);
        let stemmed = TermRules { stem: "english".parse().ok(), weighting: Weighting::Rarity, ..rules() };
        let result = terms("A farmer met the farmers.", stemmed, Some(Arc::new(idf)));
        assert_eq!(weight(&result, "farmer"), 2 * (2_f64.ln() * 4096.0).round() as u64);
        assert_eq!(weight(&result, "farmers"), 0);
    }

    #[test]
    fn chunks_are_as_rare_as_their_words_together() {
        let idf = Idf::from_counts(100, [("茶园", 10), ("产量", 50)], 0.9);
        let chunks = TermRules { chunks: true, weighting: Weighting::Rarity, ..rules() };
        let result = terms("茶园产量的茶园", chunks, Some(Arc::new(idf)));
        let steps = |share: f64| (share.ln() * 4096.0).round() as u64;
        assert_eq!(weight(&result, "茶园产量"), steps(10.0) + steps(2.0));
        assert_eq!(weight(&result, "茶园"), steps(10.0));
        assert_eq!(result.list.len(), 2);
    }

    #[test]
    fn ranks_are_one_on_average() {
        let ranked = TermRules { weighting: Weighting::TextRank, ..rules() };
        let result = terms("茶园产量增长，茶园机器增添，渔港机器", ranked, None);
        let sum: u64 = result.list.iter().map(|term| term.weight).sum();
        assert!(sum.abs_diff(u64::from(IDF_STEPS) * result.list.len() as u64) < 10);
        assert!(weight(&result, "茶园") > weight(&result, "渔港"));
    }

    #[test]
    fn the_scale_goes_from_one_to_five() {
        let scaled = |weights: &[u64]| {
            let list = weights.iter().map(|&weight| Term::new(weight, 1, weight)).collect();
            let mut terms = Terms::of(list);
            terms.scale();
            terms.list.iter().map(|term| term.weight).collect::<Vec<_>>()
        };
        assert_eq!(scaled(&[2, 10, 6, 9]), [1, 5, 3, 4]);
        assert_eq!(scaled(&[2]), [5]);
    }
}
