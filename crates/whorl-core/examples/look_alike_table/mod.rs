//! Serialization of the look-alike table: for each pair, by ascending first element, two little-endian `u32`: the
//! replacement and the character that it looks like.

use std::iter::once;

use icu_properties::{
    CodePointMapData,
    props::{GeneralCategory, GeneralCategoryGroup, Script},
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfc_quick};
use unicode_security::confusable_detection::skeleton;
use whorl_core::text::fold_to_string;

/// Latin letters that are part of the spelling of a language.
const LATIN_OF_LANGUAGES: std::ops::RangeInclusive<char> = '\u{80}'..='\u{24F}';
/// Parts of Han characters, encoded as symbols.
const RADICALS_AND_STROKES: [std::ops::RangeInclusive<char>; 2] = ['\u{2E80}'..='\u{2FDF}', '\u{31C0}'..='\u{31EF}'];

/// Serializes the table.
pub fn build() -> Vec<u8> {
    let pairs = ('\u{80}'..=char::MAX).filter_map(|character| Some((character, look_alike(character)?)));
    pairs.flat_map(|(one, other)| [one, other]).flat_map(|character| u32::from(character).to_le_bytes()).collect()
}

/// Returns the ASCII letter or digit, or Han character, that a letter or a part of a Han character is confused with,
/// unless the fold unifies the two anyway.
fn look_alike(character: char) -> Option<char> {
    let scripts = CodePointMapData::<Script>::new();
    let category = CodePointMapData::<GeneralCategory>::new().get(character);
    let is_part = RADICALS_AND_STROKES.iter().any(|range| range.contains(&character));
    let is_letter = GeneralCategoryGroup::Letter.contains(category) && scripts.get(character) != Script::Han;
    if !(is_part || is_letter) || LATIN_OF_LANGUAGES.contains(&character) || composes(character) {
        return None;
    }
    let text = character.to_string();
    let mut prototype = skeleton(&text);
    let (Some(original), None) = (prototype.next(), prototype.next()) else { return None };
    let is_wanted = original.is_ascii_alphanumeric() || is_unified(original, scripts.get(original));
    let is_new = fold_to_string(text.as_str()) != fold_to_string(original.to_string().as_str());
    (original != character && is_wanted && is_new).then_some(original)
}

/// True if it can combine with the previous character, which the fold has already processed at that point.
fn composes(character: char) -> bool {
    let first = once(character).nfkd().next().expect("a decomposition is never empty");
    canonical_combining_class(first) != 0 || is_nfc_quick(once(first)) == IsNormalized::Maybe
}

fn is_unified(character: char, script: Script) -> bool {
    script == Script::Han && character.is_alphabetic()
}
