//! Removing cuts from a text: what goes with them, and the white space that is left.

use std::ops::Range;

use super::layout::{Form, Line};
use crate::text::sentence::is_space;
use crate::text::{Class, class};

/// Longest remainder of a line that is only the mark of a list item, in code points.
const LONGEST_MARK: usize = 6;

/// What is deleted from a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mended {
    /// The ranges to delete, in order, apart from each other.
    pub deletions: Vec<Range<usize>>,
    /// Headings and heads of tables that are deleted because nothing is left below them.
    pub headings: Vec<Range<usize>>,
}

/// Returns what to delete from `text` for cuts, which must be in order. Linear.
pub fn mend(text: &[u32], lines: &[Line], cuts: &[Range<usize>]) -> Mended {
    if cuts.is_empty() {
        return Mended::default();
    }
    let parts = by_line(lines, cuts);
    let mut deleted: Vec<bool> =
        lines.iter().zip(&parts).map(|(line, parts)| !parts.is_empty() && is_bare(text, line, parts)).collect();
    let headings = remove_heads(lines, &mut deleted);
    let mut deletions = Vec::new();
    let mut number = 0;
    while number < lines.len() {
        let group = group_at(lines, &deleted, number);
        if group.is_empty() {
            if !deleted[number] {
                mend_line(text, &lines[number], &parts[number], &mut deletions);
            }
            number += 1;
        } else {
            deletions.push(of_group(text, lines, &deleted, &group));
            number = group.end;
        }
    }
    Mended { deletions: super::runs::joined(deletions.into_iter().filter(|range| !range.is_empty())), headings }
}

/// The cuts within the content of each line.
fn by_line(lines: &[Line], cuts: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut first = 0;
    let of_line = |line: &Line| {
        while cuts.get(first).is_some_and(|cut| cut.end <= line.content.start) {
            first += 1;
        }
        let touching = cuts[first..].iter().take_while(|cut| cut.start < line.content.end);
        touching.map(|cut| cut.start.max(line.content.start)..cut.end.min(line.content.end)).collect()
    };
    lines.iter().map(of_line).collect()
}

/// True if nothing of a line is left but marks, such as a bullet or the number of an item.
fn is_bare(text: &[u32], line: &Line, parts: &[Range<usize>]) -> bool {
    let mut rest = Vec::new();
    let mut start = line.content.start;
    for part in parts {
        rest.extend(&text[start..part.start]);
        start = part.end;
    }
    rest.extend(&text[start..line.content.end]);
    let letters = rest.iter().filter(|&&point| matches!(class(point), Class::Single | Class::Run)).count();
    let is_digit = |&point: &u32| char::from_u32(point).is_some_and(|sign| sign.is_ascii_digit());
    let is_mark = parts[0].start > line.content.start
        && rest.len() <= LONGEST_MARK
        && rest.iter().filter(|&point| is_digit(point)).count() == letters;
    letters == 0 || is_mark
}

/// Marks headings and heads of tables as deleted if everything below them is, and returns their ranges.
fn remove_heads(lines: &[Line], deleted: &mut [bool]) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    for number in (0..lines.len()).rev() {
        let form = lines[number].form;
        if !lines[number].is_first || !matches!(form, Form::Heading(_) | Form::Head) {
            continue;
        }
        let is_own = |line: &Line| !line.is_first && line.form == form;
        let body = number + 1 + lines[number + 1..].iter().take_while(|line| is_own(line)).count();
        let belongs = |line: &&Line| match (form, line.form) {
            (Form::Heading(level), Form::Heading(other)) => other > level,
            (Form::Heading(_), _) => true,
            (_, other) => other == Form::Row,
        };
        let end = body + lines[body..].iter().take_while(belongs).count();
        let mut content = (body..end).filter(|&place| !is_blank(&lines[place])).peekable();
        if content.peek().is_some() && content.all(|place| deleted[place]) {
            deleted[number..body].fill(true);
            removed.push(lines[number].content.start..lines[body - 1].content.end);
        }
    }
    removed.reverse();
    removed
}

/// True for a blank line, also one within a code block.
fn is_blank(line: &Line) -> bool {
    line.content.is_empty()
}

/// The lines from `number` on that are deleted or blank, if one of them is deleted; else empty.
fn group_at(lines: &[Line], deleted: &[bool], number: usize) -> Range<usize> {
    let is_open = |place: usize| deleted[place] || is_blank(&lines[place]);
    let end = (number..lines.len()).find(|&place| !is_open(place)).unwrap_or(lines.len());
    if (number..end).any(|place| deleted[place]) { number..end } else { number..number }
}

/// The deletion in a group of lines: all but the longer one of the blank stretches at its ends, which stays between
/// what is before and behind.
fn of_group(text: &[u32], lines: &[Line], deleted: &[bool], group: &Range<usize>) -> Range<usize> {
    let before = group.clone().take_while(|&place| !deleted[place]).count();
    let behind = group.clone().rev().take_while(|&place| !deleted[place]).count();
    let whole = lines[group.start].whole.start..lines[group.end - 1].whole.end;
    if group.start == 0 {
        return whole;
    }
    if group.end == lines.len() {
        // The text ends with a line break if it did.
        let last = &lines[group.start - 1];
        let ends_with_break = text.len() > lines[lines.len() - 1].content.end
            && crate::text::sentence::is_line_break(text[text.len() - 1]);
        let start = if ends_with_break { whole.start } else { end_of_content(text, last) };
        return start..whole.end;
    }
    if before >= behind {
        lines[group.start + before].whole.start..whole.end
    } else {
        whole.start..lines[group.end - behind].whole.start
    }
}

