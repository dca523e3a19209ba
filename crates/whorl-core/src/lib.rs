//! The engine of whorl, without I/O: text is folded, cut into tokens and shingles, sketched, turned into
//! keys, grouped by shared keys, and compared exactly.
//!
//! ```text
//! text ─fold→ tokens ─window hash→ shingles ─sketch→ values ─bands→ keys ─group→ candidates ─verify→ decisions
//! ```
//!
//! Data flows through the modules in that order: [`text`], [`shingle`], [`sketch`], [`fingerprint`], [`group`],
//! [`verify`], [`probe`], and [`removals`] says how copies were changed. What is compared are [`features`], what makes
//! a copy is a [`verdict`].
//! Beside them, [`pinyin`] reads Han characters, for people by [`reading_words`], [`granule`] fingerprints what they
//! sound like, and [`look_alike`]
//! puts back characters that stand in for others; [`located`] is a folded text that remembers where its tokens were,
//! [`shingle_text`] one that remembers its characters,
//! [`sentence`] cuts text at its sentences, and [`structure`] makes keys of sentences, segments, punctuation and bags;
//! [`words`] cuts text into words, weighs them, and makes keys of them; [`winnow`] and [`simhash`] make keys of the
//! whole text, with [`named_hash`] for codes that other programs make. [`jsonl`] and [`encoding`] read text out of
//! bytes, [`order`] ranks documents, [`form`] says which copy is the most complete and the cleanest, [`nshash`] serves the drop-in of that name. [`hamming`] finds codes near a code,
//! [`inverted`] documents that have a key; both keep their rows in [`segments`], whose files are [`segment_file`]s; [`packing`] makes the bytes that texts are
//! kept as. Nothing here opens a file, knows Python, or decides what a user meant.
//!
//! Every hash value is part of a file format: the constants in [`hash`] and the folding table never change within
//! a format version.

pub mod align;
pub mod fingerprint;
pub mod hash;
pub mod index;
pub mod judge;
pub mod measure;
pub mod rows;
pub mod text;
pub mod words;
