//! Shingles of two texts with different word boundaries: spaces were lost, or inserted between letters.
//!
//! Tokens of alphabetic scripts are words, so such a pair shares no shingle of five tokens although it is aligned
//! letter by letter. Runs of code points with the length of five words do not depend on spaces, and a replaced word
//! changes about as many of them as it changes shingles.

use super::pair::Judge;
use super::side::Side;
use crate::hash::mix;
use crate::measure::verify::{Scratch, overlap};
use crate::text::shingle::window_hashes;

/// Number of code points of five English words.
const RUN: usize = 25;
/// Ratio of mean word lengths from which spaces must have been lost or added.
const RATIO: f64 = 1.25;
/// Minimum number of code points for a reliable mean word length.
const MIN_UNITS: usize = 100;

impl Judge {
    /// Distinct runs shared by both texts of the last pair, of the first, of the second. None unless both are in
    /// alphabetic scripts and their words differ in length. Linear.
    pub fn runs_across_spaces(&self) -> Option<[u32; 3]> {
        let [a, b] = [&self.a, &self.b].map(mean_word);
        if a?.max(b?) < RATIO * a?.min(b?) {
            return None;
        }
        let [of_a, of_b] = [&self.a, &self.b].map(runs);
        Some(overlap(&of_a, &of_b, &mut Scratch::default(), &mut Vec::new()))
    }
}

/// The mean word length; None if the text is too short or in a script without spaces.
fn mean_word(side: &Side) -> Option<f64> {
    let units = side.stream.units().len();
    let tokens = side.stream.begins(0..units).filter(|&begins| begins).count();
    (!side.dense && units >= MIN_UNITS).then(|| units as f64 / tokens as f64)
}

fn runs(side: &Side) -> Vec<u64> {
    let units: Vec<u64> = side.stream.units().iter().map(|&unit| mix(unit.into())).collect();
    let mut hashes = Vec::new();
    window_hashes(&units, RUN, &mut hashes);
    hashes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::align::pair::{InputText, LeaveOut};

    const TEXT: &str = "The old market will close its gates until the end of the summer so that carpenters can repair the \
                        wooden roof, and traders move to the yard of the primary school.";

    fn code_points(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    fn runs_of(a: &str, b: &str) -> Option<[u32; 3]> {
        let mut judge = Judge::default();
        judge.judge(
            InputText::plain((0, 1), &code_points(a)),
            InputText::plain((0, 2), &code_points(b)),
            LeaveOut::default(),
            &[],
        );
        judge.runs_across_spaces()
    }

    fn slow(a: &str, b: &str) -> [u32; 3] {
        let [a, b] = [a, b].map(|text| {
            let letters: Vec<char> =
                text.to_lowercase().chars().filter(|character| character.is_alphanumeric()).collect();
            letters.windows(RUN).map(<[char]>::to_vec).collect::<BTreeSet<_>>()
        });
        [a.intersection(&b).count() as u32, a.len() as u32, b.len() as u32]
    }

    #[test]
    fn texts_are_held_against_each_other_letter_by_letter_where_spaces_were_lost() {
        let joined = TEXT.replace("carpenters", "builders").replace(' ', "");
        let spaced: String = TEXT.chars().flat_map(|character| [character, ' ']).collect();
        assert_eq!(runs_of(TEXT, &joined), Some(slow(TEXT, &joined)));
        assert_eq!(runs_of(TEXT, &spaced), Some(slow(TEXT, &spaced)));
    }

    #[test]
    fn texts_with_words_of_one_length_are_not() {
        assert_eq!(runs_of(TEXT, &TEXT.replace("carpenters", "builders")), None);
        assert_eq!(runs_of("今年春天，江南的茶农比往年早十天开园。", TEXT), None);
    }
}
