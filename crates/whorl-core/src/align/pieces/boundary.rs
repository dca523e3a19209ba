//! Ends of clauses and sentences, from the code points between two units.

use crate::text::scan::within;

/// True if one of these code points, all between two units, ends a clause.
pub(crate) fn ends_clause(between: &[u32]) -> bool {
    between.iter().any(|&code_point| matches!(char::from_u32(code_point), Some('，' | ',' | '：' | ':' | '、')))
        || ends_sentence(between)
}

/// True for all code points that end a clause, and for few others; branch-free.
pub(crate) fn may_end_clause(code_point: u32) -> bool {
    within(code_point, 0x0A, 0x0D)
        | within(code_point, 0x21, 0x2E)
        | within(code_point, 0x3A, 0x3F)
        | within(code_point, 0x2026, 0x2029)
        | within(code_point, 0x3001, 0x3002)
        | within(code_point, 0xFF01, 0xFF1F)
}

/// True if one of these code points, all between two units, ends a sentence or a line.
pub(crate) fn ends_sentence(between: &[u32]) -> bool {
    let ends = |code_point| {
        matches!(
            char::from_u32(code_point),
            Some(
                '\n' | '\r' | '。' | '.' | '．' | '！' | '!' | '？' | '?' | '；' | ';' | '…' | '\u{2028}' | '\u{2029}'
            )
        )
    };
    between.iter().any(|&code_point| ends(code_point))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_ends_a_clause_is_looked_at(code_point in prop_oneof![0_u32..0x80, 0x2000_u32..0x3010, 0xFF00_u32..0xFF70]) {
            prop_assert!(may_end_clause(code_point) || !ends_clause(&[code_point]));
        }
    }
}
