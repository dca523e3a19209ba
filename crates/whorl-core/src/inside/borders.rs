//! Where a repeated passage is cut: at borders of sentences, else of clauses, else of words.
//!
//! A run of equal tokens begins and ends anywhere. Cut as it is, it would leave halves of sentences, which are worse
//! than a repetition. The whole sentences in a run are cut, and a part of a sentence only if it is long enough to be
//! searched for itself, or if nothing else can be cut. Code blocks, table rows and headings count as sentences.

use std::ops::Range;

use super::document::Document;
use super::layout::{Form, trimmed};
use super::units::clauses;
use crate::text::sentence::is_space;
use crate::text::{Class, Text, class};
use crate::words::{Cutter, Dictionary, Mode};

/// The longest sentence that is segmented into words to cut it.
const LONGEST_SENTENCE: usize = 5000;

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
    let mut cuts = within(document, stretch, min_length);
    if cuts.is_empty() {
        cuts = within(document, stretch, 0);
    }
    cuts.iter_mut().for_each(|cut| leave_introduction(document, cut));
    cuts
}

/// Shortens a cut that ends with what belongs to the text behind it: a sentence with a colon, which introduces a list or
/// an example, the number of an item, or an opening bracket.
fn leave_introduction(document: &Document, cut: &mut Cut) {
    let (units, spans, text) = (document.units(), document.spans(), document.stream.original());
    while let Some(last) = spans.partition_point(|span| span.start < cut.units.end).checked_sub(1) {
        let is_whole = units[last].range.end == cut.range.end && cut.units.start < spans[last].start;
        let is_followed = last + 1 < units.len();
        if !is_whole || !is_followed || !introduces(&text[units[last].range.clone()]) {
            break;
        }
        cut.units.end = spans[last].start;
        let before = spans[..last].iter().rposition(|span| !span.is_empty());
        cut.range.end = before.map_or(cut.range.start, |unit| units[unit].range.end);
    }
    let is_open = |&point: &u32| char::from_u32(point).is_some_and(|sign| OPENING.contains(sign)) || is_space(point);
    let tail = text[cut.range.clone()].iter().rev().take_while(|point| is_open(point)).count();
    cut.range.end -= tail;
}

/// True for a sentence that ends with a colon, has only digits, or is a directive of reStructuredText with its `::`.
fn introduces(sentence: &[u32]) -> bool {
    let sign = |&point: &u32| char::from_u32(point).unwrap_or_default();
    let is_number = sentence.iter().map(sign).all(|sign| !sign.is_alphabetic());
    let is_double =
        |(at, pair): (usize, &[u32])| pair == [0x3A, 0x3A] && sentence.get(at + 2).is_none_or(|&point| is_space(point));
    let is_directive = sentence.windows(2).enumerate().any(is_double);
    is_number || is_directive || sentence.last().is_some_and(|point| matches!(sign(point), ':' | '：'))
}

/// The sentences within a stretch, and parts of sentences of at least `min_length`.
fn within(document: &Document, stretch: &Range<usize>, min_length: u32) -> Vec<Cut> {
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
        } else if text_unit.form == Form::Text && document.stream.length(&shared) >= min_length {
            for cut in parts(document, unit, &shared) {
                push(&mut cuts, cut, true);
            }
            may_join = true;
        } else {
            may_join = false;
        }
    }
    cuts
}

/// The clauses of a sentence within a stretch, if they are at least half of it; else its words.
fn parts(document: &Document, unit: usize, stretch: &Range<usize>) -> Vec<Cut> {
    let inside = |parts: Vec<Range<usize>>| -> Vec<Cut> {
        let cuts = parts.into_iter().map(|range| Cut { units: document.stream.units_of(&range), range });
        let is_inside = |cut: &Cut| stretch.start <= cut.units.start && cut.units.end <= stretch.end;
        cuts.filter(|cut| is_inside(cut) && !cut.units.is_empty()).collect()
    };
    let clauses = inside(clauses(document.stream.original(), &document.units()[unit].range));
    let length = clauses.iter().map(|cut| document.stream.length(&cut.units)).sum::<u32>();
    if 2 * length >= document.stream.length(stretch) { clauses } else { inside(words(document, unit)) }
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

/// The words of a sentence; every mark between words belongs to the word before it.
fn words(document: &Document, unit: usize) -> Vec<Range<usize>> {
    let range = &document.units()[unit].range;
    let sentence = &document.stream.original()[range.clone()];
    if sentence.len() > LONGEST_SENTENCE {
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
