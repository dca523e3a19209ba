//! Boilerplate learned from many samples of documents, one sample after the other.
//!
//! A library examines a sample for each new document with many matches that are not copies. In a corpus of news most
//! samples share nothing but learned boilerplate, or phrases within their bodies. So a sample is dismissed by its
//! common runs before texts are compared, and a document that contains what an earlier sample taught is not examined.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::boilerplate::{Boilerplate, Runs};
use crate::align::pair::Judge;
use crate::hash::BuildNumberHasher;
use crate::text::body::with_body;
use crate::text::{Text, TextBlock};

/// Samples whose texts are in memory with their runs at the same time.
const AT_ONCE: usize = 32;
/// Distance from the beginning or end of a text, in code points, within which a stretch frames it.
const EDGE: usize = 40;

/// Documents that may share boilerplate.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Their texts by number, that of the examined document first.
    pub texts: Vec<usize>,
    /// Whether only text that frames the documents is boilerplate.
    pub frames_only: bool,
}

/// Returns for each sample the boilerplate that it teaches besides `existing` and that of the samples before it.
///
/// A sample whose first text contains boilerplate of an earlier one teaches nothing. Linear in the texts; those of a
/// sample are compared only if most of them have an unknown run in common that may be boilerplate.
pub fn learn(texts: &impl TextBlock, samples: &[Sample], existing: &Boilerplate) -> Vec<Boilerplate> {
    let mut judge = Judge::default();
    let (mut existing, mut fresh) = (existing.clone(), Boilerplate::default());
    let mut learned = Vec::with_capacity(samples.len());
    for some in samples.chunks(AT_ONCE) {
        let runs = runs_of(texts, some);
        for sample in some {
            let of_sample: Vec<&Runs> = sample.texts.iter().map(|number| &runs[number]).collect();
            let of_it = match of_sample.first() {
                Some(first) if fresh.ranges(first.text()).is_empty() => {
                    taught(&of_sample, sample, &existing, &mut judge)
                }
                _ => Boilerplate::default(),
            };
            existing.add(of_it.clone());
            fresh.add(of_it.clone());
            learned.push(of_it);
        }
    }
    learned
}

/// Returns the unknown boilerplate of a sample. Comparing its texts costs most, so it comes last.
fn taught(texts: &[&Runs], sample: &Sample, existing: &Boilerplate, judge: &mut Judge) -> Boilerplate {
    let common = Boilerplate::common_to(texts);
    let unknown = common.without(existing);
    if unknown.is_empty() {
        return unknown;
    }
    let unknown = match sample.frames_only {
        true => common.framing(texts.iter().map(|text| text.text())).without(existing),
        false => unknown,
    };
    let is_new = !unknown.is_empty() && common.is_of_strangers(texts, judge);
    if is_new { unknown } else { Boilerplate::default() }
}

/// Computes the runs of all texts of some samples, on all threads.
fn runs_of(texts: &impl TextBlock, samples: &[Sample]) -> HashMap<usize, Runs> {
    let mut numbers: Vec<usize> = samples.iter().flat_map(|sample| sample.texts.iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_par_iter().map(|number| (number, texts.with_text(number, Runs::of))).collect()
}

impl Boilerplate {
    /// Returns the runs that frame most of the texts that contain them.
    ///
    /// A run frames a text if it belongs to lines that are mostly boilerplate, or lies within [`EDGE`] code points of
    /// the beginning or end of the text, as notices, bylines and page frames do. Other runs, such as quotations, lie in
    /// the body. Linear.
    pub fn framing<'t>(&self, texts: impl Iterator<Item = &'t [u32]>) -> Self {
        // For each run the number of texts that contain it, and of those that it frames.
        let mut bearers: HashMap<u64, (usize, usize), BuildNumberHasher> = HashMap::default();
        for text in texts {
            let spans = self.ranges(text);
            let frames = frames(text, &spans);
            self.runs_within(text, &spans).for_each(|run| bearers.entry(run).or_default().0 += 1);
            self.runs_within(text, &frames).for_each(|run| bearers.entry(run).or_default().1 += 1);
        }
        Self::of_runs(bearers.into_iter().filter(|(_, (bearers, framed))| 2 * framed > *bearers).map(|(run, _)| run))
    }

    /// The distinct runs of this set in some stretches of a text.
    fn runs_within(&self, text: &[u32], stretches: &[Range<usize>]) -> impl Iterator<Item = u64> {
        let lines: Vec<&[u32]> = stretches.iter().map(|stretch| &text[stretch.clone()]).collect();
        let runs = with_body(Text::CodePoints(&lines.join(&u32::from('\n'))), Runs::of);
        runs.into_hashes().into_iter().filter(|&run| self.has(run))
    }
}

/// The stretches that cover most of their lines or lie at the beginning or end of a text.
fn frames(text: &[u32], stretches: &[Range<usize>]) -> Vec<Range<usize>> {
    let lines: Vec<Range<usize>> = lines(text);
    let lines_of = |stretch: &Range<usize>| {
        let line_at = |place: usize| lines.partition_point(|line| line.start <= place) - 1;
        line_at(stretch.start)..line_at(stretch.end - 1) + 1
    };
    let mut covered = vec![0; lines.len()];
    for stretch in stretches {
        for number in lines_of(stretch) {
            let line = &lines[number];
            covered[number] += stretch.end.min(line.end).saturating_sub(stretch.start.max(line.start));
        }
    }
    let is_frame = |stretch: &&Range<usize>| {
        let of_it = lines_of(stretch);
        let length: usize = lines[of_it.clone()].iter().map(Range::len).sum();
        stretch.start <= EDGE || stretch.end + EDGE >= text.len() || 2 * covered[of_it].iter().sum::<usize>() > length
    };
    stretches.iter().filter(is_frame).cloned().collect()
}

/// The lines of a text, without their ends.
fn lines(text: &[u32]) -> Vec<Range<usize>> {
    let mut start = 0;
    let of_line = |line: &[u32]| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    };
    text.split(|&unit| unit == u32::from('\n')).map(of_line).collect()
}
