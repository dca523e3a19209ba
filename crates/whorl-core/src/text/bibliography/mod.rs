//! Bibliographies: detects which lines below a heading such as 参考文献 are references.
//!
//! Excluding everything below such a heading would be simple, but would let an author hide a copied chapter below it. A
//! heading alone therefore excludes nothing. The lines below it belong to the list while they look like references:
//! numbered, or with years, publishers and addresses. The list ends at the next heading and at the first prose.

mod vocabulary;

use std::ops::Range;

use super::frame::{behind, character, signs};
use vocabulary::{COMMANDS, EVIDENCE, HEADINGS, NUMBERED, REFERENCES};

/// The longest heading, in code points.
const LONGEST_HEADING: usize = 60;
/// Maximum length of a reference.
const LONGEST_ENTRY: usize = 400;
/// Maximum length of a reference without a year, a publisher or similar evidence.
const LONGEST_PLAIN_ENTRY: usize = 120;
/// Maximum length of the title of a work, in letters.
const LONGEST_TITLE: usize = 60;
/// Maximum number of consecutive continuation lines of a reference.
const CONTINUATIONS: usize = 2;

/// Returns the lists of references of `text` as ranges of its `lines`. Linear.
pub(crate) fn lists(text: &[u32], lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut lists = Vec::new();
    let mut number = 1;
    while number < lines.len() {
        let line = &text[lines[number].clone()];
        let end = if may_be_heading(line) { end_of_list(text, lines, number) } else { None };
        lists.extend(end.map(|end| number..end));
        number = end.unwrap_or(number + 1);
    }
    lists
}

/// False for most lines, judging by their first character.
fn may_be_heading(line: &[u32]) -> bool {
    let Some(first) = signs(line.iter().copied()).next() else { return false };
    let begins = |word: &&str| word.starts_with(first) && behind(line, word).is_some();
    let may_be_numbered = first.is_numeric() || "#*=\\一二三四五六七八九十第ivx-—".contains(first);
    REFERENCES.iter().any(begins) || may_be_numbered && is_heading_of_references(line)
}

/// Returns the end of the list below a heading; None without a heading or without references.
fn end_of_list(text: &[u32], lines: &[Range<usize>], heading: usize) -> Option<usize> {
    let line = |number: usize| &text[lines[number].clone()];
    let run_in = entries_behind_heading(line(heading));
    if !run_in && !is_heading_of_references(line(heading)) {
        return None;
    }
    let mut end = run_in.then_some(heading + 1);
    let mut style = None;
    let (mut sure, mut doubtful, mut other) = (u32::from(run_in), 0, 0);
    for number in heading + 1..lines.len() {
        let line = line(number);
        if is_heading_of_references(line) || is_heading(line, style) {
            break;
        }
        if is_entry(line) {
            style = style.or(Some(Style::of(line)));
            sure += u32::from(has_evidence(line) || line.contains(&u32::from('《')));
            doubtful += u32::from(!has_evidence(line) && is_long(line));
            (end, other) = (Some(number + 1), 0);
        } else if other == CONTINUATIONS || is_prose(line) {
            break;
        } else {
            other += 1;
            let goes_on = character(line[0]).is_lowercase() || character(line[0]).is_ascii_digit();
            end = end.map(|end| if goes_on && end == number { number + 1 } else { end });
        }
    }
    end.filter(|_| sure >= doubtful)
}

/// True for lines longer than most titles. Half of the long numbered lines must look like references, since sentences
/// can be numbered too.
fn is_long(line: &[u32]) -> bool {
    let weight = |&unit: &u32| if unit >= 0x2E80 { 3 } else { 1 };
    line.iter().map(weight).sum::<usize>() > LONGEST_TITLE
}

