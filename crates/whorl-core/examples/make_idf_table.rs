//! Writes `src/words/idf_table.bin` from the file `idf.txt` of jieba-rs 0.11.0 (MIT), which has a word and its value
//! per line.
//!
//! ```text
//! cargo run --release -p whorl-core --example make_idf_table -- path/to/jieba-rs-0.11.0/src/data/idf.txt
//! ```
//!
//! The build does not run this: the crate embeds the committed file.

use std::{env, error::Error, fs, path::Path};

use whorl_core::text::fold_to_string;
use whorl_core::words::Idf;

fn main() -> Result<(), Box<dyn Error>> {
    let source = env::args().nth(1).ok_or("name the file idf.txt of jieba-rs")?;
    let content = fs::read_to_string(source)?;
    let mut values = Vec::new();
    for line in content.lines() {
        let (word, value) = line.rsplit_once(' ').ok_or("a line is a word and a value")?;
        values.push((fold_to_string(word), value.parse()?));
    }
    let table = Idf::from_values(values.iter().map(|(word, value)| (word.as_str(), *value))).to_bytes();
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/words/idf_table.bin"), &table)?;
    println!("{} words, {} bytes", values.len(), table.len());
    Ok(())
}
