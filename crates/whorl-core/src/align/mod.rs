//! Alignment: finds the passages that two texts share, and how they were changed.
//!
//! ```text
//! texts ─fold→ streams ─rare k-grams→ anchors ─chain→ chains ─cut, extend→ pieces ─choose, prove→ passages
//! ```
//!
//! Every step is linear in the texts, whatever they contain: see [`pieces::anchor`] and [`pieces::chain`] for the
//! bounds.

mod change;
mod clauses;
pub mod compilation;
mod content;
mod detail;
mod diff;
pub mod facts;
pub mod letters;
pub mod outline;
pub mod pair;
mod pieces;
pub mod relation;
pub mod runs;
mod shelf;
mod side;
pub mod sources;
mod spacing;
mod stream;
mod stretches;
pub mod translation;

use std::ops::Range;

use change::{Change, moved};
use clauses::{Clauses, DENSE_CLAUSES, SPARSE_CLAUSES};
use pieces::anchor::{Anchor, Anchors};
use pieces::chain::{Chains, Reach};
use pieces::gap::Edits;
use pieces::piece::{Covered, Piece, Streams, common_ends, pieces, span};
use side::SHINGLE;
use stream::Stream;

use crate::text::pinyin::Pinyin;

/// Parameters that depend on the information per code point: a Han character is worth about three letters.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// Minimum length of an anchor, in code points.
    pub gram: usize,
    /// Maximum distance between anchors of a chain.
    pub reach: Reach,
    /// Gaps up to this length are bridged regardless of their contents.
    pub blind_gap: usize,
    /// A longer gap is bridged if the share that is alike exceeds this level, which texts reach by chance.
    pub alike_by_chance: f64,
    /// Maximum number of code points skipped at a time when a passage is extended,
    pub skip: usize,
    /// and the number that must agree after them.
    pub agreement: usize,
    /// Minimum number of equal code points of a passage that begins or ends inside a clause,
    pub least_inside: u32,
    /// and of one that consists of whole clauses.
    pub min_equal: u32,
    /// Number of consecutive equal code points of anchors that suggest more than chance.
    pub hint: u32,
    /// The shape of clauses, of [`clauses::SHAPES`].
    pub clauses: usize,
    /// Number of code points of similar clauses that prove a relation by themselves.
    pub rewritten: u32,
    /// Whether the script has homophones.
    pub has_sounds: bool,
    /// Maximum length of a piece of another sentence that is removed.
    pub overhang: usize,
    /// Maximum gap between passages that support each other.
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
    min_equal: 6,
    overhang: 6,
    beside: 4,
    hint: 8,
    clauses: DENSE_CLAUSES,
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
    min_equal: 16,
    overhang: 12,
    beside: 12,
    hint: 24,
    clauses: SPARSE_CLAUSES,
    rewritten: 120,
    has_sounds: false,
};

impl Script {
    /// The parameters for the script of two streams and for their length: longer ones have fewer rare k-grams.
    fn of(a: &[u32], b: &[u32]) -> Self {
        let length = a.len() + b.len();
        let mut script = if is_mostly_dense(&[a, b]) { DENSE } else { ALPHABETIC };
        script.gram += length.checked_ilog2().unwrap_or(0).saturating_sub(15) as usize / 2;
        script
    }
}

/// Code points from here on are mostly Han characters, kana or Hangul syllables.
pub const DENSE_FROM: u32 = 0x2E80;

/// True if a quarter of the text is Han characters, kana or Hangul syllables.
fn is_mostly_dense(streams: &[&[u32]]) -> bool {
    let length: usize = streams.iter().map(|stream| stream.len()).sum();
    let dense = |stream: &&[u32]| stream.iter().filter(|&&unit| unit >= DENSE_FROM).count();
    4 * streams.iter().map(dense).sum::<usize>() > length
}

/// A passage that two texts share.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Its range in the first text, in code points of the original.
    pub a: Range<usize>,
    /// Its range in the second text.
    pub b: Range<usize>,
    /// Changed folded code points, as counted by the alignment. Decisions use these counts, in which a sentence in
    /// another order is equal.
    pub edits: Edits,
    /// Changed folded code points, as marked for readers in order ([`runs`]); available after the outline is computed.
    pub marked: Edits,
    /// The kind of change.
    pub change: Change,
    /// Whether it is in another order than the other passages.
    pub moved: bool,
    /// Whether it consists of sentences that were aligned by their content, not by common text.
    pub is_of_content: bool,
}

/// The sounds of a stream. A stream that is paired with many others in a row is read once.
#[derive(Default)]
struct Sounds {
    units: Vec<u32>,
    sounds: Vec<u32>,
}

