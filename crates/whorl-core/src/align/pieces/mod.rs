//! Pieces: from anchors over chains to the stretches that two streams have in common.
//!
//! [`anchor`] finds equal stretches, [`chain`] their sequences, and [`gap`] the text between them. [`piece`] divides and
//! joins chains, [`extend`] and [`word`] move the ends to clauses and words, [`boundary`] recognizes these, and
//! [`shuffle`] joins pieces in another order. [`proof`] and [`cohesion`] decide what is more than a phrase.

pub mod anchor;
pub mod boundary;
pub mod chain;
pub mod cohesion;
pub mod extend;
pub mod gap;
pub mod piece;
pub mod proof;
pub mod shuffle;
pub mod word;
