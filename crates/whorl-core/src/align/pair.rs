//! The judgement of a pair of texts: exact shingle counts, passages, and how much of each text they cover.

use std::ops::Range;

use super::change::moved;
use super::detail::Detail;
use super::facts::dates::stated;
use super::facts::formal::is_short_formal;
use super::facts::titles::Titles;
use super::facts::{Facts, LONGEST_SLOT, compare_edge};
use super::pieces::gap::Edits;
use super::pieces::piece::Piece;
use super::relation::{Derived, Evidence, Relation, relate};
use super::runs::Tokens;
use super::shelf::Shelf;
use super::side::{COUNTED, Counts, SHINGLE};
use super::translation::Translation;
use super::{Aligner, Passage, passages};
use crate::measure::verify::{Scratch, overlap};
use crate::text::frame::Role;

pub use super::side::{InputText, LeaveOut, Prepared, Share, Side, new_names};
pub use super::stream::Stream;

/// A sentence of which the other text has a smaller share is reworded: its source is evident, but it is not copied.
pub(crate) const CLOSE: f64 = 0.8;

/// Coverage of at least this share of a text is complete, apart from changes between editions.
const WHOLE: f64 = 0.9;

/// The judgement of two texts.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Whether the folded texts are equal apart from bylines, and not empty.
    pub identical: bool,
    /// The shared passages in the order of the second text.
    pub passages: Vec<Passage>,
    /// Reasons why passages were dropped, each with its number of equal code points.
    pub dropped: Vec<(&'static str, u32)>,
    /// Folded code points of the bodies.
    pub shares: [Share; 2],
    /// The same without quotations and references, regardless of whether they are excluded.
    pub own_words: [Share; 2],
    /// Confidence that both texts have the same content, in [0.5, 1], if sentences are aligned by it.
    pub content: Option<f64>,
    /// What is translated from one text to the other; its passages are not among the others.
    pub translation: Option<Translation>,
    /// Whether the titles differ; None if one is missing.
    pub title: Option<bool>,
    /// Whether the bylines differ.
    pub byline: bool,
}

/// The relation of two texts with its evidence.
#[derive(Clone, Copy, Debug)]
pub struct Related {
    /// The relation of the texts.
    pub relation: Relation,
    /// Which text derives from the other, if that is clear.
    pub derived: Option<Derived>,
    /// Confidence of the relation, in [0.5, 1].
    pub confidence: f64,
    /// The evidence for the relation.
    pub evidence: Evidence,
    /// Length of the longest sequence of close sentences in the second text, without boilerplate, in letters.
    pub longest: u32,
    /// Replaced units in passages that are Han characters.
    pub replaced_han: u32,
    /// The edits of all passages as marked for readers.
    pub marked: Edits,
}

impl Related {
    /// With a confidence that is at most that of the same content, if the relation follows from it.
    pub(super) fn limited_by(mut self, content: Option<f64>) -> Self {
        if let Some(confidence) = content.filter(|_| self.relation == Relation::Reworded) {
            self.confidence = self.confidence.min(confidence);
        }
        self
    }

    /// With the relation of a translation if more is translated than copied.
    fn with(mut self, translation: Option<&Translation>) -> Self {
        let larger = |shares: [Share; 2]| shares.map(Share::covered_share).into_iter().fold(0.0, f64::max);
        if let Some(translation) = translation
            && self.relation != Relation::Exact
            && larger(translation.shares) > larger(self.evidence.copied)
        {
            self.relation = Relation::Translation;
            self.derived = None;
            self.confidence = translation.confidence;
        }
        self
    }
}

/// Ranges of units of two texts.
pub(super) type Places = [Vec<Range<usize>>; 2];

/// Judges pairs; one per worker, reused from pair to pair. A text of the previous pair, or one that recurs, is not read
/// again.
#[derive(Default)]
pub struct Judge {
    pub(super) aligner: Aligner,
    scratch: Scratch,
    marks: Vec<u8>,
    shelf: Shelf,
    /// The first text of the last pair.
    pub a: Side,
    /// The second text of the last pair.
    pub b: Side,
}

