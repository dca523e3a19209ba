//! Reads the rows of a block in parallel and reports rejected lines.

use std::collections::BTreeMap;
use std::ops::Range;

use encoding_rs::Encoding;
use rayon::prelude::*;

use super::lines::lines;
use super::row::{Columns, Refusal, Row, read};

/// A byte order mark in UTF-8, as it occurs between concatenated files.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Lines per parallel task.
const LINES_A_TASK: usize = 64;

/// Concatenated strings; string i is `bytes[bounds[i]..bounds[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// UTF-8.
    pub bytes: Vec<u8>,
    /// One more element than there are strings.
    pub bounds: Vec<i64>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { bytes: Vec::new(), bounds: vec![0] }
    }
}

impl Strings {
    fn push(&mut self, string: &str) {
        self.bytes.extend_from_slice(string.as_bytes());
        self.bounds.push(self.bytes.len() as i64);
    }

    fn append(&mut self, other: &Self) {
        let shift = self.bytes.len() as i64;
        self.bytes.extend_from_slice(&other.bytes);
        self.bounds.extend(other.bounds[1..].iter().map(|bound| bound + shift));
    }
}

/// A line that is not a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Index of the line in the block.
    pub line: usize,
    /// Its byte range in the block, without the newline.
    pub bytes: Range<usize>,
    /// The reason in one sentence.
    pub reason: String,
    /// True if the row is valid but has none of the text columns.
    pub lacks_text: bool,
}

/// The rows of a block.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Texts.
    pub texts: Strings,
    /// Identifiers; empty where `has_id` is false.
    pub ids: Strings,
    /// Which rows have an identifier.
    pub has_id: Vec<bool>,
    /// Rank values, NaN if missing; see [`crate::rows::order::value`]. If date columns are read, the dates; see
    /// [`crate::rows::time::seconds`].
    pub orders: Vec<f64>,
    /// Number of rows with their date in each column.
    pub date_columns: BTreeMap<String, usize>,
    /// Number of texts in which halves of surrogate pairs were replaced by U+FFFD.
    pub mended: usize,
    /// Line index of each row in the block.
    pub lines: Vec<usize>,
    /// Byte offset of each row in the block.
    pub offsets: Vec<usize>,
    /// Length of each row in bytes, without the newline.
    pub lengths: Vec<usize>,
    /// Lines that are not rows.
    pub rejected: Vec<Rejected>,
}

impl Scan {
    fn push(&mut self, row: Row<'_>) {
        self.texts.push(&row.text);
        self.has_id.push(row.id.is_some());
        self.ids.push(row.id.as_deref().unwrap_or_default());
        self.orders.push(row.order.unwrap_or(f64::NAN));
        self.mended += usize::from(row.is_mended);
        if let Some(column) = row.date_column {
            *self.date_columns.entry(column).or_default() += 1;
        }
    }

    fn append(&mut self, other: Self) {
        self.texts.append(&other.texts);
        self.ids.append(&other.ids);
        self.has_id.extend(other.has_id);
        self.orders.extend(other.orders);
        for (column, rows) in other.date_columns {
            *self.date_columns.entry(column).or_default() += rows;
        }
        self.mended += other.mended;
        self.lines.extend(other.lines);
        self.offsets.extend(other.offsets);
        self.lengths.extend(other.lengths);
        self.rejected.extend(other.rejected);
    }
}

/// Reads every row of `block`, which has whole lines in `encoding`. Blank lines are neither rows nor rejected.
pub fn scan(block: &[u8], columns: &Columns, encoding: &'static Encoding) -> Scan {
    let lines: Vec<Range<usize>> = lines(block).collect();
    let parts: Vec<Scan> = lines
        .par_chunks(LINES_A_TASK)
        .enumerate()
        .map(|(task, part)| {
            let mut scan = Scan::default();
            for (line, bytes) in part.iter().enumerate() {
                scan_line(block, task * LINES_A_TASK + line, bytes.clone(), columns, encoding, &mut scan);
            }
            scan
        })
        .collect();
    let mut whole = Scan::default();
    whole.texts.bytes.reserve_exact(parts.iter().map(|part| part.texts.bytes.len()).sum());
    parts.into_iter().for_each(|part| whole.append(part));
    whole
}

