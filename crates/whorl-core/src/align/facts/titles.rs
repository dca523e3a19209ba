//! The evidence of titles: the same document, different documents of one kind, or nothing.
//!
//! A reprint of news often has another headline, so headlines decide nothing. The title of a law, a standard or a
//! licence is its name: equal names indicate one document, perhaps in two versions, and different names different
//! documents, regardless of how much text they share.

use std::ops::Range;

use crate::align::runs::Tokens;
use crate::align::stream::Stream;
use crate::text::frame::is_byline;

/// The evidence of two titles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Titles {
    /// No evidence: one text has no title, or both have the same headline, which different texts may have.
    #[default]
    Silent,
    /// The titles are short and differ, and at least one is not the name of a document.
    OtherHeadline,
    /// Both are names of documents that differ at most in year or edition.
    SameName,
    /// Both are names of documents, and they differ.
    OtherName,
}

/// The words by which two short titles differ: the subject of each text. Empty if the titles are alike or long.
#[derive(Clone, Debug, Default)]
pub(in crate::align) struct Subjects {
    words: [Vec<u64>; 2],
    /// The end of the first text's title, in units.
    end: usize,
}

/// A title with more words is a headline, not a subject.
const LONGEST_SUBJECT: usize = 4;

impl Subjects {
    fn of(titles: [&Title; 2], end: usize) -> Self {
        let [a, b] = titles.map(|title| &title.words);
        let missing = |words: &[u64], other: &[u64]| -> Vec<u64> {
            words.iter().copied().filter(|word| !other.contains(word)).collect()
        };
        if a.len().max(b.len()) > LONGEST_SUBJECT {
            return Self::default();
        }
        let words = [missing(a, b), missing(b, a)];
        if words.iter().any(Vec::is_empty) { Self::default() } else { Self { words, end } }
    }

    /// True if all these words of the first and of the second text are subject words.
    pub fn have(&self, a: &[u64], b: &[u64]) -> bool {
        let are = |words: &[u64], subject_words: &[u64]| words.iter().all(|word| subject_words.contains(word));
        are(a, &self.words[0]) && are(b, &self.words[1])
    }

    /// True if a unit of the first text belongs to its title.
    pub fn is_in_title(&self, unit: usize) -> bool {
        unit < self.end
    }
}

impl Titles {
    /// Evaluates the titles of two texts, and returns the words by which they differ.
    pub(in crate::align) fn of(a: &Stream, b: &Stream) -> (Self, Subjects) {
        let (Some(line_a), Some(line_b)) = (heading(a.original()), heading(b.original())) else {
            return Default::default();
        };
        let end = a.units_in(line_a.clone()).end;
        let [title_a, title_b] = [(a, line_a), (b, line_b)].map(|(stream, line)| Title::of(stream, line));
        let subjects = Subjects::of([&title_a, &title_b], end);
        let titles = match (title_a.is_name && title_b.is_name, title_a.folded == title_b.folded) {
            _ if title_a.folded.is_empty() || title_b.folded.is_empty() => Self::Silent,
            (true, true) => Self::SameName,
            (true, false) => Self::OtherName,
            (false, _) if subjects.words[0].is_empty() => Self::Silent,
            (false, _) => Self::OtherHeadline,
        };
        (titles, subjects)
    }
}

struct Title {
    /// Its fold without the edition.
    folded: String,
    /// The hash of each word.
    words: Vec<u64>,
    is_name: bool,
}

impl Title {
    fn of(stream: &Stream, line: Range<usize>) -> Self {
        let text = &stream.original()[line.clone()];
        let line = line.start..line.start + text.len() - edition(text);
        let units = stream.units_in(line.clone());
        let words = Tokens::of(stream, units.clone()).keys().to_vec();
        let folded: String = stream.units()[units].iter().filter_map(|&unit| char::from_u32(unit)).collect();
        let name = line.start..line.end - ordinal(&stream.original()[line.clone()]);
        let named: String =
            stream.units()[stream.units_in(name)].iter().filter_map(|&unit| char::from_u32(unit)).collect();
        Self { is_name: NAMES.iter().any(|name| named.ends_with(name)), folded, words }
    }
}

