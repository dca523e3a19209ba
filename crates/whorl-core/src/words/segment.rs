//! Segmentation of a text into words.

use std::str::FromStr;

use jieba_rs::Token;

use crate::text::{Class, Text, class};
use crate::words::Dictionary;
use crate::words::matching::Lattice;
use crate::words::prepare::Prepared;

/// How Han text is segmented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The most probable segmentation, by jieba.
    Precise,
    /// Every dictionary word; words overlap.
    Full,
    /// The most probable segmentation, each word preceded by the shorter dictionary words in it; for indexing.
    Search,
    /// Forward maximum matching.
    Forward,
    /// Backward maximum matching.
    Backward,
    /// Forward or backward, whichever has fewer words, then fewer single characters.
    Bidirectional,
    /// The fewest words.
    Minimum,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "precise" => Self::Precise,
            "full" => Self::Full,
            "search" => Self::Search,
            "fmm" => Self::Forward,
            "bmm" => Self::Backward,
            "bidirectional" => Self::Bidirectional,
            "minimum" => Self::Minimum,
            _ => return Err(format!("there is no mode '{name}'")),
        })
    }
}

/// A word and its range `start..end` in code points of the original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The first code point.
    pub start: u32,
    /// The code point after the last.
    pub end: u32,
    /// The part of speech, as an index of [`Dictionary::tags`]; 0 if tags were not requested.
    pub tag: u16,
}

/// A piece of the prepared text, in bytes and in characters.
#[derive(Clone, Copy)]
struct Piece<'a> {
    bytes: (usize, usize),
    characters: (usize, usize),
    tag: Option<&'a str>,
}

/// Segments texts; one per worker, reused from text to text.
pub struct Cutter<'d> {
    dictionary: &'d Dictionary,
    mode: Mode,
    hmm: bool,
    folded: bool,
    tagged: bool,
    prepared: Prepared,
}

impl<'d> Cutter<'d> {
    /// Creates a cutter for `dictionary`. In jieba's modes, `hmm` lets the model guess words that are not in the
    /// dictionary.
    pub fn new(dictionary: &'d Dictionary, mode: Mode, hmm: bool, folded: bool, tagged: bool) -> Self {
        Self { dictionary, mode, hmm, folded, tagged, prepared: Prepared::default() }
    }

