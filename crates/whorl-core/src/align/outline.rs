//! A judgement in short: what the second text is to the first in one word, and how it was changed in numbers.

use super::change::Kind;
use super::pair::{Judge, Judgement, Share};
use super::runs::count;

/// From which share of a body on that lies in passages, the other text has all of it.
pub const WHOLE: f64 = 0.8;

/// What the second text is to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal folded texts.
    Identical,
    /// Each has all of the other.
    NearDuplicate,
    /// The first has all of the second.
    Contains,
    /// The second has all of the first.
    Contained,
    /// They share passages.
    Partial,
    /// What they share was mostly rewritten.
    Rewritten,
    /// They share nothing.
    Unrelated,
}

impl Relation {
    /// As users see it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::NearDuplicate => "near-duplicate",
            Self::Contains => "contains",
            Self::Contained => "contained",
            Self::Partial => "partial",
            Self::Rewritten => "rewritten",
            Self::Unrelated => "unrelated",
        }
    }
}

/// What distinguishes the second text from the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether the titles differ; None where one is missing.
    pub title: Option<bool>,
    /// Whether the bylines differ.
    pub byline: bool,
    /// Units replaced in passages; of those, homophones; look-alikes that the second text has more of; characters in the
    /// other script; idle signs; passages in another order; units of the body that only the second text has, and that
    /// only the first has.
    pub counts: [u32; 8],
}

/// The judgement in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// In one word.
    pub kind: Relation,
    /// In numbers.
    pub changes: Changes,
    /// Homophones that were put in the place of other characters on purpose; 0 where replaced characters only sound
    /// alike as often as those that a scanner misreads.
    pub deliberate_homophones: u32,
}

/// Fewer homophones can be typing errors.
const MIN_HOMOPHONES: u32 = 2;

impl Judge {
    /// The outline of a judgement on the two texts that are here, whose passages are counted as they are marked. Linear in
    /// the passages.
    pub fn outline(&self, judgement: &mut Judgement) -> Outline {
        let mut replaced_han = 0;
        judgement.passages.iter_mut().filter(|passage| passage.change.is_of_words()).for_each(|passage| {
            let (a, b) = (&self.a.stream, &self.b.stream);
            let counted = count((a, a.units_in(passage.a.clone())), (b, b.units_in(passage.b.clone())));
            passage.marked = counted.edits;
            replaced_han += counted.replaced_han;
        });
        let [share_a, share_b] = judgement.shares;
        let [mut replaced, mut homophones, mut script, mut noise, mut moved] = [0; 5];
        let (mut inserted, mut deleted) = (share_b.counted - share_b.covered, share_a.counted - share_a.covered);
        for passage in &judgement.passages {
            replaced += passage.marked.replaced;
            homophones += passage.marked.homophones;
            script += passage.change.script;
            noise += passage.change.noise;
            moved += u32::from(passage.moved);
            inserted += passage.marked.inserted;
            deleted += passage.marked.deleted;
        }
        let look_alikes = self.b.look_alikes.saturating_sub(self.a.look_alikes);
        let changes = Changes {
            title: judgement.title,
            byline: judgement.byline,
            counts: [replaced, homophones, look_alikes, script, noise, moved, inserted, deleted],
        };
        let is_deliberate = homophones >= MIN_HOMOPHONES && 2 * homophones > replaced_han;
        let deliberate_homophones = if is_deliberate { homophones } else { 0 };
        Outline { kind: relation(judgement), changes, deliberate_homophones }
    }
}

fn relation(judgement: &Judgement) -> Relation {
    let length_of = |is_chosen: fn(Kind) -> bool| -> usize {
        let chosen = judgement.passages.iter().filter(|passage| is_chosen(passage.change.kind));
        chosen.map(|passage| passage.b.len()).sum()
    };
    let [is_whole_a, is_whole_b] = judgement.shares.map(is_whole);
    match length_of(|_| true) {
        _ if judgement.identical => Relation::Identical,
        0 => Relation::Unrelated,
        length if 2 * length_of(|kind| kind == Kind::Rewritten) > length => Relation::Rewritten,
        _ if is_whole_a && is_whole_b => Relation::NearDuplicate,
        _ if is_whole_b => Relation::Contains,
        _ if is_whole_a => Relation::Contained,
        _ => Relation::Partial,
    }
}

fn is_whole(share: Share) -> bool {
    share.counted > 0 && f64::from(share.covered) / f64::from(share.counted) >= WHOLE
}
