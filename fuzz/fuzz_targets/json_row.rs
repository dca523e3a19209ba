//! Any bytes as one row: its text, the names of its columns, and what its strings rank as.

#![no_main]

use encoding_rs::UTF_8;
use libfuzzer_sys::fuzz_target;
use whorl_core::jsonl::{Columns, column_names, row_text};
use whorl_core::order::value;

fuzz_target!(|row: &[u8]| {
    let columns = Columns::new(&["text".to_owned()], Some("id"), Some("date"));
    let names = column_names(row);
    if let Ok(text) = row_text(row, &columns, UTF_8) {
        assert!(names.is_empty() || names.iter().any(|name| name == "text"));
        assert!(value(&text).is_none_or(f64::is_finite));
    }
    if let Ok(text) = str::from_utf8(row) {
        assert!(value(text).is_none_or(f64::is_finite));
    }
});
