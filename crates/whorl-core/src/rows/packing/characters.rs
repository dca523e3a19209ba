//! Encodes code points as bytes such that Chinese compresses well.
//!
//! UTF-8 takes three bytes per Han character, which compress worse than the two of GBK, but GBK cannot represent every
//! code point. This encoding extends it: ASCII is unchanged. A character in GBK is its two bytes there, except for
//! private-use codes, which differ between editions. Any other code point, lone surrogates included, is the byte 80
//! followed by two bytes, or the byte FF followed by three, with the number in big-endian order. No GBK character
//! begins with either byte, so the encoding is unambiguous.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use encoding_rs::{DecoderResult, GBK};

const SHORT: u8 = 0x80;
const LONG: u8 = 0xFF;
const FIRST_CODE: u16 = 0x8140;
const LAST_CODE: u16 = 0xFEFE;
const PRIVATE_USE: RangeInclusive<u16> = 0xE000..=0xF8FF;

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

/// Characters with a two-byte code; 0 marks a missing entry.
struct Table {
    /// By code point.
    codes: Vec<u16>,
    /// By code, from the first code on.
    characters: Vec<u16>,
}

impl Table {
    fn new() -> Self {
        let mut codes = vec![0; 1 << 16];
        let mut characters = vec![0; usize::from(LAST_CODE - FIRST_CODE) + 1];
        for (place, character) in characters.iter_mut().enumerate() {
            let code = FIRST_CODE + place as u16;
            if let Some(decoded) = decode_gbk(code) {
                *character = decoded;
                if codes[usize::from(decoded)] == 0 {
                    codes[usize::from(decoded)] = code;
                }
            }
        }
        Self { codes, characters }
    }
}

/// The character of a two-byte code.
fn decode_gbk(code: u16) -> Option<u16> {
    let mut decoded = [0; 4];
    let mut decoder = GBK.new_decoder_without_bom_handling();
    let bytes = code.to_be_bytes();
    match decoder.decode_to_utf16_without_replacement(&bytes, &mut decoded, true) {
        (DecoderResult::InputEmpty, 2, 1) if !PRIVATE_USE.contains(&decoded[0]) => Some(decoded[0]),
        _ => None,
    }
}

/// Appends the encoded code points and returns their number. Linear.
pub(crate) fn encode(code_points: impl Iterator<Item = u32>, bytes: &mut Vec<u8>) -> usize {
    let codes = &TABLE.codes;
    let mut count = 0;
    for code_point in code_points {
        count += 1;
        let number = code_point.to_be_bytes();
        match codes.get(code_point as usize) {
            _ if code_point < 0x80 => bytes.push(number[3]),
            Some(0) => bytes.extend([SHORT, number[2], number[3]]),
            Some(code) => bytes.extend(code.to_be_bytes()),
            None => bytes.extend([LONG, number[1], number[2], number[3]]),
        }
    }
    count
}

/// Decodes bytes into `count` code points; None if `encode` never produces these bytes. Linear.
pub(crate) fn decode(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    let characters = &TABLE.characters;
    let mut code_points = Vec::new();
    code_points.try_reserve_exact(count).ok()?;
    code_points.resize(count, 0);
    let mut rest = bytes;
    for code_point in &mut code_points {
        (*code_point, rest) = match *rest {
            [byte @ ..=0x7F, ref after @ ..] => (u32::from(byte), after),
            [SHORT, high, low, ref after @ ..] => (u32::from_be_bytes([0, 0, high, low]), after),
            [LONG, high @ ..=0x10, middle, low, ref after @ ..] => (u32::from_be_bytes([0, high, middle, low]), after),
            [high @ 0x81..=0xFE, low, ref after @ ..] => {
                let place = u16::from_be_bytes([high, low]).checked_sub(FIRST_CODE)?;
                match *characters.get(usize::from(place))? {
                    0 => return None,
                    character => (u32::from(character), after),
                }
            }
            _ => return None,
        };
    }
    rest.is_empty().then_some(code_points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::GB18030;
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    const LAST_CODE_POINT: u32 = 0x10_FFFF;

    /// The slow reference: the same encoding, one character at a time.
    fn encode_slowly(code_points: &[u32]) -> Vec<u8> {
        let encode_one = |&code_point: &u32| {
            let character = char::from_u32(code_point).map(String::from).unwrap_or_default();
            let (code, _, lacks) = GB18030.encode(&character);
            let is_private = PRIVATE_USE.contains(&(code_point as u16));
            let number = code_point.to_be_bytes();
            match (code_point, code.len()) {
                (..=0x7F, _) => vec![number[3]],
                (_, 2) if !lacks && !is_private => code.into_owned(),
                (..0x1_0000, _) => vec![SHORT, number[2], number[3]],
                _ => vec![LONG, number[1], number[2], number[3]],
            }
        };
        code_points.iter().flat_map(encode_one).collect()
    }

    fn encoded(code_points: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(code_points.iter().copied(), &mut bytes);
        bytes
    }

    #[test]
    fn every_code_point_comes_back_alone_and_among_all_others() {
        let every: Vec<u32> = (0..=LAST_CODE_POINT).collect();
        assert!(every.iter().all(|&unit| decode(&encoded(&[unit]), 1).as_deref() == Some(&[unit])));
        assert_eq!(decode(&encoded(&every), every.len()), Some(every));
    }

    #[test]
    fn codes_are_a_file_format() {
        let bytes: Vec<u8> = TABLE.characters.iter().flat_map(|character| character.to_le_bytes()).collect();
        assert_eq!(xxh3_64(&bytes), 950_833_507_639_032_096);
    }

    #[test]
    fn what_nothing_is_encoded_as_is_refused() {
        for bytes in [&b"\x80"[..], b"\x80\x4E", b"\xFF\x11\0\0", b"\xFF\x01\0", b"\x81", b"\x81\x7F", b"\xA2\xA0"] {
            assert_eq!(decode(bytes, 1), None, "{bytes:x?}");
        }
        assert_eq!(decode(b"ab", 1), None);
        assert_eq!(decode(b"ab", 3), None);
    }

    proptest! {
        #[test]
        fn texts_are_encoded_as_the_slow_twin_does(text in prop::collection::vec(0..=LAST_CODE_POINT, 0..40)) {
            prop_assert_eq!(encoded(&text), encode_slowly(&text));
        }

        #[test]
        fn texts_of_one_plane_are_too(text in prop::collection::vec(0..=0xFFFF_u32, 0..40)) {
            prop_assert_eq!(encoded(&text), encode_slowly(&text));
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..20), count in 0..20_usize) {
            if let Some(text) = decode(&bytes, count) {
                prop_assert_eq!(decode(&encoded(&text), count), Some(text));
            }
        }
    }
}