fn scan_line(
    block: &[u8],
    line: usize,
    bytes: Range<usize>,
    columns: &Columns,
    encoding: &'static Encoding,
    scan: &mut Scan,
) {
    let raw = &block[bytes.clone()];
    if raw.trim_ascii().is_empty() || raw.trim_ascii() == MARK {
        return;
    }
    match read(raw, columns, encoding) {
        Ok(row) => {
            scan.push(row);
            scan.lines.push(line);
            scan.offsets.push(bytes.start);
            scan.lengths.push(bytes.len());
        }
        Err(Refusal { reason, lacks_text, .. }) => scan.rejected.push(Rejected { line, bytes, reason, lacks_text }),
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, UTF_8};

    use super::*;
    use crate::rows::jsonl::row_text;

    fn columns() -> Columns {
        Columns::new(&["title".into(), "text".into()], Some("id"), Some("date"))
    }

    fn strings(strings: &Strings) -> Vec<&str> {
        strings
            .bounds
            .windows(2)
            .map(|b| std::str::from_utf8(&strings.bytes[b[0] as usize..b[1] as usize]).unwrap())
            .collect()
    }

    #[test]
    fn rows_and_reasons() {
        let block = concat!(
            r#"{"id": 7, "title": "甲", "text": "乙\n丙", "date": "1970-01-02", "more": [1, {"x": "}"}]}"#,
            "\n",
            "\n",
            r#"{"text": "只有正文"}"#,
            "\r\n",
            r#"{"text": 5}"#,
            "\n",
            r#"{"content": "x"}"#,
            "\n",
            r#"{"text": "broken"#,
            "\n",
            r#"["text"]"#,
            "\n",
            r#"{"text": null, "title": null}"#,
        );
        let scan = scan(block.as_bytes(), &columns(), UTF_8);
        assert_eq!(strings(&scan.texts), ["甲\n乙\n丙", "\n只有正文"]);
        assert_eq!(strings(&scan.ids), ["7", ""]);
        assert_eq!(scan.has_id, [true, false]);
        assert_eq!(scan.orders[0], 86400.0);
        assert!(scan.orders[1].is_nan());
        assert_eq!(scan.lines, [0, 2]);
        let reasons: Vec<(usize, &str, bool)> =
            scan.rejected.iter().map(|r| (r.line, r.reason.as_str(), r.lacks_text)).collect();
        assert_eq!(
            reasons,
            [
                (3, "column 'text' is a number, not text", false),
                (4, "column 'title' is missing", true),
                (5, "not a JSON object: EOF while parsing a string, column 16", false),
                (6, "not a JSON object: invalid type: sequence, expected an object, column 0", false),
                (7, "column 'title' is null", false),
            ]
        );
        for (&offset, &length) in scan.offsets.iter().zip(&scan.lengths) {
            assert!(row_text(&block.as_bytes()[offset..offset + length], &columns(), UTF_8).is_ok());
        }
    }

    #[test]
    fn identifiers_keep_their_spelling() {
        let spellings = [
            "18446744073709551615",
            "9223372036854775808",
            "-0",
            "1.0",
            "1e3",
            "1E+3",
            "0.10",
            "1e999",
            "123456789012345678901234567890",
            "true",
            "false",
        ];
        let block: String = spellings.iter().map(|id| format!("{{\"text\": \"x\", \"id\":  {id} }}\n")).collect();
        let result = scan(block.as_bytes(), &columns(), UTF_8);
        assert_eq!(strings(&result.ids), spellings);
        assert!(result.has_id.iter().all(|&has| has));
        let others = r#"{"text": "x", "id": "\u4e2d\"1.0"}
{"text": "x", "id": null}
{"text": "x", "id": [1]}
{"text": "x", "id": 1, "id": 2.50}"#;
        let result = scan(others.as_bytes(), &columns(), UTF_8);
        assert_eq!(strings(&result.ids), ["中\"1.0", "", "", "2.50"]);
        assert_eq!(result.has_id, [true, false, false, true]);
        let same = Columns::new(&["text".into()], Some("date"), Some("date"));
        let result = scan(br#"{"text": "x", "date": 1.50}"#, &same, UTF_8);
        assert_eq!((strings(&result.ids), result.orders[0]), (vec!["1.50"], 1.5));
    }

    #[test]
    fn faults_of_columns_that_nobody_wants_do_not_matter() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        let block = [
            r#"{"text": "a", "score": NaN, "more": [Infinity, -Infinity, 1e999]}"#.as_bytes(),
            "\u{feff}{\"text\": \"b\"}".as_bytes(),
            "\u{feff}".as_bytes(),
            r#"{"text": "c", "half": "\ud83d"}"#.as_bytes(),
            b"{\"text\": \"d\", \"bytes\": \"\xff\"}",
            format!(r#"{{"text": "e", "deep": {deep}}}"#).as_bytes(),
            r#"{"text": "f\udc00g"}"#.as_bytes(),
            r#"{"text": NaN}"#.as_bytes(),
            b"{\"text\": \"\xff\"}",
        ]
        .join(&b'\n');
        let columns = Columns::new(&["text".into()], None, None);
        let scan = scan(&block, &columns, UTF_8);
        assert_eq!(strings(&scan.texts), ["a", "b", "c", "d", "e", "f\u{fffd}g"]);
        assert_eq!((scan.mended, &scan.lines), (1, &vec![0, 1, 3, 4, 5, 6]));
        let reasons: Vec<&str> = scan.rejected.iter().map(|row| row.reason.as_str()).collect();
        assert_eq!(reasons, ["column 'text' is null", "not valid UTF-8 at byte 11 of the line"]);
    }

    #[test]
    fn fields_of_objects_and_lists_are_reached_by_their_path() {
        let block = concat!(
            r#"{"p": [{"t": "a", "n": 1}, {"n": 2}, {"t": null}, {"t": "b"}], "meta": {"id": 5}, "tags": ["x", "y"]}"#,
            "\n",
            r#"{"p": {"t": "c"}, "meta": {"id": "z"}, "p.t": "whole"}"#,
            "\n",
            r#"{"p": [{"t": 1}]}"#,
            "\n",
            r#"{"p": []}"#,
            "\n",
            r#"{"p": "text"}"#,
        );
        let read = |text: &str| {
            let columns = Columns::new(&[text.into()], Some("meta.id"), None);
            let scan = scan(block.as_bytes(), &columns, UTF_8);
            let texts: Vec<String> = strings(&scan.texts).into_iter().map(str::to_owned).collect();
            (texts, scan.rejected.into_iter().map(|row| row.reason).collect::<Vec<_>>(), scan.has_id)
        };
        let (texts, reasons, has_id) = read("p.t");
        assert_eq!(texts, ["a\nb", "whole", ""]);
        assert_eq!(reasons, ["column 'p.t' is a number, not text", "column 'p.t' is missing"]);
        assert_eq!(has_id, [true, true, false]);
        assert_eq!(read("p[].t").0, ["a\nb", "c", ""]);
        assert_eq!(read("tags").0, ["x\ny"]);
        assert_eq!(read("tags[]").0, ["x\ny"]);
        assert_eq!(read("p").1[0], "column 'p' is a list, not text");
    }

    #[test]
    fn dates_are_read_from_the_first_column_that_has_one() {
        let block = concat!(
            r#"{"text": "a", "Date": "1970-01-03", "published_at": "1970-01-02"}"#,
            "\n",
            r#"{"text": "b", "date": 1700000000, "Published-At": "soon"}"#,
            "\n",
            r#"{"text": "c", "date": [1970, 1, 1]}"#,
            "\n",
            r#"{"date": "1970-01-01"}"#,
        );
        let names = vec!["publishedat".into(), "date".into()];
        let columns = Columns::new(&["text".into()], Some("id"), None).with_dates(names.clone());
        let scan_of = |columns: &Columns| scan(block.as_bytes(), columns, UTF_8);
        let result = scan_of(&columns);
        assert_eq!(result.orders[..2], [86_400.0, 1_700_000_000.0]);
        assert!(result.orders[2].is_nan());
        assert_eq!(result.date_columns, BTreeMap::from([("published_at".to_owned(), 1), ("date".to_owned(), 1)]));
        let ranked = scan_of(&Columns::new(&["text".into()], None, Some("date")).with_dates(names));
        assert_eq!(ranked.orders[0].to_bits(), f64::NAN.to_bits());
        assert!(ranked.date_columns.is_empty());
        assert!(scan_of(&Columns::new(&["text".into(), "date".into()], None, None)).date_columns.is_empty());
    }

    #[test]
    fn broken_utf8_is_rejected_where_it_breaks_and_gbk_is_decoded() {
        let columns = Columns::new(&["text".into()], None, None);
        let broken = scan(b"{\"text\": \"\xff\"}\n{\"text\": \"ok\"}\n", &columns, UTF_8);
        assert_eq!(broken.rejected[0].reason, "not valid UTF-8 at byte 11 of the line");
        assert_eq!(strings(&broken.texts), ["ok"]);
        let gbk = scan(&GBK.encode("{\"text\": \"中文\"}\n").0, &columns, GBK);
        assert_eq!(strings(&gbk.texts), ["中文"]);
    }
}
