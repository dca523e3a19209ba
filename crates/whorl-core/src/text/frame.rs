//! The structure of an article: its title, the lines that name editors, authors and sources, quotations and references.
//! The rules use layout and fixed phrases only.

use std::ops::Range;
use std::sync::LazyLock;

use crate::text::bibliography::lists;
use crate::text::fold_one;
use crate::text::incidental::{addresses, is_incidental};
use crate::text::quotation::quotations;
use crate::text::sentence::paragraphs_among;

/// The role of a stretch of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The first line, if it is short, not a sentence, and not the only line.
    Title,
    /// The author, editor or publisher: a short line, or brackets at the end.
    Byline,
    /// Text between quotation marks, including the marks, and blocks marked as quotations.
    Quotation,
    /// A list of references, with its heading.
    Reference,
    /// An address, or a line added by a site: excluded from all counts and from the evidence.
    Incidental,
    /// Text that many documents have; determined by the caller.
    Boilerplate,
}

impl Role {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Byline => "byline",
            Self::Quotation => "quotation",
            Self::Reference => "reference",
            Self::Incidental => "incidental",
            Self::Boilerplate => "boilerplate",
        }
    }
}

/// Maximum length of a title or byline, in code points.
const LONGEST_LINE: usize = 80;
/// Maximum length of a rights notice.
const LONGEST_NOTICE: usize = 120;
/// Maximum length of a title in dense scripts.
const LONGEST_DENSE_LINE: usize = 40;
/// Beginnings of bylines, folded and without spaces.
const BYLINES: [&str; 29] = [
    "责任编辑",
    "编辑",
    "责编",
    "记者",
    "本报记者",
    "特约",
    "作者",
    "来源",
    "稿源",
    "文/",
    "文|",
    "图/",
    "通讯员",
    "校对",
    "审核",
    "编审",
    "原标题",
    "转载自",
    "转自",
    "by",
    "author",
    "editor",
    "editing",
    "edited",
    "reporting",
    "source:",
    "postedby",
    "words:",
    "producedby",
];
/// Beginnings of rights notices, folded and without spaces.
const NOTICES: [&str; 9] =
    ["©", "copyright", "allrightsreserved", "版权声明", "版权所有", "本文版权", "未经授权", "未经许可", "转载请注明"];
/// Beginnings of datelines other than places in capitals.
const AGENCIES: [&str; 17] = [
    "本报",
    "本网",
    "本刊",
    "本台",
    "据本报",
    "新华社",
    "据新华社",
    "新华网",
    "中新社",
    "中新网",
    "人民网",
    "央视网",
    "央广网",
    "光明网",
    "环球网",
    "中国日报网",
    "澎湃新闻",
];
/// Endings of datelines other than a name in brackets.
const DISPATCHES: [&str; 3] = ["讯", "电", "消息"];
/// Maximum length of a dateline, in code points.
pub(crate) const LONGEST_DATELINE: usize = 60;
/// Returns the stretches of `text` with a role. They are ordered by start, except that addresses and quotations come
/// last. `signs` are the positions of all [`signs`](crate::text::scan::signs). Linear.
pub fn roles(text: &[u32], signs: &[u32]) -> Vec<(Role, Range<usize>)> {
    let mut roles = Vec::new();
    let signs = || signs.iter().map(|&place| place as usize);
    let lines = paragraphs_among(text, signs());
    let mut lists = lists(text, &lines).into_iter().peekable();
    for (number, line) in lines.iter().enumerate() {
        let inside = &text[line.clone()];
        if let Some(list) = lists.next_if(|list| list.start == number) {
            roles.push((Role::Reference, line.start..lines[list.end - 1].end));
        }
        if roles.last().is_some_and(|(role, range)| *role == Role::Reference && range.contains(&line.start)) {
            continue;
        }
        if is_byline(inside) {
            roles.push((Role::Byline, line.clone()));
        } else if is_incidental(inside) {
            roles.push((Role::Incidental, line.clone()));
        } else if number == 0 && lines.len() > 1 && is_title(inside) {
            roles.push((Role::Title, line.clone()));
        } else {
            let lead = dateline(inside);
            roles.extend((lead > 0).then(|| (Role::Byline, line.start..line.start + lead)));
            let start = signature(inside).filter(|&start| start >= lead);
            roles.extend(start.map(|start| (Role::Byline, line.start + start..line.end)));
        }
    }
    roles.extend(addresses(text).into_iter().map(|range| (Role::Incidental, range)));
    roles.extend(quotations(text, &lines, signs()).into_iter().map(|range| (Role::Quotation, range)));
    roles
}

