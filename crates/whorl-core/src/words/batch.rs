//! Many texts at once, in parallel.

use rayon::prelude::*;

use crate::fingerprint::{TEXTS_A_TASK, TextBlock};
use crate::text::Text;
use crate::words::{Cutter, Dictionary, Mode, TermReader, Terms};

/// How a batch is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// How Han text is cut.
    pub mode: Mode,
    /// Let the model guess words that the dictionary lacks.
    pub hmm: bool,
    /// Fold first.
    pub folded: bool,
    /// Find parts of speech.
    pub tagged: bool,
}

impl Cutting {
    fn cutter<'d>(&self, dictionary: &'d Dictionary) -> Cutter<'d> {
        Cutter::new(dictionary, self.mode, self.hmm, self.folded, self.tagged)
    }
}

/// The words of texts, one text after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// First code point of each word, in its text.
    pub starts: Vec<u32>,
    /// Code point after the last of each word, in its text.
    pub ends: Vec<u32>,
    /// Part of speech of each word; 0 when not asked for.
    pub tags: Vec<u16>,
    /// How many words each text has.
    pub counts: Vec<u32>,
}

/// The places of all words of all texts.
pub fn segment(block: &impl TextBlock, dictionary: &Dictionary, cutting: Cutting) -> Segments {
    let parts = in_tasks(
        block,
        || cutting.cutter(dictionary),
        |cutter, text, part: &mut Segments| {
            let known = part.starts.len();
            cutter.cut(text, |_, word| {
                part.starts.push(word.start);
                part.ends.push(word.end);
                part.tags.push(word.tag);
            });
            part.counts.push((part.starts.len() - known) as u32);
        },
    );
    let mut whole = Segments::default();
    for part in parts {
        whole.starts.extend(part.starts);
        whole.ends.extend(part.ends);
        whole.tags.extend(part.tags);
        whole.counts.extend(part.counts);
    }
    whole
}

/// A line for each text: its words with a space between them, each followed by a slash and its tag if it is tagged.
pub fn lines(block: &impl TextBlock, dictionary: &Dictionary, cutting: Cutting) -> String {
    let parts = in_tasks(
        block,
        || cutting.cutter(dictionary),
        |cutter, text, part: &mut String| {
            let start = part.len();
            cutter.cut(text, |word, place| {
                if part.len() > start {
                    part.push(' ');
                }
                part.push_str(word);
                if cutting.tagged {
                    part.push('/');
                    part.push_str(&dictionary.tags()[usize::from(place.tag)]);
                }
            });
            part.push('\n');
        },
    );
    parts.concat()
}

/// The terms of texts, one text after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightedTerms {
    /// The hash of each folded word.
    pub hashes: Vec<u64>,
    /// What each weighs: in steps of [`crate::words::IDF_STEPS`], or from 1 to 5.
    pub weights: Vec<u64>,
    /// How many terms each text has.
    pub counts: Vec<u32>,
}

/// The `limit` heaviest terms of every text, heaviest first; `scaled` weights go from 1 to 5.
pub fn terms(block: &impl TextBlock, reader: &TermReader, limit: usize, scaled: bool) -> WeightedTerms {
    let worker = || (reader.cutter(), Terms::default());
    let parts = in_tasks(block, worker, |(cutter, terms), text, part: &mut WeightedTerms| {
        reader.read(cutter, text, terms);
        terms.keep_heaviest(limit);
        part.hashes.extend(terms.0.iter().map(|term| term.hash));
        if scaled {
            part.weights.extend(terms.scale());
        } else {
            part.weights.extend(terms.0.iter().map(|term| term.weight()));
        }
        part.counts.push(terms.0.len() as u32);
    });
    let mut whole = WeightedTerms::default();
    for part in parts {
        whole.hashes.extend(part.hashes);
        whole.weights.extend(part.weights);
        whole.counts.extend(part.counts);
    }
    whole
}

/// Calls `step` for every text, in parallel; the results of each task, in order.
pub(super) fn in_tasks<Worker, Part: Default + Send>(
    block: &impl TextBlock,
    worker: impl Fn() -> Worker + Sync + Send,
    step: impl Fn(&mut Worker, Text<'_>, &mut Part) + Sync + Send,
) -> Vec<Part> {
    let tasks = block.len().div_ceil(TEXTS_A_TASK);
    let run = |worker: &mut Worker, task: usize| {
        let mut part = Part::default();
        for index in task * TEXTS_A_TASK..block.len().min((task + 1) * TEXTS_A_TASK) {
            block.with_text(index, |text| step(worker, text, &mut part));
        }
        part
    };
    (0..tasks).into_par_iter().map_init(worker, run).collect()
}
