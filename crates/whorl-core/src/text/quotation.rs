//! Quotations: text between quotation marks, and blocks marked as quotations by Markdown or LaTeX.
//!
//! # Problem
//!
//! Individual marks are unreliable: inch marks and apostrophes look like them, and authors forget to close them. A
//! simple toggle at every mark turned whole paragraphs into quotations, and copied text in them was ignored.
//!
//! # Choice
//!
//! Marks are accepted only in pairs within a paragraph; of several unclosed opening marks, the last one is paired. A
//! quotation of several paragraphs opens each of them again, as is typographic practice. In doubt, text is not a
//! quotation: a missed quotation only raises a share, a false one hides a copy.

use std::ops::Range;

use super::frame::character;
use crate::text::sentence::is_terminator;

/// Marks with a single counterpart and no other use.
const PAIRS: [(char, char); 6] = [('「', '」'), ('『', '』'), ('﹁', '﹂'), ('﹃', '﹄'), ('｢', '｣'), ('《', '》')];
/// Maximum length of the name of a work between 《》, in code points.
const LONGEST_NAME: usize = 42;
/// Typical length of hard-wrapped lines, in code points.
const WRAPPED: std::ops::RangeInclusive<usize> = 40..=120;
const BLOCKS: [&str; 5] = ["quote}", "quotation}", "quoting}", "displayquote}", "displaycquote}"];
const COMMANDS: [&str; 4] = ["enquote{", "enquote*{", "textquote{", "blockquote{"];

/// Returns the quotations of `text` with their marks, ordered and disjoint. `lines` are its lines, and `signs` the
/// positions of all [`signs`](crate::text::scan::signs). Linear.
pub(crate) fn quotations(
    text: &[u32],
    lines: &[Range<usize>],
    signs: impl Iterator<Item = usize>,
) -> Vec<Range<usize>> {
    let mut reader = Reader { text, ..Reader::default() };
    reader.markdown(lines);
    let mut signs = signs.peekable();
    for paragraph in paragraphs(text, lines) {
        while signs.next_if(|&at| at < paragraph.start).is_some() {}
        reader.begin(&paragraph);
        while let Some(at) = signs.next_if(|&at| at < paragraph.end) {
            reader.sign(at, &paragraph);
        }
        reader.end(&paragraph);
    }
    joined(reader.closed)
}

/// Joins hard-wrapped lines: a line continues if the next one begins in lower case.
fn paragraphs(text: &[u32], lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::with_capacity(lines.len());
    let mut previous = 0..0;
    for line in lines {
        let goes_on = || {
            let last = character(text[previous.end - 1]);
            WRAPPED.contains(&previous.len())
                && character(text[line.start]).is_lowercase()
                && (last.is_alphanumeric() || matches!(last, ',' | ';' | '-' | '–' | '—'))
                && text[previous.end..line.start].iter().filter(|&&unit| unit == u32::from('\n')).count() == 1
        };
        match paragraphs.last_mut() {
            Some(paragraph) if goes_on() => paragraph.end = line.end,
            _ => paragraphs.push(line.clone()),
        }
        previous = line.clone();
    }
    paragraphs
}

/// Sorts ranges and merges overlapping ones.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Reads the marks of each paragraph in order.
#[derive(Default)]
struct Reader<'t> {
    text: &'t [u32],
    closed: Vec<Range<usize>>,
    /// Unclosed opening marks of this paragraph with their positions.
    open: Vec<(char, usize)>,
    /// Positions of straight marks in this paragraph.
    straight: Vec<usize>,
    /// The ranges that an open quotation covers in earlier paragraphs.
    filled: Vec<Range<usize>>,
    /// The mark that reopens it.
    reopening: Option<char>,
    /// The last quotation between LaTeX marks in this paragraph.
    latex: Option<Range<usize>>,
    /// True if no closing LaTeX mark remains in this paragraph.
    is_latex_over: bool,
    /// End of the LaTeX commands already read in this paragraph.
    commands_end: usize,
    /// The open LaTeX quote environment with its position.
    block: Option<(&'static str, usize)>,
}

