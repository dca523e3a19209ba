//! Compares the repeated passages of real texts with those of an independent search.
//!
//! ```text
//! cargo run --release -p whorl-core --example inside_exactness -- LEAST FILE.jsonl ...
//! ```
//!
//! Reads the column `text` of JSON Lines. The index samples places and extends them; the other search hashes every
//! window of at least `LEAST` letters, of which the first occurrence is remembered. Both give the repeated letters of
//! every document, and any difference is printed.

use std::collections::HashMap;
use std::fs::read_to_string;

use whorl_core::inside::document::{Document, Search};
use whorl_core::inside::group::{Grouping, group};
use whorl_core::inside::records::records;
use whorl_core::inside::runs::runs;
use whorl_core::inside::stream::{Measure, Stream};
use whorl_core::inside::units::Kind;
use whorl_core::text::Text;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let min_length: u32 =
        arguments.next().and_then(|min_length| min_length.parse().ok()).expect("usage: LEAST FILE.jsonl ...");
    let search = Search { kind: Kind::Passages, measure: Measure::Letters, min_length };
    let mut documents = Vec::new();
    for file in arguments {
        for line in read_to_string(&file).expect("a file").lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a row");
            if let Some(text) = row["text"].as_str() {
                documents.push(Document::new(Text::Utf8(text), &search));
            }
        }
    }
    let (by_index, hot, seconds) = of_index(&documents, &search);
    let by_windows = of_windows(&documents, min_length);
    let (mut repeated, mut missed, mut invented, mut whole) = (0, 0, 0, 0);
    for (rank, (index, windows)) in by_index.iter().zip(&by_windows).enumerate() {
        whole += index.len();
        for (place, (&index, &window)) in index.iter().zip(windows).enumerate() {
            repeated += usize::from(window);
            missed += usize::from(window && !index);
            invented += usize::from(index && !window);
            if window != index && missed + invented < 4 {
                println!("document {rank}, letter {place}: index {index}, windows {window}");
            }
        }
    }
    println!(
        "{} documents, {whole} letters, {repeated} repeated, {missed} missed, {invented} invented, {hot} hot keys, \
         index {seconds:.2} s",
        documents.len()
    );
}

fn of_index(documents: &[Document], search: &Search) -> (Vec<Vec<bool>>, u64, f64) {
    let begun = std::time::Instant::now();
    let mut all = Vec::new();
    for (rank, document) in documents.iter().enumerate() {
        records(document, search, rank as u32, 0, |record| all.push(record));
    }
    let grouping = Grouping { repeats: 2, both_ways: false, any_surroundings: true, approved: 0 };
    let grouped = group(&mut all, &grouping);
    let mut pairs = grouped.pairs;
    pairs.sort_unstable_by_key(|pair| (pair.rank, pair.other));
    let mut repeated: Vec<Vec<bool>> = documents.iter().map(|document| vec![false; document.stream.size()]).collect();
    for pairs in pairs.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)) {
        let (rank, other) = (pairs[0].rank as usize, pairs[0].other as usize);
        for run in runs(&documents[rank], &documents[other], pairs, search.min_length) {
            repeated[rank][run.units()].fill(true);
        }
    }
    (repeated, grouped.hot, begun.elapsed().as_secs_f64())
}

/// A window, identified by two independent hashes of its units.
type Window = (u64, u64);

/// Sums for the hash of any range: one pair of multiplications for each unit.
struct Sums {
    sums: Vec<Window>,
    powers: Vec<Window>,
}

const BASES: Window = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F);

impl Sums {
    fn new(stream: &Stream) -> Self {
        let (mut sums, mut powers) = (vec![(0, 0)], vec![(1, 1)]);
        for unit in stream.folded() {
            let value = u64::from(unit) + 0x1234_5678;
            let (a, b): Window = sums[sums.len() - 1];
            let mixed = (
                value.wrapping_mul(0xFF51_AFD7_ED55_8CCD) ^ value << 17,
                value.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ value << 23,
            );
            sums.push((a.wrapping_mul(BASES.0).wrapping_add(mixed.0), b.wrapping_mul(BASES.1).wrapping_add(mixed.1)));
            let (a, b): Window = powers[powers.len() - 1];
            powers.push((a.wrapping_mul(BASES.0), b.wrapping_mul(BASES.1)));
        }
        Self { sums, powers }
    }

    fn of(&self, start: usize, end: usize) -> Window {
        let (power, from, to) = (self.powers[end - start], self.sums[start], self.sums[end]);
        (to.0.wrapping_sub(from.0.wrapping_mul(power.0)), to.1.wrapping_sub(from.1.wrapping_mul(power.1)))
    }
}

/// Every range of at least `min_length` letters is made of the shortest such ranges from each of its tokens on, and of the
/// shortest one up to its end.
fn of_windows(documents: &[Document], min_length: u32) -> Vec<Vec<bool>> {
    let mut first: HashMap<Window, (u32, u32)> = HashMap::new();
    let mut all = Vec::new();
    for (rank, document) in documents.iter().enumerate() {
        let stream = &document.stream;
        let sums = Sums::new(stream);
        let borders: Vec<usize> = (0..=stream.size()).filter(|&unit| stream.is_border(unit)).collect();
        let mut repeated = vec![false; stream.size()];
        let mut check = |start: usize, end: usize| {
            let (other, place) = *first.entry(sums.of(start, end)).or_insert((rank as u32, start as u32));
            if other as usize != rank || place as usize + end - start <= start {
                repeated[start..end].fill(true);
            }
        };
        let mut end = 0;
        for &start in &borders {
            while end < borders.len() && stream.length(&(start..borders[end].max(start))) < min_length {
                end += 1;
            }
            if end < borders.len() {
                check(start, borders[end]);
            }
        }
        let mut begin = 0;
        for &end in &borders {
            while begin + 1 < borders.len()
                && borders[begin + 1] < end
                && stream.length(&(borders[begin + 1]..end)) >= min_length
            {
                begin += 1;
            }
            if borders[begin] < end && stream.length(&(borders[begin]..end)) >= min_length {
                check(borders[begin], end);
            }
        }
        all.push(repeated);
    }
    all
}
