//! Sentence and paragraph boundaries of the original text, by rules that need no dictionary.
//!
//! A sentence ends
//!
//! - at a line break;
//! - at a sign that always ends a sentence, such as `。` or `…`;
//! - at `！`, `？` or `；`, unless it is between ASCII characters, as in an address;
//! - at a full stop next to a character of a script written without spaces; or before white space or the end of the
//!   text, unless it follows a single letter, an abbreviation, or a number of up to four digits at the start of the
//!   sentence.
//!
//! Further ending signs, closing quotation marks and closing brackets belong to the sentence they close. Letter case,
//! the width of a sign, and invisible characters do not affect boundaries.

use std::ops::Range;

use crate::text::scan::{places, within};

/// Signs that always end a sentence.
const TERMINATORS: [char; 23] = [
    '؟', '۔', '।', '॥', '။', '።', '፧', '។', '…', '‼', '⁇', '⁈', '⁉', '⋯', '。', '︒', '︔', '︕', '︖', '﹔', '﹖',
    '﹗', '｡',
];
/// Bit set of the ASCII code points that can end or begin a sentence: line breaks, the space, and `!".;?`.
const SIGNS: u128 = 0x1F << 9 | 1 << 0x20 | 1 << 0x21 | 1 << 0x22 | 1 << 0x2E | 1 << 0x3B | 1 << 0x3F;
/// Closing quotation marks and brackets, except for those that also open.
const CLOSERS: [char; 24] = [
    ')', ']', '}', '”', '’', '»', '›', '」', '』', '】', '》', '〉', '〕', '〗', '〙', '〛', '｣', '〞', '〟', '﹂',
    '﹄', '︶', '︼', '｠',
];
/// Words whose full stop does not end a sentence, in addition to single letters.
const ABBREVIATIONS: [&str; 59] = [
    "al", "approx", "apr", "art", "aug", "ave", "bros", "capt", "cf", "ch", "cmdr", "co", "col", "corp", "dec", "dept",
    "dr", "ed", "eds", "eq", "esp", "est", "etc", "feb", "fig", "figs", "ft", "gen", "gov", "hon", "inc", "jan", "jr",
    "jul", "jun", "lt", "ltd", "maj", "messrs", "mr", "mrs", "ms", "mt", "no", "nos", "nov", "oct", "pp", "prof",
    "rep", "rev", "sen", "sep", "sept", "sgt", "sr", "st", "vol", "vs",
];
const LONGEST_ABBREVIATION: usize = 6;
/// Maximum number of digits of an item number.
const LONGEST_NUMBER: usize = 4;

/// Returns the sentences of `text` in order, without surrounding white space. Linear.
pub fn sentences(text: &[u32]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut offset = 0;
    let mut quoted = false;
    while let Some(&code_point) = text.get(offset) {
        offset += 1;
        if ends_nothing(code_point) {
            continue;
        }
        quoted = (quoted ^ (narrow(code_point) == '"')) && !is_line_break(code_point);
        if start + 1 == offset && is_space(code_point) {
            start = offset;
            continue;
        }
        if !is_line_break(code_point) {
            if !ends_sentence(text, start, offset - 1) {
                continue;
            }
            offset = behind_closers(text, offset, &mut quoted);
        }
        push_trimmed(text, start..offset, &mut sentences);
        start = offset;
    }
    push_trimmed(text, start..text.len(), &mut sentences);
    sentences
}

/// Returns the paragraphs of `text`, separated by line breaks, without surrounding white space. Linear.
pub(crate) fn paragraphs(text: &[u32]) -> Vec<Range<usize>> {
    paragraphs_among(text, places(text, is_line_break))
}

/// The same, if all line breaks are at the positions `line_breaks`.
pub(crate) fn paragraphs_among(text: &[u32], line_breaks: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let mut start = 0;
    for end in line_breaks.filter(|&place| is_line_break(text[place])) {
        push_trimmed(text, start..end, &mut paragraphs);
        start = end + 1;
    }
    push_trimmed(text, start..text.len(), &mut paragraphs);
    paragraphs
}

fn push_trimmed(text: &[u32], range: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let inside = &text[range.clone()];
    if let Some(first) = inside.iter().position(|&code_point| !is_space(code_point)) {
        let after = inside.iter().rev().take_while(|&&code_point| is_space(code_point)).count();
        ranges.push(range.start + first..range.end - after);
    }
}

/// A cheap first test: true for most characters.
#[inline(always)]
fn ends_nothing(code_point: u32) -> bool {
    match code_point {
        0..=0x7F => SIGNS >> code_point & 1 == 0,
        0xFF01..=0xFF5E => SIGNS >> (code_point - 0xFEE0) & 1 == 0,
        _ => (0x3003..0xFE12).contains(&code_point),
    }
}

fn ends_sentence(text: &[u32], start: usize, offset: usize) -> bool {
    let code_point = text[offset];
    if is_terminator(code_point) {
        return true;
    }
    let (sentence, mut behind) = (&text[start..offset], visible(&text[offset + 1..]));
    let last = visible(sentence).next_back();
    match narrow(code_point) {
        '!' | '?' | ';' => {
            let follows_ascii = last.is_some_and(|code_point| narrow(code_point).is_ascii_graphic());
            let precedes_word = behind.next().is_some_and(|code_point| narrow(code_point).is_ascii_alphanumeric());
            !(follows_ascii && precedes_word)
        }
        '.' => {
            let next = behind.find(|&code_point| !is_closer(code_point) && !is_quote(code_point));
            let stops = next.is_none_or(|code_point| is_space(code_point) || is_unspaced(code_point));
            last.is_some_and(is_unspaced) || stops && !is_abbreviated(sentence)
        }
        _ => false,
    }
}

