//! Maps a count to its position between the smallest and largest expected value, and to a digit.

use std::array::from_fn;

use super::{Counts, LETTERS, Rule};

/// Distance from the reference, in standard deviations, beyond which positions are clamped to the outermost bins.
const OUTERMOST: f64 = 2.5;

pub(super) fn digit(position: f64, bins: u8) -> u8 {
    position.floor().clamp(0.0, f64::from(bins - 1)) as u8
}

/// For each count of a letter with this share: `(z + 2.5) / 5 · bins`, z its distance in standard deviations.
pub(super) fn z_positions(rule: &Rule, share: f64) -> impl Iterator<Item = f64> {
    let (places, bins) = (rule.granule as f64, f64::from(rule.bins));
    let deviation = (share * (1.0 - share) / places).sqrt();
    (0..=rule.granule).map(move |count| {
        let z = (count as f64 / places - share) / deviation;
        (z + OUTERMOST) / (2.0 * OUTERMOST) * bins
    })
}

/// For each count of a letter with this share: `bins` times the binomial probability of a smaller one, and half of
/// that of an equal one.
pub(super) fn quantiles(rule: &Rule, share: f64) -> impl Iterator<Item = f64> {
    let (places, bins) = (rule.granule, f64::from(rule.bins));
    let mut equal = (0..places).fold(1.0, |power, _| power * (1.0 - share));
    let mut smaller = 0.0;
    (0..=places).map(move |count| {
        let position = bins * (smaller + equal / 2.0);
        smaller += equal;
        equal *= (places - count) as f64 / (count + 1) as f64 * (share / (1.0 - share));
        position
    })
}

pub(super) fn min_max_positions(rule: &Rule, counts: &Counts) -> [f64; LETTERS] {
    let places = rule.granule as f64;
    let differences: [f64; LETTERS] = from_fn(|letter| f64::from(counts[letter]) / places - rule.reference[letter]);
    let smallest = differences.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = if largest > smallest { largest - smallest } else { 1.0 };
    differences.map(|difference| (difference - smallest) / range * f64::from(rule.bins))
}
