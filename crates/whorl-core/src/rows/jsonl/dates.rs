//! The columns that may contain the date of a row.

use super::value::Value;

/// The longest ASCII name. It allows most keys of a row to be rejected without an allocation.
const LONGEST: usize = 24;

/// Names of date columns, most specific first.
#[derive(Clone, Debug, Default)]
pub(super) struct DateNames {
    names: Vec<String>,
    /// The first bytes of matching keys, to reject most keys of a row quickly.
    starts: Vec<u8>,
}

impl DateNames {
    pub fn new(names: Vec<String>) -> Self {
        let firsts = names.iter().filter_map(|name| name.bytes().next());
        let starts = firsts.flat_map(|first| [first, first.to_ascii_uppercase()]).collect();
        Self { names, starts }
    }

    /// Returns the index of the name that matches a key. Letter case, spaces, `-` and `_` are ignored.
    pub fn place(&self, key: &str) -> Option<usize> {
        if !key.is_ascii() {
            return self.names.iter().position(|name| is_same(key, name));
        }
        let mut plain = [0; LONGEST];
        let mut length = 0;
        for byte in key.bytes().filter(|byte| !(byte.is_ascii_whitespace() || matches!(byte, b'_' | b'-'))) {
            if length == 0 && !self.starts.contains(&byte) {
                return None;
            }
            *plain.get_mut(length)? = byte.to_ascii_lowercase();
            length += 1;
        }
        self.names.iter().position(|name| name.as_bytes() == &plain[..length])
    }

    pub fn name(&self, place: usize) -> &str {
        &self.names[place]
    }
}

fn is_same(key: &str, name: &str) -> bool {
    let letters = key.chars().filter(|letter| !(letter.is_whitespace() || matches!(letter, '_' | '-')));
    letters.flat_map(char::to_lowercase).eq(name.chars())
}

/// A value of a row under a key that names a date column.
struct Candidate<'a> {
    place: usize,
    key: String,
    value: Value<'a>,
}

/// The candidate dates of a row.
#[derive(Default)]
pub(super) struct Dates<'a>(Vec<Candidate<'a>>);

impl<'a> Dates<'a> {
    /// Adds a value. If several keys name one column, the one spelled exactly like its name wins, else the first.
    pub fn push(&mut self, place: usize, is_exact: bool, key: String, value: Value<'a>) {
        match self.0.iter_mut().find(|known| known.place == place) {
            None => self.0.push(Candidate { place, key, value }),
            Some(known) if known.key == key || is_exact => *known = Candidate { place, key, value },
            Some(_) => {}
        }
    }

    /// Returns the date of the row and its column: the most specific one whose value is a date.
    pub fn first(mut self) -> Option<(f64, String)> {
        self.0.sort_unstable_by_key(|candidate| candidate.place);
        self.0.into_iter().find_map(|candidate| Some((candidate.value.as_date()?, candidate.key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_separators() {
        let names = DateNames::new(vec!["publishedat".into(), "date".into(), "发布时间".into()]);
        for (key, place) in [
            ("published_at", Some(0)),
            ("PublishedAt", Some(0)),
            ("Date", Some(1)),
            ("_date", Some(1)),
            ("发布 时间", Some(2)),
            ("dates", None),
            ("dat", None),
            ("", None),
            ("title", None),
        ] {
            assert_eq!(names.place(key), place, "{key}");
        }
        assert_eq!(DateNames::default().place("date"), None);
    }

    #[test]
    fn the_most_telling_column_with_a_date_counts() {
        let text = |text: &str| Value::Text(text.to_owned().into());
        let mut dates = Dates::default();
        dates.push(1, false, "Date".into(), text("1970-01-02"));
        dates.push(1, false, "DATE".into(), text("1970-01-03"));
        dates.push(0, false, "Published".into(), text("soon"));
        assert_eq!(dates.first(), Some((86_400.0, "Date".to_owned())));
        let mut dates = Dates::default();
        dates.push(1, false, "Date".into(), text("1970-01-02"));
        dates.push(1, true, "date".into(), text("1970-01-03"));
        dates.push(1, false, "Date".into(), text("1970-01-04"));
        assert_eq!(dates.first(), Some((172_800.0, "date".to_owned())));
        assert_eq!(Dates::default().first(), None);
    }
}
