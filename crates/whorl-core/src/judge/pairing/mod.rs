//! Pairs of documents that may share a passage, and the forms that most of a class have in common.
//!
//! # Problem
//!
//! Everybody in a class may have copied from everybody else. Comparing every pair is quadratic; cutting keys that many
//! documents share, as an index of news does, loses the sentence that fourteen essays quote.
//!
//! # Choice
//!
//! Winnowed k-grams with their positions. Common k-grams that follow each other in both documents add up to evidence,
//! and a pair is nominated only if that is enough for a passage: an isolated phrase, which most pairs of long Chinese
//! texts share, is not. No key is cut by its frequency. Instead, runs of tokens that more than a ranges number of
//! documents contain are learned as [`Form`]s: they are listed, excluded from comparisons, and do not nominate pairs.
//!
//! Keys that occur in one document only, which are most of them, are recognized with two bitmaps and never stored.

mod groups;
mod meetings;

use std::ops::Range;

use rayon::prelude::*;

use self::groups::Groups;
use self::meetings::REACH;
use super::boilerplate::Boilerplate;
use super::forms::{Form, learn};
use crate::align::pair::Stream;
use crate::fingerprint::{Grams, Winnower};
use crate::judge::key_bitmaps::KeyBitmaps;
use crate::text::TextBlock;

/// Sizes of k-grams and windows for letters and for Han characters. Every equal run of 27 letters, or of 9 Han
/// characters, has two selected k-grams, unless one position is the lowest in all of its windows.
const GRAMS: (Grams, Grams) = (Grams { k: 12, window: 2 }, Grams { k: 7, window: 2 });
/// The shortest passage, in letters. Longer ones need half of the excess in addition: their k-grams are edited.
const MIN_LETTERS: u32 = 39;
/// Documents per parallel task.
const DOCUMENTS_A_TASK: usize = 16;

/// The documents to pair, and what does not nominate.
pub struct Request<'r> {
    /// For each document, whether to find its pairs; pairs of two other documents are not reported.
    pub fresh: &'r [bool],
    /// Ranges of code points of each document that do not nominate pairs; may be empty.
    pub excluded: &'r [Vec<Range<usize>>],
    /// Learned earlier.
    pub boilerplate: &'r Boilerplate,
    /// Minimum length of a passage, in letters.
    pub min_letters: u32,
    /// Maximum number of fresh documents with a run that is not a form; None learns no forms.
    pub limit: Option<usize>,
}

/// Pairs of documents, ordered, the lower document first; and the learned forms.
#[derive(Debug, Default)]
pub struct Nominations {
    /// The pairs.
    pub pairs: Vec<(u32, u32)>,
    /// The forms in order of their first document.
    pub forms: Vec<Form>,
    /// The token runs of the forms.
    pub runs: Vec<u64>,
}

/// A selected k-gram of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Posting {
    key: u64,
    document: u32,
    place: Place,
}

/// The unit at which a k-gram begins, times two, plus one if boilerplate is near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32);

impl Place {
    fn new(unit: u32, is_beside_boilerplate: bool) -> Self {
        Self(unit << 1 | u32::from(is_beside_boilerplate))
    }

    fn unit(self) -> u32 {
        self.0 >> 1
    }

