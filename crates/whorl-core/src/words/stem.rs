//! Stemming, so that the inflected forms of a word count as one.
//!
//! Uses the algorithms of the Snowball project. Words of scripts written without spaces are left unchanged.

use std::borrow::Cow;
use std::str::FromStr;

use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::text::{Class, class};

/// Version of the algorithms, written into every file that depends on them.
pub const STEM_VERSION: &str = "snowball-stemmers-rs-1.0.1";

const LANGUAGES: [(&str, Algorithm); 35] = [
    ("arabic", Algorithm::Arabic),
    ("armenian", Algorithm::Armenian),
    ("basque", Algorithm::Basque),
    ("catalan", Algorithm::Catalan),
    ("czech", Algorithm::Czech),
    ("danish", Algorithm::Danish),
    ("dutch", Algorithm::Dutch),
    ("english", Algorithm::English),
    ("esperanto", Algorithm::Esperanto),
    ("estonian", Algorithm::Estonian),
    ("finnish", Algorithm::Finnish),
    ("french", Algorithm::French),
    ("german", Algorithm::German),
    ("greek", Algorithm::Greek),
    ("hindi", Algorithm::Hindi),
    ("hungarian", Algorithm::Hungarian),
    ("indonesian", Algorithm::Indonesian),
    ("irish", Algorithm::Irish),
    ("italian", Algorithm::Italian),
    ("lithuanian", Algorithm::Lithuanian),
    ("nepali", Algorithm::Nepali),
    ("norwegian", Algorithm::Norwegian),
    ("persian", Algorithm::Persian),
    ("polish", Algorithm::Polish),
    ("portuguese", Algorithm::Portuguese),
    ("romanian", Algorithm::Romanian),
    ("russian", Algorithm::Russian),
    ("serbian", Algorithm::Serbian),
    ("sesotho", Algorithm::Sesotho),
    ("spanish", Algorithm::Spanish),
    ("swedish", Algorithm::Swedish),
    ("tamil", Algorithm::Tamil),
    ("turkish", Algorithm::Turkish),
    ("ukrainian", Algorithm::Ukrainian),
    ("yiddish", Algorithm::Yiddish),
];

/// A stemmer of one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stem(Algorithm);

impl Stem {
    /// The supported languages by name, in order.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|&(name, _)| name)
    }

    /// Stems a folded word.
    pub fn of(self, word: &str) -> Cow<'_, str> {
        match word.chars().next() {
            Some(first) if class(first.into()) == Class::Run => Stemmer::create(self.0).stem(word),
            _ => Cow::Borrowed(word),
        }
    }
}

impl FromStr for Stem {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let supported = LANGUAGES.iter().find(|&&(language, _)| language == name);
        supported.map(|&(_, algorithm)| Self(algorithm)).ok_or_else(|| format!("there are no stems of '{name}'"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(language: &str, word: &str) -> String {
        language.parse::<Stem>().map(|stem| stem.of(word).into_owned()).unwrap_or_default()
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        assert_eq!(stem("english", "farmers"), stem("english", "farmer"));
        assert_eq!(stem("german", "häuser"), stem("german", "haus"));
        assert_eq!(stem("russian", "книги"), stem("russian", "книга"));
    }

    #[test]
    fn words_without_endings_stay() {
        for language in Stem::languages() {
            assert_eq!(stem(language, "茶园"), "茶园", "{language}");
        }
        assert!("chinese".parse::<Stem>().is_err());
    }
}