    /// Passes every word of `text` to `emit`: the segmented characters and their position. Words are ordered by their
    /// start, except for the overlapping words of [`Mode::Search`] and [`Mode::Full`]. White space is not a word; marks
    /// are words of unfolded text.
    pub fn cut(&mut self, text: Text<'_>, mut emit: impl FnMut(&str, Word)) {
        self.prepared.read(text, self.folded, self.dictionary);
        let characters = self.prepared.text();
        let mut hand_over = |piece: Piece<'_>| {
            let word = &characters[piece.bytes.0..piece.bytes.1];
            if word.chars().all(char::is_whitespace) {
                return;
            }
            let (start, end) = self.prepared.place(piece.characters.0, piece.characters.1);
            let tag = if self.tagged { self.tag(word, piece.tag) } else { 0 };
            emit(self.prepared.written(piece.bytes, piece.characters), Word { start, end, tag });
        };
        let by_jieba = matches!(self.mode, Mode::Precise | Mode::Search);
        let mut joiner = Joiner { text: characters, joins_ascii: self.folded || !by_jieba, last: None };
        let mut push = |piece| joiner.push(piece, &mut hand_over);
        let jieba = &self.dictionary.jieba;
        match self.mode {
            Mode::Precise if self.tagged => {
                jieba.tag(characters, self.hmm).into_iter().for_each(|tag| {
                    let (bytes, characters) = ((tag.byte_start, tag.byte_end), (tag.start, tag.end));
                    self.take_apart(tag.word, Piece { bytes, characters, tag: Some(tag.tag) }, &mut push);
                });
            }
            Mode::Precise => jieba.cut(characters, self.hmm).iter().for_each(|token| {
                self.take_apart(token.word, piece(token), &mut push);
            }),
            Mode::Search => jieba.cut(characters, self.hmm).iter().for_each(|token| {
                self.take_apart(token.word, piece(token), &mut |piece: Piece<'_>| {
                    self.find_within(characters, piece, &mut push);
                    push(piece);
                });
            }),
            _ => self.match_words(characters, &mut push),
        }
        joiner.finish(&mut hand_over);
    }

    /// Splits words of jieba-rs that jieba does not join by connectors: `v1.2-b` is `v1.2`, `-` and `b`.
    ///
    /// A dictionary word stays whole.
    fn take_apart<'a>(&self, word: &str, piece: Piece<'a>, emit: &mut impl FnMut(Piece<'a>)) {
        let is_joined =
            word.len() > 1 && word.bytes().any(|byte| matches!(byte, b'.' | b'_' | b'-')) && word.is_ascii();
        if !is_joined || self.dictionary.jieba.has_word(word) {
            emit(piece);
            return;
        }
        let mut start = 0;
        while start < word.len() {
            let end = start + latin_length(&word.as_bytes()[start..]);
            let part = |(first, _): (usize, usize)| (first + start, first + end);
            let tag = if end - start == word.len() { piece.tag } else { None };
            emit(Piece { bytes: part(piece.bytes), characters: part(piece.characters), tag });
            start = end;
        }
    }

    /// Emits the words of two and of three characters within a longer one.
    fn find_within<'a>(&self, text: &str, piece: Piece<'a>, emit: &mut impl FnMut(Piece<'a>)) {
        let (first, last) = piece.characters;
        if last - first < 3 {
            return;
        }
        let mut bounds: Vec<usize> = text[piece.bytes.0..piece.bytes.1].char_indices().map(|(byte, _)| byte).collect();
        bounds.push(piece.bytes.1 - piece.bytes.0);
        for length in 2..=3.min(last - first - 1) {
            for start in 0..=last - first - length {
                let bytes = (piece.bytes.0 + bounds[start], piece.bytes.0 + bounds[start + length]);
                if self.dictionary.jieba.has_word(&text[bytes.0..bytes.1]) {
                    let characters = (first + start, first + start + length);
                    emit(Piece { bytes, characters, tag: None });
                }
            }
        }
    }

    /// The tag assigned by the segmenter, or else the tag of the word: that of its last part, which is its head.
    fn tag(&self, word: &str, assigned: Option<&str>) -> u16 {
        match assigned {
            Some(tag) => self.dictionary.code(tag),
            None => self.dictionary.jieba.tag(word, self.hmm).last().map_or(0, |part| self.dictionary.code(part.tag)),
        }
    }

    /// Segments every stretch of single characters by matching, and leaves all other characters to be joined.
    fn match_words<'a>(&self, text: &'a str, push: &mut impl FnMut(Piece<'a>)) {
        let mut characters = text.char_indices().map(|(byte, character)| (byte, is_single(character))).peekable();
        let mut starts = Vec::new();
        let mut position = 0;
        while let Some((byte, single)) = characters.next() {
            starts.clear();
            starts.push(byte);
            while let Some((byte, _)) = characters.next_if(|&(_, next)| single && next) {
                starts.push(byte);
            }
            let count = starts.len();
            starts.push(characters.peek().map_or(text.len(), |next| next.0));
            for (start, end) in self.match_stretch(&text[starts[0]..starts[count]], count) {
                let (start, end) = (start as usize, end as usize);
                let bytes = (starts[start], starts[end]);
                push(Piece { bytes, characters: (position + start, position + end), tag: None });
            }
            position += count;
        }
    }

    fn match_stretch(&self, stretch: &str, length: usize) -> Vec<(u32, u32)> {
        if length == 1 {
            return vec![(0, 1)];
        }
        let all_words = self.dictionary.jieba.cut_all(stretch);
        let lattice = Lattice::new(length, all_words.iter().map(|token| (token.start as u32, token.end as u32)));
        match self.mode {
            Mode::Full => lattice.full(),
            Mode::Forward => lattice.forward(),
            Mode::Backward => lattice.backward(),
            Mode::Bidirectional => lattice.bidirectional(),
            _ => lattice.minimum(),
        }
    }
}

