//! Contamination: finds items of benchmarks in documents, and says what of them is there.
//!
//! # Problem
//!
//! Overlap of n-grams alone flags every quotation, formula and instruction that a question happens to contain, and
//! misses questions that are short or slightly changed. Training data is then removed for a proverb, and the question
//! with a typing error stays.
//!
//! # Choice
//!
//! ```text
//! items ─fold→ tokens ─rarest windows→ table
//! document ─fold→ tokens ─windows→ anchors ─diagonal→ candidates ─fit→ shares ─rule→ reason
//! ```
//!
//! - Windows of two words or five Han characters survive the editing of every tenth word. Only the rarest ones of an
//!   item are listed ([`index`]), so documents share few with items that they do not contain ([`table`]).
//! - A candidate is aligned from end to end ([`fit`]): the figure is the share of the *item* that is there, weighted by
//!   what each token says about it ([`content`]).
//! - Whether the item is there, or only something that it shares with other texts, is decided by which tokens are
//!   missing ([`rule`]): the sentence that asks, the number, the one word in which two questions differ.
//!
//! The share of words in common, as used elsewhere, does not distinguish a question from its sibling with another country
//! name; that word has most of the weight here.

mod content;
mod fit;
mod index;
mod rule;
mod scan;
mod table;
mod tokens;
mod wording;

pub use index::{Field, Index, Part};
pub use rule::Reason;
pub use scan::{Hit, Scanner};

use rayon::prelude::*;

use crate::text::TextBlock;

/// Scans a block of documents in parallel, and returns the hits of each.
pub fn scan(index: &Index, texts: &impl TextBlock) -> Vec<Vec<Hit>> {
    let scan = |scanner: &mut Scanner, number| texts.with_text(number, |text| scanner.scan(index, text));
    (0..texts.len()).into_par_iter().with_min_len(16).map_init(Scanner::default, scan).collect()
}
