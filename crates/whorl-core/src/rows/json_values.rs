//! Splits a stream into the values of a JSON array, or into consecutive JSON values.
//!
//! A JSON parser would abort the whole file at the first invalid value. This splitter looks only at strings and
//! brackets, so that an invalid value costs one row, and memory holds one value rather than the array.

use memchr::memchr2;

/// Splits a stream of UTF-8 into values.
#[derive(Debug)]
pub struct Splitter {
    in_array: bool,
    longest: usize,
    value: Vec<u8>,
    /// Bytes of the current value, including those discarded because it is too long.
    length: usize,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    is_over: bool,
}

impl Splitter {
    /// With `in_array`, expects the values after the `[` of an array up to its `]`; otherwise, consecutive values up to
    /// the end. A value longer than `longest` is truncated to `longest` + 1 bytes.
    pub fn new(in_array: bool, longest: usize) -> Self {
        let (value, length, depth) = (Vec::new(), 0, 0);
        Self { in_array, longest, value, length, depth, in_string: false, is_escaped: false, is_over: false }
    }

    /// True if the array has ended.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The bytes of the unfinished value; empty after an array.
    pub fn rest(&self) -> &[u8] {
        &self.value
    }

    /// Feeds the next bytes. Returns the values that end within them, and how many bytes belong to the array: all,
    /// unless the array ends.
    pub fn feed(&mut self, bytes: &[u8]) -> (Vec<Vec<u8>>, usize) {
        let mut values = Vec::new();
        let mut place = 0;
        while place < bytes.len() && !self.is_over {
            let byte = bytes[place];
            if self.in_string {
                place += self.string(&bytes[place..]);
                if !self.in_string && self.depth == 0 {
                    values.extend(self.end());
                }
                continue;
            }
            let is_between = self.depth == 0 && matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | 0x1e);
            if is_between || (self.depth == 0 && self.in_array && byte == b']') {
                values.extend(self.end());
                self.is_over = byte == b']';
                place += 1;
                continue;
            }
            if self.depth == 0 && matches!(byte, b'{' | b'[' | b'"') {
                // A value begins without a separator after the previous one.
                values.extend(self.end());
            }
            self.push(&bytes[place..=place]);
            place += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        values.extend(self.end());
                    }
                }
                _ => {}
            }
        }
        (values, place)
    }

    /// Consumes a string up to its end; returns the number of bytes.
    fn string(&mut self, bytes: &[u8]) -> usize {
        let consumed = if self.is_escaped {
            self.is_escaped = false;
            1
        } else {
            match memchr2(b'"', b'\\', bytes) {
                None => bytes.len(),
                Some(place) => {
                    self.in_string = bytes[place] != b'"';
                    self.is_escaped = self.in_string;
                    place + 1
                }
            }
        };
        self.push(&bytes[..consumed]);
        consumed
    }

    fn push(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let kept = bytes.len().min((self.longest + 1).saturating_sub(self.value.len()));
        self.value.extend_from_slice(&bytes[..kept]);
    }

    fn end(&mut self) -> Option<Vec<u8>> {
        (std::mem::take(&mut self.length) > 0).then(|| std::mem::take(&mut self.value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn split(bytes: &[u8], in_array: bool, step: usize) -> (Vec<String>, String, String) {
        let mut splitter = Splitter::new(in_array, 1000);
        let (mut values, mut behind) = (Vec::new(), Vec::new());
        for chunk in bytes.chunks(step) {
            let (found, consumed) = splitter.feed(chunk);
            values.extend(found.into_iter().map(|value| String::from_utf8(value).unwrap()));
            behind.extend_from_slice(&chunk[consumed..]);
        }
        (values, String::from_utf8(splitter.rest().to_vec()).unwrap(), String::from_utf8(behind).unwrap())
    }

    #[test]
    fn values_are_cut_out_of_arrays_and_sequences() {
        let array = r#" {"a": "]}\"["}, [1, [2]], "x,y" ,3,null ] , "meta": 1}"#;
        let (values, rest, behind) = split(array.as_bytes(), true, 1);
        assert_eq!(values, [r#"{"a": "]}\"["}"#, "[1, [2]]", "\"x,y\"", "3", "null"]);
        assert_eq!((rest.as_str(), behind.as_str()), ("", r#" , "meta": 1}"#));
        let (values, rest, _) = split(b"{\"a\":\n1}{}\n\n{\"b\": 2} {\"c\": ", false, 3);
        assert_eq!(values, ["{\"a\":\n1}", "{}", "{\"b\": 2}"]);
        assert_eq!(rest, "{\"c\": ");
    }

    #[test]
    fn a_value_that_is_too_long_is_cut() {
        let mut splitter = Splitter::new(true, 4);
        let (values, _) = splitter.feed(b"[1, 2, 3, 4], 7]");
        assert_eq!(values, [b"[1, 2".to_vec(), b"7".to_vec()]);
        assert!(splitter.is_over());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![any::<i64>().prop_map(Value::from), any::<String>().prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn an_array_gives_its_values(array in prop::collection::vec(json(), 0..6), pretty: bool, step in 1..50_usize) {
            let whole = Value::from(array.clone());
            let text = if pretty { serde_json::to_string_pretty(&whole) } else { serde_json::to_string(&whole) }.unwrap();
            let mut splitter = Splitter::new(true, usize::MAX - 1);
            let mut values = Vec::new();
            for chunk in text.as_bytes()[1..].chunks(step) {
                values.extend(splitter.feed(chunk).0);
            }
            prop_assert!(splitter.is_over());
            let parsed: Vec<Value> = values.iter().map(|value| serde_json::from_slice(value).unwrap()).collect();
            prop_assert_eq!(parsed, array);
        }
    }
}
