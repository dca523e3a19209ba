//! Locating the passages shared by pairs of documents.

use std::ops::Range;

use rayon::prelude::*;

use crate::align::pair::{InputText, Judge, LeaveOut, Stream, new_names};
use crate::judge::boilerplate::Boilerplate;
use crate::judge::compare::{Pair, TextSource};
use crate::judge::pair_texts::PairTexts;

/// The code-point ranges of a passage in the first and in the second document.
pub type Place = [Range<usize>; 2];

/// Number of pairs read together.
const BATCH: usize = 4096;

/// Returns the passages of each pair in the order of the second document, without boilerplate; `by_content` includes
/// sentences with the same content. Linear in the texts; the texts of some thousand pairs are in memory together.
///
/// # Errors
/// If a text cannot be read.
pub fn places<S: TextSource>(
    pairs: &[Pair],
    boilerplate: &Boilerplate,
    by_content: bool,
    source: &S,
) -> Result<Vec<Vec<Place>>, S::Error> {
    let mut all = Vec::with_capacity(pairs.len());
    for batch in pairs.chunks(BATCH) {
        all.extend(batch_places(batch, boilerplate, by_content, source)?);
    }
    Ok(all)
}

fn batch_places<S: TextSource>(
    pairs: &[Pair],
    boilerplate: &Boilerplate,
    by_content: bool,
    source: &S,
) -> Result<Vec<Vec<Place>>, S::Error> {
    let texts = PairTexts::read(pairs, source)?;
    let name = new_names();
    let ranges = |stream: &Stream| boilerplate.ranges_in(stream);
    let input = |document: u32| {
        let (place, text) = texts.of(document);
        InputText { boilerplate: &ranges, ..InputText::plain((name, place), text) }
    };
    let passages = |judge: &mut Judge, &(a, b): &Pair| {
        let mut judgement = judge.judge(input(a), input(b), LeaveOut::default(), &[]);
        if by_content {
            judge.add_content(&mut judgement, 0);
        }
        judgement.passages.into_iter().map(|passage| [passage.a, passage.b]).collect()
    };
    Ok(pairs.par_iter().map_init(Judge::default, passages).collect())
}