/// The length of the first match, or of the text before it, for jieba's expression `[a-zA-Z0-9]+(?:\.\d+)?%?`.
fn latin_length(bytes: &[u8]) -> usize {
    let run = |from: usize, belongs: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| belongs(byte)).count();
    let letters = run(0, u8::is_ascii_alphanumeric);
    if letters == 0 {
        return run(0, |byte| !byte.is_ascii_alphanumeric());
    }
    let is_decimal = bytes.get(letters) == Some(&b'.') && bytes.get(letters + 1).is_some_and(u8::is_ascii_digit);
    let end = if is_decimal { letters + 1 + run(letters + 1, u8::is_ascii_digit) } else { letters };
    end + usize::from(bytes.get(end) == Some(&b'%'))
}

fn is_single(character: char) -> bool {
    class(character.into()) == Class::Single
}

fn piece<'a>(token: &Token<'_>) -> Piece<'a> {
    Piece { bytes: (token.byte_start, token.byte_end), characters: (token.start, token.end), tag: None }
}

/// Joins the pieces of a sequence of letters or digits that the segmenter split because it supports only ASCII letters.
struct Joiner<'a> {
    text: &'a str,
    /// Whether to join ASCII letters too, which jieba separates on purpose.
    joins_ascii: bool,
    last: Option<Piece<'a>>,
}

impl<'a> Joiner<'a> {
    #[inline]
    fn push(&mut self, piece: Piece<'a>, emit: &mut impl FnMut(Piece<'a>)) {
        let Some(last) = &mut self.last else {
            self.last = Some(piece);
            return;
        };
        let (before, after) = self.text.split_at(piece.bytes.0);
        if last.bytes.1 == piece.bytes.0
            && belong_together(before.chars().next_back(), after.chars().next(), self.joins_ascii)
        {
            last.bytes.1 = piece.bytes.1;
            last.characters.1 = piece.characters.1;
            last.tag = last.tag.map(|tag| if tag == "x" { "eng" } else { tag });
        } else {
            emit(std::mem::replace(last, piece));
        }
    }

    fn finish(self, emit: &mut impl FnMut(Piece<'a>)) {
        if let Some(last) = self.last {
            emit(last);
        }
    }
}

/// True for two letters or digits of a sequence; two ASCII ones only with `joins_ascii`.
#[inline]
fn belong_together(before: Option<char>, after: Option<char>, joins_ascii: bool) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    if matches!(before, '\u{4e00}'..='\u{9fff}') || matches!(after, '\u{4e00}'..='\u{9fff}') {
        return false;
    }
    let in_run = |character: char| class(character.into()) == Class::Run;
    (joins_ascii || !before.is_ascii() || !after.is_ascii()) && in_run(before) && in_run(after)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, mode: Mode, folded: bool) -> Vec<String> {
        let dictionary = Dictionary::embedded();
        let mut words = Vec::new();
        Cutter::new(&dictionary, mode, true, folded, false)
            .cut(Text::Utf8(text), |word, _| words.push(word.to_owned()));
        words
    }

    const ALL: [Mode; 7] =
        [Mode::Precise, Mode::Full, Mode::Search, Mode::Forward, Mode::Backward, Mode::Bidirectional, Mode::Minimum];

    proptest! {
        #[test]
        fn offsets_are_those_of_the_original(text in "[研究生命起源大学abcé ,。１\u{200b}臺]{0,40}", folded in any::<bool>()) {
            let characters: Vec<char> = text.chars().collect();
            let dictionary = Dictionary::embedded();
            for mode in ALL {
                Cutter::new(&dictionary, mode, true, folded, true).cut(Text::Utf8(&text), |word, place| {
                    let original: String = characters[place.start as usize..place.end as usize].iter().collect();
                    let expected = if folded { crate::text::fold_to_string(original.as_str()) } else { original };
                    assert_eq!(word, expected, "{mode:?}");
                });
            }
        }

        #[test]
        fn words_of_a_cut_follow_each_other(text in "\\PC{0,40}") {
            let dictionary = Dictionary::embedded();
            for mode in [Mode::Precise, Mode::Forward, Mode::Backward, Mode::Bidirectional, Mode::Minimum] {
                let mut reached = 0;
                Cutter::new(&dictionary, mode, true, false, false).cut(Text::Utf8(&text), |_, place| {
                    assert!(reached <= place.start && place.start < place.end, "{mode:?}");
                    reached = place.end;
                });
            }
        }
    }

    #[test]
    fn letters_of_every_script_stay_together() {
        for mode in ALL {
            assert_eq!(cut("Привет, café!", mode, true), ["привет", "café"], "{mode:?}");
        }
    }
}
