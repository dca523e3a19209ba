//! The features that two texts are compared by: shingles of tokens or words, as hashes in text order.

use std::str::FromStr;
use std::sync::Arc;

use crate::hash::{GOLDEN, mix};
use crate::text::Text;
use crate::text::body::with_body;
use crate::text::metadata;
use crate::text::pinyin::pinyin_fold;
use crate::text::shingle::{FoldedText, window_hashes};
use crate::words::{Cutter, Dictionary, Mode, word_hash};

/// The part of a text that is compared. Columns are joined by a newline, so the first line is the title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole text.
    Whole,
    /// The first line.
    Title,
    /// Everything below the first line.
    Body,
}

impl Part {
    /// Returns this part of `text`; empty if it is missing.
    pub fn of(self, text: Text<'_>) -> Text<'_> {
        match (self, text) {
            (Self::Whole, text) => text,
            (part, Text::Utf8(text)) => {
                let (title, body) = text.split_once('\n').unwrap_or((text, ""));
                Text::Utf8(if part == Self::Title { title } else { body })
            }
            (part, Text::CodePoints(text)) => {
                let end = text.iter().position(|&unit| unit == u32::from('\n')).unwrap_or(text.len());
                Text::CodePoints(if part == Self::Title {
                    &text[..end]
                } else {
                    text.get(end + 1..).unwrap_or_default()
                })
            }
        }
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "whole" => Self::Whole,
            "title" => Self::Title,
            "text" => Self::Body,
            _ => return Err(format!("there is no part '{name}'")),
        })
    }
}

/// Differences that are ignored in addition to those that the fold removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Nothing.
    None,
    /// Homophones: Han characters are replaced by their syllables.
    Pinyin,
}

impl FromStr for Likeness {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "none" => Self::None,
            "pinyin" => Self::Pinyin,
            // The fold already restores look-alikes.
            "look_alikes" => Self::None,
            _ => return Err(format!("there is no likeness '{name}'")),
        })
    }
}

/// The unit that features consist of.
#[derive(Clone)]
pub enum Unit {
    /// Tokens; a feature is a shingle.
    Tokens,
    /// Folded code points.
    CodePoints,
    /// Folded words.
    Words {
        /// The dictionary for segmentation.
        dictionary: Arc<Dictionary>,
        /// How Han text is segmented.
        mode: Mode,
        /// Whether the model guesses words that are not in the dictionary.
        hmm: bool,
    },
}

/// Defines the features of a text. A text with fewer than `width` units has a single feature of all of them.
#[derive(Clone)]
pub struct Features {
    /// The part of the text.
    pub part: Part,
    /// The unit of a feature.
    pub unit: Unit,
    /// Consecutive units per feature, 1 or more.
    pub width: usize,
    /// The differences to ignore.
    pub likeness: Likeness,
}

/// Reads the features of texts; one per worker, reused from text to text.
pub(crate) struct FeatureReader<'f> {
    features: &'f Features,
    cutter: Option<Cutter<'f>>,
    folded: FoldedText,
    code_points: Vec<u32>,
    units: Vec<u64>,
}

impl<'f> FeatureReader<'f> {
    /// Creates a reader of `features`.
    pub fn new(features: &'f Features) -> Self {
        let cutter = match &features.unit {
            Unit::Tokens | Unit::CodePoints => None,
            Unit::Words { dictionary, mode, hmm } => Some(Cutter::new(dictionary, *mode, *hmm, true, false)),
        };
        let folded = FoldedText::default();
        Self { features, cutter, folded, code_points: Vec::new(), units: Vec::new() }
    }

    /// Fills `hashes` with the hash of every feature of `text`, in text order, with repeats. Linear; words cost about a
    /// hundred nanoseconds per character.
    pub fn read(&mut self, text: Text<'_>, hashes: &mut Vec<u64>) {
        hashes.clear();
        with_body(self.features.part.of(text), |body| metadata::without(body, |body, _| self.gather(body, hashes)));
    }

