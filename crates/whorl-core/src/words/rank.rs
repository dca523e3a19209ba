//! TextRank: scores a word by the scores of the words near it.
//!
//! The words of a text are the nodes of a graph; two words are linked by the number of times they occur within one
//! window. A score is 1 − d plus d times the contributions of the neighbors, where each distributes its score by
//! edge weight.
//!
//! Source: Mihalcea, Tarau: TextRank: Bringing order into texts, EMNLP 2004; the window, d and the number of rounds are
//! those of jieba. Scores are IEEE 754 doubles summed in a fixed order, and therefore the same on every platform.

/// Two words share a window if they are fewer than this many words apart.
const WINDOW: u32 = 5;
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 10;

/// An occurrence of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Index among the terms of the text.
    pub term: u32,
    /// Index among all words of the text, terms or not; ascending.
    pub position: u32,
    /// Multiplicity of the occurrence.
    pub count: u32,
}

/// Scores each of `terms` terms; the average is 1. A pair counts as often as its first member; a term is not its own
/// neighbor. Linear in the occurrences, except for sorting the pairs.
pub(crate) fn text_rank(occurrences: &[Occurrence], terms: usize) -> Vec<f64> {
    let edges = edges(occurrences);
    let mut shared_out = vec![0.0; terms];
    edges.iter().for_each(|&(from, _, weight)| shared_out[from as usize] += weight);
    let mut scores = vec![1.0; terms];
    let mut received = vec![0.0; terms];
    for _ in 0..ROUNDS {
        received.fill(0.0);
        for &(from, to, weight) in &edges {
            received[from as usize] += weight / shared_out[to as usize] * scores[to as usize];
        }
        scores.iter_mut().zip(&received).for_each(|(score, sum)| *score = (1.0 - DAMPING) + DAMPING * sum);
    }
    scores
}

/// Both directions of every edge in ascending order, with the weight.
fn edges(occurrences: &[Occurrence]) -> Vec<(u32, u32, f64)> {
    let mut pairs: Vec<(u32, u32, u32)> = Vec::new();
    for (place, first) in occurrences.iter().enumerate() {
        let near = occurrences[place + 1..].iter().take_while(|next| next.position - first.position < WINDOW);
        for next in near.filter(|next| next.term != first.term) {
            pairs.push((first.term, next.term, first.count));
            pairs.push((next.term, first.term, first.count));
        }
    }
    pairs.sort_unstable();
    let mut edges: Vec<(u32, u32, f64)> = Vec::new();
    for (from, to, count) in pairs {
        match edges.last_mut() {
            Some(last) if (last.0, last.1) == (from, to) => last.2 += f64::from(count),
            _ => edges.push((from, to, f64::from(count))),
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn occurrences(terms: &[u32]) -> Vec<Occurrence> {
        (0..).zip(terms).map(|(position, &term)| Occurrence { term, position, count: 1 }).collect()
    }

    /// The definition with the full matrix.
    fn by_matrix(occurrences: &[Occurrence], terms: usize) -> Vec<f64> {
        let mut matrix = vec![vec![0.0; terms]; terms];
        for (place, a) in occurrences.iter().enumerate() {
            for b in &occurrences[place + 1..] {
                if b.position - a.position < 5 && a.term != b.term {
                    matrix[a.term as usize][b.term as usize] += f64::from(a.count);
                    matrix[b.term as usize][a.term as usize] += f64::from(a.count);
                }
            }
        }
        let mut scores = vec![1.0; terms];
        for _ in 0..10 {
            let handed_on = |to: usize| -> f64 {
                let share = |from: usize| matrix[from][to] / matrix[from].iter().sum::<f64>() * scores[from];
                (0..terms).filter(|&from| matrix[from][to] > 0.0).map(share).sum()
            };
            scores = (0..terms).map(|term| 0.15 + 0.85 * handed_on(term)).collect();
        }
        scores
    }

    proptest! {
        #[test]
        fn the_edges_give_what_the_matrix_gives(found in prop::collection::vec((0u32..8, 1u32..4, 1u32..6), 0..40)) {
            let mut position = 0;
            let occurrences: Vec<_> = found.into_iter().map(|(term, count, step)| {
                position += step;
                Occurrence { term, position, count }
            }).collect();
            for (fast, slow) in text_rank(&occurrences, 8).into_iter().zip(by_matrix(&occurrences, 8)) {
                prop_assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
            }
        }
    }

    #[test]
    fn a_word_among_many_neighbours_says_most() {
        let scores = text_rank(&occurrences(&[0, 1, 0, 2, 0, 3, 0, 4]), 6);
        assert!(scores[1..].iter().all(|&score| score < scores[0]));
        assert!(scores[5] < 0.16, "a word without neighbours");
    }
}
