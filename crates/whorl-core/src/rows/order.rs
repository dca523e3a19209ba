//! The rank of documents, which determines the copy that is kept.

use std::cmp::Ordering;

use rayon::prelude::*;

/// Parses a date or a number as a sort value.
///
/// The value of a number is the number; that of a date is seconds since 1970-01-01T00:00Z. Dates are year, month, day
/// and optionally hour, minute, second, separated by anything but letters or digits, or by the Chinese 年月日时分秒; a zone
/// is `Z` or ±hh:mm, UTC if missing. `20231011` is a date as well: eight digits of a valid day. Anything else has no
/// value.
pub fn value(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => compact_date(text).or(Some(number)),
        _ => date(text),
    }
}

fn compact_date(text: &str) -> Option<f64> {
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse().ok();
    let day = days_since_1970(number(0..4)?, number(4..6)?, number(6..8)?)?;
    Some(day as f64 * 86400.0)
}

pub(super) fn date(text: &str) -> Option<f64> {
    let (body, zone) = split_zone(text)?;
    let mut numbers = Vec::with_capacity(7);
    for part in body.split(|character: char| !character.is_ascii_digit()).filter(|part| !part.is_empty()) {
        numbers.push((part.parse::<i64>().ok()?, part.len()));
    }
    let foreign = |character: char| {
        character.is_alphanumeric() && !character.is_ascii_digit() && !"年月日号时時点點分秒T".contains(character)
    };
    if !(3..=7).contains(&numbers.len()) || numbers[0].1 != 4 || body.contains(foreign) {
        return None;
    }
    let at = |index: usize| numbers.get(index).map_or(0, |&(number, _)| number);
    let (hour, minute, second) = (at(3), at(4), at(5));
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let fraction = numbers.get(6).map_or(0.0, |&(number, digits)| number as f64 / 10f64.powi(digits as i32));
    let days = days_since_1970(at(0), at(1), at(2))?;
    Some((days * 86400 + hour * 3600 + minute * 60 + second - zone) as f64 + fraction)
}

/// Splits `Z` or ±hh[:]mm off the end; returns the offset in seconds. A minus within the first ten characters belongs
/// to the date; a zone that follows a date without a time, as in `2026-11-24-05:00`, needs its minutes.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(body) = text.strip_suffix(['Z', 'z']) {
        return Some((body, 0));
    }
    let is_zone = |&sign: &usize| match text.as_bytes()[sign] {
        b'+' => true,
        _ => sign > 10 || (sign == 10 && is_hours_and_minutes(&text[sign + 1..])),
    };
    match text.rfind(['+', '-']).filter(is_zone) {
        None => Some((text, 0)),
        Some(sign) => {
            let digits: String = text[sign + 1..].chars().filter(|character| *character != ':').collect();
            let number: i64 = digits.parse().ok().filter(|_| digits.len() <= 4)?;
            let seconds = if digits.len() <= 2 { number * 3600 } else { number / 100 * 3600 + number % 100 * 60 };
            Some((&text[..sign], if text.as_bytes()[sign] == b'-' { -seconds } else { seconds }))
        }
    }
}

fn is_hours_and_minutes(text: &str) -> bool {
    matches!(text.as_bytes(), [a, b, b':', c, d] if [a, b, c, d].into_iter().all(u8::is_ascii_digit))
}

/// Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil`.
pub(super) fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
}

/// Ranks documents by `preference` (lowest first, NaN last), then by identifier, then by position.
///
/// Returns the documents by rank. `identifier(i)` is the identifier of document i.
pub fn rank<'a>(preference: &[f64], identifier: impl Fn(u32) -> &'a [u8] + Sync) -> Vec<u32> {
    let mut order: Vec<u32> = (0..preference.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        compare(preference[a as usize], preference[b as usize])
            .then_with(|| identifier(a).cmp(identifier(b)))
            .then(a.cmp(&b))
    });
    order
}

/// Marks with 1 the documents whose identifier is not empty and not unique. `order` lists the documents sorted by
/// identifier.
pub fn repeated<'a>(order: &[u32], identifier: impl Fn(u32) -> &'a [u8]) -> Vec<u8> {
    let mut marks = vec![0; order.len()];
    for pair in order.windows(2) {
        let name = identifier(pair[0]);
        if !name.is_empty() && name == identifier(pair[1]) {
            marks[pair[0] as usize] = 1;
            marks[pair[1] as usize] = 1;
        }
    }
    marks
}

fn compare(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then_with(|| a.partial_cmp(&b).unwrap_or(Ordering::Equal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers() {
        let day = |text| value(text).map(|seconds| seconds / 86400.0);
        assert_eq!(day("1970-01-02"), Some(1.0));
        assert_eq!(day("2000-03-01"), Some(11017.0));
        assert_eq!(day("20000301"), Some(11017.0));
        assert_eq!(day("2000/3/1 12:00"), Some(11017.5));
        assert_eq!(day("2000年3月1日 12时"), Some(11017.5));
        assert_eq!(day("2000-03-01T12:00:00Z"), Some(11017.5));
        assert_eq!(day("2000-03-01T20:00:00+08:00"), Some(11017.5));
        assert_eq!(day("2000-03-01 04:00:00.000-0800"), Some(11017.5));
        assert_eq!(value("2000-03-01+08:00"), value("2000-02-29T16:00:00Z"));
        assert_eq!(value("2000-03-01-05:00"), value("2000-03-01T05:00:00Z"));
        assert_eq!(value("3.5"), Some(3.5));
        assert_eq!(value("20001399"), Some(20_001_399.0));
        for nonsense in [
            "",
            "yesterday",
            "2000-02-30",
            "2001-02-29",
            "12:30",
            "31/12/2000",
            "2000-01-01 25:00",
            "2000-01-01 12:00+99999999999999999",
            "nan",
            "inf",
            "March 5 2000 01 02",
        ] {
            assert_eq!(value(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn rank_by_preference_then_identifier_then_position() {
        let identifiers = ["b", "a", "a", "c", "d"];
        let order = rank(&[1.0, 1.0, 1.0, f64::NAN, 0.0], |document| identifiers[document as usize].as_bytes());
        assert_eq!(order, [4, 1, 2, 0, 3]);
        let by_identifier = rank(&[0.0; 5], |document| identifiers[document as usize].as_bytes());
        assert_eq!(repeated(&by_identifier, |document| identifiers[document as usize].as_bytes()), [0, 1, 1, 0, 0]);
        assert_eq!(repeated(&[0, 1], |_| b""), [0, 0]);
    }
}
