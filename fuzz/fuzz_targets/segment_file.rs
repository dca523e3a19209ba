//! Modified index files with valid checksums: whatever they contain is rejected or searched without a fault.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use whorl_core::segment_file::{BLOCK, SegmentFile};
use whorl_core::segments::{Files, Segment as _, Window};
use whorl_core::{hamming, inverted};
use xxhash_rust::xxh3::xxh3_64;

type Coded = hamming::Segment<u64>;

/// Bytes with the alignment of a mapped file.
struct Aligned(Vec<u128>, usize);

impl Aligned {
    fn of(bytes: &[u8]) -> Self {
        let place = |chunk: &[u8]| {
            let mut filled = [0; 16];
            filled[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(filled)
        };
        Self(bytes.chunks(16).map(place).collect(), bytes.len())
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the vector is contiguous and at least this long.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.1) }
    }
}

/// The bytes of a manifest and a segment.
static KEYED: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let index = inverted::Index::new(1000);
    let counts = [3; 200];
    let keys = (0..600).map(|key: u64| key * key % 97).collect();
    let times = (0..200).collect();
    index.log().add(inverted::Keys::new(keys, &counts).expect("counted"), None, Some(times)).expect("they agree");
    index.log().remove(vec![7, 8]).expect("whole");
    let Files { manifest, segments } = index.log().sealed().expect("whole").to_files(index.log().common(), 1);
    [manifest.parts().concat(), segments[0].file().parts().concat()]
});
static CODED: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let index = hamming::Index::<u64>::new("4x16".parse().expect("a design"), 1000);
    let codes = (0..200).map(|code: u64| (code / 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ code).collect();
    index.log().add(codes, None, None).expect("they agree");
    index.log().remove(vec![7, 8]).expect("whole");
    let Files { manifest, segments } = index.log().sealed().expect("whole").to_files(index.log().common(), 1);
    [manifest.parts().concat(), segments[0].file().parts().concat()]
});

/// Recomputes the checksums of a file whose footer is where its header says.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len();
    let start = u64::from_le_bytes(bytes[24..32].try_into().expect("8 bytes")) as usize;
    let header = xxh3_64(&bytes[..56]);
    bytes[56..64].copy_from_slice(&header.to_le_bytes());
    if (64..length).contains(&start) && length >= start + 8 * start.div_ceil(BLOCK) + 8 {
        let sums: Vec<u8> = bytes[..start].chunks(BLOCK).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
        bytes[length - 8 - sums.len()..length - 8].copy_from_slice(&sums);
        let footer = xxh3_64(&bytes[start..length - 8]);
        bytes[length - 8..].copy_from_slice(&footer.to_le_bytes());
    }
    bytes
}

/// Returns both files with some bytes changed; the manifest names the segment.
fn changed(files: &[Vec<u8>; 2], changes: &[u8]) -> [Vec<u8>; 2] {
    let [mut manifest, mut segment] = files.clone();
    let old = segment[segment.len() - 8..].to_vec();
    let mut manifest_changes = Vec::new();
    for change in changes.chunks_exact(4) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]]));
        if change[2] & 1 == 0 {
            let length = segment.len();
            segment[place % length] = change[3];
        } else {
            manifest_changes.push((place % manifest.len(), change[3]));
        }
    }
    let segment = sealed(segment);
    let new = &segment[segment.len() - 8..];
    let named = manifest.windows(8).position(|window| window == old).expect("it names the segment");
    manifest[named..named + 8].copy_from_slice(new);
    manifest_changes.into_iter().for_each(|(place, value)| manifest[place] = value);
    [sealed(manifest), segment]
}

fn opened(bytes: &[u8], kind: [u8; 4]) -> Option<SegmentFile> {
    SegmentFile::open(Box::new(Aligned::of(bytes)), kind).ok()
}

fn ask_keyed(files: &[Vec<u8>; 2]) -> Option<()> {
    let manifest = opened(&files[0], inverted::Segment::MANIFEST)?;
    let segment = opened(&files[1], inverted::Segment::SEGMENT)?;
    let index = inverted::Index::from_files(&manifest, vec![segment], 1000).ok()?;
    let window = Some(Window { since: 3, until: 150 });
    for window in [None, window] {
        let ask = inverted::Ask { limit: 10, min_hits: 1, min_share: 0.0, earliest: 0, window };
        let _ = index.query(&[0, 1, 4, 9, 16, 25, 96], &ask);
    }
    let _ = (index.frequent(1), index.log().verify(), index.log().remove(vec![5, 9]), index.log().expire(20));
    let keys = inverted::Keys::new((0..300).collect(), &[3; 100]).expect("counted");
    let _ = (index.log().add(keys, None, Some((0..100).collect())), index.log().merge(), index.stats());
    None
}

fn ask_coded(files: &[Vec<u8>; 2]) -> Option<()> {
    let manifest = opened(&files[0], Coded::MANIFEST)?;
    let segment = opened(&files[1], Coded::SEGMENT)?;
    let index = hamming::Index::<u64>::from_files(&manifest, vec![segment], 1000).ok()?;
    for k in [0, 3, 5] {
        let ask = hamming::Ask { k: k.min(index.largest_distance()), first: k == 5, window: None, limit: 10 };
        for code in [0, 7, 0x9E37_79B9_7F4A_7C15] {
            let _ = index.query(code, &ask);
        }
    }
    let _ = (index.log().verify(), index.log().remove(vec![5, 9]));
    let _ = (index.log().add((0..300).collect(), None, None), index.log().merge(), index.stats());
    None
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, changes)) = data.split_first() else { return };
    if choice & 1 == 0 {
        ask_keyed(&changed(&KEYED, changes));
    } else {
        ask_coded(&changed(&CODED, changes));
    }
});
