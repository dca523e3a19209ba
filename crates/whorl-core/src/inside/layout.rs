//! The lines of a text, and what they are: text, headings, table rows, code.
//!
//! Only forms that plain text, Markdown and reStructuredText share are recognized. A false heading or table row costs
//! little, because it only makes a cut larger or smaller by one line; a missed code fence would be cut apart.

use std::ops::Range;

use super::units::{is_directive, is_option};
use crate::text::sentence::{is_line_break, is_space};

/// Maximum length of a heading that is marked by an underline or `#`, in code points.
const LONGEST_HEADING: usize = 120;
/// Characters that underline a heading.
const UNDERLINES: &[u8] = b"=-~^\"*+#`:.";

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nothing but white space.
    Blank,
    /// Anything else.
    Text,
    /// Part of a heading of this level, from 1.
    Heading(u8),
    /// A table row.
    Row,
    /// The head of a table: the row of its column names, and the rule below it.
    Head,
    /// Part of a fenced code block.
    Fence,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its content without surrounding white space.
    pub content: Range<usize>,
    /// The whole line with its line break.
    pub whole: Range<usize>,
    /// What it is.
    pub form: Form,
    /// True if a heading, table head or fence begins with this line.
    pub is_first: bool,
}

impl Line {
    fn text<'t>(&self, text: &'t [u32]) -> &'t [u32] {
        &text[self.content.clone()]
    }
}

/// Divides a text into lines. Linear.
pub fn lines(text: &[u32]) -> Vec<Line> {
    let mut lines = split(text);
    mark_fences(text, &mut lines);
    mark_literals(text, &mut lines);
    mark_tables(text, &mut lines);
    mark_headings(text, &mut lines);
    lines
}

fn split(text: &[u32]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut offset = 0;
    while offset < text.len() {
        if is_line_break(text[offset]) {
            let is_pair = text[offset] == 0x0D && text.get(offset + 1) == Some(&0x0A);
            let end = offset + 1 + usize::from(is_pair);
            lines.push(line(text, start..offset, end));
            start = end;
            offset = end;
        } else {
            offset += 1;
        }
    }
    if start < text.len() {
        lines.push(line(text, start..text.len(), text.len()));
    }
    lines
}

fn line(text: &[u32], range: Range<usize>, end: usize) -> Line {
    let content = trimmed(text, range.clone());
    let form = if content.is_empty() { Form::Blank } else { Form::Text };
    Line { content, whole: range.start..end, form, is_first: true }
}

/// The range without surrounding white space.
pub(super) fn trimmed(text: &[u32], range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    match inside.iter().position(|&point| !is_space(point)) {
        None => range.start..range.start,
        Some(first) => {
            let after = inside.iter().rev().take_while(|&&point| is_space(point)).count();
            range.start + first..range.end - after
        }
    }
}

fn repeated(text: &[u32]) -> Option<(u32, usize)> {
    let &first = text.first()?;
    Some((first, text.iter().take_while(|&&point| point == first).count()))
}

/// An opening fence without a closing one is text: a stray mark must not protect the rest of a document.
fn mark_fences(text: &[u32], lines: &mut [Line]) {
    let mut number = 0;
    while number < lines.len() {
        let opening = repeated(lines[number].text(text))
            .filter(|&(mark, count)| count >= 3 && (mark == u32::from('`') || mark == u32::from('~')));
        let Some((mark, count)) = opening else {
            number += 1;
            continue;
        };
        if is_underline(text, lines, number, count) {
            number += 1;
            continue;
        }
        let info = &lines[number].text(text)[count..];
        let closes = |line: &Line| {
            let content = line.text(text);
            repeated(content).is_some_and(|(own, length)| own == mark && length >= count && length == content.len())
        };
        let end = lines[number + 1..].iter().position(closes).filter(|_| !info.contains(&mark));
        match end {
            None => number += 1,
            Some(distance) => {
                for (place, line) in lines[number..=number + 1 + distance].iter_mut().enumerate() {
                    line.form = Form::Fence;
                    line.is_first = place == 0;
                }
                number += distance + 2;
            }
        }
    }
}

/// True for a line of at least four marks that is as long as the line above it, which is a heading in reStructuredText.
fn is_underline(text: &[u32], lines: &[Line], number: usize, count: usize) -> bool {
    let Some(title) = number.checked_sub(1).map(|above| &lines[above]) else { return false };
    let begins = number < 2 || lines[number - 2].form == Form::Blank;
    let introduces = title.text(text).last().is_some_and(|&point| matches!(point, 0x3A | 0xFF1A));
    let is_title = title.form == Form::Text && begins && !introduces;
    is_title && count > 3 && count == lines[number].content.len() && count >= title.content.len()
}

