//! Boilerplate for Python.

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::pair::Judge;
use whorl_core::judge::boilerplate::{self, Runs};
use whorl_core::text::TextBlock;

use crate::texts::Texts;
use crate::threads::Compute;

/// Runs of tokens that are nobody's own, by hash.
#[pyclass(frozen)]
pub struct Boilerplate(pub boilerplate::Boilerplate);

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

    /// True if there is any.
    fn __bool__(&self) -> bool {
        !self.0.is_empty()
    }

    fn __or__(&self, other: &Self) -> Self {
        Self(self.0.with(&other.0))
    }

    fn __sub__(&self, other: &Self) -> Self {
        Self(self.0.without(&other.0))
    }

    /// Those of some hashes that are boilerplate, in their order.
    fn among(&self, mut runs: Vec<u64>) -> Vec<u64> {
        runs.retain(|&run| self.0.has(run));
        runs
    }

    /// The hashes, ascending.
    fn runs(&self) -> Vec<u64> {
        self.0.runs()
    }

    /// The stretches of each text that are boilerplate, as ranges of code points.
    fn ranges(&self, py: Python<'_>, texts: Texts) -> Vec<Vec<(usize, usize)>> {
        let of_text = |text: &[u32]| self.0.ranges(text).into_iter().map(|range| (range.start, range.end)).collect();
        py.compute(|| of_each(&texts, of_text))
    }
}

/// Fewer texts are faster read on one core than the others are woken.
const WORTH_SHARING: usize = 32;

fn of_each<R: Send>(texts: &Texts, of_text: impl Fn(&[u32]) -> R + Sync) -> Vec<R> {
    let one = |number| texts.with_code_points(number, &of_text);
    if texts.len() < WORTH_SHARING {
        return (0..texts.len()).map(one).collect();
    }
    (0..texts.len()).into_par_iter().map(one).collect()
}
