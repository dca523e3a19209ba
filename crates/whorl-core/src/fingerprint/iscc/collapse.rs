//! `text_collapse` of ISO 24138: decompose, lowercase, remove white space, control characters, marks and punctuation,
//! and compose.
//!
//! Nearly every character is removed, or becomes one character that combines with no other: these are in a table. A
//! text is cut before each of the latter, and only parts that contain other characters are normalized.

use std::sync::LazyLock;

use unicode_normalization::char::{is_combining_mark, is_public_assigned};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::punctuation::is_punctuation_or_format;
use crate::text::Text;

/// Number of characters in the table.
const TABLE: u32 = 0x1_0000;
/// In the table: the character is removed.
const REMOVED: u16 = 0;
/// In the table: the character may combine with others, or becomes several.
const OTHER: u16 = 0xD800;
/// A capital letter whose lowercase form depends on the letters next to it.
const SIGMA: char = 'Σ';

static SIMPLE: LazyLock<Vec<u16>> =
    LazyLock::new(|| (0..TABLE).map(|code_point| char::from_u32(code_point).map_or(REMOVED, simple)).collect());

/// Returns the entry of a character in the table.
fn simple(character: char) -> u16 {
    let kept = filtered(character.encode_utf8(&mut [0; 4]));
    let collapsed: Vec<char> = kept.nfkc().collect();
    // Neither what is kept of the character nor its composed form may combine with a character before it.
    let stays = |text: &[char]| is_nfc_quick(text.iter().copied()) == IsNormalized::Yes;
    let first: Vec<char> = kept.nfkd().take(1).collect();
    match collapsed[..] {
        [] => REMOVED,
        [single] if character != SIGMA && stays(&first) && stays(&collapsed) => {
            u16::try_from(u32::from(single)).unwrap_or(OTHER)
        }
        _ => OTHER,
    }
}

/// Appends the collapsed characters of a text. Surrogates are removed, as control characters are.
///
/// Linear; some nanoseconds a character.
pub(super) fn collapse(text: Text<'_>, collapsed: &mut String) {
    match text {
        Text::Utf8(text) if text.contains(SIGMA) => collapsed.push_str(&definition(text)),
        Text::Utf8(text) => collapse_characters(text.chars(), collapsed),
        Text::CodePoints(text) => {
            let characters = text.iter().filter_map(|&code_point| char::from_u32(code_point));
            if text.contains(&SIGMA.into()) {
                collapsed.push_str(&definition(&characters.collect::<String>()));
            } else {
                collapse_characters(characters, collapsed);
            }
        }
    }
}

fn collapse_characters(characters: impl Iterator<Item = char>, collapsed: &mut String) {
    let table: &[u16] = &SIMPLE;
    // The last character of the table and its replacement, until the next cut; with others behind it, all of them.
    let (mut last, mut part) = (None, String::new());
    let mut cut = |last: &mut Option<(char, char)>, part: &mut String| {
        if part.is_empty() {
            collapsed.extend(last.take().map(|(_, replacement)| replacement));
        } else {
            collapsed.push_str(&definition(part));
            part.clear();
        }
    };
    for character in characters {
        match table.get(character as usize).copied().unwrap_or(OTHER) {
            REMOVED => {}
            OTHER => {
                part.extend(last.take().map(|(original, _)| original));
                part.push(character);
            }
            entry => {
                cut(&mut last, &mut part);
                last = char::from_u32(entry.into()).map(|replacement| (character, replacement));
            }
        }
    }
    cut(&mut last, &mut part);
}

/// Collapses a text as the standard defines it.
fn definition(text: &str) -> String {
    filtered(text).nfkc().collect()
}

fn filtered(text: &str) -> String {
    text.nfd().collect::<String>().to_lowercase().chars().filter(|&character| is_kept(character)).collect()
}

/// True unless a character is white space or of the general category C, M or P.
fn is_kept(character: char) -> bool {
    !character.is_whitespace()
        && !character.is_control()
        && !is_combining_mark(character)
        && !is_punctuation_or_format(character)
        && is_public_assigned(character)
}

#[cfg(test)]
mod tests {
    use icu_properties::CodePointMapData;
    use icu_properties::props::GeneralCategory as Category;
    use proptest::prelude::*;

    use super::*;

    fn collapsed(text: &str) -> String {
        let (mut fast, mut from_code_points) = (String::new(), String::new());
        collapse(Text::Utf8(text), &mut fast);
        let mut code_points: Vec<u32> = text.chars().map(u32::from).collect();
        code_points.push(0xD800);
        collapse(Text::CodePoints(&code_points), &mut from_code_points);
        assert_eq!(fast, from_code_points);
        fast
    }

    #[test]
    fn the_removed_characters_are_those_of_the_standard() {
        let categories = CodePointMapData::<Category>::new();
        for character in ('\0'..=char::MAX).filter(|&character| is_public_assigned(character)) {
            let kept = match categories.get(character) {
                Category::Unassigned => continue, // assigned after the version of `icu_properties`
                Category::SpaceSeparator | Category::LineSeparator | Category::ParagraphSeparator => false,
                Category::Control | Category::Format => false,
                Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => false,
                category => !format!("{category:?}").ends_with("Punctuation"),
            };
            assert_eq!(is_kept(character), kept, "U+{:04X}", u32::from(character));
        }
    }

    #[test]
    fn each_character_between_others() {
        for character in ('\0'..=char::MAX).filter(|&character| is_public_assigned(character)) {
            let text = format!("가{character}か{character}a");
            assert_eq!(collapsed(&text), definition(&text), "U+{:04X}", u32::from(character));
        }
    }

    proptest! {
        #[test]
        fn a_text_is_collapsed_as_defined(
            text in "([a-zA-Z ，。今天éßﬁ①か가℃ΣσİÅ½㎡]|[\u{301}\u{3099}\u{ff9e}\u{1100}\u{1161}\u{11a8}\u{16d67}\u{200b}𠀀🎉]){0,40}|\\PC{0,40}",
        ) {
            prop_assert_eq!(collapsed(&text), definition(&text));
        }
    }
}
