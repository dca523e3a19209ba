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
//! and a pair is nominated only if that is enough for a passage: an isolated phrase of ten characters, which most pairs
//! of long Chinese texts share, is not. No key is cut by its frequency. Instead, runs of tokens that more than a given number of documents contain
//! are learned as [`Form`]s: they are listed, excluded from comparisons, and do not nominate pairs.
//!
//! Keys that occur in one document only, which are most of them, are recognized with two bitmaps and never stored.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::boilerplate::Boilerplate;
use super::forms::{Form, learn};
use crate::align::DENSE_FROM;
use crate::align::letters::LETTERS;
use crate::align::pair::Stream;
use crate::fingerprint::{Grams, Winnower};
use crate::text::{Text, TextBlock};

/// Sizes for letters and for Han characters. Every equal run of 37 letters or 13 Han characters has two selected
/// k-grams, and these cover at least [`MIN_COVERED`] letters of it.
const GRAMS: (Grams, Grams) = (Grams { k: 30, window: 4 }, Grams { k: 10, window: 2 });
/// Length of a k-gram in letters.
const GRAM_LETTERS: u32 = 30;
/// Evidence for the shortest passage of [`MIN_LETTERS`], in letters of common k-grams.
const MIN_COVERED: u32 = 33;
/// The shortest passage, in letters. Longer ones must have half of the excess covered: their k-grams are edited.
const MIN_LETTERS: u32 = 39;
/// Documents per parallel task.
const DOCUMENTS_A_TASK: usize = 16;
/// Bits of the bitmaps for each code point, and the largest bitmap as a power of two.
const BITS_A_UNIT: usize = 8;
const MAX_BITMAP: u32 = 30;
/// Recent common k-grams that a further one is paired with.
const RECENT: usize = 16;

/// What to pair.
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
    unit: u32,
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
    let groups = Groups::of(&postings, |first| lies_in(&in_forms, first));
    drop(postings);
    nominations.pairs = groups.pairs(texts, request);
    nominations
}

/// True if a k-gram begins in one of some ordered stretches of documents.
fn lies_in(stretches: &[(u32, Range<u32>)], posting: Posting) -> bool {
    let after =
        stretches.partition_point(|(document, units)| (*document, units.start) <= (posting.document, posting.unit));
    let last = after.checked_sub(1).map(|last| &stretches[last]);
    last.is_some_and(|(document, units)| *document == posting.document && units.contains(&posting.unit))
}

/// Which keys of fresh documents were seen, and which of them in other documents as well. There are false positives.
struct Seen {
    once: Vec<AtomicU64>,
    twice: Vec<AtomicU64>,
    shift: u32,
}

impl Seen {
    fn new(units: usize) -> Self {
        let bits = (BITS_A_UNIT * units).next_power_of_two().trailing_zeros().clamp(10, MAX_BITMAP);
        let empty = || (0..1usize << (bits - 6)).map(|_| AtomicU64::new(0)).collect();
        Self { once: empty(), twice: empty(), shift: 64 - bits }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let bit = key >> self.shift;
        ((bit >> 6) as usize, 1 << (bit & 63))
    }

