//! Demands: minimum similarities that two texts must reach for one to be a copy of the other.

use crate::align::outline::Changes;
use crate::align::pair::{Judge, Prepared, Related, Share, Side};
use crate::judge::boilerplate::Boilerplate;
use crate::measure::features::{FeatureReader, Features, Part};
use crate::measure::verify::{self, Figure, Measure, Scratch};
use crate::text::Text;

/// A minimum similarity of two texts.
#[derive(Clone)]
pub struct Demand {
    /// The similarity to compute.
    pub figure: Kind,
    /// Inclusive minimum, in (0, 1].
    pub threshold: f64,
}

/// How a similarity is computed.
#[derive(Clone)]
pub enum Kind {
    /// From the features of both texts.
    Features(Measure, Features),
    /// The share of the removable document copied word for word from the other, without title, byline and boilerplate.
    Copied(Part),
    /// The share of the removable document that is aligned with the other, copied or reworded. Never enough to remove it.
    Content(Part),
}

/// A text in the form that a similarity is computed from.
pub enum View {
    /// The features of the text.
    Features(verify::View),
    /// The text prepared for alignment, without its boilerplate.
    Text(Box<Prepared>),
}

/// State that a thread reuses from comparison to comparison.
#[derive(Default)]
pub struct Comparer {
    scratch: Scratch,
    judge: Judge,
}

/// Allowance for stock phrases next to boilerplate that were not learned because they contain a name or are too rare:
/// this share of the boilerplate,
const FORMULAS: f64 = 0.25;
/// and at most this many letters.
const LONGEST_FORMULA: u32 = 400;

/// The longest text whose buffers are kept for the next comparison, in code points.
const ROOM: usize = 1 << 20;

impl Comparer {
    /// Loads the view that others are then compared with.
    pub(crate) fn hold(&mut self, document: &View) {
        if let View::Features(document) = document {
            self.scratch.hold(document);
        }
    }

    /// Determines the relation of two texts.
    pub(crate) fn related(&mut self, a: &Prepared, b: &Prepared) -> Related {
        self.judged(a, b, Judge::related)
    }

    /// Determines the relation of two texts, also by their content.
    fn related_by_content(&mut self, a: &Prepared, b: &Prepared) -> Related {
        self.judged(a, b, Judge::related_by_content)
    }

    /// The changes from `a` to `b`, which must be the texts that were [related](Self::related) last; None if they can
    /// only be determined from the texts.
    pub(crate) fn changes(&self, a: &Prepared, b: &Prepared, related: &Related) -> Option<Changes> {
        if a.length().max(b.length()) > ROOM { None } else { self.judge.changes(a, b, related) }
    }

    fn judged(
        &mut self,
        a: &Prepared,
        b: &Prepared,
        related: impl Fn(&mut Judge, &Prepared, &Prepared) -> Related,
    ) -> Related {
        let related = related(&mut self.judge, a, b);
        if a.length().max(b.length()) > ROOM {
            self.judge = Judge::default();
        }
        related
    }
}

/// Result of a comparison.
pub(crate) struct Met {
    /// The similarity.
    pub figure: Figure,
    /// Whether the similarity suffices for a relation.
    pub is_met: bool,
    /// Whether the similarity suffices to remove the first text.
    pub is_reached: bool,
    /// The relation of the texts, if the similarity is computed from passages.
    pub related: Option<Related>,
}

impl Demand {
    /// Computes the exact similarity of two texts, also below the threshold; `document` is the removable one.
    pub fn figure(&self, document: Text<'_>, other: Text<'_>) -> Figure {
        let none = Boilerplate::default();
        let mut viewer = Viewer::new(self, &none);
        let (document, other) = (viewer.view(document), viewer.view(other));
        let unbounded = Self { figure: self.figure.clone(), threshold: 0.0 };
        let mut comparer = Comparer::default();
        comparer.hold(&document);
        unbounded.compare(&document, &other, &mut comparer).figure
    }

    /// Computes the similarity of two views and checks it against the threshold; `document` must be
    /// [held](Comparer::hold). A similarity below the threshold may be an estimate.
    pub(crate) fn compare(&self, document: &View, other: &View, comparer: &mut Comparer) -> Met {
        match (&self.figure, document, other) {
            (Kind::Features(measure, _), View::Features(document), View::Features(other)) => {
                let figure = measure.figure(document, other, self.threshold, &comparer.scratch);
                let is_met = figure.similarity >= self.threshold;
                Met { figure, is_met, is_reached: is_met, related: None }
            }
            (Kind::Copied(_), View::Text(document), View::Text(other)) => {
                let related = comparer.related(other, document);
                let copied = related.evidence.copied;
                let figure = Figure::share(copied[1].covered, copied[1].counted);
                let reaches = |text: &Prepared, copied: Share| {
                    without_formulas(copied, related.longest, text.boilerplate()) >= self.threshold
                };
                let is_reached = reaches(document, copied[1]);
                // A document that copies much of another must match in either order.
                let is_met = is_reached || reaches(other, copied[0]);
                Met { figure, is_met, is_reached, related: Some(related) }
            }
            (Kind::Content(_), View::Text(document), View::Text(other)) => {
                let related = comparer.related_by_content(other, document);
                let aligned = related.evidence.aligned;
                let figure = Figure::share(aligned[1].covered, aligned[1].counted);
                let reaches =
                    |share: Share| f64::from(share.covered) >= self.threshold * f64::from(share.counted.max(1));
                let is_met = aligned.into_iter().any(reaches);
                let is_reached = reaches(related.evidence.copied[1]);
                Met { figure, is_met, is_reached, related: Some(related) }
            }
            _ => unreachable!("one kind of figure makes one kind of view"),
        }
    }

