//! The relation of two texts, as one word that determines how they are handled.
//!
//! A single share is not enough: a form completed for another person, an amended law, an excerpt and a round-up of ten
//! stories may all share half of their text. The relation therefore follows from several kinds of evidence, in the
//! order of [`relate`]: facts, titles, copied shares in either direction, the order of the passages, and whether they
//! are marked as quotations.

use std::cmp::Ordering;

use super::facts::Facts;
use super::facts::dates::Day;
use super::facts::titles::Titles;
use super::outline::WHOLE;
use super::pair::Share;

/// The relation of two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Nothing in common, or only boilerplate.
    #[default]
    Unrelated,
    /// The same content in another language. Never follows from a comparison without
    /// [`translation`](super::translation).
    Translation,
    /// The same content with hardly anything word for word.
    Reworded,
    /// The common text is marked as a quotation.
    Quotation,
    /// The common text is a form, and the facts differ.
    Template,
    /// Copied passages, but much of each text differs.
    Partial,
    /// An earlier and a later version of one document.
    Version,
    /// One text contains the other and further documents. A pair alone never shows it: see
    /// [`compilation`](super::compilation).
    Compilation,
    /// One text is contained in the other.
    Excerpt,
    /// The same document with small edits; the facts agree.
    NearDuplicate,
    /// The same normalized body.
    Exact,
}

impl Relation {
    /// All relations, closest last.
    pub const ALL: [Self; 11] = [
        Self::Unrelated,
        Self::Translation,
        Self::Reworded,
        Self::Quotation,
        Self::Template,
        Self::Partial,
        Self::Version,
        Self::Compilation,
        Self::Excerpt,
        Self::NearDuplicate,
        Self::Exact,
    ];

    /// The name shown to users.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unrelated => "unrelated",
            Self::Translation => "translation",
            Self::Reworded => "reworded",
            Self::Quotation => "quotation",
            Self::Template => "template",
            Self::Partial => "partial",
            Self::Version => "version",
            Self::Compilation => "compilation",
            Self::Excerpt => "excerpt",
            Self::NearDuplicate => "near_duplicate",
            Self::Exact => "exact",
        }
    }

    /// The bit of this relation in a set of relations.
    pub fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Which text derives from the other: it is an excerpt or a later version of it, contains it among others, or quotes
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derived {
    /// The first.
    A,
    /// The second.
    B,
}

impl Derived {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }
}

/// The evidence for the relation of two texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// Whether the folded bodies are equal and not empty.
    pub identical: bool,
    /// For each body, how much lies in passages, copied or reworded.
    pub aligned: [Share; 2],
    /// For each body, how much is copied, that is, lies in close sentences of passages.
    pub copied: [Share; 2],
    /// The same for the whole texts, including the parts that are otherwise not counted.
    pub whole: [Share; 2],
    /// How much of the copied text is marked as quoted in each text.
    pub quoted: [u32; 2],
    /// Units replaced, inserted or deleted within close sentences.
    pub edited: u32,
    /// Han characters replaced by characters that are not homophones.
    pub substituted_han: u32,
    /// Stretches of words in passages that only one text has.
    pub lone_words: u32,
    /// Length of the passages of the second text, in letters.
    pub letters: u32,
    /// Whether both are short formal texts, such as certificates.
    pub is_formal: bool,
    /// Agreement of the facts in the passages.
    pub facts: Facts,
    /// Evidence from the titles.
    pub titles: Titles,
    /// The dates stated in the texts, see [`dates`](super::facts::dates).
    pub dates: [Option<Day>; 2],
    /// Whether the passages are in the same order in both texts.
    pub in_order: bool,
}

/// From this copied share on, the common text is more than a coincidence of words.
const SOME: f64 = 0.3;
/// Half of each text in the same order indicates a revised document.
const HALF: f64 = 0.5;
/// Up to this copied share, texts are recast if all of the rest is reworded.
const RECAST: f64 = 0.4;
/// From this aligned share on, nothing of a text is its own.
const COMPLETE: f64 = 0.9;
/// Minimum number of equal numbers of recast texts, and their minimum ratio to the different ones.
const MIN_AGREEING: u32 = 3;
/// From this share of the copied text on, it is considered quoted as a whole.
const QUOTED: f64 = 0.8;

