//! Decisions against the definition, and their promises.

use proptest::prelude::*;

use super::*;
use crate::inside::group::{Grouping, group};
use crate::inside::records::records;
use crate::inside::runs::runs;
use crate::inside::stream::Measure;
use crate::inside::units::Kind;
use crate::text::Text;

struct InMemory(Vec<String>);

impl TextSource for InMemory {
    type Error = ();

    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), ()> {
        documents
            .iter()
            .enumerate()
            .for_each(|(index, &document)| on_text(index, Text::Utf8(&self.0[document as usize])));
        Ok(())
    }
}

fn pairs_of(texts: &[String], search: &Search) -> Vec<Pair> {
    let mut all = Vec::new();
    for (rank, text) in texts.iter().enumerate() {
        let document = Document::new(Text::Utf8(text), search);
        records(&document, search, rank as u32, 0, |record| all.push(record));
    }
    let any_surroundings = search.kind == Kind::Passages;
    group(&mut all, &Grouping { repeats: 2, both_ways: false, any_surroundings, approved: 0 }).pairs
}

fn decided(texts: &[String], search: &Search) -> Decided {
    let ranks: Vec<u32> = (0..texts.len() as u32).collect();
    let lengths = vec![1; texts.len()];
    let source = InMemory(texts.to_vec());
    Decider::new(*search, true, false).decide(&source, &ranks, &lengths, pairs_of(texts, search)).unwrap()
}

/// The repeated units of every document by the definition, in quadratic time.
fn slow(documents: &[Document], min_length: u32) -> Vec<Vec<bool>> {
    let mut repeated: Vec<Vec<bool>> =
        documents.iter().map(|document| vec![false; document.stream.units().len()]).collect();
    for (rank, document) in documents.iter().enumerate() {
        let units = document.stream.units();
        for start in (0..units.len()).filter(|&unit| document.stream.is_border(unit)) {
            let ends = (start + 1..=units.len()).filter(|&end| document.stream.is_border(end));
            for end in ends.filter(|&end| document.stream.length(&(start..end)) >= min_length) {
                let window = &units[start..end];
                let is_known = |(other, earlier): (usize, &Document)| {
                    let last = if other == rank { start } else { earlier.stream.units().len() };
                    let begins = (0..(last + 1).saturating_sub(window.len()))
                        .filter(|&at| earlier.stream.is_border(at) && earlier.stream.is_border(at + window.len()));
                    begins.into_iter().any(|at| earlier.stream.units()[at..at + window.len()] == *window)
                };
                if documents[..=rank].iter().enumerate().any(is_known) {
                    repeated[rank][start..end].fill(true);
                }
            }
        }
    }
    repeated
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        "[ab甲乙 ]{0,12}".boxed(),
        Just("the quick brown fox, and the dog. ".to_owned()).boxed(),
        Just("今天天气很好，我们出门去。".to_owned()).boxed(),
        Just("وقال الوزير، إن الحكومة تدرس القرار. ".to_owned()).boxed(),
        Just("for i in range(10): print(i)\n".to_owned()).boxed(),
        Just("ab ab ab ab ab ab ".to_owned()).boxed(),
    ];
    let text = prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat());
    prop::collection::vec(text, 1..6)
}

