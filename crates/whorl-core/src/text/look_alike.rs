//! Restores and counts characters replaced by look-alikes, such as a Cyrillic а in a Latin word or the katakana エ for
//! 工.
//!
//! The pairs are the single-character confusables of Unicode Technical Standard #39 that the fold does not unify, from
//! a committed table produced by `examples/make_look_alike_table.rs`. Replacing them everywhere would corrupt Russian,
//! Greek and Japanese text. A character is therefore restored only if its neighbors show that it is a replacement. A
//! word that consists of look-alikes, such as a single Cyrillic а, has no such neighbors: it is restored in a text most
//! of whose words with letters of another script are disguised Latin words.

use std::sync::LazyLock;

use crate::text::scan::{places, within};

/// The code points of the committed table: replacement and original, by ascending replacement.
struct LookAlikes {
    pairs: Vec<(u32, u32)>,
    /// The word role of each code point of the BMP.
    parts: Box<[Part; BMP]>,
}

const BMP: usize = 0x1_0000;

/// The role of a code point in the surrounding word. The numbers are bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Part {
    /// It ends a word.
    None = 0,
    AsciiLetter = 1,
    /// An ASCII digit, or a Latin letter outside ASCII.
    OtherLatin = 2,
    /// Looks like an ASCII letter or digit.
    LookAlike = 4,
    /// A letter or digit of another script.
    Other = 8,
    /// Ends a word, and looks like a Han character.
    HanLookAlike = 16,
}

impl LookAlikes {
    fn get() -> &'static Self {
        static TABLE: LazyLock<LookAlikes> = LazyLock::new(|| {
            let pairs: Vec<_> = pairs().collect();
            let parts = Box::new(std::array::from_fn(|code_point| Part::of(&pairs, code_point as u32)));
            LookAlikes { pairs, parts }
        });
        &TABLE
    }

    fn part(&self, code_point: u32) -> Part {
        self.parts.get(code_point as usize).copied().unwrap_or_else(|| Part::of(&self.pairs, code_point))
    }

    /// The character that a look-alike resembles. ASCII and Han characters are never look-alikes.
    fn original(&self, code_point: u32) -> u32 {
        original(&self.pairs, code_point).unwrap_or(code_point)
    }
}

impl Part {
    fn of(pairs: &[(u32, u32)], code_point: u32) -> Self {
        let is_letter = || code_point < 0x2E80 && char::from_u32(code_point).is_some_and(char::is_alphanumeric);
        match original(pairs, code_point) {
            Some(original) if original < 0x80 => Self::LookAlike,
            Some(_) => Self::HanLookAlike,
            None if is_ascii_letter(code_point) => Self::AsciiLetter,
            None if !is_letter() => Self::None,
            None if is_latin(code_point) => Self::OtherLatin,
            None => Self::Other,
        }
    }
}

/// The pairs of the committed table, by ascending first element.
fn pairs() -> impl Iterator<Item = (u32, u32)> {
    let (numbers, rest) = include_bytes!("look_alike_table.bin").as_chunks::<8>();
    assert!(rest.is_empty(), "the table of look-alikes is complete");
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
    numbers.iter().map(move |pair| (number(&pair[..4]), number(&pair[4..])))
}

fn original(pairs: &[(u32, u32)], code_point: u32) -> Option<u32> {
    let index = pairs.binary_search_by_key(&code_point, |&(stands_in, _)| stands_in).ok()?;
    Some(pairs[index].1)
}

/// All look-alike code points.
pub(super) fn all() -> impl Iterator<Item = u32> {
    pairs().map(|(stands_in, _)| stands_in)
}

/// True for a look-alike code point.
pub(super) fn is_any(code_point: u32) -> bool {
    matches!(LookAlikes::get().part(code_point), Part::LookAlike | Part::HanLookAlike)
}

/// False if `text` cannot contain a look-alike because all of it is common in Chinese or Western text. Linear, and
/// faster than [`undo`].
pub(crate) fn may_be_in(text: &[u32]) -> bool {
    places(text, is_uncommon).next().is_some()
}

/// The same, if all uncommon code points are at `positions`.
pub(crate) fn may_be_among(text: &[u32], mut positions: impl Iterator<Item = usize>) -> bool {
    positions.any(|place| is_uncommon(text[place]))
}

/// True for code points outside the common ranges; only these can be look-alikes.
#[inline(always)]
fn is_uncommon(code_point: u32) -> bool {
    !(within(code_point, 0, 0x24F)
        | within(code_point, 0x2000, 0x206F)
        | within(code_point, 0x3000, 0x302F)
        | within(code_point, 0x3400, 0x9FFF)
        | within(code_point, 0xFF01, 0xFF5E))
}

