//! The judgement of one pair of texts: exact figures over their shingles, passages, and how much of each text they cover.

use std::ops::Range;

use super::stream::Stream;
use super::{Aligner, Passage};
use crate::frame::{Role, roles};
use crate::look_alike;
use crate::sentence::is_invisible;
use crate::shingle::window_hashes;
use crate::text::Text;
use crate::verify::{Scratch, overlap};

/// Tokens a shingle.
const SHINGLE: usize = 5;

/// How many code points of a text there are of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// That count.
    pub counted: u32,
    /// Of those, how many lie in passages.
    pub covered: u32,
}

/// One text of a pair.
#[derive(Default)]
pub struct Side {
    stream: Stream,
    restored: Vec<u32>,
    shingles: Vec<u64>,
    /// What its stretches are there for, those of the caller included.
    pub roles: Vec<(Role, Range<usize>)>,
    /// Invisible characters.
    pub hidden: u32,
    /// Whether its script is one of thousands of characters, at least in part.
    pub dense: bool,
    /// Characters that stand in for others that look the same.
    pub look_alikes: u32,
    covered: Vec<bool>,
    counted: Vec<bool>,
}

/// What is not counted, and not reported.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeaveOut {
    /// Quotations.
    pub quotations: bool,
    /// Lists of sources.
    pub references: bool,
    /// Passages with fewer equal code points.
    pub least: u32,
}

impl LeaveOut {
    fn has(self, role: Role) -> bool {
        match role {
            Role::Quotation => self.quotations,
            Role::Reference => self.references,
            Role::Boilerplate => true,
            Role::Title | Role::Byline => false,
        }
    }
}

/// One of two texts, and its stretches that are boilerplate.
#[derive(Clone, Copy, Debug)]
pub struct Given<'t> {
    /// Its code points.
    pub text: &'t [u32],
    /// Ranges of them.
    pub boilerplate: &'t [Range<usize>],
}

/// The judgement.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Distinct shingles of both texts, of the first, of the second.
    pub shingles: [u32; 3],
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
    /// Whether the titles differ; None where one is missing.
    pub title: Option<bool>,
    /// Whether the bylines differ.
    pub byline: bool,
}

/// Judges pairs; one a worker, reused from pair to pair.
#[derive(Default)]
pub struct Judge {
    aligner: Aligner,
    scratch: Scratch,
    marks: Vec<u8>,
    /// The first text of the last pair.
    pub a: Side,
    /// The second.
    pub b: Side,
}

impl Side {
    fn read(&mut self, given: Given<'_>) {
        let text = given.text;
        self.hidden = text.iter().map(|&code_point| u32::from(is_invisible(code_point))).sum();
        self.look_alikes = 0;
        if look_alike::may_be_in(text) {
            self.restored.clear();
            self.restored.extend_from_slice(text);
            self.look_alikes = look_alike::undo(&mut self.restored) as u32;
            self.stream.read(Text::CodePoints(&self.restored));
        } else {
            self.stream.read(Text::CodePoints(text));
        }
        self.shingles.clear();
        window_hashes(self.stream.tokens(), SHINGLE, &mut self.shingles);
        self.roles = roles(text);
        self.roles.extend(given.boilerplate.iter().map(|range| (Role::Boilerplate, range.clone())));
        self.dense = super::is_mostly_dense(&[self.stream.units()]);
    }

    /// The folded code points of the stretches with a role, a break between two.
    fn folded(&self, role: Role) -> Vec<&[u32]> {
        let of_role = self.roles.iter().filter(|(other, _)| *other == role);
        of_role.map(|(_, range)| &self.stream.units()[self.stream.units_in(range.clone())]).collect()
    }

    fn mark(&mut self, passages: impl Iterator<Item = Range<usize>>) {
        let count = self.stream.units().len();
        self.covered.clear();
        self.covered.resize(count, false);
        for span in passages {
            self.covered[self.stream.units_in(span)].fill(true);
        }
        self.counted.clear();
        self.counted.resize(count, true);
        self.leave_out(|role| matches!(role, Role::Title | Role::Byline));
        if !self.counted.contains(&true) {
            self.counted.fill(true);
        }
    }

    fn leave_out(&mut self, chosen: impl Fn(Role) -> bool) {
        for (_, range) in self.roles.iter().filter(|(role, _)| chosen(*role)) {
            self.counted[self.stream.units_in(range.clone())].fill(false);
        }
    }

    /// The role that most of a stretch has, if it is one that is left out.
    fn left_out(&self, span: &Range<usize>, leave_out: LeaveOut) -> Option<Role> {
        let overlap = |range: &Range<usize>| range.end.min(span.end).saturating_sub(range.start.max(span.start));
        let of_role = |role: Role| self.roles.iter().filter(move |(other, _)| *other == role).map(|(_, range)| range);
        [Role::Quotation, Role::Reference, Role::Boilerplate]
            .into_iter()
            .filter(|&role| leave_out.has(role))
            .find(|&role| 2 * of_role(role).map(overlap).sum::<usize>() > span.len())
    }

    /// Which units lie in passages.
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }

    fn share(&self) -> Share {
        let counted = self.counted.iter().filter(|&&counted| counted).count();
        let both = self.counted.iter().zip(&self.covered).filter(|&(&counted, &covered)| counted && covered).count();
        Share { counted: counted as u32, covered: both as u32 }
    }
}

impl Judge {
    /// Judges two texts, of the second what is not taken. Linear in both.
    pub fn judge(&mut self, a: Given<'_>, b: Given<'_>, leave_out: LeaveOut, taken: &[bool]) -> Judgement {
        self.a.read(a);
        self.b.read(b);
        let mut passages = self.aligner.align_beside(&self.a.stream, &self.b.stream, taken);
        let mut dropped = Vec::new();
        passages.retain(|passage| {
            let matched = passage.edits.matched;
            let why = if matched < leave_out.least {
                Some("least")
            } else {
                self.a
                    .left_out(&passage.a, leave_out)
                    .or_else(|| self.b.left_out(&passage.b, leave_out))
                    .map(Role::name)
            };
            dropped.extend(why.map(|why| (why, matched)));
            why.is_none()
        });
        self.a.mark(passages.iter().map(|passage| passage.a.clone()));
        self.b.mark(passages.iter().map(|passage| passage.b.clone()));
        let mut shares = [&mut self.a, &mut self.b].map(|side| {
            side.leave_out(|role| leave_out.has(role));
            let share = side.share();
            side.leave_out(|role| matches!(role, Role::Quotation | Role::Reference));
            (share, side.share())
        });
        let identical = !self.a.stream.units().is_empty() && self.a.stream.units() == self.b.stream.units();
        let shingles = overlap(&self.a.shingles, &self.b.shingles, &mut self.scratch, &mut self.marks);
        let (title_a, title_b) = (self.a.folded(Role::Title), self.b.folded(Role::Title));
        Judgement {
            shingles,
            identical,
            title: (!title_a.is_empty() && !title_b.is_empty()).then(|| title_a != title_b),
            byline: self.a.folded(Role::Byline) != self.b.folded(Role::Byline),
            own_words: shares.each_mut().map(|(_, own)| *own),
            shares: shares.map(|(share, _)| share),
            passages,
            dropped,
        }
    }
}
