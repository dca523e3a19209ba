use super::*;
use proptest::prelude::*;

fn packed(text: &str) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| packer.pack(Text::Utf8(text)))
}

fn unpacked(packed: &[u8]) -> Option<Vec<u32>> {
    unpack(&[packed]).pop().expect("one answer a text")
}

/// A packed text with arbitrary contents and a valid checksum.
fn forged(count: u32, frame: &[u8]) -> Vec<u8> {
    [&count.to_le_bytes(), &checksum(frame, count).to_le_bytes(), frame].concat()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(compress_bound(bytes.len()));
    zstd_safe::compress(&mut frame, bytes, LEVEL).expect("there is room");
    frame
}

#[test]
fn long_and_empty_texts_come_back() {
    for text in [String::new(), "\0".into(), "渔港的冰厂添了新机器🗞".repeat(700_000)] {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        assert!(unpacked(&packed(&text)) == Some(code_points));
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let whole = packed("渔港的冰厂今年添了新机器🗞");
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[place] ^= 1 << bit;
            assert_eq!(unpacked(&damaged), None, "bit {bit} of byte {place}");
        }
        assert_eq!(unpacked(&whole[..place]), None, "cut at {place}");
    }
    assert_eq!(unpacked(&[&whole[..], &[0]].concat()), None);
}

#[test]
fn forged_texts_are_refused() {
    let frame = compressed(b"abc");
    assert_eq!(unpacked(&forged(3, &frame)), Some(vec![97, 98, 99]));
    for count in [0, 2, 4, MOST_CODE_POINTS as u32 + 1, u32::MAX] {
        assert_eq!(unpacked(&forged(count, &frame)), None, "{count}");
    }
    assert_eq!(unpacked(&forged(4, &[&frame[..], &compressed(b"d")].concat())), None, "a second frame");
    assert_eq!(unpacked(&forged(3, &compressed(b"\x81\x7Fa"))), None, "no character");
    assert_eq!(unpacked(&forged(0, b"")), None, "no frame");
}

#[test]
fn a_frame_that_claims_a_size_it_cannot_fill_is_refused() {
    // A single-segment frame with a four-byte size and one empty last block.
    let claims = |size: u32| [&[0x28, 0xB5, 0x2F, 0xFD, 0xA0][..], &size.to_le_bytes(), &[1, 0, 0]].concat();
    assert_eq!(unpacked(&forged(0, &claims(0))), Some(Vec::new()));
    for size in [1, 1 << 20, 1 << 26, 1 << 28, u32::MAX] {
        assert_eq!(unpacked(&forged(size.min(MOST_CODE_POINTS as u32), &claims(size))), None, "{size}");
    }
}

proptest! {
    #[test]
    fn texts_come_back_in_their_order(texts in prop::collection::vec(prop::collection::vec(0..=0x10_FFFF_u32, 0..30), 0..40)) {
        let packed = pack(&texts.iter().map(|text| Text::CodePoints(text)).collect::<Vec<_>>());
        let twice: Vec<Vec<u8>> = texts.iter().map(|text| PACKER.with_borrow_mut(|own| own.pack(Text::CodePoints(text)))).collect();
        prop_assert_eq!(&packed, &twice);
        prop_assert_eq!(unpack(&packed), texts.into_iter().map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_with_a_right_checksum_are_a_text_or_refused(count in 0..9_u32, frame in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = unpacked(&forged(count, &frame));
    }

    #[test]
    fn damaged_frames_with_a_right_checksum_are_a_text_or_refused(text in ".{0,40}", place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut frame = packed(&text).split_off(8);
        let place = place.index(frame.len());
        frame[place] ^= byte;
        let count = text.chars().count() as u32;
        prop_assert!(unpacked(&forged(count, &frame)).is_none_or(|text| text.len() == count as usize));
    }
}