impl Reader<'_> {
    fn at(&self, place: usize) -> Option<char> {
        self.text.get(place).map(|&unit| character(unit))
    }

    fn before(&self, place: usize, paragraph: &Range<usize>) -> Option<char> {
        (place > paragraph.start).then(|| character(self.text[place - 1]))
    }

    fn behind(&self, place: usize, paragraph: &Range<usize>) -> Option<char> {
        (place + 1 < paragraph.end).then(|| character(self.text[place + 1]))
    }

    fn continues(&self, place: usize, words: &str) -> bool {
        words.chars().enumerate().all(|(offset, sign)| self.at(place + offset) == Some(sign))
    }

    /// Finds lines that begin with `>`, except for shell prompts.
    fn markdown(&mut self, lines: &[Range<usize>]) {
        let mut is_going_on = false;
        for line in lines {
            let is_quoted = self.at(line.start) == Some('>') && line.len() > 1 && !self.continues(line.start, ">>>");
            match self.closed.last_mut() {
                Some(last) if is_quoted && is_going_on => last.end = line.end,
                _ if is_quoted => self.closed.push(line.clone()),
                _ => {}
            }
            is_going_on = is_quoted;
        }
    }

    fn begin(&mut self, paragraph: &Range<usize>) {
        self.open.clear();
        self.straight.clear();
        (self.is_latex_over, self.commands_end) = (false, paragraph.start);
        if self.reopening.is_none() || self.reopening != self.at(paragraph.start) {
            self.filled.clear();
        }
    }

    fn end(&mut self, paragraph: &Range<usize>) {
        self.closed.extend(self.latex.take());
        let straight = self.pair_straight(paragraph).map(|place| ('"', place));
        let unclosed = self.open.iter().copied().filter(|&(mark, _)| mark != '《').chain(straight);
        let last = unclosed.max_by_key(|&(_, place)| place);
        if last.is_none_or(|(_, place)| place > paragraph.start) {
            self.filled.clear();
        }
        self.filled.extend(last.map(|(_, place)| place..paragraph.end));
        self.reopening = last.and_then(|(_, place)| self.at(place));
    }

    fn sign(&mut self, at: usize, paragraph: &Range<usize>) {
        let (before, behind) = (self.before(at, paragraph), self.behind(at, paragraph));
        let is_free = !before.is_some_and(is_letter) && behind.is_some_and(|sign| !sign.is_whitespace());
        let is_decade =
            || (1..3).all(|offset| self.at(at + offset).is_some_and(char::is_numeric)) && self.at(at + 3) == Some('s');
        let last = self.open.last().map(|&(mark, _)| mark);
        match character(self.text[at]) {
            '"' | '＂' => self.straight.push(at),
            '“' if matches!(last, Some('„' | '”')) => self.close(at, &['„', '”'], paragraph),
            '‘' if last == Some('‚') => self.close(at, &['‚'], paragraph),
            '”' | '〞' | '〟' if self.is_open(&['“', '„', '”', '〝']) => {
                self.close(at, &['“', '„', '”', '〝'], paragraph)
            }
            '’' if self.is_open(&['‘', '‚']) => self.close_single(at, paragraph),
            '«' if self.is_open(&['»']) => self.close(at, &['»'], paragraph),
            '»' if self.is_open(&['«']) => self.close(at, &['«'], paragraph),
            '‹' if self.is_open(&['›']) => self.close(at, &['›'], paragraph),
            '›' if self.is_open(&['‹']) => self.close(at, &['‹'], paragraph),
            mark @ ('“' | '„' | '«' | '‹' | '〝') => self.open.push((mark, at)),
            mark @ ('‘' | '‚' | '»' | '›') if is_free && !is_decade() => self.open.push((mark, at)),
            '”' if is_free && before.is_none_or(|sign| sign.is_whitespace() || ":(：（".contains(sign)) => {
                self.open.push(('”', at));
            }
            '`' if before != Some('`') && behind == Some('`') && self.at(at + 2) != Some('`') => {
                self.latex_marks(at, paragraph)
            }
            '\\' => self.latex_command(at, paragraph),
            sign => {
                if PAIRS.iter().any(|&(opening, _)| opening == sign) {
                    self.open.push((sign, at));
                } else if let Some(&(opening, _)) = PAIRS.iter().find(|&&(_, closing)| closing == sign) {
                    if opening != '《' || self.is_name(at, paragraph) {
                        self.close(at, &[opening], paragraph);
                    } else {
                        self.open.retain(|&(mark, _)| mark != opening);
                    }
                }
            }
        }
    }

    fn is_open(&self, marks: &[char]) -> bool {
        self.open.iter().any(|(mark, _)| marks.contains(mark))
    }

    /// Closes the last open mark in `marks`, and discards the unclosed marks after it.
    fn close(&mut self, at: usize, marks: &[char], paragraph: &Range<usize>) {
        if let Some(last) = self.open.iter().rposition(|(mark, _)| marks.contains(mark)) {
            let start = self.open[last].1;
            self.open.truncate(last);
            self.add(start..at + 1, paragraph);
        }
    }

    /// Adds a quotation, with its ranges in earlier paragraphs if it opens this one.
    fn add(&mut self, range: Range<usize>, paragraph: &Range<usize>) {
        if range.start == paragraph.start {
            self.closed.append(&mut self.filled);
        }
        self.closed.push(range);
    }

    /// True if the mark at `at` closes 《 around the name of a work: short, not a sentence, and not the entire
    /// paragraph.
    fn is_name(&self, at: usize, paragraph: &Range<usize>) -> bool {
        let opened = self.open.iter().rfind(|&&(mark, _)| mark == '《');
        opened.is_some_and(|&(_, start)| {
            let has_stop = |units: &[u32]| units.iter().any(|&unit| is_terminator(unit) || unit == u32::from('，'));
            at - start < LONGEST_NAME
                && !(start == paragraph.start && at + 1 == paragraph.end)
                && !has_stop(&self.text[start..at])
        })
    }

    /// Handles a single mark that is not an apostrophe. After an s it may be either: it closes a quotation if no other
    /// mark of the sentence does.
    fn close_single(&mut self, at: usize, paragraph: &Range<usize>) {
        let (before, behind) = (self.before(at, paragraph), self.behind(at, paragraph));
        if before.is_some_and(is_letter) && behind.is_some_and(is_letter) {
            return;
        }
        let may_be_genitive = |at: usize| {
            matches!(self.before(at, paragraph), Some('s' | 'S'))
                && self.behind(at, paragraph).is_some_and(char::is_whitespace)
        };
        let mut place = at;
        if may_be_genitive(at) {
            let ends = |&unit: &u32| matches!(character(unit), '.' | '!' | '?' | '‘' | '\n') || is_terminator(unit);
            let rest = &self.text[at + 1..paragraph.end.min(at + 1 + WRAPPED.end())];
            let rest = &rest[..rest.iter().position(ends).map_or(rest.len(), |end| (end + 2).min(rest.len()))];
            let closes = |offset: &usize| {
                let behind = rest.get(offset + 1).map(|&unit| character(unit));
                rest[*offset] == u32::from('’') && !behind.is_some_and(is_letter) && !may_be_genitive(at + 1 + offset)
            };
            place = (0..rest.len()).find(closes).map_or(at, |offset| at + 1 + offset);
        }
        self.close(place, &['‘', '‚'], paragraph);
    }

    /// Pairs the straight marks of a paragraph. Returns the position of an opening mark without a closing one.
    fn pair_straight(&mut self, paragraph: &Range<usize>) -> Option<usize> {
        let marks = std::mem::take(&mut self.straight);
        let before = |at: usize| self.before(at, paragraph);
        let behind = |at: usize| self.behind(at, paragraph);
        let opens = |sign: char| sign.is_whitespace() || "([{（【—–-:：=/<,".contains(sign);
        let closes = |sign: char| sign.is_whitespace() || ")]}）】—–-，。、；：！？,.;:!?…<>/".contains(sign);
        let clearly_opens =
            |at: usize| before(at).is_none_or(opens) && behind(at).is_some_and(|sign| !closes(sign) || sign == '<');
        let clearly_closes =
            |at: usize| behind(at).is_none_or(closes) && before(at).is_some_and(|sign| !sign.is_whitespace());
        let is_inside = |at: usize| before(at).is_some_and(is_letter) && behind(at).is_some_and(is_letter);
        let may_open = |at: usize| {
            behind(at).is_some_and(|sign| !sign.is_whitespace())
                && !before(at).is_some_and(char::is_numeric)
                && !is_inside(at)
                && (clearly_opens(at) || !clearly_closes(at))
        };
        let may_close = |at: usize| {
            let is_inch = before(at).is_some_and(char::is_numeric)
                && behind(at).is_some_and(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '×' | '*' | '\''));
            before(at).is_some_and(|sign| !sign.is_whitespace()) && !is_inside(at) && !is_inch
        };
        let is_odd = marks.iter().filter(|&&at| may_open(at) || may_close(at)).count() % 2 == 1;
        let (mut pairs, mut open) = (Vec::new(), None);
        for at in marks {
            open = match open {
                Some(start) if !may_close(at) || clearly_opens(at) && !clearly_closes(at) => {
                    Some(if may_open(at) { at } else { start })
                }
                Some(start) if is_odd && !clearly_opens(start) && !clearly_closes(at) => may_open(at).then_some(at),
                Some(start) => {
                    pairs.push(start..at + 1);
                    None
                }
                None => may_open(at).then_some(at),
            };
        }
        let unclosed = open.filter(|&at| clearly_opens(at));
        pairs.into_iter().for_each(|pair| self.add(pair, paragraph));
        unclosed
    }

    /// Handles two backticks and two apostrophes, the quotation marks of LaTeX; of several opening marks, the last one
    /// is closed.
    fn latex_marks(&mut self, at: usize, paragraph: &Range<usize>) {
        match &mut self.latex {
            Some(latex) if latex.end > at => latex.start = at,
            _ if self.is_latex_over => {}
            _ => {
                let inside = &self.text[(at + 2).min(paragraph.end)..paragraph.end];
                let length = inside.windows(2).position(|pair| *pair == [u32::from('\''); 2]);
                self.is_latex_over = length.is_none();
                self.closed.extend(self.latex.take());
                self.latex = length.map(|length| at..at + 4 + length);
            }
        }
    }

    /// Handles `\begin{quote}` and `\enquote{…}`.
    fn latex_command(&mut self, at: usize, paragraph: &Range<usize>) {
        let block = |start: &str| {
            let place = at + start.chars().count();
            let block = BLOCKS.into_iter().filter(|_| self.continues(at, start));
            block.into_iter().find(|name| self.continues(place, name))
        };
        if let Some(name) = block("\\begin{") {
            self.block = Some((name, at));
        } else if let Some((name, start)) = self.block.filter(|&(name, _)| block("\\end{") == Some(name)) {
            self.closed.push(start..at + "\\end{".len() + name.len());
            self.block = None;
        } else if at >= self.commands_end
            && let Some(command) = COMMANDS.iter().find(|command| self.continues(at + 1, command))
        {
            let inside = at + 1 + command.len()..paragraph.end;
            let mut depth = 1;
            let end = inside.clone().find(|&place| {
                depth += match character(self.text[place]) {
                    '{' => 1,
                    '}' => -1,
                    _ => 0,
                };
                depth == 0
            });
            self.commands_end = end.unwrap_or(paragraph.end);
            self.closed.extend(end.map(|end| at..end + 1));
        }
    }
}

