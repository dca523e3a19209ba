//! Fingerprints computed from terms.

use super::{Body, Family, simhash};
use crate::hash::named_hash::{NamedHash, widened};
use crate::hash::{GOLDEN, absorb, mix};
use crate::text::shingle::FoldedText;
use crate::words::{Cutter, Term, TermReader, Terms};

/// How terms become keys. A text with fewer than `min_terms` candidate terms has no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One key for each of the heaviest terms.
    Info {
        /// Maximum number of keys.
        terms: usize,
        /// Minimum number of terms.
        min_terms: usize,
    },
    /// One key for the set of the heaviest terms.
    Keywords {
        /// Number of terms in the set; texts with fewer use all of them.
        terms: usize,
        /// Minimum number of terms.
        min_terms: usize,
    },
    /// One key for the set of terms whose rarity lies in a band, and one for its intersection with each random lexicon.
    IMatch {
        /// The band, inclusive, in steps of [`crate::words::IDF_STEPS`].
        band: (u32, u32),
        /// Number of random lexicons; each omits a third of all words.
        lexicons: u64,
        /// Minimum number of terms.
        min_terms: usize,
    },
    /// Blocks of a weighted SimHash code of the heaviest terms.
    SimHash(TermCode),
}

/// Parameters of a SimHash fingerprint of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCode {
    /// Maximum number of terms.
    pub terms: usize,
    /// Texts with fewer terms have no fingerprint.
    pub min_terms: usize,
    /// Bits of the code, a multiple of 8.
    pub bits: usize,
    /// Number of blocks, one key each.
    pub blocks: usize,
    /// The hash function for terms; None for whorl's word hash.
    pub hash: Option<NamedHash>,
}

/// The family whose keys are computed from terms.
pub struct ByTerms<'r> {
    /// Selects the terms of a text.
    pub reader: &'r TermReader,
    /// Turns terms into keys.
    pub method: Method,
}

