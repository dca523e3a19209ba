//! Metadata inside a text: records of time, place and speaker, as opposed to content.
//!
//! # Problem
//!
//! Subtitles, lyrics, chat logs, program logs, verses and mail repeat such metadata line by line. The subtitles of two
//! films have equal numbers and time codes but no sentence in common. Two releases of one film have the same sentences
//! under different time codes. Metadata must neither prove a copy nor hide one.
//!
//! # Choice
//!
//! Metadata is removed from a text before it is aligned and before keys are computed. Only the digest includes it:
//! texts that differ in it are not `exact` duplicates.
//!
//! The alternative was to keep it and count it as boilerplate. That was not enough, because sentences between different
//! time codes are too short to be found one by one.
//!
//! A stretch is classified by the series that it belongs to, not by its form alone: a single clock time at the
//! beginning of a line is a fact, and so are the times of a schedule. If nothing else would remain of a text, it has no
//! metadata.

mod cursor;
mod log;
mod mail;
mod subtitles;
mod verse;

use std::ops::Range;

use memchr::memchr_iter;

use crate::text::scan::places;
use crate::text::{Text, frame, look_alike};

/// Code points at either end of a line that decide whether it may have metadata.
const REACH: usize = 48;
/// Maximum bytes of a code point.
const MOST_BYTES: usize = 4;
/// Minimum number of possibly numbered lines for a series.
const SERIES: usize = 3;

/// Calls `read` with the text without its metadata, and a flag that is true if there was any. Nearly free without
/// metadata; otherwise linear.
pub(crate) fn without<R>(text: Text<'_>, read: impl FnOnce(Text<'_>, bool) -> R) -> R {
    if !may_have_any(text) && !may_be_disguised(text) {
        return read(text, false);
    }
    let mut units = Vec::new();
    text.copy_to(&mut units);
    let metadata_ranges = metadata(&units);
    if metadata_ranges.is_empty() {
        return read(text, false);
    }
    let mut start = 0;
    let mut rest = Vec::with_capacity(units.len());
    for range in metadata_ranges {
        rest.extend_from_slice(&units[start..range.start]);
        // A space ends the token, so that the text before and after metadata is not joined.
        rest.push(u32::from(' '));
        start = range.end;
    }
    rest.extend_from_slice(&units[start..]);
    read(Text::CodePoints(&rest), true)
}

/// Returns the metadata of a text, ordered and disjoint; empty if nothing else would remain. Linear.
pub fn metadata(text: &[u32]) -> Vec<Range<usize>> {
    if may_be_disguised(Text::CodePoints(text)) {
        let mut undone = text.to_vec();
        look_alike::undo(&mut undone);
        return metadata_as_written(&undone);
    }
    metadata_as_written(text)
}

/// True if letters may be look-alikes: a header in Cyrillic letters is a header, too.
fn may_be_disguised(text: Text<'_>) -> bool {
    // Greek, Cyrillic and Armenian, in UTF-8 by their first bytes.
    match text {
        // There is no early exit within a chunk, so that the compiler vectorizes the loop: it runs on every text.
        Text::Utf8(text) => {
            let has_any = |chunk: &[u8]| chunk.iter().fold(false, |is_any, byte| is_any | (0xCD..=0xD6).contains(byte));
            text.as_bytes().chunks(64).any(has_any)
        }
        Text::CodePoints(text) => text.iter().any(|unit| (0x370..0x590).contains(unit)),
    }
}

fn metadata_as_written(text: &[u32]) -> Vec<Range<usize>> {
    if !may_have_any(Text::CodePoints(text)) {
        return Vec::new();
    }
    let lines = lines(text);
    let mut metadata_ranges = subtitles::metadata(text, &lines);
    if metadata_ranges.is_empty() {
        metadata_ranges = log::metadata(text, &lines);
    }
    metadata_ranges.extend(verse::metadata(text, &lines));
    metadata_ranges.extend(mail::metadata(text, &lines));
    let metadata_ranges = apart(metadata_ranges);
    if says_more(text, &metadata_ranges) { metadata_ranges } else { Vec::new() }
}

/// A line without surrounding white space.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    range: Range<usize>,
    /// True if a blank line or the start of the text precedes it.
    is_first: bool,
}

