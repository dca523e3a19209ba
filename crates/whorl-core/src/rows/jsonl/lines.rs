//! Splitting a block at its newlines.

use std::ops::Range;

use memchr::memchr_iter;

/// Returns the lines of `block` for which `keep` is true, with their newlines. Lines beyond `keep` are dropped.
pub fn select_lines(block: &[u8], keep: &[bool]) -> Vec<u8> {
    let mut selected = Vec::with_capacity(block.len());
    let mut run: Range<usize> = 0..0;
    for (line, &keep) in lines(block).zip(keep) {
        if !keep {
            continue;
        }
        let end = (line.end + 1).min(block.len());
        if run.end != line.start {
            selected.extend_from_slice(&block[run]);
            run = line.start..end;
        }
        run.end = end;
    }
    selected.extend_from_slice(&block[run]);
    selected
}

/// Counts the lines of `block`; the last may lack its newline.
pub fn count_lines(block: &[u8]) -> usize {
    lines(block).count()
}

/// The byte range of each line, without its newline.
pub(super) fn lines(block: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    let unfinished = block.last().is_some_and(|&byte| byte != b'\n').then_some(block.len());
    memchr_iter(b'\n', block).chain(unfinished).map(move |end| std::mem::replace(&mut start, end + 1)..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn selected_lines_are_the_lines(lines in prop::collection::vec(("[ab\r]{0,3}", any::<bool>()), 0..20), finished: bool) {
            let mut block: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
            if !finished {
                block.pop();
            }
            let keep: Vec<bool> = lines.iter().map(|&(_, keep)| keep).collect();
            let expected: String = block.split_inclusive('\n').zip(&keep).filter(|(_, keep)| **keep).map(|(line, _)| line).collect();
            prop_assert_eq!(select_lines(block.as_bytes(), &keep), expected.into_bytes());
            prop_assert_eq!(count_lines(block.as_bytes()), block.split_inclusive('\n').count());
        }
    }
}
