//! Writes `src/text/look_alike_table.bin`, the committed pairs of characters that look the same.
//!
//! ```text
//! cargo run --release -p whorl-core --example make_look_alike_table
//! ```
//!
//! The build does not run this: the crate embeds the committed file, and `tests/look_alike_table.rs` proves that this
//! program still produces it.

mod look_alike_table;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let table = look_alike_table::build();
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text/look_alike_table.bin"), &table)?;
    println!("{} pairs", table.len() / 8);
    Ok(())
}
