//! The form quality of a text: whether it is truncated, and how much obfuscation and debris it contains. Of two copies,
//! the one in better form is preferred.

use crate::text::body;
use crate::text::look_alike;
use crate::text::scan::{places, within};
use crate::text::sentence::{is_invisible, is_terminator};
use crate::text::{Text, TextBlock, in_tasks};

/// A text with at least one trick per this many code points is full of them.
const FULL: usize = 100;
/// Longer sequences of spaces or signs are layout, not tricks.
const RUN: usize = 3;
/// A last line of up to this many code points may be a name or a place, and does not indicate the end of a text.
const SIGNATURE: usize = 12;
/// Maximum length of a link to the full text in the last sentence.
const LINK: usize = 40;

/// Beginnings of links to the full text, without signs and spaces.
const LINKS: [&str; 24] = [
    "阅读全文",
    "閱讀全文",
    "查看全文",
    "展开全文",
    "展開全文",
    "全文阅读",
    "阅读原文",
    "閱讀原文",
    "查看原文",
    "阅读更多",
    "閱讀更多",
    "查看更多",
    "继续阅读",
    "繼續閱讀",
    "未完待续",
    "readmore",
    "readthefull",
    "readfull",
    "readtherest",
    "continuereading",
    "seemore",
    "showmore",
    "viewmore",
    "fullstory",
];
/// Phrases that may precede them.
const INVITATIONS: [&str; 8] = ["请点击", "点击", "點擊", "戳此", "clickhereto", "clickto", "tapto", "pleaseclickto"];

/// The form quality of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// True if the body ends in an ellipsis, in a link to the full text, or in the middle of a sentence.
    pub is_cut: bool,
    /// Number of invisible characters, look-alikes, spaces between Han characters, stray signs within words, and
    /// wrongly decoded characters.
    pub tricks: usize,
    /// Length in code points.
    pub length: usize,
}

impl Form {
    /// Assesses a text. Linear.
    pub fn of(text: &[u32]) -> Self {
        Self { is_cut: is_cut(text), tricks: tricks(text), length: text.len() }
    }

    /// True if there are too many tricks for an accident.
    pub fn is_full_of_tricks(self) -> bool {
        self.tricks > 0 && self.tricks * FULL >= self.length
    }

    /// A score that is lower for better form. The high 16 bits are 2 for a truncated text and 1 for one full of tricks;
    /// the low bits are the number of tricks.
    pub fn blemishes(self) -> u32 {
        let grade = 2 * u32::from(self.is_cut) + u32::from(self.is_full_of_tricks());
        grade << 16 | self.tricks.min(0xFFFF) as u32
    }
}

/// Scores every text of a block, in parallel. Linear.
pub fn blemishes(block: &impl TextBlock) -> Vec<u32> {
    let step = |code_points: &mut Vec<u32>, text: Text<'_>, scores: &mut Vec<u32>| {
        text.copy_to(code_points);
        scores.push(Form::of(code_points).blemishes());
    };
    in_tasks(block, Vec::new, step).concat()
}

fn is_cut(text: &[u32]) -> bool {
    let ranges = body::ranges(text);
    let lines = ranges.iter().rev().flat_map(|range| text[range.clone()].rsplit(|&unit| unit == u32::from('\n')));
    let lines = lines.map(|line| without(line, |unit| is_blank(unit) || is_invisible(unit)));
    for line in lines.filter(|line| line.iter().any(|&unit| is_letter(unit))) {
        let ending = Ending::of(line);
        if ending != Ending::Open || line.len() > SIGNATURE {
            return ending != Ending::Sentence;
        }
    }
    true
}

/// The ending of a line.
#[derive(PartialEq)]
enum Ending {
    /// Sentence end or closing bracket.
    Sentence,
    /// An ellipsis, or a link to the full text.
    Cut,
    /// Anything else.
    Open,
}

impl Ending {
    fn of(line: &[u32]) -> Self {
        let bare = without(line, |unit| is_blank(unit) || is_closing_bracket(unit) || is_quote(unit));
        let sentence = without(bare, is_end);
        let is_bracketed = line.last().is_some_and(|&unit| is_closing_bracket(unit));
        match () {
            () if ends_in_dots(bare) || is_link(last_piece(sentence)) => Self::Cut,
            () if sentence.len() < bare.len() || is_bracketed => Self::Sentence,
            () => Self::Open,
        }
    }
}

fn without(text: &[u32], is_idle: impl Fn(u32) -> bool) -> &[u32] {
    &text[..text.len() - text.iter().rev().take_while(|&&unit| is_idle(unit)).count()]
}