    fn mark(&self, key: u64) {
        let (word, bit) = self.place(key);
        if self.once[word].fetch_or(bit, Ordering::Relaxed) & bit != 0 {
            self.twice[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Marks a key of a document that is not fresh; true if a fresh one may have it.
    fn meet(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        let is_met = self.once[word].load(Ordering::Relaxed) & bit != 0;
        if is_met {
            self.twice[word].fetch_or(bit, Ordering::Relaxed);
        }
        is_met
    }

    fn is_shared(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.twice[word].load(Ordering::Relaxed) & bit != 0
    }
}

/// Buffers of a worker.
#[derive(Default)]
struct Worker {
    stream: Stream,
    winnower: Winnower,
    places: Vec<(u64, u32)>,
}

impl Worker {
    /// Fills `places` with the selected k-grams of a document outside its excluded ranges.
    fn read(&mut self, texts: &impl TextBlock, document: usize, request: &Request<'_>) {
        texts.with_text(document, |text| self.stream.read(text));
        self.places.clear();
        self.winnower.places(self.stream.units(), grams(), &mut self.places);
        let given = request.excluded.get(document).into_iter().flatten().cloned();
        let mut excluded: Vec<Range<usize>> = given.chain(request.boilerplate.ranges_in(&self.stream)).collect();
        if excluded.is_empty() {
            return;
        }
        excluded.iter_mut().for_each(|range| *range = self.stream.units_in(range.clone()));
        let mut is_out = vec![false; self.stream.units().len()];
        excluded.into_iter().for_each(|units| is_out[units].fill(true));
        self.places.retain(|&(_, unit)| !is_out[unit as usize]);
    }
}

/// Calls `step` for the selected k-grams of some documents, in parallel, and returns the results of all tasks.
fn scan<B: TextBlock>(
    texts: &B,
    documents: &[u32],
    request: &Request<'_>,
    step: impl Fn(u32, &[(u64, u32)], &mut Vec<Posting>) + Sync,
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
    let seen = Seen::new(fresh.par_iter().map(length).sum());
    scan(texts, &fresh, request, |_, places, _| places.iter().for_each(|&(key, _)| seen.mark(key)));
    let keep = |is_kept: &dyn Fn(u64) -> bool, document, places: &[(u64, u32)], postings: &mut Vec<Posting>| {
        let kept = places.iter().filter(|&&(key, _)| is_kept(key));
        postings.extend(kept.map(|&(key, unit)| Posting { key, document, unit }));
    };
    let mut postings = scan(texts, &others, request, |document, places, postings| {
        keep(&|key| seen.meet(key), document, places, postings);
    });
    postings.extend(scan(texts, &fresh, request, |document, places, postings| {
        keep(&|key| seen.is_shared(key), document, places, postings);
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
        .map(|posting| (posting.document, posting.unit))
        .collect();
    places.par_sort_unstable();
    places
}

/// K-grams that several documents contain.
struct Groups {
    /// Document and unit of each member, by group.
    members: Vec<(u32, u32)>,
    /// The start of each group, and the end of the last one.
    starts: Vec<u32>,
    /// Document, unit and group of each member.
    of_documents: Vec<(u32, u32, u32)>,
}

impl Groups {
    fn of(postings: &[Posting], is_dropped: impl Fn(Posting) -> bool) -> Self {
        let mut groups = Self { members: Vec::new(), starts: vec![0], of_documents: Vec::new() };
        for group in postings.chunk_by(|a, b| a.key == b.key) {
            if group[0].document == group[group.len() - 1].document || is_dropped(group[0]) {
                continue;
            }
            let number = groups.starts.len() as u32 - 1;
            groups.members.extend(group.iter().map(|posting| (posting.document, posting.unit)));
            groups.of_documents.extend(group.iter().map(|posting| (posting.document, posting.unit, number)));
            groups.starts.push(groups.members.len() as u32);
        }
        groups.of_documents.par_sort_unstable();
        groups
    }

    fn pairs(&self, texts: &impl TextBlock, request: &Request<'_>) -> Vec<(u32, u32)> {
        let documents: Vec<&[(u32, u32, u32)]> = self.of_documents.chunk_by(|a, b| a.0 == b.0).collect();
        let wanted = knob("X_NEED", MIN_COVERED as usize) as u32 + request.min_letters.saturating_sub(MIN_LETTERS) / 2;
        let find = |meetings: &mut Meetings, places: &&[(u32, u32, u32)]| {
            meetings.wanted = wanted;
            meetings.script = Script::of(texts, places[0].0);
            self.pairs_of(places, request.fresh, meetings)
        };
        let meetings = || Meetings::new(request.fresh.len());
        let mut pairs: Vec<(u32, u32)> = documents.par_iter().map_init(meetings, find).flatten_iter().collect();
        pairs.par_sort_unstable();
        pairs
    }

    /// The pairs of a document with lower ones.
    fn pairs_of(&self, places: &[(u32, u32, u32)], fresh: &[bool], meetings: &mut Meetings) -> Vec<(u32, u32)> {
        let document = places[0].0;
        let is_fresh = fresh[document as usize];
        for &(_, unit, group) in places {
            let members = self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize;
            for &(other, place) in self.members[members].iter().take_while(|&&(other, _)| other < document) {
                if is_fresh || fresh[other as usize] {
                    meetings.add(other, unit, place);
                }
            }
        }
        meetings.take().into_iter().map(|other| (other, document)).collect()
    }
}

/// Distances between common k-grams of a passage, in units.
#[derive(Clone, Copy)]
struct Script {
    /// Letters per unit.
    letters: u32,
    /// Maximum distance in one text.
    reach: u32,
    /// Maximum difference of the distances in both.
    drift: u32,
}

const DENSE: Script = Script { letters: LETTERS, reach: 34, drift: 8 };
const ALPHABETIC: Script = Script { letters: 1, reach: 94, drift: 24 };
/// Number of code points that show the script of a document.
const SAMPLE: usize = 2000;

impl Script {
    fn of(texts: &impl TextBlock, document: u32) -> Self {
        let (dense, all) = texts.with_text(document as usize, |text| dense_among(text, SAMPLE));
        if 4 * dense > all { DENSE } else { ALPHABETIC }
    }
}

/// Recent common k-grams of a document with each other document.
struct Meetings {
    recent: Vec<Recent>,
    touched: Vec<u32>,
    /// Evidence of a pair, in letters.
    wanted: u32,
    script: Script,
}

/// A common k-gram: its unit in both documents, and the letters that it covers with those before it.
type Meeting = (u32, u32, u32);

#[derive(Clone, Copy, Default)]
struct Recent {
    meetings: [Meeting; RECENT],
    count: u32,
    is_pair: bool,
}

impl Meetings {
    fn new(documents: usize) -> Self {
        Self { recent: vec![Recent::default(); documents], touched: Vec::new(), wanted: 0, script: DENSE }
    }

    fn add(&mut self, other: u32, unit: u32, place: u32) {
        let Self { recent, touched, wanted, script } = self;
        let gram_letters = *XG;
        let recent = &mut recent[other as usize];
        if recent.is_pair {
            return;
        }
        if recent.count == 0 {
            touched.push(other);
        }
        let known = (recent.count as usize).min(RECENT);
        let with = |&(before, there, covered): &Meeting| {
            let (step, step_there) = (unit - before, place.wrapping_sub(there));
            let is_beside = 0 < step
                && step <= script.reach
                && step_there.wrapping_sub(step).wrapping_add(script.drift) <= 2 * script.drift;
            if is_beside { covered + (script.letters * step).min(gram_letters) } else { GRAM_LETTERS }
        };
        let covered = recent.meetings[..known].iter().map(with).max().unwrap_or(gram_letters);
        recent.is_pair = covered >= *wanted;
        recent.meetings[recent.count as usize % RECENT] = (unit, place, covered);
        recent.count += 1;
    }

    /// The documents with enough evidence, ascending.
    fn take(&mut self) -> Vec<u32> {
        let mut pairs: Vec<u32> =
            self.touched.iter().copied().filter(|&other| self.recent[other as usize].is_pair).collect();
        self.touched.drain(..).for_each(|other| self.recent[other as usize] = Recent::default());
        pairs.sort_unstable();
        pairs
    }
}

/// Number of dense code points among the first ones of a text, and the number of these.
fn dense_among(text: Text<'_>, most: usize) -> (usize, usize) {
    let count = |code_points: &mut dyn Iterator<Item = u32>| {
        code_points
            .take(most)
            .fold((0, 0), |(dense, all), code_point| (dense + usize::from(code_point >= DENSE_FROM), all + 1))
    };
    match text {
        Text::Utf8(text) => count(&mut text.chars().map(u32::from)),
        Text::CodePoints(text) => count(&mut text.iter().copied()),
    }
}

fn knob(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}
static XG: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| 3 * knob("X_KD", 10) as u32);
static XGRAMS: std::sync::LazyLock<(Grams, Grams)> = std::sync::LazyLock::new(|| {
    (Grams { k: 3 * knob("X_KD", 10), window: knob("X_WS", 4) }, Grams { k: knob("X_KD", 10), window: knob("X_WD", 2) })
});
fn grams() -> (Grams, Grams) {
    *XGRAMS
}
