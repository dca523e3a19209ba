//! Clusters of passages: a passage with all places where it stands.
//!
//! The passages of a document with different others begin and end a little differently. Those that overlap by half of
//! their union are one place; the passages join places to clusters. A sentence and the chapter around it are different
//! places, so the places of a sentence do not join all that was copied with it.

use std::ops::Range;

/// A place of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The document.
    pub document: u32,
    /// Its most frequent range, in code points.
    pub range: Range<u32>,
    /// The cluster.
    pub cluster: u32,
}

/// Places of all passages.
#[derive(Debug, Default)]
pub struct Clusters {
    /// The places, by cluster, document and range. Clusters are numbered by their first place.
    pub places: Vec<Place>,
    /// The cluster of each passage.
    pub of_passages: Vec<u32>,
}

/// One side of a passage.
pub type Side = (u32, u32, u32);

/// Joins passages that share places. Each passage is a document with a range, twice. n log n.
pub fn clusters(passages: &[(Side, Side)]) -> Clusters {
    let mut sides: Vec<(Side, usize)> =
        passages.iter().enumerate().flat_map(|(number, &(a, b))| [(a, 2 * number), (b, 2 * number + 1)]).collect();
    sides.sort_unstable_by_key(|&((document, start, end), number)| (document, start, u32::MAX - end, number));
    let mut places: Vec<Side> = Vec::new();
    let mut place_of = vec![0; sides.len()];
    for of_document in sides.chunk_by(|x, y| x.0.0 == y.0.0) {
        assign(of_document, &mut places, &mut place_of);
    }
    let mut roots: Vec<usize> = (0..places.len()).collect();
    for number in 0..passages.len() {
        let (a, b) = (root(&mut roots, place_of[2 * number]), root(&mut roots, place_of[2 * number + 1]));
        roots[a.max(b)] = a.min(b);
    }
    let mut numbers = vec![u32::MAX; places.len()];
    let mut count = 0;
    let mut result = Clusters::default();
    for (place, &(document, start, end)) in places.iter().enumerate() {
        let first = root(&mut roots, place);
        if numbers[first] == u32::MAX {
            numbers[first] = count;
            count += 1;
        }
        result.places.push(Place { document, range: start..end, cluster: numbers[first] });
    }
    result.of_passages = (0..passages.len()).map(|number| result.places[place_of[2 * number]].cluster).collect();
    result.places.sort_by_key(|place| (place.cluster, place.document, place.range.start, place.range.end));
    result
}

/// A place while its document is read.
struct Open {
    first: Range<u32>,
    place: usize,
    /// How often the most frequent range occurs.
    max_equal: usize,
}

/// Assigns the sides of a document, ordered by start, to places.
fn assign(sides: &[(Side, usize)], places: &mut Vec<Side>, place_of: &mut [usize]) {
    let mut open: Vec<Open> = Vec::new();
    for equal in sides.chunk_by(|x, y| x.0 == y.0) {
        let (document, start, end) = equal[0].0;
        open.retain(|other| other.first.end > start);
        let overlap = |other: &Open| {
            let common = end.min(other.first.end) - start;
            let union = end.max(other.first.end) - other.first.start;
            (2 * common >= union).then(|| f64::from(common) / f64::from(union.max(1)))
        };
        let best = (0..open.len())
            .filter_map(|number| overlap(&open[number]).map(|share| (share, number)))
            .max_by(|x, y| x.0.total_cmp(&y.0).then(y.1.cmp(&x.1)));
        let number = match best {
            Some((_, number)) => {
                let other = &mut open[number];
                if equal.len() > other.max_equal {
                    other.max_equal = equal.len();
                    places[other.place] = (document, start, end);
                }
                other.place
            }
            None => {
                places.push((document, start, end));
                open.push(Open { first: start..end, place: places.len() - 1, max_equal: equal.len() });
                places.len() - 1
            }
        };
        equal.iter().for_each(|&(_, side)| place_of[side] = number);
    }
}

/// The root of a place, with path halving.
fn root(roots: &mut [usize], mut place: usize) -> usize {
    while roots[place] != place {
        roots[place] = roots[roots[place]];
        place = roots[place];
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passages: &[(Side, Side)]) -> (Vec<u32>, Vec<(u32, u32)>) {
        let clusters = clusters(passages);
        let places = clusters.places.iter().map(|place| (place.cluster, place.document)).collect();
        (clusters.of_passages, places)
    }

    #[test]
    fn passages_with_a_common_place_are_a_cluster() {
        let passages = [((0, 10, 40), (1, 5, 35)), ((0, 11, 40), (2, 0, 30)), ((3, 0, 20), (4, 0, 20))];
        assert_eq!(of(&passages), (vec![0, 0, 1], vec![(0, 0), (0, 1), (0, 2), (1, 3), (1, 4)]));
    }

    #[test]
    fn a_sentence_within_a_chapter_is_another_cluster() {
        let passages = [((0, 0, 4000), (1, 0, 4000)), ((0, 100, 140), (2, 5, 45)), ((1, 100, 140), (2, 5, 45))];
        assert_eq!(of(&passages).0, vec![0, 1, 1]);
    }

    #[test]
    fn a_place_has_its_most_frequent_range() {
        let passages = [((0, 9, 40), (1, 0, 30)), ((0, 10, 40), (2, 0, 30)), ((0, 10, 40), (3, 0, 30))];
        assert_eq!(clusters(&passages).places[0].range, 10..40);
    }
}
