//! Python bindings for boilerplate.

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::pair::Judge;
use whorl_core::judge::boilerplate::{self, Runs};
use whorl_core::judge::samples::{Sample, learn};
use whorl_core::text::TextBlock;

use crate::texts::Texts;
use crate::threads::Compute;

/// Hashes of the token runs that are boilerplate.
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

    /// Learns the boilerplate shared by most of a sample of texts that are not copies of each other. Also returns how
    /// it begins in the first text that contains it.
    #[staticmethod]
    fn of_sample(py: Python<'_>, texts: Texts) -> (Self, String) {
        py.compute(|| {
            let sample: Vec<Runs> = (0..texts.len()).map(|number| texts.with_text(number, Runs::of)).collect();
            let learned =
                boilerplate::Boilerplate::of_sample(&sample.iter().collect::<Vec<_>>(), &mut Judge::default());
            let excerpt = learned.shown_in(sample.iter().map(Runs::text)).map_or(String::new(), |(_, excerpt)| excerpt);
            (Self(learned), excerpt)
        })
    }

    /// Learns from many samples of texts, one after the other: for each sample the numbers of its texts, that of the
    /// examined document first, and whether only text that frames the documents is boilerplate. Returns for each what it
    /// teaches besides `existing` and the samples before it.
    #[staticmethod]
    fn of_samples(py: Python<'_>, texts: Texts, samples: Vec<(Vec<usize>, bool)>, existing: &Self) -> Vec<Self> {
        let samples = samples.into_iter().map(|(texts, frames_only)| Sample { texts, frames_only });
        let samples: Vec<Sample> = samples.collect();
        py.compute(|| learn(&texts, &samples, &existing.0)).into_iter().map(Self).collect()
    }

    /// Returns the runs that frame most of the texts that contain them.
    fn framing(&self, py: Python<'_>, texts: Texts) -> Self {
        py.compute(|| {
            let texts: Vec<Vec<u32>> =
                (0..texts.len()).map(|number| texts.with_code_points(number, <[u32]>::to_vec)).collect();
            Self(self.0.framing(texts.iter().map(Vec::as_slice)))
        })
    }

    /// True if there are any runs.
    fn __bool__(&self) -> bool {
        !self.0.is_empty()
    }

    fn __or__(&self, other: &Self) -> Self {
        Self(self.0.with(&other.0))
    }

    fn __sub__(&self, other: &Self) -> Self {
        Self(self.0.without(&other.0))
    }

    /// Filters hashes to those that are boilerplate, in order.
    fn intersection(&self, mut runs: Vec<u64>) -> Vec<u64> {
        runs.retain(|&run| self.0.has(run));
        runs
    }

    /// The hashes in ascending order.
    fn runs(&self) -> Vec<u64> {
        self.0.runs()
    }

    /// Returns the boilerplate stretches of each text as code-point ranges.
    fn ranges(&self, py: Python<'_>, texts: Texts) -> Vec<Vec<(usize, usize)>> {
        let of_text = |text: &[u32]| self.0.ranges(text).into_iter().map(|range| (range.start, range.end)).collect();
        py.compute(|| of_each(&texts, of_text))
    }
}

/// Below this many texts, waking other threads costs more than it saves.
const WORTH_SHARING: usize = 32;

fn of_each<R: Send>(texts: &Texts, of_text: impl Fn(&[u32]) -> R + Sync) -> Vec<R> {
    let ranges_of = |number| texts.with_code_points(number, &of_text);
    if texts.len() < WORTH_SHARING {
        return (0..texts.len()).map(ranges_of).collect();
    }
    (0..texts.len()).into_par_iter().map(ranges_of).collect()
}
