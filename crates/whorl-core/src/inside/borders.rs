//! Where a repeated passage is cut: at borders of sentences.
//!
//! A run of equal tokens begins and ends anywhere. Cut as it is, it would leave halves of sentences, which are worse
//! than a repetition. Clauses are no better: of "When the court has accepted the request, it shall decide" the first
//! half alone is no text, and nothing in a clause shows whether it can stand alone. Only the whole sentences in a run
//! are cut, if they are at least half as long as what is searched for. Code blocks, table rows and headings count as
//! sentences. What introduces the text behind a cut stays, and so does a list or an example whose introduction stays.
//!
//! Text without sentences, such as code or a table that was flattened to one line, is one long sentence by its marks. It
//! has nothing to break, and is cut at the borders of clauses or words.

use std::ops::Range;

use super::document::Document;
use super::layout::{Form, trimmed};
use super::units::{clauses, ends_sentence, is_label};
use crate::text::sentence::{is_line_break, is_space};
use crate::text::{Class, Text, class};
use crate::words::{Cutter, Dictionary, Mode};

/// What is longer, in code points, is text without sentences.
const LONGEST_SENTENCE: usize = 2000;
/// The longest text without sentences that is segmented into words to cut it.
const LONGEST_SEGMENTED: usize = 5000;

/// The longest number of a heading.
const LONGEST_NUMBER: usize = 10;

/// The longest label of an item in a list.
const LONGEST_LABEL: usize = 4;

/// Marks that begin what is behind them.
const OPENING: &str = "([{（【《〈「『“‘";

/// A cut: ranges of the original and of the folded units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The place in the original.
    pub range: Range<usize>,
    /// The folded units.
    pub units: Range<usize>,
}

/// The cuts for a repeated stretch of folded units, in order. None of them divides a word.
pub fn cuts(document: &Document, stretch: &Range<usize>, min_length: u32) -> Vec<Cut> {
    let mut cuts = within(document, stretch, |unit, shared| {
        let is_sentence = document.units()[unit].range.len() <= LONGEST_SENTENCE;
        let is_long = document.stream.length(shared) >= min_length;
        if is_sentence || !is_long { Vec::new() } else { parts(document, unit, shared) }
    });
    for cut in &mut cuts {
        leave_introduced(document, cut);
        leave_lists(document, cut);
        leave_introduction(document, cut);
    }
    // A phrase such as "Defaults to no." that is left of a run in whole sentences repeats by chance.
    cuts.retain(|cut| !cut.units.is_empty() && document.stream.length(&cut.units) >= min_length.div_ceil(2));
    cuts
}

/// The cuts for a text that a person approved: all its words, also of sentences that have others.
pub fn approved_cuts(document: &Document, stretch: &Range<usize>) -> Vec<Cut> {
    within(document, stretch, |unit, shared| inside(document, shared, words(document, unit)))
}

/// Shortens a cut that begins with what a sentence before it introduces, which stays: a list, an example, a code block.
fn leave_introduced(document: &Document, cut: &mut Cut) {
    let (units, spans, text) = (document.units(), document.spans(), document.stream.original());
    let content = |unit: usize| &text[units[unit].range.clone()];
    while !cut.units.is_empty() {
        let first = spans.partition_point(|span| span.end <= cut.units.start);
        let before = spans[..first].iter().rposition(|span| !span.is_empty());
        let is_whole = units[first].range.start == cut.range.start;
        let is_introduced =
            |before: usize| has_colon(content(before)) || is_item(content(first)) && expects_more(content(before));
        if !is_whole || !before.is_some_and(is_introduced) {
            return;
        }
        let goes_on = |unit: usize| {
            let gap = &text[units[unit - 1].range.end..units[unit].range.start];
            match gap.iter().filter(|&&point| is_line_break(point)).count() {
                0 => true,
                1 if document.has_gaps() => true,
                _ => is_item(content(first)) && is_item(content(unit)),
            }
        };
        let behind = (first + 1..units.len()).find(|&unit| !goes_on(unit)).unwrap_or(units.len());
        let next = (behind..units.len()).find(|&unit| !spans[unit].is_empty() && spans[unit].start < cut.units.end);
        cut.units.start = next.map_or(cut.units.end, |next| spans[next].start);
        cut.range.start = next.map_or(cut.range.end, |next| units[next].range.start);
    }
}

/// Shortens a cut that ends between two items of a list to what is in front of the sentence that introduces the list.
fn leave_lists(document: &Document, cut: &mut Cut) {
    let (units, spans, text) = (document.units(), document.spans(), document.stream.original());
    let content = |unit: usize| &text[units[unit].range.clone()];
    let first = spans.partition_point(|span| span.end <= cut.units.start);
    let behind = spans.partition_point(|span| span.start < cut.units.end);
    let is_list = behind < units.len() && units[behind].form == Form::Text && is_item(content(behind));
    if !is_list || behind <= first {
        return;
    }
    let is_inner = |&unit: &usize| {
        let goes_on = || !begins_block(document, unit) && !has_colon(content(unit));
        units[unit].form == Form::Text && (is_item(content(unit)) || goes_on())
    };
    let items = (first..behind).rev().take_while(is_inner).count();
    let introduction = (behind - items).checked_sub(1).filter(|&unit| unit >= first && has_colon(content(unit)));
    if let Some(introduction) = introduction {
        cut.units.end = spans[introduction].start;
        let before = spans[..introduction].iter().rposition(|span| !span.is_empty());
        cut.range.end = before.map_or(cut.range.start, |unit| units[unit].range.end.max(cut.range.start));
    }
}

