//! Deletes parts of the text of a row. Everything else of the row keeps its bytes, escapes included.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::Encoding;

use super::row::{Columns, decode, row_text};

/// A range of code points of the text of a row, as [`super::row_text`] returns it.
pub type Deletion = Range<u32>;

/// Returns a row without some ranges of its text, each replaced by `mask`. The ranges ascend and do not overlap.
///
/// # Errors
/// The row is not what it was when its text was read, or its text is not made of strings of the row.
pub fn rewrite(
    row: &[u8],
    columns: &Columns,
    encoding: &'static Encoding,
    deletions: &[Deletion],
    mask: &str,
) -> Result<Vec<u8>, String> {
    let line = match decode(row, encoding) {
        Ok(line) => line,
        Err(_) => encoding.decode_without_bom_handling(row).0,
    };
    let strings = Scanner::read(&line, columns.text_names())?;
    let mut written = String::with_capacity(line.len());
    let mut joined = String::new();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut remaining = deletions.iter().peekable();
    let mut offset = 0;
    for (number, strings) in strings.iter().enumerate() {
        let separator = if number > 0 { "\n" } else { "" };
        joined.push_str(separator);
        offset += separator.len() as u32;
        for (place, string) in strings.iter().enumerate() {
            if place > 0 {
                joined.push('\n');
                offset += 1;
            }
            let mut deleted: Option<(Range<usize>, &str)> = None;
            for (bytes, character) in characters(&line, string.clone()) {
                joined.push(character);
                while remaining.peek().is_some_and(|deletion| deletion.end <= offset) {
                    remaining.next();
                    edits.extend(deleted.take());
                }
                if let Some(deletion) = remaining.peek().filter(|deletion| deletion.contains(&offset)) {
                    match &mut deleted {
                        Some((range, _)) => range.end = bytes.end,
                        // A range over several strings is masked in the first one.
                        None => deleted = Some((bytes, if deletion.start == offset { mask } else { "" })),
                    }
                }
                offset += 1;
            }
            edits.extend(deleted.take());
        }
    }
    if row_text(row, columns, encoding)? != joined {
        return Err("its text cannot be located in the row".to_owned());
    }
    // Columns may be joined in another order than the row has them.
    edits.sort_by_key(|(range, _)| range.start);
    let mut start = 0;
    for (range, mask) in edits {
        written.push_str(&line[start..range.start]);
        written.push_str(&escaped(mask));
        start = range.end;
    }
    written.push_str(&line[start..]);
    Ok(if encoding == encoding_rs::UTF_8 { written.into_bytes() } else { encoding.encode(&written).0.into_owned() })
}

/// A text as the content of a JSON string.
fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().all(|sign| sign >= ' ' && sign != '"' && sign != '\\') {
        return Cow::Borrowed(text);
    }
    let quoted = serde_json::to_string(text).expect("a string can be written");
    Cow::Owned(quoted[1..quoted.len() - 1].to_owned())
}

/// The characters of a string literal without its quotes, each with its bytes.
fn characters(line: &str, literal: Range<usize>) -> impl Iterator<Item = (Range<usize>, char)> + '_ {
    let mut at = literal.start;
    std::iter::from_fn(move || {
        let first = line[at..literal.end].chars().next()?;
        let start = at;
        at += first.len_utf8();
        if first != '\\' {
            return Some((start..at, first));
        }
        let kind = line[at..literal.end].chars().next()?;
        at += kind.len_utf8();
        let character = match kind {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = |at: usize| u32::from_str_radix(line.get(at..at + 4)?, 16).ok();
                let high = unit(at).unwrap_or(0xFFFD);
                at = (at + 4).min(literal.end);
                let low = (line.get(at..at + 2) == Some("\\u")).then(|| unit(at + 2)).flatten();
                match low {
                    Some(low @ 0xDC00..0xE000) if (0xD800..0xDC00).contains(&high) => {
                        at += 6;
                        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)).unwrap_or('\u{fffd}')
                    }
                    _ => char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER),
                }
            }
            other => other,
        };
        Some((start..at, character))
    })
}

/// The rest of a path below some key: the number of the column, and the names.
type Below<'c> = (usize, &'c [String]);

/// Finds the string literals of columns in a line. It accepts what the parser repairs, such as `NaN`.
struct Scanner<'l> {
    line: &'l str,
    at: usize,
    /// For each column the literals of its strings, without their quotes.
    strings: Vec<Vec<Range<usize>>>,
}

impl<'l> Scanner<'l> {
    fn read(line: &'l str, names: &[String]) -> Result<Vec<Vec<Range<usize>>>, String> {
        let paths: Vec<Vec<String>> = names
            .iter()
            .map(|name| name.split('.').map(|part| part.strip_suffix("[]").unwrap_or(part).to_owned()).collect())
            .collect();
        let start = line.find('{').ok_or("not a JSON object")?;
        let mut scanner = Self { line, at: start + 1, strings: vec![Vec::new(); names.len()] };
        let mut whole: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
        while let Some(key) = scanner.key()? {
            let column = names.iter().position(|name| *name == key);
            let is_path = |path: &&Vec<String>| path.len() > 1 || column.is_none();
            let numbered = paths.iter().enumerate().filter(|(_, path)| is_path(path) && path[0] == key);
            let below: Vec<Below<'_>> = numbered.map(|(number, path)| (number, &path[1..])).collect();
            below.iter().for_each(|&(number, _)| scanner.strings[number].clear());
            let strings = scanner.value(&below, false)?;
            if let Some(column) = column {
                whole.retain(|(number, _)| *number != column);
                whole.push((column, strings));
            }
        }
        for (column, strings) in whole {
            scanner.strings[column] = strings;
        }
        Ok(scanner.strings)
    }

