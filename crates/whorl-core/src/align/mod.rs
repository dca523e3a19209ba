//! Alignment: which passages of one text stand in another, and how they were changed.
//!
//! ```text
//! texts ─fold→ streams ─rare k-grams→ anchors ─chain→ chains ─cut, draw out→ pieces ─choose, prove→ passages
//! ```
//!
//! Everything is linear in the texts, whatever they hold: see [`anchor`] and [`chain`] for the bounds.

mod anchor;
mod chain;
mod change;
mod clause;
mod cohesion;
pub mod compilation;
pub mod dates;
mod detail;
mod diff;
mod extend;
pub mod facts;
mod formal;
mod gap;
mod letters;
pub mod outline;
pub mod pair;
mod piece;
mod proof;
pub mod relation;
pub mod runs;
mod shelf;
mod shuffle;
mod side;
pub mod sources;
mod spacing;
mod stream;
mod stretches;
pub mod titles;
mod word;

use std::ops::Range;

use anchor::{Anchor, Anchors};
use chain::{Chains, Reach};
use change::{Change, moved};
use clause::Clauses;
use gap::Edits;
use piece::{Covered, Piece, Streams, common_ends, pieces, span};
use side::SHINGLE;
use stream::{CLAUSE_GRAMS, Stream};

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
    /// Equal code points of a passage that begins or ends inside a clause,
    pub least_inside: u32,
    /// and of one that is made of whole clauses.
    pub least: u32,
    /// Equal code points in a row of anchors that hint at more than chance.
    pub hint: u32,
    /// Code points of a clause at least,
    pub least_clause: usize,
    /// and of the k-grams that clauses are compared by.
    pub clause_gram: usize,
    /// Code points of alike clauses that prove by themselves that texts are related.
    pub rewritten: u32,
    /// Whether characters of this script can sound alike.
    pub has_sounds: bool,
    /// The longest piece of another sentence that is cut off.
    pub overhang: usize,
    /// The longest gap between passages that speak for each other.
    pub beside: usize,
}

const DENSE: Script = Script {
    gram: 3,
    reach: Reach { gap: 24, drift: 8 },
    blind_gap: 10,
    alike_by_chance: 0.3,
    skip: 4,
    agreement: 2,
    least_inside: 12,
    least: 6,
    overhang: 6,
    beside: 4,
    hint: 8,
    least_clause: 4,
    clause_gram: CLAUSE_GRAMS[0],
    rewritten: 40,
    has_sounds: true,
};
const ALPHABETIC: Script = Script {
    gram: 8,
    reach: Reach { gap: 64, drift: 24 },
    blind_gap: 30,
    alike_by_chance: 0.6,
    skip: 8,
    agreement: 4,
    least_inside: 36,
    least: 16,
    overhang: 12,
    beside: 12,
    hint: 24,
    least_clause: 12,
    clause_gram: CLAUSE_GRAMS[1],
    rewritten: 120,
    has_sounds: false,
};

impl Script {
    /// That of two streams taken together, and of their length: longer ones have fewer rare k-grams.
    fn of(a: &[u32], b: &[u32]) -> Self {
        let length = a.len() + b.len();
        let mut script = if is_mostly_dense(&[a, b]) { DENSE } else { ALPHABETIC };
        script.gram += length.checked_ilog2().unwrap_or(0).saturating_sub(15) as usize / 2;
        script
    }
}

/// From here on a code point is a Han character, kana or a syllable of Hangul, for the most part.
pub const DENSE_FROM: u32 = 0x2E80;

/// True where a quarter of what is written is Han characters, kana or syllables of Hangul.
fn is_mostly_dense(streams: &[&[u32]]) -> bool {
    let length: usize = streams.iter().map(|stream| stream.len()).sum();
    let dense = |stream: &&[u32]| stream.iter().filter(|&&unit| unit >= DENSE_FROM).count();
    4 * streams.iter().map(dense).sum::<usize>() > length
}

/// A passage that two texts share.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Where it lies in the first text, in code points of the original.
    pub a: Range<usize>,
    /// Where it lies in the second text.
    pub b: Range<usize>,
    /// How many folded code points were changed, as the alignment counted them when it chose the passage. Its figures
    /// judge: a sentence in another order is equal here.
    pub edits: Edits,
    /// How many the marks show that readers see ([`runs`]), in order; known once there is an outline.
    pub marked: Edits,
    /// How it was changed.
    pub change: Change,
    /// Whether it stands in another order than the other passages.
    pub moved: bool,
}

/// Aligns texts; one a worker, reused from pair to pair.
#[derive(Default)]
pub(crate) struct Aligner {
    anchors: Anchors,
    chains: Chains,
    pieces: Vec<Piece>,
    covered: Covered,
    clauses: Clauses,
    sounds: (Vec<u32>, Vec<u32>),
    /// False if the streams have not as many units in a row in common as a shingle has at least.
    pub may_share_shingles: bool,
    chosen: Vec<Piece>,
}

