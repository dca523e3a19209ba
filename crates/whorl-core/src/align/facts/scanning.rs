//! Finds the facts among tokens: numbers in digits and numerals, and what English words state.

use std::ops::Range;

use super::numbers::{Number, Stated, power_of, stated};
use crate::align::change::is_idle;
use crate::align::runs::Tokens;
use crate::text::scan::{places, within};

/// Units that a single Chinese numeral may stand before,
const UNITS: &str = "年月日时分秒岁名人元万亿次件吨亩户票级位";
/// and others that 一 may not.
const CLASSIFIERS: &str = "个只辆艘条张家天层架台座所项份起倍成点斤届";

/// A number, or a date or amount in Chinese numerals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::align) struct Fact {
    /// Its tokens, counted from the start of the stretch.
    pub tokens: Range<usize>,
    /// Its value.
    pub value: Number,
}

/// Returns the facts among some tokens, in order. Numbers of list items and chapters are excluded.
pub(in crate::align) fn facts<'t>(tokens: &'t Tokens<'_>) -> impl Iterator<Item = Fact> + 't {
    let mut at = 0;
    // Few tokens are numbers: it is faster to skip to the next digit or numeral, many units at a time.
    let all = tokens.places(&(0..tokens.len()));
    let mut numbers = places(tokens.units(&(0..tokens.len())), |unit| is_digit(unit) | is_numeral(unit)).peekable();
    std::iter::from_fn(move || {
        loop {
            while numbers.next_if(|&number| all.start + number < tokens.places(&(at..at)).start).is_some() {}
            let number = all.start + numbers.peek()?;
            while tokens.places(&(at..at + 1)).end <= number {
                at += 1;
            }
            let start = at;
            let units = tokens.units(&(at..at + 1));
            at += 1;
            if units.iter().any(|&unit| is_digit(unit)) {
                while at < tokens.len() && tokens.is_number_continued(at) {
                    at += 1;
                }
                if !tokens.is_numbering(start, at) {
                    let value = tokens.value_of_digits(start..at);
                    while let Some((behind, _)) = tokens.scale(at) {
                        at = behind;
                    }
                    return Some(Fact { tokens: start..at, value });
                }
            } else if is_numeral(units[0]) {
                while at < tokens.len() {
                    let is_numeral = is_numeral(tokens.units(&(at..at + 1))[0]);
                    let Some(behind) = tokens.scale(at).map(|(behind, _)| behind).or(is_numeral.then_some(at + 1))
                    else {
                        break;
                    };
                    at = behind;
                }
                if tokens.is_chinese_fact(start, at) {
                    return Some(Fact { tokens: start..at, value: Number::of_numerals(tokens.units(&(start..at))) });
                }
            }
        }
    })
}