    fn skip_space(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}', '\u{1e}']).len();
    }

    fn peek(&mut self) -> Result<u8, String> {
        self.skip_space();
        self.line.as_bytes().get(self.at).copied().ok_or_else(|| "the row ends early".to_owned())
    }

    /// Reads a string literal and returns its range without the quotes.
    fn literal(&mut self) -> Result<Range<usize>, String> {
        let start = self.at + 1;
        let bytes = self.line.as_bytes();
        let mut at = start;
        while bytes.get(at).is_some_and(|&byte| byte != b'"') {
            at += 1 + usize::from(bytes[at] == b'\\');
        }
        self.at = at + 1;
        if at < bytes.len() { Ok(start..at) } else { Err("a string does not end".to_owned()) }
    }

    /// Reads a key and its colon; None at the end of the object.
    fn key(&mut self) -> Result<Option<String>, String> {
        while self.peek()? == b',' {
            self.at += 1;
        }
        if self.peek()? != b'"' {
            self.at += 1;
            return Ok(None);
        }
        let literal = self.literal()?;
        let key = characters(self.line, literal).map(|(_, character)| character).collect();
        if self.peek()? == b':' {
            self.at += 1;
        }
        Ok(Some(key))
    }

    /// Reads a value, stores the strings below it, and returns its own strings.
    fn value(&mut self, below: &[Below<'_>], in_list: bool) -> Result<Vec<Range<usize>>, String> {
        let mut literals = Vec::new();
        match self.peek()? {
            b'"' => literals.push(self.literal()?),
            b'{' => {
                self.at += 1;
                while let Some(key) = self.key()? {
                    let named = below.iter().filter(|(_, rest)| rest.first() == Some(&key));
                    let inner: Vec<Below<'_>> = named.map(|&(column, rest)| (column, &rest[1..])).collect();
                    if !in_list {
                        inner.iter().for_each(|&(column, _)| self.strings[column].clear());
                    }
                    self.value(&inner, in_list)?;
                }
                return Ok(literals);
            }
            b'[' => {
                self.at += 1;
                let deeper: Vec<Below<'_>> = below.iter().filter(|(_, rest)| !rest.is_empty()).copied().collect();
                loop {
                    match self.peek()? {
                        b']' => break,
                        b',' => self.at += 1,
                        _ => literals.extend(self.value(&deeper, true)?),
                    }
                }
                self.at += 1;
            }
            _ => {
                let rest = &self.line[self.at..];
                self.at += rest.find([',', '}', ']']).unwrap_or(rest.len());
            }
        }
        for &(column, rest) in below {
            if rest.is_empty() {
                self.strings[column].extend(literals.iter().cloned());
            }
        }
        Ok(literals)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn columns(names: &[&str]) -> Columns {
        Columns::new(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), None, None)
    }

    fn rewritten(row: &str, names: &[&str], deletions: &[Deletion]) -> String {
        let bytes = rewrite(row.as_bytes(), &columns(names), encoding_rs::UTF_8, deletions, "").unwrap();
        String::from_utf8(bytes).unwrap()
    }

    proptest! {
        #[test]
        fn the_text_loses_the_ranges_and_nothing_else(
            text in "[a甲\"\\\\\n\u{1F600}\u{7}]{0,20}", other in "\\PC{0,8}", cut in (0u32..20, 0u32..8),
        ) {
            let row = serde_json::json!({"n": 1.50, "a": {"b": text, "c": other}, "z": [other]}).to_string();
            let length = text.chars().count() as u32;
            let range = cut.0.min(length)..(cut.0 + cut.1).min(length);
            let result = rewritten(&row, &["a.b"], std::slice::from_ref(&range));
            let expected: String =
                text.chars().enumerate().filter(|&(place, _)| !range.contains(&(place as u32))).map(|(_, sign)| sign).collect();
            prop_assert_eq!(row_text(result.as_bytes(), &columns(&["a.b"]), encoding_rs::UTF_8).unwrap(), expected);
            let strip = |row: &str| {
                let mut value: serde_json::Value = serde_json::from_str(row).unwrap();
                value["a"]["b"] = serde_json::Value::Null;
                value
            };
            prop_assert_eq!(strip(&result), strip(&row));
        }
    }

    #[test]
    fn bytes_and_escapes_of_the_rest_stay() {
        let row = r#"{ "x": 1.0e2,"text" : "\u4e00\ud83d\ude00\/ab\n\"c", "y":[ NaN ]}"#;
        assert_eq!(rewritten(row, &["text"], &[1..2, 3..5]), r#"{ "x": 1.0e2,"text" : "\u4e00\/\n\"c", "y":[ NaN ]}"#);
    }

    #[test]
    fn columns_and_lists_are_joined_as_they_are_read() {
        let row = r#"{"body": "abc", "title": "de", "turns": [{"v": "fg"}, {"v": "hi"}]}"#;
        assert_eq!(
            rewritten(row, &["title", "body"], &[1..2, 2..4]),
            r#"{"body": "bc", "title": "d", "turns": [{"v": "fg"}, {"v": "hi"}]}"#
        );
        assert_eq!(
            rewritten(row, &["turns.v"], &[1..2, 2..4]),
            r#"{"body": "abc", "title": "de", "turns": [{"v": "f"}, {"v": "i"}]}"#
        );
        let bytes = rewrite(row.as_bytes(), &columns(&["title"]), encoding_rs::UTF_8, &[0..1, 2..2], "[\"]").unwrap();
        assert!(String::from_utf8(bytes).unwrap().contains(r#""title": "[\"]e""#));
    }
}
