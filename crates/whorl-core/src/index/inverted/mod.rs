//! The inverted index: finds the documents that share keys with a query, and the number of shared keys.
//!
//! ```text
//! document ─keys→ postings (key, row) ─sort→ segment
//! query    ─keys→ runs of postings ─count→ documents by descending number of hits
//! ```
//!
//! A posting is a key, made uniform by a bijection ([`mix`](crate::hash::mix)), with the row of its document, packed
//! into as few bits as both need ([`packed`]): sixty for a million documents with a hundred keys each. A key with too
//! many documents is boilerplate: it is skipped and counted. [`count_hits`] is shared by look-ups and by the decisions
//! on a whole corpus ([`crate::judge::probe`]), whose postings are grouped by a sort ([`crate::index::group`]).
//!
//! Source: Zobel, Moffat: Inverted files for text search engines, ACM Computing Surveys 2006 (segments, merging by
//! size); Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003, section 5 (counting hits of chosen fingerprints).

mod asked;
mod hits;
mod index;
mod keys;
mod merge;
mod order;
mod packed;
mod postings;
mod runs;
mod segment;

pub use hits::count_hits;
pub use index::{Answer, Ask, Hit, Index, Stats, Tally};
pub use keys::Keys;
pub use segment::Segment;

#[cfg(test)]
mod tests;
