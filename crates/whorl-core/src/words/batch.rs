//! Parallel segmentation of many texts.

use std::borrow::Cow;

use crate::text::{Text, TextBlock, fold_to_string, in_tasks};
use crate::words::chunk::{CONTENT_TAGS, Chunk, Chunker};
use crate::words::terms::is_stop_word;
use crate::words::{Cutter, Dictionary, Mode, Stem, TermReader, Terms, Word, word_hash};

/// Segmentation options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// How Han text is segmented.
    pub mode: Mode,
    /// Whether the model guesses words that are not in the dictionary.
    pub hmm: bool,
    /// Whether texts are folded first.
    pub folded: bool,
    /// Whether parts of speech are determined.
    pub tagged: bool,
    /// The language to stem words in; useful for folded text because stems are lower case.
    pub stem: Option<Stem>,
    /// Whether to return chunks instead of words.
    pub chunks: bool,
}

impl Cutting {
    fn cutter<'d>(&self, dictionary: &'d Dictionary) -> Cutter<'d> {
        Cutter::new(dictionary, self.mode, self.hmm, self.folded, self.tagged || self.chunks)
    }

    /// Passes every word, stem or chunk of `text` to `emit`, in text order.
    fn cut(&self, dictionary: &Dictionary, cutter: &mut Cutter<'_>, text: Text<'_>, mut emit: impl FnMut(&str, Word)) {
        if !self.chunks {
            cutter.cut(text, |word, place| match self.stem {
                Some(stem) => emit(&stem.of(word), place),
                None => emit(word, place),
            });
            return;
        }
        let mut chunker = Chunker::new(text);
        let mut emit = |chunk: &Chunk| {
            if let Some(place) = chunk.place {
                emit(&chunk.text, place);
            }
        };
        cutter.cut(text, |word, place| {
            let tag = &dictionary.tags()[usize::from(place.tag)];
            let has_content = CONTENT_TAGS.iter().any(|content| tag.starts_with(content));
            let is_content = has_content && !is_stop_word(word_hash(&fold_to_string(word)));
            let stem = self.stem.map_or(Cow::Borrowed(word), |stem| stem.of(word));
            chunker.take(word, &stem, place, is_content, &mut emit);
        });
        chunker.finish(&mut emit);
    }
}

/// The words of texts, concatenated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// First code point of each word, in its text.
    pub starts: Vec<u32>,
    /// Code point after the last of each word, in its text.
    pub ends: Vec<u32>,
    /// Part of speech of each word; 0 if not requested.
    pub tags: Vec<u16>,
    /// Number of words in each text.
    pub counts: Vec<u32>,
    /// The segmented words, concatenated.
    pub words: String,
    /// Byte after the last of each word, in `words`.
    pub word_ends: Vec<u64>,
}

/// Segments all texts into words with their positions.
pub fn segment(block: &impl TextBlock, dictionary: &Dictionary, cutting: Cutting) -> Segments {
    let parts = in_tasks(
        block,
        || cutting.cutter(dictionary),
        |cutter, text, part: &mut Segments| {
            let previous_count = part.starts.len();
            cutting.cut(dictionary, cutter, text, |word, place| {
                part.starts.push(place.start);
                part.ends.push(place.end);
                part.tags.push(place.tag);
                part.words.push_str(word);
                part.word_ends.push(part.words.len() as u64);
            });
            part.counts.push((part.starts.len() - previous_count) as u32);
        },
    );
    let mut whole = Segments::default();
    for part in parts {
        whole.starts.extend(part.starts);
        whole.ends.extend(part.ends);
        whole.tags.extend(part.tags);
        whole.counts.extend(part.counts);
        let previous_count = whole.words.len() as u64;
        whole.words.push_str(&part.words);
        whole.word_ends.extend(part.word_ends.iter().map(|end| previous_count + end));
    }
    whole
}

/// Returns one line per text: its words separated by spaces, each followed by a slash and its tag if requested.
pub fn lines(block: &impl TextBlock, dictionary: &Dictionary, cutting: Cutting) -> String {
    let parts = in_tasks(
        block,
        || cutting.cutter(dictionary),
        |cutter, text, part: &mut String| {
            let start = part.len();
            cutting.cut(dictionary, cutter, text, |word, place| {
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

/// The terms of texts, concatenated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightedTerms {
    /// The hash of each folded word.
    pub hashes: Vec<u64>,
    /// Weight of each term: in steps of [`crate::words::IDF_STEPS`], or from 1 to 5 on the scale.
    pub weights: Vec<u64>,
    /// Number of terms of each text.
    pub counts: Vec<u32>,
}

/// Returns the `limit` heaviest terms of every text, heaviest first.
pub fn terms(block: &impl TextBlock, reader: &TermReader, limit: usize) -> WeightedTerms {
    let worker = || (reader.cutter(), Terms::default());
    let parts = in_tasks(block, worker, |(cutter, terms), text, part: &mut WeightedTerms| {
        reader.read(cutter, text, terms);
        reader.choose(terms, limit);
        part.hashes.extend(terms.list.iter().map(|term| term.hash));
        part.weights.extend(terms.list.iter().map(|term| term.weight));
        part.counts.push(terms.list.len() as u32);
    });
    let mut whole = WeightedTerms::default();
    for part in parts {
        whole.hashes.extend(part.hashes);
        whole.weights.extend(part.weights);
        whole.counts.extend(part.counts);
    }
    whole
}
