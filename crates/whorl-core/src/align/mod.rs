//! Alignment: which passages of one text stand in another, and how they were changed.
//!
//! ```text
//! texts ─fold→ streams ─rare k-grams→ anchors ─chain→ chains ─cut, draw out→ pieces ─choose→ passages
//! ```
//!
//! Everything is linear in the texts, whatever they hold: see [`anchor`] and [`chain`] for the bounds.

pub mod anchor;
pub mod chain;
pub mod change;
pub mod gap;
pub mod pair;
pub mod piece;
pub mod stream;

use std::ops::Range;

use anchor::{Anchor, Anchors};
use chain::{Chains, Reach};
use change::{Change, moved};
use gap::Edits;
use piece::{Covered, Piece, Streams, common_ends, pieces, span};
use stream::Stream;

/// What depends on how much one code point says: a Han character says about as much as three letters.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Code points of an anchor at least.
    pub gram: usize,
    /// How far anchors of a chain may be apart.
    pub reach: Reach,
    /// A gap up to this length is bridged whatever stands in it.
    pub blind_gap: usize,
    /// A longer one is bridged if more of it is alike than this share, which texts reach by chance.
    pub alike_by_chance: f64,
    /// Where a passage is drawn out, at most so many code points are passed over at once,
    pub skip: usize,
    /// and so many must agree behind them.
    pub agreement: usize,
    /// Equal code points of a passage that proves by itself that texts are related.
    pub proof: u32,
    /// Equal code points of a passage of related texts that begins or ends inside a clause,
    pub least_inside: u32,
    /// and of one that is made of whole clauses.
    pub least: u32,
    /// The longest piece of another sentence that is cut off.
    pub overhang: usize,
}

const DENSE: Script = Script {
    gram: 3,
    reach: Reach { gap: 24, drift: 8 },
    blind_gap: 10,
    alike_by_chance: 0.3,
    skip: 4,
    agreement: 2,
    proof: 16,
    least_inside: 12,
    least: 6,
    overhang: 6,
};
const ALPHABETIC: Script = Script {
    gram: 8,
    reach: Reach { gap: 64, drift: 24 },
    blind_gap: 30,
    alike_by_chance: 0.6,
    skip: 8,
    agreement: 4,
    proof: 40,
    least_inside: 36,
    least: 16,
    overhang: 12,
};

impl Script {
    /// That of two streams taken together, and of their length: longer ones have fewer rare k-grams.
    fn of(a: &[u32], b: &[u32]) -> Self {
        let dense = |stream: &[u32]| stream.iter().filter(|&&unit| is_dense(unit)).count();
        let length = a.len() + b.len();
        let mut script = if 4 * (dense(a) + dense(b)) > length { DENSE } else { ALPHABETIC };
        script.gram += length.checked_ilog2().unwrap_or(0).saturating_sub(15) as usize / 2;
        script
    }
}

/// Scripts of thousands of characters, or of syllables.
#[inline(always)]
fn is_dense(unit: u32) -> bool {
    unit >= 0x2E80
}

/// A passage that two texts share.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Where it lies in the first text, in code points of the original.
    pub a: Range<usize>,
    /// Where it lies in the second text.
    pub b: Range<usize>,
    /// How many folded code points were changed.
    pub edits: Edits,
    /// How it was changed.
    pub change: Change,
    /// Whether it stands in another order than the other passages.
    pub moved: bool,
}

/// Aligns texts; one a worker, reused from pair to pair.
#[derive(Default)]
pub struct Aligner {
    anchors: Anchors,
    chains: Chains,
    pieces: Vec<Piece>,
    covered: Covered,
    chosen: Vec<Piece>,
}

impl Aligner {
    /// The passages that two texts share, in the order of the second text. Linear.
    pub fn align(&mut self, a: &Stream, b: &Stream) -> Vec<Passage> {
        let script = Script::of(a.units(), b.units());
        self.find_anchors(a.units(), b.units(), script);
        self.chains.link(&self.anchors.found, script.reach);
        let streams = Streams { a, b, script };
        self.choose(streams);
        if !self.are_related(streams) {
            return Vec::new();
        }
        let starts: Vec<usize> = self.chosen.iter().map(|piece| piece.a.start).collect();
        let passage = |(piece, moved): (&Piece, bool)| Passage {
            a: span(a, &piece.a),
            b: span(b, &piece.b),
            edits: piece.edits,
            change: Change::of(piece, a, b),
            moved,
        };
        self.chosen.iter().zip(moved(&starts)).map(passage).collect()
    }

    /// How many steps the last pair took that are not plainly one for each code point.
    pub fn steps(&self) -> u64 {
        self.anchors.steps
    }

    /// True if one passage is long enough to prove it, or is most of the shorter text.
    fn are_related(&self, streams: Streams<'_>) -> bool {
        let shorter = streams.a.units().len().min(streams.b.units().len()) as u32;
        let best = self.chosen.iter().map(|piece| piece.edits.matched).max().unwrap_or(0);
        best >= streams.script.proof || 5 * best >= 4 * shorter && best > 0
    }

    fn find_anchors(&mut self, a: &[u32], b: &[u32], script: Script) {
        self.anchors.find(a, b, script.gram);
        let (prefix, suffix) = common_ends(a, b);
        let mut add = |in_a: usize, in_b: usize, length: usize| {
            let anchor = Anchor { a: in_a as u32, b: in_b as u32, length: length as u32 };
            let is_all = length == a.len() && length == b.len();
            if length >= if is_all { 1 } else { script.gram } && !self.anchors.found.contains(&anchor) {
                self.anchors.found.push(anchor);
            }
        };
        add(0, 0, prefix);
        add(a.len() - suffix, b.len() - suffix, suffix);
        self.anchors.found.sort_unstable_by_key(|anchor| (anchor.b, anchor.a));
    }

    /// Takes the best chains first; what they cover belongs to no other.
    fn choose(&mut self, streams: Streams<'_>) {
        self.covered.clear(streams.a.units().len(), streams.b.units().len());
        self.chosen.clear();
        for chain in self.chains.chains() {
            pieces(chain, streams, &self.covered, &mut self.pieces);
            self.pieces.iter().for_each(|piece| self.covered.set(piece, true));
            for piece in &self.pieces {
                let mut drawn_out = piece.clone();
                streams.draw_out(&mut drawn_out, &self.covered);
                let chosen = is_passage(&drawn_out, streams);
                self.covered.set(if chosen { &drawn_out } else { piece }, chosen);
                self.chosen.extend(chosen.then_some(drawn_out));
            }
        }
        self.chosen.sort_unstable_by_key(|piece| piece.b.start);
        let covered = &self.covered;
        self.chosen.dedup_by(|next, piece| streams.join(piece, next, covered));
    }
}

fn is_passage(piece: &Piece, streams: Streams<'_>) -> bool {
    let matched = piece.edits.matched;
    let longer = piece.a.len().max(piece.b.len()) as u32;
    let script = streams.script;
    let whole = piece.a.len() == streams.a.units().len() && piece.b.len() == streams.b.units().len();
    2 * matched >= longer
        && (whole || matched >= script.least_inside || matched >= script.least && streams.is_of_clauses(piece))
}