/// The line without numbers, heading markers and surrounding signs, folded and without spaces.
fn bare(line: &[u32]) -> String {
    let bare: String = signs(line.iter().copied()).collect();
    let mut bare = bare.trim_start_matches(['#', '*', '=', '-', '—', '_']);
    for command in COMMANDS {
        bare = bare.strip_prefix(command).map_or(bare, |rest| rest.trim_start_matches(['*', '{']));
    }
    let is_number = |sign: char| sign.is_ascii_digit() || "一二三四五六七八九十.、,，)）第章节部分ivx".contains(sign);
    let unnumbered = bare.trim_start_matches(is_number);
    let has_number = bare.len() > unnumbered.len();
    let bare = if has_number && !unnumbered.is_empty() { unnumbered } else { bare };
    bare.trim_end_matches(|sign: char| !sign.is_alphanumeric()).to_owned()
}

fn is_heading_of_references(line: &[u32]) -> bool {
    if line.len() > LONGEST_HEADING {
        return false;
    }
    let bare = bare(line);
    let is_word = |rest: &str| REFERENCES.contains(&rest);
    let rest = |word: &&str| bare.strip_prefix(&**word).map(|rest| rest.trim_start_matches(['/', '|', '-', '—', ':']));
    is_word(&bare) || REFERENCES.iter().filter_map(rest).any(is_word) || bare.contains("\\begin{thebibliography")
}

/// True if references follow a heading on the same line.
fn entries_behind_heading(line: &[u32]) -> bool {
    let rests = REFERENCES.iter().filter_map(|word| behind(line, word));
    let first = |rest: &[u32]| {
        rest.iter().position(|&unit| !matches!(character(unit), ':' | '：' | ' ' | '\u{3000}' | '】' | ']' | '*' | '.'))
    };
    rests.into_iter().any(|offset| {
        let rest = &line[offset..];
        first(rest).is_some_and(|first| {
            let is_apart = first > 0 || matches!(character(rest[0]), '[' | '［');
            is_apart && is_entry(&rest[first..]) && Style::of(&rest[first..]) != Style::None
        })
    })
}

/// Numbering style of a reference or a heading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    /// [1]
    Bracket,
    /// (1)
    Round,
    /// 1. or 1、
    Dot,
    /// 1 and a space.
    Bare,
    /// 1.2
    Parts,
    /// 一、 or （一）
    Han,
    /// ①
    Circle,
    /// - or •
    Bullet,
    /// Not numbered.
    None,
}

impl Style {
    fn of(line: &[u32]) -> Self {
        let sign = |place: usize| line.get(place).map_or('\n', |&unit| character(unit));
        let digits = |start: usize| (start..line.len()).take_while(|&place| sign(place).is_ascii_digit()).count();
        let is_han = |place: usize| "一二三四五六七八九十".contains(sign(place));
        let inside = digits(1);
        match sign(0) {
            '[' | '［' | '〔' | '【' if inside > 0 && matches!(sign(1 + inside), ']' | '］' | '〕' | '】') => {
                Self::Bracket
            }
            '(' | '（' if inside > 0 && matches!(sign(1 + inside), ')' | '）') => Self::Round,
            '(' | '（' if is_han(1) && (matches!(sign(2), ')' | '）') || is_han(2)) => Self::Han,
            '①'..='⑳' => Self::Circle,
            '•' | '·' | '●' | '-' | '*' | '–' | '—' => Self::Bullet,
            first if first.is_ascii_digit() => {
                let count = digits(0);
                match sign(count) {
                    '.' | '．' if digits(count + 1) > 0 => Self::Parts,
                    '.' | '．' | '、' | ')' | '）' => Self::Dot,
                    ' ' | '\t' | '\u{3000}' if count < 4 => Self::Bare,
                    _ => Self::None,
                }
            }
            _ if is_han(0) && (sign(1) == '、' || is_han(1) && sign(2) == '、') => Self::Han,
            _ => Self::None,
        }
    }
}

