//! The engine of whorl, without I/O: finds duplicate, near-duplicate and copied text, and the passages that two texts
//! share.
//!
//! # The idea
//!
//! Comparing every pair of a corpus is quadratic. Instead, each text gets *keys*: 64-bit numbers computed from that
//! text alone such that copies are likely to share one. Only texts that share a key are compared, and only the
//! comparison decides. There is a single mechanism for finding shared keys, whatever the keys are made of. Keys affect
//! which pairs are compared, never the decision itself.
//!
//! # Data flow
//!
//! Each folder imports only from the folders above it in this table:
//!
//! | folder | input | output |
//! |---|---|---|
//! | [`hash`] | numbers, bytes | hash values stored in files: fixed within a format version |
//! | [`text`] | one text | folded tokens, shingles, sentences, sounds; title, bylines and body |
//! | [`rows`] | bytes of files | texts with their columns, ranks; and texts as packed bytes |
//! | [`words`] | one text | words, stems, weighted terms |
//! | [`mod@fingerprint`] | many texts, a [family](fingerprint::Family) | digests, keys and codes |
//! | [`measure`] | two texts | their exact similarity |
//! | [`align`] | two texts | the passages that they share, and how these were changed |
//! | [`index`] | keys and codes of all texts | texts that share a key or have similar codes |
//! | [`judge`] | documents by rank, their keys, their texts | which document is a copy of which |
//! | [`inside`] | texts by rank | text that is repeated within and across documents |
//!
//! Files and Python are handled by other crates. The engine accesses them through traits, such as
//! [`TextBlock`](text::TextBlock) for texts by position and [`TextSource`](judge::probe::TextSource) for texts that are
//! loaded on demand.
//!
//! # An example
//!
//! A reprint changes the byline and a word, and adds a sentence.
//!
//! ```
//! use std::collections::HashSet;
//! use whorl_core::align::pair::{InputText, Judge, LeaveOut, new_names};
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
//! // Compute keys: bands of a MinHash sketch of the shingles.
//! let family = MinHash { width: 3, values: 128, bands: 32, rows: 4 };
//! let fingerprints = fingerprint(&texts, &family);
//! let (original_keys, reprint_keys) = fingerprints.keys.split_at(fingerprints.counts[0] as usize);
//!
//! // The texts share keys, so they are compared.
//! let original_keys: HashSet<&u64> = original_keys.iter().collect();
//! assert!(reprint_keys.iter().any(|key| original_keys.contains(key)));
//!
//! // Compute the exact similarity: 31 of 39 distinct shingles are in both.
//! let features = Features { part: Part::Whole, unit: Unit::Tokens, width: 3, likeness: Likeness::None };
//! let demand = Demand { figure: Kind::Features(Measure::Jaccard, features), threshold: 0.7 };
//! let figure = demand.figure(texts[1], texts[0]);
//! assert_eq!((figure.shared, figure.united), (31, 39));
//! assert!(figure.similarity >= demand.threshold);
//!
//! // Align the texts: passages are ranges of code points in both.
//! let code_points = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
//! let (a, b, names) = (code_points(original), code_points(reprint), new_names());
//! let input = |number, text| InputText::plain((names, number), text);
//! let judgement = Judge::default().judge(input(0, &a), input(1, &b), LeaveOut::default(), &[]);
//! assert_eq!(judgement.passages.len(), 1);
//! assert!(reprint[judgement.passages[0].b.clone()].ends_with("bear the cost."));
//! ```

pub mod align;
pub mod fingerprint;
pub mod hash;
pub mod index;
pub mod inside;
pub mod judge;
pub mod measure;
pub mod rows;
pub mod text;
pub mod words;
