//! Manifests of the Coalition for Content Provenance and Authenticity (C2PA) within texts.
//!
//! A signed statement about the origin of a text is embedded in it as invisible characters: U+FEFF, then a variation
//! selector for each byte. The bytes are a magic number, a version, the length of the statement in four bytes, the
//! highest first, and the statement. Source: C2PA Technical Specification 2.1, embedding manifests into unstructured
//! text.

use std::ops::Range;

const PREFIX: u32 = 0xFEFF;
const MAGIC: [u8; 8] = *b"C2PATXT\0";
/// Bytes before the statement: the magic number, the version and the length.
const HEAD: usize = MAGIC.len() + 1 + 4;

/// Returns the complete manifests of a text, in order; `prefixes` are places where one may begin, ascending.
pub(crate) fn manifests(text: &[u32], prefixes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    prefixes.filter(|&place| text[place] == PREFIX).filter_map(|place| manifest_at(text, place)).collect()
}

fn manifest_at(text: &[u32], place: usize) -> Option<Range<usize>> {
    let mut bytes = text[place + 1..].iter().map_while(|&selector| byte_of(selector));
    if !MAGIC.iter().all(|&expected| bytes.next() == Some(expected)) {
        return None;
    }
    let _version = bytes.next()?;
    let length = (0..4).try_fold(0, |length, _| Some(length << 8 | usize::from(bytes.next()?)))?;
    (bytes.take(length).count() == length).then(|| place..place + 1 + HEAD + length)
}

/// The byte that a variation selector represents.
fn byte_of(selector: u32) -> Option<u8> {
    match selector {
        0xFE00..=0xFE0F => u8::try_from(selector - 0xFE00).ok(),
        0xE0100..=0xE01EF => u8::try_from(selector - 0xE0100 + 16).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn selector(byte: u8) -> u32 {
        u32::from(byte) + if byte < 16 { 0xFE00 } else { 0xE0100 - 16 }
    }

    fn wrapped(statement: &[u8], length: u32) -> Vec<u32> {
        let bytes = [&MAGIC[..], &[1], &length.to_be_bytes(), statement].concat();
        std::iter::once(PREFIX).chain(bytes.into_iter().map(selector)).collect()
    }

    fn all(text: &[u32]) -> Vec<Range<usize>> {
        manifests(text, 0..text.len())
    }

    proptest! {
        #[test]
        fn manifests_between_texts(statement: Vec<u8>, before in "[今a\u{feff}\u{fe0f}]{0,9}", after in "[今a\u{feff}\u{fe0f}]{0,9}") {
            let code_points = |text: &str| text.chars().map(u32::from).collect::<Vec<_>>();
            let (before, manifest) = (code_points(&before), wrapped(&statement, statement.len() as u32));
            let text = [before.clone(), manifest.clone(), code_points(&after)].concat();
            prop_assert_eq!(all(&text), vec![before.len()..before.len() + manifest.len()]);
            let cut = [before, manifest[..manifest.len() - 1].to_vec(), code_points("今")].concat();
            prop_assert_eq!(all(&cut), vec![]);
        }
    }

    #[test]
    fn a_length_beyond_the_text_is_no_manifest() {
        assert_eq!(all(&wrapped(b"jumb", u32::MAX)), []);
    }
}
