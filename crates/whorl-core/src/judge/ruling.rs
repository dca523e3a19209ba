//! The ruling on a matched document: removed, or kept and linked.
//!
//! Matching is generous, but removal is strict, because a removed document is lost. A document is removed only if its
//! relation to the kept one permits it, and if it contains next to nothing new.

use crate::align::compilation::compiled;
use crate::align::facts::titles::Titles;
use crate::align::pair::{Judge, Prepared, Related, Share, Side};
use crate::align::relation::{Derived, Relation};

/// The relations for which a document may be removed, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removable(u16);

impl Default for Removable {
    /// Exact copies, near-duplicates and excerpts.
    fn default() -> Self {
        Self::of([Relation::Exact, Relation::NearDuplicate, Relation::Excerpt])
    }
}

impl Removable {
    /// Creates the set of these relations; exact copies are always included.
    pub fn of(relations: impl IntoIterator<Item = Relation>) -> Self {
        Self(relations.into_iter().fold(Relation::Exact.bit(), |bits, relation| bits | relation.bit()))
    }

    fn has(self, relation: Relation) -> bool {
        self.0 & relation.bit() != 0
    }
}

/// The ruling on a document, given a kept one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruling {
    /// The relation of the documents.
    pub relation: Relation,
    /// Which document derives from the other; `A` is the kept one.
    pub derived: Option<Derived>,
    /// Confidence of the relation, in [0.5, 1].
    pub confidence: f32,
    /// The copied share of the kept document and of the other, in [0, 1].
    pub copied: [f32; 2],
    /// The reworded share of both, in [0, 1].
    pub reworded: [f32; 2],
    /// Whether removing the document would lose next to nothing, regardless of the relation.
    pub loses_little: bool,
    /// Whether the document may be removed.
    pub is_removable: bool,
}

/// Maximum amount of new text in an excerpt, in letters: a byline, a source line, a sentence or two.
const NEW_LETTERS: f64 = 450.0;
/// In a text of up to this many letters, a word or two can make the difference: no word may be replaced,
const SHORT: f64 = 180.0;
/// and at most this share may be new.
const NEW_OF_SHORT: f64 = 0.05;
/// With boilerplate, at least this share of the whole document must be copied, boilerplate included,
const WHOLE_SHARE: f64 = 0.3;
/// and both texts must have at least this many letters without it to be distinguishable from others with the same
/// boilerplate.
const OWN_LETTERS: u32 = 60;

impl Ruling {
    /// The ruling on equal texts.
    pub const EXACT: Self = Self {
        relation: Relation::Exact,
        derived: None,
        confidence: 1.0,
        copied: [1.0; 2],
        reworded: [0.0; 2],
        loses_little: true,
        is_removable: true,
    };

    /// The ruling on a document that matches one stored only as a fingerprint.
    pub const UNREAD: Self =
        Self { relation: Relation::NearDuplicate, confidence: 0.5, copied: [0.0; 2], ..Self::EXACT };

    /// Rules on the text `document`, given that `kept` is kept, without boilerplate. Linear in both.
    pub fn on(kept: &[u32], document: &[u32], removable: Removable) -> Self {
        let mut side = Side::default();
        let [kept, document] = [kept, document].map(|text| side.prepare(text, &|_| Vec::new()));
        Self::of(&Judge::default().related(&kept, &document), &kept, &document, removable)
    }

    /// Rules on `document`, given that `kept` is kept.
    pub fn of(related: &Related, kept: &Prepared, document: &Prepared, removable: Removable) -> Self {
        let evidence = &related.evidence;
        let share = |share: Share| if share.counted == 0 { 0.0 } else { share.covered as f32 / share.counted as f32 };
        let reworded = |place: usize| {
            let (aligned, copied) = (evidence.aligned[place], evidence.copied[place]);
            share(Share { covered: aligned.covered.saturating_sub(copied.covered), ..aligned })
        };
        let derives = related.relation != Relation::Excerpt || related.derived == Some(Derived::B);
        let loses_little = derives && is_little_new(related, document) && is_told_apart(evidence.whole, kept, document);
        Self {
            relation: related.relation,
            derived: related.derived,
            confidence: related.confidence as f32,
            copied: evidence.copied.map(share),
            reworded: [reworded(0), reworded(1)],
            loses_little,
            is_removable: removable.has(related.relation) && loses_little,
        }
    }

    /// Adjusts the ruling if some of the two documents are compilations: a story of a compilation stays, unless
    /// compilations are among the removable relations.
    pub fn with_compilations(self, are_compilations: [bool; 2], removable: Removable) -> Self {
        let Some((derived, confidence)) = compiled(self.relation, self.copied.map(f64::from), are_compilations) else {
            return self;
        };
        let is_whole = self.relation == Relation::Excerpt && self.loses_little;
        Self {
            relation: Relation::Compilation,
            derived: Some(derived),
            confidence: confidence as f32,
            is_removable: removable.has(Relation::Compilation) && is_whole && derived == Derived::A,
            ..self
        }
    }
}

/// True if the kept document lacks next to nothing of the other: little of an excerpt, and hardly a word of a short
/// text. A text under another headline must have no additional word, and no name may stand for another throughout.
fn is_little_new(related: &Related, document: &Prepared) -> bool {
    let copied = related.evidence.copied[1];
    let letters = f64::from(document.letters_counted());
    let share = f64::from(copied.counted - copied.covered) / f64::from(copied.counted.max(1));
    let is_judged = related.relation == Relation::Excerpt || related.relation == Relation::NearDuplicate;
    let is_bounded = related.relation != Relation::Excerpt || share * letters <= NEW_LETTERS;
    let is_other_headline = related.evidence.titles == Titles::OtherHeadline;
    let says_more = is_other_headline && related.evidence.in_order && related.evidence.lone_words > 0;
    let says_the_same = share <= NEW_OF_SHORT && related.evidence.facts.other_words == 0 && !says_more;
    let is_of_another = related.evidence.facts.renamed > 0;
    !is_judged || is_bounded && !is_of_another && (letters > SHORT || says_the_same)
}

/// True if texts with boilerplate have enough in common outside it.
fn is_told_apart(whole: [Share; 2], kept: &Prepared, document: &Prepared) -> bool {
    let is_told = |text: &Prepared| text.boilerplate() == 0 || text.letters_counted() >= OWN_LETTERS;
    let has_boilerplate = document.boilerplate() + kept.boilerplate() > 0;
    let is_shared = f64::from(whole[1].covered) >= WHOLE_SHARE * f64::from(whole[1].counted);
    is_told(document) && is_told(kept) && (is_shared || !has_boilerplate)
}
