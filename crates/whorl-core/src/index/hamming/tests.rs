//! Tests of the index against its reference implementations.

use std::collections::HashSet;

use proptest::prelude::*;

use super::expansion::{ball, by_query, by_store};
use super::*;
use crate::hash::mix;
use crate::index::segment_file::SegmentFile;
use crate::index::segment_file::tests::{damage_is_refused, mapped};
use crate::index::segments::{Files, Segment as _, Window};

const EVERYTHING: Ask = Ask { k: 3, first: false, window: None, limit: usize::MAX };
const NO_LIMIT: usize = usize::MAX;

fn design(name: &str) -> Design {
    name.parse().unwrap()
}

fn random(count: u64) -> Vec<u64> {
    (1..=count).map(mix).collect()
}

/// Random codes; every tenth one has a planted neighbor.
fn planted(count: u64, bits: u32) -> Vec<u128> {
    let value = |seed: u64| u128::from(mix(seed)) << 64 | u128::from(mix(seed ^ 0xABCD));
    let code = |number: u64| match number % 10 {
        0 => {
            let flips = (0..number / 10 % 6).map(|flip| mix(number + flip) % u64::from(bits));
            flips.fold(value(number + 1), |code, bit| code ^ 1 << bit)
        }
        _ => value(number),
    };
    (0..count).map(|number| code(number) & (u128::MAX >> (128 - bits))).collect()
}

/// A code with this value; of a code of more than 128 bits, both halves have it.
fn word<C: Code>(value: u128, bits: u32) -> C {
    let halves = [value as u64, (value >> 64) as u64];
    let words = if bits > 128 { [halves, halves].concat() } else { halves.to_vec() };
    C::from_value(&words, bits)
}

fn words<C: Code>(values: &[u128], bits: u32) -> Vec<C> {
    values.iter().map(|&value| word(value, bits)).collect()
}

fn ids(answer: &[Near]) -> Vec<u64> {
    answer.iter().map(|near| near.id).collect()
}

fn reopened<C: Code>(index: &Index<C>) -> Index<C> {
    let Files { manifest, segments } = index.log().sealed().unwrap().to_files(index.log().common(), 1);
    let manifest = SegmentFile::open(mapped(&manifest.parts().concat()), Segment::<u64>::MANIFEST).unwrap();
    let open = |segment: &std::sync::Arc<Segment<C>>| {
        SegmentFile::open(mapped(&segment.file().parts().concat()), Segment::<u64>::SEGMENT).unwrap()
    };
    Index::from_files(&manifest, segments.iter().map(open).collect(), NO_LIMIT).unwrap()
}

#[test]
fn the_ball_has_43745_codes() {
    let all: HashSet<u128> = ball(7, 64, 3).into_iter().collect();
    assert_eq!(all.len(), 43_745);
    assert!(all.iter().all(|code| (code ^ 7).count_ones() <= 3));
}

/// Both expansions agree with the index for every design.
#[test]
fn equals_query_expansion_and_store_expansion() {
    for (name, bits) in [("4x16", 64), ("manku10", 64), ("manku16", 64), ("manku20", 64), ("4x8", 32)] {
        let codes = planted(1000, bits);
        let index = Index::<u64>::new(design(name), NO_LIMIT);
        index.log().add(words(&codes, bits), None, None).unwrap();
        index.log().seal().unwrap();
        let queries = &codes[..20];
        let stored = by_store(&codes[..100], bits, queries, 2);
        for (query, stored) in queries.iter().zip(stored) {
            let find = |k| index.query(word::<u64>(*query, bits), &Ask { k, ..EVERYTHING }).unwrap().0;
            let results: HashSet<u128> = find(3).iter().map(|near| codes[near.id as usize]).collect();
            assert_eq!(results, by_query(&codes, bits, *query, 3), "{name}");
            let results = find(2).into_iter().filter(|near| near.id < 100).map(|near| codes[near.id as usize]);
            assert_eq!(results.collect::<HashSet<_>>(), stored, "{name}");
        }
        assert!(queries.iter().any(|query| by_query(&codes, bits, *query, 3).len() > 1));
    }
}

/// Expected contents of an index: code, id and time of each row.
type Model = Vec<(u128, u64, i64)>;

