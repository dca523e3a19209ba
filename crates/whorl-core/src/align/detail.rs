//! Sentence-level detail of a passage: the sentences that are copied word for word, and the agreement of facts.
//!
//! A passage can begin verbatim and end reworded, and its average describes neither part. Copying is therefore decided
//! per sentence. A sentence is *close* if at least [`CLOSE`] of it is in the other text, in order or, if the alignment
//! found exchanged parts, in any order. Near that threshold a sentence is counted in part, so that the copied share
//! decreases gradually as more words are replaced. In a Chinese sentence with names and code in Latin script, the
//! Chinese part must be similar by itself: two translations share the names and the code, however long.

use std::ops::Range;

use super::DENSE_FROM;
use super::diff::blocks;
use super::facts::titles::Subjects;
use super::facts::{Facts, compare_facts, equal_facts};
use super::letters::{LETTERS, letters};
use super::pair::CLOSE;
use super::pieces::boundary::ends_sentence;
use super::pieces::gap::Edits;
use super::runs::{RunKind, Step, Tokens, steps_between};
use super::stream::Stream;

/// Sentence-level detail of a passage.
#[derive(Debug, Default)]
pub(super) struct Detail {
    /// The edits as marked for readers.
    pub edits: Edits,
    /// For each text, the units of its close sentences.
    pub close: [Vec<Range<usize>>; 2],
    /// Units of close sentences that are missing from the other text, on the side with more of them, and homophones.
    pub edited_in_close: u32,
    /// Replaced units that are Han characters.
    pub replaced_han: u32,
    /// Replaced Han characters that are not homophones.
    pub substituted_han: u32,
    /// Stretches of words that only one text has.
    pub lone_words: u32,
    /// Agreement of its facts.
    pub facts: Facts,
}

impl Detail {
    /// Computes the detail for units of two streams, whose `edits` the alignment has counted. Linear as
    /// [`edit_runs`](super::runs::edit_runs). `subjects` are the words by which the titles differ.
    pub fn of(
        (a, of_a): (&Stream, Range<usize>),
        (b, of_b): (&Stream, Range<usize>),
        edits: Edits,
        subjects: &Subjects,
    ) -> Self {
        let is_equal = edits.replaced + edits.inserted + edits.deleted == 0;
        let tokens_b = Tokens::of(b, of_b.clone());
        if is_equal {
            return Self {
                edits,
                close: [vec![of_a], vec![of_b]],
                edited_in_close: 0,
                replaced_han: 0,
                substituted_han: 0,
                lone_words: 0,
                facts: equal_facts(&tokens_b),
            };
        }
        let tokens_a = Tokens::of(a, of_a.clone());
        let steps = steps_between(&tokens_a, &tokens_b);
        let mut alike = [vec![false; of_a.len()], vec![false; of_b.len()]];
        let (mut marked, mut replaced_han, mut substituted_han) = (Edits::default(), 0, 0);
        for step in &steps {
            let edits = step.edits(&tokens_a, &tokens_b);
            marked.add(edits);
            let han = step.han_of(edits.replaced, &tokens_a, &tokens_b);
            replaced_han += han;
            substituted_han += if step.kind == RunKind::Replaced { han } else { 0 };
            mark(&mut alike[0], tokens_a.places(&step.a), of_a.start, edits);
            mark(&mut alike[1], tokens_b.places(&step.b), of_b.start, edits);
        }
        // The alignment treats exchanged parts of a sentence as equal; the steps, which keep the order, do not.
        let is_reordered = edits.kept() >= CLOSE && marked.kept() < edits.kept();
        if is_reordered && marked.kept() < CLOSE {
            mark_units((a, &of_a), (b, &of_b), &mut alike);
        }
        let close_a = close_sentences(a, of_a.clone(), &alike[0], is_reordered.then_some((&tokens_a, &tokens_b)));
        let close_b = close_sentences(b, of_b.clone(), &alike[1], is_reordered.then_some((&tokens_b, &tokens_a)));
        let edited = |close: &[Range<usize>], alike: &[bool], from: usize| {
            let of_close = close.iter().flat_map(|units| &alike[units.start - from..units.end - from]);
            of_close.filter(|&&alike| !alike).count() as u32
        };
        let edited_a = edited(&close_a, &alike[0], of_a.start);
        let edited_b = edited(&close_b, &alike[1], of_b.start);
        Self {
            edits: marked,
            close: [close_a, close_b],
            edited_in_close: edited_a.max(edited_b) + marked.homophones,
            replaced_han,
            substituted_han,
            // A word that occurs elsewhere in the sentence is not missing.
            lone_words: if is_reordered { 0 } else { lone_words(&steps) },
            facts: compare_facts(&tokens_a, &tokens_b, &steps, subjects),
        }
    }
}

