//! What is demanded of two texts before one counts as a copy of the other: an exact figure that must be reached.

use std::ops::Range;

use crate::align::pair::{Given, Judge, new_names};
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
    /// Its code points, and which of them are boilerplate.
    Text(Vec<u32>, Vec<Range<usize>>),
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
    /// Lets go of the room of an unusually long text.
    pub fn shrink(&mut self) {
        if self.judge.a.length().max(self.judge.b.length()) > ROOM {
            self.judge = Judge::default();
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
        let names = new_names();
        unbounded.compare((&own, (names, 0)), (&other, (names, 1)), &mut Comparer::default())
    }

    /// The figure of two views. Each comes with a name that no other text has; a text that stays on its side from one
    /// comparison to the next is not read again. A figure below the threshold may be an upper bound.
    pub(crate) fn compare(&self, own: Named<'_>, other: Named<'_>, comparer: &mut Comparer) -> Figure {
        match (&self.figure, own.0, other.0) {
            (Kind::Features(measure, _), View::Features(own), View::Features(other)) => {
                measure.figure(own, other, self.threshold, &mut comparer.scratch)
            }
            (Kind::Copied(_), View::Text(text, boilerplate), View::Text(other_text, other_boilerplate)) => {
                let source = Given { name: other.1, text: other_text, boilerplate: other_boilerplate };
                let examined = Given { name: own.1, text, boilerplate };
                let share = comparer.judge.copied(source, examined);
                Figure::share(share.covered, share.counted)
            }
            _ => unreachable!("one kind of figure makes one kind of view"),
        }
    }

    /// The most bytes that a view takes for each code point.
    pub(crate) fn bytes_a_code_point(&self) -> usize {
        match &self.figure {
            Kind::Features(measure, _) => measure.bytes_a_feature(),
            Kind::Copied(_) => size_of::<u32>(),
        }
    }
}

/// A view and the name of its text.
pub(crate) type Named<'v> = (&'v View, (u64, usize));

/// Turns texts into views; one a worker, reused from text to text.
pub(crate) struct Viewer<'d> {
    reader: Reader<'d>,
    boilerplate: &'d Boilerplate,
}

enum Reader<'d> {
    Features(Measure, Box<FeatureReader<'d>>, Vec<u64>, Scratch),
    Text(Part),
}

impl<'d> Viewer<'d> {
    pub(crate) fn new(demand: &'d Demand, boilerplate: &'d Boilerplate) -> Self {
        let reader = match &demand.figure {
            Kind::Features(measure, features) => {
                Reader::Features(*measure, Box::new(FeatureReader::new(features)), Vec::new(), Scratch::default())
            }
            Kind::Copied(part) => Reader::Text(*part),
        };
        Self { reader, boilerplate }
    }

    pub(crate) fn view(&mut self, text: Text<'_>) -> View {
        match &mut self.reader {
            Reader::Features(measure, reader, hashes, scratch) => {
                reader.read(text, hashes);
                View::Features(measure.view(hashes, scratch))
            }
            Reader::Text(part) => {
                let mut code_points = Vec::new();
                part.of(text).copy_to(&mut code_points);
                let boilerplate = self.boilerplate.ranges(&code_points);
                View::Text(code_points, boilerplate)
            }
        }
    }
}
