//! The engine of whorl, without I/O: which texts copy which, and what they have from each other.
//!
//! # The idea
//!
//! Two texts that share a *key* are compared, and the comparison decides. A key is a number of 64 bits that is made of
//! one text alone, in such a way that copies are likely to have one in common. So there is one mechanism to find who
//! shares a key with whom, whatever the keys are made of, and nothing depends on a key but who is compared.
//!
//! # The flow of data
//!
//! Each folder imports only from those above it in this table:
//!
//! | folder | what goes in | what comes out |
//! |---|---|---|
//! | [`hash`] | numbers, bytes | the hash values that lie in files: they never change within a format version |
//! | [`text`] | one text | folded tokens, shingles, sentences, sounds; title, bylines and body |
//! | [`rows`] | bytes of files | texts with the columns beside them, ranks; and texts as packed bytes |
//! | [`words`] | one text | words, stems, weighted terms |
//! | [`mod@fingerprint`] | many texts, a [family](fingerprint::Family) | digests, keys and codes |
//! | [`measure`] | two texts | an exact figure of how alike they are |
//! | [`align`] | two texts | the passages that they share, and how these were changed |
//! | [`index`] | keys and codes of all texts | who shares a key, whose code is near |
//! | [`judge`] | documents by rank, their keys, their texts | which document is a copy of which |
//!
//! Files and Python are the business of other crates: what is needed of them is a trait here, such as
//! [`TextBlock`](text::TextBlock) for texts by position and [`TextSource`](judge::probe::TextSource) for texts that are
//! read when they are asked for.
//!
//! # An example
//!
//! A reprint changes the byline and a word, and adds a sentence.
//!
//! ```
//! use std::collections::HashSet;
//! use whorl_core::align::pair::{Given, Judge, LeaveOut, new_names};
//! use whorl_core::fingerprint::{MinHash, fingerprint};
//! use whorl_core::judge::demand::{Demand, Kind};
//! use whorl_core::measure::features::{Features, Likeness, Part, Unit};
//! use whorl_core::measure::verify::Measure;
//! use whorl_core::text::Text;
//!
//! let original = "The ice house of the old harbour burned down on Monday night; nobody was hurt. The mayor said that \
//!                 it would be built again before the herring come, and that the town would bear the cost.";
//! let reprint = "The ice house of the old harbour burned down on Monday night; nobody was hurt. The mayor said that \
//!                it will be built again before the herring come, and that the town would bear the cost. Work begins.";
//! let texts = vec![Text::Utf8(original), Text::Utf8(reprint)];
//!
//! // Keys of each text: bands of a sketch of its shingles.
//! let family = MinHash { width: 3, values: 128, bands: 32, rows: 4 };
//! let fingerprints = fingerprint(&texts, &family);
//! let (own, other) = fingerprints.keys.split_at(fingerprints.counts[0] as usize);
//!
//! // They share some, so they are compared,
//! let own: HashSet<&u64> = own.iter().collect();
//! assert!(other.iter().any(|key| own.contains(key)));
//!
//! // by an exact figure of their shingles: 31 of 39 different ones are in both.
//! let features = Features { part: Part::Whole, unit: Unit::Tokens, width: 3, likeness: Likeness::None };
//! let demand = Demand { figure: Kind::Features(Measure::Jaccard, features), threshold: 0.7 };
//! let figure = demand.figure(texts[1], texts[0]);
//! assert_eq!((figure.shared, figure.united), (31, 39));
//! assert!(figure.similarity >= demand.threshold);
//!
//! // What the reprint has of the original, in code points of both.
//! let code_points = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
//! let (a, b, names) = (code_points(original), code_points(reprint), new_names());
//! let given = |number, text| Given::plain((names, number), text);
//! let judgement = Judge::default().judge(given(0, &a), given(1, &b), LeaveOut::default(), &[]);
//! assert_eq!(judgement.passages.len(), 1);
//! assert!(reprint[judgement.passages[0].b.clone()].ends_with("bear the cost."));
//! ```

pub mod align;
pub mod fingerprint;
pub mod hash;
pub mod index;
pub mod judge;
pub mod measure;
pub mod rows;
pub mod text;
pub mod words;
