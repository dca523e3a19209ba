//! Forms: text that more than a given number of the documents of a class contain, such as the declaration that an
//! institution prescribes.
//!
//! Frequent k-grams show where forms may be. There, the token runs of all documents are counted exactly; runs above the
//! limit that follow each other over the length of a passage are a form. A frequent phrase that is shorter is none.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;

use super::boilerplate::RUN;
use crate::align::letters::letters;
use crate::align::pair::Stream;
use crate::hash::BuildNumberHasher;
use crate::text::TextBlock;
use crate::text::shingle::window_hashes;

/// Minimum length of a form in letters: that of the shortest quotation that is a passage.
const MIN_LETTERS: u32 = 39;
/// Units around a frequent k-gram in which runs are counted: more than a k-gram and a window.
const MARGIN: usize = 64;

/// A form, as it stands in the first document that contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The document.
    pub document: u32,
    /// Its range there, in code points of the original.
    pub range: Range<usize>,
    /// Number of documents that contain all of it.
    pub documents: u32,
}

/// What was learned.
#[derive(Debug, Default)]
pub(super) struct Learned {
    /// The forms by first document.
    pub forms: Vec<Form>,
    /// The runs of all forms, ascending.
    pub runs: Vec<u64>,
    /// The places of forms in each document, in units, ordered.
    pub places: Vec<(u32, Range<u32>)>,
}

/// A neighborhood of frequent k-grams.
struct Stretch {
    document: u32,
    /// The runs of eight tokens, in order.
    runs: Vec<u64>,
    /// The first unit of each token, and the end of the last one.
    units: Vec<u32>,
    /// The range of each token in the original.
    spans: Vec<Range<usize>>,
    /// The length of the tokens before each token, and of all of them, in letters.
    letters: Vec<u32>,
}

/// Learns the forms that more than `limit` documents contain. `hot` has the documents and units of frequent k-grams,
/// ordered.
pub(super) fn learn(texts: &impl TextBlock, hot: &[(u32, u32)], limit: usize) -> Learned {
    let documents: Vec<&[(u32, u32)]> = hot.chunk_by(|a, b| a.0 == b.0).collect();
    let read = |stream: &mut Stream, places: &&[(u32, u32)]| {
        let document = places[0].0;
        texts.with_text(document as usize, |text| stream.read(text));
        stretches(stream, document, places)
    };
    let stretches: Vec<Vec<Stretch>> = documents.par_iter().map_init(Stream::default, read).collect();
    let counts = documents_by_run(&stretches);
    let is_hot = |run: &u64| counts.get(run).is_some_and(|&(_, count)| count as usize > limit);
    let mut learned = Learned::default();
    let mut learned_keys: HashSet<u64, BuildNumberHasher> = HashSet::default();
    for stretch in stretches.iter().flatten() {
        for tokens in stretch.forms(is_hot) {
            let runs = &stretch.runs[tokens.start..=tokens.end - RUN];
            let new = runs.iter().filter(|&&run| learned_keys.insert(run)).count();
            learned.places.push((stretch.document, stretch.units[tokens.start]..stretch.units[tokens.end]));
            if 2 * new > runs.len() {
                let range = stretch.spans[tokens.start].start..stretch.spans[tokens.end - 1].end;
                let documents = runs.iter().map(|run| counts[run].1).min().unwrap_or(0);
                learned.forms.push(Form { document: stretch.document, range, documents });
            }
        }
    }
    learned.runs = learned_keys.into_iter().collect();
    learned.runs.sort_unstable();
    learned
}

/// For each run the last document that contains it, and their number.
fn documents_by_run(stretches: &[Vec<Stretch>]) -> HashMap<u64, (u32, u32), BuildNumberHasher> {
    let mut counts: HashMap<u64, (u32, u32), BuildNumberHasher> = HashMap::default();
    for stretch in stretches.iter().flatten() {
        for &run in &stretch.runs {
            let (last, count) = counts.entry(run).or_insert((u32::MAX, 0));
            if *last != stretch.document {
                (*last, *count) = (stretch.document, *count + 1);
            }
        }
    }
    counts
}

/// The neighborhoods of the frequent k-grams of a document, disjoint and in order.
fn stretches(stream: &Stream, document: u32, places: &[(u32, u32)]) -> Vec<Stretch> {
    let length = stream.units().len();
    let starts: Vec<usize> = stream
        .begins(0..length)
        .enumerate()
        .filter(|&(_, begins)| begins)
        .map(|(unit, _)| unit)
        .chain([length])
        .collect();
    let mut hashes = Vec::new();
    stream.tokens(&mut hashes);
    let token_at = |unit: usize| starts.partition_point(|&start| start <= unit).saturating_sub(1);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for &(_, unit) in places {
        let (first, end) = ((unit as usize).saturating_sub(MARGIN), (unit as usize + 2 * MARGIN).min(length));
        match ranges.last_mut() {
            Some(last) if first <= last.end => last.end = end,
            _ => ranges.push(first..end),
        }
    }
    let stretch = |units: Range<usize>| {
        let tokens = token_at(units.start)..(token_at(units.end - 1) + 1).min(hashes.len());
        let mut runs = Vec::new();
        if tokens.len() >= RUN {
            window_hashes(&hashes[tokens.clone()], RUN, &mut runs);
        }
        let of_token = |token: usize| starts[token]..starts[token + 1];
        let mut before = vec![0];
        for token in tokens.clone() {
            before.push(before[before.len() - 1] + letters(&stream.units()[of_token(token)]));
        }
        Stretch {
            document,
            runs,
            units: starts[tokens.start..=tokens.end].iter().map(|&unit| unit as u32).collect(),
            spans: tokens.clone().map(|token| stream.span_of(of_token(token))).collect(),
            letters: before,
        }
    };
    ranges.into_iter().map(stretch).collect()
}

impl Stretch {
    /// The ranges of tokens that are forms.
    fn forms(&self, is_hot: impl Fn(&u64) -> bool) -> Vec<Range<usize>> {
        let mut forms: Vec<Range<usize>> = Vec::new();
        for (first, _) in self.runs.iter().enumerate().filter(|(_, run)| is_hot(run)) {
            match forms.last_mut() {
                Some(last) if first + RUN == last.end + 1 => last.end += 1,
                _ => forms.push(first..first + RUN),
            }
        }
        forms.retain(|tokens| self.letters[tokens.end] - self.letters[tokens.start] >= MIN_LETTERS);
        forms
    }
}
