//! How much equal units say, whatever their script.

/// A Han character says as much as so many letters.
pub const LETTERS: u32 = 3;
/// What an equal run has of a phrase, in letters.
const PHRASE: u32 = 18;

/// What an equal run proves, in letters.
pub(crate) fn proof_of_run(units: &[u32]) -> u32 {
    letters(units).saturating_sub(PHRASE)
}

/// How much some units say, in letters.
pub fn letters<'u>(units: impl IntoIterator<Item = &'u u32>) -> u32 {
    units.into_iter().map(|&unit| letters_of(unit)).sum()
}

/// How much one unit says, in letters; without a branch.
#[inline(always)]
pub(crate) fn letters_of(unit: u32) -> u32 {
    1 + (LETTERS - 1) * u32::from(unit >= super::DENSE_FROM)
}
