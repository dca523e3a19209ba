use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;

const ALL: [Measure; 5] = [Measure::Jaccard, Measure::Containment, Measure::Cosine, Measure::Euclidean, Measure::Edit];

fn figure(measure: Measure, a: &[u64], b: &[u64], threshold: f64) -> Figure {
    let mut scratch = Scratch::default();
    let (a, b) = (measure.view(a, &mut scratch), measure.view(b, &mut scratch));
    scratch.hold(&a);
    measure.figure(&a, &b, threshold, &scratch)
}

fn counts(features: &[u64]) -> BTreeMap<u64, f64> {
    let mut counts = BTreeMap::new();
    features.iter().for_each(|&feature| *counts.entry(feature).or_default() += 1.0);
    counts
}

/// The distance between the count vectors, scaled to length 1, coordinate by coordinate.
fn slow_distance(a: &[u64], b: &[u64]) -> f64 {
    let scaled = |features: &[u64]| {
        let counts = counts(features);
        let length = counts.values().map(|count| count * count).sum::<f64>().sqrt();
        counts.into_iter().map(move |(feature, count)| (feature, count / length)).collect::<BTreeMap<_, _>>()
    };
    let (a, b) = (scaled(a), scaled(b));
    let features: HashSet<&u64> = a.keys().chain(b.keys()).collect();
    let at = |vector: &BTreeMap<u64, f64>, feature| vector.get(feature).copied().unwrap_or_default();
    features.into_iter().map(|feature| (at(&a, feature) - at(&b, feature)).powi(2)).sum::<f64>().sqrt()
}

/// The full table of all prefixes, row by row.
fn slow_edits(a: &[u64], b: &[u64]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, own) in a.iter().enumerate() {
        let mut next = vec![index + 1];
        for (place, other) in b.iter().enumerate() {
            let replaced = row[place] + usize::from(own != other);
            next.push(replaced.min(row[place + 1] + 1).min(next[place] + 1));
        }
        row = next;
    }
    row[b.len()]
}

fn texts(longest: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![1u64..12, 300u64..330, Just(u64::MAX / 3)], 0..longest)
}

/// A text and an edited copy, such that all distances occur.
fn edited(longest: usize) -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    (texts(longest), prop::collection::vec((any::<prop::sample::Index>(), 1u64..12, 0..3), 0..60)).prop_map(
        |(text, edits)| {
            let mut copy = text.clone();
            for (place, feature, kind) in edits {
                match kind {
                    0 => copy.insert(place.index(copy.len() + 1), feature),
                    _ if copy.is_empty() => {}
                    1 => {
                        let place = place.index(copy.len());
                        copy[place] = feature;
                    }
                    _ => drop(copy.remove(place.index(copy.len()))),
                }
            }
            (text, copy)
        },
    )
}

proptest! {
    #[test]
    fn what_stops_early_is_below_the_threshold_and_nothing_else(
        (a, b) in prop_oneof![edited(200), (texts(200), texts(200))],
        threshold in prop_oneof![Just(0.5), 0.01..=1.0],
    ) {
        for measure in [Measure::Jaccard, Measure::Containment] {
            let (exact, bounded) = (figure(measure, &a, &b, 0.0), figure(measure, &a, &b, threshold));
            if exact.similarity >= threshold {
                prop_assert_eq!(bounded, exact);
            } else {
                prop_assert!(bounded.similarity < threshold);
            }
        }
    }

    #[test]
    fn overlaps_equal_set_arithmetic(a in texts(80), b in texts(80)) {
        let (jaccard, containment) = (figure(Measure::Jaccard, &a, &b, 0.0), figure(Measure::Containment, &a, &b, 0.0));
        let (a, b): (HashSet<u64>, HashSet<u64>) = (a.into_iter().collect(), b.into_iter().collect());
        prop_assert_eq!(jaccard.shared as usize, a.intersection(&b).count());
        prop_assert_eq!(jaccard.united as usize, a.union(&b).count());
        prop_assert_eq!((containment.shared, containment.united as usize), (jaccard.shared, a.len()));
    }

    #[test]
    fn angles_equal_vector_arithmetic((a, b) in edited(80)) {
        prop_assume!(!a.is_empty() && !b.is_empty());
        let distance = slow_distance(&a, &b);
        let cosine = figure(Measure::Cosine, &a, &b, 0.5);
        prop_assert!((cosine.similarity - (1.0 - distance * distance / 2.0)).abs() < 1e-12);
        prop_assert!((figure(Measure::Euclidean, &a, &b, 0.5).similarity - (1.0 - distance / 2f64.sqrt())).abs() < 1e-7);
        let (a, b) = (counts(&a), counts(&b));
        prop_assert_eq!(cosine.shared as usize, a.keys().filter(|feature| b.contains_key(feature)).count());
        prop_assert_eq!((cosine.shared + cosine.united) as usize, a.len() + b.len());
    }

    #[test]
    fn edits_equal_the_table(((a, b), threshold) in (edited(300), 0.0f64..1.0)) {
        let longer = a.len().max(b.len());
        let similarity = if longer == 0 { 0.0 } else { (longer - slow_edits(&a, &b)) as f64 / longer as f64 };
        let computed = figure(Measure::Edit, &a, &b, threshold).similarity;
        if similarity >= threshold {
            prop_assert_eq!(computed, similarity);
        } else {
            prop_assert!(similarity <= computed && computed < threshold.max(f64::MIN_POSITIVE));
        }
        prop_assert_eq!(figure(Measure::Edit, &a, &b, 0.0).similarity, similarity);
    }

    #[test]
    fn identical_texts_are_exactly_one_and_none_is_more((a, b) in edited(120)) {
        for measure in ALL {
            prop_assert_eq!(figure(measure, &a, &a, 0.8).similarity, if a.is_empty() { 0.0 } else { 1.0 });
            prop_assert!((0.0..=1.0).contains(&figure(measure, &a, &b, 0.8).similarity));
        }
    }
}

#[test]
fn nothing_is_similar_to_nothing() {
    for measure in ALL {
        assert_eq!(figure(measure, &[], &[], 0.5).similarity, 0.0);
        assert_eq!(figure(measure, &[], &[7], 0.5).similarity, 0.0);
        assert_eq!(figure(measure, &[7], &[], 0.5).similarity, 0.0);
    }
}

#[test]
fn the_hashes_0_and_1_are_one_feature() {
    for measure in ALL {
        assert_eq!(figure(measure, &[0, 5], &[1, 5], 0.5).similarity, 1.0);
    }
}