/// Marks the indented code of reStructuredText: behind a line that ends with `::`, or a directive for code.
fn mark_literals(text: &[u32], lines: &mut [Line]) {
    let indent = |line: &Line| line.content.start - line.whole.start;
    let mut number = 0;
    while number + 2 < lines.len() {
        let opening = indent(&lines[number]);
        let begins = lines[number].form == Form::Text && opens_literal(lines[number].text(text));
        let is_directive = is_directive(lines[number].text(text));
        number += 1;
        while begins && is_directive && number + 1 < lines.len() && is_option(lines[number].text(text)) {
            number += 1;
        }
        if !begins || lines[number].form != Form::Blank {
            continue;
        }
        let is_inside = |line: &Line| line.form == Form::Blank || line.form == Form::Text && indent(line) > opening;
        let end = number + lines[number..].iter().take_while(|line| is_inside(line)).count();
        let filled = |place: &usize| lines[*place].form != Form::Blank;
        let (Some(first), Some(last)) = ((number..end).find(filled), (number..end).rev().find(filled)) else {
            continue;
        };
        for (place, line) in lines[first..=last].iter_mut().enumerate() {
            line.form = Form::Fence;
            line.is_first = place == 0;
        }
        number = last + 1;
    }
}

fn opens_literal(content: &[u32]) -> bool {
    let starts = |name: &str| name.chars().map(u32::from).eq(content.iter().copied().take(name.len()));
    let is_code = [".. code-block::", ".. code::", ".. sourcecode::"].into_iter().any(starts);
    is_code || content.ends_with(&[0x3A, 0x3A]) && !starts("..")
}

fn mark_tables(text: &[u32], lines: &mut [Line]) {
    let bar = u32::from('|');
    let bars = |line: &Line| line.text(text).iter().filter(|&&point| point == bar).count();
    for line in lines.iter_mut().filter(|line| line.form == Form::Text) {
        let content = line.text(text);
        let has_tab = content.contains(&0x09);
        let is_piped = content[0] == bar && bars(line) > 1;
        if has_tab || is_piped || is_rule(content) && content.contains(&u32::from('+')) {
            line.form = Form::Row;
        }
    }
    mark_drawn_tables(text, lines);
    for number in 1..lines.len() {
        let is_table = matches!(lines[number].form, Form::Text | Form::Row)
            && is_rule(lines[number].text(text))
            && bars(&lines[number]) > 0
            && bars(&lines[number - 1]) > 0
            && lines[number - 1].form != Form::Head
            && !is_rule(lines[number - 1].text(text));
        if !is_table {
            continue;
        }
        (lines[number - 1].form, lines[number].form) = (Form::Head, Form::Head);
        lines[number].is_first = false;
        let rows = lines[number + 1..].iter_mut();
        let is_row = |line: &&mut Line| line.form != Form::Blank && bars(line) > 0;
        rows.take_while(is_row).for_each(|line| line.form = Form::Row);
    }
}

/// Marks tables of reStructuredText between rules such as `=====  ===`, each as one row: their lines need each other.
fn mark_drawn_tables(text: &[u32], lines: &mut [Line]) {
    let mut number = 0;
    while number < lines.len() {
        let begun = number;
        number += 1;
        if lines[begun].form != Form::Text || !is_drawn_rule(lines[begun].text(text)) {
            continue;
        }
        let rest = &lines[number..];
        let length = rest.iter().take_while(|line| matches!(line.form, Form::Text | Form::Row)).count();
        let Some(last) = rest[..length].iter().rposition(|line| is_drawn_rule(line.text(text))) else { continue };
        for (place, line) in lines[begun..=number + last].iter_mut().enumerate() {
            line.form = Form::Row;
            line.is_first = place == 0;
        }
        number += last + 1;
    }
}

/// True for a rule such as `=====  ===`: two or more lines of the same mark, with spaces between them.
fn is_drawn_rule(content: &[u32]) -> bool {
    let space = u32::from(' ');
    repeated(content).is_some_and(|(mark, count)| {
        count > 1
            && (mark == u32::from('=') || mark == u32::from('-'))
            && content.contains(&space)
            && content.iter().all(|&point| point == mark || point == space)
    })
}

/// True for a line of a table that only separates rows, such as `|---|:-:|` or `+===+===+`.
fn is_rule(content: &[u32]) -> bool {
    let is_part = |&point: &u32| point < 0x80 && b"|-:+= ".contains(&(point as u8));
    content.len() >= 3 && content.iter().all(is_part) && content.iter().any(|&point| point == 0x2D || point == 0x3D)
}

