//! Scans arbitrary bytes as a block of JSON Lines: every row is reported once, at its place, and reads the same alone.

#![no_main]

use encoding_rs::{BIG5, Encoding, GB18030, UTF_8, WINDOWS_1252};
use libfuzzer_sys::fuzz_target;
use whorl_core::jsonl::{Columns, count_lines, row_text, scan, select_lines};

const ENCODINGS: [&Encoding; 4] = [UTF_8, GB18030, BIG5, WINDOWS_1252];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, block)) = data.split_first() else { return };
    let encoding = ENCODINGS[usize::from(choice) % ENCODINGS.len()];
    let texts = ["text".to_owned(), "title".to_owned()];
    let columns = Columns::new(&texts[..1 + usize::from(choice >> 7)], Some("id"), Some("date"));
    let found = scan(block, &columns, encoding);
    let rows = found.lines.len();
    assert_eq!([found.offsets.len(), found.lengths.len(), found.has_id.len(), found.orders.len()], [rows; 4]);
    assert_eq!([found.texts.bounds.len(), found.ids.bounds.len()], [rows + 1; 2]);
    assert!(rows + found.rejected.len() <= count_lines(block));
    for (row, (&offset, &length)) in found.offsets.iter().zip(&found.lengths).enumerate() {
        let [start, end] = [row, row + 1].map(|bound| found.texts.bounds[bound] as usize);
        let alone = row_text(&block[offset..offset + length], &columns, encoding);
        assert_eq!(alone.as_deref().map(str::as_bytes), Ok(&found.texts.bytes[start..end]));
    }
    for rejected in &found.rejected {
        let alone = row_text(&block[rejected.bytes.clone()], &columns, encoding);
        assert_eq!(alone.as_ref(), Err(&rejected.reason));
    }
    let everything = select_lines(block, &vec![true; count_lines(block)]);
    assert_eq!(scan(&everything, &columns, encoding).texts, found.texts);
});
