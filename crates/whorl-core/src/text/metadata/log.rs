//! Chat logs, program logs and lyrics: the times, names and levels at the beginning of lines or above messages.

use std::collections::HashSet;
use std::ops::Range;

use super::Line;
use super::cursor::{Cursor, narrow};

/// Minimum number of lines of a series.
const SERIES: usize = 3;
/// Minimum share of lines that belong to the series, as one in this many: messages may be long.
const ONE_OF: usize = 4;
/// Maximum length of the name of a speaker or of a program.
const LONGEST_NAME: usize = 32;
/// Maximum length of a group in brackets: a thread, a level, a source.
const LONGEST_GROUP: usize = 48;
/// Maximum number of groups between a time and a message.
const GROUPS: usize = 6;
/// A series consists of headings if all but one in this many lines are followed by a message.
const HEADINGS: usize = 5;
const LEVELS: [&str; 11] =
    ["trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical", "severe"];

/// Returns the metadata of a log; nothing for other texts.
pub(super) fn metadata(text: &[u32], lines: &[Line]) -> Vec<Range<usize>> {
    let enough = |count: usize| count >= SERIES && ONE_OF * count >= lines.len();
    let prefixes: Vec<Option<usize>> = lines.iter().map(|line| prefix(line.of(text))).collect();
    if enough(prefixes.iter().flatten().count()) {
        return of_prefixes(text, lines, &prefixes);
    }
    let headings: Vec<Option<Heading>> = lines.iter().map(|line| heading(line.of(text))).collect();
    let is_technical = headings.iter().flatten().all(|heading| heading.is_technical) || {
        // Speakers occur repeatedly; the names in a schedule occur once.
        let names: HashSet<&[u32]> = headings.iter().flatten().map(|heading| heading.name).collect();
        2 * names.len() <= headings.iter().flatten().count()
    };
    if enough(headings.iter().flatten().count()) && is_technical {
        let with_heading = lines.iter().zip(&headings).filter(|(_, heading)| heading.is_some());
        return with_heading.map(|(line, _)| line.range.clone()).collect();
    }
    Vec::new()
}

fn of_prefixes(text: &[u32], lines: &[Line], prefixes: &[Option<usize>]) -> Vec<Range<usize>> {
    // A time with a name and nothing else may precede each message.
    let is_short = |number: usize, length: usize| {
        let rest = &lines[number].of(text)[length..];
        rest.len() <= LONGEST_NAME && rest.iter().all(|&unit| !ends_name(narrow(unit)))
    };
    let is_above = |number: usize| prefixes.get(number + 1).is_some_and(Option::is_none) && !lines[number + 1].is_first;
    let of_series = || prefixes.iter().enumerate().filter_map(|(number, length)| length.map(|length| (number, length)));
    let above = of_series().filter(|&(number, length)| is_short(number, length) && is_above(number)).count();
    let are_headings = HEADINGS * above >= (HEADINGS - 1) * of_series().count();
    let mut metadata_ranges = Vec::new();
    for (line, prefix) in lines.iter().zip(prefixes) {
        match prefix {
            Some(_) if are_headings => metadata_ranges.push(line.range.clone()),
            Some(length) => {
                metadata_ranges.push(line.range.start..line.range.start + length);
                times_within(text, line, &mut metadata_ranges);
            }
            None if is_tag_of_lyrics(line.of(text)) => metadata_ranges.push(line.range.clone()),
            None => {}
        }
    }
    metadata_ranges
}

/// Length of the prefix of a log line before its message.
fn prefix(line: &[u32]) -> Option<usize> {
    let mut cursor = Cursor::new(line, 0);
    pass_address(&mut cursor, line);
    let stamp = cursor.stamp()?;
    let mut next = cursor;
    while next.stamp().is_some_and(|stamp| stamp.is_bracketed) {
        cursor = next;
    }
    let mut is_named = false;
    for _ in 0..GROUPS {
        cursor.spaces();
        if cursor.brackets('<', '>', LONGEST_NAME) {
            is_named = true;
            break;
        }
        let is_group = cursor.brackets('[', ']', LONGEST_GROUP)
            || cursor.sign(&['-', '–', '|', '>', '•'])
            || LEVELS.iter().any(|level| cursor.word(level));
        if !is_group {
            break;
        }
    }
    if !is_named && let Some(length) = name(&line[cursor.at..]) {
        cursor.at += length;
        is_named = true;
    }
    (stamp.is_technical() || is_named || cursor.is_at_end()).then_some(cursor.at)
}

