//! The Hamming index: which of many codes differ from a given one in at most k bits.
//!
//! ```text
//! codes ─design→ tables: the codes again, those that agree in the bits of a key beside each other
//! query ─plan→ keys to look under, in each table ─scan→ codes within k ─rows→ ids
//! ```
//!
//! Codes within k bits agree in at least one of k + 1 blocks (the pigeonhole principle), so only the codes that agree
//! with the query in a block are compared. Which bits make a key is data ([`Design`]); for larger k keys that differ in
//! a few bits are looked up as well ([`Design::plan`]). New codes are kept as they come and compared one by one until
//! there are enough for a [`Segment`], and segments are merged as they grow in number ([`Index`]). [`pairs`] finds all
//! pairs without an index. The slow twins of all this, in the tests, look up every code within the distance, or list
//! every code under all codes within the distance.
//!
//! Source: Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling, WWW 2007 (tables of permuted codes);
//! Norouzi, Punjani, Fleet: Fast exact search in Hamming space with multi-index hashing, PAMI 2014 (keys that differ);
//! Qin et al.: GPH: similarity search in Hamming space, ICDE 2018 (a distance of its own for each table).

mod answer;
mod code;
mod design;
mod distinct;
mod index;
mod pairs;
mod plan;
mod scan;
mod segment;
mod segment_build;
mod self_join;

pub use answer::{Ask, Near, Tally};
pub use code::Code;
pub use design::Design;
pub use index::{Index, Stats};
pub use pairs::{LARGEST_JOIN, Pair, TooManyPairs, pairs};
pub use plan::Plan;
pub use segment::Segment;
pub use self_join::{JoinFailed, Joined};

#[cfg(test)]
mod expansion;
#[cfg(test)]
mod tests;
