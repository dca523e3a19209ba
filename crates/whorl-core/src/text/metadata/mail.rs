//! Mail: headers, introductions of quoted mail, signatures, and footers of mailing lists.

use std::ops::Range;

use super::Line;
use super::cursor::narrow;
use crate::text::frame;

/// Names of headers that mail programs display, in lower case.
const HEADERS: [&str; 36] = [
    "from",
    "to",
    "cc",
    "bcc",
    "date",
    "sent",
    "subject",
    "reply-to",
    "sender",
    "organization",
    "newsgroups",
    "importance",
    "priority",
    "von",
    "an",
    "gesendet",
    "betreff",
    "datum",
    "de",
    "para",
    "enviado",
    "asunto",
    "à",
    "envoyé",
    "objet",
    "发件人",
    "收件人",
    "抄送",
    "主题",
    "发送时间",
    "日期",
    "时间",
    "寄件者",
    "收件者",
    "副本",
    "主旨",
];
/// Names of headers that only occur in mail; names that begin with `x-` or `list-` are accepted as well.
const TECHNICAL: [&str; 16] = [
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "content-disposition",
    "received",
    "return-path",
    "delivered-to",
    "in-reply-to",
    "references",
    "errors-to",
    "precedence",
    "user-agent",
    "sent",
    "发送时间",
    "newsgroups",
];
/// Headers whose content was written by the author.
const SUBJECTS: [&str; 6] = ["subject", "betreff", "asunto", "objet", "主题", "主旨"];
/// Maximum length of a header name.
const LONGEST_NAME: usize = 32;
/// Endings of lines that introduce a quotation.
const INTRODUCTIONS: [&str; 11] = [
    "wrote:",
    "wrote :",
    "writes:",
    "写道：",
    "写道:",
    "寫道：",
    "寫道:",
    "schrieb:",
    "écrit :",
    "escribió:",
    "scrisse:",
];
/// Maximum length of these lines.
const LONGEST_INTRODUCTION: usize = 160;
/// Beginnings of lines added by programs.
const ADDED: [&str; 7] =
    ["Sent from my ", "发自我的", "發自我的", "Get Outlook for ", "To unsubscribe", "此邮件由", "Do You Yahoo!?"];
/// Phrases in footers of mailing lists and of mail services.
const FOOTERS: [&str; 9] =
    ["mailing list", "unsubscribe", "listinfo", "subscription", "subscribe", "yahoo", "mailman", "退订", "订阅"];
/// Characters of horizontal rules, and the minimum length of a rule.
const RULES: [char; 5] = ['_', '-', '=', '~', '*'];
const RULE: usize = 10;
/// Maximum number of lines of a signature or a footer.
const LONGEST_FOOTER: usize = 10;

/// True if a line may be mail metadata, judging by its beginning in UTF-8.
pub(super) fn may_begin(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word.as_bytes()));
    match line.first() {
        Some(b'-') => line.starts_with(b"--"),
        Some(b'_') => line.starts_with(b"__"),
        Some(b'=') => line.starts_with(b"=="),
        Some(b'~') => line.starts_with(b"~~"),
        Some(b'*') => line.starts_with(b"**"),
        Some(b'F') => line.starts_with(b"From:"),
        Some(b'V') => line.starts_with(b"Von:"),
        Some(b'D') => begins(&["De:", "De :", ADDED[6]]),
        Some(b'M') => line.starts_with(b"Message-I"),
        Some(b'R') => begins(&["Received:", "Return-Path:", "Reply-To:"]),
        Some(b'C') => line.starts_with(b"Content-"),
        Some(b'S' | b'G' | b'T') => begins(&ADDED),
        Some(0x80..) => may_begin_in_han(line) && (begins(&["发件人", "寄件者"]) || begins(&ADDED)),
        _ => false,
    }
}

/// False for nearly all lines that begin with a Han character, judging by that one.
fn may_begin_in_han(line: &[u8]) -> bool {
    let begins = |sign: &str| line.starts_with(sign.as_bytes());
    begins("发") || begins("發") || begins("寄") || begins("此")
}

/// True if a line may be mail metadata, judging by its end in UTF-8.
pub(super) fn may_end(line: &[u8]) -> bool {
    let may_end = line.ends_with(b":") || line.ends_with("：".as_bytes());
    may_end && INTRODUCTIONS.iter().any(|word| line.ends_with(word.as_bytes()))
}

/// Returns the metadata of a text that contains mail.
pub(super) fn metadata(text: &[u32], lines: &[Line]) -> Vec<Range<usize>> {
    let mut metadata_ranges = headers(text, lines);
    for (number, line) in lines.iter().enumerate() {
        let inside = line.of(text);
        let quotes = || lines.get(number + 1).is_some_and(|next| next.of(text).first() == Some(&u32::from('>')));
        if (is_introduction(inside) && (is_of_mail(inside) || quotes()))
            || begins_with(inside, &ADDED)
            || is_forwarding(inside)
        {
            metadata_ranges.push(line.range.clone());
        }
    }
    footers(text, lines, &mut metadata_ranges);
    metadata_ranges
}

