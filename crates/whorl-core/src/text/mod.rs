//! Texts, and everything that is read out of one text alone.
//!
//! [`fold`](fold()) makes a text a stream of folded code points, cut into tokens; [`shingle`] takes the tokens as hashes
//! and windows of them, [`located`] and [`shingle_text`] remember where they lay or how they were written. Of the
//! original text [`scan`] finds the few signs that matter, [`sentence`] cuts it at its sentences, [`frame`] tells title,
//! bylines, quotations and lists of references from the rest, [`metadata`] finds time codes and the like, [`incidental`] addresses,
//! [`body`] is what remains without bylines, and [`form`] says how complete and clean it is. [`pinyin`] reads Han characters, in words as [`reading_words`] has them, and [`look_alike`] puts back
//! characters that stand in for others. [`tone`] writes Vietnamese tones on one vowel.

mod bibliography;
mod block;
pub mod body;
pub(crate) mod citation;
mod fold;
mod fold_table;
pub mod form;
pub mod frame;
mod incidental;
pub mod located;
pub mod look_alike;
pub(crate) mod metadata;
pub mod pinyin;
mod quotation;
mod reading_words;
pub(crate) mod scan;
pub mod sentence;
pub mod shingle;
pub(crate) mod shingle_text;
mod tone;

pub use block::TextBlock;
pub(crate) use block::in_tasks;
pub(crate) use fold::fold_one;
pub use fold::{CodePoints, FOLD_VERSION, Sink, Text, class, fold, fold_to_string, simplified, tokens};
pub use fold_table::Class;
