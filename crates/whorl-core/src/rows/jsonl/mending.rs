//! Repairs lines that are almost JSON, as common writers produce them.
//!
//! Python writes `NaN` and `Infinity`, JavaScript writes halves of surrogate pairs, concatenated files have byte order
//! marks between their lines, records of JSON text sequences begin with U+001E, and numbers may exceed the range of a
//! double. None of these should lose a row: they become `null`, U+FFFD and blanks. Raw control characters within
//! strings are escaped. Everything else is left unchanged, so that the parser still rejects invalid JSON.

const CONSTANTS: [&str; 6] = ["-Infinity", "+Infinity", "Infinity", "-NaN", "NaN", "nan"];

/// Returns the repaired line, or None if there is nothing to repair.
pub(super) fn mended(line: &str) -> Option<String> {
    let mut written = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let consumed = match first {
            '"' => string(rest, &mut written),
            '\u{feff}' | '\u{1e}' => {
                written.push(' ');
                first.len_utf8()
            }
            '+' | '-' | '0'..='9' | 'N' | 'I' | 'n' => number(rest, &mut written),
            _ => {
                written.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[consumed..];
    }
    (written != line).then_some(written)
}

/// Writes the replacement of a number; returns the number of bytes read.
fn number(rest: &str, written: &mut String) -> usize {
    if let Some(constant) = CONSTANTS.iter().find(|constant| rest.starts_with(**constant)) {
        written.push_str("null");
        return constant.len();
    }
    let end = rest.find(|sign: char| !matches!(sign, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
    let digits = &rest[..end.max(1)];
    let is_too_large = digits.parse::<f64>().is_ok_and(f64::is_infinite);
    written.push_str(if is_too_large { "null" } else { digits });
    digits.len()
}

/// Writes a string; returns the number of bytes read.
fn string(rest: &str, written: &mut String) -> usize {
    written.push('"');
    let mut place = 1;
    while let Some(sign) = rest[place..].chars().next() {
        place += sign.len_utf8();
        match sign {
            '"' => {
                written.push('"');
                return place;
            }
            '\\' => {
                let length = escape(&rest[place..], written);
                place += length;
            }
            '\0'..='\u{1f}' => written.push_str(&format!("\\u{:04x}", u32::from(sign))),
            _ => written.push(sign),
        }
    }
    place
}

/// Writes an escape sequence; returns the number of bytes read.
fn escape(rest: &str, written: &mut String) -> usize {
    let unit = |text: &str| match text.as_bytes() {
        [b'u', digits @ ..] if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) => {
            u32::from_str_radix(&text[1..5], 16).ok()
        }
        _ => None,
    };
    let (length, is_sound) = match unit(rest) {
        None => (rest.chars().next().map_or(0, char::len_utf8), true),
        Some(0xd800..=0xdbff) => {
            let low = rest[5..].strip_prefix('\\').and_then(unit);
            if matches!(low, Some(0xdc00..=0xdfff)) { (11, true) } else { (5, false) }
        }
        Some(0xdc00..=0xdfff) => (5, false),
        Some(_) => (5, true),
    };
    if is_sound {
        written.push('\\');
        written.push_str(&rest[..length]);
    } else {
        written.push(char::REPLACEMENT_CHARACTER);
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_almost_json_becomes_json() {
        for (line, expected) in [
            (r#"{"a": NaN, "b": [-Infinity, Infinity]}"#, r#"{"a": null, "b": [null, null]}"#),
            (r#"{"a": "NaN", "b": NaN}"#, r#"{"a": "NaN", "b": null}"#),
            ("\u{feff}{}", " {}"),
            ("\u{1e}{}", " {}"),
            (r#"{"a": 1e999, "b": -12.5e3}"#, r#"{"a": null, "b": -12.5e3}"#),
            (r#"{"a": "x\ud83d y"}"#, "{\"a\": \"x\u{fffd} y\"}"),
            (r#"{"a": "\udc00\ud83d\ude00\ud83d"}"#, "{\"a\": \"\u{fffd}\\ud83d\\ude00\u{fffd}\"}"),
            ("{\"a\": \"x\ty\"}", r#"{"a": "x\u0009y"}"#),
        ] {
            let mended = mended(line).unwrap();
            assert_eq!(mended, expected);
            assert!(serde_json::from_str::<serde_json::Value>(&mended).is_ok(), "{mended}");
        }
    }

    #[test]
    fn what_cannot_be_mended_stays() {
        for line in [r#"{"a": tru}"#, r#"{"a": 1"#, r#"{"a": "x"#, r#"{"a": "\"#, "", "[1]", r#"{"a": "\q"}"#] {
            assert_eq!(mended(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn sound_json_is_not_changed(text: String, number: f64, integer: i64) {
            let line = serde_json::json!({ text.clone(): [number, integer, text, null, true] }).to_string();
            if !line.contains('\u{feff}') {
                prop_assert_eq!(mended(&line), None);
            }
        }

        #[test]
        fn any_line_can_be_looked_at(line in r#"[\\"u0-9d8cNaI{}:\u{feff}\u{1}é]{0,40}"#) {
            let once = mended(&line).unwrap_or_else(|| line.clone());
            prop_assert_eq!(mended(&once), None);
        }
    }
}
