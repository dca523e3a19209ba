//! Where a repeated passage is cut: at borders of sentences, else of clauses, else of words.
//!
//! A run of equal tokens begins and ends anywhere. Cut as it is, it would leave halves of sentences, which are worse
//! than a repetition. So only the whole sentences in it are cut, as long as they are at least half of it. Code blocks,
//! table rows and headings count as sentences.

use std::ops::Range;

use super::document::Document;
use super::layout::Form;
use super::units::clauses;
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
pub fn cuts(document: &Document, stretch: &Range<usize>) -> Vec<Cut> {
    let whole = document.stream.length(stretch);
    let first = document.spans().partition_point(|span| span.end <= stretch.start);
    let last = document.spans().partition_point(|span| span.start < stretch.end);
    let touched = first..last;
    let is_half = |cuts: &[Cut]| cuts.iter().map(|cut| document.stream.length(&cut.units)).sum::<u32>() * 2 >= whole;
    let sentences = within(document, stretch, touched.clone(), &|_, _| Vec::new());
    if is_half(&sentences) {
        return sentences;
    }
    let by_clause = within(document, stretch, touched.clone(), &|document, unit| {
        clauses(document.stream.original(), &document.units()[unit].range)
    });
    if is_half(&by_clause) {
        return by_clause;
    }
    within(document, stretch, touched, &words)
}

/// The units that lie within a stretch; of text at its ends, the parts that do.
fn within(
    document: &Document,
    stretch: &Range<usize>,
    touched: Range<usize>,
    parts: &dyn Fn(&Document, usize) -> Vec<Range<usize>>,
) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    let mut may_join = false;
    for unit in touched {
        let (range, span) = (&document.units()[unit].range, &document.spans()[unit]);
        if !document.units()[unit].stands_alone() || span.is_empty() {
            may_join &= span.is_empty();
            continue;
        }
        if stretch.start <= span.start && span.end <= stretch.end {
            push(&mut cuts, Cut { range: range.clone(), units: span.clone() }, may_join);
            may_join = true;
        } else if document.units()[unit].form == Form::Text {
            for part in parts(document, unit) {
                let units = document.stream.units_of(&part);
                let is_within = stretch.start <= units.start && units.end <= stretch.end;
                if is_within && !units.is_empty() {
                    push(&mut cuts, Cut { range: part, units }, may_join);
                }
                may_join = is_within;
            }
        } else {
            may_join = false;
        }
    }
    cuts
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
    for (end, part) in
        sentence.split_inclusive(|&point| crate::text::sentence::is_space(point)).map(|part| (part.len(), part))
    {
        let word = super::layout::trimmed(sentence, start..start + end);
        if !word.is_empty() && !part.is_empty() {
            words.push(word);
        }
        start += end;
    }
    words
}