/// True if a line is a heading of another section, given the numbering of the references.
fn is_heading(line: &[u32], entries: Option<Style>) -> bool {
    let raw =
        |word: &str| word.chars().zip(line).filter(|&(sign, &unit)| u32::from(sign) == unit).count() == word.len();
    let (first, second) = (character(line[0]), line.get(1).map_or('\n', |&unit| character(unit)));
    if first == '#' && matches!(second, '#' | ' ') || first == '\\' && COMMANDS.iter().any(|command| raw(command)) {
        return true;
    }
    let is_run_in = |word: &&str| {
        let mark = behind(line, word).and_then(|end| line.get(end)).map(|&unit| character(unit));
        matches!(mark, Some(':' | '：' | '】'))
    };
    if HEADINGS.iter().any(is_run_in) {
        return true;
    }
    if line.len() > LONGEST_HEADING {
        return false;
    }
    let all: String = signs(line.iter().copied()).collect();
    let bare = bare(line);
    let is_chapter = all.strip_prefix('第').is_some_and(|rest| {
        let numbered =
            rest.trim_start_matches(|sign: char| sign.is_numeric() || "一二三四五六七八九十百零〇".contains(sign));
        numbered.len() < rest.len() && numbered.starts_with(['章', '节', '编', '篇', '部', '回', '卷', '讲'])
    });
    let style = Style::of(line);
    let ends = line.last().is_some_and(|&last| "。.，,；;：:".contains(character(last)));
    let is_numbered = matches!(style, Style::Dot | Style::Bare | Style::Parts | Style::Han)
        && entries.is_some_and(|entries| entries != style)
        && !ends
        && !has_evidence(line);
    is_chapter
        || is_numbered
        || HEADINGS.contains(&bare.as_str())
        || !has_evidence(line) && NUMBERED.iter().any(|word| all.starts_with(word))
}

fn is_entry(line: &[u32]) -> bool {
    let style = Style::of(line);
    let numbers =
        line.windows(2).filter(|pair| matches!(character(pair[0]), '[' | '［') && character(pair[1]).is_ascii_digit());
    if line.len() > LONGEST_ENTRY && line.len() > LONGEST_ENTRY * numbers.count().max(1) {
        return false;
    }
    let has_evidence = has_evidence(line);
    if style == Style::None || style == Style::Bullet {
        return has_evidence && stops(line) <= CONTINUATIONS;
    }
    has_evidence || line.len() <= LONGEST_PLAIN_ENTRY && stops(line) <= 1
}

/// Counts full stops that end sentences rather than abbreviations.
fn stops(line: &[u32]) -> usize {
    line.iter().filter(|&&unit| matches!(character(unit), '。' | '！' | '？')).count()
}

fn is_prose(line: &[u32]) -> bool {
    line.len() > LONGEST_PLAIN_ENTRY || stops(line) > 1
}

/// True if the line has a year in the style of references, a publisher, an address, a publication type, or a LaTeX
/// command.
fn has_evidence(line: &[u32]) -> bool {
    let line: String = line.iter().map(|&unit| character(unit).to_ascii_lowercase()).collect();
    EVIDENCE.iter().any(|evidence| line.contains(evidence)) || line.starts_with("\\bibitem") || has_year(&line)
}

