//! What is demanded of two texts before one counts as a copy of the other: an exact figure that must be reached.

use crate::align::pair::{Judge, Prepared, Side};
use crate::judge::boilerplate::Boilerplate;
use crate::measure::features::{FeatureReader, Features, Part};
use crate::measure::verify::{self, Figure, Measure, Scratch};
use crate::text::Text;

/// A judgement on the texts.
#[derive(Clone)]
pub struct Demand {
    /// What the figure is.
    pub figure: Kind,
    /// Inclusive, in (0, 1].
    pub threshold: f64,
}

/// What a figure is made of.
#[derive(Clone)]
pub enum Kind {
    /// The features of both texts.
    Features(Measure, Features),
    /// The share of the document that may be dropped which lies in passages that the other has, as
    /// [`Judge`] finds them: without title and byline, boilerplate taken off.
    Copied(Part),
}

/// A text in the form that a figure is made of.
pub enum View {
    /// Its features.
    Features(verify::View),
    /// The text, ready to be aligned, without its boilerplate.
    Text(Box<Prepared>),
}

/// What a thread reuses from comparison to comparison.
#[derive(Default)]
pub struct Comparer {
    scratch: Scratch,
    judge: Judge,
}

/// The longest text whose room is kept for the next comparison, in code points.
const ROOM: usize = 1 << 20;

impl Comparer {
    /// Takes the view that others are then compared with.
    pub(crate) fn hold(&mut self, own: &View) {
        if let View::Features(own) = own {
            self.scratch.hold(own);
        }
    }
}

impl Demand {
    /// The exact figure of two texts, however low; `own` is the one that may be dropped.
    pub fn figure(&self, own: Text<'_>, other: Text<'_>) -> Figure {
        let none = Boilerplate::default();
        let mut viewer = Viewer::new(self, &none);
        let (own, other) = (viewer.view(own), viewer.view(other));
        let unbounded = Self { figure: self.figure.clone(), threshold: 0.0 };
        let mut comparer = Comparer::default();
        comparer.hold(&own);
        unbounded.compare(&own, &other, &mut comparer)
    }

    /// The figure of two views, of which `own` is [held](Comparer::hold). One below the threshold may be an estimate.
    pub(crate) fn compare(&self, own: &View, other: &View, comparer: &mut Comparer) -> Figure {
        match (&self.figure, own, other) {
            (Kind::Features(measure, _), View::Features(own), View::Features(other)) => {
                measure.figure(own, other, self.threshold, &comparer.scratch)
            }
            (Kind::Copied(_), View::Text(own), View::Text(other)) => {
                let share = comparer.judge.copied(other, own);
                if own.length().max(other.length()) > ROOM {
                    comparer.judge = Judge::default();
                }
                Figure::share(share.covered, share.counted)
            }
            _ => unreachable!("one kind of figure makes one kind of view"),
        }
    }

    /// The most bytes that a view takes for each code point.
    pub(crate) fn bytes_a_code_point(&self) -> usize {
        match &self.figure {
            Kind::Features(measure, _) => measure.bytes_a_feature(),
            Kind::Copied(_) => Prepared::BYTES_A_CODE_POINT,
        }
    }
}

/// Turns texts into views; one a worker, reused from text to text.
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
            Kind::Copied(part) => Reader::Text(*part, Vec::new(), Box::default()),
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
