//! Sets of stretches of a text, with fast sums over ranges.

use std::ops::Range;

/// Stretches that may overlap; reused from text to text.
#[derive(Clone, Default)]
pub(super) struct Stretches {
    starts: Edges,
    ends: Edges,
}

impl Stretches {
    /// Replaces the stretches. Sorts once.
    pub fn take(&mut self, stretches: impl Iterator<Item = Range<usize>> + Clone) {
        self.starts.take(stretches.clone().map(|stretch| stretch.start));
        self.ends.take(stretches.map(|stretch| stretch.end));
    }

    /// True if there are no stretches.
    pub fn is_empty(&self) -> bool {
        self.starts.0.is_empty()
    }

    /// The total length of the stretches within `span`. Logarithmic.
    #[inline(always)]
    pub fn within(&self, span: &Range<usize>) -> usize {
        if self.starts.0.is_empty() || span.is_empty() { 0 } else { self.before(span.end) - self.before(span.start) }
    }

    /// The total length of the stretches before `place`.
    fn before(&self, place: usize) -> usize {
        self.starts.behind(place) - self.ends.behind(place)
    }
}

/// Positions in order, each with the prefix sum.
#[derive(Clone, Default)]
struct Edges(Vec<(usize, usize)>);

impl Edges {
    fn take(&mut self, places: impl Iterator<Item = usize>) {
        self.0.clear();
        self.0.extend(places.map(|place| (place, 0)));
        self.0.sort_unstable();
        let mut sum = 0;
        for edge in &mut self.0 {
            sum += edge.0;
            edge.1 = sum;
        }
    }

    /// The total distance of `place` from the positions before it.
    fn behind(&self, place: usize) -> usize {
        let count = self.0.partition_point(|edge| edge.0 < place);
        count * place - count.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn overlaps_are_summed_up(
            stretches in prop::collection::vec((0_usize..50, 0_usize..20), 0..10),
            start in 0_usize..60,
            length in 0_usize..30,
        ) {
            let stretches: Vec<Range<usize>> =
                stretches.into_iter().map(|(start, length)| start..start + length).collect();
            let mut all = Stretches::default();
            all.take(stretches.iter().cloned());
            let span = start..start + length;
            let slow: usize = span.clone().map(|at| stretches.iter().filter(|one| one.contains(&at)).count()).sum();
            prop_assert_eq!(all.within(&span), slow);
        }
    }
}
