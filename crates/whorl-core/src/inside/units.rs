//! The units that a text can be cut into: lines, sentences, paragraphs.
//!
//! All content of a text belongs to exactly one unit. Code blocks, table rows and headings are units of their own for
//! every kind, so no cut divides them.

use std::ops::Range;
use std::str::FromStr;

use super::layout::{Form, Line};
use crate::text::sentence::{is_abbreviated, is_space, is_terminator, sentences};
use crate::text::{Class, class};

/// Width from which a line within a sentence is full, where a character of a script written without spaces is two wide.
const SHORTEST_FULL_LINE: usize = 50;

/// Length from which an English word at the end of a line may end a title.
const SHORTEST_CONTENT_WORD: usize = 4;
/// The longest number of a section or item.
const LONGEST_LABEL: usize = 10;

/// What is looked for within documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Repeated lines.
    Lines,
    /// Repeated sentences; a sentence may go on in the next line.
    Sentences,
    /// Repeated paragraphs: lines without a blank line between them.
    Paragraphs,
    /// Repeated runs of tokens, wherever they begin and end.
    Passages,
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "lines" => Self::Lines,
            "sentences" => Self::Sentences,
            "paragraphs" => Self::Paragraphs,
            "passages" => Self::Passages,
            _ => return Err(format!("unknown unit '{name}'")),
        })
    }
}

/// A unit of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its place in the original, without surrounding white space.
    pub range: Range<usize>,
    /// What it is: text, a heading, a table row or head, a code block.
    pub form: Form,
}

impl Unit {
    /// True if the unit is cut for its own sake. A heading or the head of a table goes with what is below it.
    pub fn stands_alone(&self) -> bool {
        !matches!(self.form, Form::Heading(_) | Form::Head)
    }
}

/// Divides a text into units of a kind; for passages, into the sentences at whose borders they are cut. Linear.
pub fn units(text: &[u32], lines: &[Line], kind: Kind) -> Vec<Unit> {
    let mut units = Vec::new();
    let has_gaps = has_gaps(lines);
    let mut number = 0;
    while number < lines.len() {
        let end = block_end(text, lines, number, kind, has_gaps);
        let range = lines[number].content.start..lines[end - 1].content.end;
        match lines[number].form {
            Form::Blank => {}
            Form::Text if matches!(kind, Kind::Sentences | Kind::Passages) => {
                let joined = without_breaks(text, &lines[number..end]);
                let start = range.start;
                let mut sentences = with_labels(&joined, sentences(&joined));
                if kind == Kind::Passages {
                    sentences = over_semicolons(&joined, sentences);
                }
                let unit = |part: Range<usize>| Unit { range: start + part.start..start + part.end, form: Form::Text };
                units.extend(sentences.into_iter().map(unit));
            }
            form => units.push(Unit { range, form }),
        }
        number = end;
    }
    units
}

/// The line behind the block that begins with line `number`: a unit, or the lines that sentences are searched in.
fn block_end(text: &[u32], lines: &[Line], number: usize, kind: Kind, has_gaps: bool) -> usize {
    let first = &lines[number];
    let belongs = |place: usize| {
        let line = &lines[place];
        match (first.form, line.form) {
            (Form::Fence, Form::Fence) | (Form::Heading(_), Form::Heading(_)) | (Form::Head, Form::Head) => {
                !line.is_first
            }
            (Form::Row, Form::Row) => kind == Kind::Paragraphs || !line.is_first,
            (Form::Text, Form::Text) => match kind {
                Kind::Lines => false,
                Kind::Sentences => goes_on(text, line) || belongs_to_directive(text, &lines[place - 1], line),
                Kind::Passages => {
                    goes_on(text, line)
                        || belongs_to_directive(text, &lines[place - 1], line)
                        || is_wrapped(text, &lines[place - 1], line)
                            && (has_gaps || breaks_off(text, &lines[place - 1]))
                }
                Kind::Paragraphs if has_gaps => !begins_paragraph(text, &lines[place - 1], line),
                Kind::Paragraphs => goes_on(text, line),
            },
            _ => false,
        }
    };
    (number + 1..lines.len()).find(|&place| !belongs(place)).unwrap_or(lines.len())
}

