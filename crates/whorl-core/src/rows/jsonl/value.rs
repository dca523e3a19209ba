//! The requested values of a JSON object. Other values are skipped without a copy.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::dates::{DateNames, Dates};
use crate::rows::{order, time};

/// A JSON value, in the detail that columns need.
#[derive(Clone, Debug, Default)]
pub(super) enum Value<'a> {
    #[default]
    Missing,
    Null,
    Boolean(bool),
    Integer(i64),
    Number(f64),
    /// A number as spelled in the row; no Rust number preserves every spelling.
    Spelled(&'a str),
    Text(Cow<'a, str>),
    /// The strings of a list, or of one field of the objects in a list.
    Texts(Vec<Cow<'a, str>>),
    List,
    Object,
}

impl<'a> Value<'a> {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) | Self::Number(_) | Self::Spelled(_) => "a number",
            Self::Text(_) => "text",
            Self::Texts(_) | Self::List => "a list",
            Self::Object => "an object",
        }
    }

    pub fn is_text_or_nothing(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Texts(_) | Self::Missing | Self::Null)
    }

    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Texts(_))
    }

    /// Adds a value from later in the same list: texts are collected, nulls dropped.
    fn collect(&mut self, value: Self) {
        let next = match (std::mem::take(self), value) {
            (Self::Missing | Self::Null, Self::Text(text)) => Self::Texts(vec![text]),
            (Self::Missing | Self::Null, other) => other,
            (known, Self::Missing | Self::Null) => known,
            (Self::Texts(mut texts), Self::Text(text)) => {
                texts.push(text);
                Self::Texts(texts)
            }
            (Self::Texts(mut texts), Self::Texts(more)) => {
                texts.extend(more);
                Self::Texts(texts)
            }
            // A value that is not text replaces the texts, so that the row is rejected with its type.
            (Self::Texts(_), other) => other,
            (known, _) => known,
        };
        *self = next;
    }

    pub fn take_text(&mut self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => std::mem::take(text),
            Self::Texts(texts) => Cow::Owned(texts.join("\n")),
            _ => Cow::Borrowed(""),
        }
    }

    pub fn as_scalar(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Spelled(number) => Some(Cow::Borrowed(number)),
            Self::Boolean(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Integer(number) => Some(Cow::Owned(number.to_string())),
            Self::Number(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }

    pub fn as_order(&self) -> Option<f64> {
        match self {
            Self::Text(text) => order::value(text),
            Self::Integer(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            Self::Spelled(number) => number.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    pub fn as_date(&self) -> Option<f64> {
        match self {
            Self::Text(text) => time::seconds(text),
            Self::Integer(number) => time::seconds_of_number(*number as f64),
            Self::Number(number) => time::seconds_of_number(*number),
            Self::Spelled(_) => self.as_order().and_then(time::seconds_of_number),
            _ => None,
        }
    }
}

/// A column within another: the names on the way down; lists are traversed.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub column: usize,
    pub names: Vec<String>,
}

impl Path {
    /// Parses the path of a name: `a.b`, `a[].b` or `a[]`; None for the name of a whole column.
    pub fn of(column: usize, name: &str) -> Option<Self> {
        let is_path = name.contains('.') || name.ends_with("[]");
        let names = || name.split('.').map(|part| part.strip_suffix("[]").unwrap_or(part).to_owned()).collect();
        is_path.then(|| Self { column, names: names() })
    }
}

/// The rest of a path below some key.
type Below<'c> = (usize, &'c [String]);

/// Reads an object into the values of the named columns and the candidate dates.
pub(super) struct RowVisitor<'c> {
    pub names: &'c [String],
    /// Index of the identifier column, whose numbers keep their spelling.
    pub id: Option<usize>,
    pub paths: &'c [Path],
    pub dates: &'c DateNames,
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = (Vec<Value<'de>>, Dates<'de>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![Value::Missing; self.names.len()];
        // A column with the whole name takes precedence over a path, regardless of their order.
        let mut whole: Vec<(usize, Value<'de>)> = Vec::new();
        let mut dates = Dates::default();
        while let Some(key) = map.next_key_seed(KeySeed(&self))? {
            match key {
                Key::Column(column) => {
                    let value = if self.id == Some(column) {
                        spelled(map.next_value()?)?
                    } else {
                        map.next_value_seed(ValueSeed::simple())?
                    };
                    if self.paths.is_empty() {
                        values[column] = value;
                    } else {
                        whole.push((column, value));
                    }
                }
                Key::Within(column, below) => {
                    below.iter().for_each(|&(column, _)| values[column] = Value::Missing);
                    let value = map.next_value_seed(ValueSeed {
                        below,
                        values: Some(&mut values),
                        in_list: false,
                        id: self.id,
                    })?;
                    whole.extend(column.map(|column| (column, value)));
                }
                Key::Date(place, key) => {
                    let is_exact = key == self.dates.name(place);
                    dates.push(place, is_exact, key, map.next_value_seed(ValueSeed::simple())?);
                }
                Key::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        whole.into_iter().for_each(|(column, value)| values[column] = value);
        Ok((values, dates))
    }
}

/// A value whose number keeps its spelling: 18446744073709551615, 1e3 and 1.0 are distinct identifiers.
fn spelled<'de, E: Error>(value: &'de RawValue) -> Result<Value<'de>, E> {
    let written = value.get();
    if written.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Ok(Value::Spelled(written));
    }
    ValueSeed::simple().deserialize(&mut serde_json::Deserializer::from_str(written)).map_err(E::custom)
}

/// The columns that a key refers to.
enum Key<'c> {
    Column(usize),
    /// Optionally a column, and the columns below it.
    Within(Option<usize>, Vec<Below<'c>>),
    Date(usize, String),
    Other,
}

/// Deserializes a key as the columns it refers to.
struct KeySeed<'v, 'c>(&'v RowVisitor<'c>);

impl<'de, 'c> DeserializeSeed<'de> for KeySeed<'_, 'c> {
    type Value = Key<'c>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'c> Visitor<'_> for KeySeed<'_, 'c> {
    type Value = Key<'c>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a column name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        let column = self.0.names.iter().position(|wanted| wanted == name);
        let paths = self.0.paths.iter().filter(|path| path.names[0] == name);
        let below: Vec<Below<'c>> = paths.map(|path| (path.column, &path.names[1..])).collect();
        if !below.is_empty() {
            return Ok(Key::Within(column, below));
        }
        if let Some(column) = column {
            return Ok(Key::Column(column));
        }
        Ok(self.0.dates.place(name).map_or(Key::Other, |place| Key::Date(place, name.to_owned())))
    }
}

