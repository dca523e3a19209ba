//! The evidence that two documents share a passage: a local alignment of their common k-grams.

use super::{MIN_LETTERS, Place};
use crate::align::DENSE_FROM;
use crate::align::letters::LETTERS;
use crate::text::{Text, TextBlock};

/// Recent common k-grams that a further one is aligned with: a stretch may be repeated in the other document.
const RECENT: usize = 16;
/// Evidence that a k-gram beside boilerplate has in addition, in letters: a passage may extend into it.
const BESIDE_BOILERPLATE: u32 = 15;

/// Distances and evidence of common k-grams in a script.
#[derive(Clone, Copy)]
struct Script {
    /// Letters per unit.
    letters: u32,
    /// Length of a k-gram, in letters.
    gram: u32,
    /// Maximum distance of two k-grams of a passage in one text, in units.
    reach: u32,
    /// Maximum difference of the distances in both.
    drift: u32,
    /// Evidence for the shortest passage, in letters.
    evidence: u32,
}

const DENSE: Script = Script { letters: LETTERS, gram: 21, reach: 34, drift: 8, evidence: 33 };
const ALPHABETIC: Script = Script { letters: 1, gram: 12, reach: REACH, drift: 24, evidence: 27 };
/// The greater of the two distances.
pub const REACH: u32 = 94;
/// Between common k-grams, this fraction of the letters is lost as evidence.
const LOSS: u32 = 5;
/// Number of code points that show the script of a document.
const SAMPLE: usize = 2000;

impl Script {
    fn of(texts: &impl TextBlock, document: u32) -> Self {
        let (dense, all) = texts.with_text(document as usize, |text| dense_among(text, SAMPLE));
        if 4 * dense > all { DENSE } else { ALPHABETIC }
    }
}

/// Recent common k-grams of a document with each other document.
pub struct Meetings {
    recent: Vec<Recent>,
    touched: Vec<u32>,
    /// Evidence of a pair, in letters.
    required: u32,
    script: Script,
}

/// A common k-gram: its unit in both documents, and the evidence of a local alignment that ends with it, in letters.
type Meeting = (u32, u32, u32);

#[derive(Clone, Copy, Default)]
struct Recent {
    meetings: [Meeting; RECENT],
    count: u32,
    is_pair: bool,
}

impl Meetings {
    /// Begins a document whose passages have a minimum length in letters.
    pub fn begin(&mut self, texts: &impl TextBlock, document: u32, min_letters: u32) {
        self.script = Script::of(texts, document);
        self.required = self.script.evidence + min_letters.saturating_sub(MIN_LETTERS) / 2;
    }

    /// Creates the buffers for this number of documents.
    pub fn new(documents: usize) -> Self {
        Self { recent: vec![Recent::default(); documents], touched: Vec::new(), required: 0, script: DENSE }
    }

    /// Adds a common k-gram: its place in the current document, and its unit in another.
    pub fn add(&mut self, other: u32, place: Place, unit_there: u32) {
        let Self { recent, touched, required, script } = self;
        let recent = &mut recent[other as usize];
        if recent.is_pair {
            return;
        }
        if recent.count == 0 {
            touched.push(other);
        }
        let unit = place.unit();
        let alone = script.gram + if place.is_beside_boilerplate() { BESIDE_BOILERPLATE } else { 0 };
        let count = (recent.count as usize).min(RECENT);
        let with = |&(before, there, evidence): &Meeting| {
            let (step, step_there) = (unit - before, unit_there.wrapping_sub(there));
            let is_beside = 0 < step
                && step <= script.reach
                && step_there.wrapping_sub(step).wrapping_add(script.drift) <= 2 * script.drift;
            let letters = script.letters * step;
            let lost = letters.saturating_sub(script.gram) / LOSS;
            if is_beside { (evidence + letters.min(script.gram)).saturating_sub(lost).max(alone) } else { alone }
        };
        let evidence = recent.meetings[..count].iter().map(with).max().unwrap_or(alone);
        recent.is_pair = evidence >= *required;
        recent.meetings[recent.count as usize % RECENT] = (unit, unit_there, evidence);
        recent.count += 1;
    }

    /// The documents with enough evidence, ascending.
    pub fn take(&mut self) -> Vec<u32> {
        let mut pairs: Vec<u32> =
            self.touched.iter().copied().filter(|&other| self.recent[other as usize].is_pair).collect();
        self.touched.drain(..).for_each(|other| self.recent[other as usize] = Recent::default());
        pairs.sort_unstable();
        pairs
    }
}

/// Number of dense code points among the first ones of a text, and the number of these.
fn dense_among(text: Text<'_>, limit: usize) -> (usize, usize) {
    let count = |code_points: &mut dyn Iterator<Item = u32>| {
        code_points
            .take(limit)
            .fold((0, 0), |(dense, all), code_point| (dense + usize::from(code_point >= DENSE_FROM), all + 1))
    };
    match text {
        Text::Utf8(text) => count(&mut text.chars().map(u32::from)),
        Text::CodePoints(text) => count(&mut text.iter().copied()),
    }
}
