//! One row: the requested columns of a JSON object, and its text.

use std::borrow::Cow;

use encoding_rs::Encoding;
use serde::de::Deserializer;

use super::dates::DateNames;
use super::mending::mended;
use super::value::{Path, RowVisitor, Value};

/// The columns to read from each row.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Every requested name once; the text columns come first, in the order they are joined.
    names: Vec<String>,
    /// The names that may be paths into another column.
    paths: Vec<Path>,
    texts: usize,
    id: Option<usize>,
    order: Option<usize>,
    dates: DateNames,
}

impl Columns {
    /// Selects the text columns, in the order they are joined by a newline, and the columns of the identifier and of
    /// the rank.
    ///
    /// `a.b` is the field `b` of the object `a`, or of each object in the list `a` (also written `a[].b`), unless a
    /// column has the whole name. The strings of a list are joined by a newline.
    pub fn new(texts: &[String], id: Option<&str>, order: Option<&str>) -> Self {
        let mut names = texts.to_vec();
        let mut place = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let (id, order) = (id.map(&mut place), order.map(&mut place));
        let paths = names.iter().enumerate().filter_map(|(column, name)| Path::of(column, name)).collect();
        Self { names, paths, texts: texts.len(), id, order, dates: DateNames::default() }
    }

    /// The text columns, in the order they are joined.
    pub(super) fn text_names(&self) -> &[String] {
        &self.names[..self.texts]
    }

    /// Also reads the date of each row from the first of these columns that contains one.
    ///
    /// Names are in lower case without spaces, `-` and `_`, which are ignored in column names. A column requested under
    /// its exact name is not a date column.
    pub fn with_dates(mut self, names: Vec<String>) -> Self {
        self.dates = DateNames::new(names);
        self
    }
}

/// Reads the text of one row as [`super::scan()`] would.
///
/// # Errors
/// The reason why the row cannot be read.
pub fn row_text(row: &[u8], columns: &Columns, encoding: &'static Encoding) -> Result<String, String> {
    Ok(read(row, columns, encoding).map_err(|refusal| refusal.reason)?.text.into_owned())
}

/// Reads one line. Errors outside the requested columns are ignored.
///
/// The fast path parses strictly. Only a rejected line is repaired and parsed again, so sound lines do not pay for
/// repairs.
pub(super) fn read<'a>(raw: &'a [u8], columns: &Columns, encoding: &'static Encoding) -> Result<Row<'a>, Refusal> {
    let (line, fault) = match decode(raw, encoding) {
        Ok(line) => (line, None),
        Err(reason) => (encoding.decode_without_bom_handling(raw).0, Some(reason)),
    };
    let parsed = match &line {
        Cow::Borrowed(line) => Row::parse(line, columns),
        Cow::Owned(line) => Row::parse(line, columns).map(Row::into_owned),
    };
    let row = match parsed {
        Err(refusal) if !refusal.is_sound => match mended(&line) {
            None => Err(refusal),
            Some(line) => match Row::parse(&line, columns).map(Row::into_owned) {
                Ok(row) => Ok(Row { is_mended: row.text.contains(char::REPLACEMENT_CHARACTER), ..row }),
                // The first error has the position in the original line.
                Err(second) => Err(if second.is_sound { second } else { refusal }),
            },
        },
        parsed => parsed,
    };
    match (fault, row) {
        // Bytes that are invalid in the encoding are ignored in other columns.
        (Some(reason), Ok(row)) if row.has_replacements() => Err(Refusal::of(reason)),
        (Some(reason), Err(_)) => Err(Refusal::of(reason)),
        (_, row) => row,
    }
}

pub(super) fn decode<'a>(raw: &'a [u8], encoding: &'static Encoding) -> Result<Cow<'a, str>, String> {
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

/// Reason for rejecting a line.
pub(super) struct Refusal {
    pub reason: String,
    pub lacks_text: bool,
    /// True if the line is a JSON object.
    pub is_sound: bool,
}

impl Refusal {
    pub fn of(reason: String) -> Self {
        Self { reason, lacks_text: false, is_sound: false }
    }
}

/// The requested values of one row.
pub(super) struct Row<'a> {
    pub text: Cow<'a, str>,
    pub id: Option<Cow<'a, str>>,
    /// The value that ranks the row; its date if date columns are read.
    pub order: Option<f64>,
    /// The column of the date.
    pub date_column: Option<String>,
    /// True if parts of the text could not be read and were replaced by U+FFFD.
    pub is_mended: bool,
}

impl<'a> Row<'a> {
    pub fn parse(line: &'a str, columns: &Columns) -> Result<Self, Refusal> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let (mut values, dates) = deserializer
            .deserialize_map(RowVisitor {
                names: &columns.names,
                id: columns.id,
                paths: &columns.paths,
                dates: &columns.dates,
            })
            .and_then(|values| deserializer.end().map(|()| values))
            .map_err(|error| {
                Refusal::of(format!(
                    "not a JSON object: {}",
                    error.to_string().replace(" at line 1 column", ", column")
                ))
            })?;
        let id = columns.id.and_then(|column| values[column].as_scalar());
        let (order, date_column) = match columns.order {
            Some(column) => (values[column].as_order(), None),
            None => dates.first().unzip(),
        };
        let text = join_texts(&mut values[..columns.texts], &columns.names)?;
        Ok(Self { text, id, order, date_column, is_mended: false })
    }

    fn into_owned(self) -> Row<'static> {
        let text = Cow::Owned(self.text.into_owned());
        let id = self.id.map(|id| Cow::Owned(id.into_owned()));
        Row { text, id, order: self.order, date_column: self.date_column, is_mended: self.is_mended }
    }

    fn has_replacements(&self) -> bool {
        [Some(&self.text), self.id.as_ref()]
            .into_iter()
            .flatten()
            .any(|value| value.contains(char::REPLACEMENT_CHARACTER))
    }
}

fn join_texts<'a>(values: &mut [Value<'a>], names: &[String]) -> Result<Cow<'a, str>, Refusal> {
    if let Some((value, name)) = values.iter().zip(names).find(|(value, _)| !value.is_text_or_nothing()) {
        let reason = format!("column '{name}' is {}, not text", value.kind());
        return Err(Refusal { reason, lacks_text: false, is_sound: true });
    }
    if values.iter().all(|value| !value.is_text()) {
        let reason = format!("column '{}' is {}", names[0], values[0].kind());
        return Err(Refusal { reason, lacks_text: matches!(values[0], Value::Missing), is_sound: true });
    }
    if let [value] = values {
        return Ok(value.take_text());
    }
    let parts: Vec<Cow<'a, str>> = values.iter_mut().map(Value::take_text).collect();
    Ok(Cow::Owned(parts.join("\n")))
}
