//! Incidental text: addresses, and the lines that a site puts around an article, such as posting times, tags and share
//! buttons.
//!
//! Unrelated texts have these in common, so they are aligned but are not evidence of copying. They are not removed from
//! the text, because a difference in them can be significant: a date of publication, a telephone number.

use std::ops::Range;
use std::sync::LazyLock;

use crate::text::frame::{begins_with, character, first_characters, signs};
use crate::text::scan::places;

/// Maximum length of an incidental line.
const LONGEST_LINE: usize = 100;
/// Beginnings of incidental lines, folded and without spaces.
const BEGINNINGS: [&str; 50] = [
    "postedon",
    "postedin",
    "postedat",
    "publishedon",
    "publishedat",
    "lastupdated",
    "filedunder",
    "tags:",
    "taggedwith",
    "category:",
    "categories:",
    "sharethis",
    "shareon",
    "leaveacomment",
    "leaveareply",
    "nocomments",
    "permalink",
    "printthis",
    "emailthis",
    "readmore",
    "continuereading",
    "relatedposts",
    "previouspost",
    "nextpost",
    "tel:",
    "phone:",
    "fax:",
    "address:",
    "e-mail:",
    "email:",
    "标签:",
    "分类:",
    "分享到",
    "分享至",
    "阅读量",
    "阅读次数",
    "浏览量",
    "浏览次数",
    "点击量",
    "点击数",
    "评论数",
    "发布时间:",
    "发布日期:",
    "发布于",
    "发表于",
    "更新时间:",
    "上一篇",
    "下一篇",
    "地址:",
    "电话:",
];
/// Words that rows of buttons consist of.
const BUTTONS: [&str; 22] = [
    "share",
    "facebook",
    "twitter",
    "tweet",
    "linkedin",
    "pinterest",
    "reddit",
    "email",
    "e-mail",
    "print",
    "whatsapp",
    "telegram",
    "tumblr",
    "pocket",
    "微信",
    "微博",
    "新浪微博",
    "朋友圈",
    "qq空间",
    "打印",
    "收藏",
    "分享",
];
/// Maximum length of these words.
const LONGEST_BUTTON: usize = 9;
/// Endings of street names, in lower case.
const STREETS: [&str; 14] = [
    "street",
    "st",
    "avenue",
    "ave",
    "road",
    "rd",
    "boulevard",
    "blvd",
    "lane",
    "drive",
    "suite",
    "strasse",
    "straße",
    "calle",
];

/// True for a line added by a site, or an address.
pub(super) fn is_incidental(line: &[u32]) -> bool {
    line.len() <= LONGEST_LINE
        && !line.is_empty()
        && !line.iter().any(|&unit| matches!(character(unit), '。' | '，' | '！' | '？' | '!' | '?'))
        && line.last().is_some_and(|&last| character(last) != '.')
        && (begins_like_one(line) || is_row_of_buttons(line) || is_postal(line))
}

fn begins_like_one(line: &[u32]) -> bool {
    static FIRST: LazyLock<Vec<char>> = LazyLock::new(|| first_characters(BEGINNINGS.iter()));
    let first = signs(line.iter().copied()).next();
    if first.is_none_or(|first| FIRST.binary_search(&first).is_err()) {
        return false;
    }
    let narrow = |&unit: &u32| if unit == u32::from('：') { u32::from(':') } else { unit };
    begins_with(&line.iter().map(narrow).collect::<Vec<u32>>(), &BEGINNINGS)
}

fn is_row_of_buttons(line: &[u32]) -> bool {
    let mut words = line.split(|&unit| !matches!(character(unit), '-') && !character(unit).is_alphanumeric());
    let is_button = |word: &[u32]| {
        if word.len() > LONGEST_BUTTON {
            return false;
        }
        let word: String = word.iter().flat_map(|&unit| character(unit).to_lowercase()).collect();
        BUTTONS.contains(&word.as_str())
    };
    let mut count = 0;
    words.by_ref().filter(|word| !word.is_empty()).all(|word| {
        count += 1;
        is_button(word)
    }) && count > 1
}

/// `12 Harbour Street, Hamburg 20457`, 青澜市港口区沿江路12号.
fn is_postal(line: &[u32]) -> bool {
    let has_digit = line.iter().any(|&unit| character(unit).is_ascii_digit());
    if !has_digit {
        return false;
    }
    let has = |signs: &str| line.iter().any(|&unit| signs.contains(character(unit)));
    let ends_like_one =
        line.iter().rev().take(8).any(|&unit| matches!(character(unit), '号' | '室' | '楼' | '層' | '层'));
    if has("市区县區縣") && has("路街道巷") && ends_like_one {
        return line.len() <= LONGEST_LINE / 2 && !has("、；：,;:");
    }
    let mut words = line.split(|&unit| !character(unit).is_alphanumeric()).filter(|word| !word.is_empty());
    let is_number = |word: &[u32]| word.iter().all(|&unit| character(unit).is_ascii_digit());
    let is_street = |word: &[u32]| {
        let word: String = word.iter().flat_map(|&unit| character(unit).to_lowercase()).collect();
        STREETS.contains(&word.as_str())
    };
    words.next().is_some_and(is_number) && line.contains(&u32::from(',')) && words.take(6).any(is_street)
}

