//! A judgement in short: what the second text is to the first in one word, and how it was changed in numbers.

use super::pair::{Judge, Judgement, Related};

/// From this copied share of a body on, the other text has all of it.
pub const WHOLE: f64 = 0.8;

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
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// What the texts are to each other.
    pub related: Related,
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
        let related = self.relate(judgement);
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
        let is_deliberate = homophones >= MIN_HOMOPHONES && 2 * homophones > related.replaced_han;
        let deliberate_homophones = if is_deliberate { homophones } else { 0 };
        Outline { related, changes, deliberate_homophones }
    }
}