/// Determines the relation from the evidence, which text derives from the other if that is clear, and the confidence in
/// [0.5, 1].
pub fn relate(evidence: &Evidence) -> (Relation, Option<Derived>, f64) {
    let [aligned_a, aligned_b] = evidence.aligned.map(Share::covered_share);
    let [copied_a, copied_b] = evidence.copied.map(Share::covered_share);
    let larger = copied_a.max(copied_b);
    let shared = aligned_a.max(aligned_b);
    match () {
        () if evidence.identical => (Relation::Exact, None, 1.0),
        () if shared == 0.0 => (Relation::Unrelated, None, 1.0),
        () if evidence.titles == Titles::OtherName && larger >= SOME => (Relation::Template, None, 0.9),
        () if evidence.facts.disagree(evidence.letters) && evidence.titles != Titles::SameName && shared >= SOME => {
            (Relation::Template, None, sureness(f64::from(evidence.facts.differing), 2.0, 6.0))
        }
        () if evidence.titles != Titles::SameName && aligned_a.min(aligned_b) >= WHOLE && is_filled_in(evidence) => {
            (Relation::Template, None, 0.8)
        }
        () if evidence.titles == Titles::SameName && (evidence.edited > 0 || copied_a.min(copied_b) < 1.0) => {
            (Relation::Version, later(evidence), 0.95)
        }
        () if is_update(evidence) && copied_a.min(copied_b) >= HALF => (Relation::Version, later(evidence), 0.7),
        () if copied_a.min(copied_b) >= WHOLE => {
            (Relation::NearDuplicate, None, sureness(copied_a.min(copied_b), WHOLE, 1.0))
        }
        () if copied_b >= WHOLE => (Relation::Excerpt, Some(Derived::B), sureness(copied_b, WHOLE, 1.0)),
        () if copied_a >= WHOLE => (Relation::Excerpt, Some(Derived::A), sureness(copied_a, WHOLE, 1.0)),
        () if larger < SOME && 2.0 * larger < shared => {
            (Relation::Reworded, None, sureness(shared - 2.0 * larger, 0.0, 0.5))
        }
        () if is_recast(evidence) && larger < RECAST => {
            (Relation::Reworded, None, sureness(RECAST - larger, 0.0, RECAST))
        }
        () if is_quoted(evidence, 1) => (Relation::Quotation, Some(Derived::B), 0.8),
        () if is_quoted(evidence, 0) => (Relation::Quotation, Some(Derived::A), 0.8),
        () if copied_a.min(copied_b) >= HALF && evidence.in_order => {
            (Relation::Version, later(evidence), sureness(copied_a.min(copied_b), HALF, WHOLE))
        }
        () => (Relation::Partial, None, sureness(larger, 0.0, HALF)),
    }
}

/// The text with the later stated date.
fn later(evidence: &Evidence) -> Option<Derived> {
    let [date_a, date_b] = evidence.dates;
    match date_a?.cmp(&date_b?) {
        Ordering::Less => Some(Derived::B),
        Ordering::Greater => Some(Derived::A),
        Ordering::Equal => None,
    }
}

/// True if a changed number is not explained by misprints: a copy with many changed characters has changed digits, a
/// copy without any has none.
fn is_update(evidence: &Evidence) -> bool {
    let Facts { agreeing, differing, other_names, .. } = evidence.facts;
    let length = f64::from(evidence.copied.map(|share| share.covered).into_iter().max().unwrap_or(0).max(1));
    let misprints = MISPRINTS * f64::from(evidence.edited) / length * f64::from(agreeing + differing);
    f64::from(differing) > misprints.floor() || (other_names > 0 && f64::from(evidence.edited) <= UPDATED * length)
}

/// Maximum share of edited units of an update with other names: a copy with more is reworded, names included.
const UPDATED: f64 = 0.08;

/// Number of differing numbers per hundred randomly edited units, in hundredths: numbers have several digits.
const MISPRINTS: f64 = 4.0;

/// True if two formal texts differ in any slot: a number, different words, a Han character, or unaligned text.
fn is_filled_in(evidence: &Evidence) -> bool {
    let Facts { differing, other_words, .. } = evidence.facts;
    let is_apart = evidence.aligned.iter().all(|share| share.covered < share.counted);
    evidence.is_formal && (differing + other_words + evidence.substituted_han > 0 || is_apart)
}

/// True if next to nothing of either text is its own, and their facts agree.
fn is_recast(evidence: &Evidence) -> bool {
    let Facts { agreeing, differing, .. } = evidence.facts;
    let is_aligned = evidence.aligned.iter().all(|&of_text| of_text.covered_share() >= COMPLETE);
    is_aligned && agreeing >= MIN_AGREEING && agreeing >= MIN_AGREEING * differing
}

fn is_quoted(evidence: &Evidence, text: usize) -> bool {
    let covered = f64::from(evidence.copied[text].covered);
    covered > 0.0 && f64::from(evidence.quoted[text]) >= QUOTED * covered
}