/// True for letters and digits of scripts written with spaces.
fn is_letter(sign: char) -> bool {
    sign < '\u{2E80}' && sign.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::scan::signs;
    use crate::text::sentence::paragraphs;

    fn closed(text: &str) -> Vec<String> {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        let mut places = Vec::new();
        signs(&code_points, &mut places);
        let lines = paragraphs(&code_points);
        let ranges = quotations(&code_points, &lines, places.into_iter().map(|place| place as usize));
        ranges.into_iter().map(|range| text.chars().skip(range.start).take(range.len()).collect()).collect()
    }

    #[test]
    fn marks_of_many_languages_are_known() {
        for quoted in [
            "“很好。”",
            "‘很好。’",
            "「很好。」",
            "『很好。』",
            "\"很好。\"",
            "＂很好。＂",
            "〝很好。〞",
            "“外‘内’外”",
            "„Sehr gut.“",
            "„Bardzo dobrze.”",
            "»Sehr gut.«",
            "« Très bien. »",
            "‹gut›",
            "‘don’t go’",
            "‘the dogs’ bowl’",
            "``very good''",
            "\\enquote{very {\\em good}}",
            "《渡口》",
        ] {
            assert_eq!(closed(&format!("他说：{quoted}，是吗")), [quoted], "{quoted}");
        }
        assert_eq!(closed("”Erittäin hyvä”, hän sanoi."), ["”Erittäin hyvä”"]);
    }

    #[test]
    fn other_marks_quote_nothing() {
        for text in [
            "The board is 5\" wide, 3\" high and the rope 6' 3\" long.",
            "32\"电视和55\"电视",
            "a 5” board and a 3” nail",
            "the dogs’ bowl, don’t, the ‘90s and the cats’ basket",
            "The rooms' size, 'tis 5'3'' tall",
            "“没有完。\n完了”。",
            "没有“完。",
            "他说\"完了。",
            "《雾散之后，渡口又热闹起来。船老大说今天要多跑两趟》",
            "《雾散之后渡口又热闹起来》",
            "Home » News » Local « back",
            ">>> print(1)",
            "```\ncode\n```",
            "``no end",
            "\\begin{quote} no end",
        ] {
            assert_eq!(closed(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_stray_mark_does_not_reach_to_the_next_pair() {
        assert_eq!(closed("一个“没有关，又说“很好”，完了。"), ["“很好”"]);
        assert_eq!(closed("一个\"没有关。又说：\"很好。\"完了。"), ["\"很好。\""]);
        assert_eq!(closed("An \"open one and \"another one\" here"), ["\"another one\""]);
        assert_eq!(closed("A ``stray and ``good'' one"), ["``good''"]);
    }

    #[test]
    fn a_quotation_of_several_paragraphs_is_opened_in_each() {
        assert_eq!(closed("他说：“一。\n\n“二。\n\n“三。”四。"), ["“一。", "“二。", "“三。”"]);
        assert_eq!(closed("He said: \"One.\n\"Two,\" and more."), ["\"One.", "\"Two,\""]);
        assert_eq!(closed("他说：“一。\n二。\n“三。”四。"), ["“三。”"]);
        assert_eq!(closed("他说：“一。\n“二。\n三。"), Vec::<String>::new());
    }

    #[test]
    fn lines_that_a_full_page_breaks_are_one_paragraph() {
        let wrapped =
            "She told the meeting that \"the old boat will go on being patched\nwith whatever there is\" until spring.";
        assert_eq!(closed(wrapped), ["\"the old boat will go on being patched\nwith whatever there is\""]);
        assert_eq!(closed(&wrapped.replace('\n', "\n\n")), Vec::<String>::new());
    }

    #[test]
    fn blocks_of_markdown_and_latex_are_quotations() {
        assert_eq!(closed("一\n> 二\n> 三\n四"), ["> 二\n> 三"]);
        assert_eq!(closed("a\n\\begin{quote}\nb\n\nc\n\\end{quote}\nd"), ["\\begin{quote}\nb\n\nc\n\\end{quote}"]);
    }

    proptest! {
        #[test]
        fn quotations_are_apart_and_no_mark_reaches_beyond_its_paragraph(text in "[a甲5s ，。\n“”‘’„«»「」『《》\"'`>]{0,40}") {
            let quotations = closed(&text);
            let blocks = |quotation: &&String| !quotation.starts_with('>') && quotation.contains('\n');
            prop_assert!(!quotations.iter().any(|quotation| blocks(&quotation)));
            prop_assert!(quotations.iter().map(|quotation| quotation.chars().count()).sum::<usize>() <= text.chars().count());
        }
    }
}
