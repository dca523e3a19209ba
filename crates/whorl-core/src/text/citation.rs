//! Detects whether a quotation cites its source.
//!
//! Understanding a citation would need a language model; these rules look only at words near the quotation: the
//! previous sentence, the beginning of the current one, its rest, and the next one. A source is cited by a verb of
//! saying before a colon, a comma or the quotation, or at the end of its clause (张三说：, 专家表示，, said, according to); by
//! 来源, 引自 or 据…报道; by the name of a work between 《》; by a note or reference mark ([1], ①, ¹, (Author, 2019), `\cite`);
//! or by a dash with a name below the quotation. A pronoun as the speaker is accepted as well.

use std::ops::Range;
use std::sync::LazyLock;

use super::frame::character;
use crate::text::sentence::sentences;

/// Number of code points searched on either side.
const REACH: usize = 200;
/// Maximum length of a name after a dash.
const LONGEST_NAME: usize = 40;
/// Unambiguous verbs of saying, with the maximum number of characters between the verb and a mark.
const VERBS: [&str; 44] = [
    "表示", "指出", "认为", "写道", "写到", "说道", "问道", "答道", "说过", "讲道", "声称", "宣称", "坦言", "直言",
    "强调", "回忆", "解释", "透露", "宣布", "提到", "提出", "规定", "介绍", "告诉", "告知", "回答", "反问", "感叹",
    "感慨", "补充", "评价", "建议", "主张", "论述", "记述", "所言", "所说", "所写", "曾言", "有云", "诗云", "子曰",
    "谈到", "呼吁",
];
const BEHIND_VERB: usize = 8;
/// Single-character verbs, which also occur inside other words.
const SHORT_VERBS: [&str; 10] = ["说", "称", "讲", "写", "问", "答", "曰", "云", "喊", "叫"];
const NO_VERBS: [&str; 20] = [
    "小说", "学说", "传说", "据说", "名称", "简称", "俗称", "人称", "职称", "号称", "堪称", "全称", "对称", "演讲",
    "抄写", "编写", "疑问", "访问", "学问", "白云",
];
const SOURCES: [&str; 16] = [
    "来源", "出处", "引自", "摘自", "出自", "选自", "源自", "转引", "参见", "据《", "援引", "引用", "原文", "原话",
    "名言", "一文",
];
/// Words that follow 据 and a name.
const REPORTS: [&str; 7] = ["报道", "介绍", "统计", "透露", "消息", "记载", "了解"];
const WORDS: [&str; 54] = [
    "said",
    "says",
    "say",
    "saying",
    "according to",
    "wrote",
    "writes",
    "written by",
    "told",
    "tells",
    "noted",
    "argued",
    "argues",
    "stated",
    "explained",
    "explains",
    "added",
    "adds",
    "asked",
    "replied",
    "recalled",
    "recalls",
    "insisted",
    "claimed",
    "observed",
    "remarked",
    "reported",
    "quoted",
    "quoting",
    "cited",
    "citing",
    "in the words of",
    "announced",
    "warned",
    "declared",
    "concluded",
    "concludes",
    "suggests",
    "describes",
    "described",
    "puts it",
    "source:",
    "sagte",
    "sagt",
    "schrieb",
    "schreibt",
    "laut",
    "selon",
    "déclaré",
    "écrit",
    "dijo",
    "según",
    "escribió",
    "сказал",
];
const COMMANDS: [&str; 5] = ["\\cite", "\\footnote", "\\parencite", "[^", "[@"];

/// Returns the parts of `quotations` (ordered and disjoint) without a cited source, for those with a part that
/// `is_wanted`.
///
/// Quotations separated only by white space are treated as one.
pub(crate) fn uncited<'q>(
    text: &'q [u32],
    quotations: &'q [Range<usize>],
    is_wanted: impl Fn(&Range<usize>) -> bool,
) -> impl Iterator<Item = &'q Range<usize>> {
    let is_blank = |units: &[u32]| units.iter().all(|&unit| character(unit).is_whitespace());
    let groups = quotations.chunk_by(move |one, next| is_blank(&text[one.end..next.start]));
    groups.filter(move |group| group.iter().any(&is_wanted) && !names_source(text, group)).flatten()
}

fn names_source(text: &[u32], group: &[Range<usize>]) -> bool {
    let (start, end) = (group[0].start, group[group.len() - 1].end);
    let is_block = matches!(character(text[start]), '>' | '\\');
    names_before(&lead(text, start, is_block))
        || names_behind(&follow_up(text, end, is_block))
        || group.iter().any(|quotation| has_note_at_end(&text[quotation.clone()]))
}

/// The sentence before a quotation and the beginning of the current one. From another paragraph, only an introduction
/// by a colon or before a block.
fn lead(text: &[u32], start: usize, is_block: bool) -> String {
    let reach = &text[start.saturating_sub(REACH)..start];
    let last = reach.iter().rposition(|&unit| !character(unit).is_whitespace()).map_or(0, |last| last + 1);
    let introduces = last > 0 && matches!(character(reach[last - 1]), ':' | '：');
    let is_break = |&unit: &u32| unit == u32::from('\n');
    let reach = if is_block || introduces { &reach[..last] } else { reach };
    let reach = &reach[reach.iter().rposition(is_break).map_or(0, |place| place + 1)..];
    let sentences = sentences(reach);
    let first = sentences.len().saturating_sub(2);
    sentences.get(first).map_or_else(String::new, |first| lower(&reach[first.start..]))
}