    fn gather(&mut self, text: Text<'_>, hashes: &mut Vec<u64>) {
        let by_sound = self.features.likeness == Likeness::Pinyin;
        if let Some(cutter) = &mut self.cutter {
            self.units.clear();
            // Words are segmented as written, and only then converted to syllables.
            let hash = |word: &str| if by_sound { word_hash(&pinyin_fold(word)) } else { word_hash(word) };
            cutter.cut(text, |word, _| self.units.push(hash(word)));
            return window_hashes(&self.units, self.features.width, hashes);
        }
        match text {
            Text::Utf8(text) if by_sound => self.gather_written(Text::Utf8(&pinyin_fold(text)), hashes),
            Text::CodePoints(text) if by_sound => self.gather_written(Text::Utf8(&pinyin_fold(text)), hashes),
            _ => self.gather_written(text, hashes),
        }
    }

    /// Reads the features of a text that is not segmented into words.
    fn gather_written(&mut self, text: Text<'_>, hashes: &mut Vec<u64>) {
        if matches!(self.features.unit, Unit::CodePoints) {
            text.fold_to_code_points(&mut self.code_points);
            self.units.clear();
            self.units.extend(self.code_points.iter().map(|&code_point| mix(u64::from(code_point) ^ GOLDEN)));
            return window_hashes(&self.units, self.features.width, hashes);
        }
        self.folded.read(text);
        self.folded.shingles(self.features.width, hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::CodePoints;

    fn features(text: &str, unit: Unit, width: usize, likeness: Likeness) -> Vec<u64> {
        let features = Features { part: Part::Whole, unit, width, likeness };
        let mut hashes = Vec::new();
        FeatureReader::new(&features).read(Text::Utf8(text), &mut hashes);
        hashes
    }

    fn words() -> Unit {
        Unit::Words { dictionary: Dictionary::embedded(), mode: Mode::Precise, hmm: true }
    }

    #[test]
    fn words_are_features_singly_and_in_runs() {
        let single = features("我们在北京看京剧", words(), 1, Likeness::None);
        assert_eq!(single, features("我們在北京，看京劇！", words(), 1, Likeness::None));
        let mut pairs = Vec::new();
        window_hashes(&["我们", "在", "北京", "看", "京剧"].map(word_hash), 2, &mut pairs);
        assert_eq!(features("我们在北京看京剧", words(), 2, Likeness::None), pairs);
        assert_eq!(features("北京", words(), 9, Likeness::None).len(), 1);
        assert!(features("。！", words(), 1, Likeness::None).is_empty());
    }

    #[test]
    fn code_points_do_not_see_where_words_end() {
        let grams = |text| features(text, Unit::CodePoints, 3, Likeness::None);
        assert_eq!(grams("ab, cd"), grams("A bcd"));
        assert_eq!(grams("abcd").len(), 2);
        assert_eq!(grams("abcd")[1..], grams("bcd")[..]);
        assert_eq!(grams("ab").len(), 1);
        assert!(grams("!?").is_empty());
        assert_ne!(
            features("ab cd", Unit::Tokens, 3, Likeness::None),
            features("abcd", Unit::Tokens, 3, Likeness::None)
        );
    }

    #[test]
    fn the_first_line_is_the_title() {
        let part = |part: Part, text: &str| {
            let units: Vec<u32> = text.code_points().collect();
            let computed = match (part.of(Text::Utf8(text)), part.of(Text::CodePoints(&units))) {
                (Text::Utf8(utf8), Text::CodePoints(units)) => (utf8.code_points().collect::<Vec<_>>(), units.to_vec()),
                _ => unreachable!("a part has the form of the whole"),
            };
            assert_eq!(computed.0, computed.1);
            computed.0.into_iter().filter_map(char::from_u32).collect::<String>()
        };
        for (text, title, body) in [("题\n文\n文", "题", "文\n文"), ("题", "题", ""), ("\n文", "", "文"), ("", "", "")]
        {
            assert_eq!((part(Part::Title, text).as_str(), part(Part::Body, text).as_str()), (title, body));
            assert_eq!(part(Part::Whole, text), text);
        }
    }

    #[test]
    fn what_sounds_alike_is_alike_only_where_asked_and_look_alikes_always() {
        for unit in [Unit::Tokens, words()] {
            let read = |text, likeness| features(text, unit.clone(), 2, likeness);
            assert_eq!(read("他们走了", Likeness::Pinyin), read("她们走了", Likeness::Pinyin));
            assert_ne!(read("他们走了", Likeness::None), read("她们走了", Likeness::None));
            assert_eq!(read("加 рayрal 账号", Likeness::None), read("加 paypal 账号", Likeness::None));
        }
    }
}
