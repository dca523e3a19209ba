//! The k-grams that documents share, with all their places.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::Request;
use super::meetings::Meetings;
use crate::align::pair::Stream;
use crate::fingerprint::{Grams, Winnower};
use crate::hash::BuildNumberHasher;
use crate::judge::key_bitmaps::KeyBitmaps;
use crate::text::TextBlock;

/// Documents per parallel task.
const DOCUMENTS_A_TASK: usize = 16;
/// The earliest documents with a hot k-gram, with which all others are paired.
const CENTERS: usize = 3;
/// Places of a k-gram in a document that others are compared with: repetitions would be quadratic.
const PLACES: usize = 16;

/// A selected k-gram of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    key: u64,
    document: u32,
    unit: u32,
}

/// Buffers of a worker.
#[derive(Default)]
struct Worker {
    stream: Stream,
    winnower: Winnower,
    places: Vec<(u64, u32)>,
}

/// Calls `step` for the selected k-grams of every document, in parallel, and returns the results of all tasks.
fn scan<B: TextBlock>(
    texts: &B,
    sizes: (Grams, Grams),
    step: impl Fn(u32, &[(u64, u32)], &mut Vec<Posting>) + Sync,
) -> Vec<Posting> {
    let documents: Vec<u32> = (0..texts.len() as u32).collect();
    let read = |worker: &mut Worker, documents: &[u32]| {
        let mut postings = Vec::new();
        for &document in documents {
            texts.with_text(document as usize, |text| worker.stream.read(text));
            worker.places.clear();
            worker.winnower.places(worker.stream.units(), sizes, &mut worker.places);
            step(document, &worker.places, &mut postings);
        }
        postings
    };
    documents.par_chunks(DOCUMENTS_A_TASK).map_init(Worker::default, read).flatten_iter().collect()
}

/// The selected k-grams that may occur more than once, with all their places, by key.
pub(super) fn shared_postings(texts: &impl TextBlock, sizes: (Grams, Grams)) -> Vec<Posting> {
    let length = |document: usize| texts.with_text(document, |text| text.length());
    let bitmaps = KeyBitmaps::new((0..texts.len()).into_par_iter().map(length).sum());
    scan(texts, sizes, |_, places, _| places.iter().for_each(|&(key, _)| bitmaps.mark(key)));
    let mut postings = scan(texts, sizes, |document, places, postings| {
        let shared = places.iter().filter(|&&(key, _)| bitmaps.is_shared(key));
        postings.extend(shared.map(|&(key, unit)| Posting { key, document, unit }));
    });
    postings.par_sort_unstable();
    postings
}

/// Number of different documents of a group.
fn documents_of(group: &[Posting]) -> usize {
    group.chunk_by(|a, b| a.document == b.document).count()
}

/// The earliest documents with hot k-grams, of different groups where possible. All documents with these are paired with
/// them.
#[derive(Default)]
pub(super) struct Centers {
    /// By two consecutive hot k-grams. These are enough evidence for a passage, and an edition that lacks one of them
    /// has other earliest documents.
    of_steps: HashMap<u64, Vec<u32>, BuildNumberHasher>,
    /// By hot k-gram, with its places.
    of_groups: HashMap<u64, Vec<(u32, u32)>, BuildNumberHasher>,
}

/// Key of two consecutive groups.
fn step_key(before: u32, next: u32) -> u64 {
    u64::from(before) << 32 | u64::from(next)
}

/// Adds a document to the centers if there is room and no other one of its group.
fn add_center(centers: &mut Vec<u32>, document: u32, request: &Request<'_>) {
    if centers.len() < CENTERS && centers.iter().all(|&center| request.wants(center, document)) {
        centers.push(document);
    }
}

/// K-grams that several documents contain.
pub(super) struct Groups {
    /// Document and unit of each member, by group.
    members: Vec<(u32, u32)>,
    /// The start of each group, and the end of the last one.
    starts: Vec<u32>,
    is_hot: Vec<bool>,
    /// Document, unit and group of each member, ordered.
    of_documents: Vec<(u32, u32, u32)>,
    /// Number of hot groups.
    pub hot: usize,
}

