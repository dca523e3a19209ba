//! Differences between removed documents and those kept for them.

use rayon::prelude::*;

use crate::align::outline::Outline;
use crate::align::pair::{InputText, Judge, LeaveOut, new_names};
use crate::judge::compare::{Pair, TextSource};
use crate::judge::pair_texts::PairTexts;

/// Compares pairs of a kept and a removed document in parallel, and returns the outline of each.
///
/// Linear in the texts, all of which are in memory together. Adjacent pairs with the same kept document are the
/// cheapest.
///
/// # Errors
/// If a text cannot be read.
pub fn outlines<S: TextSource>(pairs: &[Pair], source: &S) -> Result<Vec<Outline>, S::Error> {
    let texts = PairTexts::read(pairs, source)?;
    let name = new_names();
    let input = |document: u32| {
        let (place, text) = texts.of(document);
        InputText::plain((name, place), text)
    };
    let outline = |judge: &mut Judge, &(kept, removed): &Pair| {
        let mut judgement = judge.judge(input(kept), input(removed), LeaveOut::default(), &[]);
        judge.outline(&mut judgement)
    };
    Ok(pairs.par_iter().map_init(Judge::default, outline).collect())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::OnceLock;

    use super::*;
    use crate::align::relation::Relation;
    use crate::text::Text;

    struct InMemory(&'static [&'static str]);

    impl TextSource for InMemory {
        type Error = Infallible;

        fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), Infallible> {
            let texts = documents.iter().map(|&document| Text::Utf8(self.0[document as usize]));
            texts.enumerate().for_each(|(position, text)| on_text(position, text));
            Ok(())
        }
    }

    #[test]
    fn a_pair_is_told_in_a_word_and_in_numbers() {
        let source = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。老船长说，从前等冰要等到半夜，鱼都困了。";
        let copy = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。老船长说，从前等冰要等到办夜，鱼都困了。";
        static TEXTS: OnceLock<[&str; 4]> = OnceLock::new();
        let texts = TEXTS.get_or_init(|| [source, copy, "山里的学校下了第一场雪，孩子们都跑出去了。", ""]);
        let Ok(result) = outlines(&[(0, 0), (0, 1), (0, 2), (2, 3)], &InMemory(texts));
        let kinds: Vec<Relation> = result.iter().map(|outline| outline.related.relation).collect();
        let expected = [Relation::Exact, Relation::NearDuplicate, Relation::Unrelated, Relation::Unrelated];
        assert_eq!(kinds, expected);
        assert_eq!(result[1].changes.counts, [1, 1, 0, 0, 0, 0, 0, 0]);
    }
}
