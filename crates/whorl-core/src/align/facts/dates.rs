//! The date of a document as stated at its beginning or end: its adoption, amendment or entry into force.

use std::ops::Range;

/// A day as a number that increases with time, made of year, month and day; the latter are 0 if not stated.
pub type Day = u32;

/// Number of code points at the beginning and at the end that are searched for a date.
const MARGIN: usize = 800;

/// Returns the latest date stated in the margins of a text; None without one. The cost is bounded by the margins.
pub fn stated(text: &[u32]) -> Option<Day> {
    let head = 0..text.len().min(MARGIN);
    let tail = text.len().saturating_sub(MARGIN).max(head.end)..text.len();
    [head, tail].into_iter().filter_map(|margin: Range<usize>| latest(&text[margin])).max()
}

fn latest(text: &[u32]) -> Option<Day> {
    let digit = |place: usize| text.get(place).and_then(|&unit| char::from_u32(unit)?.to_digit(10));
    let mut newest = None;
    let mut place = 0;
    while place < text.len() {
        let length = (place..text.len()).take_while(|&at| digit(at).is_some()).count();
        if length == 4 {
            newest = newest.max(day(text, place));
        }
        place += length.max(1);
    }
    newest
}

/// Parses the day at `place`: 2021年1月1日, 2021-01-01, 2021.1.1, or the year alone before 年.
fn day(text: &[u32], place: usize) -> Option<Day> {
    let sign = |place: usize| text.get(place).and_then(|&unit| char::from_u32(unit)).unwrap_or('\0');
    let number = |start: usize, max_digits: usize| {
        let digits = (start..start + max_digits).map_while(|at| sign(at).to_digit(10));
        digits.fold((0, 0), |(value, length), digit| (10 * value + digit, length + 1))
    };
    let (year, _) = number(place, 4);
    let separator = sign(place + 4);
    if !(1900..2100).contains(&year) || !matches!(separator, '年' | '-' | '/' | '.') {
        return None;
    }
    let (month, digits) = number(place + 5, 2);
    let is_month = (1..=12).contains(&month) && matches!(sign(place + 5 + digits), '月' | '-' | '/' | '.');
    if !is_month {
        return (separator == '年').then_some(10_000 * year);
    }
    let (day, length) = number(place + 6 + digits, 2);
    let day = if length > 0 && (1..=31).contains(&day) { day } else { 0 };
    Some(10_000 * year + 100 * month + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Day> {
        stated(&text.chars().map(u32::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_latest_date_of_the_margins_is_the_date() {
        assert_eq!(of("2018年3月2日通过 2021年11月26日修订。自2022年起施行"), Some(20_220_000));
        assert_eq!(of("Updated 2020-05-07. Version 2019.12.1"), Some(20_200_507));
        assert_eq!(of("电话 20201 12345，第1234条，3月5日"), None);
        assert_eq!(of(&format!("{}2021年5月1日{}", "甲".repeat(900), "乙".repeat(900))), None);
    }
}
