use proptest::prelude::*;

use super::*;

const KIND: [u8; 4] = *b"test";

fn build(numbers: &[u64], bytes: &[u8]) -> SegmentFile {
    let mut builder = Builder::new(KIND, &[("numbers", numbers.len() * 8), ("bytes", bytes.len())]);
    let mut columns = builder.columns();
    columns[0].copy_from_slice(bytemuck::cast_slice(numbers));
    columns[1].copy_from_slice(bytes);
    builder.finish(&[("answer", 42)])
}

fn written(file: &SegmentFile) -> Vec<u8> {
    file.parts().concat()
}

/// Bytes in memory with the alignment of a mapped file.
pub(crate) fn mapped(bytes: &[u8]) -> Body {
    struct Aligned(Vec<u128>, usize);
    impl AsRef<[u8]> for Aligned {
        fn as_ref(&self) -> &[u8] {
            &bytemuck::cast_slice(&self.0)[..self.1]
        }
    }
    let mut memory = vec![0u128; bytes.len().div_ceil(16)];
    bytemuck::cast_slice_mut::<u128, u8>(&mut memory)[..bytes.len()].copy_from_slice(bytes);
    Box::new(Aligned(memory, bytes.len()))
}

/// If any byte of any file is wrong, or any file is truncated, `answer` rejects the files or returns the same result.
pub(crate) fn damage_is_refused<T: PartialEq + std::fmt::Debug>(
    files: &[SegmentFile],
    answer: impl Fn(&[Vec<u8>]) -> Result<T, Refused>,
) {
    let whole: Vec<Vec<u8>> = files.iter().map(written).collect();
    let expected = answer(&whole).unwrap();
    let mut refused = 0;
    for file in 0..whole.len() {
        let step = if whole[file].len() > 4096 { 61 } else { 1 };
        for at in (0..whole[file].len()).step_by(step) {
            let mut flipped = whole.clone();
            flipped[file][at] ^= 1 << (at % 8);
            match answer(&flipped) {
                Ok(answers) => assert_eq!(answers, expected, "file {file}, byte {at}"),
                Err(_) => refused += 1,
            }
            let mut cut = whole.clone();
            cut[file].truncate(at);
            assert!(answer(&cut).is_err());
        }
    }
    assert!(refused > 400);
    let swapped: Vec<Vec<u8>> = whole.into_iter().rev().collect();
    assert!(matches!(answer(&swapped), Err(Refused::Foreign(_))));
}

fn opened(bytes: &[u8]) -> Result<SegmentFile, Refused> {
    SegmentFile::open(mapped(bytes), KIND)
}

fn content(file: &SegmentFile) -> Result<(Vec<u64>, Vec<u8>, u64), Refused> {
    let numbers = file.read_all(file.column::<u64>("numbers")?)?.to_vec();
    let bytes = file.read_all(file.column::<u8>("bytes")?)?.to_vec();
    Ok((numbers, bytes, file.fact("answer")?))
}

proptest! {
    #[test]
    fn what_is_written_is_read(numbers in prop::collection::vec(any::<u64>(), 0..9000), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let file = build(&numbers, &bytes);
        let again = opened(&written(&file)).unwrap();
        prop_assert_eq!(content(&file).unwrap(), (numbers.clone(), bytes.clone(), 42));
        prop_assert_eq!(content(&again).unwrap(), (numbers, bytes, 42));
        prop_assert_eq!(again.identity(), file.identity());
        prop_assert_eq!(written(&again), written(&file));
        prop_assert_eq!(again.verify(), Ok(()));
    }
}

/// Flips every byte of a file in turn: the file is rejected when it is opened or verified, and no column is ever read
/// with different content.
#[test]
fn no_flipped_byte_is_taken_for_data() {
    let numbers: Vec<u64> = (0..4100).collect();
    let file = build(&numbers, b"names");
    let (whole, expected) = (written(&file), content(&file).unwrap());
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        if let Ok(file) = opened(&bytes) {
            assert!(matches!(file.verify(), Err(Refused::Damaged(_))), "byte {at}");
            assert!(content(&file).is_err() || content(&file).unwrap() == expected, "byte {at}");
        }
        if at > 200 && at + 600 < whole.len() && at % 97 != 0 {
            continue;
        }
        assert!(opened(&whole[..at]).is_err(), "cut at {at}");
    }
    assert!(opened(&[whole, vec![0]].concat()).is_err());
}

#[test]
fn foreign_files_are_named_as_such() {
    assert!(matches!(opened(b""), Err(Refused::Foreign(_))));
    assert!(matches!(opened(&[0; 4096]), Err(Refused::Foreign(_))));
    let other = Builder::new(*b"else", &[]).finish(&[]);
    assert!(matches!(opened(&written(&other)), Err(Refused::Foreign(_))));
    let mut newer = written(&build(&[1], b""));
    newer[8] = 2;
    assert_eq!(opened(&newer).err(), Some(Refused::Version(2)));
}

#[test]
fn only_what_is_touched_is_checked() {
    let numbers: Vec<u64> = (0..10_000).collect();
    let mut bytes = written(&build(&numbers, b""));
    let last_number = 64 + 8 * 9_999;
    bytes[last_number] ^= 1;
    let file = opened(&bytes).unwrap();
    let column = file.column::<u64>("numbers").unwrap();
    assert_eq!(file.read(column, 5..7), Ok(&[5, 6][..]));
    assert!(file.read(column, 9_998..10_000).is_err());
    assert!(file.read(column, 9_998..10_001).is_err());
    assert!(file.column::<u64>("names").is_err());
    assert!(file.fact("question").is_err());
}