impl Sounds {
    fn of(&mut self, units: &[u32]) -> &[u32] {
        if self.units != units {
            let pinyin = Pinyin::get();
            self.units.clear();
            self.units.extend_from_slice(units);
            self.sounds.clear();
            self.sounds.extend(units.iter().map(|&unit| pinyin.sound(unit)));
        }
        &self.sounds
    }
}

/// Aligns texts; one per worker, reused from pair to pair.
#[derive(Default)]
pub(crate) struct Aligner {
    anchors: Anchors,
    anchors_by_sound: Anchors,
    chains: Chains,
    pieces: Vec<Piece>,
    covered: Covered,
    clauses: Clauses,
    sounds: [Sounds; 2],
    /// False if the streams certainly have no common stretch of the minimum length of a shingle.
    pub may_share_shingles: bool,
    chosen: Vec<Piece>,
}

impl Aligner {
    /// Aligns the parts of the second text that are not in `claimed`, and returns the shared pieces in the order of the
    /// second text. Units without a value in `claimed` are available. Linear.
    ///
    /// Texts are first aligned as written. If much of the shorter text remains uncovered and there is a hint of a
    /// relation, they are then aligned by sound, and then by clauses. Boilerplate is not a hint.
    pub fn align_beside(&mut self, a: &Stream, b: &Stream, claimed: &[bool]) -> &[Piece] {
        let script = Script::of(a.units(), b.units());
        let streams = Streams { a, b, script };
        self.covered.clear(a.units().len(), b.units().len());
        self.covered.b[..claimed.len()].copy_from_slice(claimed);
        self.chosen.clear();
        self.find_anchors(a.units(), b.units(), script);
        self.may_share_shingles = self.anchors.may_share(SHINGLE);
        self.chains.link(&self.anchors.stretches, script.reach);
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

    /// The pieces of the last alignment, in the order of the second text.
    pub fn aligned(&self) -> &[Piece] {
        &self.chosen
    }

    /// Joins pieces that belong together, and drops those without enough evidence.
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

    /// Number of evidential units of the best chain among those that are mostly evidential.
    fn best_own_chain(&self, streams: Streams<'_>) -> usize {
        let evidential = |anchor: &Anchor| streams.telling(anchor.in_a(), anchor.in_b());
        let chains = self.chains.chains().map(|chain| (length_of(chain), chain.iter().map(evidential).sum()));
        chains
            .filter(|&(length, evidential): &(u32, usize)| 2 * evidential >= length as usize)
            .map(|(_, evidential)| evidential)
            .next()
            .unwrap_or(0)
    }

    /// True if less of the shorter text is covered than in a copy.
    fn is_wanting(&self, streams: Streams<'_>) -> bool {
        let shorter = streams.a.units().len().min(streams.b.units().len());
        let covered: usize = self.chosen.iter().map(|piece| piece.b.len()).sum();
        (covered as f64) < WELL_COVERED * shorter as f64
    }

    /// Aligns uncovered text by sound.
    fn listen(&mut self, streams: Streams<'_>) {
        let script = streams.script;
        if !script.has_sounds {
            return;
        }
        let [a, b] = &mut self.sounds;
        self.anchors_by_sound.find(a.of(streams.a.units()), b.of(streams.b.units()), script.gram + 1);
        self.chains.link(&self.anchors_by_sound.stretches, script.reach);
        self.choose(streams);
    }

    fn find_anchors(&mut self, a: &[u32], b: &[u32], script: Script) {
        self.anchors.find(a, b, script.gram);
        let (prefix, suffix) = common_ends(a, b);
        let mut add = |in_a: usize, in_b: usize, length: usize| {
            let anchor = Anchor { a: in_a as u32, b: in_b as u32, length: length as u32 };
            let is_all = length == a.len() && length == b.len();
            if length >= if is_all { 1 } else { script.gram } && !self.anchors.stretches.contains(&anchor) {
                self.anchors.stretches.push(anchor);
            }
        };
        add(0, 0, prefix);
        add(a.len() - suffix, b.len() - suffix, suffix);
        self.anchors.stretches.sort_unstable_by_key(|anchor| (anchor.b, anchor.a));
    }

    /// Takes chains from best to worst; what one covers is not available to the others.
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

/// Converts pieces of two streams to passages.
fn passages(pieces: &[Piece], a: &Stream, b: &Stream) -> Vec<Passage> {
    let starts: Vec<usize> = pieces.iter().map(|piece| piece.a.start).collect();
    let passage = |(piece, moved): (&Piece, bool)| Passage {
        a: span(a, &piece.a),
        b: span(b, &piece.b),
        edits: piece.edits,
        marked: piece.edits,
        change: Change::of(piece, a, b),
        moved,
        is_of_content: false,
    };
    pieces.iter().zip(moved(&starts)).map(passage).collect()
}

/// Share of the shorter text at which the search ends.
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
        && (whole || matched >= script.least_inside || matched >= script.min_equal && streams.is_of_clauses(piece))
}
