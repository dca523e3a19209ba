//! The values of a JSON object, as far as anybody asks, without copying the others.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::dates::{DateNames, Dates};
use crate::rows::{order, time};

/// A JSON value, as far as anybody asks.
#[derive(Clone, Debug, Default)]
pub(super) enum Value<'a> {
    #[default]
    Missing,
    Null,
    Boolean(bool),
    Integer(i64),
    Number(f64),
    /// A number as the row spells it, which no number of Rust keeps for every spelling.
    Spelled(&'a str),
    Text(Cow<'a, str>),
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
            Self::List => "a list",
            Self::Object => "an object",
        }
    }

    pub fn is_text_or_nothing(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Missing | Self::Null)
    }

    pub fn take_text(&mut self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => std::mem::take(text),
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

/// Reads an object as the values of the columns with these names, and those that may be its date.
pub(super) struct RowVisitor<'c> {
    pub names: &'c [String],
    /// The place of the column of identifiers, whose numbers keep their spelling.
    pub id: Option<usize>,
    pub dates: &'c DateNames,
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    type Value = (Vec<Value<'de>>, Dates<'de>);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![Value::Missing; self.names.len()];
        let mut dates = Dates::default();
        while let Some(key) = map.next_key_seed(KeySeed(&self))? {
            match key {
                Key::Column(column) if self.id == Some(column) => values[column] = spelled(map.next_value()?)?,
                Key::Column(column) => values[column] = map.next_value_seed(ValueSeed)?,
                Key::Date(place, key) => {
                    let is_exact = key == self.dates.name(place);
                    dates.push(place, is_exact, key, map.next_value_seed(ValueSeed)?);
                }
                Key::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok((values, dates))
    }
}

/// A value whose number keeps its spelling: 18446744073709551615, 1e3 and 1.0 are identifiers as they stand.
fn spelled<'de, E: Error>(value: &'de RawValue) -> Result<Value<'de>, E> {
    let written = value.get();
    if written.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Ok(Value::Spelled(written));
    }
    ValueSeed.deserialize(&mut serde_json::Deserializer::from_str(written)).map_err(E::custom)
}

/// What a key names.
enum Key {
    Column(usize),
    Date(usize, String),
    Other,
}

/// Reads a key as what it names.
struct KeySeed<'v, 'c>(&'v RowVisitor<'c>);

impl<'de> DeserializeSeed<'de> for KeySeed<'_, '_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_, '_> {
    type Value = Key;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a column name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        if let Some(column) = self.0.names.iter().position(|wanted| wanted == name) {
            return Ok(Key::Column(column));
        }
        Ok(self.0.dates.place(name).map_or(Key::Other, |place| Key::Date(place, name.to_owned())))
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

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Boolean(value))
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