/// Restores every look-alike of `text`, one code point for one, and returns their number.
///
/// A letter is restored to its ASCII letter or digit in two cases. Either its word contains an ASCII letter and
/// otherwise only Latin letters and look-alikes. Or its word contains no ASCII letter, and words of the first kind
/// outnumber other words with non-Latin letters. A sign is restored to the Han character it resembles if it is next to
/// a Han character and not next to kana. Linear.
pub fn undo(text: &mut [u32]) -> usize {
    let table = LookAlikes::get();
    let (mut found, mut doubtful) = (Vec::new(), Vec::new());
    let (mut disguised, mut others) = (0_usize, 0_usize);
    let mut place = 0;
    while place < text.len() {
        let part = table.part(text[place]);
        if matches!(part, Part::None | Part::HanLookAlike) {
            if part == Part::HanLookAlike && is_beside_han(text, place) {
                found.push(place);
            }
            place += 1;
            continue;
        }
        let (start, mut parts) = (place, 0);
        while let Some(part) = text.get(place).map(|&code_point| table.part(code_point)) {
            if matches!(part, Part::None | Part::HanLookAlike) {
                break;
            }
            parts |= part as u8;
            place += 1;
        }
        let has = |part: Part| parts & part as u8 != 0;
        let is_disguised = has(Part::LookAlike) && has(Part::AsciiLetter) && !has(Part::Other);
        disguised += usize::from(is_disguised);
        others += usize::from(!is_disguised && (has(Part::LookAlike) || has(Part::Other)));
        if has(Part::LookAlike) && !has(Part::Other) {
            let places = if is_disguised { &mut found } else { &mut doubtful };
            places.extend((start..place).filter(|&place| table.part(text[place]) == Part::LookAlike));
        }
    }
    if disguised > others {
        found.append(&mut doubtful);
    }
    found.iter().for_each(|&place| text[place] = table.original(text[place]));
    found.len()
}

fn is_beside_han(text: &[u32], place: usize) -> bool {
    let neighbours = [place.checked_sub(1), Some(place + 1)].map(|place| text.get(place?).copied());
    let beside = |kind: fn(u32) -> bool| neighbours.into_iter().flatten().any(kind);
    beside(is_han) && !beside(is_kana)
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
    matches!(code_point, 0x3041..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F)
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

    /// Determines the surrounding word for every position separately.
    fn slow(text: &[u32]) -> Vec<u32> {
        let pairs: Vec<_> = pairs().collect();
        let ascii = |code_point: u32| original(&pairs, code_point).filter(|&original| original < 0x80);
        let of_word = |code_point: u32| match char::from_u32(code_point) {
            Some(character) if code_point < 0x2E80 => character.is_alphanumeric(),
            _ => ascii(code_point).is_some(),
        };
        let word_at = |place: usize| {
            let before = text[..place].iter().rev().take_while(|&&unit| of_word(unit)).count();
            let behind = text[place..].iter().take_while(|&&unit| of_word(unit)).count();
            (place - before, place + behind)
        };
        let has_other = |word: &[u32]| word.iter().any(|&unit| !is_latin(unit) && ascii(unit).is_none());
        let is_foreign = |word: &[u32]| has_other(word) || word.iter().any(|&unit| ascii(unit).is_some());
        let is_disguised =
            |word: &[u32]| is_foreign(word) && !has_other(word) && word.iter().any(|&unit| is_ascii_letter(unit));
        let words: std::collections::BTreeSet<_> =
            (0..text.len()).filter(|&place| of_word(text[place])).map(word_at).collect();
        let foreign = words.iter().filter(|word| is_foreign(&text[word.0..word.1]));
        let disguised = foreign.clone().filter(|word| is_disguised(&text[word.0..word.1])).count();
        let others = foreign.count() - disguised;
        let mut undone = text.to_vec();
        for place in 0..text.len() {
            let (start, end) = word_at(place);
            let word = &text[start..end];
            if of_word(text[place]) && !has_other(word) && (is_disguised(word) || disguised > others) {
                undone[place] = ascii(text[place]).unwrap_or(text[place]);
            }
            if !of_word(text[place]) && is_beside_han(text, place) {
                undone[place] = original(&pairs, text[place]).unwrap_or(text[place]);
            }
        }
        undone
    }

    proptest! {
        #[test]
        fn no_look_alike_is_passed_over(text in "[a1р꜀у ，。工エカ⺠民東·①]{0,30}|[aоф é]{0,30}") {
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
    fn words_of_look_alikes_alone_are_put_back_where_most_others_are_disguised() {
        assert_eq!(undone("Тhе оld рареr оf а сосоа рlаnt").0, "The old paper of a cocoa plant");
        assert_eq!(undone("рayрal, а Россия").0, "paypal, а Россия");
        assert_eq!(undone("Oracle, а Google и α粒子"), ("Oracle, а Google и α粒子".into(), 0));
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