/// Folded endings of document names: statutes, standards, contracts, licences.
const NAMES: [&str; 50] = [
    "法",
    "法典",
    "条例",
    "规定",
    "办法",
    "决定",
    "解释",
    "细则",
    "规则",
    "章程",
    "修正案",
    "规范",
    "标准",
    "准则",
    "守则",
    "规程",
    "公约",
    "协定",
    "条约",
    "合同",
    "协议",
    "许可证",
    "批复",
    "act",
    "law",
    "code",
    "regulation",
    "regulations",
    "rules",
    "directive",
    "statute",
    "constitution",
    "license",
    "licence",
    "agreement",
    "policy",
    "treaty",
    "convention",
    "charter",
    "standard",
    "specification",
    "terms",
    "gesetz",
    "gesetzbuch",
    "verordnung",
    "ordnung",
    "vertrag",
    "ley",
    "loi",
    "lizenz",
];
/// Contents of brackets that name an edition.
const EDITIONS: [&str; 12] =
    ["年", "修正", "修订", "修改", "试行", "草案", "版", "version", "edition", "rev", "amended", "draft"];
/// Maximum length of a title, in code points.
const LONGEST: usize = 120;

/// The first of several lines, if it can be a title.
fn heading(text: &[u32]) -> Option<Range<usize>> {
    let is_space = |&unit: &u32| char::from_u32(unit).is_some_and(char::is_whitespace);
    let start = text.iter().position(|unit| !is_space(unit))?;
    let length = text[start..].iter().position(|&unit| unit == u32::from('\n'))?;
    let line = &text[start..start + length];
    let end = start + line.iter().rposition(|unit| !is_space(unit))? + 1;
    let last = text[end - 1];
    let ends_sentence = matches!(char::from_u32(last), Some('。' | '，' | '；' | '：' | '、' | '.' | ',' | ';' | ':'));
    let has_more = text[start + length..].iter().any(|unit| !is_space(unit));
    (end - start <= LONGEST && !ends_sentence && has_more && !is_byline(&text[start..end])).then_some(start..end)
}

/// Length of the brackets at the end of a title that name its edition.
fn edition(title: &[u32]) -> usize {
    let length = brackets(title);
    let inside: String = title[title.len() - length..].iter().filter_map(|&unit| char::from_u32(unit)).collect();
    let inside = inside.to_lowercase();
    if EDITIONS.iter().any(|word| inside.contains(word)) { length } else { 0 }
}

/// Length of the brackets at the end of a title that number it, as in 修正案（十一）.
fn ordinal(title: &[u32]) -> usize {
    brackets(title)
}

/// Length of the bracketed end of a title, including the brackets and the spaces before them.
fn brackets(title: &[u32]) -> usize {
    let character = |&unit: &u32| char::from_u32(unit).unwrap_or(' ');
    if !title.last().map(character).is_some_and(|last| matches!(last, ')' | '）' | '】' | ']')) {
        return 0;
    }
    let opens = |unit: &u32| matches!(character(unit), '(' | '（' | '【' | '[');
    title.iter().rposition(opens).map_or(0, |start| {
        let spaces = title[..start].iter().rev().take_while(|unit| character(unit).is_whitespace()).count();
        title.len() - start + spaces
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn titles(a: &str, b: &str) -> Titles {
        let stream = |title: &str| {
            let mut stream = Stream::default();
            stream.read(Text::Utf8(&format!("{title}\n第一条 正文。")));
            stream
        };
        Titles::of(&stream(a), &stream(b)).0
    }

    #[test]
    fn names_of_documents_tell_them_apart_and_headlines_do_not() {
        assert_eq!(titles("渔港管理条例", "渔港管理条例（2021年修正）"), Titles::SameName);
        assert_eq!(titles("甲市渔港管理条例", "乙市渔港管理条例"), Titles::OtherName);
        assert_eq!(titles("渔港法", "渔港法修正案（二）"), Titles::OtherName);
        assert_eq!(titles("Harbour License", "Pier License (draft)"), Titles::OtherName);
        assert_eq!(titles("渔港的冰厂添了新机器", "冰厂添了新机器"), Titles::Silent);
        assert_eq!(titles("fgrep", "ggrep"), Titles::OtherHeadline);
        assert_eq!(titles("渔港的冰厂添了新机器", "渔港的冰厂添了新机器"), Titles::Silent);
        assert_eq!(titles("今天天气很好。", "渔港管理条例"), Titles::Silent);
    }
}
