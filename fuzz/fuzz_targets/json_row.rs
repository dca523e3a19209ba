//! Reads arbitrary bytes as one row, and ranks its strings.

#![no_main]

use encoding_rs::UTF_8;
use libfuzzer_sys::fuzz_target;
use whorl_core::jsonl::{Columns, row_text};
use whorl_core::order::value;

fuzz_target!(|row: &[u8]| {
    let columns = Columns::new(&["text".to_owned()], Some("id"), Some("date"));
    if let Ok(text) = row_text(row, &columns, UTF_8) {
        assert!(value(&text).is_none_or(f64::is_finite));
    }
    if let Ok(text) = str::from_utf8(row) {
        assert!(value(text).is_none_or(f64::is_finite));
    }
});
