//! The dictionary: jieba's, extended by user-defined words.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use jieba_rs::Jieba;
use xxhash_rust::xxh3::xxh3_64;

use crate::text;

/// The part-of-speech tags of jieba's dictionary and of its model for unknown words; a tag is identified by its index.
const TAGS: &str = "x a ad ag an b bg c d df dg e en eng f g h i in j jn k l ln m mg mq n ng nr nrfg nrt ns nt nz o p \
                    q qe qg r rg rr rz s t tg u ud ug uj ul uv uz v vd vg vi vn vq w y yg z zg";
/// Longer entries are assumed to be errors of the file.
const LONGEST_WORD: usize = 64;
/// Maximum length of words of traditional characters that are kept as written.
const LONGEST_KEPT: usize = 4;

/// Words with frequencies and tags.
pub struct Dictionary {
    pub(super) jieba: Jieba,
    tags: Vec<String>,
    codes: HashMap<String, u16>,
    digest: u64,
}

/// An error in a line of a user dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DictionaryError {
    /// The line number, from 1.
    pub line: usize,
    /// The error in one sentence.
    pub message: String,
}

impl fmt::Display for DictionaryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for DictionaryError {}

/// A line of a user dictionary.
struct Entry<'a> {
    word: &'a str,
    frequency: Option<u32>,
    tag: Option<&'a str>,
}

impl Dictionary {
    /// Returns jieba's dictionary, loaded on first use: about a tenth of a second and 50 MB.
    pub fn embedded() -> Arc<Self> {
        static EMBEDDED: LazyLock<Arc<Dictionary>> = LazyLock::new(|| {
            let tags: Vec<String> = TAGS.split_whitespace().map(String::from).collect();
            let codes = tags.iter().cloned().zip(0..).collect();
            Arc::new(Dictionary { jieba: Jieba::new(), tags, codes, digest: 0 })
        });
        Arc::clone(&EMBEDDED)
    }

    /// Adds the words of `content` to jieba's dictionary. A line has a word, optionally followed by its frequency and
    /// its tag, separated by blanks. A word without a frequency gets one that keeps it in one piece. Empty lines are
    /// ignored.
    pub fn with_words(content: &str) -> Result<Self, DictionaryError> {
        let embedded = Self::embedded();
        let mut dictionary = Self {
            jieba: embedded.jieba.clone(),
            tags: embedded.tags.clone(),
            codes: embedded.codes.clone(),
            digest: xxh3_64(content.as_bytes()),
        };
        for (index, line) in content.trim_start_matches('\u{feff}').lines().enumerate() {
            match parse(line) {
                Ok(None) => {}
                Ok(Some(entry)) => dictionary.add(&entry),
                Err(message) => return Err(DictionaryError { line: index + 1, message }),
            }
        }
        Ok(dictionary)
    }

    /// The tags by code.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The XXH3-64 of the user-defined words as passed; 0 if there are none.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The code of a tag; for an unknown tag, the code of "x".
    #[inline]
    pub(super) fn code(&self, tag: &str) -> u16 {
        self.codes.get(tag).copied().unwrap_or(0)
    }

    /// Returns the longest word of two to [`LONGEST_KEPT`] characters around `place` that is a word only as written,
    /// not in its simplified form: 乾隆 is one, 乾燥 is not.
    pub(super) fn word_as_written(&self, written: &[char], simplified: &[char], place: usize) -> Option<Range<usize>> {
        (2..=LONGEST_KEPT).rev().find_map(|length| {
            let last = (place + 1).min((written.len() + 1).saturating_sub(length));
            ((place + 1).saturating_sub(length)..last)
                .map(|start| start..start + length)
                .find(|range| self.has_word(&written[range.clone()]) && !self.has_word(&simplified[range.clone()]))
        })
    }

    fn has_word(&self, characters: &[char]) -> bool {
        let mut bytes = [0; 4 * LONGEST_KEPT];
        let mut length = 0;
        for character in characters {
            length += character.encode_utf8(&mut bytes[length..]).len();
        }
        std::str::from_utf8(&bytes[..length]).is_ok_and(|word| self.jieba.has_word(word))
    }

    /// Adds the word as written, simplified and folded, so that it matches in every kind of text.
    fn add(&mut self, entry: &Entry<'_>) {
        let simplified: String = entry.word.chars().map(text::simplified).collect();
        let mut forms = vec![entry.word.to_owned(), simplified, text::fold_to_string(entry.word)];
        forms.dedup();
        for form in &forms {
            self.jieba.add_word(form, entry.frequency.map(|frequency| frequency as usize), entry.tag);
        }
        if let Some(tag) = entry.tag.filter(|tag| !self.codes.contains_key(*tag)) {
            self.codes.insert(tag.to_owned(), self.tags.len() as u16);
            self.tags.push(tag.to_owned());
        }
    }
}

fn parse(line: &str) -> Result<Option<Entry<'_>>, String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let Some(&word) = fields.first() else { return Ok(None) };
    if word.chars().count() > LONGEST_WORD {
        return Err(format!("the word has more than {LONGEST_WORD} characters"));
    }
    let (frequency, tag) = match fields[1..] {
        [] => (None, None),
        [only] => match only.parse() {
            Ok(frequency) => (Some(frequency), None),
            Err(_) if is_tag(only) => (None, Some(only)),
            Err(_) => return Err(format!("'{only}' is neither a frequency (a whole number) nor a tag (letters)")),
        },
        [frequency, tag] => {
            let number = frequency.parse().map_err(|_| format!("the frequency '{frequency}' is not a whole number"))?;
            if !is_tag(tag) {
                return Err(format!("the tag '{tag}' is not made of letters"));
            }
            (Some(number), Some(tag))
        }
        _ => return Err(format!("there are {} fields, not a word, a frequency and a tag", fields.len())),
    };
    Ok(Some(Entry { word, frequency, tag }))
}

fn is_tag(field: &str) -> bool {
    field.len() <= 16 && field.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_of_the_model_is_known() {
        let dictionary = Dictionary::embedded();
        for tag in dictionary.jieba.tag("我们在北京的春天里慢慢地走了三十里路，哈哈！iPhone 15 很好", true)
        {
            assert_eq!(dictionary.tags()[usize::from(dictionary.code(tag.tag))], tag.tag);
        }
    }

    #[test]
    fn a_malformed_line_is_named() {
        let error =
            |content: &str| Dictionary::with_words(content).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error("好词 3 n\n坏词 三 n").starts_with("line 2: the frequency '三'"));
        assert!(error("坏词 3 n n").starts_with("line 1: there are 4 fields"));
        assert!(error("坏词 3.5").starts_with("line 1: '3.5' is neither"));
        assert!(error(&"长".repeat(65)).contains("more than 64 characters"));
        assert_eq!(error("\u{feff}好词\r\n\n又一个 5\n第三个 nz\n"), "");
    }
}
