//! Words that change the reading of a character: 行 in 银行, 长 in 长度.
//!
//! They come from a committed table, produced by `scripts/make_reading_words.py`: one word with its syllables per line.
//! Some of its words have regular readings; they prevent another word from matching across their boundary.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The words, by their first character.
pub(crate) struct ReadingWords {
    by_first: HashMap<u32, Vec<Entry>>,
}

struct Entry {
    code_points: Vec<u32>,
    syllables: Vec<&'static str>,
}

impl ReadingWords {
    /// Returns the committed table.
    pub fn get() -> &'static Self {
        static TABLE: LazyLock<ReadingWords> =
            LazyLock::new(|| ReadingWords::parse(include_str!("../reading_words.txt")));
        &TABLE
    }

    /// Returns the syllables of the longest word at the start of the folded `characters`.
    pub fn longest(&self, characters: impl Iterator<Item = u32> + Clone) -> Option<&[&'static str]> {
        let begins = |word: &&Entry| {
            let mut characters = characters.clone();
            word.code_points.iter().all(|&expected| characters.next() == Some(expected))
        };
        let words = self.by_first.get(&characters.clone().next()?)?;
        words.iter().find(begins).map(|word| word.syllables.as_slice())
    }

    fn parse(table: &'static str) -> Self {
        let mut by_first: HashMap<u32, Vec<Entry>> = HashMap::new();
        for line in table.lines() {
            let (word, syllables) = line.split_once(' ').expect("a word has syllables");
            let entry =
                Entry { code_points: word.chars().map(u32::from).collect(), syllables: syllables.split(' ').collect() };
            assert_eq!(entry.code_points.len(), entry.syllables.len(), "{word} has a syllable for each character");
            by_first.entry(entry.code_points[0]).or_default().push(entry);
        }
        by_first.values_mut().for_each(|words| words.sort_by_key(|word| std::cmp::Reverse(word.code_points.len())));
        Self { by_first }
    }
}