fn expected<C: Code>(model: &Model, bits: u32, query: u128, ask: &Ask) -> Vec<(u64, u32)> {
    let mut near: Vec<(u32, usize)> = model
        .iter()
        .enumerate()
        .filter(|(_, row)| ask.window.is_none_or(|window| window.has(row.2)))
        .map(|(place, row)| (word::<C>(row.0, bits).distance(word(query, bits)), place))
        .filter(|&(distance, _)| distance <= ask.k)
        .collect();
    near.sort_unstable();
    near.into_iter().take(ask.limit).map(|(distance, place)| (model[place].1, distance)).collect()
}

fn check<C: Code>(
    index: &Index<C>,
    model: &Model,
    bits: u32,
    queries: &[u128],
    ask: &Ask,
) -> Result<(), TestCaseError> {
    let many = index.query_many(&words(queries, bits), ask).unwrap().0;
    for (number, &query) in queries.iter().enumerate() {
        let results = index.query(word::<C>(query, bits), ask).unwrap().0;
        let pairs: Vec<(u64, u32)> = results.iter().map(|near| (near.id, near.distance)).collect();
        let answers = expected::<C>(model, bits, query, ask);
        if ask.first {
            prop_assert_eq!(pairs.len(), answers.len().min(1));
            let every = expected::<C>(model, bits, query, &Ask { limit: usize::MAX, ..*ask });
            prop_assert!(pairs.iter().all(|pair| every.contains(pair)));
        } else {
            prop_assert_eq!(pairs, answers);
        }
        prop_assert_eq!(
            results,
            many.iter().filter(|(of, _)| *of == number as u32).map(|(_, near)| *near).collect::<Vec<_>>()
        );
    }
    prop_assert_eq!(index.stats().codes, model.len());
    Ok(())
}

#[derive(Clone, Debug)]
enum Step {
    Add(Vec<(u128, Option<u64>, i64)>),
    Remove(Vec<u64>),
    Expire(i64),
    Seal,
    Merge,
    Reopen,
}

/// Codes with few varying bits, so that many are near each other or equal.
fn code(bits: u32) -> impl Strategy<Value = u128> {
    let all = u128::MAX >> (128 - bits.min(128));
    let low = all & 0x8000_0000_0000_0080_0000_0000_0001_0107;
    any::<u128>().prop_map(move |value| value & (low | 0x33))
}

fn step(bits: u32) -> impl Strategy<Value = Step> {
    let row = (code(bits), prop::option::of(0u64..40), -9i64..9);
    prop_oneof![
        4 => prop::collection::vec(row, 0..30).prop_map(Step::Add),
        1 => prop::collection::vec(0u64..60, 0..12).prop_map(Step::Remove),
        1 => (-10i64..10).prop_map(Step::Expire),
        3 => Just(Step::Seal),
        1 => Just(Step::Merge),
        1 => Just(Step::Reopen),
    ]
}

fn apply<C: Code>(index: &mut Index<C>, model: &mut Model, bits: u32, step: Step) -> Result<(), TestCaseError> {
    match step {
        Step::Add(mut rows) => {
            // Rows of one call either all have ids or all lack them.
            let numbered = rows.first().is_some_and(|row| row.1.is_some());
            rows.retain(|row| row.1.is_some() == numbered);
            let codes = words(&rows.iter().map(|row| row.0).collect::<Vec<_>>(), bits);
            let next = index.log().next_id();
            let ids = rows.iter().map(|row| row.1).collect::<Option<Vec<u64>>>();
            index.log().add(codes, ids, Some(rows.iter().map(|row| row.2).collect())).unwrap();
            model.extend(rows.iter().zip(next..).map(|(row, next)| (row.0, row.1.unwrap_or(next), row.2)));
        }
        Step::Remove(ids) => {
            let before = model.len();
            model.retain(|row| !ids.contains(&row.1));
            prop_assert_eq!(index.log().remove(ids).unwrap(), before - model.len());
        }
        Step::Expire(time) => {
            let before = model.len();
            model.retain(|row| row.2 >= time);
            prop_assert_eq!(index.log().expire(time).unwrap(), before - model.len());
        }
        Step::Seal => index.log().seal().unwrap(),
        Step::Merge => {
            index.log().merge().unwrap();
            prop_assert!(index.stats().segments <= 1 && index.stats().removed == 0);
        }
        Step::Reopen => *index = reopened(index),
    }
    Ok(())
}

fn case() -> impl Strategy<Value = (&'static str, u32)> {
    prop_oneof![
        Just(("2x4", 8)),
        Just(("4x8", 32)),
        Just(("4x16", 64)),
        Just(("manku10", 64)),
        Just(("manku16", 64)),
        Just(("3x30", 90)),
        Just(("8x16", 128)),
        Just(("16x16", 256)),
    ]
}

