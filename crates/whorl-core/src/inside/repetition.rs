//! Repetition within one document: the measures that language model corpora are filtered by.
//!
//! The first thirteen are those of Rae et al. 2021 (Gopher), table A1; the last one applies the rule of Raffel et al.
//! 2020 (C4) within a document. Words are those of the segmenter in Chinese, and compared after folding, so that n-grams
//! mean the same in every script. Characters are those of words; white space and marks are not counted.

use std::collections::{HashMap, HashSet};

use super::layout::{Form, lines};
use super::units::{Kind, units};
use crate::hash::{BuildNumberHasher, absorb, mix};
use crate::text::{Class, Text, class, fold_to_string};
use crate::words::{Cutter, Dictionary, Mode, word_hash};

/// The measures in order, with the highest value that Rae et al. allow; the last has no published limit.
pub const MEASURES: [(&str, f32); 14] = [
    ("duplicate_lines", 0.30),
    ("duplicate_line_characters", 0.20),
    ("duplicate_paragraphs", 0.30),
    ("duplicate_paragraph_characters", 0.20),
    ("top_2_gram", 0.20),
    ("top_3_gram", 0.18),
    ("top_4_gram", 0.16),
    ("duplicate_5_grams", 0.15),
    ("duplicate_6_grams", 0.14),
    ("duplicate_7_grams", 0.13),
    ("duplicate_8_grams", 0.12),
    ("duplicate_9_grams", 0.11),
    ("duplicate_10_grams", 0.10),
    ("duplicate_3_sentences", 1.0),
];

/// Measures texts; one per worker.
pub struct Repetition<'d> {
    cutter: Cutter<'d>,
}

impl<'d> Repetition<'d> {
    /// Creates a worker with a dictionary for Chinese words.
    pub fn new(dictionary: &'d Dictionary) -> Self {
        Self { cutter: Cutter::new(dictionary, Mode::Precise, true, true, false) }
    }

    /// The measures of a text, each from 0 to 1. Linear.
    pub fn of(&mut self, text: Text<'_>) -> [f32; MEASURES.len()] {
        let mut points = Vec::new();
        text.copy_to(&mut points);
        let lines = lines(&points);
        let part = |range: std::ops::Range<usize>| &points[range];
        let filled = lines.iter().filter(|line| line.form != Form::Blank);
        let [line, line_size] = repeated(filled.map(|line| part(line.content.clone())));
        let paragraphs = units(&points, &lines, Kind::Paragraphs);
        let [paragraph, paragraph_size] = repeated(paragraphs.iter().map(|unit| part(unit.range.clone())));
        let mut words: Vec<(u64, u32)> = Vec::new();
        self.cutter.cut(Text::CodePoints(&points), |word, place| {
            let word_points = &points[place.start as usize..place.end as usize];
            if word_points.iter().any(|&point| matches!(class(point), Class::Run | Class::Single)) {
                words.push((word_hash(word), word.chars().count() as u32));
            }
        });
        let sentences: Vec<String> = units(&points, &lines, Kind::Sentences)
            .into_iter()
            .map(|unit| fold_to_string(&points[unit.range]))
            .filter(|sentence| !sentence.is_empty())
            .collect();
        let mut measures = [line, line_size, paragraph, paragraph_size, 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.];
        for width in 2..=4 {
            measures[width + 2] = top(&words, width);
        }
        for width in 5..=10 {
            measures[width + 2] = duplicated(&words, width);
        }
        measures[13] = spans_of_sentences(&sentences);
        measures
    }
}

fn share(part: u64, whole: u64) -> f32 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64) as f32 }
}

/// The share of parts that occurred before, and of their characters.
fn repeated<'t>(parts: impl Iterator<Item = &'t [u32]>) -> [f32; 2] {
    let mut distinct: HashSet<&[u32]> = HashSet::new();
    let (mut count, mut size, mut again, mut again_size) = (0, 0, 0, 0);
    for part in parts {
        (count, size) = (count + 1, size + part.len() as u64);
        if !distinct.insert(part) {
            (again, again_size) = (again + 1, again_size + part.len() as u64);
        }
    }
    [share(again, count), share(again_size, size)]
}

