//! Parses dates and clock times at a position in a line.

use std::ops::RangeInclusive;

/// Names of months and days of the week, by their first three letters.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
/// Maximum length of these names.
const LONGEST_NAME: usize = 9;

/// A position in a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    line: &'t [u32],
    /// The position in code points.
    pub at: usize,
}

/// A date and a clock time, or a clock time alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// True if it has a date.
    pub is_dated: bool,
    /// True if it has seconds or fractions of a second.
    pub is_precise: bool,
    /// True if it is in brackets.
    pub is_bracketed: bool,
}

impl Stamp {
    /// True if the format distinguishes it from the time of an event, such as 08:30 in a schedule.
    pub fn is_technical(self) -> bool {
        self.is_dated || self.is_precise || self.is_bracketed
    }
}

/// The character in half width; U+FFFD for a surrogate.
pub(super) fn narrow(code_point: u32) -> char {
    let narrow = if (0xFF01..=0xFF5E).contains(&code_point) { code_point - 0xFEE0 } else { code_point };
    char::from_u32(narrow).unwrap_or(char::REPLACEMENT_CHARACTER)
}

impl<'t> Cursor<'t> {
    pub fn new(line: &'t [u32], at: usize) -> Self {
        Self { line, at }
    }

    /// The current character; U+0000 at the end.
    pub fn peek(&self) -> char {
        self.line.get(self.at).map_or('\0', |&unit| narrow(unit))
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.line.len()
    }

    /// Consumes one of `signs`.
    pub fn sign(&mut self, signs: &[char]) -> bool {
        let is_here = signs.contains(&self.peek());
        self.at += usize::from(is_here);
        is_here
    }

    pub fn spaces(&mut self) {
        while self.peek().is_whitespace() {
            self.at += 1;
        }
    }

    /// Consumes a number whose digit count is in `digits`.
    pub fn number(&mut self, digits: RangeInclusive<usize>) -> Option<u32> {
        let run = self.line[self.at.min(self.line.len())..].iter();
        let run = run.take(digits.end() + 1).map_while(|&unit| narrow(unit).to_digit(10));
        let (count, value) =
            run.fold((0, 0_u32), |(count, value), digit| (count + 1, value.saturating_mul(10).saturating_add(digit)));
        if !digits.contains(&count) {
            return None;
        }
        self.at += count;
        Some(value)
    }

    /// Consumes `word` in any case, unless a letter follows.
    pub fn word(&mut self, word: &str) -> bool {
        let mut next = *self;
        for expected in word.chars() {
            if next.peek().to_ascii_lowercase() != expected {
                return false;
            }
            next.at += 1;
        }
        let is_whole = !next.peek().is_ascii_alphabetic();
        if is_whole {
            *self = next;
        }
        is_whole
    }

    /// Consumes brackets with their contents, at most `longest` code points on one line.
    pub fn brackets(&mut self, open: char, close: char, longest: usize) -> bool {
        let mut next = *self;
        if !next.sign(&[open]) {
            return false;
        }
        let inside = self.line[next.at..].iter().take(longest + 1);
        let Some(length) = inside.map(|&unit| narrow(unit)).position(|sign| sign == close) else { return false };
        self.at = next.at + length + 1;
        true
    }

    /// Consumes a date with or without a year and a clock time, or a clock time alone.
    pub fn stamp(&mut self) -> Option<Stamp> {
        let mut next = *self;
        let is_bracketed = next.sign(&['[', '(', '【', '<']);
        next.name_among(&WEEKDAYS);
        next.sign(&[',']);
        next.spaces();
        let is_dated = next.date();
        if is_dated {
            next.between();
        }
        let is_precise = next.clock()?;
        if is_bracketed && !next.sign(&[']', ')', '】', '>']) {
            return None;
        }
        *self = next;
        Some(Stamp { is_dated, is_precise, is_bracketed })
    }

    /// Consumes the separator between a date and a clock time.
    fn between(&mut self) {
        self.spaces();
        self.brackets('(', ')', 4);
        if matches!(self.peek(), '星' | '周' | '週') {
            self.at += if self.peek() == '星' { 3 } else { 2 };
        }
        while self.sign(&[' ', '\u{3000}', '\t', 'T', ',', ':', '-', '–', '—', '|']) {}
        if self.word("at") {
            self.spaces();
        }
    }

    fn date(&mut self) -> bool {
        [Self::numeric_date, Self::named_date].iter().any(|date| {
            let mut next = *self;
            let is_date = date(&mut next).is_some();
            if is_date {
                *self = next;
            }
            is_date
        })
    }

