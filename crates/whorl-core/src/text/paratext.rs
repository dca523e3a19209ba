//! Paratext of a manuscript: cover, declarations and table of contents, which its author did not compose.
//!
//! Like a list of references, a part is recognized by its heading and by what its lines look like. Excluding everything
//! below a heading would let an author hide copied prose there, so a part ends at the first line that does not belong
//! to it, and declarations have a maximum length.

use std::ops::Range;

use super::frame::{Role, character, roles};
use super::scan;

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Lines with a label, such as 学号 or "Supervisor", at the beginning.
    Cover,
    /// A declaration of originality or an authorization, with its signatures.
    Declaration,
    /// A table of contents with page numbers.
    Contents,
}

impl Part {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Declaration => "declaration",
            Self::Contents => "contents",
        }
    }
}

/// Maximum length of a heading without blanks.
const LONGEST_HEADING: usize = 40;
/// Maximum length of a line of a cover.
const LONGEST_LABEL: usize = 80;
/// Number of lines in which the cover ends.
const COVER_LINES: usize = 48;
/// Minimum number of lines with labels on a cover, and of entries in a table of contents.
const MIN_LINES: usize = 3;
/// Minimum number of lines with labels on a cover with the number of a student, which no article has.
const MIN_STUDENT_LINES: usize = 2;
/// Maximum length of a declaration in letters, and in lines.
const LONGEST_DECLARATION: usize = 3600;
const DECLARATION_LINES: usize = 40;
/// A Han character, which counts as three letters, has this value or a greater one.
const DENSE: u32 = 0x2E80;

/// Endings of the headings of declarations, folded and without blanks.
const DECLARATIONS: [&str; 20] = [
    "原创性声明",
    "独创性声明",
    "诚信声明",
    "诚信承诺书",
    "承诺书",
    "使用授权书",
    "授权使用声明",
    "使用授权声明",
    "使用授权说明",
    "授权使用说明",
    "使用授权的说明",
    "版权声明",
    "知识产权声明",
    "declarationoforiginality",
    "statementoforiginality",
    "declarationofauthorship",
    "statementofauthorship",
    "plagiarismdeclaration",
    "academicintegritystatement",
    "declarationofacademicintegrity",
];
const CONTENTS: [&str; 6] = ["目录", "目次", "目錄", "目次表", "contents", "tableofcontents"];
/// Headings that begin the text proper.
const BEGINNINGS: [&str; 15] = [
    "摘要",
    "中文摘要",
    "内容摘要",
    "英文摘要",
    "abstract",
    "引言",
    "前言",
    "绪论",
    "导论",
    "导言",
    "序言",
    "正文",
    "introduction",
    "summary",
    "preface",
];
/// Beginnings of lines with a signature.
const SIGNATURES: [&str; 12] = [
    "作者签名",
    "论文作者",
    "学位论文作者",
    "导师签名",
    "指导教师",
    "签名",
    "签字",
    "日期",
    "学号",
    "signature",
    "signed",
    "date",
];
/// Labels of the number of a student.
const STUDENT_NUMBERS: [&str; 4] = ["学号", "学生学号", "studentid", "studentnumber"];
/// Labels on a cover.
const LABELS: [&str; 48] = [
    "学号",
    "学生学号",
    "学校代码",
    "单位代码",
    "学院",
    "院系",
    "院（系）",
    "系别",
    "系部",
    "专业",
    "学科专业",
    "年级",
    "班级",
    "姓名",
    "学生姓名",
    "作者姓名",
    "作者",
    "研究生",
    "指导教师",
    "指导老师",
    "导师",
    "论文题目",
    "题目",
    "课题名称",
    "培养单位",
    "研究方向",
    "答辩日期",
    "提交日期",
    "完成日期",
    "完成时间",
    "日期",
    "密级",
    "分类号",
    "udc",
    "申请学位",
    "学位类别",
    "studentid",
    "studentnumber",
    "studentname",
    "student",
    "supervisor",
    "advisor",
    "department",
    "faculty",
    "course",
    "module",
    "submissiondate",
    "wordcount",
];

/// Returns the lists of references of a text, with their headings. Linear.
pub fn references(text: &[u32]) -> Vec<Range<usize>> {
    let mut signs = Vec::new();
    scan::signs(text, &mut signs);
    let of_role = |(role, range)| (role == Role::Reference).then_some(range);
    roles(text, &signs).into_iter().filter_map(of_role).collect()
}

/// A line: its range without surrounding blanks, and its beginning without blanks, folded.
struct Line {
    range: Range<usize>,
    squashed: String,
    length: usize,
}

