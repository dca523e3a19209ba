//! Between bytes and texts: rows of a file, the encoding they are in, the order and the dates of documents, and the
//! bytes that a library keeps of a text.

pub mod encoding;
pub mod json_values;
pub mod jsonl;
pub mod order;
pub mod packing;
pub mod time;
