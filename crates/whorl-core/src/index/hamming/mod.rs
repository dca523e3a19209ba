//! The Hamming index: finds codes that differ from a query in at most k bits.
//!
//! ```text
//! codes ─design→ tables: permuted copies of the codes, sorted by key
//! query ─plan→ keys to look up in each table ─scan→ codes within k ─rows→ ids
//! ```
//!
//! # Problem
//!
//! Comparing the query with every code is linear in the index. Looking up every code within k bits takes 43,745
//! look-ups for 64 bits and k = 3.
//!
//! # Choice
//!
//! Codes within k bits agree in at least one of k + 1 blocks (the pigeonhole principle), so only codes that agree with
//! the query in a block are compared. The bits of the keys are configurable ([`Design`]). For larger k, keys that
//! differ in a few bits are looked up as well ([`Design::plan`]). New codes are compared one by one until there are
//! enough for a [`Segment`], and segments are merged as their number grows ([`Index`]). [`pairs`] finds all pairs
//! without an index. The tests compare all of this with two expansions, which look up or store every code within the
//! distance.
//!
//! Source: Manku, Jain, Das Sarma: Detecting near-duplicates for web crawling, WWW 2007 (tables of permuted codes);
//! Norouzi, Punjani, Fleet: Fast exact search in Hamming space with multi-index hashing, PAMI 2014 (keys that differ);
//! Qin et al.: GPH: similarity search in Hamming space, ICDE 2018 (a separate distance for each table).

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