/// The character; U+FFFD for a surrogate.
pub(super) fn character(code_point: u32) -> char {
    char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn is_title(line: &[u32]) -> bool {
    let dense = line.iter().filter(|&&code_point| code_point >= 0x2E80).count();
    let longest = if 2 * dense > line.len() { LONGEST_DENSE_LINE } else { LONGEST_LINE };
    let last = line.last().map_or(' ', |&last| character(last));
    line.len() <= longest
        && !matches!(last, '。' | '，' | '；' | '：' | '、' | '.' | ',' | ';' | ':' | '”' | '"' | '）' | ')')
}

/// True for a line that only names the author, editor, publisher or owner of the text.
pub(crate) fn is_byline(line: &[u32]) -> bool {
    if !may_be_byline(line.iter().map(|&unit| character(unit))) {
        return false;
    }
    if line.len() <= LONGEST_NOTICE && begins_with(line, &NOTICES) {
        return true;
    }
    let is_sentence = || {
        let ends =
            line.iter().filter(|&&code_point| matches!(character(code_point), '。' | '，' | '！' | '？')).count();
        ends > 0
    };
    line.len() <= LONGEST_LINE && begins_with(line, &BYLINES) && !is_sentence()
}

/// False for most lines other than bylines, judging by the first character.
pub(crate) fn may_be_byline(line: impl Iterator<Item = char>) -> bool {
    static FIRST: LazyLock<Vec<char>> = LazyLock::new(|| first_characters(NOTICES.iter().chain(&BYLINES)));
    signs(line.map(u32::from)).next().is_some_and(|first| FIRST.binary_search(&first).is_ok())
}

/// False for most lines without a dateline, judging by the first character.
pub(crate) fn may_have_dateline(line: impl Iterator<Item = char> + Clone) -> bool {
    static FIRST: LazyLock<Vec<char>> = LazyLock::new(|| first_characters(AGENCIES.iter()));
    let first = signs(line.clone().map(u32::from)).next();
    line.take(1).any(|sign| sign.is_ascii_uppercase()) || first.is_some_and(|first| FIRST.binary_search(&first).is_ok())
}

pub(super) fn first_characters<'w>(words: impl Iterator<Item = &'w &'w str>) -> Vec<char> {
    let mut first: Vec<char> = words.filter_map(|word| word.chars().next()).collect();
    first.sort_unstable();
    first
}

/// The folded characters of a line, without brackets and spaces.
pub(super) fn signs(line: impl Iterator<Item = u32>) -> impl Iterator<Item = char> {
    line.map(|code_point| character(fold_one(code_point))).filter(|&sign| is_sign(sign))
}

fn is_sign(sign: char) -> bool {
    !(sign.is_whitespace() || matches!(sign, '(' | '（' | '[' | '【' | '〔' | '■' | '□' | '●' | '▲'))
}

/// Returns the position after `word` if the line begins with it, as read by [`signs`].
pub(super) fn behind(line: &[u32], word: &str) -> Option<usize> {
    let mut expected = word.chars().peekable();
    for (place, &code_point) in line.iter().enumerate() {
        let sign = character(fold_one(code_point));
        match expected.peek() {
            None => return Some(place),
            Some(&next) if is_sign(sign) && sign != next => return None,
            Some(_) if is_sign(sign) => expected.next(),
            Some(_) => None,
        };
    }
    expected.peek().is_none().then_some(line.len())
}

/// True if a line, without brackets and spaces, begins with one of `words`.
pub(super) fn begins_with(line: &[u32], words: &[&str]) -> bool {
    let signs = || signs(line.iter().copied());
    let begins =
        |word: &&str| word.chars().zip(signs()).filter(|(one, other)| one == other).count() == word.chars().count();
    let first = signs().next();
    words.iter().any(|word| word.chars().next() == first && begins(word))
        && !(first == Some('b') && line.get(2).is_some_and(|&next| next != u32::from(' ')))
}