/// Joins marks and labels to the sentence behind them: the two dots before a directive, the number of a section.
fn with_labels(text: &[u32], sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for sentence in sentences {
        match joined.last_mut() {
            Some(last) if is_label(&text[last.clone()]) => last.end = sentence.end,
            _ => joined.push(sentence),
        }
    }
    joined
}

/// True for text without a letter or digit, and for the number of a section or item, such as `5.3.4.`, `B.2.` or `o 8.`.
pub(super) fn is_label(text: &[u32]) -> bool {
    let sign = |&point: &u32| char::from_u32(point).unwrap_or_default();
    let has_word = text.windows(2).any(|pair| pair.iter().map(sign).all(char::is_alphabetic));
    let is_number = text.len() <= LONGEST_LABEL
        && text.last().map(sign) == Some('.')
        && text.iter().map(sign).any(|sign| sign.is_ascii_digit())
        && !has_word;
    is_number || !text.iter().map(sign).any(char::is_alphanumeric)
}

/// Joins the parts of a sentence between semicolons and ellipses: what is left without one of them is not a sentence.
fn over_semicolons(text: &[u32], sentences: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for sentence in sentences {
        match joined.last_mut() {
            Some(last) if matches!(char::from_u32(text[last.end - 1]), Some(';' | '；' | '︔' | '﹔' | '…' | '⋯')) =>
            {
                last.end = sentence.end;
            }
            _ => joined.push(sentence),
        }
    }
    joined
}

/// True if blank lines separate paragraphs; else every line is one, unless it goes on with a small letter.
pub(super) fn has_gaps(lines: &[Line]) -> bool {
    let is_text = |line: &Line| line.form != Form::Blank;
    let mut inner = lines.iter().skip_while(|line| !is_text(line)).skip_while(|line| is_text(line));
    inner.any(is_text)
}

/// True if a line continues the sentence of the line before: it begins with a small letter.
fn goes_on(text: &[u32], line: &Line) -> bool {
    char::from_u32(text[line.content.start]).is_some_and(char::is_lowercase) && item_of(text, line) == 0
}

/// True if a line continues the sentence of the line before, which was full.
fn is_wrapped(text: &[u32], before: &Line, line: &Line) -> bool {
    let content = &text[before.content.clone()];
    let width: usize = content.iter().map(|&point| if class(point) == Class::Single { 2 } else { 1 }).sum();
    width >= SHORTEST_FULL_LINE && !ends_sentence(content) && item_of(text, line) == 0
}

/// True if a line ends with a comma or a word as short as "the" or "of": also where no blank lines separate paragraphs, it
/// goes on.
fn breaks_off(text: &[u32], line: &Line) -> bool {
    let mut signs = text[line.content.clone()].iter().rev().filter_map(|&point| char::from_u32(point)).peekable();
    if signs.next_if(|sign| matches!(sign, ',' | '，')).is_some() {
        return true;
    }
    let letters = signs.take_while(|sign| !sign.is_whitespace()).map(|sign| sign.is_ascii_alphabetic());
    let word: Vec<bool> = letters.take(SHORTEST_CONTENT_WORD).collect();
    word.len() < SHORTEST_CONTENT_WORD && word.iter().all(|&is_letter| is_letter)
}

/// True for text that ends with a full stop or another sign that ends a sentence, within quotation marks or brackets.
pub(super) fn ends_sentence(content: &[u32]) -> bool {
    let is_closing = |sign: &char| "\"'`*_)]}”’»）】」』》".contains(*sign);
    let mut signs = content.iter().rev().filter_map(|&point| char::from_u32(point));
    signs.find(|sign| !is_closing(sign)).is_some_and(|sign| match sign {
        '.' => content.last() != Some(&0x2E) || !is_abbreviated(&content[..content.len() - 1]),
        '!' | '?' | ':' | ';' | '！' | '？' | '：' | '；' => true,
        _ => is_terminator(u32::from(sign)),
    })
}

/// True for an option such as `:caption: Views`, behind a directive of reStructuredText or another option of it.
fn belongs_to_directive(text: &[u32], before: &Line, line: &Line) -> bool {
    is_option(&text[line.content.clone()])
        && (is_directive(&text[before.content.clone()]) || is_option(&text[before.content.clone()]))
}

