//! Values of written numbers: "3,200", "三千二百", ".32万" and "three thousand two hundred" state the same.

use crate::hash::absorb;

/// A value: significant digits and a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::align) struct Number {
    digits: Vec<u8>,
    power: i32,
}

impl Number {
    /// The value of Arabic digits, the last `decimals` of which follow a point, times a power of ten.
    pub fn of_digits(digits: &[u32], decimals: usize, power: i32) -> Self {
        let mut digits: Vec<u8> = digits.iter().map(|&digit| (digit - u32::from('0')) as u8).collect();
        let leading = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..leading.min(digits.len() - 1));
        // 1.20 may be a day of January: it differs from 1.2.
        let may_be_day = decimals == 2 && power == 0 && matches!(digits[..], [.., 1..=3, 0]);
        let mut power = power - decimals as i32;
        if !may_be_day {
            while digits.len() > 1 && digits.last() == Some(&0) {
                digits.pop();
                power += 1;
            }
        }
        Self { digits, power }
    }

    /// This value times a power of ten.
    pub fn times(mut self, power: i32) -> Self {
        self.power += power;
        self
    }

    /// Number of significant digits.
    pub fn significant(&self) -> usize {
        self.digits.len()
    }

    /// The value if it is an integer below a hundred.
    pub fn small(&self) -> Option<u32> {
        match (&self.digits[..], self.power) {
            (&[digit], 0) => Some(digit.into()),
            (&[tens], 1) => Some(10 * u32::from(tens)),
            (&[tens, digit], 0) => Some(10 * u32::from(tens) + u32::from(digit)),
            _ => None,
        }
    }

    /// A hash of the value.
    pub fn hash(&self) -> u64 {
        self.digits.iter().fold(absorb(0, self.power as u64), |state, &digit| absorb(state, digit.into()))
    }

    /// An integer.
    fn of(value: u64) -> Self {
        let digits: Vec<u32> = value.to_string().chars().map(u32::from).collect();
        Self::of_digits(&digits, 0, 0)
    }

    /// The value of Chinese numerals: 二〇二六, 三千二百, 三万五.
    pub fn of_numerals(numerals: &[u32]) -> Self {
        let signs = || numerals.iter().filter_map(|&unit| char::from_u32(unit));
        if signs().all(|sign| digit_of(sign).is_some()) {
            let digits: Vec<u32> = signs().filter_map(digit_of).map(|digit| u32::from('0') + digit as u32).collect();
            return Self::of_digits(&digits, 0, 0);
        }
        // Below the last 万 or 亿; a digit without its unit; the unit before it, if none is skipped by 零.
        let (mut total, mut section, mut digit, mut unit) = (0_u64, 0_u64, None, 1_u64);
        for sign in signs() {
            if let Some(value) = digit_of(sign) {
                digit = (value > 0).then_some(value);
                unit = if value > 0 { unit } else { 1 };
            } else if let Some(power) = power_of(sign) {
                unit = 10_u64.pow(power);
                if power < 4 {
                    section += digit.take().unwrap_or(1) * unit;
                } else {
                    section += digit.take().unwrap_or(0);
                    let above = total % unit + section;
                    total = (total - total % unit).saturating_add(above.max(1).saturating_mul(unit));
                    section = 0;
                }
            }
        }
        let last = digit.map_or(0, |digit| if unit > 10 { digit * unit / 10 } else { digit });
        Self::of(total.saturating_add(section).saturating_add(last))
    }
}

/// The power of ten that a Chinese numeral stands for: 百 is 2.
pub(super) fn power_of(sign: char) -> Option<u32> {
    Some(match sign {
        '十' => 1,
        '百' => 2,
        '千' => 3,
        '万' => 4,
        '亿' => 8,
        _ => return None,
    })
}

fn digit_of(sign: char) -> Option<u64> {
    let digits = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match sign {
        '〇' => Some(0),
        '两' => Some(2),
        _ => digits.iter().position(|&digit| digit == sign).map(|digit| digit as u64),
    }
}

/// What English words state: a number, a month or a day of the week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::align) enum Stated {
    /// A cardinal or ordinal number.
    Number(Number),
    /// A month, from 0.
    Month(usize),
    /// A day of the week, from 0.
    Weekday(usize),
}

impl Stated {
    /// True if both are of one kind.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Returns what words in lower case state; None if any of them is another word.
pub(in crate::align) fn stated<'w>(words: impl Iterator<Item = &'w [u32]>) -> Option<Stated> {
    let (mut total, mut section, mut numbers) = (0_u64, 0_u64, 0);
    let mut named = None;
    for word in words {
        let word: String = word.iter().map(|&unit| char::from_u32(unit)).collect::<Option<_>>()?;
        if named.is_some() {
            return None;
        }
        if let Some(number) = number_word(&word) {
            (section, numbers) = (section.saturating_add(number), numbers + 1);
        } else if let Some(scale) = scale_word(&word) {
            let above = section.max(1).saturating_mul(scale);
            (total, section) = if scale == 100 { (total, above) } else { (total.saturating_add(above), 0) };
            numbers += 1;
        } else if !(numbers > 0 && word == "and") {
            named = Some(name_of(&word)?);
        }
    }
    match (named, numbers) {
        (None, 1..) => Some(Stated::Number(Number::of(total.saturating_add(section)))),
        (named, 0) => named,
        _ => None,
    }
}

