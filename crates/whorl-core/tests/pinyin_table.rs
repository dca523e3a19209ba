//! The committed pinyin table matches its source and survives a round trip.

#[path = "../examples/pinyin_table/mod.rs"]
mod pinyin_table;

use whorl_core::text::pinyin::Pinyin;

#[test]
fn the_source_reproduces_the_committed_table() {
    assert!(
        pinyin_table::build() == include_bytes!("../src/text/pinyin_table.bin"),
        "the readings have changed: write a new table, and give it a new name"
    );
}

#[test]
fn every_reading_is_found_again_and_nothing_else() {
    let readings = pinyin_table::readings();
    assert!(readings.len() > 40_000);
    let mut expected = readings.iter().peekable();
    for code_point in 0..=u32::from(char::MAX) {
        let syllable = expected.next_if(|(known, _)| *known == code_point).map_or("", |(_, syllable)| syllable);
        assert_eq!(Pinyin::get().syllable(code_point), syllable, "U+{code_point:04X}");
    }
    assert_eq!(Pinyin::get().number(u32::MAX), 0);
}
