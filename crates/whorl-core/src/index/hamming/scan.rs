//! The inner loop: finds codes within a distance of a query.
//!
//! A portable x86-64 build cannot assume the population count instruction. The loop is therefore compiled a second time
//! with it, and the version is selected at run time.

use super::code::Code;

/// Number of codes compared between two checks for results.
const STRIDE: usize = 32;

/// Appends position and distance of every code within `k` bits of `query`. About half a nanosecond per 64-bit code.
#[allow(unsafe_code, reason = "calls what was compiled for processors that count bits")]
#[inline]
pub fn scan<C: Code>(codes: &[C], query: C, k: u32, hits: &mut Vec<(u32, u32)>) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("popcnt") {
        // SAFETY: the required CPU feature was detected.
        return unsafe { scan_popcnt(codes, query, k, hits) };
    }
    scan_portable(codes, query, k, hits);
}

/// Appends both positions (the later one first) and the distance of every two codes within `k` bits of each other.
#[allow(unsafe_code, reason = "calls what was compiled for processors that count bits")]
#[inline]
pub(crate) fn scan_pairs<C: Code>(codes: &[C], k: u32, hits: &mut Vec<(u32, u32, u32)>) {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("popcnt") {
        // SAFETY: the required CPU feature was detected.
        return unsafe { scan_pairs_popcnt(codes, k, hits) };
    }
    scan_pairs_portable(codes, k, hits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_popcnt<C: Code>(codes: &[C], query: C, k: u32, hits: &mut Vec<(u32, u32)>) {
    scan_portable(codes, query, k, hits);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_pairs_popcnt<C: Code>(codes: &[C], k: u32, hits: &mut Vec<(u32, u32, u32)>) {
    scan_pairs_portable(codes, k, hits);
}

#[inline(always)]
fn scan_portable<C: Code>(codes: &[C], query: C, k: u32, hits: &mut Vec<(u32, u32)>) {
    for (number, stride) in codes.chunks(STRIDE).enumerate() {
        if any_near(stride, query, k) {
            let near =
                stride.iter().map(|code| code.distance(query)).enumerate().filter(|&(_, distance)| distance <= k);
            hits.extend(near.map(|(position, distance)| ((number * STRIDE + position) as u32, distance)));
        }
    }
}

#[inline(always)]
fn scan_pairs_portable<C: Code>(codes: &[C], k: u32, hits: &mut Vec<(u32, u32, u32)>) {
    for (later, &code) in codes.iter().enumerate() {
        for (number, stride) in codes[..later].chunks(STRIDE).enumerate() {
            if any_near(stride, code, k) {
                let near =
                    stride.iter().map(|other| other.distance(code)).enumerate().filter(|&(_, distance)| distance <= k);
                hits.extend(
                    near.map(|(position, distance)| (later as u32, (number * STRIDE + position) as u32, distance)),
                );
            }
        }
    }
}

#[inline(always)]
fn any_near<C: Code>(codes: &[C], query: C, k: u32) -> bool {
    codes.iter().fold(false, |near, code| near | (code.distance(query) <= k))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_way_to_scan_finds_the_same(codes in prop::collection::vec(0u64..4096, 0..150), query in 0u64..4096, k in 0u32..13) {
            let expected: Vec<(u32, u32)> = (0..codes.len())
                .filter(|&at| (codes[at] ^ query).count_ones() <= k)
                .map(|at| (at as u32, (codes[at] ^ query).count_ones()))
                .collect();
            let (mut dispatched, mut portable) = (Vec::new(), Vec::new());
            scan(&codes, query, k, &mut dispatched);
            scan_portable(&codes, query, k, &mut portable);
            prop_assert_eq!(&dispatched, &expected);
            prop_assert_eq!(&portable, &expected);
            let (mut dispatched, mut portable) = (Vec::new(), Vec::new());
            scan_pairs(&codes, k, &mut dispatched);
            scan_pairs_portable(&codes, k, &mut portable);
            prop_assert_eq!(&dispatched, &portable);
            let every = (0..codes.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
            prop_assert_eq!(dispatched.len(), every.filter(|&(a, b)| (codes[a] ^ codes[b]).count_ones() <= k).count());
        }
    }
}
