//! Fingerprints of many texts at once: what a batch run writes down of each document.

pub mod granule;
pub mod nshash;
pub mod simhash;
pub mod sketch;
pub mod structure;
pub mod terms;
pub mod winnow;

use rayon::prelude::*;

use self::sketch::{Sketcher, band_keys, k_function_minhash, pack_code};
use self::winnow::Winnower;
use crate::hash::named_hash::NamedHash;
use crate::text::Text;
use crate::text::body::{self, Bodies};
use crate::text::pinyin::Pinyin;
use crate::text::shingle::FoldedText;
use crate::text::shingle_text::ShingleText;

/// Texts that one worker takes at a time.
pub(crate) const TEXTS_A_TASK: usize = 64;

/// Texts by position, readable from any thread.
pub trait TextBlock: Sync {
    /// How many texts there are.
    fn len(&self) -> usize;
    /// Calls `read` with text `index`; a missing text is empty.
    fn with_text<R>(&self, index: usize, read: impl FnOnce(Text<'_>) -> R) -> R;
    /// True when there is no text.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How keys and codes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The lower half of the digest is the only key.
    Exact,
    /// Bands of a MinHash sketch.
    MinHash(MinHash),
    /// Blocks of a SimHash code over shingles.
    SimHash(SimHash),
    /// Winnowed k-grams of folded code points.
    Winnowing {
        /// Code points a k-gram.
        k: usize,
        /// K-grams a window.
        window: usize,
        /// Whether Han characters count as their syllables.
        by_sound: bool,
    },
    /// The lowest hashes of the shingles.
    Shingles {
        /// Tokens a shingle.
        width: usize,
        /// Keys at most.
        sample: usize,
    },
}

/// Parameters of a MinHash fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinHash {
    /// Tokens a shingle.
    pub width: usize,
    /// Values a sketch.
    pub values: usize,
    /// Bands, one key each.
    pub bands: usize,
    /// Values a band.
    pub rows: usize,
}

/// Parameters of a SimHash fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimHash {
    /// Tokens a shingle.
    pub width: usize,
    /// Bits of the code, a multiple of 8.
    pub bits: usize,
    /// Blocks, one key each.
    pub blocks: usize,
    /// A text of fewer shingles has no fingerprint.
    pub least_features: usize,
    /// What the characters of a shingle are hashed with; None for its own hash.
    pub hash: Option<NamedHash>,
}

/// The fingerprints of a block of texts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprints {
    /// Digest of each folded text.
    pub digests: Vec<u128>,
    /// Folded code points of each text; 0 for a text without features.
    pub lengths: Vec<u32>,
    /// Keys of all texts, one text after the other.
    pub keys: Vec<u64>,
    /// How many keys each text has; 0 for a text without features.
    pub counts: Vec<u32>,
    /// Codes of all texts, the same number of bytes each; zeros for a text without features.
    pub codes: Vec<u8>,
}

impl Fingerprints {
    pub(crate) fn append(&mut self, other: Self) {
        self.digests.extend(other.digests);
        self.lengths.extend(other.lengths);
        self.keys.extend(other.keys);
        self.counts.extend(other.counts);
        self.codes.extend(other.codes);
    }
}

/// Bytes of the code that `family` keeps of each text.
pub fn code_width(family: Family) -> usize {
    match family {
        Family::Exact | Family::Winnowing { .. } | Family::Shingles { .. } => 0,
        Family::MinHash(parameters) => parameters.values / 2,
        Family::SimHash(parameters) => parameters.bits / 8,
    }
}

/// Fingerprints every text of `block`, in parallel. Linear in the texts.
pub fn fingerprint(block: &impl TextBlock, family: Family) -> Fingerprints {
    in_parallel(&Bodies(block), || Worker::new(family), Worker::fingerprint)
}

