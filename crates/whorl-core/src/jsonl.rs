//! Rows of JSON Lines, read without copying what is not asked for, so that every row keeps its bytes.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::Encoding;
use memchr::memchr_iter;
use rayon::prelude::*;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::order;

/// Lines that one worker parses at a time.
const LINES_A_TASK: usize = 64;

/// Which columns of a row are wanted.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Every wanted name once: the text columns first, in the order they are joined.
    names: Vec<String>,
    texts: usize,
    id: Option<usize>,
    order: Option<usize>,
}

impl Columns {
    /// Text columns in the order they are joined by a newline, and the columns of the identifier and of the rank.
    pub fn new(texts: &[String], id: Option<&str>, order: Option<&str>) -> Self {
        let mut names = texts.to_vec();
        let mut place = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let (id, order) = (id.map(&mut place), order.map(&mut place));
        Self { names, texts: texts.len(), id, order }
    }
}

/// Strings one after the other; string i is `bytes[bounds[i]..bounds[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// UTF-8.
    pub bytes: Vec<u8>,
    /// One more than there are strings.
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

/// A line that is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Position of the line in the block.
    pub line: usize,
    /// Its bytes in the block, without the newline.
    pub bytes: std::ops::Range<usize>,
    /// Why, in one sentence.
    pub reason: String,
    /// True when the row is sound but has none of the text columns.
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
    /// Rank values, NaN where there is none; see [`order::value`].
    pub orders: Vec<f64>,
    /// Position of each row's line in the block.
    pub lines: Vec<usize>,
    /// Byte offset of each row in the block.
    pub offsets: Vec<usize>,
    /// Bytes of each row, without the newline.
    pub lengths: Vec<usize>,
    /// Lines that are no rows.
    pub rejected: Vec<Rejected>,
}

impl Scan {
    fn append(&mut self, other: Self) {
        self.texts.append(&other.texts);
        self.ids.append(&other.ids);
        self.has_id.extend(other.has_id);
        self.orders.extend(other.orders);
        self.lines.extend(other.lines);
        self.offsets.extend(other.offsets);
        self.lengths.extend(other.lengths);
        self.rejected.extend(other.rejected);
    }
}

/// Reads every row of `block`, whole lines in `encoding`. Blank lines are neither rows nor rejected.
pub fn scan(block: &[u8], columns: &Columns, encoding: &'static Encoding) -> Scan {
    let lines: Vec<std::ops::Range<usize>> = lines(block).collect();
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
    parts.into_iter().for_each(|part| whole.append(part));
    whole
}

fn scan_line(
    block: &[u8],
    line: usize,
    bytes: std::ops::Range<usize>,
    columns: &Columns,
    encoding: &'static Encoding,
    scan: &mut Scan,
) {
    let raw = &block[bytes.clone()];
    if raw.trim_ascii().is_empty() {
        return;
    }
    let row = match decode(raw, encoding) {
        Ok(text) => Row::parse(&text, columns).map(|row| row.store(scan)),
        Err(reason) => Err(Refusal { reason, lacks_text: false }),
    };
    match row {
        Ok(()) => {
            scan.lines.push(line);
            scan.offsets.push(bytes.start);
            scan.lengths.push(bytes.len());
        }
        Err(Refusal { reason, lacks_text }) => scan.rejected.push(Rejected { line, bytes, reason, lacks_text }),
    }
}

/// The text of one row, as [`scan`] would read it.
///
/// # Errors
/// The reason, when the row cannot be read.
pub fn row_text(row: &[u8], columns: &Columns, encoding: &'static Encoding) -> Result<String, String> {
    let decoded = decode(row, encoding)?;
    let row = Row::parse(&decoded, columns).map_err(|refusal| refusal.reason)?;
    Ok(row.text.into_owned())
}

/// The column names of one row; empty when it is no JSON object.
pub fn column_names(row: &[u8]) -> Vec<String> {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(row)
        .map_or_else(|_| Vec::new(), |object| object.into_iter().map(|(name, _)| name).collect())
}

/// The lines of `block` for which `keep` is true, with their newlines. Lines beyond `keep` are dropped.
pub fn select_lines(block: &[u8], keep: &[bool]) -> Vec<u8> {
    let mut selected = Vec::with_capacity(block.len());
    let mut run: std::ops::Range<usize> = 0..0;
    for (line, &keep) in lines(block).zip(keep) {
        if !keep {
            continue;
        }
        let end = (line.end + 1).min(block.len());
        if run.end != line.start {
            selected.extend_from_slice(&block[run]);
            run = line.start..end;
        }
        run.end = end;
    }
    selected.extend_from_slice(&block[run]);
    selected
}

/// How many lines `block` has; the last may lack its newline.
pub fn count_lines(block: &[u8]) -> usize {
    lines(block).count()
}

fn lines(block: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    let unfinished = block.last().is_some_and(|&byte| byte != b'\n').then_some(block.len());
    memchr_iter(b'\n', block).chain(unfinished).map(move |end| std::mem::replace(&mut start, end + 1)..end)
}