    /// True if the similarity is computed from passages of whole texts.
    pub(crate) fn is_on_passages(&self) -> bool {
        matches!(self.figure, Kind::Copied(Part::Whole) | Kind::Content(Part::Whole))
    }

    /// True if sentences with the same content count.
    pub(crate) fn is_by_content(&self) -> bool {
        matches!(self.figure, Kind::Content(_))
    }

    /// Maximum number of bytes per code point of a view.
    pub(crate) fn bytes_a_code_point(&self) -> usize {
        match &self.figure {
            Kind::Features(measure, _) => measure.bytes_a_feature(),
            Kind::Copied(_) | Kind::Content(_) => Prepared::BYTES_A_CODE_POINT,
        }
    }
}

/// The copied share of a text after subtracting possible stock phrases from the copied part and from the whole. At most
/// half of the whole is subtracted, so that a copy under a long notice is still a copy.
fn without_formulas(copied: Share, longest: u32, boilerplate: u32) -> f64 {
    let (covered, counted) = (f64::from(copied.covered), f64::from(copied.counted));
    let learned = if longest > LONGEST_FORMULA { 0.0 } else { f64::from(boilerplate) };
    let formulas = (FORMULAS * learned).min(counted / 2.0);
    if counted == 0.0 { 0.0 } else { (covered - formulas) / (counted - formulas) }
}

/// Converts texts to views; one per worker, reused from text to text.
pub(crate) struct Viewer<'d> {
    reader: Reader<'d>,
    boilerplate: &'d Boilerplate,
}

enum Reader<'d> {
    Features(Measure, Box<FeatureReader<'d>>, Vec<u64>, Scratch),
    Text(Part, Vec<u32>, Box<Side>),
}

impl<'d> Viewer<'d> {
    pub(crate) fn new(demand: &'d Demand, boilerplate: &'d Boilerplate) -> Self {
        let reader = match &demand.figure {
            Kind::Features(measure, features) => {
                Reader::Features(*measure, Box::new(FeatureReader::new(features)), Vec::new(), Scratch::default())
            }
            Kind::Copied(part) | Kind::Content(part) => Reader::Text(*part, Vec::new(), Box::default()),
        };
        Self { reader, boilerplate }
    }

    pub(crate) fn view(&mut self, text: Text<'_>) -> View {
        match &mut self.reader {
            Reader::Features(measure, reader, hashes, scratch) => {
                reader.read(text, hashes);
                View::Features(measure.view(hashes, scratch))
            }
            Reader::Text(part, code_points, side) => {
                part.of(text).copy_to(code_points);
                View::Text(Box::new(side.prepare(code_points, &|stream| self.boilerplate.ranges_in(stream))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONGEST_FORMULA, Share, without_formulas};

    #[test]
    fn formulas_beside_boilerplate_prove_nothing() {
        let share = |covered: u32, counted: u32| Share { counted, covered };
        let one_formula = |boilerplate: u32| without_formulas(share(270, 530), 270, boilerplate);
        assert_eq!(one_formula(0), 270.0 / 530.0);
        assert_eq!(one_formula(400), 170.0 / 430.0);
        assert_eq!(without_formulas(share(40, 60), 40, 4000), 10.0 / 30.0);
        assert_eq!(without_formulas(share(0, 0), 0, 400), 0.0);
    }

    proptest! {
        #[test]
        fn more_is_demanded_only_of_short_passages_beside_boilerplate(
            (counted, covered) in (1_u32..2000).prop_flat_map(|counted| (Just(counted), 0..=counted)),
            boilerplate in 0_u32..4000,
            longest in 0_u32..2 * LONGEST_FORMULA,
        ) {
            let figure = f64::from(covered) / f64::from(counted);
            let computed = without_formulas(Share { counted, covered }, longest, boilerplate);
            prop_assert!(computed <= figure);
            if boilerplate == 0 || longest > LONGEST_FORMULA || covered == counted {
                prop_assert_eq!(computed, figure);
            } else {
                prop_assert!(computed < figure && computed >= 2.0 * figure - 1.0 - 1e-9);
            }
        }
    }
}