/// Fingerprints every text of `block`, in parallel: `fingerprint` appends one text to a part of the whole, `worker`
/// makes what a thread reuses from text to text.
pub(crate) fn in_parallel<W>(
    block: &impl TextBlock,
    worker: impl Fn() -> W + Sync + Send,
    fingerprint: impl Fn(&mut W, Text<'_>, &mut Fingerprints) + Sync + Send,
) -> Fingerprints {
    let tasks = block.len().div_ceil(TEXTS_A_TASK);
    let parts: Vec<Fingerprints> = (0..tasks)
        .into_par_iter()
        .map_init(worker, |worker, task| {
            let mut part = Fingerprints::default();
            for index in task * TEXTS_A_TASK..block.len().min((task + 1) * TEXTS_A_TASK) {
                block.with_text(index, |text| fingerprint(worker, text, &mut part));
            }
            part
        })
        .collect();
    let mut whole = Fingerprints::default();
    parts.into_iter().for_each(|part| whole.append(part));
    whole
}

/// The MinHash values of every text, `values` each, and how many distinct features stand behind them is not kept:
/// a text without features has `None`. `classic` chooses the slow twin.
pub fn sketch(block: &impl TextBlock, width: usize, values: usize, classic: bool) -> Vec<Option<Vec<u32>>> {
    (0..block.len())
        .into_par_iter()
        .map_init(
            || (FoldedText::default(), Vec::new(), Sketcher::new(values)),
            |(folded, hashes, sketcher), index| {
                Bodies(block).with_text(index, |text| text.fold(folded));
                folded.shingles(width, hashes);
                let mut sketch = vec![0; values];
                let filled = if classic {
                    k_function_minhash(hashes, &mut sketch)
                } else {
                    sketcher.fast_similarity_sketch(hashes, &mut sketch)
                };
                filled.then_some(sketch)
            },
        )
        .collect()
}

struct Worker {
    family: Family,
    folded: FoldedText,
    hashes: Vec<u64>,
    characters: ShingleText,
    values: Vec<u32>,
    sketcher: Sketcher,
    code_points: Vec<u32>,
    winnower: Winnower,
}

impl Worker {
    fn new(family: Family) -> Self {
        let values = match family {
            Family::MinHash(parameters) => parameters.values,
            _ => 1,
        };
        Self {
            family,
            folded: FoldedText::default(),
            hashes: Vec::new(),
            characters: ShingleText::default(),
            values: vec![0; values],
            sketcher: Sketcher::new(values),
            code_points: Vec::new(),
            winnower: Winnower::default(),
        }
    }

    fn fingerprint(&mut self, text: Text<'_>, part: &mut Fingerprints) {
        text.fold(&mut self.folded);
        let digest = body::digest(text, self.folded.tokens());
        let known = part.keys.len();
        if self.folded.length() > 0 {
            match self.family {
                Family::Exact => part.keys.push(digest as u64),
                Family::MinHash(parameters) => self.minhash(parameters, part),
                Family::SimHash(parameters) => self.simhash(text, parameters, part),
                Family::Winnowing { k, window, by_sound } => {
                    text.fold_to_code_points(&mut self.code_points);
                    if by_sound {
                        let pinyin = Pinyin::get();
                        self.code_points.iter_mut().for_each(|unit| *unit = pinyin.sound(*unit));
                    }
                    self.winnower.keys(&self.code_points, k, window, &mut part.keys);
                }
                Family::Shingles { width, sample } => self.lowest_shingles(width, sample, &mut part.keys),
            }
        }
        part.codes.resize((part.digests.len() + 1) * code_width(self.family), 0);
        part.digests.push(digest);
        part.lengths.push(self.folded.length() as u32);
        part.counts.push((part.keys.len() - known) as u32);
    }

    fn simhash(&mut self, text: Text<'_>, parameters: SimHash, part: &mut Fingerprints) {
        let SimHash { width, bits, blocks, least_features, hash } = parameters;
        let shingles = (self.folded.tokens().len() + 1).saturating_sub(width).max(1);
        if shingles < least_features {
            return;
        }
        let code = match hash {
            None => {
                self.folded.shingles(width, &mut self.hashes);
                simhash::code(&self.hashes, bits)
            }
            Some(hash) => {
                self.characters.read(text);
                simhash::weighted_code(self.characters.shingles(width).map(|shingle| (hash.of(shingle), 1)), bits)
            }
        };
        if let Some(code) = code {
            simhash::block_keys(code, bits, blocks, &mut part.keys);
            part.codes.extend_from_slice(&code.to_le_bytes()[..bits / 8]);
        }
    }

    fn lowest_shingles(&mut self, width: usize, sample: usize, keys: &mut Vec<u64>) {
        self.folded.shingles(width, &mut self.hashes);
        self.hashes.sort_unstable();
        self.hashes.dedup();
        keys.extend(self.hashes.iter().take(sample));
    }

    fn minhash(&mut self, parameters: MinHash, part: &mut Fingerprints) {
        self.folded.shingles(parameters.width, &mut self.hashes);
        self.sketcher.fast_similarity_sketch(&self.hashes, &mut self.values);
        band_keys(&self.values, parameters.bands, parameters.rows, &mut part.keys);
        pack_code(&self.values, &mut part.codes);
    }
}
