//! Normalizes the position of Vietnamese tone marks.
//!
//! In an open syllable that ends in *oa*, *oe* or *uy*, the tone is on the first vowel in the older spelling (*hòa*,
//! *thủy*) and on the second in the newer one (*hoà*, *thuỷ*). Both are in use, often within one newspaper. The fold
//! uses the newer one. Syllables are recognized by their letters, so that words of other languages are unchanged unless
//! they are spelled like a Vietnamese syllable.

/// Combining marks of the five tones.
const MARKS: [u32; 5] = [0x300, 0x301, 0x309, 0x303, 0x323];

/// A vowel without a tone, and with each of the tones in the order of [`MARKS`].
struct Vowel {
    plain: char,
    toned: [char; 5],
}

const FIRST: [Vowel; 4] = [
    Vowel { plain: 'o', toned: ['ò', 'ó', 'ỏ', 'õ', 'ọ'] },
    Vowel { plain: 'u', toned: ['ù', 'ú', 'ủ', 'ũ', 'ụ'] },
    Vowel { plain: 'O', toned: ['Ò', 'Ó', 'Ỏ', 'Õ', 'Ọ'] },
    Vowel { plain: 'U', toned: ['Ù', 'Ú', 'Ủ', 'Ũ', 'Ụ'] },
];
const SECOND: [Vowel; 6] = [
    Vowel { plain: 'a', toned: ['à', 'á', 'ả', 'ã', 'ạ'] },
    Vowel { plain: 'e', toned: ['è', 'é', 'ẻ', 'ẽ', 'ẹ'] },
    Vowel { plain: 'y', toned: ['ỳ', 'ý', 'ỷ', 'ỹ', 'ỵ'] },
    Vowel { plain: 'A', toned: ['À', 'Á', 'Ả', 'Ã', 'Ạ'] },
    Vowel { plain: 'E', toned: ['È', 'É', 'Ẻ', 'Ẽ', 'Ẹ'] },
    Vowel { plain: 'Y', toned: ['Ỳ', 'Ý', 'Ỷ', 'Ỹ', 'Ỵ'] },
];

/// Possible beginnings of a Vietnamese syllable.
const ONSETS: [&str; 27] = [
    "", "b", "c", "ch", "d", "đ", "g", "gh", "h", "k", "kh", "l", "m", "n", "ng", "ngh", "nh", "p", "ph", "q", "r",
    "s", "t", "th", "tr", "v", "x",
];
/// Maximum number of letters of an onset.
const LONGEST_ONSET: usize = 3;

/// All toned vowels that can precede the vowel that the tone belongs to.
pub(crate) fn first_vowels() -> impl Iterator<Item = u32> {
    FIRST.iter().flat_map(|vowel| vowel.toned).map(u32::from)
}

/// False if no tone can move: `code_point` with the `marks` after it is not a toned first vowel, or `next` is not a
/// second one.
pub(crate) fn may_move(code_point: u32, marks: &[u32], next: Option<u32>) -> bool {
    first(code_point, marks).is_some_and(|(first, _)| next.is_some_and(|next| second(first, next).is_some()))
}

/// Moves every tone on the first of two vowels to the second. Linear.
pub(crate) fn place(text: &mut [u32]) {
    for at in 0..text.len() {
        if !is_first(text[at]) {
            continue;
        }
        let marks = usize::from(text.get(at + 1).is_some_and(|mark| MARKS.contains(mark)));
        let Some((vowel, tone)) = first(text[at], &text[at + 1..at + 1 + marks]) else { continue };
        let behind = at + 1 + marks;
        let Some(second) = text.get(behind).and_then(|&next| second(vowel, next)) else { continue };
        if text.get(behind + 1).is_some_and(|&next| continues_word(next)) || !is_onset(&text[..at]) {
            continue;
        }
        if marks == 0 {
            (text[at], text[behind]) = (vowel.plain.into(), second.toned[tone].into());
        } else {
            text.swap(at + 1, behind);
        }
    }
}

/// True for a first vowel, with or without a tone.
#[inline(always)]
fn is_first(code_point: u32) -> bool {
    let plain = matches!(char::from_u32(code_point), Some('o' | 'u' | 'O' | 'U'));
    plain
        || matches!(code_point, 0xD2..=0xD5 | 0xD9..=0xDA | 0xF2..=0xF5 | 0xF9..=0xFA | 0x168..=0x169 | 0x1ECC..=0x1EE7)
}

/// Returns the vowel without its tone, and the index of the tone.
fn first(code_point: u32, marks: &[u32]) -> Option<(&'static Vowel, usize)> {
    let of_mark = |mark: u32| MARKS.iter().position(|&other| other == mark);
    FIRST.iter().find_map(|vowel| match marks {
        [] => Some((vowel, vowel.toned.iter().position(|&toned| u32::from(toned) == code_point)?)),
        &[mark] if u32::from(vowel.plain) == code_point => Some((vowel, of_mark(mark)?)),
        _ => None,
    })
}

/// Returns the vowel `next` if it takes the tone of `first`.
fn second(first: &Vowel, next: u32) -> Option<&'static Vowel> {
    let vowel = SECOND.iter().find(|vowel| u32::from(vowel.plain) == next)?;
    (first.plain.eq_ignore_ascii_case(&'u') == vowel.plain.eq_ignore_ascii_case(&'y')).then_some(vowel)
}

/// Letters, digits and combining marks.
fn continues_word(code_point: u32) -> bool {
    (0x300..0x370).contains(&code_point) || char::from_u32(code_point).is_some_and(char::is_alphanumeric)
}

/// True if the last word of `before` is the beginning of a syllable.
fn is_onset(before: &[u32]) -> bool {
    let length = before.iter().rev().take(LONGEST_ONSET + 1).take_while(|&&letter| continues_word(letter)).count();
    let lower = |&letter: &u32| char::from_u32(letter).into_iter().flat_map(char::to_lowercase);
    let onset = || before[before.len() - length..].iter().flat_map(lower);
    length <= LONGEST_ONSET && ONSETS.iter().any(|other| onset().eq(other.chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(text: &str) -> String {
        let mut text: Vec<u32> = text.chars().map(u32::from).collect();
        place(&mut text);
        text.into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn the_tone_of_an_open_syllable_moves_to_its_second_vowel() {
        assert_eq!(placed("hòa bình, thủy lợi, ỦY BAN, khỏe, xòe"), "hoà bình, thuỷ lợi, UỶ BAN, khoẻ, xoè");
        assert_eq!(placed("ho\u{300}a thu\u{309}y"), "hoa\u{300} thuy\u{309}");
        assert_eq!(placed("hoà thuỷ hoàn toán"), "hoà thuỷ hoàn toán");
    }

    #[test]
    fn every_first_vowel_is_looked_at() {
        assert!(first_vowels().all(is_first));
        assert!(FIRST.iter().all(|vowel| is_first(vowel.plain.into())));
    }

    #[test]
    fn other_syllables_and_other_languages_stay() {
        for text in ["của mùa", "flóa rádióadó", "Não é", "òa\u{302}", "óan", "où aller", ""] {
            assert_eq!(placed(text), text);
        }
    }
}
