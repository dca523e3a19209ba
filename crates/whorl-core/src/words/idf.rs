//! Inverse document frequencies.
//!
//! A value is the natural logarithm of (documents ÷ documents with the word), in steps of 1/4096: weights are integers
//! and therefore the same on every platform. A word is identified by the upper half of its hash: among n words, an
//! unknown word is mistaken for one of them with probability n / 2³².

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, LazyLock};

use xxhash_rust::xxh3::Xxh3;

use crate::hash::GOLDEN;
use crate::words::word_hash;

/// Steps per unit.
pub const IDF_STEPS: u32 = 4096;
const MAGIC: &[u8; 8] = b"whorlidf";

/// A table of values by word.
pub struct Idf {
    values: HashMap<u32, u32, Spread>,
    common: HashSet<u32, Spread>,
    unknown: u32,
    digest: u64,
}

impl Idf {
    /// Returns jieba's table, computed from general Chinese.
    pub fn embedded() -> Arc<Self> {
        static EMBEDDED: LazyLock<Arc<Idf>> = LazyLock::new(|| Arc::new(Idf::parse(include_bytes!("idf_table.bin"))));
        Arc::clone(&EMBEDDED)
    }

    /// Creates a table from folded words with their document counts. Words in more than `common_share` of the documents
    /// are marked as common. Unknown words get the median value.
    pub fn from_counts<'a>(
        documents: u64,
        counts: impl IntoIterator<Item = (&'a str, u64)>,
        common_share: f64,
    ) -> Self {
        let (mut values, mut common) = (HashMap::default(), HashSet::default());
        let mut digest = Xxh3::new();
        digest.update(&documents.to_le_bytes());
        digest.update(&common_share.to_le_bytes());
        for (word, count) in counts {
            digest.update(word.as_bytes());
            digest.update(&[0]);
            digest.update(&count.to_le_bytes());
            let stored = upper(word_hash(word));
            let value = (documents as f64 / count.clamp(1, documents.max(1)) as f64).ln();
            values.insert(stored, (value * f64::from(IDF_STEPS)).round() as u32);
            if count as f64 > common_share * documents as f64 {
                common.insert(stored);
            }
        }
        let unknown = median(values.values().copied().collect());
        Self { values, common, unknown, digest: digest.digest() }
    }

    /// The XXH3-64 of the counts in little-endian order: documents and share, then each word, a zero byte, and its
    /// count. 0 for the embedded table.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The value of the word with this hash, in steps; the median for an unknown word.
    #[inline]
    pub fn value(&self, hash: u64) -> u32 {
        self.values.get(&upper(hash)).copied().unwrap_or(self.unknown)
    }

    /// True for a word that occurs in nearly all documents.
    #[inline]
    pub fn is_common(&self, hash: u64) -> bool {
        !self.common.is_empty() && self.common.contains(&upper(hash))
    }

    /// Serializes the table in the format read by [`Idf::embedded`]: magic, count, the ascending words, their values.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut entries: Vec<(u32, u32)> = self.values.iter().map(|(&word, &value)| (word, value)).collect();
        entries.sort_unstable();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((entries.len() as u32).to_le_bytes());
        entries.iter().for_each(|(word, _)| bytes.extend(word.to_le_bytes()));
        entries.iter().for_each(|&(_, value)| bytes.extend(u16::try_from(value).unwrap_or(u16::MAX).to_le_bytes()));
        bytes
    }

    /// Creates a table from folded words and their values.
    pub fn from_values<'a>(values: impl IntoIterator<Item = (&'a str, f64)>) -> Self {
        let mut table = HashMap::default();
        for (word, value) in values {
            let steps = (value * f64::from(IDF_STEPS)).round() as u32;
            let stored = table.entry(upper(word_hash(word))).or_insert(steps);
            *stored = steps.min(*stored);
        }
        let unknown = median(table.values().copied().collect());
        Self { values: table, common: HashSet::default(), unknown, digest: 0 }
    }

    fn parse(bytes: &[u8]) -> Self {
        let body = bytes.strip_prefix(MAGIC).expect("the table begins with its name");
        let (count, body) = body.split_first_chunk::<4>().expect("the table has a count");
        let count = u32::from_le_bytes(*count) as usize;
        assert_eq!(body.len(), 6 * count, "the table is complete");
        let (words, values) = body.split_at(4 * count);
        let words = words.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
        let values = values.as_chunks::<2>().0.iter().map(|&value| u32::from(u16::from_le_bytes(value)));
        let values: HashMap<u32, u32, Spread> = words.zip(values).collect();
        let unknown = median(values.values().copied().collect());
        Self { values, common: HashSet::default(), unknown, digest: 0 }
    }
}

fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn median(mut values: Vec<u32>) -> u32 {
    let middle = values.len() / 2;
    if values.is_empty() { IDF_STEPS } else { *values.select_nth_unstable(middle).1 }
}

/// Hasher for values that are already hashes: spreads them over 64 bits.
#[derive(Clone, Copy, Default)]
struct Spread;

impl BuildHasher for Spread {
    type Hasher = Spreading;

    fn build_hasher(&self) -> Spreading {
        Spreading(0)
    }
}

struct Spreading(u64);

impl Hasher for Spreading {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are u32");
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.0 = u64::from(value).wrapping_mul(GOLDEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_knows_words_and_guesses_the_rest() {
        let idf = Idf::embedded();
        let value = |word: &str| f64::from(idf.value(word_hash(word))) / f64::from(IDF_STEPS);
        assert!((value("劳动防护") - 13.900_677_652).abs() < 1e-3);
        assert!(value("中国") < value("茶农"));
        assert_eq!(value("没有这个词"), f64::from(idf.unknown) / f64::from(IDF_STEPS));
    }

    #[test]
    fn counts_become_logarithms_and_common_words() {
        let idf = Idf::from_counts(100, [("新闻", 80), ("茶农", 1), ("桥", 10)], 0.5);
        let value = |word: &str| idf.value(word_hash(word));
        assert_eq!(value("茶农"), (100f64.ln() * 4096.0).round() as u32);
        assert_eq!(value("没见过"), value("桥"));
        assert!(idf.is_common(word_hash("新闻")) && !idf.is_common(word_hash("桥")));
        assert_ne!(idf.digest(), Idf::from_counts(100, [("新闻", 80), ("茶农", 1), ("桥", 11)], 0.5).digest());
    }
}
