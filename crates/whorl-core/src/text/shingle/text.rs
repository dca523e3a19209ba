//! Shingles as strings, for hash functions of other programs.

use crate::text::{CodePoints, Sink, Text, fold};

/// The characters of a folded text; tokens are separated by a space unless both are single characters. Reused from text
/// to text.
#[derive(Default)]
pub struct ShingleText {
    characters: String,
    /// Byte range of each token.
    tokens: Vec<(u32, u32)>,
}

impl ShingleText {
    /// Folds `text`, replacing the previous contents.
    pub fn read(&mut self, text: Text<'_>) {
        match text {
            Text::Utf8(text) => self.fold(text),
            Text::CodePoints(text) => self.fold(text),
        }
    }

    /// Returns the UTF-8 of every window of `width` tokens, or of all tokens if there are fewer, in text order.
    pub fn shingles(&self, width: usize) -> impl Iterator<Item = &[u8]> {
        let windows = self.tokens.windows(width.min(self.tokens.len()).max(1));
        windows.map(|tokens| &self.characters.as_bytes()[tokens[0].0 as usize..tokens[tokens.len() - 1].1 as usize])
    }

    fn fold<T: CodePoints + ?Sized>(&mut self, text: &T) {
        self.characters.clear();
        self.tokens.clear();
        let sink = Tokens { text: std::mem::take(self), last: Last::Boundary, after_single: true };
        *self = fold(text, sink).text;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Single,
    Run,
    Boundary,
}

struct Tokens {
    text: ShingleText,
    last: Last,
    /// True if the previous token is a single character, or there is none.
    after_single: bool,
}

impl Tokens {
    fn begin(&mut self, code_point: u32, is_single: bool) {
        let touches = self.text.tokens.is_empty() || (is_single && self.after_single);
        if !touches {
            self.text.characters.push(' ');
        }
        let start = self.text.characters.len() as u32;
        self.text.tokens.push((start, start));
        self.after_single = is_single;
        self.last = if is_single { Last::Single } else { Last::Run };
        self.append(code_point);
    }

    fn append(&mut self, code_point: u32) {
        self.text.characters.extend(char::from_u32(code_point));
        if let Some(token) = self.text.tokens.last_mut() {
            token.1 = self.text.characters.len() as u32;
        }
    }
}

impl Sink for Tokens {
    fn single(&mut self, code_point: u32) {
        self.begin(code_point, true);
    }

    fn run(&mut self, code_point: u32) {
        if self.last == Last::Run { self.append(code_point) } else { self.begin(code_point, false) }
    }

    fn boundary(&mut self) {
        self.last = Last::Boundary;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::tokens;

    fn shingles(text: &str, width: usize) -> Vec<String> {
        let mut characters = ShingleText::default();
        characters.read(Text::Utf8(text));
        characters.shingles(width).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    #[test]
    fn a_space_stands_where_a_reader_needs_it() {
        assert_eq!(shingles("今天，ＧＰＴ-4好", 2), ["今天", "天 gpt", "gpt 4", "4 好"]);
        assert_eq!(shingles("今天", 5), ["今天"]);
        assert!(shingles("。", 5).is_empty());
    }

    proptest! {
        #[test]
        fn one_token_a_shingle_gives_the_tokens(text in "[今天好a1b ，。\u{301}éＡ]{0,30}") {
            prop_assert_eq!(shingles(&text, 1), tokens(text.as_str()));
        }
    }
}
