//! The outline of a judgement: the relation of two texts and the amount of change.

use std::ops::Range;

use super::pair::{Judge, Judgement, Prepared, Related, Share};
use super::pieces::gap::Edits;
use super::stream::Stream;
use super::{Passage, passages};
use crate::text::frame::Role;

/// Minimum copied share of a body for the other text to contain all of it.
pub const WHOLE: f64 = 0.8;

/// The differences of the second text from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether the titles differ; None if one is missing.
    pub title: Option<bool>,
    /// Whether the bylines differ.
    pub byline: bool,
    /// Replaced units in passages; homophones among them; additional look-alikes in the second text; characters in the
    /// other script; idle signs; reordered passages; units of the body that only the second text has; and those that
    /// only the first has.
    pub counts: [u32; 8],
}

/// The outline of a judgement.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// The relation of the texts.
    pub related: Related,
    /// The amount of change.
    pub changes: Changes,
    /// Homophones that deliberately replace other characters; 0 if replacements sound alike only as often as scanning
    /// errors.
    pub deliberate_homophones: u32,
}

/// Fewer homophones can be typing errors.
const MIN_HOMOPHONES: u32 = 2;

impl Judge {
    /// Computes the outline of a judgement on the two current texts; passages are counted as marked. Linear in the
    /// passages.
    pub fn outline(&self, judgement: &mut Judgement) -> Outline {
        let related = self.relate(judgement);
        let translated =
            judgement.translation.as_ref().map_or([0; 2], |translation| translation.shares.map(|share| share.covered));
        let [other_a, other_b] = [0, 1].map(|text| outside(judgement.shares[text]).saturating_sub(translated[text]));
        let mut marked = Edits::default();
        judgement.passages.iter().for_each(|passage| marked.add(passage.marked));
        let look_alikes = self.b.look_alikes.saturating_sub(self.a.look_alikes);
        let changes = Changes {
            title: judgement.title,
            byline: judgement.byline,
            counts: counts(&judgement.passages, marked, look_alikes, [other_a, other_b]),
        };
        let homophones = marked.homophones;
        let is_deliberate = homophones >= MIN_HOMOPHONES && 2 * homophones > related.replaced_han;
        let deliberate_homophones = if is_deliberate { homophones } else { 0 };
        Outline { related, changes, deliberate_homophones }
    }

    /// The changes of the [`outline`](Self::outline) of two texts without boilerplate, from their alignment, which must
    /// be the last one. None if the outline may differ: passages of boilerplate are not part of it, and the ends of a
    /// passage may lie within a character that was folded to several. Linear in the passages.
    pub(crate) fn changes(&self, a: &Prepared, b: &Prepared, related: &Related) -> Option<Changes> {
        let pieces = self.aligner.aligned();
        let is_whole = |stream: &Stream, units: &Range<usize>| {
            !units.is_empty() && stream.units_in(stream.span_of(units.clone())) == *units
        };
        let are_whole = || pieces.iter().all(|piece| is_whole(&a.stream, &piece.a) && is_whole(&b.stream, &piece.b));
        if !(a.is_plain && b.is_plain && are_whole()) {
            return None;
        }
        let mut covered = [vec![false; a.length()], vec![false; b.length()]];
        for piece in pieces {
            covered[0][piece.a.clone()].fill(true);
            covered[1][piece.b.clone()].fill(true);
        }
        let other =
            [(a, &covered[0]), (b, &covered[1])].map(|(text, covered)| outside(text.counts().share_of(covered)));
        let both_have = |role: Role| a.folded(role).next().is_some() && b.folded(role).next().is_some();
        let differ = |role: Role| !a.folded(role).eq(b.folded(role));
        let look_alikes = b.look_alikes.saturating_sub(a.look_alikes);
        Some(Changes {
            title: both_have(Role::Title).then(|| differ(Role::Title)),
            byline: differ(Role::Byline),
            counts: counts(&passages(pieces, &a.stream, &b.stream), related.marked, look_alikes, other),
        })
    }
}

/// The counted units of a body that are in no passage.
fn outside(share: Share) -> u32 {
    share.counted - share.covered
}

/// The counts of [`Changes`]; `other` are the units of the two bodies that are in no passage.
fn counts(passages: &[Passage], marked: Edits, look_alikes: u32, other: [u32; 2]) -> [u32; 8] {
    let sum = |value: fn(&Passage) -> u32| passages.iter().map(value).sum();
    [
        marked.replaced,
        marked.homophones,
        look_alikes,
        sum(|passage| passage.change.script),
        sum(|passage| passage.change.noise),
        sum(|passage| u32::from(passage.moved)),
        marked.inserted + other[1],
        marked.deleted + other[0],
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pair::{InputText, LeaveOut, Side, new_names};
    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let clauses = [
            "雾散之后渡口又热闹起来",
            "霧散之後渡口又熱鬧起來",
            "雾散之後渡口又热闹",
            "船老大说今天要多跑两趟",
            "船老大说，今天要*多*跑两\u{200b}趟",
            "冰厂添了两台新机器",
            "the harbour was closed to ships",
            "the hаrbour wаs closed to ﬁshing ships",
            "“冰厂添了两台新机器”",
            "记者 王五",
            "https://harbour.example/articles/2024/the-new-ferry.html",
        ];
        let end = prop::sample::select(vec!["，", "。", "\n", " ", ""]);
        prop::collection::vec((prop::sample::select(clauses.to_vec()), end), 0..9)
            .prop_map(|parts| parts.into_iter().map(|(clause, end)| format!("{clause}{end}")).collect())
    }

    /// The changes from the alignment of two prepared texts, and those of the outline of a judgement.
    fn both(a: &str, b: &str) -> (Option<Changes>, Changes) {
        let [a, b] = [a, b].map(|text| text.chars().map(u32::from).collect::<Vec<u32>>());
        let (mut side, mut judge) = (Side::default(), Judge::default());
        let [prepared_a, prepared_b] = [&a, &b].map(|text| side.prepare(text, &|_| Vec::new()));
        let related = judge.related(&prepared_a, &prepared_b);
        let changes = judge.changes(&prepared_a, &prepared_b, &related);
        let input = |place: usize| InputText::plain((new_names(), place), [&a[..], &b[..]][place]);
        let mut judgement = judge.judge(input(0), input(1), LeaveOut::default(), &[]);
        (changes, judge.outline(&mut judgement).changes)
    }

    proptest! {
        #[test]
        fn changes_of_an_alignment_are_those_of_the_outline(a in text(), b in text(), is_edited: bool, edit in 0_usize..60) {
            let edited: String = a.chars().enumerate().filter(|&(place, _)| place != edit).map(|(_, sign)| sign).collect();
            let (changes, expected) = both(&a, if is_edited { &edited } else { &b });
            prop_assert!(changes.is_none_or(|changes| changes == expected), "{changes:?} {expected:?}");
        }
    }

    #[test]
    fn only_texts_without_boilerplate_have_changes_from_their_alignment() {
        let article =
            "渡口\n记者 王五\n雾散之后，渡口又热闹起来，船老大说今天要多跑两趟。冰厂添了两台新机器，下月开工。";
        let edited = article.replace("王五", "赵六").replace("两台", "三台");
        let (changes, expected) = both(article, &edited);
        assert_eq!(changes, Some(expected));
        assert_eq!((expected.title, expected.byline, expected.counts[0]), (Some(false), true, 3));
        let page = format!("{article}\nhttps://harbour.example/articles/2024/the-new-ferry-to-the-island.html");
        assert_eq!(both(&page, &edited).0, None);
    }
}
