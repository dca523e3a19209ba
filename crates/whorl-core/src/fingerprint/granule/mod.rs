//! The family `pinyin`: encodes how the frequencies of pinyin initials in each granule of a text deviate from a
//! reference, as one number per granule.
//!
//! ```text
//! text ─fold→ Han characters ─pinyin→ initials ─window→ counts ─reference→ positions ─cut→ digits ─hash→ keys
//! ```

mod letters;
mod position;
mod whole;

use std::array::from_fn;

use super::{Body, Family};
use crate::hash::{GOLDEN, absorb, mix};
use crate::text::pinyin::Pinyin;
use crate::text::shingle::FoldedText;
use crate::text::{Text, fold};

use letters::{Letters, letter_of_syllable};
use position::{digit, min_max_positions, quantiles, z_positions};
use whole::whole_hash;

/// The counted initials in the order of their digits; the three rarest of the 23 (a, e and o) are omitted.
pub const ALPHABET: [u8; LETTERS] = *b"bcdfghjklmnpqrstwxyz";
/// Digits of a number.
pub const LETTERS: usize = 20;
/// Maximum number of granules looked up for a possible excerpt, unless the text itself has more.
const SOUGHT: usize = 4000;
/// A letter that occupies a place in a granule but is not counted.
const UNCOUNTED: u8 = LETTERS as u8;

/// How a count is mapped to `0 ..= bins`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalisation {
    /// By its distance from the reference in standard deviations, from −2.5 to 2.5.
    ZScore,
    /// Between the smallest and the largest difference from the reference in its granule.
    MinMax,
    /// By the share of granules that would have a smaller count if letters fell independently as in the reference.
    Quantile,
}

/// How granules are cut and encoded as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Places of a granule, 1 or more.
    pub granule: usize,
    /// Places between the starts of consecutive granules, 1 or more.
    pub step: usize,
    /// Base of the digits, 2 to 10.
    pub bins: u8,
    /// Number of keys of a text with fewer granules.
    pub hits: usize,
    /// How a count becomes a digit.
    pub normalisation: Normalisation,
    /// Whether characters other than Han take a place too, with Latin letters counted as they are.
    pub keep_others: bool,
    /// The reference share of each letter of [`ALPHABET`], in (0, 0.5].
    pub reference: [f64; LETTERS],
}

/// Letter counts of a granule, with a slot for [`UNCOUNTED`]. The padded width avoids bounds checks.
type Counts = [u32; 32];
type Digits = [u8; LETTERS];

/// Buffers that a thread reuses from text to text.
#[derive(Default)]
pub struct Scratch {
    letters: Vec<u8>,
    keys: Vec<u64>,
}

/// The keys of a text are distinct and ascend.
impl Family for Granules {
    type Folded = FoldedText;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn fingerprint(&self, body: &Body<'_, FoldedText>, scratch: &mut Scratch, keys: &mut Vec<u64>, _: &mut [u8]) {
        keys.extend(self.keys(body.text, scratch));
    }
}

/// Computes lookup keys for texts that may be excerpts of others, matching the keys of [`Granules`].
pub struct SoughtGranules<'g>(pub &'g Granules);

impl Family for SoughtGranules<'_> {
    type Folded = FoldedText;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn fingerprint(&self, body: &Body<'_, FoldedText>, scratch: &mut Scratch, keys: &mut Vec<u64>, _: &mut [u8]) {
        keys.extend(self.0.sought_keys(body.text, scratch));
    }
}

/// A prepared [`Rule`]: the position and the digit for each letter and count.
pub struct Granules {
    rule: Rule,
    /// `granule + 1` counts per letter; empty for [`Normalisation::MinMax`].
    positions: Vec<f64>,
    digits: Vec<u8>,
}

impl Granules {
    /// Prepares `rule`. O(letters · granule).
    pub fn new(rule: Rule) -> Self {
        let positions: Vec<f64> = match rule.normalisation {
            Normalisation::ZScore => rule.reference.iter().flat_map(|&share| z_positions(&rule, share)).collect(),
            Normalisation::Quantile => rule.reference.iter().flat_map(|&share| quantiles(&rule, share)).collect(),
            Normalisation::MinMax => Vec::new(),
        };
        let digits = positions.iter().map(|&position| digit(position, rule.bins)).collect();
        Self { rule, positions, digits }
    }