/// Returns the parts of a text, ordered and disjoint. Linear.
pub fn parts(text: &[u32]) -> Vec<(Part, Range<usize>)> {
    let lines = lines(text);
    let mut parts: Vec<(Part, Range<usize>)> = Vec::new();
    let mut number = 0;
    if let Some(end) = cover(&lines) {
        parts.push((Part::Cover, lines[0].range.start..lines[end - 1].range.end));
        number = end;
    }
    while number < lines.len() {
        let part = if is_heading(&lines[number], &CONTENTS, |line, word| line == word) {
            contents(text, &lines, number).map(|end| (Part::Contents, end))
        } else if is_declaration(&lines[number]) {
            Some((Part::Declaration, declaration(text, &lines, number)))
        } else {
            None
        };
        if let Some((part, end)) = part {
            parts.push((part, lines[number].range.start..lines[end - 1].range.end));
            number = end;
        } else {
            number += 1;
        }
    }
    parts
}

fn lines(text: &[u32]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split(|&code_point| code_point == 0x0A) {
        let end = start + line.len();
        let is_blank = |&code_point: &u32| character(code_point).is_whitespace();
        if let Some(first) = line.iter().position(|code_point| !is_blank(code_point)) {
            let last = line.iter().rposition(|code_point| !is_blank(code_point)).unwrap_or(first);
            let squashed: String = line[first..=last]
                .iter()
                .map(|&code_point| character(code_point))
                .filter(|sign| !sign.is_whitespace())
                .take(LONGEST_LABEL + 1)
                .flat_map(char::to_lowercase)
                .collect();
            let length = squashed.chars().count();
            lines.push(Line { range: start + first..start + last + 1, squashed, length });
        }
        start = end + 1;
    }
    lines
}

fn is_heading(line: &Line, words: &[&str], fits: impl Fn(&str, &str) -> bool) -> bool {
    let bare = line.squashed.trim_matches(|sign: char| matches!(sign, '#' | '*' | '：' | ':' | '《' | '》'));
    line.length <= LONGEST_HEADING && words.iter().any(|word| fits(bare, word))
}

fn is_declaration(line: &Line) -> bool {
    is_heading(line, &DECLARATIONS, |line, word| line.ends_with(word))
}

/// True if a line is the heading of the text proper or of its first chapter.
fn begins_text(line: &Line) -> bool {
    let begins_chapter = || {
        let rest = line.squashed.trim_start_matches('#');
        ["第一章", "第1章", "chapter1", "chapterone", "1绪论", "1引言", "1introduction", "1.introduction"]
            .iter()
            .any(|word| rest.starts_with(word))
    };
    is_heading(line, &BEGINNINGS, |line, word| line == word) || line.length <= LONGEST_HEADING && begins_chapter()
}

/// The line after the cover, if there is one.
fn cover(lines: &[Line]) -> Option<usize> {
    let is_one_of = |line: &Line, labels: &[&str]| labels.iter().any(|label| labelled(&line.squashed, label));
    let is_label = |line: &Line| is_one_of(line, &LABELS);
    let ends = |line: &&Line| {
        line.length > LONGEST_LABEL
            || begins_text(line)
            || is_declaration(line)
            || is_heading(line, &CONTENTS, |line, word| line == word)
    };
    let count = lines.iter().take(COVER_LINES).take_while(|line| !ends(line)).count();
    let labels = lines[..count].iter().filter(|line| is_label(line)).count();
    let last = lines[..count].iter().rposition(is_label)?;
    let has_student = lines[..count].iter().any(|line| is_one_of(line, &STUDENT_NUMBERS));
    (labels >= if has_student { MIN_STUDENT_LINES } else { MIN_LINES }).then_some(last + 1)
}

/// True if a line begins with a label and a value or an empty field.
fn labelled(line: &str, label: &str) -> bool {
    line.strip_prefix(label).is_some_and(|rest| {
        let first = rest.chars().next();
        first.is_none() || matches!(first, Some('：' | ':' | '_' | '＿' | '—' | '.' | '…'))
    })
}

/// The line after a declaration that begins with the heading `first`.
fn declaration(text: &[u32], lines: &[Line], first: usize) -> usize {
    let is_signature = |line: &Line| SIGNATURES.iter().any(|word| line.squashed.starts_with(word)) && line.length <= 60;
    let mut letters = 0;
    let mut signed = false;
    for (number, line) in lines.iter().enumerate().skip(first + 1).take(DECLARATION_LINES) {
        let signs = is_signature(line);
        letters += text[line.range.clone()].iter().map(|&unit| if unit >= DENSE { 3 } else { 1 }).sum::<usize>();
        if begins_text(line)
            || is_declaration(line)
            || is_heading(line, &CONTENTS, |line, word| line == word)
            || letters > LONGEST_DECLARATION
            || signed && !signs && line.length > LONGEST_HEADING
        {
            return number;
        }
        signed |= signs;
    }
    lines.len().min(first + 1 + DECLARATION_LINES)
}

