//! Conversion between bytes and texts: rows of a file, their encoding, the order and the dates of documents, and packed
//! texts of a library.

pub mod encoding;
pub mod json_values;
pub mod jsonl;
pub mod order;
pub mod packing;
pub mod time;