/// The rest of the current sentence, or the next one. From another paragraph, only after a block, or if it begins with
/// a dash or names a source.
fn follow_up(text: &[u32], end: usize, is_block: bool) -> String {
    let reach = &text[end..text.len().min(end + REACH)];
    let says_something = |sentence: &&Range<usize>| {
        reach[(*sentence).clone()].iter().any(|&unit| character(unit).is_alphanumeric() || is_note(character(unit)))
    };
    let sentences = sentences(reach);
    let Some(sentence) = sentences.iter().find(says_something) else { return String::new() };
    let context = lower(&reach[..sentence.end]);
    let is_beyond = reach[..sentence.start].contains(&u32::from('\n'));
    let is_told = |context: &str| {
        starts_with_dash(context) || ["来源", "出处", "source", "(", "（"].iter().any(|word| context.starts_with(word))
    };
    if !is_beyond || is_block || is_told(context.trim_start()) { context } else { String::new() }
}

fn lower(units: &[u32]) -> String {
    let mut context = String::with_capacity(3 * units.len());
    for sign in units.iter().map(|&unit| character(unit)) {
        if sign.is_ascii() || sign >= '\u{2E80}' {
            context.push(sign.to_ascii_lowercase());
        } else {
            context.extend(sign.to_lowercase());
        }
    }
    context
}

fn starts_with_dash(context: &str) -> bool {
    ["—", "–", "--", "－－", "―"].iter().any(|dash| context.starts_with(dash))
}

fn names_before(lead: &str) -> bool {
    let lead = lead.trim_end();
    let is_mark = |rest: &str| rest.is_empty() || rest.starts_with(['：', ':', '，', ',']);
    let is_near = |rest: &str| {
        let gap: usize =
            rest.chars().take_while(|sign| sign.is_alphanumeric() || *sign == '、').map(char::len_utf8).sum();
        rest[..gap].chars().count() <= BEHIND_VERB && is_mark(&rest[gap..])
    };
    names_anywhere(lead, is_near, is_mark)
}

fn names_behind(context: &str) -> bool {
    let context = context.trim_start();
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(|sign: char| !sign.is_alphanumeric());
    let is_near = |rest: &str| rest.chars().take_while(|sign| sign.is_alphanumeric()).count() <= BEHIND_VERB;
    let head = context.trim_start_matches(|sign: char| sign.is_whitespace() || "，。,.;；:：!！?？".contains(sign));
    let name = head.trim_start_matches(['—', '–', '-', '－', '―', ' ']);
    let is_signed = starts_with_dash(head) && (1..=LONGEST_NAME).contains(&name.trim_end().chars().count());
    head.starts_with(is_note) || is_signed || names_anywhere(context, is_near, is_end)
}