impl Groups {
    /// Groups postings by key, without keys of one document, or of more than `max_documents`.
    pub fn of(postings: &[Posting], max_documents: usize, hot: usize) -> Self {
        let mut groups =
            Self { members: Vec::new(), starts: vec![0], is_hot: Vec::new(), of_documents: Vec::new(), hot: 0 };
        for group in postings.chunk_by(|a, b| a.key == b.key) {
            let documents = if group.len() > hot.min(max_documents) { documents_of(group) } else { 2 };
            if group[0].document == group[group.len() - 1].document || documents > max_documents {
                continue;
            }
            let number = groups.starts.len() as u32 - 1;
            for of_document in group.chunk_by(|a, b| a.document == b.document) {
                let places = of_document.iter().take(PLACES);
                groups.members.extend(places.map(|posting| (posting.document, posting.unit)));
            }
            groups.of_documents.extend(group.iter().map(|posting| (posting.document, posting.unit, number)));
            groups.starts.push(groups.members.len() as u32);
            groups.is_hot.push(documents > hot);
        }
        groups.hot = groups.is_hot.iter().filter(|&&is_hot| is_hot).count();
        groups.of_documents.par_sort_unstable();
        groups
    }

    /// The places of each document.
    pub fn by_document(&self) -> Vec<&[(u32, u32, u32)]> {
        self.of_documents.chunk_by(|a, b| a.0 == b.0).collect()
    }

    /// Finds the earliest documents with each hot k-gram, and with each two consecutive ones.
    pub fn centers(&self, request: &Request<'_>, reach: u32) -> Centers {
        let mut centers = Centers::default();
        for (before, next) in self.hot_steps(&self.of_documents, reach) {
            add_center(centers.of_steps.entry(step_key(before.2, next.2)).or_default(), next.0, request);
        }
        for group in (0..self.is_hot.len()).filter(|&group| self.is_hot[group]) {
            let members = &self.members[self.members_of(group)];
            let mut chosen = Vec::new();
            members.iter().for_each(|&(document, _)| add_center(&mut chosen, document, request));
            let places = members.iter().copied().filter(|(document, _)| chosen.contains(document)).collect();
            centers.of_groups.insert(group as u64, places);
        }
        centers
    }

    fn members_of(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// Consecutive hot places of a document.
    fn hot_steps<'g>(
        &'g self,
        places: &'g [(u32, u32, u32)],
        reach: u32,
    ) -> impl Iterator<Item = (&'g (u32, u32, u32), &'g (u32, u32, u32))> {
        let is_hot = |place: &(u32, u32, u32)| self.is_hot[place.2 as usize];
        places.windows(2).map(|step| (&step[0], &step[1])).filter(move |(before, next)| {
            before.0 == next.0 && next.1 - before.1 <= reach && is_hot(before) && is_hot(next)
        })
    }

    /// Reports to `meetings` where a document meets lower ones, or centers.
    pub fn meet(&self, places: &[(u32, u32, u32)], request: &Request<'_>, centers: &Centers, meetings: &mut Meetings) {
        let document = places[0].0;
        for (before, next) in self.hot_steps(places, meetings.reach()) {
            for &center in centers.of_steps.get(&step_key(before.2, next.2)).into_iter().flatten() {
                if request.wants(center, document) {
                    meetings.add_pair(center);
                }
            }
        }
        for &(_, unit, group) in places {
            let others = match centers.of_groups.get(&u64::from(group)) {
                Some(others) => others.as_slice(),
                None => {
                    let members = &self.members[self.members_of(group as usize)];
                    &members[..members.partition_point(|&(other, _)| other < document)]
                }
            };
            for &(other, place) in others.iter().filter(|&&(other, _)| request.wants(other, document)) {
                meetings.add(other, unit, place);
            }
        }
    }
}
