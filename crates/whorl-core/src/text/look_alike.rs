//! Characters put in the place of others that look the same, such as a Cyrillic а in a Latin word or the katakana エ
//! in the place of 工, are put back, and counted.
//!
//! The pairs are the single-character confusables of Unicode Technical Standard #39 that the fold leaves apart, from a
//! committed table made by `examples/make_look_alike_table.rs`. Whether a character stands in for another is decided
//! by its neighbours, so that Russian, Greek and Japanese text stays as it is.

use std::sync::LazyLock;

use crate::text::scan::{places, within};

/// The code points of the committed table: what stands in, and what for, by rising first.
struct LookAlikes(Vec<(u32, u32)>);

impl LookAlikes {
    fn get() -> &'static Self {
        static TABLE: LazyLock<LookAlikes> = LazyLock::new(|| {
            let (numbers, rest) = include_bytes!("look_alike_table.bin").as_chunks::<8>();
            assert!(rest.is_empty(), "the table of look-alikes is complete");
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
            LookAlikes(numbers.iter().map(|pair| (number(&pair[..4]), number(&pair[4..]))).collect())
        });
        &TABLE
    }

    /// What `code_point` looks like; nothing stands in for another that is ASCII or Han itself.
    fn of(&self, code_point: u32) -> Option<u32> {
        let index = self.0.binary_search_by_key(&code_point, |&(stands_in, _)| stands_in).ok()?;
        Some(self.0[index].1)
    }
}

/// False if nothing in `text` can be a look-alike: all of it is common in Chinese or Western text. Linear, and faster
/// than [`undo`].
pub(crate) fn may_be_in(text: &[u32]) -> bool {
    places(text, is_uncommon).next().is_some()
}

/// The same, where everything uncommon is `among` these places.
pub(crate) fn may_be_among(text: &[u32], mut among: impl Iterator<Item = usize>) -> bool {
    among.any(|place| is_uncommon(text[place]))
}

/// Nothing else can be a look-alike.
#[inline(always)]
fn is_uncommon(code_point: u32) -> bool {
    !(within(code_point, 0, 0x24F)
        | within(code_point, 0x2000, 0x206F)
        | within(code_point, 0x3000, 0x302F)
        | within(code_point, 0x3400, 0x9FFF)
        | within(code_point, 0xFF01, 0xFF5E))
}

/// Puts every look-alike of `text` back in place, one code point for one, and returns how many there were.
///
/// A letter is put back to the ASCII letter or digit it looks like when its word has a letter of ASCII, and nothing
/// but Latin letters and look-alikes of them. A sign is put back to the Han character it looks like when that stands
/// beside a Han character, and not beside kana. Linear.
pub fn undo(text: &mut [u32]) -> usize {
    let table = LookAlikes::get();
    let mut found: Vec<(usize, u32)> = Vec::new();
    let mut seen = 0;
    for place in places(text, is_uncommon) {
        if place < seen {
            continue;
        }
        let is_of_word = |&&code_point: &&u32| is_of_word(table, code_point);
        let start = place - text[seen..place].iter().rev().take_while(is_of_word).count();
        let end = place + text[place..].iter().take_while(is_of_word).count();
        if start == place || end == place {
            found.extend(han_look_alike(table, text, place).map(|original| (place, original)));
        }
        if end > place {
            word_look_alikes(table, &text[start..end], start, &mut found);
        }
        seen = end.max(place + 1);
    }
    found.iter().for_each(|&(place, original)| text[place] = original);
    found.len()
}

fn han_look_alike(table: &LookAlikes, text: &[u32], place: usize) -> Option<u32> {
    let neighbours = [place.checked_sub(1), Some(place + 1)].map(|place| text.get(place?).copied());
    let beside = |kind: fn(u32) -> bool| neighbours.into_iter().flatten().any(kind);
    let candidate = text[place] > 0x7F && !is_han(text[place]) && beside(is_han) && !beside(is_kana);
    candidate.then(|| table.of(text[place])).flatten().filter(|&original| is_han(original))
}

