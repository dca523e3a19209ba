//! The body of an article: the text without the lines at its head and foot that name authors, editors, sources and
//! rights, so that the same article under another byline has the same fingerprints.
//!
//! Only the first and the last [`LINES`] lines of a text are examined, by the rules of [`frame`](crate::text::frame).
//! If nothing would remain, the entire text is body. A dateline precedes the first sentence. Articles that differ only
//! in it have equal digests ([`digest`]), but it is part of the text that keys are made of: in an edited copy it may no
//! longer be recognized, and removing it from one copy only would shift everything after it.

use std::ops::Range;

use memchr::memchr_iter;

use crate::text::Text;
use crate::text::TextBlock;
use crate::text::frame::{
    LONGEST_DATELINE, SIGNATURE_ENDS, dateline, is_byline, may_be_byline, may_have_dateline, signature,
};
use crate::text::scan::places;
use crate::text::shingle::{self, FoldedText};

/// Number of lines at either end that may frame the body.
const LINES: usize = 4;
/// Number of code points examined at either end of a longer line.
const REACH: usize = 128;
/// Maximum bytes of a code point.
const MOST_BYTES: usize = 4;

/// The bodies of the texts of a block.
pub(crate) struct Bodies<'b, B>(pub &'b B);

impl<B: TextBlock> TextBlock for Bodies<'_, B> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn with_text<R>(&self, index: usize, read: impl FnOnce(Text<'_>) -> R) -> R {
        self.0.with_text(index, |text| with_body(text, read))
    }
}

/// Calls `read` with the body of a text. Nearly free if nothing frames it; else linear.
pub(crate) fn with_body<R>(text: Text<'_>, read: impl FnOnce(Text<'_>) -> R) -> R {
    let frame = frame_of(text);
    if frame.is_empty() {
        return read(text);
    }
    match text {
        Text::Utf8(whole) => {
            let body: String = between(&frame, whole.len()).map(|range| &whole[range]).collect();
            read(Text::Utf8(if says_something(body.chars()) { &body } else { whole }))
        }
        Text::CodePoints(whole) => {
            let body: Vec<u32> = between(&frame, whole.len()).flat_map(|range| &whole[range]).copied().collect();
            read(Text::CodePoints(if says_something(characters(&body)) { &body } else { whole }))
        }
    }
}

/// Returns the disjoint stretches of a text that are its body, in order. Linear.
pub fn ranges(text: &[u32]) -> Vec<Range<usize>> {
    let frame = frame_of(Text::CodePoints(text));
    let body: Vec<Range<usize>> = between(&frame, text.len()).filter(|range| !range.is_empty()).collect();
    let says = says_something(body.iter().flat_map(|range| characters(&text[range.clone()])));
    if says { body } else { std::iter::once(0..text.len()).collect() }
}

fn says_something(mut text: impl Iterator<Item = char>) -> bool {
    text.any(char::is_alphanumeric)
}

fn characters(text: &[u32]) -> impl Iterator<Item = char> + '_ {
    text.iter().filter_map(|&unit| char::from_u32(unit))
}

/// The gaps between stretches of a text of the given length.
fn between(frame: &[Range<usize>], length: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(frame.iter().map(|range| range.end));
    let ends = frame.iter().map(|range| range.start).chain(std::iter::once(length));
    starts.zip(ends).map(|(start, end)| start..end)
}

/// The disjoint stretches that frame the body, in order, in the units of the text.
fn frame_of(text: Text<'_>) -> Vec<Range<usize>> {
    let lines = match text {
        Text::Utf8(text) => {
            let foot = memchr_iter(b'\n', text.as_bytes()).rev().map(|place| place + 1).chain(std::iter::once(0));
            let foot = foot.scan(text.len(), |end, start| {
                let line = &text[start..*end];
                *end = start.saturating_sub(1);
                Some((line.len(), is_blank(line)))
            });
            outer_lines(from_the_head(text), foot, text.len())
        }
        Text::CodePoints(text) => {
            let ends: Vec<usize> = places(text, |unit| unit == u32::from('\n')).chain([text.len()]).collect();
            let line = |number: usize| &text[number.checked_sub(1).map_or(0, |before| ends[before] + 1)..ends[number]];
            let lines = (0..ends.len()).map(|number| (line(number).len(), are_blank(line(number))));
            outer_lines(lines.clone(), lines.rev(), text.len())
        }
    };
    framed(lines, |line| cut(text.slice(line)))
}