/// Consumes the part before the time in a web server log.
fn pass_address(cursor: &mut Cursor<'_>, line: &[u32]) {
    let mut next = *cursor;
    let is_address = next.number(1..=3).is_some()
        && (0..3).all(|_| next.sign(&['.']) && next.number(1..=3).is_some())
        && next.sign(&[' ']);
    let bracket = || line.iter().take(2 * LONGEST_GROUP).position(|&unit| narrow(unit) == '[');
    if is_address && let Some(bracket) = bracket() {
        cursor.at = bracket;
    }
}

/// Length of a speaker name, including the following colon.
fn name(rest: &[u32]) -> Option<usize> {
    let colon = rest.iter().take(LONGEST_NAME + 1).position(|&unit| narrow(unit) == ':')?;
    let is_name = colon > 0 && !rest[..colon].iter().any(|&unit| ends_name(narrow(unit)));
    // A colon between digits belongs to a time or a ratio.
    let is_end = rest.get(colon + 1).is_none_or(|&unit| !narrow(unit).is_ascii_digit());
    (is_name && is_end).then_some(colon + 1)
}

/// True for characters that do not occur in names.
fn ends_name(sign: char) -> bool {
    matches!(sign, '。' | '，' | '！' | '？' | '、' | '；' | ',' | '!' | '?' | ';' | '"' | '“' | '”' | '《')
}

/// Sender and time of a message.
struct Heading<'t> {
    name: &'t [u32],
    is_technical: bool,
}

/// `Anna, [01.05.2023 12:34]`, `Anna — 05/01/2023 12:34 PM`, `Anna  12:34 PM`.
fn heading(line: &[u32]) -> Option<Heading<'_>> {
    if line.len() > 2 * LONGEST_NAME || !line.iter().any(|&unit| narrow(unit) == ':') {
        return None;
    }
    let is_start = |&place: &usize| {
        let before = narrow(line[place - 1]);
        place > 0 && (before.is_whitespace() || matches!(before, '—' | '–' | ',' | ')'))
    };
    (1..line.len()).filter(is_start).find_map(|place| {
        let mut cursor = Cursor::new(line, place);
        let stamp = cursor.stamp()?;
        let name = &line[..place];
        let is_name = name.len() <= LONGEST_NAME
            && name.iter().any(|&unit| narrow(unit).is_alphabetic())
            && !name[..name.len() - 1].iter().any(|&unit| ends_name(narrow(unit)) && narrow(unit) != ',');
        (is_name && cursor.is_at_end()).then_some(Heading { name, is_technical: stamp.is_dated || stamp.is_precise })
    })
}

/// True for `[ar:Anna]`, the metadata of a lyrics file.
fn is_tag_of_lyrics(line: &[u32]) -> bool {
    let signs: Vec<char> = line.iter().take(12).map(|&unit| narrow(unit)).collect();
    let letters = signs.iter().skip(1).take_while(|sign| sign.is_ascii_lowercase()).count();
    signs.first() == Some(&'[')
        && (2..=8).contains(&letters)
        && signs.get(letters + 1) == Some(&':')
        && line.last() == Some(&u32::from(']'))
}

/// Word timestamps of lyrics: `<00:12.30>`.
fn times_within(text: &[u32], line: &Line, metadata_ranges: &mut Vec<Range<usize>>) {
    let opens = line.of(text).iter().enumerate().filter(|&(_, &unit)| unit == u32::from('<'));
    for (place, _) in opens {
        let mut cursor = Cursor::new(line.of(text), place);
        if cursor.stamp().is_some_and(|stamp| stamp.is_precise) {
            metadata_ranges.push(line.range.start + place..line.range.start + cursor.at);
        }
    }
}
