//! The characters to segment, and their positions in the original.

use crate::text::{self, Class, CodePoints, Sink, Text, simplified};
use crate::words::Dictionary;

/// A text prepared for segmentation; reused from text to text.
#[derive(Default)]
pub(crate) struct Prepared {
    text: String,
    /// Start and end, in code points of the original, of each character of the folded text. Empty for an unfolded text,
    /// where the positions are the same.
    origins: Vec<(u32, u32)>,
    /// The text as written, if it differs from the segmented text.
    written: String,
    /// The byte offset of each character of `written`, and its end.
    bounds: Vec<usize>,
}

impl Prepared {
    /// Prepares `original`, replacing the previous contents. A lone surrogate becomes a replacement character.
    ///
    /// Traditional characters are converted to simplified ones, which the dictionary uses, unless they are part of a
    /// word that `dictionary` has only as written.
    pub fn read(&mut self, original: Text<'_>, folded: bool, dictionary: &Dictionary) {
        self.text.clear();
        self.origins.clear();
        self.written.clear();
        match (original, folded) {
            (Text::Utf8(original), true) => self.fold(original),
            (Text::CodePoints(original), true) => self.fold(original),
            (Text::Utf8(original), false) => self.text.push_str(original),
            (Text::CodePoints(original), false) => self.text.extend(original.iter().map(|&unit| character(unit))),
        }
        if !folded && self.text.chars().any(|character| simplified(character) != character) {
            self.simplify(dictionary);
        }
    }

    fn simplify(&mut self, dictionary: &Dictionary) {
        let written: Vec<char> = self.text.chars().collect();
        let mut cut: Vec<char> = written.iter().copied().map(simplified).collect();
        for place in 0..cut.len() {
            if cut[place] != written[place]
                && let Some(range) = dictionary.word_as_written(&written, &cut, place)
            {
                cut[range.clone()].copy_from_slice(&written[range]);
            }
        }
        std::mem::swap(&mut self.text, &mut self.written);
        self.text.clear();
        self.text.extend(cut);
        self.bounds.clear();
        self.bounds.extend(self.written.char_indices().map(|(byte, _)| byte));
        self.bounds.push(self.written.len());
    }

    /// Returns a word as written; `bytes` and `characters` are its ranges in the segmented text.
    #[inline]
    pub fn written(&self, bytes: (usize, usize), characters: (usize, usize)) -> &str {
        if self.written.is_empty() {
            return &self.text[bytes.0..bytes.1];
        }
        &self.written[self.bounds[characters.0]..self.bounds[characters.1]]
    }

    /// The characters; in a folded text, tokens are separated by a space unless both are single characters that touch.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the code-point range of characters `start..end` in the original.
    #[inline]
    pub fn place(&self, start: usize, end: usize) -> (u32, u32) {
        if self.origins.is_empty() {
            return (start as u32, end as u32);
        }
        (self.origins[start].0, self.origins[end - 1].1)
    }

    fn fold<T: CodePoints + ?Sized>(&mut self, original: &T) {
        let sink = Characters {
            text: std::mem::take(&mut self.text),
            origins: std::mem::take(&mut self.origins),
            last: Class::Break,
            position: 0,
            clustered: false,
        };
        let mut sink = text::fold(original, sink);
        if sink.clustered {
            sink.position(original.code_points().count());
        }
        (self.text, self.origins) = (sink.text, sink.origins);
    }
}

fn character(unit: u32) -> char {
    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Receives folded characters and inserts a space between tokens that are not both single.
struct Characters {
    text: String,
    origins: Vec<(u32, u32)>,
    last: Class,
    position: u32,
    /// True if positions are those of clusters: a code point and those that combine with it.
    clustered: bool,
}

impl Characters {
    #[inline(always)]
    fn push(&mut self, code_point: u32, class: Class) {
        if self.last != class && self.last != Class::Break {
            self.space();
        }
        self.text.push(character(code_point));
        self.origins.push((self.position, self.position + 1));
        self.last = class;
    }

    fn space(&mut self) {
        self.text.push(' ');
        self.origins.push((self.position, self.position));
    }
}

impl Sink for Characters {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.push(code_point, Class::Single);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.push(code_point, Class::Run);
    }

    #[inline(always)]
    fn boundary(&mut self) {
        if self.last != Class::Break {
            self.space();
            self.last = Class::Break;
        }
    }

    #[inline(always)]
    fn position(&mut self, offset: usize) {
        if self.clustered {
            let cluster = self.origins.iter_mut().rev().take_while(|origin| origin.0 == self.position);
            cluster.for_each(|origin| origin.1 = offset as u32);
        }
        self.position = offset as u32;
    }

    fn combine(&mut self) {
        self.clustered = true;
    }
}
