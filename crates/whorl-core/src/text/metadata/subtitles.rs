//! Subtitles: the numbers, time codes, styles and headers of SRT, WebVTT, SBV, MicroDVD and SubStation Alpha files.

use std::ops::Range;

use super::Line;
use super::cursor::{Cursor, narrow};

/// So many cues at least are subtitles.
const CUES: usize = 2;
/// Fields before the text of a line of dialogue in SubStation Alpha.
const FIELDS: usize = 9;
/// The longest tag within a subtitle, in code points.
const LONGEST_TAG: usize = 80;
/// What lines of a SubStation Alpha file begin with that are not spoken.
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
/// What blocks of a WebVTT file begin with that are not shown.
const BLOCKS: [&str; 4] = ["WEBVTT", "NOTE", "STYLE", "REGION"];

/// What is metadata of a text that is a file of subtitles; nothing of another text.
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

/// What a line is in a file of subtitles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cue {
    /// When a subtitle is shown, and nothing else.
    Times,
    /// When and how a line is spoken, in so many code points before it.
    Dialogue(usize),
    /// In which frames a subtitle is shown, likewise.
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

    /// Without its length.
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

/// How many code points stand before what is spoken in a line of dialogue.
fn dialogue(line: &[u32]) -> Option<usize> {
    let mut cursor = Cursor::new(line, 0);
    if !cursor.word("dialogue") || !cursor.sign(&[':']) {
        return None;
    }
    let commas = line.iter().enumerate().filter(|&(_, &unit)| unit == u32::from(','));
    commas.map(|(place, _)| place + 1).nth(FIELDS - 1)
}

fn of_cues(text: &[u32], lines: &[Line], cues: &[Cue]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut is_block = false;
    for (number, (line, &cue)) in lines.iter().zip(cues).enumerate() {
        let inside = line.of(text);
        is_block = line.is_first && begins_with(inside, &BLOCKS) || is_block && !line.is_first && cue != Cue::Times;
        let is_before_times = cues.get(number + 1) == Some(&Cue::Times) && !lines[number + 1].is_first;
        let is_number = || inside.iter().all(|&unit| narrow(unit).is_ascii_digit());
        let is_name = || line.is_first && !inside.iter().any(|&unit| narrow(unit).is_whitespace() || unit >= 0x2E80);
        if cue == Cue::Times || is_block || is_before_times && (is_number() || is_name()) {
            found.push(line.range.clone());
        } else {
            tags(text, line, &mut found);
        }
    }
    found
}

fn of_dialogue(text: &[u32], lines: &[Line], cues: &[Cue]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (line, &cue) in lines.iter().zip(cues) {
        if let Cue::Dialogue(length) = cue {
            found.push(line.range.start..line.range.start + length);
            tags(text, line, &mut found);
            let breaks = line.of(text).windows(2).enumerate();
            let is_break = |pair: &[u32]| narrow(pair[0]) == '\\' && matches!(narrow(pair[1]), 'N' | 'n' | 'h');
            let breaks = breaks.filter(|(_, pair)| is_break(pair)).map(|(place, _)| line.range.start + place);
            found.extend(breaks.map(|place| place..place + 2));
        } else if begins_with(line.of(text), &HEADERS) {
            found.push(line.range.clone());
        }
    }
    found
}

/// The tags of a line: `<i>`, `<v Anna>`, `<00:00:01.000>`, `{\an8}`.
fn tags(text: &[u32], line: &Line, found: &mut Vec<Range<usize>>) {
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
        found.extend((length > 1).then(|| at..at + length));
        at += length;
    }
}

fn begins_with(line: &[u32], words: &[&str]) -> bool {
    let begins = |word: &str| word.chars().map(u32::from).eq(line.iter().copied().take(word.chars().count()));
    words.iter().any(|word| begins(word))
}
