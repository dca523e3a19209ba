//! The committed look-alike table matches its source.

#[path = "../examples/look_alike_table/mod.rs"]
mod look_alike_table;

#[test]
fn the_source_reproduces_the_committed_table() {
    assert!(
        look_alike_table::build() == include_bytes!("../src/text/look_alike_table.bin"),
        "the look-alikes have changed: write a new table"
    );
}
