//! Writes `src/text/pinyin_table.bin`, the committed readings `whorl-pinyin-1`.
//!
//! ```text
//! cargo run --release -p whorl-core --example make_pinyin_table
//! ```
//!
//! The build does not run this: the crate embeds the committed file, and `tests/pinyin_table.rs` proves that this
//! program still produces it.

mod pinyin_table;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let table = pinyin_table::build();
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text/pinyin_table.bin"), &table)?;
    println!("{} bytes", table.len());
    Ok(())
}
