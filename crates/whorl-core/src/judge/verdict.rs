//! Verdicts: the criteria for a copy, and what the fingerprints alone can decide.

use crate::fingerprint::sketch::{code_agreement, hamming};
pub use crate::judge::demand::Demand;
use crate::measure::verify::Figure;

/// The criteria for a copy: a rule on fingerprints and optional demands on texts. All must be met, in order; the last
/// one determines the reported similarity. Texts with equal folds are always copies.
#[derive(Clone)]
pub struct Verdict {
    /// The criterion on the fingerprints.
    pub rule: Rule,
    /// The criteria on the texts.
    pub demands: Vec<Demand>,
}

/// A criterion on fingerprints.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Equal digests of the folded texts.
    Exact,
    /// The share of the document's keys that the candidate also has is at least `threshold`.
    Keys {
        /// Inclusive, in [0, 1].
        threshold: f64,
    },
    /// The Hamming distance of the codes.
    Hamming {
        /// (length, maximum distance for texts up to that length), ascending; the last distance also applies to longer
        /// texts.
        limits: Vec<(u32, u32)>,
    },
    /// The number of four-bit fields in which the codes agree; it can rule a candidate out, but never accept it.
    Agreement {
        /// Candidates that agree in fewer fields are ruled out without reading their texts.
        min_agreement: u32,
    },
}

/// The fingerprints of each document, indexed by document.
#[derive(Debug, Default)]
pub struct Documents {
    /// Digest of the folded text.
    pub digests: Vec<u128>,
    /// Folded code points.
    pub lengths: Vec<u32>,
    /// Sketch codes, `code_width` bytes each.
    pub codes: Vec<u8>,
    /// Bytes per code; 0 if the family has none.
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

/// Maximum number of fields that a recipe judges separately: the title and the text.
pub const FIELDS: usize = 2;

/// One field of all documents, judged separately.
pub struct Field {
    /// The criteria for a copy, for this field.
    pub verdict: Verdict,
    /// Minimum number of keys of this field that two documents must share to be compared in it.
    pub min_shared: usize,
    /// The fingerprints of this field.
    pub documents: Documents,
}

/// How the results of the fields are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Every field must match; the lowest similarity is reported.
    All,
    /// One field suffices; the highest matching similarity is reported.
    Any,
}

/// The status of a candidate before its text is read.
pub(crate) enum Glance {
    /// The texts are equal.
    Equal,
    /// The similarity is available and reaches the threshold; the texts must still be compared for their relation.
    Reached(Figure),
    /// The similarity is available and below the threshold.
    Missed(Figure),
    /// The candidate cannot be a copy that would be chosen; with the estimated similarity.
    RuledOut(f64),
    /// The texts must be compared.
    Open,
}

impl Field {
    /// True if this field of two documents folds to the same tokens.
    pub(crate) fn is_identical(&self, (a, b): (u32, u32)) -> bool {
        self.documents.digests[a as usize] == self.documents.digests[b as usize]
    }

    /// Evaluates the fingerprints of document `a` and a candidate `b` with `shared_keys`. `rivals_identical` means that
    /// another candidate has the text of `a`: then only a similarity of 1 matters.
    pub(crate) fn glance(&self, pair: (u32, u32), shared_keys: u32, rivals_identical: bool) -> Glance {
        if self.is_identical(pair) {
            return Glance::Equal;
        }
        let ((a, b), documents) = (pair, &self.documents);
        match &self.verdict.rule {
            Rule::Exact => Glance::RuledOut(0.0),
            Rule::Keys { threshold } => {
                let key_count = documents.key_counts[a as usize];
                let figure = Figure::share(shared_keys.min(key_count), key_count);
                self.judged(figure, figure.similarity >= *threshold)
            }
            Rule::Hamming { limits } => {
                let bits = 8 * documents.code_width as u32;
                let distance = hamming(documents.code(a), documents.code(b));
                let length = documents.lengths[a as usize].min(documents.lengths[b as usize]);
                self.judged(Figure::share(bits - distance, bits), distance <= limit(limits, length))
            }
            Rule::Agreement { min_agreement } => self.glance_at_agreement(pair, *min_agreement, rivals_identical),
        }
    }

    fn glance_at_agreement(&self, (a, b): (u32, u32), min_agreement: u32, rivals_identical: bool) -> Glance {
        let fields = 2 * self.documents.code_width as u32;
        if fields == 0 {
            return Glance::Open;
        }
        let agreement = code_agreement(self.documents.code(a), self.documents.code(b));
        // Equal sets of shingles have equal codes, so where only equal sets qualify, unequal codes rule a candidate
        // out.
        let counts_last = self.verdict.demands.len() == 1;
        let needed = if rivals_identical && counts_last { fields } else { min_agreement };
        if agreement >= needed {
            return Glance::Open;
        }
        Glance::RuledOut(if counts_last { estimate(agreement, fields) } else { 0.0 })
    }

    /// If there are demands, the similarity of a passed rule is not the one reported.
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

/// Estimates the similarity from `agreement` of `fields` four-bit fields; one in sixteen agrees by chance.
fn estimate(agreement: u32, fields: u32) -> f64 {
    let share = f64::from(agreement) / f64::from(fields);
    ((share - 1.0 / 16.0) / (15.0 / 16.0)).clamp(0.0, 1.0)
}