impl Aligner {
    /// What two texts share, in the order of the second text, of what is not taken of it; nothing is taken where `taken`
    /// has no value for a unit. Linear.
    ///
    /// First by what is written. Where that leaves much of the shorter text uncovered, and gives a hint that the texts
    /// are related, then by what it sounds like, and then by clauses. What is nobody's own gives no hint.
    pub fn align_beside(&mut self, a: &Stream, b: &Stream, taken: &[bool]) -> &[Piece] {
        let script = Script::of(a.units(), b.units());
        let streams = Streams { a, b, script };
        self.covered.clear(a.units().len(), b.units().len());
        self.covered.b[..taken.len()].copy_from_slice(taken);
        self.chosen.clear();
        self.find_anchors(a.units(), b.units(), script);
        self.may_share_shingles = self.anchors.may_share(SHINGLE);
        self.chains.link(&self.anchors.found, script.reach);
        let hint = self.best_own_chain(streams) >= script.hint as usize;
        self.choose(streams);
        if hint && self.is_wanting(streams) {
            self.listen(streams);
        }
        if hint && self.is_wanting(streams) {
            let related = self.chosen.iter().any(|piece| streams.proves(piece) && streams.is_own(piece));
            self.clauses.find(streams, &mut self.covered, related, &mut self.chosen);
        }
        self.settle(streams);
        &self.chosen
    }

    /// Joins what belongs together, and drops what proves nothing.
    fn settle(&mut self, streams: Streams<'_>) {
        self.chosen.sort_unstable_by_key(|piece| piece.b.start);
        let covered = &self.covered;
        self.chosen.dedup_by(|next, piece| streams.join(piece, next, covered));
        self.chosen.dedup_by(|next, piece| streams.join_in_sentence(piece, next, covered));
        streams.join_shuffled(&mut self.chosen, covered);
        self.chosen
            .dedup_by(|next, piece| streams.join(piece, next, covered) || streams.join_changed(piece, next, covered));
        streams.keep_proven(&mut self.chosen);
        self.chosen.retain_mut(|piece| streams.end_at_words(piece, &mut self.covered));
    }

    /// How many units of the best chain prove something, of those of which most do.
    fn best_own_chain(&self, streams: Streams<'_>) -> usize {
        let own = |anchor: &Anchor| streams.telling(anchor.in_a(), anchor.in_b());
        let chains = self.chains.chains().map(|chain| (length_of(chain), chain.iter().map(own).sum()));
        chains
            .filter(|&(length, own): &(u32, usize)| 2 * own >= length as usize)
            .map(|(_, own)| own)
            .next()
            .unwrap_or(0)
    }

    /// True if less of the shorter text is covered than a copy would be.
    fn is_wanting(&self, streams: Streams<'_>) -> bool {
        let shorter = streams.a.units().len().min(streams.b.units().len());
        let covered: usize = self.chosen.iter().map(|piece| piece.b.len()).sum();
        (covered as f64) < WELL_COVERED * shorter as f64
    }

    /// Looks for what sounds alike where nothing is covered.
    fn listen(&mut self, streams: Streams<'_>) {
        let script = streams.script;
        if !script.has_sounds {
            return;
        }
        let (sounds_a, sounds_b) = (&mut self.sounds.0, &mut self.sounds.1);
        streams.a.sound(sounds_a);
        streams.b.sound(sounds_b);
        self.anchors.find(sounds_a, sounds_b, script.gram + 1);
        self.chains.link(&self.anchors.found, script.reach);
        self.choose(streams);
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
        for chain in self.chains.chains() {
            pieces(chain, streams, &self.covered, &mut self.pieces);
            self.pieces.iter().for_each(|piece| self.covered.set(piece, true));
            for piece in &self.pieces {
                let mut drawn_out = piece.clone();
                let chosen = streams.draw_out(&mut drawn_out, &self.covered) && is_passage(&drawn_out, streams);
                self.covered.set(piece, false);
                if chosen {
                    self.covered.set(&drawn_out, true);
                }
                self.chosen.extend(chosen.then_some(drawn_out));
            }
        }
    }
}

/// The passages that pieces of two streams are.
fn passages(pieces: &[Piece], a: &Stream, b: &Stream) -> Vec<Passage> {
    let starts: Vec<usize> = pieces.iter().map(|piece| piece.a.start).collect();
    let passage = |(piece, moved): (&Piece, bool)| Passage {
        a: span(a, &piece.a),
        b: span(b, &piece.b),
        edits: piece.edits,
        marked: piece.edits,
        change: Change::of(piece, a, b),
        moved,
    };
    pieces.iter().zip(moved(&starts)).map(passage).collect()
}

/// The share of the shorter text from which on nothing else is looked for.
const WELL_COVERED: f64 = 0.8;

fn length_of(chain: &[Anchor]) -> u32 {
    chain.iter().map(|anchor| anchor.length).sum()
}

fn is_passage(piece: &Piece, streams: Streams<'_>) -> bool {
    let matched = piece.edits.alike();
    let longer = piece.a.len().max(piece.b.len()) as u32;
    let script = streams.script;
    let whole = piece.a.len() == streams.a.units().len() && piece.b.len() == streams.b.units().len();
    2 * matched >= longer
        && (whole || matched >= script.least_inside || matched >= script.least && streams.is_of_clauses(piece))
}