fn word_look_alikes(table: &LookAlikes, word: &[u32], start: usize, found: &mut Vec<(usize, u32)>) {
    let of_letter = |code_point| table.of(code_point).filter(|&original| original < 0x80);
    let is_disguised = word.iter().any(|&code_point| is_ascii_letter(code_point))
        && word.iter().all(|&code_point| is_latin(code_point) || of_letter(code_point).is_some());
    if is_disguised {
        let places = word.iter().enumerate();
        found.extend(places.filter_map(|(place, &code_point)| Some((start + place, of_letter(code_point)?))));
    }
}

/// Letters and digits of the scripts with spaces, and what looks like them.
fn is_of_word(table: &LookAlikes, code_point: u32) -> bool {
    let is_letter = || char::from_u32(code_point).is_some_and(char::is_alphanumeric);
    (code_point < 0x2E80 && is_letter())
        || (code_point >= 0x2E80 && !is_han(code_point) && table.of(code_point).is_some_and(|original| original < 0x80))
}

fn is_ascii_letter(code_point: u32) -> bool {
    u8::try_from(code_point).is_ok_and(|byte| byte.is_ascii_alphabetic())
}

fn is_latin(code_point: u32) -> bool {
    code_point < 0x80 || matches!(code_point, 0xC0..=0x24F | 0x1E00..=0x1EFF)
}

fn is_han(code_point: u32) -> bool {
    matches!(code_point, 0x3007 | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn is_kana(code_point: u32) -> bool {
    matches!(code_point, 0x3041..=0x30FB | 0x30FD..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn undone(text: &str) -> (String, usize) {
        let mut code_points: Vec<u32> = text.chars().map(u32::from).collect();
        let count = undo(&mut code_points);
        (code_points.into_iter().filter_map(char::from_u32).collect(), count)
    }

    /// Looks at every place, common or not.
    fn slow(text: &[u32]) -> Vec<u32> {
        let table = LookAlikes::get();
        let mut found = Vec::new();
        let mut place = 0;
        while place < text.len() {
            found.extend(han_look_alike(table, text, place).map(|original| (place, original)));
            let length = text[place..].iter().take_while(|&&code_point| is_of_word(table, code_point)).count();
            if length > 0 {
                word_look_alikes(table, &text[place..place + length], place, &mut found);
            }
            place += length.max(1);
        }
        let mut undone = text.to_vec();
        found.iter().for_each(|&(place, original)| undone[place] = original);
        undone
    }

    proptest! {
        #[test]
        fn no_look_alike_is_passed_over(text in "[a1р꜀у ，。工エカ⺠民東·①]{0,30}") {
            let mut text: Vec<u32> = text.chars().map(u32::from).collect();
            let expected = slow(&text);
            undo(&mut text);
            prop_assert_eq!(text, expected);
        }
    }

    #[test]
    fn letters_of_other_scripts_in_a_latin_word_are_put_back() {
        assert_eq!(undone("加 рayрal 账号"), ("加 paypal 账号".into(), 2));
        assert_eq!(undone("微信vхin"), ("微信vxin".into(), 1));
    }

    #[test]
    fn signs_that_look_like_han_are_put_back_beside_han() {
        assert_eq!(undone("エ作カ度"), ("工作力度".into(), 2));
        assert_eq!(undone("人⺠日报"), ("人民日报".into(), 1));
    }

    #[test]
    fn other_languages_stay_as_they_are() {
        for text in [
            "Это сор и рост.",
            "Ηρόδοτος",
            "東京タワーのエレベーター",
            "naïve café Łódź",
            "中文 plain text",
            "",
            "Пaрк",
        ] {
            assert_eq!(undone(text), (text.into(), 0), "{text}");
        }
    }
}