/// Deserializes a value, and the requested values below it into `values`.
struct ValueSeed<'s, 'c, 'de> {
    below: Vec<Below<'c>>,
    values: Option<&'s mut Vec<Value<'de>>>,
    in_list: bool,
    /// Index of the identifier column.
    id: Option<usize>,
}

impl ValueSeed<'_, '_, '_> {
    fn simple() -> Self {
        Self { below: Vec::new(), values: None, in_list: false, id: None }
    }
}

impl<'de> ValueSeed<'_, '_, 'de> {
    /// Stores a value in the columns whose path ends here.
    fn put(&mut self, value: &Value<'de>) {
        let Some(values) = self.values.as_deref_mut() else { return };
        for &(column, rest) in &self.below {
            if rest.is_empty() && self.in_list {
                values[column].collect(value.clone());
            } else if rest.is_empty() {
                values[column] = value.clone();
            }
        }
    }

    fn scalar<E>(mut self, value: Value<'de>) -> Result<Value<'de>, E> {
        self.put(&value);
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_, '_, 'de> {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_, '_, 'de> {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        self.scalar(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        self.scalar(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        self.scalar(Value::Boolean(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        self.scalar(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        self.scalar(i64::try_from(number).map_or(Value::Number(number as f64), Value::Integer))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if number.is_finite() { self.scalar(Value::Number(number)) } else { Err(E::custom("number out of range")) }
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        self.scalar(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self::Value, A::Error> {
        // Longer paths continue within the elements; for paths that end here, the list is the value.
        let deeper: Vec<Below<'_>> = self.below.iter().filter(|(_, rest)| !rest.is_empty()).copied().collect();
        let mut whole = Value::Texts(Vec::new());
        loop {
            let values = self.values.as_deref_mut();
            let seed = ValueSeed { below: deeper.clone(), values, in_list: true, id: self.id };
            let Some(element) = list.next_element_seed(seed)? else { break };
            match element {
                Value::Text(_) | Value::Texts(_) | Value::Null => whole.collect(element),
                _ => whole = Value::List,
            }
        }
        if let (Value::Texts(texts), Some(values)) = (&whole, self.values.as_deref_mut())
            && texts.is_empty()
        {
            // An empty list yields the empty text, like an empty string.
            deeper.iter().for_each(|&(column, _)| values[column].collect(Value::Texts(Vec::new())));
        }
        self.put(&whole);
        Ok(whole)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self::Value, A::Error> {
        if self.below.iter().all(|(_, rest)| rest.is_empty()) {
            while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        } else {
            while let Some(key) = object.next_key::<Cow<'de, str>>()? {
                let named = self.below.iter().filter(|(_, rest)| rest.first().is_some_and(|name| *name == key));
                let below: Vec<Below<'_>> = named.map(|&(column, rest)| (column, &rest[1..])).collect();
                let values = self.values.as_deref_mut();
                let mut seed = ValueSeed { below, values, in_list: self.in_list, id: self.id };
                if seed.below.is_empty() {
                    object.next_value::<IgnoredAny>()?;
                } else if let [(column, [])] = seed.below[..]
                    && self.id == Some(column)
                {
                    seed.put(&spelled(object.next_value()?)?);
                } else {
                    object.next_value_seed(seed)?;
                }
            }
        }
        self.put(&Value::Object);
        Ok(Value::Object)
    }
}