impl<'r> Family for ByTerms<'r> {
    type Folded = FoldedText;
    type Scratch = (Cutter<'r>, Terms);

    fn scratch(&self) -> Self::Scratch {
        (self.reader.cutter(), Terms::default())
    }

    fn code_width(&self) -> usize {
        match self.method {
            Method::SimHash(parameters) => parameters.bits / 8,
            _ => 0,
        }
    }

    fn fingerprint(
        &self,
        body: &Body<'_, FoldedText>,
        (cutter, terms): &mut Self::Scratch,
        keys: &mut Vec<u64>,
        code: &mut [u8],
    ) {
        self.reader.read(cutter, body.text, terms);
        match self.method {
            Method::SimHash(parameters) => push_code(self.reader, terms, parameters, keys, code),
            method => push_keys(terms, method, keys),
        }
    }
}

fn push_keys(terms: &mut Terms, method: Method, keys: &mut Vec<u64>) {
    let term_count = terms.list.len();
    match method {
        Method::Info { terms: limit, min_terms } if term_count >= min_terms => {
            terms.keep_heaviest(limit);
            keys.extend(terms.list.iter().map(|term| term.hash));
        }
        Method::Keywords { terms: limit, min_terms } if term_count >= min_terms => {
            terms.keep_heaviest(limit);
            terms.list.sort_unstable_by_key(|term| term.hash);
            keys.extend(set_key(0, &terms.list, 1));
        }
        Method::IMatch { band: (low, high), lexicons, min_terms } => {
            terms.list.retain(|term| (low..=high).contains(&term.rarity));
            for lexicon in 0..=lexicons {
                keys.extend(set_key(lexicon, &terms.list, min_terms));
            }
        }
        _ => {}
    }
}

fn push_code(reader: &TermReader, terms: &mut Terms, parameters: TermCode, keys: &mut Vec<u64>, code: &mut [u8]) {
    let TermCode { min_terms, bits, blocks, hash, .. } = parameters;
    if terms.list.len() < min_terms {
        return;
    }
    reader.choose(terms, parameters.terms);
    let hashed = |term: &Term| hash.map_or_else(|| widened(term.hash), |hash| hash.of(terms.word(term).as_bytes()));
    let code_value = simhash::weighted_code(terms.list.iter().map(|term| (hashed(term), term.weight)), bits);
    if let Some(code_value) = code_value {
        simhash::block_keys(code_value, bits, blocks, keys);
        code.copy_from_slice(&code_value.to_le_bytes()[..bits / 8]);
    }
}

/// The key of a set of terms, by hash, in a lexicon; None if fewer than `min_terms` of them are in it. Lexicon 0
/// contains all words.
fn set_key(lexicon: u64, terms: &[Term], min_terms: usize) -> Option<u64> {
    let (mut state, mut members) = (GOLDEN.wrapping_mul(lexicon + 1), 0);
    for term in terms.iter().filter(|term| has(lexicon, term.hash)) {
        state = absorb(state, term.hash);
        members += 1;
    }
    (members >= min_terms.max(1)).then(|| mix(state))
}

fn has(lexicon: u64, word: u64) -> bool {
    lexicon == 0 || !mix(word ^ GOLDEN.wrapping_mul(lexicon)).is_multiple_of(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(hash: u64, count: u32, rarity: u32) -> Term {
        Term::new(hash, rarity, u64::from(count) * u64::from(rarity))
    }

    fn keys(terms: &[Term], method: Method) -> Vec<u64> {
        let mut keys = Vec::new();
        push_keys(&mut Terms::of(terms.to_vec()), method, &mut keys);
        keys
    }

    #[test]
    fn info_keeps_the_heaviest_terms() {
        let terms = [term(1, 1, 10), term(2, 3, 10), term(3, 1, 10), term(4, 1, 20)];
        assert_eq!(keys(&terms, Method::Info { terms: 3, min_terms: 3 }), [2, 4, 1]);
        assert!(keys(&terms, Method::Info { terms: 3, min_terms: 5 }).is_empty());
    }

    #[test]
    fn keywords_forget_the_order_of_weights() {
        let method = Method::Keywords { terms: 2, min_terms: 2 };
        let single = keys(&[term(1, 9, 1), term(2, 8, 1), term(3, 1, 1)], method);
        assert_eq!(single, keys(&[term(1, 8, 1), term(2, 9, 1), term(4, 2, 1)], method));
        assert_ne!(single, keys(&[term(1, 9, 1), term(2, 1, 1), term(3, 8, 1)], method));
    }

    #[test]
    fn a_lexicon_lacks_a_third_of_the_words() {
        let present = (0..30_000u64).filter(|&word| has(4, mix(word))).count();
        assert!((19_500..20_500).contains(&present), "{present}");
    }

    #[test]
    fn a_word_outside_a_lexicon_changes_nothing_in_it() {
        let stays: Vec<u64> = (1..=10).filter(|&lexicon| !has(lexicon, 77)).collect();
        assert!(!stays.is_empty());
        let mut terms: Vec<Term> = (1..30).map(|hash| term(hash, 1, 5)).collect();
        let before: Vec<_> = stays.iter().map(|&lexicon| set_key(lexicon, &terms, 1)).collect();
        terms.push(term(77, 1, 5));
        let after: Vec<_> = stays.iter().map(|&lexicon| set_key(lexicon, &terms, 1)).collect();
        assert_eq!(before, after);
        assert_ne!(set_key(0, &terms, 1), set_key(0, &terms[..29], 1));
    }

    #[test]
    fn imatch_takes_only_the_band() {
        let method = Method::IMatch { band: (5, 8), lexicons: 3, min_terms: 2 };
        let inside = [term(1, 1, 5), term(2, 9, 8)];
        let outside = [inside[0], inside[1], term(3, 1, 9), term(4, 1, 4)];
        assert_eq!(keys(&inside, method), keys(&outside, method));
        assert!(keys(&inside[..1], method).is_empty());
    }
}