fn lives<C: Code>(name: &str, bits: u32, steps: Vec<Step>, queries: &[u128], ask: &Ask) -> Result<(), TestCaseError> {
    let mut index = Index::<C>::new(design(name), NO_LIMIT);
    let ask = &Ask { k: ask.k.min(index.largest_distance()), ..*ask };
    let mut model = Model::new();
    for step in steps {
        apply(&mut index, &mut model, bits, step)?;
        let mut queries = queries.to_vec();
        queries.extend(model.iter().map(|row| row.0).step_by(7));
        check(&index, &model, bits, &queries, ask)?;
    }
    Ok(())
}

proptest! {
    /// After any sequence of operations, an index agrees with a linear search of a list.
    #[test]
    fn equals_a_list(
        ((name, bits), steps, queries) in case().prop_flat_map(|case| (Just(case), prop::collection::vec(step(case.1), 1..12), prop::collection::vec(code(case.1), 1..5))),
        k in 0u32..40,
        first: bool,
        window in prop::option::of((-9i64..9, 0i64..9)),
        limit in prop_oneof![Just(usize::MAX), 1usize..5],
    ) {
        let window = window.map(|(since, length)| Window { since, until: since + length });
        let ask = Ask { k, first, window, limit };
        match bits {
            ..=64 => lives::<u64>(name, bits, steps, &queries, &ask)?,
            ..=128 => lives::<u128>(name, bits, steps, &queries, &ask)?,
            _ => lives::<[u128; 2]>(name, bits, steps, &queries, &ask)?,
        }
    }

    /// For every distribution of errors, some table looks up the key of the other code.
    #[test]
    fn plans_miss_nothing((name, bits) in case(), k in 0u32..12, flips in prop::collection::vec(0u32..256, 0..12)) {
        let design = design(name);
        let differing: HashSet<u32> = flips.into_iter().map(|flip| flip % bits).take(k as usize).collect();
        if let Some(plan) = design.plan(k.min(bits)) {
            let in_key = |key: &Vec<std::ops::Range<u32>>| differing.iter().filter(|bit| key.iter().any(|range| range.contains(bit))).count() as u32;
            prop_assert!(design.keys().iter().zip(plan.radii()).any(|(key, radius)| radius.is_some_and(|radius| in_key(key) <= radius)));
        }
    }

    /// The pairs equal those of comparing every two rows; beyond the limit, the nearest and earliest are listed.
    #[test]
    fn self_join_equals_every_two_rows(codes in prop::collection::vec(code(64), 0..400), k in 0u32..12, limit in prop_oneof![Just(usize::MAX), 1usize..5]) {
        let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
        let half = codes.len() / 2;
        index.log().add(words(&codes[..half], 64), None, None).unwrap();
        index.log().seal().unwrap();
        index.log().add(words(&codes[half..], 64), None, None).unwrap();
        let joined = index.self_join(k, limit).unwrap();
        let mut expected = Vec::new();
        let mut all = 0;
        for later in 0..codes.len() {
            let mut near: Vec<(u8, u64)> = (0..later)
                .map(|earlier| ((codes[later] ^ codes[earlier]).count_ones() as u8, earlier as u64))
                .filter(|pair| u32::from(pair.0) <= k)
                .collect();
            near.sort_unstable();
            all += near.len();
            expected.extend(near.into_iter().take(limit).map(|(distance, earlier)| (later as u64, earlier, distance)));
        }
        let results: Vec<(u64, u64, u8)> = (0..joined.later.len()).map(|at| (joined.later[at], joined.earlier[at], joined.distance[at])).collect();
        prop_assert_eq!(joined.unlisted as usize, all - expected.len());
        prop_assert_eq!(results, expected);
    }
}

