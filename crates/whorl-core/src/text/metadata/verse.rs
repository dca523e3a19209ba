//! Running numbers of verses, lines and citations: 1:1 … 1:2, [12] … [13], 第3章12节, 12 at the beginning of a line.

use std::ops::Range;

use super::cursor::narrow;
use super::{Line, SERIES};
use crate::text::scan::places;

/// Maximum number of digits of a verse number.
const DIGITS: usize = 3;
/// Maximum length of the name of a book before a number.
const LONGEST_BOOK: usize = 16;
const NUMERALS: &str = "〇零一二三四五六七八九十百千0123456789";

/// A verse number and its position.
struct Mark {
    range: Range<usize>,
    chapter: u32,
    verse: u32,
}

/// Finds running numbers.
pub(super) fn metadata(text: &[u32], lines: &[Line]) -> Vec<Range<usize>> {
    let mut metadata_ranges = Vec::new();
    let marks = pairs(text);
    if runs_on(&marks) {
        metadata_ranges.extend(books(text, lines, &marks));
        metadata_ranges.extend(marks.into_iter().map(|mark| mark.range));
    }
    for marks in [bracketed(text), of_chapters(text), of_lines(text, lines)] {
        if runs_on(&marks) {
            metadata_ranges.extend(marks.into_iter().map(|mark| mark.range));
        }
    }
    metadata_ranges
}

/// True if most of at least three marks are the successor of the previous one.
fn runs_on(marks: &[Mark]) -> bool {
    let follows = |pair: &&[Mark]| {
        let (one, next) = (&pair[0], &pair[1]);
        next.chapter == one.chapter && next.verse == one.verse + 1 || next.chapter == one.chapter + 1 && next.verse == 1
    };
    marks.len() >= SERIES && 3 * marks.windows(2).filter(follows).count() >= 2 * (marks.len() - 1)
}

/// `1:1`.
fn pairs(text: &[u32]) -> Vec<Mark> {
    let colons = places(text, |unit| unit == u32::from(':') || unit == u32::from('：'));
    let mark = |colon: usize| {
        let (start, chapter) = number_before(text, colon)?;
        let (end, verse) = number_behind(text, colon + 1)?;
        let joins = |place: Option<usize>| {
            place.and_then(|place| text.get(place)).is_some_and(|&unit| matches!(narrow(unit), ':' | '.' | '-' | '/'))
        };
        let is_time = joins(start.checked_sub(1)) || joins(Some(end)) && number_behind(text, end + 1).is_some();
        (!is_time && verse > 0).then_some(Mark { range: start..end, chapter, verse })
    };
    colons.filter_map(mark).collect()
}

/// `[1]`, `(1)`.
fn bracketed(text: &[u32]) -> Vec<Mark> {
    let closes = places(text, |unit| unit == u32::from(']') || unit == u32::from('】'));
    let mark = |close: usize| {
        let (start, verse) = number_before(text, close)?;
        let is_open = start > 0 && matches!(narrow(text[start - 1]), '[' | '【');
        is_open.then(|| Mark { range: start - 1..close + 1, chapter: 0, verse })
    };
    closes.filter_map(mark).collect()
}

/// `第3章12节`.
fn of_chapters(text: &[u32]) -> Vec<Mark> {
    let ends = places(text, |unit| unit == u32::from('节') || unit == u32::from('節'));
    let is_numeral = |place: usize| char::from_u32(text[place]).is_some_and(|sign| NUMERALS.contains(sign));
    let numerals =
        |end: usize| (end.saturating_sub(2 * DIGITS)..end).rev().take_while(|&place| is_numeral(place)).count();
    let mark = |end: usize| {
        let verse = end - numerals(end)..end;
        let before = verse.start.checked_sub(1)?;
        let chapter_end = if text[before] == u32::from('第') { before.checked_sub(1)? } else { before };
        let chapter = chapter_end - numerals(chapter_end)..chapter_end;
        let is_chapter = text.get(chapter_end) == Some(&u32::from('章'));
        let start = chapter.start.checked_sub(1).filter(|&start| text[start] == u32::from('第'))?;
        (is_chapter && !verse.is_empty() && !chapter.is_empty()).then(|| Mark {
            range: start..end + 1,
            chapter: value(&text[chapter]),
            verse: value(&text[verse]),
        })
    };
    ends.filter_map(mark).collect()
}

