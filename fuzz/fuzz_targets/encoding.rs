//! Guesses the encoding of arbitrary bytes with an arbitrary claim.

#![no_main]

use encoding_rs::Encoding;
use libfuzzer_sys::fuzz_target;
use whorl_core::encoding::{likely, wide};

const CLAIMS: [Option<&str>; 6] =
    [None, Some("gbk"), Some("windows-1252"), Some("utf-16le"), Some("nonsense"), Some("big5")];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, data)) = data.split_first() else { return };
    let found = likely(data, CLAIMS[usize::from(choice) % CLAIMS.len()]);
    assert!(!found.is_empty());
    assert!(found.iter().all(|one| Encoding::for_label(one.name.as_bytes()).is_some()));
    assert!(found.iter().skip(1).all(|one| !one.is_claimed));
    assert!(wide(data).is_none_or(|name| name == "utf-16le" || name == "utf-16be"));
});