/// Returns the web and mail addresses in a text, ordered and disjoint. Linear.
pub(super) fn addresses(text: &[u32]) -> Vec<Range<usize>> {
    let is_sign = |unit: u32| (unit == u32::from(':')) | (unit == u32::from('@')) | (unit == u32::from('.'));
    let mut address_ranges: Vec<Range<usize>> = Vec::new();
    for place in places(text, is_sign) {
        let behind = address_ranges.last().map_or(0, |last| last.end);
        if place < behind {
            continue;
        }
        let address = match character(text[place]) {
            '@' => mail_address(text, place, behind),
            '.' => page(text, place.checked_sub(3).filter(|&start| start >= behind), "www", place),
            _ => scheme(text, place, behind),
        };
        address_ranges.extend(address);
    }
    address_ranges
}

/// Extends a mail address to both sides of `@`.
fn mail_address(text: &[u32], at: usize, behind: usize) -> Option<Range<usize>> {
    let is_part = |&&unit: &&u32| {
        let sign = character(unit);
        sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_' | '%' | '+' | '-')
    };
    let before = text[behind..at].iter().rev().take_while(is_part).count();
    let after = text[at + 1..].iter().take_while(is_part).count();
    let host = &text[at + 1..at + 1 + after];
    let has_dot = host.iter().skip(1).any(|&unit| unit == u32::from('.'));
    (before > 0 && has_dot).then(|| at - before..trimmed(text, at + 1 + after))
}

fn scheme(text: &[u32], colon: usize, behind: usize) -> Option<Range<usize>> {
    let is_slash = |place: usize| text.get(place) == Some(&u32::from('/'));
    let letters = text[behind..colon].iter().rev().take_while(|&&unit| character(unit).is_ascii_alphabetic()).count();
    (letters > 1 && is_slash(colon + 1) && is_slash(colon + 2)).then(|| colon - letters..end_of_page(text, colon))
}

/// Finds a web address that begins with a word at `start` and continues after `sign`.
fn page(text: &[u32], start: Option<usize>, word: &str, sign: usize) -> Option<Range<usize>> {
    let start = start?;
    let begins = text[start..sign].iter().map(|&unit| character(unit).to_ascii_lowercase()).eq(word.chars());
    let is_first = start == 0 || !character(text[start - 1]).is_ascii_alphanumeric();
    (begins && is_first).then(|| start..end_of_page(text, sign))
}

fn end_of_page(text: &[u32], start: usize) -> usize {
    let is_part = |&&unit: &&u32| {
        let sign = character(unit);
        sign.is_ascii_graphic() && !matches!(sign, '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}')
    };
    trimmed(text, start + text[start..].iter().take_while(is_part).count())
}

/// The end without signs that end a sentence or close brackets.
fn trimmed(text: &[u32], end: usize) -> usize {
    let is_sign = |&&unit: &&u32| matches!(character(unit), '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '\'');
    end - text[..end].iter().rev().take_while(is_sign).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    #[test]
    fn lines_that_sites_add_are_told_from_sentences() {
        for line in [
            "Posted on March 3, 2024 by admin in News | 3 Comments",
            "Share this:",
            "Twitter Facebook Email Print",
            "Tags: river, harbour",
            "发布时间：2024-03-03 10:00 浏览次数：1234",
            "分享到：微信 微博 QQ空间",
            "地址：青澜市港口区沿江路12号",
            "青澜市港口区沿江路12号",
            "12 Harbour Street, Hamburg 20457",
            "Phone: +49 40 1234567",
        ] {
            assert!(is_incidental(&units(line)), "{line}");
        }
        for line in [
            "Posted on the wall was a sign.",
            "Print the page",
            "分享到的快乐，是两份快乐。",
            "港口区的路修好了，12号通车。",
            "Twitter was sold",
            "",
        ] {
            assert!(!is_incidental(&units(line)), "{line}");
        }
    }

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        let text = "见 https://a.example/b?c=d，或 (www.b.example/c). Write to anna.b@c.example. At 12:30, a:// b@c";
        let code_points = units(text);
        let address_ranges = addresses(&code_points);
        let written = |range: Range<usize>| text.chars().skip(range.start).take(range.len()).collect::<String>();
        let expected = ["https://a.example/b?c=d", "www.b.example/c", "anna.b@c.example"];
        assert_eq!(address_ranges.into_iter().map(written).collect::<Vec<_>>(), expected);
    }
}