/// True for an ellipsis or three full stops.
fn ends_in_dots(text: &[u32]) -> bool {
    let is_dot = |unit| is(unit, '.') || is(unit, '。') || is(unit, '．') || is(unit, '・');
    match *text {
        [.., last] if is_ellipsis(last) => true,
        [.., a, b, c] => a == b && b == c && is_dot(c),
        _ => false,
    }
}

/// The text after the last sentence or bracket.
fn last_piece(text: &[u32]) -> &[u32] {
    let begins = |&unit: &u32| is_end(unit) || is_ellipsis(unit) || is_opening_bracket(unit);
    &text[text.iter().rposition(begins).map_or(0, |place| place + 1)..]
}

/// True for a link to the full text, or a count of missing characters.
fn is_link(piece: &[u32]) -> bool {
    if piece.len() > LINK {
        return false;
    }
    let letters = piece.iter().filter_map(|&unit| char::from_u32(unit)).filter(|letter| letter.is_alphanumeric());
    let words: String = letters.flat_map(char::to_lowercase).collect();
    let called = INVITATIONS.iter().find_map(|invitation| words.strip_prefix(invitation)).unwrap_or(&words);
    let counted = words.strip_suffix("chars").or(words.strip_suffix("characters"));
    LINKS.iter().any(|link| called.starts_with(link))
        || counted.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

fn tricks(text: &[u32]) -> usize {
    let trick_count = places(text, may_begin_a_trick).map(|place| trick_at(text, place)).sum();
    if !look_alike::may_be_in(text) {
        return trick_count;
    }
    trick_count + look_alike::undo(&mut text.to_vec())
}

/// False for characters that are common in Chinese and Western text, except for spaces.
#[inline(always)]
fn may_begin_a_trick(unit: u32) -> bool {
    !(within(unit, 0x3400, 0x9FFF)
        | within(unit, 0x21, 0x22)
        | within(unit, 0x24, 0x29)
        | within(unit, 0x2B, 0x5B)
        | within(unit, 0x61, 0x7B)
        | within(unit, 0x2018, 0x201D)
        | within(unit, 0x3001, 0x3002)
        | (unit == 0xFF0C)
        | (unit == 0x0A))
        | (unit == 0x951F)
}

/// Counts the tricks that begin at a position.
#[inline]
fn trick_at(text: &[u32], place: usize) -> usize {
    let unit = text[place];
    match unit {
        0x20 | 0x3000 => between(text, place, is_space, is_han),
        0xFFFD | 0x80..=0x9F | 0xE000..=0xF8FF => 1,
        0xC2..=0xEF => usize::from(is_wrongly_decoded(&text[place..])),
        0x951F => usize::from(text[place..].starts_with(&['锟', '斤', '拷'].map(u32::from))),
        _ if is_invisible(unit) => 1,
        _ if is_idle_sign(unit) => between(text, place, is_idle_sign, is_letter),
        _ => 0,
    }
}

/// The length of a short sequence at `place` if it is surrounded by units of a kind; otherwise 0.
fn between(text: &[u32], place: usize, of_run: fn(u32) -> bool, beside: fn(u32) -> bool) -> usize {
    if place == 0 || !beside(text[place - 1]) {
        return 0;
    }
    let run = text[place..].iter().take(RUN + 1).take_while(|&&unit| of_run(unit)).count();
    let is_inside = text.get(place + run).is_some_and(|&unit| beside(unit));
    if is_inside && run <= RUN { run } else { 0 }
}

/// True for UTF-8 decoded as Windows-1252 or Latin-1: `â€™` for ’, `Ã©` for é.
fn is_wrongly_decoded(text: &[u32]) -> bool {
    let rest = |count: usize| {
        let rest = text.get(1..=count);
        rest.is_some_and(|rest| rest.iter().all(|&unit| is_continuation(unit)))
    };
    match text[0] {
        0xC2 | 0xC3 => rest(1),
        0xE2..=0xEF => rest(2),
        _ => false,
    }
}

/// True for the characters that Windows-1252 or Latin-1 decode the bytes 80 to BF to.
fn is_continuation(unit: u32) -> bool {
    let of_windows = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
    within(unit, 0x80, 0xBF) || char::from_u32(unit).is_some_and(|sign| of_windows.contains(sign))
}

fn is_end(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some('.' | '!' | '?' | '．' | '！' | '？'))
        || (is_terminator(unit) && !is_ellipsis(unit))
}

fn is_ellipsis(unit: u32) -> bool {
    is(unit, '…') || is(unit, '⋯')
}

fn is_opening_bracket(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some('(' | '（' | '[' | '［' | '【' | '〔' | '{'))
}

