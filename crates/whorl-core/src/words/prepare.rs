//! The characters that are cut, and where each comes from.

use crate::text::{self, Class, CodePoints, Sink, Text, simplified};
use crate::words::Dictionary;

/// A text ready to be cut; reused from text to text.
#[derive(Default)]
pub(crate) struct Prepared {
    text: String,
    /// The first code point of the original behind each character of the folded text, and the one after the last.
    /// Empty for a text that is cut as it is: every character is its own.
    origins: Vec<(u32, u32)>,
    /// The text as it is written, where that is not what is cut.
    written: String,
    /// Where each character of `written` begins and the last ends, in bytes.
    bounds: Vec<usize>,
}

impl Prepared {
    /// Takes `original` in place of what was here. A lone surrogate becomes a replacement character.
    ///
    /// Traditional characters are cut in their simplified form, which is that of the dictionary, unless they stand in a
    /// word that `dictionary` has only as it is written.
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

    /// A word as it is written: `bytes` and `characters` say where it lies in what is cut.
    #[inline]
    pub fn written(&self, bytes: (usize, usize), characters: (usize, usize)) -> &str {
        if self.written.is_empty() {
            return &self.text[bytes.0..bytes.1];
        }
        &self.written[self.bounds[characters.0]..self.bounds[characters.1]]
    }

    /// The characters; in a folded text a space stands between two tokens unless both are single characters that
    /// touch.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where characters `start..end` lie in the original, in code points.
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

/// Receives folded characters, and puts a space between tokens that are not both single.
struct Characters {
    text: String,
    origins: Vec<(u32, u32)>,
    last: Class,
    position: u32,
    /// True when positions are those of clusters: a code point and those that combine with it.
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
