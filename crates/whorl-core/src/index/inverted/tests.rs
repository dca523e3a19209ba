//! Tests of the index against a list of documents.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;

use super::*;
use crate::hash::mix;
use crate::index::segment_file::SegmentFile;
use crate::index::segment_file::tests::{damage_is_refused, mapped};
use crate::index::segments::{Files, Segment as _, Window};

const EVERYTHING: Ask = Ask { limit: usize::MAX, min_hits: 1, min_share: 0.0, earliest: 0, window: None };
const NO_LIMIT: usize = usize::MAX;

fn keys(documents: &[Vec<u64>]) -> Keys {
    let counts: Vec<u32> = documents.iter().map(|keys| keys.len() as u32).collect();
    Keys::new(documents.concat(), &counts).unwrap()
}

fn reopened(index: &Index, most_documents: usize) -> Index {
    let Files { manifest, segments } = index.log().sealed().unwrap().to_files(index.log().common(), 1);
    let open = |file: &SegmentFile, kind| SegmentFile::open(mapped(&file.parts().concat()), kind).unwrap();
    let manifest = open(&manifest, Segment::MANIFEST);
    let files: Vec<SegmentFile> = segments.iter().map(|segment| open(segment.file(), Segment::SEGMENT)).collect();
    Index::from_files(&manifest, files, most_documents).unwrap()
}

/// The example of the founding article: each document has some of the fingerprints 1 to 3, and each fingerprint leads
/// to its documents.
#[test]
fn fingerprints_lead_to_their_documents() {
    let documents = [("a", vec![1, 3]), ("b", vec![1, 2]), ("c", vec![1, 3]), ("d", vec![1]), ("e", vec![2])];
    let documents: Vec<_> = documents.into_iter().chain([("f", vec![2]), ("g", vec![3])]).collect();
    let index = Index::new(NO_LIMIT);
    index.log().add(keys(&documents.iter().map(|(_, keys)| keys.clone()).collect::<Vec<_>>()), None, None).unwrap();
    let with = |key: u64| -> String {
        let answer = index.query(&[key], &EVERYTHING).unwrap();
        answer.hits.iter().map(|hit| documents[hit.id as usize].0).collect()
    };
    assert_eq!([with(1), with(2), with(3)], ["abcd", "bef", "acg"]);
    let both = index.query(&[1, 3], &Ask { limit: 3, ..EVERYTHING }).unwrap();
    let named: Vec<_> = both.hits.iter().map(|hit| (documents[hit.id as usize].0, hit.hits)).collect();
    assert_eq!(named, [("a", 2), ("c", 2), ("b", 1)]);
    assert_eq!(both.unlisted, 2);
}

/// Expected contents of an index: keys, id and time of each document.
type Model = Vec<(BTreeSet<u64>, u64, i64)>;

fn expected(model: &Model, query: &BTreeSet<u64>, ask: &Ask, most_documents: usize) -> Answer {
    let in_window = |time: i64| ask.window.is_none_or(|window| window.has(time));
    let visible: Vec<_> = model.iter().filter(|(_, _, time)| in_window(*time)).collect();
    let frequency = |key: &u64| visible.iter().filter(|(keys, ..)| keys.contains(key)).count();
    let used: BTreeSet<u64> = query.iter().copied().filter(|key| frequency(key) <= most_documents).collect();
    let cut: Vec<u64> = query.difference(&used).copied().collect();
    let earliest = if 2 * cut.len() > query.len() { ask.earliest } else { 0 };
    let mut among_first = Vec::new();
    for key in &cut {
        among_first.extend(visible.iter().filter(|(keys, ..)| keys.contains(key)).take(earliest).map(|(_, id, _)| *id));
    }
    let mut hits: Vec<Hit> = visible
        .iter()
        .map(|(keys, id, _)| {
            let beside = among_first.iter().filter(|first| *first == id).count();
            Hit { id: *id, hits: (keys.intersection(&used).count() + beside) as u32 }
        })
        .filter(|hit| hit.hits >= ask.min_hits && hit.hits as f64 / used.len() as f64 >= ask.min_share)
        .collect();
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.hits));
    let unlisted = hits.len().saturating_sub(ask.limit) as u64;
    hits.truncate(ask.limit);
    Answer { hits, keys: query.len() as u32, cut: (query.len() - used.len()) as u32, unlisted }
}

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<BTreeSet<u64>>),
    Append(Vec<BTreeSet<u64>>),
    Tidy,
    Remove(Vec<u64>),
    Expire(i64),
    Merge,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let document = || prop::collection::btree_set(0u64..40, 0..12);
    let step = prop_oneof![
        3 => prop::collection::vec(document(), 1..30).prop_map(Step::Add),
        3 => prop::collection::vec(document(), 1..30).prop_map(Step::Append),
        1 => Just(Step::Tidy),
        2 => prop::collection::vec(0u64..150, 1..20).prop_map(Step::Remove),
        1 => (0i64..60).prop_map(Step::Expire),
        1 => Just(Step::Merge),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..20)
}

