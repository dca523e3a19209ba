//! Python bindings for compilations.

use std::collections::BTreeMap;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::compilation::{Place, is_compilation};
use whorl_core::align::pair::{Judge, Prepared, Side, Stream};
use whorl_core::text::TextBlock;

use crate::boilerplate::Boilerplate;
use crate::texts::Texts;
use crate::threads::Compute;

/// Detects compilations. For each text and its candidate stories, returns whether the text is a compilation and which
/// candidates are stories in it.
#[pyfunction]
pub fn compilations(
    py: Python<'_>,
    texts: Texts,
    candidates: Vec<(usize, Vec<usize>)>,
    learned: Py<Boilerplate>,
) -> PyResult<Vec<(bool, Vec<bool>)>> {
    let named = || candidates.iter().flat_map(|(text, others)| others.iter().chain([text]).copied());
    if named().any(|text| text >= texts.len()) {
        return Err(PyIndexError::new_err("there is no text of that number"));
    }
    let numbers: Vec<usize> = named().collect::<std::collections::BTreeSet<usize>>().into_iter().collect();
    Ok(py.compute(|| {
        let ranges = |stream: &Stream| learned.get().0.ranges_in(stream);
        let prepared = |side: &mut Side, &number: &usize| {
            let mut code_points = Vec::new();
            texts.with_text(number, |text| text.copy_to(&mut code_points));
            (number, side.prepare(&code_points, &ranges))
        };
        let prepared: BTreeMap<usize, Prepared> = numbers.par_iter().map_init(Side::default, prepared).collect();
        let judged = |judge: &mut Judge, (text, others): &(usize, Vec<usize>)| {
            let text = &prepared[text];
            let places: Vec<Option<Place>> =
                others.iter().map(|other| judge.place_of(&prepared[other], text)).collect();
            let are_stories = places.iter().map(Option::is_some).collect();
            (is_compilation(text, &places.into_iter().flatten().collect::<Vec<Place>>()), are_stories)
        };
        candidates.par_iter().map_init(Judge::default, judged).collect()
    }))
}
