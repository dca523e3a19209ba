//! The judgement of one pair of texts: exact figures over their shingles, passages, and how much of each text they cover.

use std::ops::Range;

use super::piece::span;
use super::{Aligner, Passage, passages};
use crate::measure::verify::{Scratch, overlap};
use crate::text::frame::Role;

use super::side::SHINGLE;
pub use super::side::{Given, LeaveOut, Prepared, Share, Side, new_names};
pub use super::stream::Stream;

/// A passage of which the first text has less than this share is rewritten: it shows where words come from, and proves
/// nothing by itself, since reports in the words of a template share as much.
pub(crate) const CLOSE: f64 = 0.8;

/// What covers this share of a text is all of it, but for what changes from one edition to the next.
const WHOLE: f64 = 0.9;

/// The judgement.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Equal folded texts that are not empty.
    pub identical: bool,
    /// What they share, in the order of the second text.
    pub passages: Vec<Passage>,
    /// Why passages are not reported, each with its equal code points.
    pub dropped: Vec<(&'static str, u32)>,
    /// Folded code points of the bodies.
    pub shares: [Share; 2],
    /// The same, without quotations and references, whether they are left out or not.
    pub own_words: [Share; 2],
    /// Of [`shares`](Self::shares), how many code points lie in close passages.
    pub close: [u32; 2],
    /// Whether the titles differ; None where one is missing.
    pub title: Option<bool>,
    /// Whether the bylines differ.
    pub byline: bool,
}

/// How much of a text another one has.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// Folded code points of its body, without boilerplate.
    pub share: Share,
    /// What the longest passage says without boilerplate, in letters.
    pub longest: u32,
}

/// Judges pairs; one a worker, reused from pair to pair. A text of the last pair is not read again.
#[derive(Default)]
pub struct Judge {
    aligner: Aligner,
    scratch: Scratch,
    marks: Vec<u8>,
    covered: Vec<bool>,
    /// The first text of the last pair.
    pub a: Side,
    /// The second.
    pub b: Side,
}

impl Judge {
    /// Judges two texts, of the second what is not taken. Linear in both.
    pub fn judge(&mut self, a: Given<'_>, b: Given<'_>, leave_out: LeaveOut, taken: &[bool]) -> Judgement {
        let mut dropped = Vec::new();
        let mut passages = self.aligned(a, b, leave_out, taken);
        passages.retain(|passage| {
            let why = self.why_not(passage, leave_out);
            dropped.extend(why.map(|why| (why, passage.edits.matched)));
            why.is_none()
        });
        let close = self.close(&passages);
        let [share_a, own_a] = self.a.cover(passages.iter().map(|passage| passage.a.clone()));
        let [share_b, own_b] = self.b.cover(passages.iter().map(|passage| passage.b.clone()));
        let both_have = |role: Role| self.a.folded(role).next().is_some() && self.b.folded(role).next().is_some();
        let differ = |role: Role| !self.a.folded(role).eq(self.b.folded(role));
        Judgement {
            identical: !self.a.stream.units().is_empty() && self.a.stream.units() == self.b.stream.units(),
            title: both_have(Role::Title).then(|| differ(Role::Title)),
            byline: differ(Role::Byline),
            shares: [share_a, share_b],
            own_words: [own_a, own_b],
            close: close.unwrap_or([share_a.covered, share_b.covered]),
            passages,
            dropped,
        }
    }

    /// How much of the second text lies in close passages that the first has. Linear in both.
    pub fn copied(&mut self, a: &Prepared, b: &Prepared) -> Copied {
        let pieces = self.aligner.align_beside(&a.stream, &b.stream, &[]);
        let close = pieces.iter().filter(|piece| piece.edits.kept() >= CLOSE);
        Copied {
            longest: close.clone().map(|piece| b.letters(piece.b.clone())).max().unwrap_or(0),
            share: b.share(close.map(|piece| span(&b.stream, &piece.b)), &mut self.covered),
        }
    }

    /// How many counted code points of both lie in close passages; None where all passages are close.
    fn close(&mut self, passages: &[Passage]) -> Option<[u32; 2]> {
        let is_close = |passage: &&Passage| passage.edits.kept() >= CLOSE;
        if passages.iter().all(|passage| is_close(&passage)) {
            return None;
        }
        let of_a = self.a.cover(passages.iter().filter(is_close).map(|passage| passage.a.clone()))[0];
        let of_b = self.b.cover(passages.iter().filter(is_close).map(|passage| passage.b.clone()))[0];
        Some([of_a.covered, of_b.covered])
    }

