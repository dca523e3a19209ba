//! Any frame with a valid checksum is rejected or decodes to a text; any text survives the round trip.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whorl_core::fingerprint::TextBlock;
use whorl_core::packing::{pack, unpack};
use whorl_core::text::Text;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A block of one text.
struct One<'a>(&'a str);

impl TextBlock for One<'_> {
    fn len(&self) -> usize {
        1
    }

    fn with_text<R>(&self, _: usize, act: impl FnOnce(Text<'_>) -> R) -> R {
        act(Text::Utf8(self.0))
    }
}

fuzz_target!(|data: &[u8]| {
    let _ = unpack(&[data]);
    if let Some((count, frame)) = data.split_first_chunk::<2>() {
        let count = u32::from(u16::from_le_bytes(*count));
        let checksum = xxh3_64_with_seed(frame, count.into()) as u32;
        let forged = [&count.to_le_bytes(), &checksum.to_le_bytes(), frame].concat();
        if let Some(text) = unpack(&[forged]).remove(0) {
            assert_eq!(text.len(), count as usize);
        }
    }
    let text = String::from_utf8_lossy(data);
    let code_points: Vec<u32> = text.chars().map(u32::from).collect();
    assert_eq!(unpack(&pack(&One(&text))), [Some(code_points)]);
});
