//! Bindings of the indexes of keys and codes.

pub mod hamming;
pub mod inverted;
pub mod snapshot;