impl Judge {
    /// Judges two texts; parts of the second in `claimed` are not available. Linear in both.
    pub fn judge(&mut self, a: InputText<'_>, b: InputText<'_>, leave_out: LeaveOut, claimed: &[bool]) -> Judgement {
        let mut dropped = Vec::new();
        let mut passages = self.aligned(a, b, leave_out, claimed);
        passages.retain(|passage| {
            let why = self.why_not(passage, leave_out);
            dropped.extend(why.map(|why| (why, passage.edits.matched)));
            why.is_none()
        });
        let [share_a, own_a] = self.a.cover(passages.iter().map(|passage| passage.a.clone()));
        let [share_b, own_b] = self.b.cover(passages.iter().map(|passage| passage.b.clone()));
        let both_have = |role: Role| self.a.folded(role).next().is_some() && self.b.folded(role).next().is_some();
        let differ = |role: Role| !self.a.folded(role).eq(self.b.folded(role));
        Judgement {
            identical: !passages.is_empty() && self.are_equal(),
            title: both_have(Role::Title).then(|| differ(Role::Title)),
            byline: differ(Role::Byline),
            shares: [share_a, share_b],
            own_words: [own_a, own_b],
            content: None,
            translation: None,
            passages,
            dropped,
        }
    }

    /// Determines the relation of two texts without their boilerplate. Linear.
    pub fn related(&mut self, a: &Prepared, b: &Prepared) -> Related {
        self.related_in_places(a, b).0
    }

    /// The same, with the copied units of both: those in close sentences of passages.
    pub(super) fn related_in_places(&mut self, a: &Prepared, b: &Prepared) -> (Related, Places) {
        related_by_pieces(a, b, self.aligner.align_beside(&a.stream, &b.stream, &[]), &Places::default())
    }

    /// The pieces that two texts share.
    pub(super) fn pieces(&mut self, a: &Prepared, b: &Prepared) -> Vec<Piece> {
        self.aligner.align_beside(&a.stream, &b.stream, &[]).to_vec()
    }

    /// Determines the relation of the two current texts from a judgement. Passages receive the edits as marked for
    /// readers.
    pub(super) fn relate(&self, judgement: &mut Judgement) -> Related {
        let (a, b) = (self.a.counts(), self.b.counts());
        let units = |passage: &Passage| (a.stream.units_in(passage.a.clone()), b.stream.units_in(passage.b.clone()));
        let mut by_content = Places::default();
        for passage in judgement.passages.iter().filter(|passage| passage.is_of_content) {
            let (of_a, of_b) = units(passage);
            by_content[0].push(of_a);
            by_content[1].push(of_b);
        }
        let of_text = |passage: &&Passage| !passage.is_of_content;
        let placed = judgement.passages.iter().filter(of_text);
        let placed: Vec<_> = placed.map(|passage| (units(passage), passage.edits)).collect();
        let placed = placed.into_iter().map(|((of_a, of_b), edits)| (of_a, of_b, edits));
        let mut marked = Vec::with_capacity(judgement.passages.len());
        let (related, _) = related(a, b, judgement.identical, placed, &by_content, |edits| marked.push(edits));
        let aligned = judgement.passages.iter_mut().filter(|passage| !passage.is_of_content);
        for (passage, edits) in aligned.zip(marked) {
            passage.marked = edits;
        }
        related.limited_by(judgement.content).with(judgement.translation.as_ref())
    }

    fn aligned(&mut self, a: InputText<'_>, b: InputText<'_>, leave_out: LeaveOut, claimed: &[bool]) -> Vec<Passage> {
        if self.a.is(b) || self.b.is(a) {
            std::mem::swap(&mut self.a, &mut self.b);
        }
        self.shelf.exchange(&mut self.a, a);
        self.shelf.exchange(&mut self.b, b);
        self.a.read(a, leave_out);
        self.b.read(b, leave_out);
        let (a, b) = (&self.a.stream, &self.b.stream);
        passages(self.aligner.align_beside(a, b, claimed), a, b)
    }

    /// True if both texts, or their bodies without bylines, have the same units and the same metadata.
    fn are_equal(&self) -> bool {
        self.a.stream.has_metadata_of(&self.b.stream)
            && (self.a.stream.units() == self.b.stream.units() || self.a.body().eq(self.b.body()))
    }