/// Returns the offset after all signs from `offset` on that still belong to the sentence that just ended.
fn behind_closers(text: &[u32], mut offset: usize, quoted: &mut bool) -> usize {
    while let Some(&code_point) = text.get(offset) {
        let closes = match narrow(code_point) {
            '"' => std::mem::take(quoted),
            '\'' => !text.get(offset + 1).is_some_and(|&code_point| narrow(code_point).is_alphanumeric()),
            '.' | '!' | '?' | ';' => true,
            _ => is_terminator(code_point) || is_closer(code_point) || is_invisible(code_point),
        };
        if !closes {
            break;
        }
        offset += 1;
    }
    offset
}

/// True if a full stop after `sentence` belongs to its last word: an initial, an abbreviation, an item number.
pub(crate) fn is_abbreviated(sentence: &[u32]) -> bool {
    let letters = visible(sentence).rev().map(|code_point| narrow(code_point).to_ascii_lowercase());
    let word: Vec<char> = letters.take_while(char::is_ascii_lowercase).take(LONGEST_ABBREVIATION + 1).collect();
    let is_number = sentence.len() <= LONGEST_NUMBER && sentence.iter().all(|&digit| narrow(digit).is_ascii_digit());
    word.len() == 1 || is_number || ABBREVIATIONS.iter().any(|known| known.chars().rev().eq(word.iter().copied()))
}

/// The code points that have a visible form or take up space.
fn visible(text: &[u32]) -> impl DoubleEndedIterator<Item = u32> {
    text.iter().copied().filter(|&code_point| !is_invisible(code_point))
}

/// The character, in half width if it has an ASCII equivalent; U+FFFD for a surrogate.
fn narrow(code_point: u32) -> char {
    let narrow = if (0xFF01..=0xFF5E).contains(&code_point) { code_point - 0xFEE0 } else { code_point };
    char::from_u32(narrow).unwrap_or(char::REPLACEMENT_CHARACTER)
}

pub(crate) fn is_space(code_point: u32) -> bool {
    char::from_u32(code_point).is_some_and(char::is_whitespace)
}

#[inline(always)]
pub(crate) fn is_line_break(code_point: u32) -> bool {
    within(code_point, 0x0A, 0x0D) | (code_point == 0x85) | within(code_point, 0x2028, 0x2029)
}

/// True for marks without a visible form that are not part of a letter.
#[inline(always)]
pub(crate) fn is_invisible(code_point: u32) -> bool {
    within(code_point, 0x200B, 0x200F)
        | within(code_point, 0x202A, 0x202E)
        | within(code_point, 0x2060, 0x2064)
        | (code_point == 0xAD)
        | (code_point == 0xFEFF)
}

/// True for Han and kana.
fn is_unspaced(code_point: u32) -> bool {
    matches!(code_point, 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

pub(crate) fn is_terminator(code_point: u32) -> bool {
    code_point > 0x7F && char::from_u32(code_point).is_some_and(|sign| TERMINATORS.binary_search(&sign).is_ok())
}

fn is_closer(code_point: u32) -> bool {
    CLOSERS.contains(&narrow(code_point))
}

fn is_quote(code_point: u32) -> bool {
    matches!(narrow(code_point), '"' | '\'')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code_points(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    fn passages(text: &str, cut: fn(&[u32]) -> Vec<Range<usize>>) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        cut(&code_points(text)).into_iter().map(|range| characters[range].iter().collect()).collect()
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_is_left_out(text in "[甲a1 .。!?\"”’'()\n\u{200b}…]{0,60}") {
            for cut in [sentences, paragraphs] {
                let points = code_points(&text);
                let mut covered = vec![false; points.len()];
                for range in cut(&points) {
                    prop_assert!(!range.is_empty());
                    prop_assert!(!is_space(points[range.start]) && !is_space(points[range.end - 1]));
                    for place in &mut covered[range] {
                        prop_assert!(!std::mem::replace(place, true), "sentences overlap");
                    }
                }
                for (place, covered) in covered.into_iter().enumerate() {
                    prop_assert!(covered || is_space(points[place]));
                }
            }
        }

        #[test]
        fn what_follows_a_line_break_changes_nothing_before_it(
            before in "[甲a1 .。!?\"”]{0,30}",
            after in "[甲a1 .。!?\"”]{0,30}",
        ) {
            let mut expected = passages(&before, sentences);
            expected.extend(passages(&after, sentences));
            prop_assert_eq!(passages(&format!("{before}\n{after}"), sentences), expected);
        }
    }

    #[test]
    fn the_lists_are_sorted_and_the_abbreviations_short_enough() {
        assert!(ABBREVIATIONS.is_sorted() && TERMINATORS.is_sorted());
        assert_eq!(ABBREVIATIONS.iter().map(|known| known.len()).max(), Some(LONGEST_ABBREVIATION));
    }

    #[test]
    fn paragraphs_are_lines_that_show_something() {
        assert_eq!(passages("　甲乙。丙。\r\n\n  \n丁 \u{2028}戊", paragraphs), ["甲乙。丙。", "丁", "戊"]);
    }

    #[test]
    fn a_surrogate_is_a_character_like_others() {
        assert_eq!(sentences(&[0x7532, 0xD800, 0x3002, 0x4E59]), [0..3, 3..4]);
    }
}
