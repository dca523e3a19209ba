//! Segmentation by dictionary matches alone, without a language model.
//!
//! A character that is not part of a match is a word by itself. Every function takes the matches within a stretch of
//! characters and returns half-open ranges that cover it.

/// Every dictionary word that occurs in a stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lattice {
    length: usize,
    /// (start, end) of every match, by start, then by end; every single character is included.
    matches: Vec<(u32, u32)>,
}

/// A segmentation: ranges that cover a stretch, in order.
pub(crate) type Cut = Vec<(u32, u32)>;

impl Lattice {
    /// Takes the matches in a stretch of `length` characters, by start and then by end.
    pub fn new(length: usize, word_ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut matches = Vec::with_capacity(2 * length);
        let mut alone = 0;
        for (start, end) in word_ranges {
            while alone <= start && (alone < start || end > start + 1) {
                matches.push((alone, alone + 1));
                alone += 1;
            }
            alone = alone.max(start + 1);
            matches.push((start, end));
        }
        matches.extend((alone..length as u32).map(|start| (start, start + 1)));
        Self { length, matches }
    }

    /// Every match, and every character that no match covers.
    pub fn full(&self) -> Cut {
        let mut covered = vec![false; self.length];
        for &(start, end) in self.matches.iter().filter(|(start, end)| end - start > 1) {
            covered[start as usize..end as usize].fill(true);
        }
        let is_listed = |&(start, end): &(u32, u32)| end - start > 1 || !covered[start as usize];
        self.matches.iter().copied().filter(is_listed).collect()
    }

    /// Forward maximum matching: from the left, always the longest match.
    pub fn forward(&self) -> Cut {
        let mut cut = Cut::new();
        for &(start, end) in &self.matches {
            match cut.last_mut() {
                Some(last) if last.0 == start => last.1 = end,
                Some(last) if last.1 > start => {}
                _ => cut.push((start, end)),
            }
        }
        cut
    }

    /// Backward maximum matching: from the right, always the longest match.
    pub fn backward(&self) -> Cut {
        let mut earliest: Vec<u32> = (0..self.length as u32).collect();
        for &(start, end) in &self.matches {
            let entry = &mut earliest[end as usize - 1];
            *entry = start.min(*entry);
        }
        let mut cut = Cut::new();
        let mut end = self.length as u32;
        while end > 0 {
            let start = earliest[end as usize - 1];
            cut.push((start, end));
            end = start;
        }
        cut.reverse();
        cut
    }

    /// The better of forward and backward: fewer words, then fewer single characters, then backward.
    pub fn bidirectional(&self) -> Cut {
        let (forward, backward) = (self.forward(), self.backward());
        if cost(&forward) < cost(&backward) { forward } else { backward }
    }

    /// The cut with the fewest words, then the fewest single characters, then the longest first word.
    pub fn minimum(&self) -> Cut {
        // Per start: words, single characters, and the end of the first word of the best segmentation from there.
        let mut best = vec![(u32::MAX, u32::MAX, 0); self.length];
        best.push((0, 0, self.length as u32));
        for &(start, end) in self.matches.iter().rev() {
            let (words, singles, _) = best[end as usize];
            let candidate = (words + 1, singles + u32::from(end - start == 1), end);
            let entry = &mut best[start as usize];
            if (candidate.0, candidate.1) < (entry.0, entry.1) {
                *entry = candidate;
            }
        }
        let mut cut = Cut::new();
        let mut start = 0;
        while (start as usize) < self.length {
            let end = best[start as usize].2;
            cut.push((start, end));
            start = end;
        }
        cut
    }
}

/// Words, then single characters.
fn cost(cut: &[(u32, u32)]) -> (usize, usize) {
    (cut.len(), cut.iter().filter(|(start, end)| end - start == 1).count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lattice() -> impl Strategy<Value = Lattice> {
        (1usize..9).prop_flat_map(|length| {
            let word = (0..length as u32, 1u32..5);
            prop::collection::btree_set(word, 0..12).prop_map(move |words| {
                let ends = words.into_iter().map(|(start, size)| (start, start + size));
                Lattice::new(length, ends.filter(|&(_, end)| end as usize <= length))
            })
        })
    }

    /// Every way to cover the stretch with matches.
    fn every_cut(lattice: &Lattice, start: u32) -> Vec<Cut> {
        if start as usize == lattice.length {
            return vec![Cut::new()];
        }
        let firsts = lattice.matches.iter().filter(|word| word.0 == start);
        let with_rest = firsts
            .flat_map(|&word| every_cut(lattice, word.1).into_iter().map(move |rest| [vec![word], rest].concat()));
        with_rest.collect()
    }

    fn longest_first(lattice: &Lattice) -> Cut {
        let mut cut = Cut::new();
        let mut start = 0;
        while (start as usize) < lattice.length {
            let end = lattice.matches.iter().filter(|word| word.0 == start).map(|word| word.1).max().unwrap();
            cut.push((start, end));
            start = end;
        }
        cut
    }

    proptest! {
        #[test]
        fn every_character_is_a_match_of_its_own(lattice in lattice()) {
            for start in 0..lattice.length as u32 {
                prop_assert_eq!(lattice.matches.iter().filter(|&&word| word == (start, start + 1)).count(), 1);
            }
            prop_assert!(lattice.matches.is_sorted());
        }

        #[test]
        fn forward_is_its_definition(lattice in lattice()) {
            prop_assert_eq!(lattice.forward(), longest_first(&lattice));
        }

        #[test]
        fn backward_is_forward_in_a_mirror(lattice in lattice()) {
            let length = lattice.length as u32;
            let flip = |&(start, end): &(u32, u32)| (length - end, length - start);
            let mut flipped: Vec<_> = lattice.matches.iter().map(flip).filter(|word| word.1 - word.0 > 1).collect();
            flipped.sort_unstable();
            let mut forward: Cut = Lattice::new(lattice.length, flipped).forward().iter().map(flip).collect();
            forward.reverse();
            prop_assert_eq!(lattice.backward(), forward);
        }

        #[test]
        fn minimum_is_the_best_of_all_cuts(lattice in lattice()) {
            let cuts = every_cut(&lattice, 0);
            let result = lattice.minimum();
            prop_assert!(cuts.contains(&result));
            prop_assert_eq!(Some(cost(&result)), cuts.iter().map(|cut| cost(cut)).min());
        }

        #[test]
        fn bidirectional_is_no_worse_than_either(lattice in lattice()) {
            let result = cost(&lattice.bidirectional());
            prop_assert_eq!(result, cost(&lattice.forward()).min(cost(&lattice.backward())));
        }

        #[test]
        fn full_covers_everything(lattice in lattice()) {
            let full = lattice.full();
            for place in 0..lattice.length as u32 {
                prop_assert!(full.iter().any(|&(start, end)| start <= place && place < end));
            }
        }
    }
}