    /// True if both texts are equal without any boilerplate that the caller named: what is left out of a passage of most
    /// of them is incidental.
    fn are_equal_and_incidental(&self) -> bool {
        self.b.folded(Role::Boilerplate).next().is_none() && self.are_equal()
    }

    fn why_not(&self, passage: &Passage, leave_out: LeaveOut) -> Option<&'static str> {
        if let Some(role) = self.b.spent(&passage.b) {
            return Some(role.name());
        }
        if (passage.edits.matched as usize).saturating_sub(self.b.left_out(&passage.b)) < leave_out.min_equal as usize {
            return Some("least");
        }
        let is_boilerplate = self.a.is_boilerplate(&passage.a) || self.b.is_boilerplate(&passage.b);
        (is_boilerplate && !self.is_copy_under_boilerplate(passage)).then(|| Role::Boilerplate.name())
    }

    /// True if a passage of mostly boilerplate covers nearly all of both texts and is alike outside the boilerplate as
    /// well, or if equal texts are incidental throughout. This excludes two completed forms, and the remainder of a
    /// licence.
    fn is_copy_under_boilerplate(&self, passage: &Passage) -> bool {
        let is_whole = |side: &Side, span: &Range<usize>| {
            side.stream.units_in(span.clone()).len() as f64 >= WHOLE * side.length() as f64
        };
        let units = self.b.stream.units_in(passage.b.clone());
        let evidential = self.b.stream.telling(units.clone());
        let alike = (passage.edits.alike() as usize).saturating_sub(units.len() - evidential);
        is_whole(&self.a, &passage.a)
            && is_whole(&self.b, &passage.b)
            && (evidential > 0 && alike as f64 >= CLOSE * evidential as f64 || self.are_equal_and_incidental())
    }

    /// Distinct shingles shared by both texts of the last pair, of the first, of the second; zeros if both have none.
    ///
    /// A shingle has at least five units, unless it is a whole text.
    pub fn shingles(&mut self) -> [u32; 3] {
        let are_short = [&self.a, &self.b].iter().any(|side| !side.stream.has_tokens(SHINGLE));
        if !self.aligner.may_share_shingles && !are_short {
            return [0; 3];
        }
        overlap(self.a.shingles(), self.b.shingles(), &mut self.scratch, &mut self.marks)
    }
}

/// Determines the relation of two texts from the pieces that they share, and from sentences aligned `by_content`. Also
/// returns the copied units.
pub(super) fn related_by_pieces(
    a: &Prepared,
    b: &Prepared,
    pieces: &[Piece],
    by_content: &Places,
) -> (Related, Places) {
    let placed = pieces.iter().map(|piece| (piece.a.clone(), piece.b.clone(), piece.edits));
    let identical = a.length() > 0 && a.stream.is_same_as(&b.stream);
    related(a.counts(), b.counts(), identical, placed, by_content, |_| ())
}

