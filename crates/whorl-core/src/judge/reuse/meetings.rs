//! Where the k-grams of a document occur in earlier ones, and which of these have enough of them for a passage.

use super::Channel;
use crate::align::DENSE_FROM;
use crate::align::letters::LETTERS;
use crate::text::{Text, TextBlock};

/// Recent common k-grams that a further one is paired with.
const RECENT: usize = 16;
/// Number of code points that show the script of a document.
const SAMPLE: usize = 2000;

/// A common k-gram of two documents, the second first so that hits are ordered by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub b: u32,
    pub a: u32,
    /// Unit in the second document minus unit in the first.
    pub diagonal: i32,
    pub unit: u32,
}

/// A common k-gram: its unit in both documents, and the letters that it covers with those before it.
type Meeting = (u32, u32, u32);

#[derive(Clone, Copy, Default)]
struct Recent {
    meetings: [Meeting; RECENT],
    count: u32,
    is_touched: bool,
    is_pair: bool,
}

/// Recent common k-grams of a document with each other document.
pub(super) struct Meetings {
    recent: Vec<Recent>,
    touched: Vec<u32>,
    hits: Vec<(u32, i32, u32)>,
    channel: Channel,
    /// Letters per unit of the document.
    letters: u32,
}

impl Meetings {
    pub fn new(documents: usize, channel: Channel) -> Self {
        Self { recent: vec![Recent::default(); documents], touched: Vec::new(), hits: Vec::new(), channel, letters: 1 }
    }

    /// Prepares for the next document.
    pub fn begin(&mut self, texts: &impl TextBlock, document: u32) {
        self.letters = if texts.with_text(document as usize, is_dense) { LETTERS } else { 1 };
    }

    /// Maximum distance of two k-grams of a passage, in units of the document.
    pub fn reach(&self) -> u32 {
        self.channel.reach / self.letters
    }

    /// Makes a pair regardless of further evidence.
    pub fn add_pair(&mut self, other: u32) {
        self.touch(other);
        self.recent[other as usize].is_pair = true;
    }

    /// Records a common k-gram; `unit` is in the document and does not decrease, `place` is in the other one.
    pub fn add(&mut self, other: u32, unit: u32, place: u32) {
        if self.channel.with_runs {
            self.hits.push((other, unit as i32 - place as i32, unit));
        }
        if self.recent[other as usize].is_pair {
            return;
        }
        self.touch(other);
        let gram = self.channel.gram_letters();
        let (reach, drift) = (self.reach(), self.channel.drift / self.letters);
        let recent = &mut self.recent[other as usize];
        let letters = self.letters;
        let with = |&(before, there, covered): &Meeting| {
            let (step, step_there) = (unit - before, place.wrapping_sub(there));
            let is_beside = 0 < step && step <= reach && step_there.wrapping_sub(step).wrapping_add(drift) <= 2 * drift;
            if is_beside { covered + (letters * step).min(gram) } else { gram }
        };
        let filled = (recent.count as usize).min(RECENT);
        let covered = recent.meetings[..filled].iter().map(with).max().unwrap_or(gram);
        recent.is_pair = covered >= self.channel.min_letters;
        recent.meetings[recent.count as usize % RECENT] = (unit, place, covered);
        recent.count += 1;
    }

    fn touch(&mut self, other: u32) {
        let recent = &mut self.recent[other as usize];
        if !recent.is_touched {
            recent.is_touched = true;
            self.touched.push(other);
        }
    }

    /// The pairs of the document, and its common k-grams with each other one if these are wanted.
    pub fn take(&mut self, document: u32) -> (Vec<(u32, u32)>, Vec<Hit>) {
        let is_pair = |&other: &u32| self.recent[other as usize].is_pair;
        let ordered = |other: u32| (other.min(document), other.max(document));
        let pairs = self.touched.iter().copied().filter(is_pair).map(ordered).collect();
        self.touched.drain(..).for_each(|other| self.recent[other as usize] = Recent::default());
        let hit = |(other, diagonal, unit): (u32, i32, u32)| {
            if other < document {
                Hit { b: document, a: other, diagonal, unit }
            } else {
                Hit { b: other, a: document, diagonal: -diagonal, unit: (unit as i32 - diagonal) as u32 }
            }
        };
        (pairs, self.hits.drain(..).map(hit).collect())
    }
}

/// True if a quarter of the beginning of a text is dense.
fn is_dense(text: Text<'_>) -> bool {
    let count = |code_points: &mut dyn Iterator<Item = u32>| {
        code_points
            .take(SAMPLE)
            .fold((0, 0), |(dense, all), code_point| (dense + usize::from(code_point >= DENSE_FROM), all + 1))
    };
    let (dense, all) = match text {
        Text::Utf8(text) => count(&mut text.chars().map(u32::from)),
        Text::CodePoints(text) => count(&mut text.iter().copied()),
    };
    4 * dense > all
}