/// True for a line such as `:caption: Views`.
pub(super) fn is_option(content: &[u32]) -> bool {
    let is_name = |&&point: &&u32| char::from_u32(point).is_some_and(|sign| sign.is_alphanumeric() || sign == '-');
    let name = content.iter().skip(1).take_while(is_name).count();
    content.first() == Some(&0x3A) && name > 0 && content.get(name + 1) == Some(&0x3A)
}

/// True for a line that begins a directive of reStructuredText, such as `.. code-block:: python`.
pub(super) fn is_directive(content: &[u32]) -> bool {
    content.starts_with(&[0x2E, 0x2E, 0x20]) && content.windows(2).any(|pair| pair == [0x3A, 0x3A])
}

/// True if a line begins a paragraph: it is indented by a wide space, an item of a list, or follows a line of Chinese
/// that ends a sentence.
fn begins_paragraph(text: &[u32], before: &Line, line: &Line) -> bool {
    let is_wide = |&point: &u32| point == 0x3000;
    let closed =
        text[before.content.clone()].iter().rev().find(|&&point| class(point) != Class::Break || is_terminator(point));
    let ends = closed.is_some_and(|&point| is_terminator(point) || matches!(point, 0xFF01 | 0xFF1F));
    text[line.whole.start..line.content.start].iter().any(is_wide) || item_of(text, line) > 0 || ends
}

/// The length of the mark of a list item, such as `- ` or `12. `; 0 without one.
fn item_of(text: &[u32], line: &Line) -> usize {
    let content = &text[line.content.clone()];
    let ascii = |at: usize| content.get(at).and_then(|&point| u8::try_from(point).ok()).unwrap_or(0);
    let digits = (0..4).take_while(|&at| ascii(at).is_ascii_digit()).count();
    let mark = match ascii(0) {
        b'-' | b'*' | b'+' => 1,
        _ if content[0] == 0x2022 => 1,
        _ if digits > 0 && matches!(ascii(digits), b'.' | b')') => digits + 1,
        _ => return 0,
    };
    if content.get(mark).is_some_and(|&point| is_space(point)) { mark + 1 } else { 0 }
}

/// The block with spaces for line breaks, so that sentences go on over them.
fn without_breaks(text: &[u32], lines: &[Line]) -> Vec<u32> {
    let range = lines[0].content.start..lines[lines.len() - 1].content.end;
    let mut joined = text[range.clone()].to_vec();
    for pair in lines.windows(2) {
        joined[pair[0].content.end - range.start..pair[1].content.start - range.start].fill(0x20);
    }
    joined
}

/// The clauses of a sentence, each with the mark that ends it.
pub(super) fn clauses(text: &[u32], sentence: &Range<usize>) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let mut start = sentence.start;
    for offset in sentence.clone() {
        if ends_clause(text, offset) {
            clauses.push(start..offset + 1);
            start = offset + 1;
        }
    }
    clauses.push(start..sentence.end);
    let trimmed = clauses.into_iter().map(|clause| super::layout::trimmed(text, clause));
    trimmed.filter(|clause| !clause.is_empty()).collect()
}