/// Determines the relation of two texts from their passages: units of both, and their edits as aligned. Sentences
/// aligned `by_content` are never copied. `on_marked` receives the edits of each passage as marked. Also returns the
/// copied units.
fn related(
    a: Counts<'_>,
    b: Counts<'_>,
    identical: bool,
    passages: impl Iterator<Item = (Range<usize>, Range<usize>, Edits)>,
    by_content: &Places,
    mut on_marked: impl FnMut(Edits),
) -> (Related, Places) {
    let (mut replaced_han, mut marked) = (0, Edits::default());
    let mut evidence = Evidence { identical, ..Evidence::default() };
    // Read only if the texts share a passage: most compared pairs share none.
    let mut subjects = None;
    let (mut aligned, mut close, mut starts, mut longest) = (Places::default(), Places::default(), Vec::new(), 0);
    for (of_a, of_b, edits) in passages {
        let subjects = subjects.get_or_insert_with(|| {
            let (titles, subjects) = Titles::of(a.stream, b.stream);
            evidence.titles = titles;
            subjects
        });
        let detail = Detail::of((a.stream, of_a.clone()), (b.stream, of_b.clone()), edits, subjects);
        on_marked(detail.edits);
        marked.add(detail.edits);
        evidence.facts.add(detail.facts);
        evidence.edited += detail.edited_in_close;
        replaced_han += detail.replaced_han;
        evidence.substituted_han += detail.substituted_han;
        evidence.lone_words += detail.lone_words;
        evidence.letters += b.letters(of_b.clone());
        longest = detail.close[1].iter().map(|units| b.letters(units.clone())).max().unwrap_or(0).max(longest);
        starts.push(of_a.start);
        let [close_a, close_b] = detail.close;
        aligned[0].push(of_a);
        aligned[1].push(of_b);
        close[0].extend(close_a);
        close[1].extend(close_b);
    }
    evidence.facts.add(facts_at_edges(a, b, &aligned));
    for (place, text) in [a, b].into_iter().enumerate() {
        aligned[place].extend_from_slice(&by_content[place]);
        evidence.aligned[place] = text.share(&aligned[place])[0];
        let [copied, own_words] = text.share(&close[place]);
        evidence.copied[place] = copied;
        let covered = close[place].iter().map(|units| units.len() as u32).sum();
        evidence.whole[place] = Share { counted: text.stream.units().len() as u32, covered };
        evidence.quoted[place] = copied.covered - own_words.covered.min(copied.covered);
    }
    let out_of_order = moved(&starts).iter().filter(|&&moved| moved).count();
    evidence.in_order = 4 * out_of_order <= starts.len();
    evidence.is_formal = !starts.is_empty() && [a, b].iter().all(|text| is_short_formal(text.stream.units()));
    let mut decision = relate(&evidence);
    if decision.0 == Relation::Version {
        // Dates only determine the direction of versions.
        evidence.dates = [a, b].map(|text| stated(text.stream.original()));
        decision = relate(&evidence);
    }
    let (relation, derived, confidence) = decision;
    (Related { relation, derived, confidence, evidence, longest, replaced_han, marked }, close)
}

/// Compares the facts before the first passage and behind the last one, if that is little text of both bodies.
fn facts_at_edges(a: Counts<'_>, b: Counts<'_>, passages: &Places) -> Facts {
    let mut facts = Facts::default();
    for (edge_a, edge_b) in short_edges(a, &passages[0]).into_iter().zip(short_edges(b, &passages[1])) {
        if let (Some(edge_a), Some(edge_b)) = (edge_a, edge_b) {
            facts.add(compare_edge(&Tokens::of(a.stream, edge_a), &Tokens::of(b.stream, edge_b)));
        }
    }
    facts
}

