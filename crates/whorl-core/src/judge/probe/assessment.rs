//! The comparison of a document with a candidate, field by field.

use super::tally::Candidate;
use super::{Combine, FIELDS, Probe, TextSource};
use crate::align::outline::Changes;
use crate::judge::compare::{Comparisons, Outcome};
use crate::judge::ruling::Ruling;
use crate::judge::verdict::Glance;
use crate::measure::verify::Figure;

/// The result of comparing a candidate.
#[derive(Clone, Copy)]
pub(super) struct Assessment {
    pub figure: Figure,
    pub is_copy: bool,
    /// The ruling on the whole texts, if a field matches.
    pub ruling: Option<Ruling>,
    /// The similarity of each field that matches, NaN for the others.
    pub by_field: [f64; FIELDS],
    /// The changes of the document, if the comparison determined them.
    pub changes: Option<Changes>,
}

pub(super) const UNASSESSED: Assessment =
    Assessment { figure: Figure::NOTHING, is_copy: false, ruling: None, by_field: [f64::NAN; FIELDS], changes: None };

impl Probe {
    /// Judges a candidate field by field, stopping as early as possible.
    pub(super) fn assess<S: TextSource>(
        &self,
        rank: u32,
        candidate: Candidate,
        identical: u32,
        comparisons: &mut [Comparisons],
        source: &S,
    ) -> Result<Assessment, S::Error> {
        let pair = self.pair(rank, candidate);
        let mut whole: Option<Assessment> = None;
        for (place, field) in self.fields.iter().enumerate() {
            let shared_keys = candidate.shared_keys[place];
            if (shared_keys as usize) < field.min_shared {
                continue;
            }
            let glance = field.glance(pair, shared_keys, self.rivals(identical));
            let needs_texts = matches!(glance, Glance::Open | Glance::Reached(_))
                || matches!(glance, Glance::Equal) && self.fields.len() > 1;
            // A planned comparison can turn out not to be needed: the plan expects a document under a key whose list is
            // full by then. Its outcome must not count, or results would depend on where batches end.
            let outcome = match comparisons[place].planned_outcome(pair) {
                _ if !needs_texts => None,
                Some(outcome) => Some(outcome),
                None => {
                    let length_of = |document: u32| field.documents.lengths[document as usize];
                    Some(comparisons[place].outcome(pair, length_of, source)?)
                }
            };
            let changes = outcome.and_then(|outcome| outcome.changes);
            let FieldResult { figure, is_copy, ruling } = FieldResult::of(glance, outcome);
            let mut by_field = whole.unwrap_or(UNASSESSED).by_field;
            if is_copy {
                by_field[place] = figure.similarity;
            }
            let counts = whole.is_none_or(|whole| self.counts_before(is_copy, figure, whole));
            whole = Some(match whole.filter(|_| !counts) {
                Some(whole) => Assessment { by_field, ..whole },
                None => Assessment { figure, is_copy, ruling, by_field, changes },
            });
            if self.combine == Combine::All && !is_copy {
                break;
            }
        }
        Ok(whole.unwrap_or(UNASSESSED))
    }

    /// True if the result of a field replaces the combined result of the other fields.
    pub(super) fn counts_before(&self, is_copy: bool, figure: Figure, whole: Assessment) -> bool {
        match self.combine {
            Combine::All => !is_copy || figure.similarity < whole.figure.similarity,
            Combine::Any => (is_copy, figure.similarity) > (whole.is_copy, whole.figure.similarity),
        }
    }
}

/// The result of one field of a candidate.
struct FieldResult {
    figure: Figure,
    is_copy: bool,
    ruling: Option<Ruling>,
}

impl FieldResult {
    fn of(glance: Glance, outcome: Option<Outcome>) -> Self {
        let ruling = outcome.and_then(|outcome| outcome.ruling);
        match (glance, outcome) {
            (Glance::Equal, _) => {
                Self { figure: Figure::IDENTICAL, is_copy: true, ruling: ruling.or(Some(Ruling::EXACT)) }
            }
            (Glance::Reached(figure), _) => Self { figure, is_copy: true, ruling },
            (Glance::Missed(figure), _) => Self { figure, is_copy: false, ruling: None },
            (_, Some(Outcome { figure, is_met, .. })) => Self { figure, is_copy: is_met, ruling },
            (Glance::RuledOut(similarity), None) => {
                Self { figure: Figure { similarity, ..Figure::NOTHING }, is_copy: false, ruling: None }
            }
            (Glance::Open, None) => unreachable!("what is open is compared"),
        }
    }
}
