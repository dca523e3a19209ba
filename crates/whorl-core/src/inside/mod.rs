//! Text that is repeated within and across documents: lines, sentences, paragraphs, and passages of any extent.
//!
//! ```text
//! text ─fold→ units ─hash→ records ─sort→ groups → pairs of places ─compare the texts→ runs ─borders→ cuts ─mend→ text
//! ```
//!
//! [`records`](records::records) are the keys of a document with their places. They are sorted by key, in parts that
//! fit into memory, and [`group`](group::group()) turns equal keys into pairs of places. A key only proposes:
//! [`Decider`](decide::Decider) reads both texts, in the order of rank, and cuts what is equal to earlier text. Runs of
//! equal tokens are extended as far as they are equal; of a run [whole sentences](borders) are cut. What is deleted
//! around cuts decides [`mend`](mend::mend).
//!
//! # What is cut
//!
//! Documents have ranks. A unit is cut if an equal one of a document of lower rank, or before it in its own document,
//! stays. A stretch of tokens is repeated if every token is part of a range of at least `min_length` letters that is equal
//! to a range before it, in the order of rank and place, without overlapping it. The tests compare this definition
//! with the result for all small texts.

pub mod borders;
pub mod decide;
pub mod document;
pub mod group;
pub mod layout;
pub mod mend;
pub mod records;
pub mod repetition;

pub mod runs;
pub mod stream;
pub mod units;