/// The units of a body before its first passage and behind its last one; None for more than a slot.
fn short_edges(text: Counts<'_>, passages: &[Range<usize>]) -> [Option<Range<usize>>; 2] {
    let counted = text.counted();
    let first = passages.iter().map(|units| units.start).min().unwrap_or(0);
    let last = passages.iter().map(|units| units.end).max().unwrap_or(counted.len());
    let of_body = |units: Range<usize>| units.filter(|&unit| counted[unit] > 0);
    let head = of_body(0..first).next().unwrap_or(first)..first;
    let tail = last..of_body(last..counted.len()).next_back().map_or(last, |unit| unit + 1);
    [head, tail].map(|edge| {
        let is_slot = (1..=LONGEST_SLOT).contains(&edge.len());
        (is_slot && counted[edge.clone()].iter().all(|&counted| counted == COUNTED)).then_some(edge)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = String> {
        let clauses = [
            "雾散之后渡口又热闹起来",
            "船老大说今天要多跑两趟",
            "冰厂添了两台新机器",
            "the harbour was closed to ships",
        ];
        let clause =
            prop_oneof![prop::sample::select(clauses.to_vec()).prop_map(String::from), "[雾散之后渡口又热闹aé]{1,12}"];
        prop::collection::vec((clause, prop::sample::select(vec!["，", "。", "\n", " "])), 0..12)
            .prop_map(|parts| parts.into_iter().map(|(clause, end)| clause + end).collect())
    }

    #[test]
    fn time_codes_and_addresses_neither_prove_a_copy_nor_hide_one() {
        let sentence = |number: u32| -> String {
            (0..9).filter_map(|place| char::from_u32(0x4E00 + (131 * number + 17 * place * place) % 5000)).collect()
        };
        let sentences = |from: u32| (from..from + 12).map(sentence);
        let subtitles = |from: u32, minute: u32| -> Vec<u32> {
            let cue = |(place, sentence)| {
                format!("{place}\n00:{minute:02}:{place:02},000 --> 00:{minute:02}:{place:02},900\n{sentence}\n\n")
            };
            sentences(from).enumerate().map(cue).collect::<String>().chars().map(u32::from).collect()
        };
        let related = |a: &[u32], b: &[u32]| {
            let mut side = Side::default();
            let [a, b] = [a, b].map(|text| side.prepare(text, &|_| Vec::new()));
            Judge::default().related(&a, &b)
        };
        let film = subtitles(0, 1);
        let other_times = related(&film, &subtitles(0, 7));
        assert_eq!(other_times.relation, Relation::NearDuplicate);
        assert_eq!(other_times.evidence.copied[0].covered, other_times.evidence.copied[0].counted);
        assert_eq!(related(&film, &film).relation, Relation::Exact);
        assert_eq!(related(&film, &subtitles(30, 1)).relation, Relation::Unrelated);
        let page = |text: &str| -> Vec<u32> {
            let address = "https://www.harbour.example/articles/2024/the-new-ferry-to-the-island.html?from=feed";
            format!("{text}\n{address}\nShare this:\nTwitter Facebook Email").chars().map(u32::from).collect()
        };
        let address = page("");
        let mut judge = Judge::default();
        let input = |place: usize| InputText::plain((new_names(), place), &address);
        let mut judgement = judge.judge(input(0), input(1), LeaveOut::default(), &[]);
        let related_addresses = judge.relate(&mut judgement);
        assert_eq!(related_addresses.relation, Relation::Exact);
        assert_eq!(related_addresses.evidence.copied.map(Share::covered_share), [1.0; 2]);
        let pages = related(
            &page("The fog lifted over the pier and the ferry sailed."),
            &page("冰厂添了两台新机器，下月开工。"),
        );
        assert_eq!((pages.relation, pages.evidence.copied[1].covered), (Relation::Unrelated, 0));
    }

    proptest! {
        #[test]
        fn texts_that_are_still_here_are_judged_as_others_are(
            texts in prop::collection::vec(text(), 1..4),
            pairs in prop::collection::vec((0..4_usize, 0..4_usize), 1..12),
        ) {
            let texts: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let name = new_names();
            let outcome = |judge: &mut Judge, a: usize, b: usize, recurs: bool| {
                let input = |place: usize| InputText { recurs, ..InputText::plain((name, place), &texts[place]) };
                let mut judgement = judge.judge(input(a), input(b), LeaveOut::default(), &[]);
                let outline = judge.outline(&mut judgement);
                format!("{judgement:?} {outline:?} {:?}", judge.shingles())
            };
            let mut judges = [Judge::default(), Judge::default(), Judge::default()];
            for (number, (a, b)) in pairs.into_iter().enumerate() {
                let (a, b) = (a % texts.len(), b % texts.len());
                let expected = outcome(&mut Judge::default(), a, b, false);
                for (judge, recurs) in judges.iter_mut().zip([false, true, number % 3 > 0]) {
                    prop_assert_eq!(&outcome(judge, a, b, recurs), &expected);
                }
            }
        }

        #[test]
        fn texts_that_were_prepared_are_judged_as_others_are(texts in prop::collection::vec(text(), 2..5)) {
            let texts: Vec<Vec<u32>> = texts.iter().map(|text| text.chars().map(u32::from).collect()).collect();
            let mut side = Side::default();
            let prepared: Vec<Prepared> = texts.iter().map(|text| side.prepare(text, &|_| Vec::new())).collect();
            let mut judge = Judge::default();
            let input = |place: usize| InputText::plain((new_names(), place), &texts[place]);
            for a in 0..texts.len() {
                for b in 0..texts.len() {
                    let mut fresh = Judge::default();
                    let mut judgement = fresh.judge(input(a), input(b), LeaveOut::default(), &[]);
                    let expected = fresh.relate(&mut judgement);
                    let related = judge.related(&prepared[a], &prepared[b]);
                    prop_assert_eq!(related.evidence.aligned, expected.evidence.aligned);
                    prop_assert_eq!(related.evidence.copied, expected.evidence.copied);
                }
            }
        }
    }
}
