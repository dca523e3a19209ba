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
    units.into_iter().map(|&unit| if unit >= super::DENSE_FROM { LETTERS } else { 1 }).sum()
}
