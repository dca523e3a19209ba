//! What makes a copy: the figures that are [`demand`]ed of two texts, the [`verdict`] on a candidate, the comparisons of
//! a batch, the [`probe`] that decides in rank order, what is [`boilerplate`], and how removed copies were changed
//! ([`removals`]).

pub mod boilerplate;
mod compare;
pub mod demand;
pub mod probe;
pub mod removals;
mod verdict;
