//! Publication dates in the formats of people, programs and files.

use super::order::{date, days_since_1970};

const DAY: f64 = 86_400.0;
/// Smaller numbers are not timestamps; ids, ranks and years are more likely.
const MIN_TIMESTAMP: f64 = 1e8;
/// Limits below which a number counts seconds, milliseconds, microseconds or nanoseconds since 1970.
const UNITS: [(f64, f64); 4] = [(1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9)];
/// 0001-01-02 and 9999-12-30, the first and the last day valid in every time zone.
const CALENDAR: (f64, f64) = (-62_135_510_400.0, 253_402_214_399.0);
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// The zones of RFC 5322, in hours from UTC; other names are read as UTC.
const ZONES: [(&str, i64); 8] =
    [("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)];

/// Parses a date as seconds since 1970-01-01T00:00Z; None for anything else.
///
/// Unlike [`super::order::value`], a number must look like a date: 4, 6, 8, 12 or 14 digits such as `20200131`, or a
/// timestamp in seconds, milliseconds, microseconds or nanoseconds of nine digits or more. `2020-01`, `2020年1月` and the
/// dates of mail headers are accepted too. A date without a zone is UTC; a month without a day is its first day.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let parsed = if is_number(text) {
        compact(text).or_else(|| text.parse().ok().and_then(timestamp))
    } else {
        date(text).or_else(|| month(text)).or_else(|| mail(text))
    };
    parsed.filter(in_calendar)
}

/// Parses a number as a date; see [`seconds`].
pub fn seconds_of_number(number: f64) -> Option<f64> {
    timestamp(number).filter(in_calendar)
}

fn in_calendar(seconds: &f64) -> bool {
    (CALENDAR.0..=CALENDAR.1).contains(seconds)
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    !whole.is_empty() && [whole, fraction].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn timestamp(number: f64) -> Option<f64> {
    let is_compact = number.fract() == 0.0 && (0.0..1e14).contains(&number);
    if let Some(parsed) = is_compact.then(|| compact(&format!("{number:.0}"))).flatten() {
        return Some(parsed);
    }
    let size = number.abs();
    if size < MIN_TIMESTAMP {
        return None;
    }
    UNITS.iter().find(|(limit, _)| size < *limit).map(|(_, unit)| number / unit)
}

/// Parses digits without separators. Years far from today are accepted only if the digits cannot be a timestamp.
fn compact(text: &str) -> Option<f64> {
    if !matches!(text.len(), 4 | 6 | 8 | 12 | 14) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let at =
        |start: usize, end: usize, missing: i64| text.get(start..end).map_or(Some(missing), |part| part.parse().ok());
    let (year, month, day) = (at(0, 4, 0)?, at(4, 6, 1)?, at(6, 8, 1)?);
    let (hour, minute, second) = (at(8, 10, 0)?, at(10, 12, 0)?, at(12, 14, 0)?);
    if year < 1 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    if !matches!(text.len(), 4 | 8) && !(1900..=2100).contains(&year) {
        return None;
    }
    Some((days_since_1970(year, month, day)? * 86_400 + hour * 3600 + minute * 60 + second) as f64)
}

/// Parses `2020-01`, `2020/1`, `2020.1`, `2020年` and `2020年1月`.
fn month(text: &str) -> Option<f64> {
    let year = text.get(..4)?;
    let rest = text[4..].trim_start();
    let number = match rest.strip_prefix('年') {
        Some("") => "1",
        Some(rest) => rest.strip_suffix('月')?.trim(),
        None => rest.strip_prefix(['-', '/', '.'])?.trim_start(),
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(year) || !digits(number) || !(1..=2).contains(&number.len()) {
        return None;
    }
    let year = year.parse().ok().filter(|&year| year > 0)?;
    Some(days_since_1970(year, number.parse().ok()?, 1)? as f64 * DAY)
}

/// Parses the date of a mail header or a feed, such as `Tue, 5 Mar 2024 08:30:00 +0800`.
fn mail(text: &str) -> Option<f64> {
    let rest = match text.split_once(',') {
        Some((weekday, rest)) if weekday.len() == 3 => rest,
        _ => text,
    };
    let mut parts = rest.split_whitespace();
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if !(1..=2).contains(&day.len()) || year.len() != 4 {
        return None;
    }
    let month = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name))? as i64 + 1;
    let days = days_since_1970(year.parse().ok()?, month, day.parse().ok()?)?;
    let mut time = [0; 3];
    if let Some(clock) = parts.next() {
        let pieces: Vec<&str> = clock.split(':').collect();
        if !(2..=3).contains(&pieces.len()) {
            return None;
        }
        for (place, piece) in pieces.iter().enumerate() {
            time[place] = piece.parse().ok().filter(|number| (0..=[23, 59, 59][place]).contains(number))?;
        }
    }
    let seconds = days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2] - parts.next().map_or(0, zone);
    Some(seconds as f64)
}

fn zone(name: &str) -> i64 {
    if let Some((_, hours)) = ZONES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return hours * 3600;
    }
    name.parse::<i64>().map_or(0, |number| (number / 100 * 60 + number % 100) * 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_the_usual_forms() {
        let day = |text| seconds(text).map(|seconds| seconds / DAY);
        for text in [
            "2000-03-01",
            "2000/3/1",
            "20000301",
            "2000年3月1日",
            "200003",
            "2000-03",
            "2000年3月",
            "951868800",
            "951868800000",
            "951868800.0",
            "+951868800000000",
            "Wed, 01 Mar 2000 00:00:00 GMT",
            "1 Mar 2000",
            "Wed, 01 Mar 2000 08:00:00 +0800",
            "29 Feb 2000 19:00 EST",
            " 2000-03-01T08:00:00+08:00 ",
        ] {
            assert_eq!(day(text), Some(11017.0), "{text}");
        }
        assert_eq!(day("2000"), Some(10957.0));
        assert_eq!(day("2000年"), Some(10957.0));
        assert_eq!(day("200003011200"), Some(11017.5));
        assert_eq!(seconds_of_number(951_868_800_000.0), Some(951_868_800.0));
        assert_eq!(seconds_of_number(20_000_301.0), Some(951_868_800.0));
    }

    #[test]
    fn what_is_not_a_date() {
        for text in [
            "",
            "7",
            "12:30",
            "-3",
            "0000",
            "99999999",
            "20001399",
            "2000-13",
            "1e9",
            "nan",
            "yesterday",
            "1.2.3",
            "3 May 20",
            "5 Foo 2000",
            "5 Mar 2000 25:00",
            "10000-01-01",
            "1000000000000000000000",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
        for number in [0.0, -1.0, 12.5, f64::NAN, f64::INFINITY, 1e21] {
            assert_eq!(seconds_of_number(number), None, "{number}");
        }
    }
}