/// Groups that are divided repeatedly on several threads: codes that agree in most bits.
#[test]
fn pairs_of_codes_with_hot_blocks() {
    for (shift, k) in [(0, 3), (20, 3), (40, 2), (7, 5)] {
        let mut codes: Vec<u64> = random(20_000).iter().map(|code| (code & 0xFF_FFFF) << shift | 0x5 << 60).collect();
        codes.extend(random(3000));
        codes.sort_unstable();
        codes.dedup();
        let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
        index.log().add(codes.clone(), None, None).unwrap();
        let results = pairs(&codes, 64, k).unwrap();
        assert!(results.is_sorted() && results.windows(2).all(|two| two[0] != two[1]));
        let sample: Vec<usize> = (0..codes.len()).step_by(211).collect();
        let queries: Vec<u64> = sample.iter().map(|&at| codes[at]).collect();
        let near = index.query_many(&queries, &Ask { k, ..EVERYTHING }).unwrap().0;
        for (number, &at) in sample.iter().enumerate() {
            let mut partners: Vec<u64> = results
                .iter()
                .filter(|pair| pair.a as usize == at || pair.b as usize == at)
                .map(|pair| u64::from(if pair.a as usize == at { pair.b } else { pair.a }))
                .collect();
            let mut expected: Vec<u64> = near
                .iter()
                .filter(|(of, near)| *of == number as u32 && near.id != at as u64)
                .map(|(_, near)| near.id)
                .collect();
            partners.sort_unstable();
            expected.sort_unstable();
            assert_eq!(partners, expected);
        }
    }
}

/// Segments are built and merged as codes are added; all codes remain searchable, and none is merged too often.
#[test]
fn grows_by_merging() {
    let codes = random(100_000);
    let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
    for part in codes.chunks(997) {
        index.log().add(part.to_vec(), None, None).unwrap();
    }
    let stats = index.stats();
    assert!((1..8).contains(&stats.segments), "{stats:?}");
    assert_eq!(stats.codes, codes.len());
    for (id, code) in codes.iter().enumerate().step_by(101) {
        assert_eq!(ids(&index.query(code ^ 0x8001, &EVERYTHING).unwrap().0), [id as u64]);
    }
}

#[test]
fn a_hot_key_is_cut_and_counted() {
    let codes: Vec<u64> = (0..5000).map(|low| 0xABCD << 48 | mix(low) >> 16).collect();
    let index = Index::<u64>::new(design("4x16"), 1000);
    index.log().add(codes.clone(), None, None).unwrap();
    index.log().seal().unwrap();
    index.query(codes[17], &EVERYTHING).unwrap();
    let tally = index.stats().tally;
    assert_eq!(tally.cut, 4000);
    assert!(tally.candidates < 1100);
}

#[test]
fn rows_beyond_those_asked_for_are_counted() {
    let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
    index.log().add(vec![5; 100], None, None).unwrap();
    index.log().seal().unwrap();
    index.log().add(vec![4; 10], None, None).unwrap();
    let (answer, tally) = index.query_many(&[5, 4], &Ask { limit: 3, ..EVERYTHING }).unwrap();
    assert_eq!(answer.iter().map(|(_, near)| near.id).collect::<Vec<_>>(), [0, 1, 2, 100, 101, 102]);
    assert_eq!(tally.unlisted, 2 * (110 - 3));
}

#[test]
fn contradictory_rows_are_refused() {
    let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
    assert!(index.log().add(vec![1, 2], Some(vec![1]), None).is_err());
    assert!(index.log().add(vec![1], Some(vec![u64::MAX]), None).is_err());
    index.log().add(vec![1], None, Some(vec![7])).unwrap();
    assert!(index.log().add(vec![1], None, None).is_err());
    assert_eq!(index.log().timed(), Some(true));
}

#[test]
fn damaged_files_never_answer_wrongly() {
    let codes: Vec<u64> = random(700).into_iter().chain([mix(3), mix(4) ^ 1]).collect();
    let index = Index::<u64>::new(design("4x16"), NO_LIMIT);
    index.log().add(codes.clone(), Some((0..702).map(|id| id * 7 % 901).collect()), Some((0..702).collect())).unwrap();
    index.log().seal().unwrap();
    index.log().remove(vec![14]).unwrap();
    let ask = Ask { window: Some(Window { since: 0, until: 702 }), ..EVERYTHING };
    let Files { manifest, mut segments } = index.log().sealed().unwrap().to_files(index.log().common(), 1);
    let segment = segments.pop().unwrap().file().parts().concat();
    damage_is_refused(&[manifest, SegmentFile::open(mapped(&segment), Segment::<u64>::SEGMENT).unwrap()], |files| {
        let manifest = SegmentFile::open(mapped(&files[0]), Segment::<u64>::MANIFEST)?;
        let segment = SegmentFile::open(mapped(&files[1]), Segment::<u64>::SEGMENT)?;
        let index = Index::<u64>::from_files(&manifest, vec![segment], NO_LIMIT)?;
        index.query_many(&codes, &ask).map(|(answers, _)| answers)
    });
}
