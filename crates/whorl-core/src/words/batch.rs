//! Many texts at once, in parallel.

use std::borrow::Cow;

use crate::text::{Text, TextBlock, fold_to_string, in_tasks};
use crate::words::chunk::{CONTENT_TAGS, Chunk, Chunker};
use crate::words::terms::is_stop_word;
use crate::words::{Cutter, Dictionary, Mode, Stem, TermReader, Terms, Word, word_hash};

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
    /// Take the endings off the words of a language; useful for folded text, since stems are those of small letters.
    pub stem: Option<Stem>,
    /// Chunks instead of words.
    pub chunks: bool,
}

impl Cutting {
    fn cutter<'d>(&self, dictionary: &'d Dictionary) -> Cutter<'d> {
        Cutter::new(dictionary, self.mode, self.hmm, self.folded, self.tagged || self.chunks)
    }

    /// Hands every word, stem or chunk of `text` to `emit`, in the order of the text.
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
    /// The words as they were cut, one after the other.
    pub words: String,
    /// Byte after the last of each word, in `words`.
    pub word_ends: Vec<u64>,
}

/// All words of all texts, and where they are.
pub fn segment(block: &impl TextBlock, dictionary: &Dictionary, cutting: Cutting) -> Segments {
    let parts = in_tasks(
        block,
        || cutting.cutter(dictionary),
        |cutter, text, part: &mut Segments| {
            let known = part.starts.len();
            cutting.cut(dictionary, cutter, text, |word, place| {
                part.starts.push(place.start);
                part.ends.push(place.end);
                part.tags.push(place.tag);
                part.words.push_str(word);
                part.word_ends.push(part.words.len() as u64);
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
        let known = whole.words.len() as u64;
        whole.words.push_str(&part.words);
        whole.word_ends.extend(part.word_ends.iter().map(|end| known + end));
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

/// The terms of texts, one text after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightedTerms {
    /// The hash of each folded word.
    pub hashes: Vec<u64>,
    /// What each weighs: in steps of [`crate::words::IDF_STEPS`], or from 1 to 5 on the scale.
    pub weights: Vec<u64>,
    /// How many terms each text has.
    pub counts: Vec<u32>,
}

/// The `limit` heaviest terms of every text, heaviest first.
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
