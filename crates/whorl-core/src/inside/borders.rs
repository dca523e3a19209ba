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
    let cuts = within(document, stretch, min_length);
    if cuts.is_empty() { within(document, stretch, 0) } else { cuts }
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