/// True if a blank line is in front of a unit.
fn begins_block(document: &Document, unit: usize) -> bool {
    let (units, text) = (document.units(), document.stream.original());
    let Some(before) = unit.checked_sub(1) else { return true };
    let gap = &text[units[before].range.end..units[unit].range.start];
    gap.iter().filter(|&&point| is_line_break(point)).count() > 1
}

/// Shortens a cut that ends with what belongs to the text behind it: a sentence with a colon, which introduces a list or
/// an example, the number of an item or its first sentence, a line without a full stop behind a sentence, which is a
/// title, or an opening bracket.
fn leave_introduction(document: &Document, cut: &mut Cut) {
    let (units, spans, text) = (document.units(), document.spans(), document.stream.original());
    while !cut.units.is_empty()
        && let Some(last) = spans.partition_point(|span| span.start < cut.units.end).checked_sub(1)
    {
        let is_whole = units[last].range.end == cut.range.end && cut.units.start <= spans[last].start;
        let is_followed = last + 1 < units.len();
        let before = spans[..last].iter().rposition(|span| !span.is_empty());
        let is_line = |start: usize, end: usize| text[start..end].iter().any(|&point| is_line_break(point));
        let is_title = || {
            before.is_some_and(|before| {
                cut.units.start <= spans[before].start
                    && is_line(units[before].range.end, units[last].range.start)
                    && is_line(units[last].range.end, units[last + 1].range.start)
                    && ends_sentence(&text[units[before].range.clone()])
                    && !ends_sentence(&text[units[last].range.clone()])
            })
        };
        let begins_item = || {
            let sentence = units[last].range.clone();
            is_labelled(&text[sentence.clone()])
                && before.is_none_or(|before| is_line(units[before].range.end, sentence.start))
                && !is_line(sentence.end, units[last + 1].range.start)
        };
        let stays = || {
            introduces(&text[units[last].range.clone()])
                || units[last].form == Form::Text && (is_title() || begins_item())
        };
        if !is_whole || !is_followed || !stays() {
            break;
        }
        cut.units.end = spans[last].start;
        cut.range.end = before.map_or(cut.range.start, |unit| units[unit].range.end.max(cut.range.start));
    }
    let is_open = |&point: &u32| char::from_u32(point).is_some_and(|sign| OPENING.contains(sign)) || is_space(point);
    let tail = text[cut.range.clone()].iter().rev().take_while(|point| is_open(point)).count();
    cut.range.end -= tail;
}

/// True for a sentence that ends with a colon, is only a number such as `3.1.` or `B.4.`, or is a directive of
/// reStructuredText with its `::`.
fn introduces(sentence: &[u32]) -> bool {
    let is_letter = |&point: &u32| char::from_u32(point).is_some_and(char::is_alphabetic);
    !sentence.iter().any(is_letter) || is_label(sentence) || has_colon(sentence)
}

/// True for a sentence that ends with a colon, or is a directive of reStructuredText with its `::`.
fn has_colon(sentence: &[u32]) -> bool {
    let is_double =
        |(at, pair): (usize, &[u32])| pair == [0x3A, 0x3A] && sentence.get(at + 2).is_none_or(|&point| is_space(point));
    sentence.last().is_some_and(|&point| matches!(char::from_u32(point), Some(':' | '：')))
        || sentence.windows(2).enumerate().any(is_double)
}

/// True for text that is no sentence without the next item: it ends with a comma, a semicolon, "and" or "or".
fn expects_more(text: &[u32]) -> bool {
    let ends = |word: &str| {
        let points: Vec<u32> = word.chars().map(u32::from).collect();
        text.ends_with(&points)
    };
    [",", ";", "，", "；", "、", " and", " or", "以及", "或者", "或"].into_iter().any(ends)
}

/// True for an item of a list, and for text that begins with the number of a section: `5.3 `, `2.1.4. `.
fn is_labelled(text: &[u32]) -> bool {
    let label: Vec<char> =
        text.iter().take_while(|&&point| !is_space(point)).filter_map(|&point| char::from_u32(point)).collect();
    let is_number = label.contains(&'.')
        && label.first().is_some_and(char::is_ascii_digit)
        && label.iter().all(|sign| sign.is_ascii_digit() || *sign == '.');
    label.len() <= LONGEST_NUMBER && is_number && label.len() < text.len() || is_item(text)
}

