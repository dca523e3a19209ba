//! Writes `src/text/fold_table.bin`, the committed definition of the fold `whorl-fold-2`.
//!
//! ```text
//! cargo run --release -p whorl-core --example make_fold_table
//! ```
//!
//! The build does not run this: the crate embeds the committed file, and `tests/fold_table.rs` proves that the rules in
//! [`fold_table`] still produce it, byte for byte.

mod fold_table;

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text/fold_table.bin");
    let table = fold_table::build();
    fs::write(&path, &table)?;
    println!("{} bytes, Unicode {}", table.len(), fold_table::unicode_version());
    Ok(())
}
