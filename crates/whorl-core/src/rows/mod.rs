//! Between bytes and texts: rows of a file, the encoding they are in, the order of documents, and the bytes that a
//! library keeps of a text.

pub mod encoding;
pub mod jsonl;
pub mod order;
pub mod packing;