fn number_word(word: &str) -> Option<u64> {
    let cardinal = NUMBERS.iter().position(|&number| number == word).map(|number| number as u64);
    let ordinal = || ORDINALS.iter().position(|&number| number == word).map(|number| number as u64 + 1);
    let tens = || TENS.iter().position(|&number| number == word).map(|tens| 10 * tens as u64 + 20);
    cardinal.or_else(ordinal).or_else(tens)
}

fn scale_word(word: &str) -> Option<u64> {
    Some(match word {
        "dozen" => 12,
        "hundred" => 100,
        "thousand" => 1_000,
        "million" => 1_000_000,
        "billion" => 1_000_000_000,
        "trillion" => 1_000_000_000_000,
        _ => return None,
    })
}

/// The power of ten that an English word behind a number stands for: *million* is 6.
pub(in crate::align) fn power_of_word(word: &[u32]) -> Option<i32> {
    let word: String = word.iter().map(|&unit| char::from_u32(unit)).collect::<Option<_>>()?;
    scale_word(&word).filter(|scale| *scale != 12).map(|scale| scale.ilog10() as i32)
}

fn name_of(word: &str) -> Option<Stated> {
    let place = |names: &[&str]| {
        names.iter().position(|&name| name == word || (name.len() > word.len() && is_short_for(word, name)))
    };
    place(&MONTHS).map(Stated::Month).or_else(|| place(&WEEKDAYS).map(Stated::Weekday))
}

/// True for "Nov", "Sept", "Tues" and "Thurs".
fn is_short_for(word: &str, name: &str) -> bool {
    (3..=5).contains(&word.len()) && name.starts_with(word)
}

const NUMBERS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn units(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    fn numerals(text: &str) -> Number {
        Number::of_numerals(&units(text))
    }

    /// Writes a number below 10^12 in Chinese numerals.
    fn written(number: u64) -> String {
        let mut text = String::new();
        for (sign, unit) in [("亿", 100_000_000), ("万", 10_000), ("", 1)] {
            let section = number / unit % 10_000;
            if section == 0 {
                continue;
            }
            let mut skipped = !text.is_empty() && section < 1_000;
            let mut is_begun = false;
            for (sign, unit) in [("千", 1_000), ("百", 100), ("十", 10), ("", 1)] {
                let digit = section / unit % 10;
                if digit == 0 {
                    skipped |= is_begun;
                    continue;
                }
                text += if skipped { "零" } else { "" };
                text.push(['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'][digit as usize]);
                text += sign;
                (skipped, is_begun) = (false, true);
            }
            text += sign;
        }
        text
    }

    proptest! {
        #[test]
        fn numerals_have_the_value_of_digits(number in 1_u64..1_000_000_000_000) {
            prop_assert_eq!(numerals(&written(number)), Number::of(number));
        }

        #[test]
        fn different_integers_differ(one in 0_u64..100_000, other in 0_u64..100_000) {
            prop_assert_eq!(Number::of(one) == Number::of(other), one == other);
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, number) in [
            ("二〇二六", 2026),
            ("十二", 12),
            ("二十", 20),
            ("两千", 2000),
            ("三百五", 350),
            ("三百零五", 305),
            ("一万二", 12_000),
            ("千万", 10_000_000),
            ("三万亿", 3_000_000_000_000),
            ("一亿两千万", 120_000_000),
        ] {
            assert_eq!(numerals(text), Number::of(number), "{text}");
        }
        assert_eq!(Number::of_digits(&units("32"), 1, 4), Number::of(32_000));
        assert_eq!(Number::of_digits(&units("0930"), 0, 0), Number::of(930));
        assert_eq!(Number::of_digits(&units("7470"), 1, 0), Number::of(747));
        assert_eq!(Number::of_digits(&units("240"), 2, 0), Number::of_digits(&units("24"), 1, 0));
        assert_ne!(Number::of_digits(&units("120"), 2, 0), Number::of_digits(&units("12"), 1, 0));
    }

    #[test]
    fn words_state_numbers_and_days() {
        let read = |text: &str| {
            let words: Vec<Vec<u32>> = text.split(' ').map(units).collect();
            stated(words.iter().map(Vec::as_slice))
        };
        let number = |value: u64| Some(Stated::Number(Number::of(value)));
        for (text, value) in [
            ("twelve", number(12)),
            ("three thousand two hundred", number(3200)),
            ("twenty one", number(21)),
            ("two hundred and five", number(205)),
            ("third", number(3)),
            ("a dozen", None),
            ("november", Some(Stated::Month(10))),
            ("nov", Some(Stated::Month(10))),
            ("thurs", Some(Stated::Weekday(3))),
            ("market", None),
            ("and", None),
            ("may day", None),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
    }
}
