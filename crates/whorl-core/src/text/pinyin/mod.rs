//! Pinyin: replaces every Han character with its toneless syllable, so that homophones become equal.
//!
//! For display, [`readings`] considers words: 行 is `hang` in 银行 ([`reading_words`]). For comparison, a
//! character always has the syllable of its most frequent reading. Context-dependent readings would be more accurate,
//! but equal characters must stay equal when a neighbor changes. These readings come from a committed table, produced
//! by `examples/make_pinyin_table.rs`. They are looked up by folded code points, so traditional characters have the
//! reading of the simplified ones.

mod reading_words;

use std::sync::LazyLock;

use crate::text::pinyin::reading_words::ReadingWords;
use crate::text::{CodePoints, Sink, fold};

/// Version of the readings: character readings unchanged from `whorl-pinyin-1`, and word readings.
pub const PINYIN_VERSION: &str = "whorl-pinyin-2";

const PAGE: usize = 256;
const PAGES: usize = 0x11_0000 / PAGE;

/// A two-level table of readings: the upper bits of a code point select a page, the lowest eight an entry.
pub struct Pinyin {
    page_of: Box<[u16; PAGES]>,
    /// Concatenated pages of syllable numbers; 0 for no reading.
    entries: Vec<u16>,
    /// Syllables by number; the first is empty.
    syllables: Vec<&'static str>,
}

impl Pinyin {
    /// Returns the committed table.
    pub fn get() -> &'static Self {
        static TABLE: LazyLock<Pinyin> = LazyLock::new(|| Pinyin::parse(include_bytes!("../pinyin_table.bin")));
        &TABLE
    }

    /// The sound of a folded code point: the number of the syllable of a Han character, or the code point itself.
    #[inline]
    pub fn sound(&self, code_point: u32) -> u32 {
        match self.number(code_point) {
            0 => code_point,
            syllable => char::MAX as u32 + syllable as u32,
        }
    }

    /// The syllable number of a folded code point, an index of [`Pinyin::syllables`]; 0 without a reading.
    #[inline(always)]
    pub fn number(&self, code_point: u32) -> usize {
        let code_point = code_point as usize;
        let page = self.page_of.get(code_point / PAGE).copied().unwrap_or_default();
        self.entries[usize::from(page) * PAGE + code_point % PAGE].into()
    }

    /// The syllable of a folded code point, such as `zhong` or `nv`; empty without a reading.
    pub fn syllable(&self, code_point: u32) -> &'static str {
        self.syllables[self.number(code_point)]
    }

    /// All syllables by number; the first is empty.
    pub fn syllables(&self) -> &[&'static str] {
        &self.syllables
    }

    fn parse(bytes: &'static [u8]) -> Self {
        let mut reader = Reader(bytes);
        let syllable = |reader: &mut Reader| {
            let [length] = reader.take();
            std::str::from_utf8(reader.bytes(length.into())).expect("syllables are ASCII")
        };
        let count = reader.u16();
        let syllables = std::iter::once("").chain((0..count).map(|_| syllable(&mut reader))).collect();
        let mut table = Self { page_of: Box::new([0; PAGES]), entries: vec![0; PAGE], syllables };
        for _ in 0..reader.u16() {
            let first = u32::from_le_bytes(reader.take());
            for code_point in first..first + u32::from(reader.u16()) {
                *table.entry(code_point as usize) = reader.u16();
            }
        }
        assert!(reader.0.is_empty(), "the table of readings has bytes left over");
        table
    }

    /// The entry of a code point; adds a page if necessary.
    fn entry(&mut self, code_point: usize) -> &mut u16 {
        let page = &mut self.page_of[code_point / PAGE];
        if *page == 0 {
            *page = (self.entries.len() / PAGE) as u16;
            self.entries.resize(self.entries.len() + PAGE, 0);
        }
        &mut self.entries[usize::from(*page) * PAGE + code_point % PAGE]
    }
}

/// Reads values off the front of the table.
struct Reader(&'static [u8]);

impl Reader {
    fn bytes(&mut self, length: usize) -> &'static [u8] {
        let (head, tail) = self.0.split_at(length);
        self.0 = tail;
        head
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        self.bytes(N).try_into().expect("as many bytes as were asked for")
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }
}

/// The syllable of one Han character of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Toneless, in lower case, `v` for ü.
    pub syllable: &'static str,
    /// The offset of the character in code points of the original text.
    pub offset: usize,
}

/// Returns the readings of the Han characters of `text`, chosen by the surrounding words, in order. Linear.
pub fn readings<T: CodePoints + ?Sized>(text: &T) -> Vec<Reading> {
    read(text, Some(ReadingWords::get()))
}