/// True for four digits between marks, as in `, 2019.`, `(2019)`, `2019, 3(2): 1-9`; false for a year in a sentence.
fn has_year(line: &str) -> bool {
    let mut behind = line;
    let mut before = ' ';
    while let Some(start) = behind.find(|sign: char| sign.is_ascii_digit()) {
        let mark = behind[..start].trim_end().chars().next_back().unwrap_or(before);
        let digits = &behind[start..];
        let digits = &digits[..digits.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(digits.len())];
        behind = &behind[start + digits.len()..];
        let next = behind.chars().next().unwrap_or('.');
        let is_year = digits.len() == 4 && matches!(&digits[..2], "14" | "15" | "16" | "17" | "18" | "19" | "20");
        let is_apart = matches!(mark, ',' | '，' | '.' | '(' | '（' | ':' | '：' | '．' | ';')
            && ",，.。;；:：)）(（-–a b".contains(next);
        if is_year && is_apart && next != ' ' {
            return true;
        }
        before = '0';
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sentence::paragraphs;

    const ENTRIES: &str = "[1] 王小渡. 渡口的冰厂[J]. 青澜学刊, 2019, 3(2): 1-9.\n[2] 书";

    fn listed(text: &str) -> Vec<String> {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        let lines = paragraphs(&code_points);
        let of_list = |list: Range<usize>| lines[list.start].start..lines[list.end - 1].end;
        let passage = |range: Range<usize>| text.chars().skip(range.start).take(range.len()).collect();
        lists(&code_points, &lines).into_iter().map(of_list).map(passage).collect()
    }

    #[test]
    fn a_list_ends_where_the_next_heading_begins() {
        for heading in [
            "致谢",
            "致  谢",
            "致謝",
            "附录A 问卷",
            "附录",
            "第二章 作坊的历史",
            "Appendix B",
            "Acknowledgements",
            "ACKNOWLEDGMENTS",
            "Chapter 2",
            "# Next",
            "## 讨论",
            "\\section{Next}",
            "二、作坊的历史",
            "2.1 作坊",
            "2 Methods",
            "5. Discussion",
            "后记：",
            "致谢：感谢各位。",
            "攻读学位期间发表的论文",
            "Acknowledgements: We thank the harbour.",
        ] {
            let text = format!("正文。\n参考文献\n{ENTRIES}\n{heading}\n雾散之后，渡口又热闹起来。");
            assert_eq!(listed(&text), [format!("参考文献\n{ENTRIES}")], "{heading}");
        }
    }

    #[test]
    fn headings_of_a_list_are_known() {
        for heading in [
            "参考文献",
            "參考文獻：",
            "参 考 文 献",
            "【参考文献】",
            "[参考文献]",
            "参考文献（References）",
            "六、参考文献",
            "第六章 参考文献",
            "6. References",
            "REFERENCES",
            "## References",
            "\\section*{References}",
            "\\begin{thebibliography}{9}",
            "主要参考文献",
            "Works Cited",
            "References:",
        ] {
            assert_eq!(
                listed(&format!("正文。\n{heading}\n{ENTRIES}")),
                [format!("{heading}\n{ENTRIES}")],
                "{heading}"
            );
        }
        assert_eq!(
            listed("正文。\n参考文献：[1] 王小渡. 渡口[M].\n[2] 书"),
            ["参考文献：[1] 王小渡. 渡口[M].\n[2] 书"]
        );
    }

    #[test]
    fn a_heading_without_a_list_hides_nothing() {
        let prose = "雾散之后，渡口又热闹起来。船老大说今天要多跑两趟。";
        for text in [
            format!("参考文献\n{ENTRIES}"),
            format!("标题\n参考文献\n{prose}\n{prose}"),
            format!("标题\nReferences\n{prose}"),
            format!("标题\n参考文献\n[1] {prose}"),
            "正文。\n参考文献".to_owned(),
            "正文。\nReferences to this are few\n[1] a".to_owned(),
            "正文。\n参考文献综述一章说明了这些\n[1] a".to_owned(),
        ] {
            assert_eq!(listed(&text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn prose_behind_a_list_is_no_part_of_it() {
        let prose = "雾散之后，渡口又热闹起来。船老大说今天要多跑两趟。";
        let numbered = "[1] 雾散之后，渡口又热闹起来，船老大说今天要多跑两趟。\n".repeat(4);
        assert_eq!(listed(&format!("正文。\n参考文献\n{numbered}")), Vec::<String>::new());
        assert_eq!(listed(&format!("正文。\n参考文献\n{ENTRIES}\n{prose}")), [format!("参考文献\n{ENTRIES}")]);
        let list = "References\nDoe, J. (1999). Ferries.\nRoe, K. Harbours and\ntheir tides. Marsh Press, 2003.";
        assert_eq!(listed(&format!("Text.\n{list}\n{}", "The old boat will go on being patched. ".repeat(9))), [list]);
    }

    #[test]
    fn every_chapter_may_have_a_list() {
        let text = format!("一。\n参考文献\n{ENTRIES}\n第二章 二\n二。\n参考文献\n{ENTRIES}\n第三章 三\n三。");
        assert_eq!(listed(&text), [format!("参考文献\n{ENTRIES}"), format!("参考文献\n{ENTRIES}")]);
    }
}