/// Maps a value to 0.5 at the threshold that it crossed, rising to 1 at the furthest possible value.
pub(super) fn sureness(figure: f64, line: f64, furthest: f64) -> f64 {
    0.5 + 0.5 * ((figure - line) / (furthest - line)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(a: u32, b: u32) -> [Share; 2] {
        [a, b].map(|covered| Share { counted: 100, covered })
    }

    fn relation(evidence: Evidence) -> Relation {
        relate(&evidence).0
    }

    #[test]
    fn shares_decide_where_facts_and_titles_are_silent() {
        let of = |aligned: (u32, u32), copied: (u32, u32), in_order: bool| {
            let (aligned, copied) = (shares(aligned.0, aligned.1), shares(copied.0, copied.1));
            relate(&Evidence { aligned, copied, in_order, ..Evidence::default() })
        };
        assert_eq!(of((0, 0), (0, 0), true).0, Relation::Unrelated);
        assert_eq!(of((90, 85), (90, 85), true).0, Relation::NearDuplicate);
        let (relation, derived, _) = of((20, 95), (20, 95), true);
        assert_eq!((relation, derived), (Relation::Excerpt, Some(Derived::B)));
        let (relation, derived, _) = of((95, 20), (95, 20), true);
        assert_eq!((relation, derived), (Relation::Excerpt, Some(Derived::A)));
        assert_eq!(of((70, 70), (60, 60), true).0, Relation::Version);
        assert_eq!(of((70, 70), (60, 60), false).0, Relation::Partial);
        assert_eq!(of((90, 90), (10, 10), true).0, Relation::Reworded);
        assert_eq!(of((40, 40), (40, 40), true).0, Relation::Partial);
    }

    #[test]
    fn texts_aligned_as_a_whole_with_little_copied_and_equal_facts_are_reworded() {
        let of = |aligned: u32, copied: u32, agreeing: u32, differing: u32| {
            let facts = Facts { agreeing, differing, ..Facts::default() };
            let (aligned, copied) = (shares(aligned, aligned), shares(copied, copied));
            relation(Evidence { aligned, copied, facts, ..Evidence::default() })
        };
        assert_eq!(of(95, 35, 3, 0), Relation::Reworded);
        assert_eq!(of(95, 45, 3, 0), Relation::Partial);
        assert_eq!(of(85, 35, 3, 0), Relation::Partial);
        assert_eq!(of(95, 35, 2, 0), Relation::Partial);
        assert_eq!(of(95, 35, 5, 2), Relation::Partial);
    }

    #[test]
    fn facts_and_names_come_before_shares() {
        let whole = Evidence { aligned: shares(100, 100), copied: shares(95, 95), ..Evidence::default() };
        let facts = |agreeing, differing, other_words| Facts { agreeing, differing, other_words, ..Facts::default() };
        assert_eq!(relation(Evidence { facts: facts(4, 6, 0), ..whole }), Relation::Template);
        assert_eq!(relation(Evidence { facts: facts(9, 1, 0), ..whole }), Relation::Version);
        assert_eq!(relation(Evidence { facts: facts(9, 1, 0), edited: 5, ..whole }), Relation::NearDuplicate);
        let of_titles =
            |subjects, letters| Evidence { facts: Facts { subjects, ..Facts::default() }, letters, ..whole };
        assert_eq!(relation(of_titles(2, 300)), Relation::Template);
        assert_eq!(relation(of_titles(1, 300)), Relation::NearDuplicate);
        assert_eq!(relation(of_titles(2, 3000)), Relation::NearDuplicate);
        let renamed = |letters| Evidence { facts: Facts { renamed: 2, ..Facts::default() }, letters, ..whole };
        assert_eq!(relation(renamed(300)), Relation::Template);
        assert_eq!(relation(renamed(3000)), Relation::NearDuplicate);
        let one_name = Evidence { facts: facts(3, 0, 1), edited: 2, ..whole };
        assert_eq!(relation(one_name), Relation::NearDuplicate);
        assert_eq!(relation(Evidence { is_formal: true, ..one_name }), Relation::Template);
        assert_eq!(relation(Evidence { is_formal: true, facts: facts(3, 0, 0), ..one_name }), Relation::NearDuplicate);
        assert_eq!(relation(Evidence { titles: Titles::OtherName, ..whole }), Relation::Template);
        assert_eq!(relation(Evidence { titles: Titles::SameName, ..whole }), Relation::Version);
        assert_eq!(relation(Evidence { identical: true, facts: facts(4, 6, 0), ..whole }), Relation::Exact);
    }
}
