//! Subtitles: the numbers, time codes, styles and headers of SRT, WebVTT, SBV, MicroDVD and SubStation Alpha files.

use std::ops::Range;

use super::Line;
use super::cursor::{Cursor, narrow};

/// Minimum number of cues of a subtitle file.
const CUES: usize = 2;
/// Number of fields before the text of a SubStation Alpha dialogue line.
const FIELDS: usize = 9;
/// Maximum length of a tag within a subtitle, in code points.
const LONGEST_TAG: usize = 80;
/// Beginnings of SubStation Alpha lines that are not dialogue.
const HEADERS: [&str; 16] = [
    "[",
    ";",
    "Format:",
    "Style:",
    "Comment:",
    "Title:",
    "ScriptType:",
    "Collisions:",
    "PlayRes",
    "Timer:",
    "WrapStyle:",
    "ScaledBorderAndShadow:",
    "YCbCr",
    "Original ",
    "Last Style",
    "Video ",
];
/// Beginnings of WebVTT blocks that are not displayed.
const BLOCKS: [&str; 4] = ["WEBVTT", "NOTE", "STYLE", "REGION"];

/// Returns the metadata of a subtitle file; nothing for other texts.
pub(super) fn metadata(text: &[u32], lines: &[Line]) -> Vec<Range<usize>> {
    let cues: Vec<Cue> = lines.iter().map(|line| Cue::of(line.of(text))).collect();
    let count = |kind: Cue| cues.iter().filter(|&&cue| cue.kind() == kind).count();
    if count(Cue::Times) >= CUES {
        return of_cues(text, lines, &cues);
    }
    if count(Cue::Dialogue(0)) >= CUES {
        return of_dialogue(text, lines, &cues);
    }
    if count(Cue::Frames(0)) > CUES {
        let frames = lines.iter().zip(&cues).filter_map(|(line, cue)| match cue {
            Cue::Frames(length) => Some(line.range.start..line.range.start + length),
            _ => None,
        });
        return frames.collect();
    }
    Vec::new()
}

/// The type of a line in a subtitle file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cue {
    /// Display times without text.
    Times,
    /// Dialogue, with the length of the fields before it.
    Dialogue(usize),
    /// Display frames, with their length.
    Frames(usize),
    /// Anything else.
    Other,
}

impl Cue {
    fn of(line: &[u32]) -> Self {
        match line.first().map(|&unit| narrow(unit)) {
            Some('0'..='9') if is_cue(line) => Self::Times,
            Some('D') => dialogue(line).map_or(Self::Other, Self::Dialogue),
            Some('{') => {
                let mut cursor = Cursor::new(line, 0);
                let frame = |cursor: &mut Cursor<'_>| {
                    cursor.sign(&['{']) && cursor.number(1..=7).is_some() && cursor.sign(&['}'])
                };
                if frame(&mut cursor) && frame(&mut cursor) { Self::Frames(cursor.at) } else { Self::Other }
            }
            _ => Self::Other,
        }
    }

    /// The type without its length.
    fn kind(self) -> Self {
        match self {
            Self::Dialogue(_) => Self::Dialogue(0),
            Self::Frames(_) => Self::Frames(0),
            other => other,
        }
    }
}

/// `00:00:01,000 --> 00:00:02,500`, or `0:00:01.000,0:00:02.500`.
fn is_cue(line: &[u32]) -> bool {
    let mut cursor = Cursor::new(line, 0);
    let is_precise = |cursor: &mut Cursor<'_>| cursor.stamp().is_some_and(|stamp| stamp.is_precise && !stamp.is_dated);
    if !is_precise(&mut cursor) {
        return false;
    }
    let is_list = cursor.sign(&[',']);
    cursor.spaces();
    let is_arrow = cursor.sign(&['-']) && cursor.sign(&['-']) && cursor.sign(&['>']);
    cursor.spaces();
    (is_list || is_arrow) && is_precise(&mut cursor)
}

/// Length of the fields before the text of a dialogue line.
fn dialogue(line: &[u32]) -> Option<usize> {
    let mut cursor = Cursor::new(line, 0);
    if !cursor.word("dialogue") || !cursor.sign(&[':']) {
        return None;
    }
    let commas = line.iter().enumerate().filter(|&(_, &unit)| unit == u32::from(','));
    commas.map(|(place, _)| place + 1).nth(FIELDS - 1)
}

fn of_cues(text: &[u32], lines: &[Line], cues: &[Cue]) -> Vec<Range<usize>> {
    let mut metadata_ranges = Vec::new();
    let mut is_block = false;
    for (number, (line, &cue)) in lines.iter().zip(cues).enumerate() {
        let inside = line.of(text);
        is_block = line.is_first && begins_with(inside, &BLOCKS) || is_block && !line.is_first && cue != Cue::Times;
        let is_before_times = cues.get(number + 1) == Some(&Cue::Times) && !lines[number + 1].is_first;
        let is_number = || inside.iter().all(|&unit| narrow(unit).is_ascii_digit());
        let is_name = || line.is_first && !inside.iter().any(|&unit| narrow(unit).is_whitespace() || unit >= 0x2E80);
        if cue == Cue::Times || is_block || is_before_times && (is_number() || is_name()) {
            metadata_ranges.push(line.range.clone());
        } else {
            tags(text, line, &mut metadata_ranges);
        }
    }
    metadata_ranges
}

fn of_dialogue(text: &[u32], lines: &[Line], cues: &[Cue]) -> Vec<Range<usize>> {
    let mut metadata_ranges = Vec::new();
    for (line, &cue) in lines.iter().zip(cues) {
        if let Cue::Dialogue(length) = cue {
            metadata_ranges.push(line.range.start..line.range.start + length);
            tags(text, line, &mut metadata_ranges);
            let breaks = line.of(text).windows(2).enumerate();
            let is_break = |pair: &[u32]| narrow(pair[0]) == '\\' && matches!(narrow(pair[1]), 'N' | 'n' | 'h');
            let breaks = breaks.filter(|(_, pair)| is_break(pair)).map(|(place, _)| line.range.start + place);
            metadata_ranges.extend(breaks.map(|place| place..place + 2));
        } else if begins_with(line.of(text), &HEADERS) {
            metadata_ranges.push(line.range.clone());
        }
    }
    metadata_ranges
}

/// Finds the tags of a line: `<i>`, `<v Anna>`, `<00:00:01.000>`, `{\an8}`.
fn tags(text: &[u32], line: &Line, metadata_ranges: &mut Vec<Range<usize>>) {
    let mut at = line.range.start;
    while at < line.range.end {
        let close = match narrow(text[at]) {
            '<' => '>',
            '{' if text.get(at + 1).is_some_and(|&unit| narrow(unit) == '\\') => '}',
            _ => {
                at += 1;
                continue;
            }
        };
        let inside = text[at..line.range.end].iter().take(LONGEST_TAG).map(|&unit| narrow(unit));
        let length = inside.into_iter().position(|sign| sign == close).map_or(1, |length| length + 1);
        metadata_ranges.extend((length > 1).then(|| at..at + length));
        at += length;
    }
}

fn begins_with(line: &[u32], words: &[&str]) -> bool {
    let begins = |word: &str| word.chars().map(u32::from).eq(line.iter().copied().take(word.chars().count()));
    words.iter().any(|word| begins(word))
}