fn decode<'a>(raw: &'a [u8], encoding: &'static Encoding) -> Result<Cow<'a, str>, String> {
    if encoding == encoding_rs::UTF_8 {
        return match simdutf8::compat::from_utf8(raw) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => Err(format!("not valid UTF-8 at byte {} of the line", error.valid_up_to() + 1)),
        };
    }
    encoding
        .decode_without_bom_handling_and_without_replacement(raw)
        .ok_or_else(|| format!("not valid {}", encoding.name()))
}

struct Refusal {
    reason: String,
    lacks_text: bool,
}

/// The wanted values of one row.
struct Row<'a> {
    text: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    order: Option<f64>,
}

impl<'a> Row<'a> {
    fn parse(line: &'a str, columns: &Columns) -> Result<Self, Refusal> {
        let refuse = |reason| Refusal { reason, lacks_text: false };
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let mut values = deserializer
            .deserialize_map(RowVisitor(columns))
            .and_then(|values| deserializer.end().map(|()| values))
            .map_err(|error| {
                refuse(format!("not a JSON object: {}", error.to_string().replace(" at line 1 column", ", column")))
            })?;
        let id = columns.id.and_then(|column| values[column].as_scalar());
        let order = columns.order.and_then(|column| values[column].as_order());
        let text = join_texts(&mut values[..columns.texts], &columns.names)?;
        Ok(Self { text, id, order })
    }

    fn store(self, scan: &mut Scan) {
        scan.texts.push(&self.text);
        scan.has_id.push(self.id.is_some());
        scan.ids.push(self.id.as_deref().unwrap_or_default());
        scan.orders.push(self.order.unwrap_or(f64::NAN));
    }
}

fn join_texts<'a>(values: &mut [Value<'a>], names: &[String]) -> Result<Cow<'a, str>, Refusal> {
    if let Some((value, name)) = values.iter().zip(names).find(|(value, _)| !value.is_text_or_nothing()) {
        let reason = format!("column '{name}' is {}, not text", value.kind());
        return Err(Refusal { reason, lacks_text: false });
    }
    if values.iter().all(|value| !matches!(value, Value::Text(_))) {
        let reason = format!("column '{}' is {}", names[0], values[0].kind());
        return Err(Refusal { reason, lacks_text: matches!(values[0], Value::Missing) });
    }
    if let [value] = values {
        return Ok(value.take_text());
    }
    let parts: Vec<Cow<'a, str>> = values.iter_mut().map(Value::take_text).collect();
    Ok(Cow::Owned(parts.join("\n")))
}

/// A JSON value, as far as anybody asks.
#[derive(Clone, Debug, Default)]
enum Value<'a> {
    #[default]
    Missing,
    Null,
    Boolean,
    Integer(i64),
    Number(f64),
    Text(Cow<'a, str>),
    List,
    Object,
}

impl<'a> Value<'a> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Integer(_) | Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }

    fn is_text_or_nothing(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Missing | Self::Null)
    }

    fn take_text(&mut self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => std::mem::take(text),
            _ => Cow::Borrowed(""),
        }
    }

    fn as_scalar(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Integer(number) => Some(Cow::Owned(number.to_string())),
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }

    fn as_order(&self) -> Option<f64> {
        match self {
            Self::Text(text) => order::value(text),
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

struct RowVisitor<'c>(&'c Columns);

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = Vec<Value<'de>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![Value::Missing; self.0.names.len()];
        while let Some(column) = map.next_key_seed(ColumnSeed(self.0))? {
            match column {
                Some(column) => values[column] = map.next_value_seed(ValueSeed)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Reads a key as the wanted column it names.
struct ColumnSeed<'c>(&'c Columns);

impl<'de> DeserializeSeed<'de> for ColumnSeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for ColumnSeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a column name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.names.iter().position(|wanted| wanted == name))
    }
}

struct ValueSeed;

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Value::Boolean)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(number).map_or(Value::Number(number as f64), Value::Integer))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if number.is_finite() { Ok(Value::Number(number)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object)
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, UTF_8};
    use proptest::prelude::*;

    use super::*;

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
    fn broken_utf8_is_rejected_where_it_breaks_and_gbk_is_decoded() {
        let columns = Columns::new(&["text".into()], None, None);
        let broken = scan(b"{\"text\": \"\xff\"}\n{\"text\": \"ok\"}\n", &columns, UTF_8);
        assert_eq!(broken.rejected[0].reason, "not valid UTF-8 at byte 11 of the line");
        assert_eq!(strings(&broken.texts), ["ok"]);
        let gbk = scan(&GBK.encode("{\"text\": \"中文\"}\n").0, &columns, GBK);
        assert_eq!(strings(&gbk.texts), ["中文"]);
    }

    proptest! {
        #[test]
        fn selected_lines_are_the_lines(lines in prop::collection::vec(("[ab\r]{0,3}", any::<bool>()), 0..20), finished: bool) {
            let mut block: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
            if !finished {
                block.pop();
            }
            let keep: Vec<bool> = lines.iter().map(|&(_, keep)| keep).collect();
            let expected: String = block.split_inclusive('\n').zip(&keep).filter(|(_, keep)| **keep).map(|(line, _)| line).collect();
            prop_assert_eq!(select_lines(block.as_bytes(), &keep), expected.into_bytes());
            prop_assert_eq!(count_lines(block.as_bytes()), block.split_inclusive('\n').count());
        }
    }
}