impl Line {
    fn of<'t>(&self, text: &'t [u32]) -> &'t [u32] {
        &text[self.range.clone()]
    }
}

/// The non-blank lines of a text.
fn lines(text: &[u32]) -> Vec<Line> {
    let is_space = |&unit: &u32| char::from_u32(unit).is_some_and(char::is_whitespace);
    let (mut lines, mut start, mut is_first) = (Vec::new(), 0, true);
    for end in places(text, |unit| unit == u32::from('\n')).chain([text.len()]) {
        let inside = &text[start..end];
        match inside.iter().position(|unit| !is_space(unit)) {
            Some(first) => {
                let last = inside.iter().rposition(|unit| !is_space(unit)).unwrap_or(first);
                lines.push(Line { range: start + first..start + last + 1, is_first });
                is_first = false;
            }
            None => is_first = true,
        }
        start = end + 1;
    }
    lines
}

/// Sorts ranges and makes them disjoint.
pub(crate) fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match apart.last_mut().filter(|last| last.end >= range.start) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}

/// True if letters or digits remain outside some stretches.
fn says_more(text: &[u32], without: &[Range<usize>]) -> bool {
    let starts = std::iter::once(0).chain(without.iter().map(|range| range.end));
    let ends = without.iter().map(|range| range.start).chain(std::iter::once(text.len()));
    let mut rest = starts.zip(ends).flat_map(|(start, end)| &text[start..end]);
    rest.any(|&unit| char::from_u32(unit).is_some_and(char::is_alphanumeric))
}

/// False for nearly all texts without metadata, judging by the beginnings and ends of their lines.
fn may_have_any(text: Text<'_>) -> bool {
    let mut numbered = 0;
    let (mut head, mut start) = (String::new(), 0);
    match text {
        Text::Utf8(text) => {
            let text = text.as_bytes();
            memchr_iter(b'\n', text).chain(std::iter::once(text.len())).any(|end| {
                let line = &text[start..end];
                start = end + 1;
                may_be_metadata(&line[..line.len().min(REACH * MOST_BYTES)], line, &mut numbered)
            })
        }
        Text::CodePoints(text) => places(text, |unit| unit == u32::from('\n')).chain([text.len()]).any(|end| {
            let line = &text[start..end];
            start = end + 1;
            let Some(first) = line.iter().position(|&unit| unit > 0x20) else { return false };
            if !may_open(line, line[first]) {
                return false;
            }
            head.clear();
            head.extend(line.iter().take(REACH).map(|&unit| frame::character(unit)));
            let length = head.len();
            let last = &line[line.len() - REACH.min(line.len())..];
            head.extend(last.iter().map(|&unit| frame::character(unit)));
            may_be_metadata(&head.as_bytes()[..length], &head.as_bytes()[length..], &mut numbered)
        }),
    }
}

/// A cheap first test: false for most lines, judging by their first character.
fn may_open(line: &[u32], first: u32) -> bool {
    let digit = |unit: u32| unit.wrapping_sub(u32::from('0')) <= 9;
    let head = &line[..line.len().min(REACH)];
    let has_time = head.windows(2).any(|pair| (pair[1] == u32::from(':')) & digit(pair[0]));
    let last = line.iter().rev().find(|&&unit| unit > 0x20).map_or('\0', |&last| frame::character(last));
    has_time
        || matches!(last, ':' | '：')
        || digit(first)
        || matches!(frame::character(first), '[' | '(' | '{' | '【' | '（' | '第' | '-' | '_' | '=' | '~' | '*')
        || matches!(
            frame::character(first),
            'F' | 'V' | 'D' | 'M' | 'R' | 'C' | 'S' | 'G' | 'T' | '发' | '發' | '寄' | '此'
        )
}