proptest! {
    #[test]
    fn repeated_stretches_are_those_of_the_definition(texts in texts(), min_length in 5u32..40, tokens: bool) {
        let (measure, min_length) = if tokens { (Measure::Tokens, min_length / 3) } else { (Measure::Letters, min_length) };
        let search = Search { kind: Kind::Passages, measure, min_length: min_length.max(4) };
        let documents: Vec<Document> =
            texts.iter().map(|text| Document::new(Text::Utf8(text), &search)).collect();
        let mut repeated: Vec<Vec<bool>> =
            documents.iter().map(|document| vec![false; document.stream.units().len()]).collect();
        let mut pairs = pairs_of(&texts, &search);
        pairs.sort_unstable();
        pairs.sort_by_key(|pair| (pair.rank, pair.other));
        for pairs in pairs.chunk_by(|a, b| (a.rank, a.other) == (b.rank, b.other)) {
            let (rank, other) = (pairs[0].rank as usize, pairs[0].other as usize);
            for run in runs(&documents[rank], &documents[other], pairs, search.min_length) {
                repeated[rank][run.units()].fill(true);
            }
        }
        prop_assert_eq!(repeated, slow(&documents, search.min_length));
    }

    #[test]
    fn what_is_cut_stays_elsewhere_and_no_word_is_divided(texts in texts(), min_length in 5u32..40, kind in 0usize..4) {
        let kind = [Kind::Lines, Kind::Sentences, Kind::Paragraphs, Kind::Passages][kind];
        let search = Search { kind, measure: Measure::Letters, min_length };
        let decided = decided(&texts, &search);
        let points: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
        let folded = |rank: u32, range: &Range<u32>| {
            crate::text::tokens(&points[rank as usize][range.start as usize..range.end as usize])
        };
        let mut cut: Vec<Vec<bool>> = points.iter().map(|points| vec![false; points.len()]).collect();
        for row in &decided.rows {
            prop_assert!(row.kept < row.rank || row.kept == row.rank && row.kept_range.start < row.range.start);
            prop_assert_eq!(folded(row.rank, &row.range), folded(row.kept, &row.kept_range));
            for place in row.range.clone() {
                prop_assert!(!std::mem::replace(&mut cut[row.rank as usize][place as usize], true));
            }
        }
        for row in &decided.rows {
            prop_assert!(row.kept_range.clone().all(|place| !cut[row.kept as usize][place as usize]));
            let text = &points[row.rank as usize];
            for border in [row.range.start as usize, row.range.end as usize] {
                let is_letter = |place: usize| {
                    text.get(place).is_some_and(|&point| char::from_u32(point).is_some_and(char::is_alphanumeric))
                        && crate::text::class(text[place]) == crate::text::Class::Run
                };
                prop_assert!(border == 0 || !is_letter(border - 1) || !is_letter(border), "{:?}", row);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_sentences_are_cut_that_are_repeated_as_a_whole(texts in texts(), min_length in 12u32..40) {
        let search = Search { kind: Kind::Passages, measure: Measure::Letters, min_length };
        let documents: Vec<Document> = texts.iter().map(|text| Document::new(Text::Utf8(text), &search)).collect();
        let repeated = slow(&documents, min_length);
        let mut cut: Vec<Vec<bool>> = repeated.iter().map(|units| vec![false; units.len()]).collect();
        for stripped in decided(&texts, &search).documents {
            for range in &stripped.deletions {
                let range = range.start as usize..range.end as usize;
                cut[stripped.rank as usize][documents[stripped.rank as usize].stream.units_of(&range)].fill(true);
            }
        }
        for ((document, repeated), cut) in documents.iter().zip(repeated).zip(cut) {
            let is_repeated = |span: &Range<usize>| repeated[span.clone()].iter().all(|&known| known);
            let mut expected = vec![false; cut.len()];
            let spans: Vec<&Range<usize>> = document.spans().iter().filter(|span| !span.is_empty()).collect();
            for group in spans.chunk_by(|a, b| is_repeated(a) == is_repeated(b)).filter(|group| is_repeated(group[0])) {
                let whole = group[0].start..group[group.len() - 1].end;
                if 2 * document.stream.length(&whole) >= min_length {
                    expected[whole].fill(true);
                }
            }
            prop_assert_eq!(cut, expected, "{:?}", document.units());
        }
    }
}

proptest! {
    #[test]
    fn separate_steps_decide_the_same(texts in texts(), min_length in 5u32..40, kind in 0usize..4, keeps: bool) {
        let kind = [Kind::Lines, Kind::Sentences, Kind::Paragraphs, Kind::Passages][kind];
        let search = Search { kind, measure: Measure::Letters, min_length };
        let ranks: Vec<u32> = (0..texts.len() as u32).collect();
        let lengths = vec![1; texts.len()];
        let source = InMemory(texts.clone());
        let decider = || Decider::new(search, keeps, true);
        let pairs = pairs_of(&texts, &search);
        let whole = decider().decide(&source, &ranks, &lengths, pairs.clone()).unwrap();
        let (even, odd): (Vec<Pair>, Vec<Pair>) = pairs.into_iter().partition(|pair| pair.rank % 2 == 0);
        let mut refuted = 0;
        let mut pieces = Vec::new();
        for part in [odd, even] {
            let proposed = decider().propose(&source, &ranks, &lengths, part).unwrap();
            refuted += proposed.refuted;
            pieces.extend(proposed.pieces);
        }
        pieces.sort_by_key(|piece| piece.rank);
        let traced = decider().trace(pieces);
        let (even, odd): (Vec<Piece>, Vec<Piece>) = traced.into_iter().partition(|piece| piece.rank % 2 == 0);
        let mut decided = Decided { refuted, ..Decided::default() };
        for part in [odd, even] {
            let stripped = decider().strip(&source, &ranks, &lengths, &part).unwrap();
            decided.rows.extend(stripped.rows);
            decided.documents.extend(stripped.documents);
        }
        decided.rows.sort_by_key(|row| row.rank);
        decided.documents.sort_by_key(|document| document.rank);
        prop_assert_eq!(decided.rows, whole.rows);
        prop_assert_eq!(decided.documents, whole.documents);
        prop_assert_eq!(decided.refuted, whole.refuted);
    }
}

#[test]
fn a_source_that_was_cut_is_traced_to_where_the_text_stays() {
    let [first, second, third] = ["The ice house burned down on Monday night.", "Nobody was hurt.", "Rain came."];
    let texts = [
        format!("{first} Ash."),
        format!("Bay. {first} {second} {third}"),
        format!("Cod. {first} {second} {third} Dew."),
    ];
    let search = Search { kind: Kind::Passages, measure: Measure::Letters, min_length: 30 };
    let rows: Vec<(u32, u32, String)> =
        decided(&texts, &search).rows.into_iter().map(|row| (row.rank, row.kept, row.text)).collect();
    let rest = format!("{second} {third}");
    let expected = [(1, 0, first.to_owned()), (2, 0, first.to_owned()), (2, 1, rest)];
    assert_eq!(rows, expected);
}
