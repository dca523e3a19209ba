//! Figures of two texts: what they are compared by, and how alike they are by it.

mod bitmap;
pub mod features;
pub mod verify;
