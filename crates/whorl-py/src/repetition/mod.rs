//! Bindings for text repeated within and across documents.

pub mod compilations;
pub mod contamination;
pub mod inside;
pub mod pairing;
pub mod reuse;
