//! Alignment of all sentences of two stretches, by their lengths and the terms that they share.
//!
//! Source: Gale and Church, A Program for Aligning Sentences in Bilingual Corpora, Computational Linguistics 19(1),
//! 1993. A *bead* is some sentences of one text with their translation. Long sentences become long sentences, so the
//! lengths decide where no term does. Only the surroundings of a chain are searched.

use std::ops::Range;

use super::chain::Seed;
use super::terms::{Sentence, Term};

/// The sentences of each text in a bead, and what it costs, in hundredths: translators rarely merge or divide
/// sentences, and still more rarely omit them.
const SHAPES: [(usize, usize, i32); 8] =
    [(1, 1, 0), (1, 2, 100), (2, 1, 100), (2, 2, 300), (1, 3, 300), (3, 1, 300), (1, 0, 400), (0, 1, 400)];
/// The score of a bead with equal lengths,
const EQUAL: i32 = 200;
/// and the lowest one.
const LOWEST: i32 = -800;
/// Variance of the length for each letter, in tenths.
const VARIANCE: u64 = 68;
/// The score for each unit of the weight of shared terms, up to a maximum.
const SHARED: i32 = 100;
const MOST_SHARED: u32 = 8;
/// The cost of a paragraph that ends inside a bead,
const INSIDE: i32 = 200;
/// and the score or cost of a bead that begins a paragraph in both texts, or in one.
const BEGINS: i32 = 100;
/// How far from a chain beads are searched, in sentences.
const BAND: usize = 4;
/// How far a stretch is extended to the start and end of a paragraph, in sentences.
const EXTENDED: usize = 6;

/// Sentences of both texts that are translations of each other.
pub(super) type Bead = [Range<usize>; 2];

/// Two texts as sentences.
#[derive(Clone, Copy)]
pub(super) struct Pair<'t> {
    /// The sentences of the first text,
    pub a: &'t [Sentence],
    /// and of the second.
    pub b: &'t [Sentence],
}

impl Pair<'_> {
    /// Aligns the sentences around consecutive seeds. Linear in the sentences between the first and the last one.
    pub fn beads(self, run: &[Seed]) -> Vec<Bead> {
        let (first, last) = (run[0], run[run.len() - 1]);
        let of_a = paragraphs_of(self.a, first.a as usize..last.a as usize + 1);
        let of_b = paragraphs_of(self.b, first.b as usize..last.b as usize + 1);
        self.within(&of_a, &of_b, &band(run, &of_a, &of_b))
    }

    /// Aligns all sentences between two stretches. The cost is the product of their numbers.
    pub fn between(self, of_a: &Range<usize>, of_b: &Range<usize>) -> Vec<Bead> {
        let whole = vec![0..of_a.len() + 1; of_b.len() + 1];
        self.within(of_a, of_b, &whole)
    }

    fn within(self, of_a: &Range<usize>, of_b: &Range<usize>, band: &[Range<usize>]) -> Vec<Bead> {
        let table = self.table(of_a, of_b, band);
        let mut beads = Vec::new();
        let (mut x, mut y) = (of_a.len(), of_b.len());
        while let Some(&(width, height, _)) = table.shape(x, y) {
            if width > 0 && height > 0 {
                beads.push([of_a.start + x - width..of_a.start + x, of_b.start + y - height..of_b.start + y]);
            }
            (x, y) = (x - width, y - height);
        }
        beads.reverse();
        beads
    }

    fn table(self, of_a: &Range<usize>, of_b: &Range<usize>, band: &[Range<usize>]) -> Table {
        let mut table = Table::new(band);
        table.set(0, 0, 0, None);
        for (y, within) in band.iter().enumerate() {
            for x in within.clone() {
                let best = SHAPES.iter().enumerate().filter(|(_, (width, height, _))| *width <= x && *height <= y);
                let best = best.filter_map(|(number, &(width, height, cost))| {
                    let before = table.score(x - width, y - height)?;
                    let bead = [of_a.start + x - width..of_a.start + x, of_b.start + y - height..of_b.start + y];
                    let score = if width == 0 || height == 0 { 0 } else { self.score(&bead) };
                    Some((before + score - cost, std::cmp::Reverse(number)))
                });
                if let Some((score, std::cmp::Reverse(number))) = best.max() {
                    table.set(x, y, score, Some(number as u8));
                }
            }
        }
        table
    }

    /// The score of a bead, in hundredths.
    fn score(self, bead: &Bead) -> i32 {
        let [of_a, of_b] = bead;
        let begins = |text: &[Sentence], at: usize| at == 0 || text[at - 1].paragraph != text[at].paragraph;
        let ends_inside = |text: &[Sentence], range: &Range<usize>| {
            i32::from(text[range.start].paragraph != text[range.end - 1].paragraph)
        };
        let shared: u32 = of_b
            .clone()
            .flat_map(|b| of_a.clone().map(move |a| shared_weight(&self.a[a].terms, &self.b[b].terms)))
            .sum();
        let begin = match (begins(self.a, of_a.start), begins(self.b, of_b.start)) {
            (true, true) => BEGINS,
            (false, false) => 0,
            _ => -BEGINS,
        };
        let inside = ends_inside(self.a, of_a) + ends_inside(self.b, of_b);
        self.by_length(bead) + SHARED * shared.min(MOST_SHARED) as i32 + begin - INSIDE * inside
    }

    /// The lengths of both sides of a bead, in letters.
    pub fn letters(self, [of_a, of_b]: &Bead) -> [u64; 2] {
        [&self.a[of_a.clone()], &self.b[of_b.clone()]]
            .map(|sentences| sentences.iter().map(|sentence| u64::from(sentence.letters)).sum())
    }

    /// The score of a bead by the lengths of both sides, in hundredths.
    pub fn by_length(self, bead: &Bead) -> i32 {
        let [a, b] = self.letters(bead);
        let deviation = 300 * a.abs_diff(b).pow(2) / (VARIANCE * (a + b)).max(1);
        (EQUAL - i32::try_from(deviation).unwrap_or(i32::MAX)).max(LOWEST)
    }
}

