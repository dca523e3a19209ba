//! One row: the wanted columns of a JSON object, and its text.

use std::borrow::Cow;

use encoding_rs::Encoding;
use serde::de::Deserializer;

use super::dates::DateNames;
use super::value::{RowVisitor, Value};

/// Which columns of a row are wanted.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Every wanted name once: the text columns first, in the order they are joined.
    names: Vec<String>,
    texts: usize,
    id: Option<usize>,
    order: Option<usize>,
    dates: DateNames,
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
        Self { names, texts: texts.len(), id, order, dates: DateNames::default() }
    }

    /// Also reads the date of each row, from the first of these columns that has one.
    ///
    /// Names are in lower case, without spaces, `-` and `_`, which do not count in the names of columns. A column that
    /// is wanted by its own name is not a column of dates.
    pub fn with_dates(mut self, names: Vec<String>) -> Self {
        self.dates = DateNames::new(names);
        self
    }
}

/// The text of one row, as [`super::scan()`] would read it.
///
/// # Errors
/// The reason, when the row cannot be read.
pub fn row_text(row: &[u8], columns: &Columns, encoding: &'static Encoding) -> Result<String, String> {
    let decoded = decode(row, encoding)?;
    let row = Row::parse(&decoded, columns).map_err(|refusal| refusal.reason)?;
    Ok(row.text.into_owned())
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

/// Why a line is no row.
pub(super) struct Refusal {
    pub reason: String,
    pub lacks_text: bool,
}

/// The wanted values of one row.
pub(super) struct Row<'a> {
    pub text: Cow<'a, str>,
    pub id: Option<Cow<'a, str>>,
    /// The value that ranks the row; its date where columns of dates are read.
    pub order: Option<f64>,
    /// The column of that date.
    pub date_column: Option<String>,
}

impl<'a> Row<'a> {
    pub fn parse(line: &'a str, columns: &Columns) -> Result<Self, Refusal> {
        let refuse = |reason| Refusal { reason, lacks_text: false };
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let (mut values, dates) = deserializer
            .deserialize_map(RowVisitor { names: &columns.names, id: columns.id, dates: &columns.dates })
            .and_then(|values| deserializer.end().map(|()| values))
            .map_err(|error| {
                refuse(format!("not a JSON object: {}", error.to_string().replace(" at line 1 column", ", column")))
            })?;
        let id = columns.id.and_then(|column| values[column].as_scalar());
        let (order, date_column) = match columns.order {
            Some(column) => (values[column].as_order(), None),
            None => dates.first().unzip(),
        };
        let text = join_texts(&mut values[..columns.texts], &columns.names)?;
        Ok(Self { text, id, order, date_column })
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