/// The first and the last non-blank lines, in order, from the length and blankness of each line.
fn outer_lines(
    head: impl Iterator<Item = (usize, bool)>,
    foot: impl Iterator<Item = (usize, bool)>,
    length: usize,
) -> Vec<Range<usize>> {
    let mut lines = head_lines(head);
    let (mut end, behind, known) = (length, lines.last().map_or(0, |line| line.end + 1), lines.len());
    for (width, is_blank) in foot {
        let start = end - width;
        if start < behind || lines.len() == known + LINES {
            break;
        }
        if !is_blank {
            lines.push(start..end);
        }
        end = start.saturating_sub(1);
    }
    lines[known..].reverse();
    lines
}

/// The length of each line and whether it is blank.
fn from_the_head(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let ends = memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    ends.scan(0, |start, end| {
        let line = &text[*start..end];
        *start = end + 1;
        Some((line.len(), is_blank(line)))
    })
}

/// The first non-blank lines.
fn head_lines(lines: impl Iterator<Item = (usize, bool)>) -> Vec<Range<usize>> {
    let (mut head, mut start) = (Vec::with_capacity(2 * LINES), 0);
    for (width, is_blank) in lines {
        if !is_blank {
            head.push(start..start + width);
        }
        start += width + 1;
        if head.len() == LINES {
            break;
        }
    }
    head
}

fn framed(lines: Vec<Range<usize>>, cut: impl Fn(Range<usize>) -> (usize, usize)) -> Vec<Range<usize>> {
    let mut frame = Vec::new();
    for line in lines {
        let (before, behind) = cut(line.clone());
        if before + behind >= line.len() {
            frame.push(line);
            continue;
        }
        frame.extend((before > 0).then(|| line.start..line.start + before));
        frame.extend((behind > 0).then(|| line.end - behind..line.end));
    }
    frame
}

/// Lengths of the framing parts at the start and end of a line, in the units of the text.
fn cut(line: Text<'_>) -> (usize, usize) {
    match line {
        Text::Utf8(line) => {
            if line.len() <= REACH * MOST_BYTES && may_be_byline(line.chars()) {
                let whole: Vec<u32> = line.chars().map(u32::from).collect();
                if whole.len() <= REACH && is_byline(&whole) {
                    return (line.len(), 0);
                }
            }
            if !line.ends_with(SIGNATURE_ENDS) {
                return (0, 0);
            }
            let mut last: Vec<u32> = line.chars().rev().take(REACH).map(u32::from).collect();
            last.reverse();
            (0, signature(&last).map_or(0, |start| last[start..].iter().map(|&unit| char_width(unit)).sum()))
        }
        Text::CodePoints(line) => {
            if line.len() <= REACH && is_byline(line) {
                return (line.len(), 0);
            }
            let last = &line[line.len() - REACH.min(line.len())..];
            (0, signature(last).map_or(0, |start| last.len() - start))
        }
    }
}

/// The [`digest`](shingle::digest) of a body without the datelines in its first lines; `tokens` are all tokens of the
/// body.
pub fn digest(body: Text<'_>, tokens: &[u64]) -> u128 {
    let leads = datelines(body);
    if leads.is_empty() {
        return shingle::digest(tokens);
    }
    let mut folded = FoldedText::default();
    let mut length = |range: Range<usize>| {
        if range.is_empty() {
            return 0;
        }
        folded.read(body.slice(range));
        folded.tokens().len()
    };
    let (mut own, mut from) = (Vec::new(), 0);
    for lead in leads {
        let before = length(0..lead.start).clamp(from, tokens.len());
        own.extend_from_slice(&tokens[from..before]);
        from = (before + length(lead)).min(tokens.len());
    }
    if own.is_empty() {
        return shingle::digest(if from < tokens.len() { &tokens[from..] } else { tokens });
    }
    own.extend_from_slice(&tokens[from..]);
    shingle::digest(&own)
}