impl Tokens<'_> {
    /// True if a token continues the number before it: 1,234 and 13.9, 8:26.
    fn is_number_continued(&self, token: usize) -> bool {
        let is_number = |token: usize| self.units(&(token..token + 1)).iter().all(|&unit| is_digit(unit));
        let is_separator =
            |sign: u32| matches!(char::from_u32(sign), Some('.' | ',' | ':' | '．' | '，' | '：' | '·' | '/' | '-'));
        let joins = |sign: u32| is_separator(sign) || is_idle(sign);
        let signs = self.before(token);
        is_number(token) && is_number(token - 1) && signs.len() == 1 && joins(signs[0])
    }

    /// The value of Arabic digits with the units behind them: 3.2万.
    pub(in crate::align) fn value_of_digits(&self, number: Range<usize>) -> Number {
        let digits: Vec<u32> = self.units(&number).iter().copied().filter(|&unit| is_digit(unit)).collect();
        let last = number.end - 1;
        let is_sign = |token: usize, signs: [char; 2]| matches!(*self.before(token), [sign] if signs.iter().any(|&other| sign == u32::from(other)));
        let has_point = number.len() > 1
            && is_sign(last, ['.', '．'])
            && (number.start + 1..last).all(|token| is_sign(token, [',', '，']));
        let decimals = if has_point { self.units(&(last..number.end)).len() } else { 0 };
        let scales = std::iter::successors(self.scale(number.end), |&(behind, _)| self.scale(behind));
        let power: u32 = scales.map(|(_, power)| power).sum();
        Number::of_digits(&digits, decimals, power as i32)
    }

    /// The end and the power of ten of a token such as 万, also in 多万, if nothing separates it from the number before it.
    fn scale(&self, token: usize) -> Option<(usize, u32)> {
        let sign = |token: usize| {
            let is_joined = token > 0 && token < self.len() && self.before(token).is_empty();
            is_joined.then(|| char::from_u32(self.units(&(token..token + 1))[0])).flatten()
        };
        let unit = if matches!(sign(token), Some('多' | '余' | '来')) { token + 1 } else { token };
        Some((unit + 1, sign(unit).filter(|&unit| unit != '十').and_then(power_of)?))
    }

    /// What English words state.
    pub(in crate::align) fn stated(&self, words: &Range<usize>) -> Option<Stated> {
        stated(words.clone().map(|token| self.units(&(token..token + 1))))
    }

    /// True if a number only counts items or chapters: "2、", "(3)", "第12条".
    fn is_numbering(&self, start: usize, end: usize) -> bool {
        if end - start > 1 || self.units(&(start..end)).len() > 2 {
            return false;
        }
        let behind = self.before(end).first().copied().and_then(char::from_u32);
        let opens_line = |signs: &[u32]| {
            let sign = |&sign: &u32| {
                matches!(char::from_u32(sign), Some('\n' | '：' | ':' | '；' | ';' | '。' | '(' | '（' | '•'))
            };
            signs.iter().any(sign) || start == 0
        };
        let is_item = matches!(behind, Some('、' | ')' | '）' | '.' | '．' | ':')) && opens_line(self.before(start));
        is_item || (start > 0 && end < self.len() && self.is_ordinal(start, end))
    }

    /// True if tokens are preceded by 第 and followed by a part of a document.
    fn is_ordinal(&self, start: usize, end: usize) -> bool {
        let sign = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        start > 0
            && sign(start - 1) == Some('第')
            && (end == self.len() || sign(end).is_some_and(|part| "条章节款项编篇部卷页".contains(part)))
    }

    /// True if Chinese numerals state a fact: several of them, one before a unit, or an ordinal.
    fn is_chinese_fact(&self, start: usize, end: usize) -> bool {
        let sign = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        let before = if start > 0 { sign(start - 1) } else { None };
        let behind = if end < self.len() { sign(end) } else { None };
        let has_unit = behind.is_some_and(|unit| UNITS.contains(unit));
        // "One" before a classifier is an article.
        let is_count = || sign(start) != Some('一') && behind.is_some_and(|unit| CLASSIFIERS.contains(unit));
        let is_weekday = matches!(before, Some('周' | '期' | '拜'));
        // "第一，" counts paragraphs.
        let is_ordinal = before == Some('第');
        let is_of_part = is_ordinal && (self.is_ordinal(start, end) || !self.before(end).is_empty());
        // The 百 of 百分之三十 is no number.
        let is_of_percent = behind == Some('分') && end + 1 < self.len() && sign(end + 1) == Some('之');
        (end - start >= 2 || has_unit || is_weekday || is_ordinal || is_count()) && !is_of_part && !is_of_percent
    }
}

pub(in crate::align) fn is_digit(unit: u32) -> bool {
    within(unit, u32::from('0'), u32::from('9'))
}

/// True if a unit is a Chinese numeral; branch-free.
fn is_numeral(unit: u32) -> bool {
    NUMERALS.iter().fold(false, |found, &numeral| found | (unit == u32::from(numeral)))
}

const NUMERALS: [char; 15] = ['〇', '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '两'];