    fn aligned(&mut self, a: Given<'_>, b: Given<'_>, leave_out: LeaveOut, taken: &[bool]) -> Vec<Passage> {
        if self.a.is(b) || self.b.is(a) {
            std::mem::swap(&mut self.a, &mut self.b);
        }
        self.a.read(a, leave_out);
        self.b.read(b, leave_out);
        let (a, b) = (&self.a.stream, &self.b.stream);
        passages(self.aligner.align_beside(a, b, taken), a, b)
    }

    fn why_not(&self, passage: &Passage, leave_out: LeaveOut) -> Option<&'static str> {
        if let Some(role) = self.b.spent(&passage.b) {
            return Some(role.name());
        }
        if (passage.edits.matched as usize).saturating_sub(self.b.left_out(&passage.b)) < leave_out.least as usize {
            return Some("least");
        }
        let is_boilerplate = self.a.is_boilerplate(&passage.a) || self.b.is_boilerplate(&passage.b);
        (is_boilerplate && !self.is_copy_under_boilerplate(passage)).then(|| Role::Boilerplate.name())
    }

    /// Whether a passage of boilerplate for the most part is nearly all of both texts, and alike in what is no
    /// boilerplate as well: not so two forms filled in, nor what is left of a licence.
    fn is_copy_under_boilerplate(&self, passage: &Passage) -> bool {
        let is_whole = |side: &Side, span: &Range<usize>| {
            side.stream.units_in(span.clone()).len() as f64 >= WHOLE * side.length() as f64
        };
        let units = self.b.stream.units_in(passage.b.clone());
        let own = self.b.stream.telling(units.clone());
        let alike = (passage.edits.alike() as usize).saturating_sub(units.len() - own);
        is_whole(&self.a, &passage.a) && is_whole(&self.b, &passage.b) && alike as f64 >= CLOSE * own as f64 && own > 0
    }

    /// Distinct shingles of both texts of the last pair, of the first, of the second; zeros where both have none.
    ///
    /// A shingle has five units or more, unless it is a whole text.
    pub fn shingles(&mut self) -> [u32; 3] {
        let are_short = [&self.a, &self.b].iter().any(|side| !side.stream.has_tokens(SHINGLE));
        if !self.aligner.may_share_shingles && !are_short {
            return [0; 3];
        }
        overlap(self.a.shingles(), self.b.shingles(), &mut self.scratch, &mut self.marks)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let clauses = [
            "雾散之后渡口又热闹起来",
            "船老大说今天要多跑两趟",
            "冰厂添了两台新机器",
            "the harbour was closed to ships",
        ];
        let clause =
            prop_oneof![prop::sample::select(clauses.to_vec()).prop_map(String::from), "[雾散之后渡口又热闹aé]{1,12}"];
        prop::collection::vec((clause, prop::sample::select(vec!["，", "。", "\n", " "])), 0..12)
            .prop_map(|parts| parts.into_iter().map(|(clause, end)| clause + end).collect())
    }

    proptest! {
        #[test]
        fn texts_that_are_still_here_are_judged_as_others_are(
            texts in prop::collection::vec(text(), 1..4),
            pairs in prop::collection::vec((0..4_usize, 0..4_usize), 1..12),
        ) {
            let texts: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let name = new_names();
            let given = |place: usize| Given::plain((name, place), &texts[place]);
            let told = |judge: &mut Judge, a: usize, b: usize| {
                let mut judgement = judge.judge(given(a), given(b), LeaveOut::default(), &[]);
                let outline = judge.outline(&mut judgement);
                format!("{judgement:?} {outline:?} {:?}", judge.shingles())
            };
            let mut judge = Judge::default();
            for (a, b) in pairs.into_iter().map(|(a, b)| (a % texts.len(), b % texts.len())) {
                prop_assert_eq!(told(&mut judge, a, b), told(&mut Judge::default(), a, b));
            }
        }

        #[test]
        fn texts_that_were_prepared_are_judged_as_others_are(texts in prop::collection::vec(text(), 2..5)) {
            let texts: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let mut side = Side::default();
            let prepared: Vec<Prepared> = texts.iter().map(|text| side.prepare(text, &|_| Vec::new())).collect();
            let mut judge = Judge::default();
            let given = |place: usize| Given::plain((new_names(), place), &texts[place]);
            for a in 0..texts.len() {
                for b in 0..texts.len() {
                    let judgement = Judge::default().judge(given(a), given(b), LeaveOut::default(), &[]);
                    let expected = Share { covered: judgement.close[1], ..judgement.shares[1] };
                    prop_assert_eq!(judge.copied(&prepared[a], &prepared[b]).share, expected);
                }
            }
        }
    }
}