    /// 2023-05-01, 2023年5月1日, 1/5/23, 1.5.2023, 5月1日.
    fn numeric_date(&mut self) -> Option<()> {
        let first = *self;
        let year_first = self.number(4..=4).is_some();
        if !year_first {
            self.number(1..=2)?;
        }
        let separator = self.peek();
        if !self.sign(&['-', '/', '.', '年', '月']) {
            return None;
        }
        self.number(1..=2)?;
        if separator == '月' && self.sign(&['日', '号']) && !year_first {
            return Some(());
        }
        if !self.sign(&[if separator == '年' { '月' } else { separator }]) {
            return None;
        }
        if year_first {
            self.number(1..=2)?;
            self.sign(&['日', '号']);
        } else if self.number(4..=4).is_none() {
            self.number(2..=2)?;
        }
        (self.at > first.at).then_some(())
    }

    /// May 1, May 1, 2023, 1 May 2023, 10/Oct/2000.
    fn named_date(&mut self) -> Option<()> {
        let day_first = self.number(1..=2).is_some();
        if day_first {
            self.sign(&['/', '-', ' ', '.']);
            self.spaces();
        }
        if !self.name_among(&MONTHS) {
            return None;
        }
        self.sign(&['/', '-', '.', ',']);
        self.spaces();
        if !day_first {
            self.number(1..=2)?;
            let mut next = *self;
            next.sign(&[',']);
            next.spaces();
            if next.number(4..=4).is_some() {
                *self = next;
            }
            return Some(());
        }
        self.number(4..=4).map(|_| ())
    }

    fn name_among(&mut self, names: &[&str]) -> bool {
        let letters = self.line[self.at.min(self.line.len())..].iter().take(LONGEST_NAME + 1);
        let letters: String = letters.map(|&unit| narrow(unit)).take_while(char::is_ascii_alphabetic).collect();
        let is_name = (3..=LONGEST_NAME).contains(&letters.len())
            && names.iter().any(|name| letters[..3].eq_ignore_ascii_case(name));
        if is_name {
            self.at += letters.len();
        }
        is_name
    }

    /// Consumes a clock time. Returns whether it has seconds or fractions.
    fn clock(&mut self) -> Option<bool> {
        let mut next = *self;
        if matches!(next.peek(), '上' | '下' | '凌' | '早' | '晚' | '中') {
            next.at += 2;
            next.spaces();
        }
        next.number(1..=3)?;
        if !next.sign(&[':']) {
            return None;
        }
        next.number(2..=2)?;
        let mut is_precise = false;
        for signs in [&[':'][..], &['.', ',']] {
            let mut further = next;
            if further.sign(signs) && further.number(1..=9).is_some() {
                (next, is_precise) = (further, true);
            }
        }
        next.half_of_day_and_zone();
        *self = next;
        Some(is_precise)
    }

    fn half_of_day_and_zone(&mut self) {
        let mut next = *self;
        next.spaces();
        if next.word("am") || next.word("pm") || next.word("utc") || next.word("gmt") {
            *self = next;
        }
        let mut next = *self;
        if next.sign(&['Z']) && !next.peek().is_alphanumeric() {
            *self = next;
        }
        let mut next = *self;
        next.spaces();
        if next.sign(&['+', '-'])
            && next.number(2..=2).map(|_| next.sign(&[':'])).is_some()
            && next.number(2..=2).is_some()
            || {
                next = *self;
                next.spaces();
                next.sign(&['+', '-']) && next.number(4..=4).is_some()
            }
        {
            *self = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(line: &str) -> Option<(String, Stamp)> {
        let units: Vec<u32> = line.chars().map(u32::from).collect();
        let mut cursor = Cursor::new(&units, 0);
        let stamp = cursor.stamp()?;
        Some((line.chars().skip(cursor.at).collect(), stamp))
    }

    #[test]
    fn dates_and_clock_times_are_read_in_many_forms() {
        for line in [
            "2023-05-01 12:00:00|",
            "2023-05-01T12:00:00.123Z|",
            "2023-05-01T12:00:00+08:00|",
            "2023年5月1日 下午12:00|",
            "2023/5/1 星期一 12:00:00|",
            "[2023-05-01 12:00:00,123]|",
            "01/05/2023, 12:00|",
            "[1/5/23, 1:02:03 PM]|",
            "[01.05.2023 12:34]|",
            "May  1 12:00:00|",
            "Mon, 1 May 2023 12:00:00 +0200|",
            "[10/Oct/2000:13:55:36 -0700]|",
            "５月１日 12:00|",
        ] {
            let (rest, stamp) = stamp(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((rest.as_str(), stamp.is_dated), ("|", true), "{line}");
        }
        for (line, is_technical) in
            [("[00:12.30]|", true), ("00:00:03|", true), ("[12:34]|", true), ("12:34|", false), ("1:02 PM|", false)]
        {
            let (rest, stamp) = stamp(line).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((rest.as_str(), stamp.is_technical()), ("|", is_technical), "{line}");
        }
        for line in ["2023-05-01", "1:1 In the beginning", "5月1日，雾散了", "[12] a", "May was cold"] {
            assert_eq!(stamp(line), None, "{line}");
        }
    }
}