    /// Computes lookup keys that match wherever an excerpt was cut out: the text's index keys, and the keys of granules
    /// at nearly every place, also with their least certain digit moved. The keys are distinct and ascending.
    fn sought_keys<'a>(&self, text: Text<'_>, scratch: &'a mut Scratch) -> &'a [u64] {
        if self.granule_keys(text, scratch).len() < self.rule.hits {
            return self.keys(text, scratch);
        }
        let Scratch { letters, keys } = scratch;
        let step = self.rule.step.min(1 + letters.len() / SOUGHT);
        self.each_granule(letters, step, |counts| self.probe(counts, 1, keys));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Returns the digits of every granule of a text, [`LETTERS`] each, even if there are too few for keys.
    pub fn digits(&self, text: Text<'_>) -> Vec<u8> {
        let mut letters = Vec::new();
        self.letters(text, &mut letters);
        let mut digits = Vec::new();
        self.each_granule(&letters, self.rule.step, |counts| digits.extend(self.digits_of(counts)));
        digits
    }

    /// Computes keys for looking a text up among texts fingerprinted by this rule; distinct, ascending.
    ///
    /// Granules begin every `step` places, so that an excerpt is found wherever it was cut out. `pieces` of them are
    /// used, evenly spread; 0 means all. Each granule is also looked up with each of its `probes` least certain digits
    /// moved to the adjacent bin, one at a time.
    pub fn query(&self, text: Text<'_>, step: usize, pieces: usize, probes: usize) -> Vec<u64> {
        let mut scratch = Scratch::default();
        if self.granule_keys(text, &mut scratch).len() < self.rule.hits {
            return self.keys(text, &mut scratch).to_vec();
        }
        let mut granules = Vec::new();
        self.each_granule(&scratch.letters, step, |counts| granules.push(*counts));
        let selected = if pieces == 0 { granules.len() } else { pieces.min(granules.len()) };
        let mut keys = Vec::new();
        for piece in 0..selected {
            self.probe(&granules[piece * granules.len() / selected], probes, &mut keys);
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Computes the keys of a text: those of its granules, or of the whole text if there are too few.
    fn keys<'a>(&self, text: Text<'_>, scratch: &'a mut Scratch) -> &'a [u64] {
        if self.granule_keys(text, scratch).len() < self.rule.hits {
            scratch.keys.clear();
            if let Some(whole) = whole_hash(text) {
                scratch.keys.extend((1..=self.rule.hits as u64).map(|slot| mix(whole ^ slot.wrapping_mul(GOLDEN))));
            }
            scratch.keys.sort_unstable();
        }
        &scratch.keys
    }

    fn granule_keys<'a>(&self, text: Text<'_>, scratch: &'a mut Scratch) -> &'a [u64] {
        let Scratch { letters, keys } = scratch;
        keys.clear();
        self.letters(text, letters);
        self.each_granule(letters, self.rule.step, |counts| keys.push(self.key(&self.digits_of(counts))));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Fills `letters` with the index in [`ALPHABET`] of every place that granules are cut from.
    fn letters(&self, text: Text<'_>, letters: &mut Vec<u8>) {
        letters.clear();
        let (pinyin, of_syllable) = (Pinyin::get(), letter_of_syllable());
        let sink = Letters { pinyin, of_syllable, keep_others: self.rule.keep_others, letters };
        match text {
            Text::Utf8(text) => fold(text, sink),
            Text::CodePoints(text) => fold(text, sink),
        };
    }

    /// Counts the letters of every granule: one every `step` places, and one aligned with the end.
    fn each_granule(&self, letters: &[u8], step: usize, mut see: impl FnMut(&Counts)) {
        let granule = self.rule.granule;
        let Some(last) = letters.len().checked_sub(granule) else { return };
        let mut counts = [0; 32];
        letters[..granule].iter().for_each(|&letter| counts[usize::from(letter)] += 1);
        see(&counts);
        let mut start = 0;
        while start < last {
            let next = last.min(start + step);
            for place in start..next {
                counts[usize::from(letters[place])] -= 1;
                counts[usize::from(letters[place + granule])] += 1;
            }
            start = next;
            see(&counts);
        }
    }

    fn positions_of(&self, counts: &Counts) -> [f64; LETTERS] {
        if self.rule.normalisation == Normalisation::MinMax {
            return min_max_positions(&self.rule, counts);
        }
        from_fn(|letter| self.positions[letter * (self.rule.granule + 1) + counts[letter] as usize])
    }

    fn digits_of(&self, counts: &Counts) -> Digits {
        if self.rule.normalisation == Normalisation::MinMax {
            return min_max_positions(&self.rule, counts).map(|position| digit(position, self.rule.bins));
        }
        from_fn(|letter| self.digits[letter * (self.rule.granule + 1) + counts[letter] as usize])
    }

    /// Hashes a granule's number, salted with the base and the size of the granule.
    fn key(&self, digits: &Digits) -> u64 {
        let salt = u64::from(self.rule.bins) | (self.rule.granule as u64) << 8;
        let number = number(digits, self.rule.bins);
        mix(absorb(absorb(mix(salt.wrapping_mul(GOLDEN)), number as u64), (number >> 64) as u64))
    }

    /// Appends the key of a granule and of its neighbors that differ in one of the `probes` least certain digits.
    fn probe(&self, counts: &Counts, probes: usize, keys: &mut Vec<u64>) {
        let digits = self.digits_of(counts);
        keys.push(self.key(&digits));
        let mut neighbours = Vec::new();
        for (letter, position) in self.positions_of(counts).into_iter().enumerate() {
            let bin = digits[letter];
            if bin > 0 {
                neighbours.push((position - f64::from(bin), letter, bin - 1));
            }
            if bin + 1 < self.rule.bins {
                neighbours.push((f64::from(bin) + 1.0 - position, letter, bin + 1));
            }
        }
        neighbours.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for &(_, letter, bin) in neighbours.iter().take(probes) {
            let mut moved = digits;
            moved[letter] = bin;
            keys.push(self.key(&moved));
        }
    }
}

/// The number with these digits, most significant first. 20 decimal digits need 67 bits.
pub fn number(digits: &Digits, bins: u8) -> u128 {
    let half = |digits: &[u8]| digits.iter().fold(0, |number: u64, &digit| number * u64::from(bins) + u64::from(digit));
    let (high, low) = digits.split_at(LETTERS / 2);
    u128::from(half(high)) * u128::from(u64::from(bins).pow(low.len() as u32)) + u128::from(half(low))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(granule: usize, step: usize, bins: u8, normalisation: Normalisation) -> Rule {
        Rule { granule, step, bins, hits: 2, normalisation, keep_others: false, reference: [0.047; LETTERS] }
    }

    /// Letters of every granule, cut one by one.
    fn slow_digits(letters: &[u8], rule: &Rule) -> Vec<Digits> {
        let Some(last) = letters.len().checked_sub(rule.granule) else { return Vec::new() };
        let starts = (0..last).step_by(rule.step).chain([last]);
        starts.map(|start| slow_granule(&letters[start..start + rule.granule], rule)).collect()
    }

    fn slow_granule(letters: &[u8], rule: &Rule) -> Digits {
        let places = rule.granule as f64;
        from_fn(|letter| {
            let count = letters.iter().filter(|&&value| usize::from(value) == letter).count();
            let share = rule.reference[letter];
            let z = (count as f64 / places - share) / (share * (1.0 - share) / places).sqrt();
            ((z + 2.5) / 5.0 * f64::from(rule.bins)).floor().clamp(0.0, f64::from(rule.bins) - 1.0) as u8
        })
    }

    #[test]
    fn half_overlapping_granules_of_twice_their_length() {
        let granules = Granules::new(rule(4, 2, 10, Normalisation::ZScore));
        let mut sizes = Vec::new();
        granules.each_granule(&[0, 0, 1, 1, 2, 2, 3, 3], 2, |counts| sizes.push(counts[..4].to_vec()));
        assert_eq!(sizes, [[2, 2, 0, 0], [0, 2, 2, 0], [0, 0, 2, 2]]);
    }

    #[test]
    fn the_largest_numbers_have_the_sizes_of_their_bases() {
        let bits = |bins: u8| 128 - number(&[bins - 1; LETTERS], bins).leading_zeros();
        assert_eq!([10, 8, 4, 2].map(bits), [67, 60, 40, 20]);
        assert_eq!(number(&from_fn(|letter| letter as u8 % 10), 10), 1_234_567_890_123_456_789);
    }

    #[test]
    fn quantiles_are_shares_of_the_binomial_distribution() {
        let rule = rule(2, 1, 10, Normalisation::Quantile);
        let computed: Vec<f64> = quantiles(&rule, 0.5).collect();
        assert_eq!(computed, [1.25, 5.0, 8.75]);
    }

    #[test]
    fn the_extremes_of_a_granule_have_the_extreme_digits() {
        let granules = Granules::new(rule(4, 2, 4, Normalisation::MinMax));
        let mut counts = [0; 32];
        (counts[0], counts[1]) = (3, 1);
        let digits = granules.digits_of(&counts);
        assert_eq!((digits[0], digits[1], digits[2]), (3, 1, 0));
    }

    #[test]
    fn a_probe_moves_the_digit_that_is_nearest_to_another_bin() {
        let granules = Granules::new(rule(100, 50, 2, Normalisation::ZScore));
        let mut counts = [5; 32];
        counts[3] = 4;
        let mut computed = Vec::new();
        granules.probe(&counts, 1, &mut computed);
        let mut moved = [1; LETTERS];
        moved[3] = 0;
        let text_keys = granules.key(&moved);
        moved[0] = 0;
        assert_eq!(computed, [text_keys, granules.key(&moved)]);
    }

    #[test]
    fn a_short_text_equals_what_sounds_alike() {
        let keys = |text: &str| {
            let granules = Granules::new(rule(100, 50, 2, Normalisation::ZScore));
            granules.keys(Text::Utf8(text), &mut Scratch::default()).to_vec()
        };
        assert_eq!(keys("他在家 a1").len(), 2);
        assert_eq!(keys("他在家 a1"), keys("她再加，A1"));
        assert_ne!(keys("他在家 a1"), keys("他在家 a 1"));
        assert_ne!(keys("他在家"), keys("他在"));
    }

    #[test]
    fn an_excerpt_is_sought_by_the_keys_of_its_source_wherever_it_begins() {
        let source: Vec<u32> = (0..400).map(|place| 0x4E00 + (place * place * 37 + place * 11) % 5000).collect();
        let granules = Granules::new(rule(50, 25, 2, Normalisation::ZScore));
        let text_keys = granules.keys(Text::CodePoints(&source), &mut Scratch::default()).to_vec();
        for first in 100..125 {
            let excerpt = &source[first..first + 200];
            let sought = granules.sought_keys(Text::CodePoints(excerpt), &mut Scratch::default()).to_vec();
            assert!(sought.iter().filter(|key| text_keys.contains(key)).count() >= 5, "cut out at {first}");
        }
    }

    proptest! {
        #[test]
        fn the_keys_sought_are_those_of_the_text_and_of_every_place(
            text in "[\u{4E00}-\u{4FFF}]{0,300}",
            step in 1_usize..40,
        ) {
            let granules = Granules::new(rule(50, step, 2, Normalisation::ZScore));
            let text = Text::Utf8(&text);
            let text_keys = granules.keys(text, &mut Scratch::default()).to_vec();
            let mut expected = granules.query(text, 1, 0, 1);
            expected.extend(text_keys);
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(granules.sought_keys(text, &mut Scratch::default()).to_vec(), expected);
        }

        #[test]
        fn sliding_counts_give_the_digits_of_granules_cut_one_by_one(
            letters in prop::collection::vec(0..=UNCOUNTED, 0..200),
            granule in 1_usize..60,
            step in 1_usize..80,
            bins in 2_u8..=10,
        ) {
            let rule = rule(granule, step, bins, Normalisation::ZScore);
            let granules = Granules::new(rule.clone());
            let mut computed = Vec::new();
            granules.each_granule(&letters, step, |counts| computed.push(granules.digits_of(counts)));
            prop_assert_eq!(computed, slow_digits(&letters, &rule));
        }

        #[test]
        fn a_number_is_its_digits(digits in prop::array::uniform20(0_u8..7)) {
            let plain = digits.iter().fold(0_u128, |number, &digit| number * 7 + u128::from(digit));
            prop_assert_eq!(number(&digits, 7), plain);
        }
    }
}
