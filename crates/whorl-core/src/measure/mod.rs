//! Exact similarity of two texts: the features that are compared and the measures.

mod bitmap;
pub mod features;
pub mod verify;
