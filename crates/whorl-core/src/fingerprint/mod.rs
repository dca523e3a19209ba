//! Fingerprints: the digest, keys and code that a batch run stores for each text.
//!
//! Each method is a [`Family`]: a type with parameters that computes the keys of one text. [`fingerprint`] does the
//! work common to all families: bodies, folding, digests, threads.

mod exact;
pub mod granule;
pub mod iscc;
mod lowest;
mod minhash;
pub mod nshash;
pub mod simhash;
pub(crate) mod sketch;
pub mod structure;
mod terms;
pub mod winnow;

pub use exact::Exact;
pub use lowest::LowestShingles;
pub use minhash::{MinHash, sketch};
pub use simhash::SimHash;
pub use terms::{ByTerms, Method, TermCode};
pub use winnow::{Grams, Winnower, Winnowing};

use crate::text::body::{self, Bodies};
use crate::text::located::LocatedText;
use crate::text::metadata;
use crate::text::shingle::{FoldedText, SpelledText};
use crate::text::{Text, TextBlock, in_tasks};

/// A folded text in the form that a family needs; reused from text to text.
pub trait Folded: Default {
    /// Folds `text`, replacing the previous contents.
    fn read(&mut self, text: Text<'_>);
    /// One hash per token, in order.
    fn tokens(&self) -> &[u64];
    /// Number of code points of the folded text, without separators.
    fn length(&self) -> usize;
}

impl Folded for FoldedText {
    #[inline]
    fn read(&mut self, text: Text<'_>) {
        self.read(text);
    }

    fn tokens(&self) -> &[u64] {
        self.tokens()
    }

    fn length(&self) -> usize {
        self.length()
    }
}

impl Folded for LocatedText {
    #[inline]
    fn read(&mut self, text: Text<'_>) {
        self.read(text);
    }

    fn tokens(&self) -> &[u64] {
        self.tokens()
    }

    fn length(&self) -> usize {
        self.length()
    }
}

impl Folded for SpelledText {
    #[inline]
    fn read(&mut self, text: Text<'_>) {
        self.read(text);
    }

    fn tokens(&self) -> &[u64] {
        self.tokens()
    }

    fn length(&self) -> usize {
        self.code_points().len()
    }
}

/// The body of a text with at least one token, without metadata, in all forms that keys are made of.
pub struct Body<'t, F> {
    /// The original text.
    pub text: Text<'t>,
    /// The folded text.
    pub folded: &'t F,
    /// Equal for bodies that fold to the same tokens, metadata included.
    pub digest: u128,
}

/// A method of computing keys, such that texts that share keys may be copies of each other.
pub trait Family: Sync {
    /// The form of the folded text that keys are computed from.
    type Folded: Folded;
    /// Buffers that a thread reuses from text to text.
    type Scratch;

    /// Creates new buffers.
    fn scratch(&self) -> Self::Scratch;

    /// Bytes of the code stored for each text.
    fn code_width(&self) -> usize {
        0
    }

    /// Appends the keys of a text to `keys`, which may already hold those of others, and fills the zeroed `code`.
    fn fingerprint(
        &self,
        body: &Body<'_, Self::Folded>,
        scratch: &mut Self::Scratch,
        keys: &mut Vec<u64>,
        code: &mut [u8],
    );
}

/// The fingerprints of a block of texts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprints {
    /// Digest of each folded text.
    pub digests: Vec<u128>,
    /// Folded code points of each text; 0 for a text without features.
    pub lengths: Vec<u32>,
    /// Keys of all texts, concatenated.
    pub keys: Vec<u64>,
    /// Number of keys of each text; 0 for a text without features.
    pub counts: Vec<u32>,
    /// Codes of all texts, the same number of bytes each; zeros for a text without features.
    pub codes: Vec<u8>,
}

impl Fingerprints {
    fn append(&mut self, other: Self) {
        self.digests.extend(other.digests);
        self.lengths.extend(other.lengths);
        self.keys.extend(other.keys);
        self.counts.extend(other.counts);
        self.codes.extend(other.codes);
    }
}

/// Fingerprints every text of `block`, in parallel. Linear in the texts, except for sorting in some families.
pub fn fingerprint<F: Family>(block: &impl TextBlock, family: &F) -> Fingerprints {
    let worker = || (F::Folded::default(), family.scratch());
    let parts = in_tasks(&Bodies(block), worker, |(folded, scratch), text, part: &mut Fingerprints| {
        folded.read(text);
        let digest = body::digest(text, folded.tokens());
        let (known, coded) = (part.keys.len(), part.codes.len());
        part.codes.resize(coded + family.code_width(), 0);
        part.digests.push(digest);
        metadata::without(text, |text, has_any| {
            if has_any {
                folded.read(text);
            }
            if folded.length() > 0 {
                let body = Body { text, folded: &*folded, digest };
                family.fingerprint(&body, scratch, &mut part.keys, &mut part.codes[coded..]);
            }
            part.lengths.push(folded.length() as u32);
        });
        part.counts.push((part.keys.len() - known) as u32);
    });
    let mut whole = Fingerprints::default();
    parts.into_iter().for_each(|part| whole.append(part));
    whole
}