/// A range of sentences with the rest of the paragraphs that it begins and ends in, up to a limit.
fn paragraphs_of(text: &[Sentence], range: Range<usize>) -> Range<usize> {
    let (first, last) = (&text[range.start], &text[range.end - 1]);
    let before = text[..range.start].iter().rev().take(EXTENDED);
    let behind = text[range.end..].iter().take(EXTENDED);
    range.start - before.take_while(|sentence| sentence.paragraph == first.paragraph).count()
        ..range.end + behind.take_while(|sentence| sentence.paragraph == last.paragraph).count()
}

/// For each number of sentences of the second stretch, the numbers of sentences of the first that are searched. Both
/// bounds ascend.
fn band(run: &[Seed], of_a: &Range<usize>, of_b: &Range<usize>) -> Vec<Range<usize>> {
    let (mut behind, mut ahead) = (0, 0);
    let row = |y: usize| {
        let at = of_b.start + y;
        while behind + 1 < run.len() && (run[behind + 1].b as usize) < at {
            behind += 1;
        }
        while ahead + 1 < run.len() && (run[ahead].b as usize) < at {
            ahead += 1;
        }
        let low = if (run[behind].b as usize) < at { run[behind].a as usize - of_a.start } else { 0 };
        let high = if run[ahead].b as usize >= at { run[ahead].a as usize + 1 - of_a.start } else { of_a.len() };
        low.saturating_sub(BAND)..(high + BAND).min(of_a.len()) + 1
    };
    (0..=of_b.len()).map(row).collect()
}

/// The best score and the last shape for each pair of numbers of sentences in a band.
struct Table {
    rows: Vec<(Range<usize>, usize)>,
    cells: Vec<Option<(i32, Option<u8>)>>,
}

impl Table {
    fn new(band: &[Range<usize>]) -> Self {
        let mut length = 0;
        let mut rows = Vec::with_capacity(band.len());
        for row in band {
            rows.push((row.clone(), length));
            length += row.len();
        }
        Self { rows, cells: vec![None; length] }
    }