/// The end of a line without its line break.
fn end_of_content(text: &[u32], line: &Line) -> usize {
    let breaks = text[line.whole.clone()].iter().rev();
    line.whole.end - breaks.take_while(|&&point| crate::text::sentence::is_line_break(point)).count()
}

/// Deletes the cuts of a line of which something is left, and the white space around them except for one space.
fn mend_line(text: &[u32], line: &Line, parts: &[Range<usize>], deletions: &mut Vec<Range<usize>>) {
    let end = end_of_content(text, line);
    for part in super::runs::joined(parts.iter().cloned()) {
        let spaces_before =
            text[line.whole.start..part.start].iter().rev().take_while(|&&point| is_space(point)).count();
        let spaces_behind = text[part.end..end].iter().take_while(|&&point| is_space(point)).count();
        let is_first = part.start - spaces_before <= line.content.start;
        let is_last = part.end + spaces_behind >= line.content.end;
        let deletion = if is_last {
            part.start - if is_first { 0 } else { spaces_before }..end
        } else if is_first || spaces_before > 0 {
            part.start..part.end + spaces_behind
        } else {
            part.start..part.end + spaces_behind.saturating_sub(1)
        };
        deletions.push(deletion);
    }
}

/// The text without the deletions.
pub fn without(text: &[u32], deletions: &[Range<usize>]) -> Vec<u32> {
    let mut rest = Vec::with_capacity(text.len());
    let mut start = 0;
    for deletion in deletions {
        rest.extend_from_slice(&text[start..deletion.start]);
        start = deletion.end;
    }
    rest.extend_from_slice(&text[start..]);
    rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::inside::layout::lines;

    fn mended(text: &str) -> String {
        let (mut points, mut cuts, mut start) = (Vec::new(), Vec::new(), 0);
        for sign in text.chars() {
            match sign {
                '⟦' => start = points.len(),
                '⟧' => cuts.push(start..points.len()),
                _ => points.push(u32::from(sign)),
            }
        }
        let mended = mend(&points, &lines(&points), &cuts);
        without(&points, &mended.deletions).into_iter().filter_map(char::from_u32).collect()
    }

    proptest! {
        #[test]
        fn only_cuts_marks_headings_and_white_space_go(
            text in "[a甲#|-] {0,1}[a甲 \n#|1.-]{0,40}", cuts in prop::collection::vec((0usize..40, 1usize..8), 0..4),
        ) {
            let points: Vec<u32> = text.chars().map(u32::from).collect();
            let mut cuts: Vec<_> = cuts.into_iter()
                .map(|(start, length)| start.min(points.len())..(start + length).min(points.len()))
                .filter(|cut| !cut.is_empty()).collect();
            cuts.sort_by_key(|cut| cut.start);
            let cuts = crate::inside::runs::joined(cuts.into_iter());
            let mended = mend(&points, &lines(&points), &cuts);
            for deletion in &mended.deletions {
                prop_assert!(!deletion.is_empty() && deletion.end <= points.len());
                for place in deletion.clone() {
                    let is_cut = cuts.iter().chain(&mended.headings).any(|cut| cut.contains(&place));
                    let is_letter = matches!(class(points[place]), Class::Run | Class::Single);
                    let is_digit = char::from_u32(points[place]).is_some_and(|sign| sign.is_ascii_digit());
                    prop_assert!(is_cut || !is_letter || is_digit);
                }
            }
            let is_deleted = |place: usize| mended.deletions.iter().any(|deletion| deletion.contains(&place));
            for place in cuts.into_iter().flatten() {
                prop_assert!(is_deleted(place) || is_space(points[place]) || class(points[place]) == Class::Break);
            }
        }
    }

    #[test]
    fn white_space_is_mended() {
        assert_eq!(mended("A b. ⟦C d.⟧ E f."), "A b. E f.");
        assert_eq!(mended("A b. ⟦C d.⟧"), "A b.");
        assert_eq!(mended("⟦A b.⟧ C d."), "C d.");
        assert_eq!(mended("甲。⟦乙。⟧丙。"), "甲。丙。");
        assert_eq!(mended("a\n\n⟦b⟧\n\nc\n"), "a\n\nc\n");
        assert_eq!(mended("a\n⟦b⟧\nc"), "a\nc");
        assert_eq!(mended("⟦a⟧\n\nb"), "b");
        assert_eq!(mended("a\n\n⟦b⟧\n"), "a\n");
        assert_eq!(mended("a\n\n⟦b⟧"), "a");
        assert_eq!(mended("a\r\n- ⟦b.⟧\r\nc"), "a\r\nc");
        assert_eq!(mended("a\n12. ⟦b.⟧\nc"), "a\nc");
        assert_eq!(mended("⟦a⟧"), "");
    }

    #[test]
    fn a_heading_goes_with_its_body() {
        assert_eq!(mended("# A\n\n⟦b⟧\n\n# C\n\nd"), "# C\n\nd");
        assert_eq!(mended("# A\n\n## B\n\n⟦b⟧\n\n## C\n\n⟦d⟧\n\n# E\n\nf"), "# E\n\nf");
        assert_eq!(mended("# A\n\n## B\n\n⟦b⟧\n\n## C\n\nd"), "# A\n\n## C\n\nd");
        assert_eq!(mended("# A\n# \n\nb"), "# A\n# \n\nb");
        assert_eq!(mended("x\n\n⟦```\na\n\nb\n```⟧\n\ny"), "x\n\ny");
        assert_eq!(mended("x\n\n|a|b|\n|-|-|\n⟦|1|2|⟧\n⟦|3|4|⟧\n\ny"), "x\n\ny");
        assert_eq!(mended("x\n\n|a|b|\n|-|-|\n⟦|1|2|⟧\n|3|4|\n\ny"), "x\n\n|a|b|\n|-|-|\n|3|4|\n\ny");
    }
}
