//! The decision whether a document is a copy: the [`demand`]s on two texts, the [`verdict`] on a candidate, the
//! comparisons of a batch, the [`ruling`] on a copy, the [`probe`] that decides in rank order, [`boilerplate`] learned
//! from [`samples`], the changes in removed copies ([`removals`]), the passages of linked documents ([`passages`]), text
//! [`reuse`] across a corpus, the pairs and [`forms`] of a class ([`pairing`]), and items of benchmarks in a corpus
//! ([`contamination`]).

pub mod boilerplate;
mod compare;
pub mod contamination;
pub mod demand;
pub mod forms;
mod key_bitmaps;
mod pair_texts;
pub mod pairing;
pub mod passages;
pub mod probe;
pub mod removals;
pub mod reuse;
pub mod ruling;
pub mod samples;
mod verdict;