/// Number of steps with words of one text only.
fn lone_words(steps: &[Step]) -> u32 {
    steps.iter().filter(|step| step.a.is_empty() || step.b.is_empty()).count() as u32
}

/// Marks units of a step, up to the number that are alike.
fn mark(alike: &mut [bool], units: Range<usize>, from: usize, edits: Edits) {
    let start = units.start - from;
    let count = (edits.alike() as usize).min(units.len());
    alike[start..start + count].fill(true);
}

/// Marks the common units of both stretches, in order: letters without spaces are one long token.
fn mark_units((a, of_a): (&Stream, &Range<usize>), (b, of_b): (&Stream, &Range<usize>), alike: &mut [Vec<bool>; 2]) {
    let keys = |stream: &Stream, units: &Range<usize>| -> Vec<u64> {
        stream.units()[units.clone()].iter().map(|&unit| unit.into()).collect()
    };
    for block in blocks(&keys(a, of_a), &keys(b, of_b)) {
        alike[0][block.a..block.a + block.length].fill(true);
        alike[1][block.b..block.b + block.length].fill(true);
    }
}

/// Returns the sentences among some units if enough of each is alike; adjacent ones are merged.
fn close_sentences(
    stream: &Stream,
    units: Range<usize>,
    alike: &[bool],
    reordered: Option<(&Tokens<'_>, &Tokens<'_>)>,
) -> Vec<Range<usize>> {
    let words = reordered.map(|(own, other)| InAnyOrder::of(own, other));
    let mut close: Vec<Range<usize>> = Vec::new();
    let mut start = units.start;
    for end in units.start + 1..=units.end {
        if end < units.end && (stream.follows(end) || !ends_sentence(stream.before(end))) {
            continue;
        }
        let marks = &alike[start - units.start..end - units.start];
        let in_order = marks.iter().filter(|&&alike| alike).count();
        let in_any_order = words.as_ref().map_or(0, |words| words.shared(start..end));
        let share = in_order.max(in_any_order) as f64 / (end - start) as f64;
        // Reordered parts are not marked individually.
        let own_words = if in_any_order > in_order { 1.0 } else { own_words(&stream.units()[start..end], marks) };
        let counted = counted(share, own_words, end - start);
        match close.last_mut() {
            _ if counted == 0 => {}
            Some(last) if last.end == start => last.end = start + counted,
            _ => close.push(start..start + counted),
        }
        start = end;
    }
    close
}

/// The number of units of a sentence to count as copied, for a share that is alike: all well above [`CLOSE`], none well
/// below. Fewer if the part in the sentence's main script is less similar.
fn counted(share: f64, own_words: f64, length: usize) -> usize {
    let rise = |share: f64, from: f64| ((share - from) / (2.0 * SLOPE)).clamp(0.0, 1.0);
    let part = rise(share, CLOSE - SLOPE) * rise(own_words, CLOSE - 3.0 * SLOPE);
    (part * length as f64).round() as usize
}

/// The share of the Han characters, kana and syllables of a sentence that is alike; 1 if they make up less than a third
/// of it. Two translations share all names and code in Latin script.
fn own_words(sentence: &[u32], alike: &[bool]) -> f64 {
    let dense = sentence.iter().zip(alike).filter(|&(&unit, _)| unit >= DENSE_FROM);
    let (count, shared) =
        dense.fold((0_u32, 0_u32), |(count, shared), (_, &alike)| (count + 1, shared + u32::from(alike)));
    if LETTERS * DENSE_PART * count < letters(sentence) || count == 0 {
        1.0
    } else {
        f64::from(shared) / f64::from(count)
    }
}

/// At least one in this many letters of a sentence must be in dense script.
const DENSE_PART: u32 = 3;
/// Distance from [`CLOSE`] within which a sentence is counted in part.
const SLOPE: f64 = 0.1;

/// The words of a stretch that also occur anywhere in another.
struct InAnyOrder<'t, 's> {
    stretch: &'t Tokens<'s>,
    other: Vec<u64>,
}

impl<'t, 's> InAnyOrder<'t, 's> {
    fn of(stretch: &'t Tokens<'s>, other: &Tokens<'_>) -> Self {
        let mut other = other.keys().to_vec();
        other.sort_unstable();
        Self { stretch, other }
    }

    /// Number of units in such words.
    fn shared(&self, units: Range<usize>) -> usize {
        let tokens = self.stretch.within(units);
        let is_shared = |token: &usize| self.other.binary_search(&self.stretch.keys()[*token]).is_ok();
        tokens.filter(is_shared).map(|token| self.stretch.places(&(token..token + 1)).len()).sum()
    }
}