fn take(index: &mut Index, model: &mut Model, step: Step, most_documents: usize) {
    match step {
        Step::Add(ref documents) | Step::Append(ref documents) => {
            let first = index.log().next_id();
            let ids: Vec<u64> = (0..documents.len() as u64).map(|number| first + number).collect();
            let times: Vec<i64> = ids.iter().map(|id| (*id as i64 * 37) % 100).collect();
            let listed: Vec<Vec<u64>> = documents.iter().map(|keys| keys.iter().copied().collect()).collect();
            let (all_ids, all_times) = (Some(ids.clone()), Some(times.clone()));
            let log = index.log();
            let waits = matches!(step, Step::Append(_));
            if waits {
                log.append(keys(&listed), all_ids, all_times)
            } else {
                log.add(keys(&listed), all_ids, all_times)
            }
            .unwrap();
            model.extend(documents.iter().cloned().zip(ids).zip(times).map(|((keys, id), time)| (keys, id, time)));
        }
        Step::Remove(ids) => {
            let before = model.len();
            model.retain(|(_, id, _)| !ids.contains(id));
            assert_eq!(index.log().remove(ids).unwrap(), before - model.len());
        }
        Step::Expire(time) => {
            let before = model.len();
            model.retain(|(.., own)| *own >= time);
            assert_eq!(index.log().expire(time).unwrap(), before - model.len());
        }
        Step::Merge => index.log().merge().unwrap(),
        Step::Tidy => while index.log().tidy().unwrap() {},
        Step::Reopen => *index = reopened(index, most_documents),
    }
}

proptest! {
    #[test]
    fn equals_a_list(
        steps in steps(),
        query in prop::collection::btree_set(0u64..45, 0..12),
        limit in 1usize..40,
        min_hits in 1u32..4,
        min_share in prop::sample::select(vec![0.0, 0.2, 0.5, 1.0]),
        earliest in 0usize..6,
        window in prop::option::of((0i64..100, 0i64..100)),
        most_documents in prop::sample::select(vec![3, 20, NO_LIMIT]),
    ) {
        let window = window.map(|(a, b)| Window { since: a.min(b), until: a.max(b) });
        let ask = Ask { limit, min_hits, min_share, earliest, window };
        let mut index = Index::new(most_documents);
        let mut model = Model::new();
        for step in steps {
            take(&mut index, &mut model, step, most_documents);
        }
        let listed: Vec<u64> = query.iter().copied().collect();
        let answer = expected(&model, &query, &ask, most_documents);
        prop_assert_eq!(&index.query(&listed, &ask).unwrap(), &answer);
        let twice: Vec<u64> = listed.iter().rev().chain(&listed).copied().collect();
        prop_assert_eq!(index.query_many(&[&twice, &[]], &ask).unwrap(), vec![answer, Answer::default()]);
        let mut frequent: Vec<(u64, u64)> = (0..40)
            .map(|key| (key, model.iter().filter(|(keys, ..)| keys.contains(&key)).count() as u64))
            .filter(|&(_, documents)| documents > 5)
            .collect();
        frequent.sort_by_key(|&(key, documents)| (std::cmp::Reverse(documents), key));
        prop_assert_eq!(index.frequent(5).unwrap(), frequent);
    }
}

/// Round trip for every packing from one posting to many, with few rows and many.
#[test]
fn postings_are_as_they_were() {
    for documents in [1, 2, 3, 50, 1000, 70_000] {
        for width in [1, 2, 9] {
            let all: Vec<Vec<u64>> =
                (0..documents).map(|number| (0..width).map(|key| mix(number * width + key)).collect()).collect();
            let index = Index::new(NO_LIMIT);
            index.log().add(keys(&all), None, None).unwrap();
            for (id, keys) in all.iter().enumerate().step_by(all.len() / 50 + 1) {
                let answer = index.query(keys, &EVERYTHING).unwrap();
                assert_eq!(answer.hits, [Hit { id: id as u64, hits: width as u32 }]);
            }
            assert!(index.query(&[12_345], &EVERYTHING).unwrap().hits.is_empty());
        }
    }
}

