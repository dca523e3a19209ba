//! What makes a copy: the figures that are [`demand`]ed of two texts, the [`verdict`] on a candidate, the comparisons of
//! a batch, the [`ruling`] on what may be done with a copy, the [`probe`] that decides in rank order, what is
//! [`boilerplate`], how removed copies were changed ([`removals`]), and which passages linked documents share
//! ([`passages`]).

pub mod boilerplate;
mod compare;
pub mod demand;
mod pair_texts;
pub mod passages;
pub mod probe;
pub mod removals;
pub mod ruling;
mod verdict;
