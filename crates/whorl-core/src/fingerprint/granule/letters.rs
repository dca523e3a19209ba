//! The letters of a text: the pinyin initials of its Han characters and the characters between them.

use std::sync::LazyLock;

use super::{ALPHABET, UNCOUNTED};
use crate::text::Sink;
use crate::text::pinyin::Pinyin;

fn letter_index(letter: u8) -> u8 {
    ALPHABET.binary_search(&letter).map_or(UNCOUNTED, |place| place as u8)
}

/// Returns the initial letter of every syllable by number; [`u8::MAX`] for code points without a syllable.
pub(super) fn letter_of_syllable() -> &'static [u8] {
    static BY_NUMBER: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let letter = |syllable: &&str| syllable.bytes().next().map_or(u8::MAX, letter_index);
        Pinyin::get().syllables().iter().map(letter).collect()
    });
    &BY_NUMBER
}

/// Writes letters.
pub(super) struct Letters<'a> {
    pub pinyin: &'static Pinyin,
    pub of_syllable: &'static [u8],
    pub keep_others: bool,
    pub letters: &'a mut Vec<u8>,
}

impl Sink for Letters<'_> {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        match self.of_syllable[self.pinyin.number(code_point)] {
            u8::MAX if self.keep_others => self.letters.push(UNCOUNTED),
            u8::MAX => {}
            letter => self.letters.push(letter),
        }
    }

    fn run(&mut self, code_point: u32) {
        if self.keep_others {
            self.letters.push(u8::try_from(code_point).map_or(UNCOUNTED, letter_index));
        }
    }

    fn boundary(&mut self) {}
}