/// True for an item of a list: `- `, `12. `, `b) `, `(3)`, `（三）`, `三、`, `③`.
fn is_item(text: &[u32]) -> bool {
    let sign = |at: usize| text.get(at).and_then(|&point| char::from_u32(point)).unwrap_or_default();
    let ends = |at: usize| text.get(at).is_none_or(|&point| is_space(point));
    let label = |from: usize| (from..text.len().min(from + LONGEST_LABEL)).take_while(|&at| sign(at).is_alphanumeric());
    match sign(0) {
        '-' | '*' | '+' | '•' | '·' | '–' => ends(1),
        '①'..='⑳' => true,
        '(' | '（' => matches!(sign(1 + label(1).count()), ')' | '）'),
        _ => {
            let length = label(0).count();
            length > 0
                && match sign(length) {
                    '.' | ')' => ends(length + 1),
                    '、' | '）' | '．' => true,
                    _ => false,
                }
        }
    }
}

/// The sentences within a stretch, and what `part` cuts of a sentence that is only in part within it.
fn within(document: &Document, stretch: &Range<usize>, part: impl Fn(usize, &Range<usize>) -> Vec<Cut>) -> Vec<Cut> {
    let spans = document.spans();
    let first = spans.partition_point(|span| span.end <= stretch.start);
    let last = spans.partition_point(|span| span.start < stretch.end);
    let mut cuts: Vec<Cut> = Vec::new();
    let mut may_join = false;
    for (unit, span) in spans.iter().enumerate().take(last).skip(first) {
        let text_unit = &document.units()[unit];
        let shared = span.start.max(stretch.start)..span.end.min(stretch.end);
        if span.is_empty() {
            continue;
        }
        if text_unit.stands_alone() && shared == *span {
            push(&mut cuts, Cut { range: text_unit.range.clone(), units: span.clone() }, may_join);
            may_join = true;
        } else if text_unit.form == Form::Text {
            part(unit, &shared).into_iter().for_each(|cut| push(&mut cuts, cut, true));
            may_join = true;
        } else {
            may_join = false;
        }
    }
    cuts
}

/// The clauses of text without sentences within a stretch, if they are at least half of it; else its words.
fn parts(document: &Document, unit: usize, stretch: &Range<usize>) -> Vec<Cut> {
    let clauses = inside(document, stretch, clauses(document.stream.original(), &document.units()[unit].range));
    let length = clauses.iter().map(|cut| document.stream.length(&cut.units)).sum::<u32>();
    if 2 * length >= document.stream.length(stretch) {
        clauses
    } else {
        inside(document, stretch, words(document, unit))
    }
}

/// The parts of the original that are within a stretch.
fn inside(document: &Document, stretch: &Range<usize>, parts: Vec<Range<usize>>) -> Vec<Cut> {
    let cuts = parts.into_iter().map(|range| Cut { units: document.stream.units_of(&range), range });
    let is_inside = |cut: &Cut| stretch.start <= cut.units.start && cut.units.end <= stretch.end;
    cuts.filter(|cut| is_inside(cut) && !cut.units.is_empty()).collect()
}

fn push(cuts: &mut Vec<Cut>, cut: Cut, may_join: bool) {
    match cuts.last_mut() {
        Some(last) if may_join && last.units.end == cut.units.start => {
            last.range.end = cut.range.end;
            last.units.end = cut.units.end;
        }
        _ => cuts.push(cut),
    }
}

/// The words of text without sentences; every mark between words belongs to the word before it.
fn words(document: &Document, unit: usize) -> Vec<Range<usize>> {
    let range = &document.units()[unit].range;
    let sentence = &document.stream.original()[range.clone()];
    if sentence.len() > LONGEST_SEGMENTED {
        return spaced(sentence).into_iter().map(|word| range.start + word.start..range.start + word.end).collect();
    }
    let dictionary = Dictionary::embedded();
    let mut words: Vec<Range<usize>> = Vec::new();
    Cutter::new(&dictionary, Mode::Precise, true, false, false).cut(Text::CodePoints(sentence), |_, word| {
        words.push(word.start as usize..word.end as usize);
    });
    // A word as people see it goes on to the next space, if it is not in a script without spaces: don't, e-mail, v1.2.
    let mut joined: Vec<Range<usize>> = Vec::new();
    for word in words {
        let is_loose = |word: &Range<usize>| sentence[word.clone()].iter().all(|&point| class(point) != Class::Single);
        match joined.last_mut() {
            Some(last) if last.end >= word.start && is_loose(last) && is_loose(&word) => last.end = word.end,
            _ => joined.push(word),
        }
    }
    joined.into_iter().map(|word| range.start + word.start..range.start + word.end).collect()
}

/// The stretches between white space.
fn spaced(sentence: &[u32]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = 0;
    for part in sentence.split_inclusive(|&point| is_space(point)) {
        let word = trimmed(sentence, start..start + part.len());
        if !word.is_empty() {
            words.push(word);
        }
        start += part.len();
    }
    words
}