/// The datelines at the start of the first lines.
fn datelines(text: Text<'_>) -> Vec<Range<usize>> {
    let lines = match text {
        Text::Utf8(text) => head_lines(from_the_head(text)),
        Text::CodePoints(text) => {
            let lines = text.split(|&unit| unit == u32::from('\n'));
            head_lines(lines.map(|line| (line.len(), are_blank(line))))
        }
    };
    let lead = |line: Range<usize>| {
        let lead = match text.slice(line.clone()) {
            Text::Utf8(line) if !may_have_dateline(line.chars()) => 0,
            Text::Utf8(line) => {
                let first: Vec<u32> = line.chars().take(LONGEST_DATELINE).map(u32::from).collect();
                first[..dateline(&first)].iter().map(|&unit| char_width(unit)).sum()
            }
            Text::CodePoints(line) => dateline(line),
        };
        (lead > 0).then(|| line.start..line.start + lead)
    };
    lines.into_iter().filter_map(lead).collect()
}

fn is_blank(line: &str) -> bool {
    line.chars().all(char::is_whitespace)
}

fn are_blank(line: &[u32]) -> bool {
    line.iter().all(|&unit| char::from_u32(unit).is_some_and(char::is_whitespace))
}

fn char_width(unit: u32) -> usize {
    char::from_u32(unit).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(text: &str) -> String {
        let units: Vec<u32> = text.chars().map(u32::from).collect();
        let of = |text| {
            with_body(text, |body| {
                let mut units = Vec::new();
                body.copy_to(&mut units);
                units.into_iter().filter_map(char::from_u32).collect::<String>()
            })
        };
        let body_text = of(Text::Utf8(text));
        assert_eq!(body_text, of(Text::CodePoints(&units)));
        body_text
    }

    fn digest_of(text: &str) -> u128 {
        with_body(Text::Utf8(text), |body| {
            let mut folded = FoldedText::default();
            folded.read(body);
            digest(body, folded.tokens())
        })
    }

    #[test]
    fn bylines_editors_and_rights_are_no_body() {
        let article = "雾散之后，渡口又热闹起来。\n船老大说，今天要多跑两趟。";
        for framed in [
            format!("记者 张三\n{article}"),
            format!("記者 張三\n{article}\n責任編輯：李四"),
            format!("{article}\n责任编辑：李四"),
            format!("{article}（责任编辑：李四）"),
            format!("{article}\n\n版权声明：未经授权不得转载"),
            format!("来源：青澜日报\n{article}\n© 2026 青澜日报 版权所有"),
        ] {
            assert_eq!(body(&framed).trim(), article, "{framed}");
        }
        assert_eq!(body("It rained.\nBy Jane Doe"), "It rained.\n");
    }

    #[test]
    fn a_dateline_makes_no_article_another() {
        let article = "雾散之后，渡口又热闹起来。\n船老大说，今天要多跑两趟。";
        for dated in [
            format!("本报讯（记者 王五）{article}"),
            format!("新华社青澜3月5日电（记者 王五）{article}"),
            format!("新華社青瀾3月5日電 {article}"),
            format!("央视网消息（新闻联播）：{article}"),
            format!("中新社青澜11月12日电{article}（责任编辑：李四）"),
        ] {
            assert_eq!(digest_of(&dated), digest_of(article), "{dated}");
        }
        assert_eq!(digest_of("渡口\n本报讯 雾散了。"), digest_of("渡口\n雾散了。"));
        assert_eq!(digest_of("ROME, May 3 (Reuters) - It rained."), digest_of("It rained."));
        assert_ne!(digest_of("新华社是一家通讯社，成立很久了。"), digest_of("成立很久了。"));
    }

    #[test]
    fn what_only_looks_like_a_frame_stays() {
        for text in [
            "记者今天在渡口看到，雾已经散了。",
            "By the river it rained, and the ferry did not run that day.",
            "作者：某人",
            "",
            "\n\n",
            "新华社是一家通讯社，电报曾是它的命脉。",
            "本报的印厂添了两台新机器，今天试车。",
        ] {
            assert_eq!(body(text), text);
        }
    }

    proptest! {
        #[test]
        fn utf8_and_code_points_have_one_body(text in "(编辑：甲|本报讯 |By J\n|乙。|\n|\\PC|（记者 丙）){0,20}") {
            let body_text = body(&text);
            prop_assert!(body_text.len() <= text.len());
        }
    }
}