fn size_of(words: &[(u64, u32)]) -> u64 {
    words.iter().map(|&(_, size)| u64::from(size)).sum()
}

fn gram(words: &[(u64, u32)]) -> u64 {
    mix(words.iter().fold(0, |state, &(word, _)| absorb(state, word)))
}

fn counted(keys: impl Iterator<Item = u64>) -> HashMap<u64, u64, BuildNumberHasher> {
    let mut counts = HashMap::default();
    keys.for_each(|key| *counts.entry(key).or_insert(0) += 1);
    counts
}

/// The share of characters in the most frequent n-gram; 0 if every n-gram occurs once.
fn top(words: &[(u64, u32)], width: usize) -> f32 {
    let counts = counted(words.windows(width).map(gram));
    let highest = counts.values().copied().max().filter(|&count| count > 1);
    let sizes = words.windows(width).filter(|words| Some(counts[&gram(words)]) == highest).map(size_of);
    let size = highest.map_or(0, |count| count * sizes.max().unwrap_or(0));
    share(size, size_of(words)).min(1.0)
}

/// The share of characters in n-grams that occur more than once; each character counts once.
fn duplicated(words: &[(u64, u32)], width: usize) -> f32 {
    let counts = counted(words.windows(width).map(gram));
    let (mut covered, mut end) = (0, 0);
    for (start, words_of) in words.windows(width).enumerate() {
        if counts[&gram(words_of)] > 1 {
            covered += size_of(&words[start.max(end)..start + width]);
            end = start + width;
        }
    }
    share(covered, size_of(words))
}

/// The share of sentences in spans of three that occurred before in the text.
fn spans_of_sentences(sentences: &[String]) -> f32 {
    let mut distinct: HashSet<&[String]> = HashSet::new();
    let (mut covered, mut end) = (0, 0);
    for (start, span) in sentences.windows(3).enumerate() {
        if !distinct.insert(span) {
            covered += (start + 3 - end.max(start)) as u64;
            end = start + 3;
        }
    }
    share(covered, sentences.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(text: &str) -> HashMap<&'static str, f32> {
        let dictionary = Dictionary::embedded();
        let values = Repetition::new(&dictionary).of(Text::Utf8(text));
        MEASURES.iter().map(|&(name, _)| name).zip(values).collect()
    }

    #[test]
    fn lines_and_paragraphs_count_from_their_second_occurrence() {
        let values = measured("ab\nab\n\nabcd\n\nab\nab");
        assert_eq!(values["duplicate_lines"], 0.6);
        assert_eq!(values["duplicate_line_characters"], 0.5);
        assert_eq!(values["duplicate_paragraphs"], 1. / 3.);
        assert_eq!(values["duplicate_paragraph_characters"], 5. / 14.);
    }

    #[test]
    fn n_grams_are_of_words_in_english_and_in_chinese() {
        let values = measured("one two, three. One two four five six");
        assert_eq!(values["top_2_gram"], 12. / 28.);
        assert_eq!(values["top_3_gram"], 0.);
        let values = measured("我们的天气很好。我们的天气不好。");
        assert!(values["top_2_gram"] > 0.3 && values["duplicate_5_grams"] == 0.);
    }

    #[test]
    fn overlapping_duplicates_count_once() {
        let values = measured("a b c d e a b c d e x y");
        assert_eq!(values["duplicate_5_grams"], 10. / 12.);
        assert_eq!(measured(&"la ".repeat(40))["duplicate_10_grams"], 1.);
        assert_eq!(measured("")["duplicate_10_grams"], 0.);
    }

    #[test]
    fn spans_of_three_sentences() {
        let values = measured("He ran. It fell. We saw. You hid. He ran. It fell. We saw.");
        assert_eq!(values["duplicate_3_sentences"], 3. / 7.);
    }
}