/// True if a line may be or contain metadata, judging by its beginning and end, or if the `numbered` lines so far,
/// those that may begin with a number, form a series.
fn may_be_metadata(head: &[u8], end: &[u8], numbered: &mut usize) -> bool {
    let mut colons = memchr_iter(b':', head);
    if colons.any(|colon| colon > 0 && head[colon - 1].is_ascii_digit()) {
        return true;
    }
    let head = head.trim_ascii_start();
    let Some(&first) = head.first() else { return false };
    if first == b'[' && head.get(1).is_some_and(u8::is_ascii_digit) {
        return true;
    }
    let begins = |sign: &str| head.starts_with(sign.as_bytes());
    let opens = begins("【") || begins("（") || begins("第");
    *numbered += usize::from(first.is_ascii_digit() || matches!(first, b'[' | b'(' | b'{') || opens);
    *numbered >= SERIES || mail::may_begin(head) || mail::may_end(end.trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold_to_string;

    /// The text without its metadata.
    fn rest(text: &str) -> String {
        let units: Vec<u32> = text.chars().map(u32::from).collect();
        let remaining = |text| {
            without(text, |text, _| {
                let mut units = Vec::new();
                text.copy_to(&mut units);
                fold_to_string(units.as_slice())
            })
        };
        let metadata_ranges = remaining(Text::Utf8(text));
        assert_eq!(metadata_ranges, remaining(Text::CodePoints(&units)), "{text}");
        metadata_ranges
    }

    /// Three sentences, each formatted by `line` with its number from 0.
    fn series(line: impl Fn(usize, &str) -> String) -> String {
        let sentences = ["The fog lifted over the pier", "渡口又热闹起来", "We sail at noon"];
        sentences.iter().enumerate().map(|(number, sentence)| line(number, sentence)).collect()
    }

    #[test]
    fn times_names_and_numbers_of_a_series_are_metadata() {
        let forms: [fn(usize, &str) -> String; 24] = [
            |n, s| format!("{}\n00:00:0{n},000 --> 00:00:0{n},900\n<i>{s}</i>\n\n", n + 1),
            |n, s| format!("cue-{n}\n00:0{n}.000 --> 00:0{n}.900 align:start\n<v Anna>{s}\n\n"),
            |n, s| format!("0:00:0{n}.000,0:00:0{n}.900\n{s}\n\n"),
            |n, s| format!("Dialogue: 0,0:00:0{n}.00,0:00:0{n}.90,Default,,0,0,0,,{{\\an8}}{s}\n"),
            |n, s| format!("{{{n}00}}{{{n}50}}{s}\n"),
            |n, s| format!("[00:0{n}.00][01:0{n}.00]{s}\n"),
            |n, s| format!("0:0{n}\n{s}\n"),
            |n, s| format!("2023-05-01 12:0{n}:00 用户{n}：{s}\n"),
            |n, s| format!("[01/05/2023, 12:00:0{n}] Anna: {s}\n"),
            |n, s| format!("5/1/23, 1:0{n} PM - Anna Smith: {s}\n"),
            |n, s| format!("12:0{n} <anna> {s}\n"),
            |n, s| format!("[12:0{n}] <anna> {s}\n"),
            |n, s| format!("2023-05-01 12:0{n}:00 张三(12345)\n{s}\n\n"),
            |n, s| format!("Anna, [01.05.2023 12:0{n}]\n{s}\n\n"),
            |n, s| format!("Anna — 05/01/2023 12:0{n} PM\n{s}\n"),
            |n, s| format!("2023-05-01T12:00:0{n}.123Z INFO [main] com.example.App: {s}\n"),
            |n, s| format!("May  1 12:00:0{n} host cron[1{n}]: {s}\n"),
            |n, s| format!("127.0.0.1 - - [01/May/2023:12:00:0{n} +0000] {s}\n"),
            |n, s| format!("1:{} {s}\n", n + 1),
            |n, s| format!("2:{} {s}. ", n + 1),
            |n, s| format!("创世记 1:{} {s}\n", n + 1),
            |n, s| format!("[{}] {s} ", n + 12),
            |n, s| format!("第3章{}节 {s}\n", n + 1),
            |n, s| format!("{} {s}\n", n + 7),
        ];
        let expected = fold_to_string(series(|_, sentence| format!("{sentence}\n")).as_str());
        for form in forms {
            assert_eq!(rest(&series(form)), expected, "{}", series(form));
        }
        let headed = format!("WEBVTT\nKind: captions\n\nNOTE by Anna\nand Bert\n\n{}", series(forms[1]));
        assert_eq!(rest(&headed), expected);
        let styled = format!("[Script Info]\nScriptType: v4.00+\nFormat: Layer, Text\n{}", series(forms[3]));
        assert_eq!(rest(&styled), expected);
        assert_eq!(rest(&format!("[ar:Anna]\n[ti:Noon]\n{}", series(forms[5]))), expected);
    }

    #[test]
    fn headers_signatures_and_footers_of_mail_are_metadata() {
        let body = "The fog lifted over the pier.";
        for mail in [
            format!("From: Anna <anna@a.example>\nTo: list@b.example\nDate: Mon, 1 May 2023\n\n{body}"),
            format!("Message-ID: <1@a.example>\nReceived: from a\n\tby b\n\n{body}"),
            format!("{body}\n\n-- \nAnna Smith\nHarbour Street 12"),
            format!("{body}\n__________\nPier mailing list\nhttps://b.example/listinfo/pier"),
            format!("On Monday at 9:30, Anna wrote:\n{body}"),
            format!("张三 <a@b.example> 写道：\n{body}"),
            format!("-----原始邮件-----\n发件人: 张三\n发送时间: 2023年5月1日\n\n{body}\n发自我的手机"),
        ] {
            assert_eq!(rest(&mail), fold_to_string(body), "{mail}");
        }
        let news = format!("《日报》写道：\n{body}");
        assert_eq!(rest(&news), fold_to_string(news.as_str()));
        let subject = format!("From: anna@a.example\nSubject: Fog\n\n{body}");
        assert_eq!(rest(&subject), fold_to_string(format!("Fog {body}").as_str()));
    }

    #[test]
    fn facts_that_only_look_like_metadata_stay() {
        for text in [
            "08:30 早间新闻\n09:00 动画片\n10:15 天气预报",
            "2019年3月5日，渡口通航\n2020年4月6日，冰厂开工\n2021年5月7日，码头扩建",
            "Doors 7:00 PM\nConcert 8:00 PM\nDinner 9:30 PM\nBring a coat.",
            "12:00 was late.",
            "They won 3:1, then 2:2, then 0:4.",
            "From: Hamburg\nTo: Bremen\nDate: 1 May 2023",
            "第一条 渡口归村管。\n第二条 冰厂归镇管。\n第三条 码头归县管。",
            "2019 it rained\n2021 it snowed\n2024 it was dry",
            "--\nfog",
            "00:00:01,000 --> 00:00:02,000\n00:00:03,000 --> 00:00:04,000",
            "",
        ] {
            assert_eq!(rest(text), fold_to_string(text), "{text}");
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        let pieces = [
            "\n",
            "\n",
            "\n\n",
            " ",
            "00:00:01,000 --> 00:00:02,500",
            "[00:12.30]",
            "12:30 ",
            "2023-05-01 12:00:00 ",
            "Anna: ",
            "<anna>",
            "1:1 ",
            "1:2 ",
            "1:3 ",
            "[1]",
            "[2]",
            "[3]",
            "第3章",
            "12节",
            "第",
            "二",
            "节",
            "-- ",
            "__________",
            "From: a@b.example",
            "Date: x",
            "Anna wrote:",
            "Dialogue: ",
            "0,0,0,0,0,0,0,0,",
            "{1}",
            "{2}",
            "WEBVTT",
            "雾",
            "fog",
            "12",
            "：",
            "é\u{301}",
            "mailing list",
            "Subject: ",
        ];
        prop::sample::select(pieces.to_vec()).prop_map(String::from)
    }

    #[test]
    fn a_text_may_begin_with_a_section() {
        for beginning in ["第二节", "第2节", "二节", "节", "章二节", "第章二节"] {
            let text = format!("{beginning} 雾\n第一条 渡口\n第二条 冰厂\n第三条 船");
            assert_eq!(rest(&text), fold_to_string(text.as_str()));
        }
    }

    proptest! {
        #[test]
        fn metadata_lies_in_order_and_apart(pieces in prop::collection::vec(piece(), 0..40)) {
            let text = pieces.concat();
            let units: Vec<u32> = text.chars().map(u32::from).collect();
            let metadata_ranges = metadata(&units);
            prop_assert!(metadata_ranges.iter().all(|range| range.start < range.end && range.end <= units.len()));
            prop_assert!(metadata_ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
            let remaining = rest(&text);
            prop_assert_eq!(remaining.is_empty(), fold_to_string(text.as_str()).is_empty());
        }
    }
}