    fn is_beside_boilerplate(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Finds the pairs of documents that share a passage, and learns forms.
///
/// Cost: documents that are not fresh are read once, fresh ones twice; memory for the keys that documents share, 28
/// bytes each.
pub fn nominate(texts: &impl TextBlock, request: &Request<'_>) -> Nominations {
    let mut postings = shared_postings(texts, request);
    postings.par_sort_unstable();
    let mut nominations = Nominations::default();
    let mut in_forms = Vec::new();
    if let Some(limit) = request.limit {
        let learned = learn(texts, &hot_places(&postings, request.fresh, limit), limit);
        (nominations.forms, nominations.runs, in_forms) = (learned.forms, learned.runs, learned.places);
    }
    let groups = Groups::of(&postings, &in_forms);
    drop(postings);
    nominations.pairs = groups.pairs(texts, request);
    nominations
}

/// Stretches of documents, ordered.
type Stretches = [(u32, Range<u32>)];

/// True if a k-gram begins in one of some stretches.
fn lies_in(stretches: &Stretches, posting: Posting) -> bool {
    last_before(stretches, posting, 0).is_some_and(|units| units.contains(&posting.place.unit()))
}

/// True if a k-gram begins at most [`REACH`] units before or after one of some stretches.
fn lies_beside(stretches: &Stretches, posting: Posting) -> bool {
    let unit = posting.place.unit();
    last_before(stretches, posting, REACH).is_some_and(|units| units.start < unit + REACH && unit < units.end + REACH)
}

/// The last stretch of the document of a k-gram that begins at most `ahead` units after it.
fn last_before(stretches: &Stretches, posting: Posting, ahead: u32) -> Option<&Range<u32>> {
    let bound = (posting.document, posting.place.unit() + ahead);
    let after = stretches.partition_point(|(document, units)| (*document, units.start) <= bound);
    let (document, units) = &stretches[after.checked_sub(1)?];
    (*document == posting.document).then_some(units)
}

/// Buffers of a worker.
#[derive(Default)]
struct Worker {
    stream: Stream,
    winnower: Winnower,
    selected: Vec<(u64, u32)>,
    places: Vec<(u64, Place)>,
}

impl Worker {
    /// Fills `places` with the selected k-grams of a document outside its excluded ranges.
    fn read(&mut self, texts: &impl TextBlock, document: usize, request: &Request<'_>) {
        texts.with_text(document, |text| self.stream.read(text));
        self.selected.clear();
        self.winnower.places(self.stream.units(), GRAMS, &mut self.selected);
        let ranges = request.excluded.get(document).into_iter().flatten().cloned();
        let excluded: Vec<Range<usize>> = ranges.chain(request.boilerplate.ranges_in(&self.stream)).collect();
        // The number of excluded units before each unit.
        let mut before = vec![0u32; if excluded.is_empty() { 0 } else { self.stream.units().len() + 1 }];
        for range in excluded {
            let units = self.stream.units_in(range);
            before[units.start + 1..=units.end].fill(1);
        }
        (1..before.len()).for_each(|unit| before[unit] += before[unit - 1]);
        let excluded_in = |start: usize, end: usize| match before.len() {
            0 => 0,
            length => before[end.min(length - 1)] - before[start],
        };
        self.places.clear();
        for &(key, unit) in &self.selected {
            let start = unit as usize;
            if excluded_in(start, start + 1) == 0 {
                let is_beside = excluded_in(start.saturating_sub(REACH as usize), start + REACH as usize) > 0;
                self.places.push((key, Place::new(unit, is_beside)));
            }
        }
    }
}

/// Calls `step` for the selected k-grams of some documents, in parallel, and returns the results of all tasks.
fn scan<B: TextBlock>(
    texts: &B,
    documents: &[u32],
    request: &Request<'_>,
    step: impl Fn(u32, &[(u64, Place)], &mut Vec<Posting>) + Sync,
) -> Vec<Posting> {
    let read = |worker: &mut Worker, documents: &[u32]| {
        let mut postings = Vec::new();
        for &document in documents {
            worker.read(texts, document as usize, request);
            step(document, &worker.places, &mut postings);
        }
        postings
    };
    documents.par_chunks(DOCUMENTS_A_TASK).map_init(Worker::default, read).flatten_iter().collect()
}

/// The selected k-grams of fresh documents that occur in another document, with all their places.
fn shared_postings(texts: &impl TextBlock, request: &Request<'_>) -> Vec<Posting> {
    let (fresh, others): (Vec<u32>, Vec<u32>) =
        (0..texts.len() as u32).partition(|&document| request.fresh[document as usize]);
    let length = |document: &u32| texts.with_text(*document as usize, |text| text.length());
    let bitmaps = KeyBitmaps::new(fresh.par_iter().map(length).sum());
    scan(texts, &fresh, request, |_, places, _| places.iter().for_each(|&(key, _)| bitmaps.mark(key)));
    let keep = |is_kept: &dyn Fn(u64) -> bool, document, places: &[(u64, Place)], postings: &mut Vec<Posting>| {
        let kept = places.iter().filter(|&&(key, _)| is_kept(key));
        postings.extend(kept.map(|&(key, place)| Posting { key, document, place }));
    };
    let mut postings = scan(texts, &others, request, |document, places, postings| {
        keep(&|key| bitmaps.meet(key), document, places, postings);
    });
    postings.extend(scan(texts, &fresh, request, |document, places, postings| {
        keep(&|key| bitmaps.is_shared(key), document, places, postings);
    }));
    postings
}

/// Number of different fresh documents of a group.
fn fresh_documents(group: &[Posting], fresh: &[bool]) -> usize {
    let documents = group.chunk_by(|a, b| a.document == b.document).map(|own| own[0].document);
    documents.filter(|&document| fresh[document as usize]).count()
}

/// The places of the k-grams that more than `limit` fresh documents contain, by document and unit.
fn hot_places(postings: &[Posting], fresh: &[bool], limit: usize) -> Vec<(u32, u32)> {
    let groups = postings.chunk_by(|a, b| a.key == b.key);
    let hot = groups.filter(|group| group.len() > limit && fresh_documents(group, fresh) > limit).flatten();
    let mut places: Vec<(u32, u32)> = hot
        .filter(|posting| fresh[posting.document as usize])
        .map(|posting| (posting.document, posting.place.unit()))
        .collect();
    places.par_sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    fn nominated(texts: &[String], limit: Option<usize>) -> Nominations {
        let block: Vec<Text<'_>> = texts.iter().map(|text| Text::Utf8(text)).collect();
        let (fresh, boilerplate) = (vec![true; texts.len()], Boilerplate::default());
        let request =
            Request { fresh: &fresh, excluded: &[], boilerplate: &boilerplate, min_letters: MIN_LETTERS, limit };
        nominate(&block, &request)
    }

    /// Signs that occur once, so that only planted runs are common.
    fn unique(first: u32, length: u32) -> String {
        (0..length).filter_map(|place| char::from_u32(0x3400 + (first + place) % 27_000)).collect()
    }

    proptest! {
        #[test]
        fn every_two_documents_with_a_run_are_a_pair(
            plants in prop::collection::vec((0usize..6, 0u32..200, 0u32..4), 0..9), is_latin: bool,
        ) {
            let run = |number: u32| match is_latin {
                true => (0..39).filter_map(|place| char::from_u32(0x61 + (7 * place + (number + 3) * place * place) % 26)).collect(),
                false => unique(20_000 + 40 * number, 13),
            };
            let mut texts: Vec<String> = (0..6).map(|number| unique(3000 * number, 400)).collect();
            for &(document, place, number) in &plants {
                let at = texts[document].char_indices().nth(place as usize).map_or(0, |(at, _)| at);
                texts[document].insert_str(at, &run(number));
            }
            let has = |document: usize, number: u32| texts[document].contains(&run(number));
            let pairs = nominated(&texts, None).pairs;
            for b in 0..6usize {
                for a in 0..b {
                    if (0..4).any(|number| has(a, number) && has(b, number)) {
                        prop_assert!(pairs.contains(&(a as u32, b as u32)), "{a} {b}");
                    }
                }
            }
        }

        #[test]
        fn documents_without_a_common_run_are_no_pair(seed in 0u32..5000, cut in 0u32..7) {
            let phrase = unique(26_000, cut);
            let texts: Vec<String> =
                (0..4).map(|number| format!("{}{phrase}{}", unique(seed + 3000 * number, 300), unique(seed + 3000 * number + 400, 300))).collect();
            prop_assert!(nominated(&texts, None).pairs.is_empty());
        }
    }

    #[test]
    fn what_more_than_the_limit_have_is_a_form_and_pairs_nobody() {
        let form = unique(25_000, 30);
        let texts: Vec<String> = (0..9)
            .map(|number| format!("{}{form}{}", unique(2500 * number, 90), unique(2500 * number + 100, 90)))
            .collect();
        let all = nominated(&texts, None);
        assert_eq!(all.pairs.len(), 36);
        let learned = nominated(&texts, Some(8));
        assert!(learned.pairs.is_empty());
        assert_eq!(learned.forms, [Form { document: 0, range: 90..120, documents: 9 }]);
        assert_eq!(nominated(&texts, Some(9)).pairs.len(), 36);
    }

    #[test]
    fn documents_that_are_not_fresh_are_paired_with_fresh_ones_only() {
        let run = unique(25_000, 20);
        let texts: Vec<String> = (0..3).map(|number| format!("{}{run}", unique(2500 * number, 90))).collect();
        let block: Vec<Text<'_>> = texts.iter().map(|text| Text::Utf8(text)).collect();
        let boilerplate = Boilerplate::default();
        let fresh = [false, false, true];
        let request = |excluded| Request {
            fresh: &fresh,
            excluded,
            boilerplate: &boilerplate,
            min_letters: MIN_LETTERS,
            limit: None,
        };
        assert_eq!(nominate(&block, &request(&[])).pairs, [(0, 2), (1, 2)]);
        let excluded = [Vec::new(), Vec::from([90..100, 100..110]), Vec::new()];
        assert_eq!(nominate(&block, &request(&excluded)).pairs, [(0, 2)]);
    }
}
