//! Where the passages lie that pairs of documents share.

use std::ops::Range;

use rayon::prelude::*;

use crate::align::pair::{Given, Judge, LeaveOut, Stream, new_names};
use crate::judge::boilerplate::Boilerplate;
use crate::judge::compare::{Pair, TextSource};
use crate::judge::pair_texts::PairTexts;

/// A passage: where it lies in the first document and in the second, in code points.
pub type Place = [Range<usize>; 2];

/// So many pairs are read at once.
const BATCH: usize = 4096;

/// The passages of each pair, in the order of the second document, without boilerplate. Linear in the texts; those of
/// some thousand pairs are held at once.
///
/// # Errors
/// When a text cannot be read.
pub fn places<S: TextSource>(
    pairs: &[Pair],
    boilerplate: &Boilerplate,
    source: &S,
) -> Result<Vec<Vec<Place>>, S::Error> {
    let mut all = Vec::with_capacity(pairs.len());
    for batch in pairs.chunks(BATCH) {
        all.extend(batch_places(batch, boilerplate, source)?);
    }
    Ok(all)
}

fn batch_places<S: TextSource>(
    pairs: &[Pair],
    boilerplate: &Boilerplate,
    source: &S,
) -> Result<Vec<Vec<Place>>, S::Error> {
    let texts = PairTexts::read(pairs, source)?;
    let name = new_names();
    let ranges = |stream: &Stream| boilerplate.ranges_in(stream);
    let given = |document: u32| {
        let (place, text) = texts.of(document);
        Given { name: (name, place), text, boilerplate: &ranges, recurs: false }
    };
    let passages = |judge: &mut Judge, &(a, b): &Pair| {
        let judgement = judge.judge(given(a), given(b), LeaveOut::default(), &[]);
        judgement.passages.into_iter().map(|passage| [passage.a, passage.b]).collect()
    };
    Ok(pairs.par_iter().map_init(Judge::default, passages).collect())
}