/// Returns the header name of a line and the offset of its content.
fn header(line: &[u32]) -> Option<(String, usize)> {
    let colon = line.iter().take(LONGEST_NAME + 1).position(|&unit| narrow(unit) == ':')?;
    let name: String = line[..colon].iter().map(|&unit| narrow(unit)).collect();
    let name = name.trim_matches(|sign: char| sign.is_whitespace() || sign == '*' || sign == '>').to_lowercase();
    let is_known = HEADERS.contains(&name.as_str()) || is_technical(&name);
    is_known.then_some((name, colon + 1))
}

fn is_technical(name: &str) -> bool {
    TECHNICAL.contains(&name)
        || ["x-", "list-"].iter().any(|start| name.starts_with(start)) && !name.contains(char::is_whitespace)
}

/// Finds consecutive headers: at least two, and one has an address or occurs only in mail.
fn headers(text: &[u32], lines: &[Line]) -> Vec<Range<usize>> {
    let mut metadata_ranges = Vec::new();
    let mut number = 0;
    while number < lines.len() {
        let (mut block, mut count, mut is_mail) = (Vec::new(), 0, false);
        let start = number;
        while let Some(line) = lines.get(number).filter(|line| number == start || !line.is_first) {
            let inside = line.of(text);
            let content = match header(inside) {
                Some((name, content)) => {
                    count += 1;
                    is_mail |= is_technical(&name) || inside.contains(&u32::from('@'));
                    if SUBJECTS.contains(&name.as_str()) { content } else { inside.len() }
                }
                // A header continues on lines that begin with white space.
                None if count > 0 && is_indented(text, line) => inside.len(),
                None => break,
            };
            block.push(line.range.start..line.range.start + content);
            number += 1;
        }
        if count >= 2 && is_mail {
            metadata_ranges.extend(block);
        }
        number = number.max(start + 1);
    }
    metadata_ranges
}

fn is_indented(text: &[u32], line: &Line) -> bool {
    line.range.start > 0 && matches!(char::from_u32(text[line.range.start - 1]), Some(' ' | '\t'))
}

/// True if a line has an address or a time of day: "wrote:" also occurs in news.
fn is_of_mail(line: &[u32]) -> bool {
    let is_digit = |unit: Option<&u32>| unit.is_some_and(|&unit| narrow(unit).is_ascii_digit());
    let is_time = |place: usize| place > 0 && is_digit(line.get(place - 1)) && is_digit(line.get(place + 1));
    line.iter().enumerate().any(|(place, &unit)| unit == u32::from('@') || (narrow(unit) == ':' && is_time(place)))
}

/// "On Monday, Anna <anna@example.com> wrote:".
fn is_introduction(line: &[u32]) -> bool {
    line.len() <= LONGEST_INTRODUCTION && line.last().is_some_and(|&last| narrow(last) == ':') && {
        let line: String = line.iter().map(|&unit| frame::character(unit)).collect();
        INTRODUCTIONS.iter().any(|word| line.ends_with(word))
    }
}

/// "-----Original Message-----".
fn is_forwarding(line: &[u32]) -> bool {
    line.len() <= LONGEST_INTRODUCTION && line.first().is_some_and(|&first| first == u32::from('-')) && {
        let line: String = line.iter().map(|&unit| frame::character(unit)).collect();
        line.starts_with("---")
            && ["message", "邮件", "郵件", "nachricht"].iter().any(|word| line.to_lowercase().contains(word))
    }
}

/// Finds signatures after `--` and footers after a horizontal rule.
fn footers(text: &[u32], lines: &[Line], metadata_ranges: &mut Vec<Range<usize>>) {
    let is_dashes = |line: &[u32]| line.len() == 2 && line.iter().all(|&unit| unit == u32::from('-'));
    let is_rule = |line: &[u32]| {
        line.len() >= RULE && line.iter().all(|&unit| unit == line[0]) && RULES.contains(&frame::character(line[0]))
    };
    let starts = |line: &Line| is_dashes(line.of(text)) || is_rule(line.of(text));
    let mut end = lines.len();
    for number in (0..lines.len()).rev().filter(|&number| starts(&lines[number])) {
        let block = &lines[number..end];
        let says = |words: &[&str]| {
            let block: String = text[block[0].range.start..block[block.len() - 1].range.end]
                .iter()
                .map(|&unit| frame::character(unit))
                .collect();
            let block = block.to_lowercase();
            words.iter().any(|word| block.contains(word))
        };
        let is_footer = block.len() <= LONGEST_FOOTER + 1 && (is_dashes(lines[number].of(text)) || says(&FOOTERS));
        if !is_footer {
            break;
        }
        metadata_ranges.extend(block.iter().map(|line| line.range.clone()));
        end = number;
    }
}

fn begins_with(line: &[u32], words: &[&str]) -> bool {
    let begins = |word: &str| word.chars().map(u32::from).eq(line.iter().copied().take(word.chars().count()));
    words.iter().any(|word| begins(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_mail_pass_the_first_test_in_every_language() {
        for word in ADDED.iter().chain(&["发件人: ", "寄件者：", "From: ", "Von: ", "De : "]) {
            assert!(may_begin(word.as_bytes()), "{word}");
        }
        for word in INTRODUCTIONS {
            assert!(may_end(format!("Anna {word}").as_bytes()), "{word}");
        }
        assert!(!may_begin("今天".as_bytes()) && !may_end("今天：".as_bytes()));
    }
}
