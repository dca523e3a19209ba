//! The inverted index: which documents have a key, and how many of a query's keys each of them has.
//!
//! ```text
//! document ─keys→ postings (key, row) ─sort→ segment
//! query    ─keys→ runs of postings ─count→ documents with their hits, most hits first
//! ```
//!
//! A posting is the key, made uniform by a bijection ([`mix`](crate::hash::mix)), and the row of the document, packed
//! to as few bits as both need ([`packed`]): sixty for a million documents of a hundred keys. A key that too many
//! documents have is boilerplate: it is cut, and counted. [`count_hits`] is the same for a look-up here and for the
//! decisions of a whole corpus ([`crate::judge::probe`]), whose postings are grouped by a sort ([`crate::index::group`]).
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