fn is_closing_bracket(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some(')' | '）' | ']' | '］' | '】' | '〕' | '}'))
}

fn is_quote(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some('"' | '\'' | '”' | '’' | '」' | '』' | '»' | '〉' | '》'))
}

/// True for signs that do not occur inside words, such as arrows, shapes and dingbats.
fn is_idle_sign(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some('*' | '#' | '|' | '^' | '~' | '`' | '\\' | '※' | '←'..='⇿' | '─'..='➿'))
}

fn is_letter(unit: u32) -> bool {
    is_han(unit) || char::from_u32(unit).is_some_and(char::is_alphabetic)
}

fn is_han(unit: u32) -> bool {
    matches!(unit, 0x3007 | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn is_space(unit: u32) -> bool {
    matches!(unit, 0x20 | 0x3000)
}

fn is_blank(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(char::is_whitespace)
}

fn is(unit: u32, sign: char) -> bool {
    unit == u32::from(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        Form::of(&text.chars().map(u32::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_ends_like_a_sentence_is_complete() {
        for text in [
            "渔港的冰厂添了两台机器。",
            "“鱼都困了。”老船长说：“现在好了！”",
            "他说：「現在好了。」\n",
            "渔港的冰厂添了两台机器。\n责任编辑：何永年",
            "渔港的冰厂添了两台机器。（完）",
            "渔港的冰厂添了两台机器。\n作者：李萍\n【编辑:郭泽华】",
            "渔港的冰厂添了两台机器。\n尹婕\n尹婕",
            "渔港的冰厂添了两台机器。\n本报天津5月28日电",
            "The harbour has a new ice plant.",
            "\"It is better now,\" he said. \"Much better!\"",
            "He wanted to know more, so he read more.",
            "她说，每天都要继续阅读。",
        ] {
            assert!(!form(text).is_cut, "{text}");
        }
    }

    #[test]
    fn what_breaks_off_is_cut() {
        for text in [
            "渔港的冰厂添了两台机器，一天能出",
            "渔港的冰厂添了两台机器……",
            "渔港的冰厂添了两台机器。。。",
            "渔港的冰厂添了两台机器。阅读全文",
            "渔港的冰厂添了两台机器。\n点击查看全文>>",
            "渔港的冰厂添了两台机器。\n阅读全文\n尹婕",
            "渔港的冰厂",
            "",
            "渔港的冰厂添了两台机器。[阅读全文]",
            "渔港的冰厂添了两台机器。请点击阅读全文。",
            "The harbour has a new ice pl",
            "The harbour has a new ice plant. Read more",
            "The harbour has a new ice plant. Continue reading →",
            "The harbour has a new ice plant... [+1234 chars]",
            "The harbour has a new ice plant […]",
            "The harbour has a new ice plant...",
            "The harbour has a new ice plant. Click here to read more.",
        ] {
            assert!(form(text).is_cut, "{text}");
        }
    }

    #[test]
    fn tricks_are_counted() {
        for (text, count) in [
            ("渔港\u{200b}的冰\u{feff}厂", 2),
            ("渔 港 的冰厂", 2),
            ("渔★港的#冰|厂", 3),
            ("账号 рayрal", 2),
            ("エ作カ度", 2),
            ("渔港\u{fffd}\u{fffd}冰厂", 2),
            ("锟斤拷的冰厂", 1),
            ("It â€™s a cafÃ©", 2),
            ("ä½\u{a0}å¥½", 2),
            ("har*bour", 1),
        ] {
            assert_eq!(form(text).tricks, count, "{text}");
        }
    }

    #[test]
    fn ordinary_text_has_no_tricks() {
        for text in [
            "卡尔·马克思 1818 年生于特里尔——见《传记》第 3 卷（5～10 页），和/或 A+B。",
            "　　渔港的冰厂\n　　添了机器",
            "# Title\n* one\n* two | three",
            "naïve café, Ångström: «déjà vu»; snake_case, user@host, C# and 50 % — it's “fine”…",
            "Это сор и рост. Ηρόδοτος 東京タワー",
            "渔港的冰厂    添了机器",
        ] {
            assert_eq!(form(text).tricks, 0, "{text}");
        }
    }

    #[test]
    fn the_better_form_is_the_lower_number() {
        let text = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。";
        let slip = format!("{}\u{200b}{text}", text.repeat(20));
        let full = text.replace('，', "★，★").replace("冰厂", "冰★厂");
        let cut = format!("{text}老船长说");
        let order = [text, &slip, &full, &cut, &format!("{cut}★{cut}")].map(|text| form(text).blemishes());
        assert!(order.is_sorted_by(|a, b| a < b), "{order:?}");
    }
}
