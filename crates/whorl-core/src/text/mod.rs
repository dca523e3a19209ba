//! Everything that is computed from a single text.
//!
//! [`fold`](fold()) turns a text into a stream of folded code points, divided into tokens. [`shingle`] hashes the
//! tokens and windows of them; [`located`] also keeps their positions and [`shingle::text`] their characters. On the
//! original text, [`scan`] finds the few signs that matter, [`sentence`] divides it into sentences, [`frame`] detects
//! title, bylines, quotations and lists of references, [`metadata`] detects time codes and similar records,
//! [`incidental`] detects addresses, [`paratext`] covers, declarations and tables of contents, [`body`] is the text without bylines, and [`form`] assesses completeness and
//! cleanliness. [`pinyin`] converts Han characters to syllables, in context by [`pinyin::reading_words`], and [`look_alike`]
//! restores replaced characters. [`manifest`] finds embedded statements of origin. [`tone`] normalizes the position of Vietnamese tone marks.

mod bibliography;
mod block;
pub mod body;
pub(crate) mod citation;
mod code_points;
mod fold;
pub mod form;
pub mod frame;
mod incidental;
pub mod located;
pub mod look_alike;
pub(crate) mod manifest;
pub(crate) mod metadata;
pub mod paratext;
pub mod pinyin;
mod quotation;
pub(crate) mod scan;
pub mod sentence;
pub mod shingle;
mod tone;

pub use block::TextBlock;
pub(crate) use block::in_tasks;
pub use code_points::CodePoints;
pub(crate) use fold::fold_one;
pub use fold::table::{Class, Plain};
pub use fold::{FOLD_VERSION, Sink, Text, class, fold, fold_to_string, simplified, tokens};
