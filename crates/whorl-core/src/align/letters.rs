//! Script-independent length of units, in letters.

/// Number of letters that a Han character is worth.
pub const LETTERS: u32 = 3;
/// Length, in letters, of an equal run that may be a phrase.
const PHRASE: u32 = 18;

/// The evidence of an equal run, in letters.
pub(crate) fn proof_of_run(units: &[u32]) -> u32 {
    letters(units).saturating_sub(PHRASE)
}

/// The length of units in letters.
pub fn letters<'u>(units: impl IntoIterator<Item = &'u u32>) -> u32 {
    units.into_iter().map(|&unit| letters_of(unit)).sum()
}

/// The length of a unit in letters; branch-free.
#[inline(always)]
pub(crate) fn letters_of(unit: u32) -> u32 {
    1 + (LETTERS - 1) * u32::from(unit >= super::DENSE_FROM)
}
