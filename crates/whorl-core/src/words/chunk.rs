//! Chunks: sequences of content words between function words and marks, such as 茶园产量 or "old stone bridge".

use std::slice;
use std::str::Chars;

use crate::text::{Class, Text, class};
use crate::words::{Word, word_hash};

/// Prefixes of the tags of content words: nouns, adjectives, verbs, and words of letters, which have no better tag.
pub(crate) const CONTENT_TAGS: [&str; 4] = ["n", "a", "v", "eng"];

/// A sequence of adjacent content words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The words, with a space between two unless both sides are characters of a script written without spaces.
    pub text: String,
    /// The hashes of the words.
    pub words: Vec<u64>,
    /// From the first word to the last, with the tag of the last.
    pub place: Option<Word>,
}

impl Chunk {
    fn append(&mut self, word: &str, stem: &str, place: Word) {
        let touches = match (self.text.chars().next_back(), stem.chars().next()) {
            (Some(last), Some(first)) => is_single(last) && is_single(first),
            _ => true,
        };
        if !touches {
            self.text.push(' ');
        }
        self.text.push_str(stem);
        self.words.push(word_hash(word));
        let start = self.place.map_or(place.start, |known| known.start);
        self.place = Some(Word { start, ..place });
    }
}

fn is_single(character: char) -> bool {
    class(character.into()) == Class::Single
}

/// Joins the words of a text into chunks; words are added in text order.
pub(crate) struct Chunker<'t> {
    gaps: Gaps<'t>,
    chunk: Chunk,
}

impl<'t> Chunker<'t> {
    /// Creates a chunker for the words of `text`.
    pub fn new(text: Text<'t>) -> Self {
        Self { gaps: Gaps::of(text), chunk: Chunk::default() }
    }

    /// Adds the next word with its `stem`; passes the previous chunk to `emit` if it ends here.
    pub fn take(&mut self, word: &str, stem: &str, place: Word, is_content: bool, emit: &mut impl FnMut(&Chunk)) {
        let reached = self.chunk.place.map_or(place.start, |known| known.end);
        if !is_content || self.gaps.has_mark(reached, place.start) {
            self.finish(emit);
        }
        if is_content {
            self.chunk.append(word, stem, place);
        }
    }

    /// Emits the chunk that the last word ended.
    pub fn finish(&mut self, emit: &mut impl FnMut(&Chunk)) {
        if self.chunk.place.is_some() {
            emit(&self.chunk);
        }
        self.chunk.text.clear();
        self.chunk.words.clear();
        self.chunk.place = None;
    }
}

/// The original text between words.
struct Gaps<'t> {
    rest: Rest<'t>,
    position: u32,
}

enum Rest<'t> {
    Utf8(Chars<'t>),
    CodePoints(slice::Iter<'t, u32>),
}

impl<'t> Gaps<'t> {
    fn of(text: Text<'t>) -> Self {
        let rest = match text {
            Text::Utf8(text) => Rest::Utf8(text.chars()),
            Text::CodePoints(text) => Rest::CodePoints(text.iter()),
        };
        Self { rest, position: 0 }
    }

    /// True if a mark or a line end is among the code points `start..end`; calls must be in ascending order.
    fn has_mark(&mut self, start: u32, end: u32) -> bool {
        let mut mark_seen = false;
        while self.position < end {
            let next = match &mut self.rest {
                Rest::Utf8(rest) => rest.next().map(u32::from),
                Rest::CodePoints(rest) => rest.next().copied(),
            };
            let Some(code_point) = next else { break };
            mark_seen |= self.position >= start && is_mark(code_point);
            self.position += 1;
        }
        mark_seen
    }
}

fn is_mark(code_point: u32) -> bool {
    let is_space = char::from_u32(code_point).is_some_and(|character| character.is_whitespace());
    let ends_line = matches!(code_point, 0x0A..=0x0D | 0x85 | 0x2028 | 0x2029);
    ends_line || (!is_space && class(code_point) == Class::Break)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Cutter, Dictionary, Mode};

    fn chunks(text: &str, folded: bool) -> Vec<String> {
        let dictionary = Dictionary::embedded();
        let mut cutter = Cutter::new(&dictionary, Mode::Precise, true, folded, true);
        let mut chunker = Chunker::new(Text::Utf8(text));
        let mut result = Vec::new();
        let mut emit = |chunk: &Chunk| result.push(chunk.text.clone());
        cutter.cut(Text::Utf8(text), |word, place| {
            let tag = &dictionary.tags()[usize::from(place.tag)];
            let is_content = CONTENT_TAGS.iter().any(|content| tag.starts_with(content)) && word != "the";
            chunker.take(word, word, place, is_content, &mut emit);
        });
        chunker.finish(&mut emit);
        result
    }

    #[test]
    fn function_words_and_marks_end_a_chunk() {
        for folded in [false, true] {
            assert_eq!(chunks("茶园产量的增长，渔港冰厂。", folded), ["茶园产量", "增长", "渔港冰厂"]);
            assert_eq!(chunks("cross the old  stone bridge", folded), ["cross", "old stone bridge"]);
            assert_eq!(chunks("old stone; bridge\nwalk", folded), ["old stone", "bridge", "walk"]);
        }
    }

    #[test]
    fn invisible_characters_join() {
        assert_eq!(chunks("茶园\u{200b}产量", true), ["茶园产量"]);
    }
}