/// Returns the initial letters of the syllables of the Han characters of `text`: `by_word`, or per character as in
/// keys. Linear.
pub fn initials<T: CodePoints + ?Sized>(text: &T, by_word: bool) -> String {
    read(text, by_word.then(ReadingWords::get)).iter().filter_map(|reading| reading.syllable.chars().next()).collect()
}

fn read<T: CodePoints + ?Sized>(text: &T, words: Option<&'static ReadingWords>) -> Vec<Reading> {
    let mut sink = fold(text, Readings { words, readings: Vec::new(), stretch: Vec::new(), offset: 0 });
    sink.boundary();
    sink.readings
}

struct Readings {
    words: Option<&'static ReadingWords>,
    readings: Vec<Reading>,
    /// Adjacent characters that are not read yet, with their offsets.
    stretch: Vec<(u32, usize)>,
    offset: usize,
}

impl Sink for Readings {
    fn single(&mut self, code_point: u32) {
        self.stretch.push((code_point, self.offset));
    }

    fn run(&mut self, _code_point: u32) {
        self.boundary();
    }

    fn boundary(&mut self) {
        let pinyin = Pinyin::get();
        let mut rest = self.stretch.as_slice();
        while let Some(&(first, _)) = rest.first() {
            let alone = [pinyin.syllable(first)];
            let characters = rest.iter().map(|&(code_point, _)| code_point);
            let syllables = self.words.and_then(|words| words.longest(characters)).unwrap_or(&alone);
            let (word, behind) = rest.split_at(syllables.len());
            let read = syllables.iter().zip(word).map(|(&syllable, &(_, offset))| Reading { syllable, offset });
            self.readings.extend(read.filter(|reading| !reading.syllable.is_empty()));
            rest = behind;
        }
        self.stretch.clear();
    }

    fn position(&mut self, offset: usize) {
        self.offset = offset;
    }
}

/// Folds a text and replaces every Han character with its context-free syllable; tokens are separated by a space.
/// Linear.
pub fn pinyin_fold<T: CodePoints + ?Sized>(text: &T) -> String {
    fold(text, PinyinFold { pinyin: Pinyin::get(), folded: String::new(), in_run: false }).folded
}

struct PinyinFold {
    pinyin: &'static Pinyin,
    folded: String,
    in_run: bool,
}

impl PinyinFold {
    fn begin(&mut self) {
        if !self.folded.is_empty() {
            self.folded.push(' ');
        }
    }
}

impl Sink for PinyinFold {
    fn single(&mut self, code_point: u32) {
        self.begin();
        match self.pinyin.syllable(code_point) {
            "" => self.folded.extend(char::from_u32(code_point)),
            syllable => self.folded.push_str(syllable),
        }
        self.in_run = false;
    }

    fn run(&mut self, code_point: u32) {
        if !self.in_run {
            self.begin();
        }
        self.folded.extend(char::from_u32(code_point));
        self.in_run = true;
    }

    fn boundary(&mut self) {
        self.in_run = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_han_character_becomes_its_syllable() {
        assert_eq!(pinyin_fold("中文，ABC 12 女"), "zhong wen abc 12 nv");
        assert_eq!(pinyin_fold("臺灣"), pinyin_fold("台湾"));
    }

    #[test]
    fn readings_know_where_their_character_stands() {
        let result: Vec<_> = readings("《中》a文").iter().map(|reading| (reading.syllable, reading.offset)).collect();
        assert_eq!(result, [("zhong", 1), ("wen", 4)]);
    }

    #[test]
    fn a_character_is_read_by_the_longest_word_it_stands_in() {
        let read = |text: &str| readings(text).iter().map(|reading| reading.syllable).collect::<Vec<_>>().join(" ");
        assert_eq!(read("重慶銀行行長長大"), "chong qing yin hang hang zhang zhang da");
        assert_eq!(read("银，行"), "yin xing");
        assert_eq!(read("银\u{200b}行"), "yin hang");
        assert_eq!(read("增长发展"), "zeng zhang fa zhan");
        assert_eq!(pinyin_fold("银行"), "yin xing");
        assert_eq!((initials("银行", true), initials("银行", false)), ("yh".into(), "yx".into()));
    }

    #[test]
    fn what_has_no_reading_has_no_initial() {
        assert_eq!(initials("全て漢字 abc。𠮷", true), "qhz");
        assert_eq!(initials("ひらがな abc。", true), "");
    }

    #[test]
    fn a_text_that_must_be_normalised_starts_again() {
        assert_eq!(pinyin_fold("中cafe\u{301}"), "zhong café");
        assert_eq!(initials("中cafe\u{301}文", true), "zw");
    }
}