/// Length of the dateline of a line, which names the place and the agency: 本报讯（记者 …）, ROME, May 3 (Reuters) - …
pub(crate) fn dateline(line: &[u32]) -> usize {
    if !may_have_dateline(line.iter().map(|&unit| character(unit))) {
        return 0;
    }
    let reach = &line[..line.len().min(LONGEST_DATELINE)];
    let at = |place: usize| reach.get(place).map_or('\0', |&unit| character(unit));
    let folded = |place: usize| reach.get(place).map_or('\0', |&unit| character(fold_one(unit)));
    if begins_with(reach, &AGENCIES) {
        let is_stop = |place: &usize| matches!(at(*place), '。' | '，' | '！' | '？' | '；' | '、');
        let stop = (0..reach.len()).find(is_stop).unwrap_or(reach.len());
        let ends = |place: usize| {
            let is_here = |word: &&&str| word.chars().enumerate().all(|(offset, sign)| folded(place + offset) == sign);
            let end = place + DISPATCHES.iter().find(is_here)?.chars().count();
            let is_dated = place > 0 && at(place - 1) == '日';
            let is_apart = matches!(at(end), '(' | '（' | '[' | '【' | ' ' | '\u{3000}' | '：' | ':');
            (is_dated || is_apart || place == 2).then_some(end)
        };
        return (0..stop).find_map(ends).map_or(0, |end| behind_brackets(reach, end));
    }
    let capitals = (0..reach.len()).take_while(|&place| at(place).is_ascii_uppercase()).count();
    if capitals < 3 {
        return 0;
    }
    let dash = (0..reach.len()).find(|&place| matches!(at(place), '-' | '–' | '—') && at(place + 1) == ' ');
    let is_sent = |dash: usize| (0..dash).rev().find(|&place| at(place) != ' ').is_some_and(|place| at(place) == ')');
    dash.filter(|&dash| is_sent(dash)).map_or(0, |dash| dash + 2)
}

/// Returns the position after the brackets and marks at `place`, if any.
fn behind_brackets(line: &[u32], place: usize) -> usize {
    let at = |place: usize| line.get(place).map_or('\0', |&unit| character(unit));
    let passed = |mut place: usize| {
        while matches!(at(place), ' ' | '\u{3000}' | '：' | ':') {
            place += 1;
        }
        place
    };
    let open = passed(place);
    if !matches!(at(open), '(' | '（' | '[' | '【') {
        return open;
    }
    let close = (open..line.len()).find(|&place| matches!(at(place), ')' | '）' | ']' | '】'));
    close.map_or(open, |close| passed(close + 1))
}

/// Closing brackets of signatures.
pub(crate) const SIGNATURE_ENDS: [char; 5] = [')', '）', ']', '】', '〕'];

/// Returns the start of the brackets at the end of a line that name its author or editor.
pub(crate) fn signature(line: &[u32]) -> Option<usize> {
    let (&last, before) = line.split_last()?;
    if !SIGNATURE_ENDS.contains(&character(last)) {
        return None;
    }
    let window = before.len().saturating_sub(LONGEST_LINE);
    let opens = |&at: &usize| matches!(character(before[at]), '(' | '（' | '[' | '【' | '〔');
    let start = (window..before.len()).rev().find(opens)?;
    begins_with(&line[start..], &BYLINES).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::scan::signs;

    fn roles_of(text: &str) -> Vec<(Role, String)> {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        let passage = |range: Range<usize>| text.chars().skip(range.start).take(range.len()).collect();
        let mut places = Vec::new();
        signs(&code_points, &mut places);
        roles(&code_points, &places).into_iter().map(|(role, range)| (role, passage(range))).collect()
    }

    #[test]
    fn titles_bylines_quotations_and_references_are_told_apart() {
        let text = "今天天气很好\n作者：某人\n他说：“很好。”真的。（责任编辑：某人）\n参考文献\n[1] 书";
        let expected = [
            (Role::Title, "今天天气很好"),
            (Role::Byline, "作者：某人"),
            (Role::Byline, "（责任编辑：某人）"),
            (Role::Reference, "参考文献\n[1] 书"),
            (Role::Quotation, "“很好。”"),
        ];
        assert_eq!(roles_of(text), expected.map(|(role, text)| (role, text.into())));
    }

    #[test]
    fn sentences_are_neither_titles_nor_bylines() {
        assert_eq!(roles_of("今天天气很好。\n记者今天在北京说，天气很好。\nBybit rose."), []);
        assert_eq!(roles_of("Only one line"), []);
        assert_eq!(
            roles_of("A headline\nBy Jane Doe\nHe \"left\" it."),
            [
                (Role::Title, "A headline".into()),
                (Role::Byline, "By Jane Doe".into()),
                (Role::Quotation, "\"left\"".into()),
            ]
        );
    }

    #[test]
    fn a_quotation_ends_with_its_paragraph_or_does_not_count() {
        assert_eq!(roles_of("“没有完。\n完了”。"), []);
    }
}