/// `12` before a space or a word at the beginning of a line.
fn of_lines(text: &[u32], lines: &[Line]) -> Vec<Mark> {
    let mark = |line: &Line| {
        let (end, verse) = number_behind(text, line.range.start)?;
        let behind = text.get(end).map(|&unit| narrow(unit))?;
        let is_apart = behind.is_whitespace() && behind != '\n' || behind.is_alphabetic();
        // Units of measure and parts of dates follow numbers that are facts.
        let is_fact = "年月日时時分秒点號号岁歲元万萬亿億个個".contains(behind);
        (is_apart && !is_fact && end < line.range.end).then_some(Mark {
            range: line.range.start..end,
            chapter: 0,
            verse,
        })
    };
    let marks: Vec<Mark> = lines.iter().filter_map(mark).collect();
    if 2 * marks.len() >= lines.len() { marks } else { Vec::new() }
}

/// Finds the names of books that precede several verse numbers at the beginning of lines.
fn books(text: &[u32], lines: &[Line], marks: &[Mark]) -> Vec<Range<usize>> {
    let line_of = |mark: &Mark| {
        let behind = lines.partition_point(|line| line.range.start <= mark.range.start);
        behind.checked_sub(1).map(|number| lines[number].range.start)
    };
    let book = |mark: &Mark| line_of(mark).map_or(0..0, |start| start..mark.range.start);
    let books: Vec<Range<usize>> = marks.iter().map(book).collect();
    let is_book = |range: &Range<usize>| !range.is_empty() && range.len() <= LONGEST_BOOK;
    let same = |first: &Range<usize>, next: &Range<usize>| text[first.clone()] == text[next.clone()];
    let is_repeated = |number: usize| {
        let neighbours = [number.checked_sub(1), Some(number + 1)];
        neighbours.into_iter().flatten().filter_map(|other| books.get(other)).any(|other| same(&books[number], other))
    };
    (0..books.len())
        .filter(|&number| is_book(&books[number]) && is_repeated(number))
        .map(|number| books[number].clone())
        .collect()
}

/// Start and value of the digits that end at a position.
fn number_before(text: &[u32], end: usize) -> Option<(usize, u32)> {
    let is_digit = |&unit: &u32| narrow(unit).is_ascii_digit();
    let count = text[end.saturating_sub(DIGITS + 1)..end].iter().rev().take_while(|unit| is_digit(unit)).count();
    (1..=DIGITS).contains(&count).then(|| (end - count, value(&text[end - count..end])))
}

/// End and value of the digits that begin at a position.
fn number_behind(text: &[u32], start: usize) -> Option<(usize, u32)> {
    let digits = text[start.min(text.len())..].iter().take(DIGITS + 1);
    let count = digits.take_while(|&&unit| narrow(unit).is_ascii_digit()).count();
    (1..=DIGITS).contains(&count).then(|| (start + count, value(&text[start..start + count])))
}

/// The value of digits or of Chinese numerals.
fn value(numerals: &[u32]) -> u32 {
    let digit = |unit: u32| {
        narrow(unit).to_digit(10).or_else(|| {
            "〇一二三四五六七八九".chars().position(|numeral| u32::from(numeral) == unit).map(|digit| digit as u32)
        })
    };
    let (mut sum, mut last) = (0, 0);
    for &unit in numerals {
        match (digit(unit), narrow(unit)) {
            (Some(digit), _) => last = 10 * last + digit,
            (None, '十') => (sum, last) = (sum + 10 * last.max(1), 0),
            (None, '百') => (sum, last) = (sum + 100 * last.max(1), 0),
            (None, _) => last = 0,
        }
    }
    sum + last
}