/// True for a comma, semicolon or colon of any script; an ASCII one only before a space, unlike those in numbers. The
/// Chinese enumeration comma separates words of one clause.
fn ends_clause(text: &[u32], offset: usize) -> bool {
    match char::from_u32(text[offset]) {
        Some(',' | ';' | ':') => text.get(offset + 1).is_none_or(|&point| is_space(point)),
        Some('，' | '；' | '：' | '،' | '؛' | '—' | '）') => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::inside::layout::lines;

    fn parts(text: &str, kind: Kind) -> Vec<String> {
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        let characters: Vec<char> = text.chars().collect();
        units(&points, &lines(&points), kind).into_iter().map(|unit| characters[unit.range].iter().collect()).collect()
    }

    proptest! {
        #[test]
        fn every_visible_character_is_in_one_unit(text in "[甲a1 .。!?\"|#`=\n\t\u{3000}-]{0,60}") {
            let points: Vec<u32> = text.chars().map(u32::from).collect();
            for kind in [Kind::Lines, Kind::Sentences, Kind::Paragraphs, Kind::Passages] {
                let mut covered = vec![0; points.len()];
                let mut last = 0;
                for unit in units(&points, &lines(&points), kind) {
                    prop_assert!(unit.range.start >= last && !unit.range.is_empty());
                    last = unit.range.end;
                    covered[unit.range].iter_mut().for_each(|count| *count += 1);
                }
                for (&point, count) in points.iter().zip(covered) {
                    prop_assert!(count == 1 || is_space(point), "{kind:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn sentences_go_on_over_hard_line_breaks() {
        assert_eq!(parts("Dr. Li went\nhome. He\nslept.", Kind::Sentences), ["Dr. Li went\nhome.", "He\nslept."]);
        assert_eq!(parts("Home\nAbout us\n- item", Kind::Sentences), ["Home", "About us", "- item"]);
    }

    #[test]
    fn sentences_of_passages_go_on_over_full_lines() {
        let wrapped = "The mayor said on Monday that the old harbour of\nVesterholm will be closed";
        assert_eq!(parts(&format!("{wrapped}.\n\nHome"), Kind::Passages).len(), 3);
        let full = wrapped.replace("the old", "the very old");
        assert_eq!(parts(&format!("{full}.\n\nHome"), Kind::Passages), [format!("{full}."), "Home".to_owned()]);
        assert_eq!(parts(&format!("{full}."), Kind::Passages).len(), 1);
    }

    #[test]
    fn sentences_of_passages_go_on_over_semicolons() {
        assert_eq!(parts("甲；乙。丙", Kind::Passages), ["甲；乙。", "丙"]);
        assert_eq!(
            parts("It rained; we\nwent. Home;\nDone", Kind::Passages),
            ["It rained; we\nwent.", "Home;", "Done"]
        );
        assert_eq!(parts("甲；乙。", Kind::Sentences), ["甲；", "乙。"]);
    }

    #[test]
    fn a_directive_is_one_sentence_with_its_marks_and_options() {
        let directive = ".. code-block:: python\n   :caption: Views";
        for kind in [Kind::Sentences, Kind::Passages] {
            assert_eq!(
                parts(&format!("Write this.\n\n{directive}\n\nDone."), kind),
                ["Write this.", directive, "Done."]
            );
            assert_eq!(parts("A.\n:caption: Views", kind), ["A.", ":caption: Views"]);
            assert_eq!(parts("... And he left. !!", kind), ["... And he left.", "!!"]);
        }
    }

    #[test]
    fn a_number_belongs_to_what_it_counts() {
        for kind in [Kind::Sentences, Kind::Passages] {
            assert_eq!(parts("5.3.4. Report a bug. Then wait.", kind), ["5.3.4. Report a bug.", "Then wait."]);
            assert_eq!(parts("o 8.3. If you assert it.", kind), ["o 8.3. If you assert it."]);
        }
    }

    #[test]
    fn a_full_line_that_breaks_off_goes_on_without_blank_lines() {
        let full = "In addition to the permissions of this general licence, the";
        assert_eq!(parts(&format!("{full}\nFree Society grants you more."), Kind::Passages).len(), 1);
        let title = full.replace(", the", " explained");
        assert_eq!(parts(&format!("{title}\nFree Society grants you more."), Kind::Passages).len(), 2);
        let abbreviated = full.replace("the", "as the U.S.");
        assert_eq!(parts(&format!("{abbreviated}\nGovernment grants you more.\n\nHome"), Kind::Passages).len(), 2);
    }

    #[test]
    fn arabic_sentences_end_at_their_own_signs() {
        assert_eq!(parts("هل تعلم؟ نعم، أعلم. شكرا", Kind::Sentences), ["هل تعلم؟", "نعم، أعلم.", "شكرا"]);
    }

    #[test]
    fn paragraphs_are_separated_by_blank_lines_or_are_lines() {
        assert_eq!(parts("a b\nc\n\nd\n- e\n- f", Kind::Paragraphs), ["a b\nc", "d", "- e", "- f"]);
        assert_eq!(parts("甲。\n乙\nA b\nc.", Kind::Paragraphs), ["甲。", "乙", "A b\nc."]);
        assert_eq!(parts("甲。\n　　乙\n\n丙", Kind::Paragraphs), ["甲。", "乙", "丙"]);
        assert_eq!(
            parts("x\n\n|a|b|\n|c|d|\n\n```\ny\n\nz\n```", Kind::Paragraphs),
            ["x", "|a|b|\n|c|d|", "```\ny\n\nz\n```"]
        );
    }
}