/// True if a source is cited. The predicates decide on the text after a verb, and after a single-character verb.
fn names_anywhere(context: &str, follows: impl Fn(&str) -> bool, follows_short: impl Fn(&str) -> bool) -> bool {
    let names = |(clue, at, end): (Clue, usize, usize)| match clue {
        Clue::Source => true,
        Clue::Verb => follows(&context[end..]),
        Clue::ShortVerb => {
            !NO_VERBS.iter().any(|word| context[..end].ends_with(word))
                && follows_short(context[end..].trim_start_matches(['道', '过', '到', '了', '着']))
        }
        Clue::Report => {
            let near = context[at..].char_indices().nth(REACH / 8).map_or(context.len(), |(offset, _)| at + offset);
            REPORTS.iter().any(|report| context[at..near].contains(report))
        }
        Clue::Word => !context[end..].starts_with(|sign: char| sign < '\u{2E80}' && sign.is_alphabetic()),
    };
    context.contains('《') && context.contains('》') || has_reference(context) || clues(context).any(names)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Clue {
    Verb,
    ShortVerb,
    Source,
    Report,
    Word,
}

/// All clues by their first characters, with a filter on the last bits of these characters. Quotations are frequent,
/// and searching for each clue separately took as long as the rest of a comparison.
struct Clues {
    may_begin: [bool; Self::MASK + 1],
    sorted: Vec<(char, Clue, &'static str)>,
}

impl Clues {
    const MASK: usize = 0x3FF;

    fn new() -> Self {
        let of = |clue: Clue, words: &'static [&'static str]| words.iter().map(move |&word| (clue, word));
        let all = of(Clue::Verb, &VERBS)
            .chain(of(Clue::ShortVerb, &SHORT_VERBS))
            .chain(of(Clue::Source, &SOURCES))
            .chain(of(Clue::Source, &COMMANDS))
            .chain(of(Clue::Report, &["据"]))
            .chain(of(Clue::Word, &WORDS));
        let mut sorted: Vec<_> = all.filter_map(|(clue, word)| Some((word.chars().next()?, clue, word))).collect();
        sorted.sort_unstable_by_key(|&(first, ..)| first);
        let mut may_begin = [false; Self::MASK + 1];
        sorted.iter().for_each(|&(first, ..)| may_begin[first as usize & Self::MASK] = true);
        Self { may_begin, sorted }
    }
}

/// Iterates over clues with their positions; words of letters match only at the start of a word.
fn clues(context: &str) -> impl Iterator<Item = (Clue, usize, usize)> {
    static CLUES: LazyLock<Clues> = LazyLock::new(Clues::new);
    let clues = &*CLUES;
    let mut before = ' ';
    let places = context.char_indices().filter(move |&(_, sign)| {
        let before = std::mem::replace(&mut before, sign);
        let is_inside = || sign < '\u{2E80}' && sign.is_alphabetic() && before.is_alphabetic();
        clues.may_begin[sign as usize & Clues::MASK] && !is_inside()
    });
    places.flat_map(move |(at, sign)| {
        let from = clues.sorted.partition_point(|&(first, ..)| first < sign);
        let same = clues.sorted[from..].iter().take_while(move |&&(first, ..)| first == sign);
        let here = same.filter(move |&&(_, _, word)| context[at..].starts_with(word));
        here.map(move |&(_, clue, word)| (clue, at, at + word.len()))
    })
}

/// True for note numbers in brackets, or years or pages in parentheses.
fn has_reference(context: &str) -> bool {
    context.match_indices(['[', '［', '〔', '(', '（']).any(|(at, opening)| {
        let rest = &context[at + opening.len()..];
        let Some(end) = rest.chars().take(REACH / 2).position(|sign| "]］〕)）".contains(sign)) else {
            return false;
        };
        let inside: String = rest.chars().take(end).collect();
        if matches!(opening, "(" | "（") {
            has_year(&inside) || inside.starts_with("p.") || inside.starts_with("pp.")
        } else {
            (1..=12).contains(&end) && inside.chars().all(|sign| sign.is_ascii_digit() || "-–,，、 ".contains(sign))
        }
    })
}

fn has_year(context: &str) -> bool {
    context
        .split(|sign: char| !sign.is_ascii_digit())
        .any(|digits| digits.len() == 4 && digits.parse().is_ok_and(|year: u32| (1400..2100).contains(&year)))
}

fn has_note_at_end(quotation: &[u32]) -> bool {
    let tail = lower(&quotation[quotation.len().saturating_sub(8)..]);
    tail.contains(is_note) || has_reference(&tail)
}

/// True for a number that is a note mark: ①, ¹.
fn is_note(sign: char) -> bool {
    matches!(sign, '①'..='⑳' | '¹' | '²' | '³' | '⁰'..='⁹' | '†' | '‡')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_cited(before: &str, quotation: &str, behind: &str) -> bool {
        let text: Vec<u32> = format!("{before}{quotation}{behind}").chars().map(u32::from).collect();
        let start = before.chars().count();
        let range = start..start + quotation.chars().count();
        uncited(&text, std::slice::from_ref(&range), |_| true).next().is_none()
    }

    #[test]
    fn a_source_beside_a_quotation_is_seen() {
        for (before, behind) in [
            ("船老大说：", ""),
            ("船老大说道，", ""),
            ("他表示，冰厂够用了，", ""),
            ("船老大告诉记者：", ""),
            ("据青澜日报报道，", ""),
            ("来源：青澜日报。", ""),
            ("《渡口》里有一句话，", "。"),
            ("船老大说：\n", ""),
            ("", "船老大说。"),
            ("", "，船老大这样写道。"),
            ("", "[1]。"),
            ("", "。［12］"),
            ("", "①，后来"),
            ("", "¹"),
            ("", "（王小渡，2019）。"),
            ("Tulloch (2019) has it: ", ""),
            ("Tulloch said ", "."),
            ("", ", he said."),
            ("", ", according to the council."),
            ("", " \\cite{tulloch}."),
            ("", "\n——王小渡"),
        ] {
            assert!(is_cited(before, "“雾散之后，渡口又热闹起来。”", behind), "{before} … {behind}");
        }
        assert!(is_cited("", "“雾散之后，渡口又热闹起来[3]。”", ""));
        assert!(is_cited("As Tulloch wrote:\n\n", "> the old boat\n> will go on", "\n\nThat is all."));
    }

    #[test]
    fn other_words_name_no_source() {
        for (before, behind) in [
            ("", ""),
            ("冰厂添了两台新机器。", "渡口又热闹起来。"),
            ("船老大说：够用了。今年多跑两趟。冰厂的名称是", "，一共三家。"),
            ("这部小说，", "在1951年很有名。"),
            ("The united states, ", " and so on."),
            ("Ropes of 5 m² are ", " here."),
            ("", "\n船老大说。"),
        ] {
            assert!(!is_cited(before, "“雾散之后，渡口又热闹起来。”", behind), "{before} … {behind}");
        }
    }
}