#[test]
fn grows_by_merging() {
    let index = Index::new(NO_LIMIT);
    let documents: Vec<Vec<u64>> = (0..5000).map(|number| vec![number, number + 1, 7]).collect();
    documents.chunks(7).for_each(|part| index.log().add(keys(part), None, None).unwrap());
    let stats = index.stats();
    assert!((1..12).contains(&stats.size.segments), "{stats:?}");
    assert_eq!((stats.size.living, stats.postings), (5000, 3 * 5000 - 2));
    let answer = index.query(&[100, 7], &EVERYTHING).unwrap();
    assert_eq!(answer.hits.len(), 5000);
    assert!(answer.hits.is_sorted_by_key(|hit| (std::cmp::Reverse(hit.hits), hit.id)));
}

#[test]
fn what_is_added_and_removed_while_segments_are_merged_counts() {
    let index = Index::new(NO_LIMIT);
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) || index.log().tidy().unwrap() {
                index.log().tidy().unwrap();
            }
        });
        for number in 0..3000u64 {
            index.log().append(keys(&[vec![number, number + 1, 7]]), None, None).unwrap();
            if number % 3 == 2 {
                assert_eq!(index.log().remove(vec![number / 2]).unwrap(), 1);
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let removed: BTreeSet<u64> = (0..3000).filter(|number| number % 3 == 2).map(|number| number / 2).collect();
    let results: BTreeSet<u64> = index.query(&[7], &EVERYTHING).unwrap().hits.iter().map(|hit| hit.id).collect();
    assert_eq!(results, (0..3000).filter(|number| !removed.contains(number)).collect());
    assert!(index.stats().size.segments < 12, "{:?}", index.stats());
}

#[test]
fn many_queries_are_answered_as_each_alone() {
    let documents: Vec<Vec<u64>> =
        (0..700u64).map(|number| (0..20).map(|key| mix((number * 13 + key) % 5000)).collect()).collect();
    let index = Index::new(40);
    documents.chunks(150).for_each(|part| index.log().append(keys(part), None, None).unwrap());
    let queries: Vec<&[u64]> = documents.iter().map(Vec::as_slice).collect();
    let together = index.query_many(&queries, &EVERYTHING).unwrap();
    let alone: Vec<Answer> = queries.iter().map(|query| index.query(query, &EVERYTHING).unwrap()).collect();
    assert_eq!(together, alone);
}

#[test]
fn contradictory_documents_are_refused() {
    assert!(Keys::new(vec![1, 2], &[1]).is_err());
    let index = Index::new(NO_LIMIT);
    assert!(index.log().add(keys(&[vec![1]]), Some(vec![1, 2]), None).is_err());
    index.log().add(keys(&[vec![1]]), None, Some(vec![7])).unwrap();
    assert!(index.log().add(keys(&[vec![1]]), None, None).is_err());
}

#[test]
fn damaged_files_never_answer_wrongly() {
    let documents: Vec<Vec<u64>> =
        (0..400).map(|number| (0..8).map(|key| mix((number * 8 + key) % 1000)).collect()).collect();
    let index = Index::new(NO_LIMIT);
    let ids = (0..400).map(|id| id * 7 % 401).collect();
    index.log().add(keys(&documents), Some(ids), Some((0..400).collect())).unwrap();
    index.log().remove(vec![14]).unwrap();
    let ask = Ask { window: Some(Window { since: 0, until: 390 }), ..EVERYTHING };
    let queries: Vec<&[u64]> = documents.iter().map(Vec::as_slice).collect();
    let Files { manifest, mut segments } = index.log().sealed().unwrap().to_files(index.log().common(), 1);
    let segment = segments.pop().unwrap().file().parts().concat();
    damage_is_refused(&[manifest, SegmentFile::open(mapped(&segment), Segment::SEGMENT).unwrap()], |files| {
        let manifest = SegmentFile::open(mapped(&files[0]), Segment::MANIFEST)?;
        let segment = SegmentFile::open(mapped(&files[1]), Segment::SEGMENT)?;
        Index::from_files(&manifest, vec![segment], NO_LIMIT)?.query_many(&queries, &ask)
    });
}