fn mark_headings(text: &[u32], lines: &mut [Line]) {
    let mut underlines: Vec<(u32, bool)> = Vec::new();
    for number in 0..lines.len() {
        if lines[number].form != Form::Text {
            continue;
        }
        if let Some(level) = numbered_heading(text, lines, number) {
            lines[number].form = Form::Heading(level);
        } else if let Some((mark, overline)) = underlined(text, lines, number) {
            let kind = (mark, overline);
            let level = underlines.iter().position(|&known| known == kind).unwrap_or_else(|| {
                underlines.push(kind);
                underlines.len() - 1
            });
            let first = number - usize::from(overline);
            for (place, line) in lines[first..=number + 1].iter_mut().enumerate() {
                line.form = Form::Heading((level + 1).min(255) as u8);
                line.is_first = place == 0;
            }
        }
    }
}

/// The level of a heading such as `## Title`. Adjacent lines that begin with `#` are a comment, and so is a sentence.
fn numbered_heading(text: &[u32], lines: &[Line], number: usize) -> Option<u8> {
    let level = |line: &Line| {
        let (mark, count) = repeated(line.text(text))?;
        let is_marked = mark == u32::from('#') && count <= 6;
        (is_marked && line.text(text).get(count).is_none_or(|&point| is_space(point))).then_some(count as u8)
    };
    let is_alone = |line: Option<&Line>| line.is_none_or(|line| level(line).is_none());
    let line = &lines[number];
    let before = number.checked_sub(1).map(|before| &lines[before]);
    let is_sentence = |line: &Line| matches!(text[line.content.end - 1], 0x2E | 0x2C | 0x3B | 0x3002 | 0xFF0C | 0xFF1B);
    level(line).filter(|_| {
        !is_sentence(line)
            && line.content.len() <= LONGEST_HEADING
            && line.content.start - line.whole.start <= 3
            && is_alone(before)
            && is_alone(lines.get(number + 1))
    })
}

/// The character that underlines a line, and whether it is also above the line.
fn underlined(text: &[u32], lines: &[Line], number: usize) -> Option<(u32, bool)> {
    let mark = |line: &Line| {
        let content = line.text(text);
        repeated(content)
            .filter(|&(mark, count)| count >= 3 && count == content.len() && mark < 0x80)
            .map(|(mark, _)| mark)
            .filter(|&mark| UNDERLINES.contains(&(mark as u8)))
    };
    let title = &lines[number];
    let below = lines.get(number + 1).filter(|line| line.form == Form::Text).and_then(mark)?;
    if mark(title).is_some() || title.content.len() > LONGEST_HEADING {
        return None;
    }
    match number.checked_sub(1).map(|before| &lines[before]) {
        None => Some((below, false)),
        Some(line) if line.form == Form::Blank => Some((below, false)),
        Some(line) if line.form == Form::Text && mark(line) == Some(below) => Some((below, true)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<Form> {
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        lines(&points).into_iter().map(|line| line.form).collect()
    }

    #[test]
    fn a_fence_is_one_block_and_needs_an_end() {
        use Form::{Blank, Fence, Text};
        assert_eq!(forms("a\n```py\n# x\n\ny\n```\nb"), [Text, Fence, Fence, Fence, Fence, Fence, Text]);
        assert_eq!(forms("a\n```py\nb"), [Text, Text, Text]);
        assert_eq!(forms("a::\n\n  b\n\n  c\n\nd"), [Text, Blank, Fence, Fence, Fence, Blank, Text]);
        assert_eq!(forms(".. note::\n\n  b\n\nd"), [Text, Blank, Text, Blank, Text]);
        assert_eq!(forms(".. code::\n  :name: a\n\n  b\n\nd"), [Text, Text, Blank, Fence, Blank, Text]);
    }

    #[test]
    fn headings_are_recognized_in_two_syntaxes_and_comments_are_not() {
        use Form::{Blank, Heading, Text};
        assert_eq!(forms("# A\n\nb\n\n## C\nd"), [Heading(1), Blank, Text, Blank, Heading(2), Text]);
        assert_eq!(forms("A\n===\n\nB\n---\nc"), [Heading(1), Heading(1), Blank, Heading(2), Heading(2), Text]);
        assert_eq!(forms("===\nA\n===\nb"), [Heading(1), Heading(1), Heading(1), Text]);
        assert_eq!(forms("# Copyright\n# All rights reserved\nx = 1"), [Text, Text, Text]);
        assert_eq!(forms("# Set the name of the host.\nhost = 1"), [Text, Text]);
    }

    #[test]
    fn the_head_of_a_table_is_known() {
        use Form::{Blank, Head, Row, Text};
        assert_eq!(forms("| a | b |\n|---|---|\n| 1 | 2 |\n\nx"), [Head, Head, Row, Blank, Text]);
        assert_eq!(forms("a | b\n--|--\n1 | 2\n"), [Head, Head, Row]);
        assert_eq!(forms("a\tb\nc | d"), [Row, Text]);
    }
}
