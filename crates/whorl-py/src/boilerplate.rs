//! Boilerplate for Python.

use pyo3::prelude::*;
use whorl_core::align::pair::Judge;
use whorl_core::judge::boilerplate::{self, Runs};
use whorl_core::text::TextBlock;

use crate::texts::Texts;
use crate::threads::Compute;

/// Runs of tokens that are nobody's own, by hash.
#[pyclass(frozen)]
pub struct Boilerplate(boilerplate::Boilerplate);

#[pymethods]
impl Boilerplate {
    #[classattr]
    const MANY: usize = boilerplate::MANY;
    #[classattr]
    const SAMPLE: usize = boilerplate::SAMPLE;

    #[new]
    fn new(runs: Vec<u64>) -> Self {
        Self(boilerplate::Boilerplate::of_runs(runs))
    }

    /// What most of some texts have that are no copies of each other, and how it begins in the first that has it.
    #[staticmethod]
    fn of_sample(py: Python<'_>, texts: Texts) -> (Self, String) {
        py.compute(|| {
            let sample: Vec<Runs> = (0..texts.len()).map(|number| texts.with_text(number, Runs::of)).collect();
            let found = boilerplate::Boilerplate::of_sample(&sample.iter().collect::<Vec<_>>(), &mut Judge::default());
            let shown = found.shown_in(sample.iter().map(Runs::text)).map_or(String::new(), |(_, shown)| shown);
            (Self(found), shown)
        })
    }

    /// The hashes, ascending.
    fn runs(&self) -> Vec<u64> {
        self.0.runs()
    }

    /// The stretches of each text that are boilerplate, as ranges of code points.
    fn ranges(&self, py: Python<'_>, texts: Texts) -> Vec<Vec<(usize, usize)>> {
        let of_text = |text: &[u32]| self.0.ranges(text).into_iter().map(|range| (range.start, range.end)).collect();
        py.compute(|| (0..texts.len()).map(|number| texts.with_code_points(number, of_text)).collect())
    }
}
