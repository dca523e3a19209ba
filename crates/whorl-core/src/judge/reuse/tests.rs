use proptest::prelude::*;

use super::*;
use crate::text::Text;

fn request(groups: &[u32], min_letters: u32, hot: usize) -> Request<'_> {
    Request { groups, min_letters, hot, noisy: false }
}

fn nominated(texts: &[String], min_letters: u32, hot: usize) -> Candidates {
    let block: Vec<Text<'_>> = texts.iter().map(|text| Text::Utf8(text)).collect();
    let groups: Vec<u32> = (0..texts.len() as u32).collect();
    candidates(&block, &request(&groups, min_letters, hot))
}

const QUOTED: &str = "港湾清晨薄雾散去渔船归航满载银鳞";

/// Texts with a common sentence and nothing else in common.
fn quoting(count: u32) -> Vec<String> {
    let beside = |number: u32| {
        (0..20).map(|place| char::from_u32(0x5000 + number * 20 + place).unwrap_or('一')).collect::<String>()
    };
    (0..count).map(|number| format!("{}{QUOTED}{}", beside(2 * number), beside(2 * number + 1))).collect()
}

#[test]
fn all_texts_with_a_sentence_are_pairs() {
    assert_eq!(nominated(&quoting(14), 39, 50).pairs.len(), 91);
}

#[test]
fn a_hot_sentence_pairs_every_text_with_the_earliest_ones() {
    let pairs = nominated(&quoting(200), 39, 50).pairs;
    assert!((1..200).all(|number| pairs.contains(&(0, number))));
    assert!(pairs.len() < 5 * 200);
}

#[test]
fn texts_of_one_group_are_not_paired() {
    let texts = quoting(6);
    let block: Vec<Text<'_>> = texts.iter().map(|text| Text::Utf8(text)).collect();
    assert_eq!(candidates(&block, &request(&[0, 0, 0, 1, 1, 1], 39, 50)).pairs.len(), 9);
    let hot = candidates(&block, &request(&[0, 0, 0, 1, 1, 1], 39, 2)).pairs;
    assert_eq!(hot, [(0, 3), (0, 4), (0, 5), (1, 3), (2, 3)]);
}

#[test]
fn an_edited_set_phrase_makes_a_pair_in_a_small_corpus() {
    let edited = |number: u32| {
        let unit = |place: u32| char::from_u32(0x5000 + 60 * number + place).unwrap_or('一');
        let beside = |from: u32| (from..from + 20).map(unit).collect::<String>();
        format!("{}港湾清晨薄雾{}散去渔船归航{}满载银鳞而归{}", beside(0), unit(20), unit(21), beside(22))
    };
    let texts: Vec<String> = (0..60).map(edited).collect();
    let block: Vec<Text<'_>> = texts.iter().map(|text| Text::Utf8(text)).collect();
    let groups: Vec<u32> = (0..60).collect();
    let count = |hot: usize| candidates(&block, &Request { noisy: true, ..request(&groups, 39, hot) }).pairs.len();
    assert_eq!((count(800), count(20)), (60 * 59 / 2, 0));
}

#[test]
fn a_short_run_has_its_places() {
    let texts = vec!["甲乙丙丁戊港湾清晨薄雾散去己庚".into(), "辛壬癸港湾，清晨薄雾散去。".into()];
    let run = Run { a: 0, b: 1, of_a: (5, 13), of_b: (3, 12), matched: 8 };
    assert_eq!(nominated(&texts, 24, 50).runs, [run]);
    assert!(nominated(&texts, 27, 50).runs.is_empty());
}

/// All maximal equal runs of two texts.
fn slow_runs(a: &[char], b: &[char], min_length: usize) -> Vec<((u32, u32), (u32, u32))> {
    let mut runs = Vec::new();
    for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
        let is_start = i == 0 || j == 0 || a[i - 1] != b[j - 1];
        let length = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
        if is_start && length >= min_length {
            runs.push(((i as u32, (i + length) as u32), (j as u32, (j + length) as u32)));
        }
    }
    runs.sort_unstable();
    runs
}

proptest! {
    #[test]
    fn short_runs_are_all_maximal_equal_runs(
        texts in prop::collection::vec(prop::collection::vec(prop::sample::select(vec!['港', '湾', '清']), 8..30), 2..5)
    ) {
        let strings: Vec<String> = texts.iter().map(|text| text.iter().collect()).collect();
        let runs = nominated(&strings, 24, 50).runs;
        for b in 1..texts.len() {
            for a in 0..b {
                let of_pair = runs.iter().filter(|run| (run.a, run.b) == (a as u32, b as u32));
                let mut fast: Vec<_> = of_pair.map(|run| (run.of_a, run.of_b)).collect();
                fast.sort_unstable();
                prop_assert_eq!(fast, slow_runs(&texts[a], &texts[b], 8));
            }
        }
    }
}
