//! Vectorized search for the few code points of a text that matter.

const AT_ONCE: usize = 16;

/// Returns the positions in `text` of the code points that `matters` accepts, in order. Linear; fast if they are rare
/// and `matters` has no branches.
pub(crate) fn places<'t>(
    text: &'t [u32],
    matters: impl Fn(u32) -> bool + Copy + 't,
) -> impl Iterator<Item = usize> + 't {
    let (chunks, rest) = text.as_chunks::<AT_ONCE>();
    let any = move |chunk: &[u32; AT_ONCE]| chunk.iter().fold(0, |any, &unit| any | u32::from(matters(unit))) != 0;
    let of_chunk = move |chunk: &'t [u32], start: usize| {
        let of_chunk = chunk.iter().enumerate().filter(move |&(_, &unit)| matters(unit));
        of_chunk.map(move |(at, _)| start + at)
    };
    let first = chunks.iter().enumerate().filter(move |(_, chunk)| any(chunk));
    let first = first.flat_map(move |(number, chunk)| of_chunk(chunk, number * AT_ONCE));
    first.chain(of_chunk(rest, text.len() - rest.len()))
}

/// Fills `positions` with the positions of all signs, in order. Signs are all code points except Han characters,
/// printable ASCII without quotation marks, backticks and backslashes, and the most common Chinese punctuation.
pub fn signs(text: &[u32], positions: &mut Vec<u32>) {
    let is_sign = |code_point: u32| {
        !(within(code_point, 0x3400, 0x9FFF)
            | within(code_point, 0x20, 0x21)
            | within(code_point, 0x23, 0x5B)
            | within(code_point, 0x5D, 0x5F)
            | within(code_point, 0x61, 0x7E)
            | within(code_point, 0x3001, 0x3002)
            | (code_point == u32::from('，')))
    };
    positions.clear();
    places(text, is_sign).for_each(|place| positions.push(place as u32));
}

/// True if `first` ≤ `value` ≤ `last`; branch-free.
#[inline(always)]
pub fn within(value: u32, first: u32, last: u32) -> bool {
    value.wrapping_sub(first) <= last - first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_place_is_found_in_order(text in proptest::collection::vec(0_u32..30, 0..100)) {
            let positions: Vec<usize> = places(&text, |unit| within(unit, 3, 4)).collect();
            let slow: Vec<usize> = (0..text.len()).filter(|&at| text[at] == 3 || text[at] == 4).collect();
            prop_assert_eq!(positions, slow);
        }
    }
}
