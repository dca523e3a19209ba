//! Document frequencies of words.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::text::TextBlock;
use crate::text::in_tasks;
use crate::words::{Cutter, Dictionary, Mode};

/// Counts by word, and the number of counted documents.
type Counted = (HashMap<Box<str>, u64>, u64);

/// Document frequencies by folded word.
pub struct DocumentFrequencies {
    dictionary: Arc<Dictionary>,
    hmm: bool,
    counts: HashMap<Box<str>, u64>,
}

impl DocumentFrequencies {
    /// Creates an empty counter.
    pub fn new(dictionary: Arc<Dictionary>, hmm: bool) -> Self {
        Self { dictionary, hmm, counts: HashMap::new() }
    }

    /// Counts every text of `block` as a document, in parallel; texts without words are ignored. Returns the number of
    /// counted texts.
    pub fn add(&mut self, block: &impl TextBlock) -> u64 {
        let (dictionary, hmm) = (&*self.dictionary, self.hmm);
        let worker = || (Cutter::new(dictionary, Mode::Precise, hmm, true, false), HashSet::<Box<str>>::new());
        let parts = in_tasks(block, worker, |(cutter, words), text, (counts, documents): &mut Counted| {
            cutter.cut(text, |word, _| {
                if !words.contains(word) {
                    words.insert(word.into());
                }
            });
            *documents += u64::from(!words.is_empty());
            words.drain().for_each(|word| *counts.entry(word).or_insert(0) += 1);
        });
        let mut documents = 0;
        for (counts, counted) in parts {
            documents += counted;
            counts.into_iter().for_each(|(word, count)| *self.counts.entry(word).or_insert(0) += count);
        }
        documents
    }

    /// Number of distinct words.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if nothing was counted since the last [`Self::take`].
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the words in order of their UTF-8 bytes with their counts, and resets the counter.
    pub fn take(&mut self) -> Vec<(Box<str>, u64)> {
        let mut counts: Vec<_> = std::mem::take(&mut self.counts).into_iter().collect();
        counts.par_sort_unstable();
        counts
    }
}
