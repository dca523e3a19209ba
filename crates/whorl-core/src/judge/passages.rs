//! Where the passages lie that pairs of documents share.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::align::pair::{Given, Judge, LeaveOut, Stream, new_names};
use crate::judge::boilerplate::Boilerplate;
use crate::judge::compare::{Pair, TextSource};

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
    let mut documents: Vec<u32> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    documents.sort_unstable();
    documents.dedup();
    let texts: Vec<OnceLock<Vec<u32>>> = documents.iter().map(|_| OnceLock::new()).collect();
    source.read(&documents, &|position, text| {
        texts[position].get_or_init(|| {
            let mut code_points = Vec::new();
            text.copy_to(&mut code_points);
            code_points
        });
    })?;
    let name = new_names();
    let ranges = |stream: &Stream| boilerplate.ranges_in(stream);
    let given = |document: u32| {
        let place = documents.binary_search(&document).expect("every document of a pair is read");
        let text = texts[place].get().map_or(&[][..], Vec::as_slice);
        Given { name: (name, place), text, boilerplate: &ranges }
    };
    let passages = |judge: &mut Judge, &(a, b): &Pair| {
        let judgement = judge.judge(given(a), given(b), LeaveOut::default(), &[]);
        judgement.passages.into_iter().map(|passage| [passage.a, passage.b]).collect()
    };
    Ok(pairs.par_iter().map_init(Judge::default, passages).collect())
}
