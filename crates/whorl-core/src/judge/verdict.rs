//! What makes a candidate a copy, and what the fingerprints alone say about it.

use crate::fingerprint::sketch::{code_agreement, hamming};
pub use crate::judge::demand::Demand;
use crate::measure::verify::Figure;

/// What makes a candidate a copy: the rule and, where they are asked for, exact figures besides. All of them must be
/// passed, in this order; the last is the one that counts. Equal folded texts are copies whatever the verdict.
#[derive(Clone)]
pub struct Verdict {
    /// What is judged by the fingerprints alone.
    pub rule: Rule,
    /// What is judged by the texts.
    pub demands: Vec<Demand>,
}

/// A judgement on fingerprints.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Equal digests of the folded texts.
    Exact,
    /// The share of the document's keys that the candidate has too, at or above `threshold`.
    Keys {
        /// Inclusive, in [0, 1].
        threshold: f64,
    },
    /// The Hamming distance of the codes.
    Hamming {
        /// Pairs of a length and the largest distance for texts up to that length, ascending; the last distance also
        /// holds for longer texts.
        limits: Vec<(u32, u32)>,
    },
    /// The number of four-bit fields in which the codes agree; it can rule a candidate out, never accept it.
    Agreement {
        /// Candidates that agree in fewer fields are ruled out unread.
        least: u32,
    },
}

/// What the passes before this one know of each document, indexed by document.
#[derive(Debug, Default)]
pub struct Documents {
    /// Digest of the folded text.
    pub digests: Vec<u128>,
    /// Folded code points.
    pub lengths: Vec<u32>,
    /// Sketch codes, `code_width` bytes each.
    pub codes: Vec<u8>,
    /// Bytes of a code; 0 when the family has none.
    pub code_width: usize,
    /// Keys of each document.
    pub key_counts: Vec<u32>,
}

impl Documents {
    /// The code of a document.
    pub(crate) fn code(&self, document: u32) -> &[u8] {
        &self.codes[document as usize * self.code_width..][..self.code_width]
    }
}

/// The most fields that a recipe judges apart: the title and the text.
pub const FIELDS: usize = 2;

/// One field of all documents, judged by itself.
pub struct Field {
    /// What makes a candidate a copy, as far as this field goes.
    pub verdict: Verdict,
    /// How many keys of this field two documents must share for it to be compared.
    pub min_shared: usize,
    /// What is known of this field.
    pub documents: Documents,
}

/// How the judgements on the fields become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Every field must judge a copy; the lowest figure counts.
    All,
    /// One field is enough; the highest figure that passes counts.
    Any,
}

/// How a candidate stands before its text is read.
pub(crate) enum Glance {
    /// The texts are equal.
    Equal,
    /// The figure is known, and reaches the threshold; the texts must still be compared for their relation.
    Reached(Figure),
    /// The figure is known, and does not reach the threshold.
    Missed(Figure),
    /// There is no chance that it is a copy that would be chosen; the estimated similarity.
    RuledOut(f64),
    /// The texts must be compared.
    Open,
}

impl Field {
    /// Whether this field of two documents folds to the same tokens.
    pub(crate) fn is_identical(&self, (a, b): (u32, u32)) -> bool {
        self.documents.digests[a as usize] == self.documents.digests[b as usize]
    }

    /// What the fingerprints say of document `a` and a candidate `b` that shares `shared_keys` with it.
    /// `rivals_identical` says that another candidate has the text of `a`: then only a similarity of 1 counts.
    pub(crate) fn glance(&self, pair: (u32, u32), shared_keys: u32, rivals_identical: bool) -> Glance {
        if self.is_identical(pair) {
            return Glance::Equal;
        }
        let ((a, b), documents) = (pair, &self.documents);
        match &self.verdict.rule {
            Rule::Exact => Glance::RuledOut(0.0),
            Rule::Keys { threshold } => {
                let own = documents.key_counts[a as usize];
                let figure = Figure::share(shared_keys.min(own), own);
                self.judged(figure, figure.similarity >= *threshold)
            }
            Rule::Hamming { limits } => {
                let bits = 8 * documents.code_width as u32;
                let distance = hamming(documents.code(a), documents.code(b));
                let length = documents.lengths[a as usize].min(documents.lengths[b as usize]);
                self.judged(Figure::share(bits - distance, bits), distance <= limit(limits, length))
            }
            Rule::Agreement { least } => self.glance_at_agreement(pair, *least, rivals_identical),
        }
    }

    fn glance_at_agreement(&self, (a, b): (u32, u32), least: u32, rivals_identical: bool) -> Glance {
        let fields = 2 * self.documents.code_width as u32;
        if fields == 0 {
            return Glance::Open;
        }
        let agreement = code_agreement(self.documents.code(a), self.documents.code(b));
        // Equal sets of shingles have equal codes, so where only such sets count, only such codes do.
        let counts_last = self.verdict.demands.len() == 1;
        let needed = if rivals_identical && counts_last { fields } else { least };
        if agreement >= needed {
            return Glance::Open;
        }
        Glance::RuledOut(if counts_last { estimate(agreement, fields) } else { 0.0 })
    }

    /// A figure that passes the rule is not the one that counts where the verdict demands more.
    fn judged(&self, figure: Figure, passes: bool) -> Glance {
        match (self.verdict.demands.is_empty(), passes) {
            (true, true) => Glance::Reached(figure),
            (true, false) => Glance::Missed(figure),
            (false, true) => Glance::Open,
            (false, false) => Glance::RuledOut(0.0),
        }
    }
}

fn limit(limits: &[(u32, u32)], length: u32) -> u32 {
    limits.iter().find(|(longest, _)| length <= *longest).or(limits.last()).map_or(0, |&(_, limit)| limit)
}

/// The similarity that explains `agreement` of `fields` four-bit fields, one in sixteen agreeing by chance.
fn estimate(agreement: u32, fields: u32) -> f64 {
    let share = f64::from(agreement) / f64::from(fields);
    ((share - 1.0 / 16.0) / (15.0 / 16.0)).clamp(0.0, 1.0)
}