    fn place(&self, x: usize, y: usize) -> Option<usize> {
        let (row, start) = &self.rows[y];
        row.contains(&x).then(|| start + x - row.start)
    }

    fn set(&mut self, x: usize, y: usize, score: i32, shape: Option<u8>) {
        if let Some(place) = self.place(x, y) {
            self.cells[place] = Some((score, shape));
        }
    }

    fn score(&self, x: usize, y: usize) -> Option<i32> {
        self.cells[self.place(x, y)?].map(|(score, _)| score)
    }

    fn shape(&self, x: usize, y: usize) -> Option<&'static (usize, usize, i32)> {
        let (_, shape) = self.cells[self.place(x, y)?]?;
        SHAPES.get(usize::from(shape?))
    }
}

/// The weight of the terms that two sentences share.
fn shared_weight(a: &[Term], b: &[Term]) -> u32 {
    let mut others = a.iter().peekable();
    let is_shared = |term: &&Term| {
        while others.next_if(|other| other.hash < term.hash).is_some() {}
        others.next_if(|other| other.hash == term.hash).is_some()
    };
    b.iter().filter(is_shared).map(|term| term.weight()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(sentences: &[(u32, u8, bool)]) -> Vec<Sentence> {
        let mut paragraph = 0;
        let sentence = |(place, &(letters, term, begins)): (usize, &(u32, u8, bool))| {
            paragraph += u32::from(begins);
            let terms = if term < 8 { vec![Term { hash: u64::from(term) << 3 | 3, units: 4 }] } else { Vec::new() };
            Sentence { units: place..place + 1, span: place..place + 1, letters, dense: 0, paragraph, terms }
        };
        sentences.iter().enumerate().map(sentence).collect()
    }

    fn sentences() -> impl Strategy<Value = Vec<Sentence>> {
        prop::collection::vec((10_u32..200, 0_u8..16, any::<bool>()), 1..9).prop_map(|sentences| text(&sentences))
    }

    /// The largest score of beads for all sentences, by trying every shape at every place.
    fn slow_score(pair: Pair<'_>, x: usize, y: usize) -> i32 {
        let options = SHAPES.iter().filter(|(width, height, _)| *width <= x && *height <= y);
        let scores = options.map(|&(width, height, cost)| {
            let score = if width == 0 || height == 0 { 0 } else { pair.score(&[x - width..x, y - height..y]) };
            slow_score(pair, x - width, y - height) + score - cost
        });
        if x + y == 0 { 0 } else { scores.max().unwrap_or(i32::MIN) }
    }

    #[test]
    fn a_sentence_that_was_divided_is_one_bead() {
        let (a, b) = (text(&[(100, 1, true), (60, 9, false)]), text(&[(50, 1, true), (52, 9, false), (58, 9, false)]));
        let beads = Pair { a: &a, b: &b }.beads(&[Seed { b: 0, a: 0, weight: 36 }]);
        assert_eq!(beads, [[0..1, 0..2], [1..2, 2..3]]);
    }

    proptest! {
        #[test]
        fn the_beads_within_a_band_are_the_best_ones(a in sentences(), b in sentences()) {
            let pair = Pair { a: &a, b: &b };
            let whole: Vec<Range<usize>> = (0..=b.len()).map(|_| 0..a.len() + 1).collect();
            let table = pair.table(&(0..a.len()), &(0..b.len()), &whole);
            prop_assert_eq!(table.score(a.len(), b.len()), Some(slow_score(pair, a.len(), b.len())));
        }

        #[test]
        fn beads_are_in_order_and_disjoint(a in sentences(), b in sentences()) {
            let last = Seed { b: b.len() as u32 - 1, a: a.len() as u32 - 1, weight: 36 };
            let beads = Pair { a: &a, b: &b }.beads(&[Seed { b: 0, a: 0, weight: 36 }, last]);
            let follow = |pair: &[Bead]| (0..2).all(|text| pair[0][text].end <= pair[1][text].start);
            prop_assert!(beads.windows(2).all(follow));
        }
    }
}