/// The line after a table of contents with the heading `first`, if entries follow it.
fn contents(text: &[u32], lines: &[Line], first: usize) -> Option<usize> {
    let entries = lines[first + 1..].iter().take_while(|line| is_entry(&text[line.range.clone()], line)).count();
    (entries >= MIN_LINES).then_some(first + 1 + entries)
}

/// True if a line ends with a page number after leaders or a blank, or is numbered and short.
fn is_entry(text: &[u32], line: &Line) -> bool {
    let is_page = |sign: char| sign.is_ascii_digit() || matches!(sign, 'i' | 'v' | 'x' | 'I' | 'V' | 'X' | 'Ⅰ'..='Ⅻ');
    let signs: Vec<char> = text.iter().map(|&code_point| character(code_point)).collect();
    let page = signs.iter().rev().take_while(|&&sign| is_page(sign)).count();
    let before = signs.len() - page;
    let is_led = page > 0
        && before > 0
        && (signs[before - 1].is_whitespace()
            || matches!(signs[before - 1], '.' | '…' | '·' | '⋯' | '．' | '-' | '_' | '('));
    line.length <= LONGEST_LABEL && (is_led || page > 0 && before > 0 && line.length <= LONGEST_HEADING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(text: &str) -> Vec<(&'static str, String)> {
        let units: Vec<u32> = text.chars().map(u32::from).collect();
        let excerpt = |range: Range<usize>| units[range].iter().filter_map(|&unit| char::from_u32(unit)).collect();
        parts(&units).into_iter().map(|(part, range)| (part.name(), excerpt(range))).collect()
    }

    const COVER: &str = "滨海大学\n本科毕业论文\n题目：渔港冰厂的经营\n学院：经济学院\n姓名：林一\n学号：20230001";
    const DECLARATION: &str =
        "学位论文原创性声明\n本人郑重声明：所呈交的论文是本人独立完成的成果。\n作者签名：\n日期：2026年5月";
    const CONTENTS_ZH: &str = "目  录\n摘要 ……… I\n第一章 绪论 ……… 1\n1.1 研究背景 ……… 2\n参考文献 ……… 30";

    #[test]
    fn a_thesis_begins_with_cover_declaration_and_contents() {
        let text = format!("{COVER}\n{DECLARATION}\n{CONTENTS_ZH}\n第一章 绪论\n渔港的冰厂今年添了两台新机器。");
        let expected = [("cover", COVER.into()), ("declaration", DECLARATION.into()), ("contents", CONTENTS_ZH.into())];
        assert_eq!(parts_of(&text), expected);
    }

    #[test]
    fn an_english_essay_too() {
        let cover = "The ice houses of the harbour\nStudent ID: 4711\nSupervisor: Dr Lin\nDepartment: Economics";
        let contents = "Contents\nIntroduction ..... 1\nThe harbour ..... 4\nReferences ..... 30";
        let text = format!("{cover}\n{contents}\nIntroduction\nThe ice house of the old harbour burned down.");
        assert_eq!(parts_of(&text), [("cover", cover.into()), ("contents", contents.into())]);
    }

    #[test]
    fn prose_below_a_declaration_or_a_heading_counts() {
        let prose =
            "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨，附近的渔船都到这里加冰，码头上从早到晚都很热闹。";
        let text = format!("{DECLARATION}\n{prose}\n目录\n{prose}");
        assert_eq!(parts_of(&text), [("declaration", DECLARATION.into())]);
        let long = format!("原创性声明\n{}", vec![prose; 60].join("\n"));
        let (_, declared) = &parts_of(&long)[0];
        assert!(declared.chars().count() < long.chars().count() / 2);
    }

    #[test]
    fn name_and_number_of_a_student_are_a_cover() {
        let cover = "渔港冰厂的变迁\n姓名：林一\n学号：20240001";
        assert_eq!(parts_of(&format!("{cover}\n渔港的冰厂今年添了两台新机器。")), [("cover", cover.into())]);
        assert!(parts_of("渔港冰厂的变迁\n学号：20240001\n渔港的冰厂今年添了两台新机器。").is_empty());
    }

    #[test]
    fn an_article_with_a_byline_has_no_cover() {
        assert!(parts_of("渔港添机器\n作者：林一\n渔港的冰厂今年添了两台新机器。\n日期：5月3日").is_empty());
        assert!(parts_of("").is_empty());
    }
}
