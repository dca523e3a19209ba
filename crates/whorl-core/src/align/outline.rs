//! The outline of a judgement: the relation of two texts and the amount of change.

use super::pair::{Judge, Judgement, Related};

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
        let [share_a, share_b] = judgement.shares;
        let [mut replaced, mut homophones, mut script, mut noise, mut moved] = [0; 5];
        let [translated_a, translated_b] =
            judgement.translation.as_ref().map_or([0; 2], |translation| translation.shares.map(|share| share.covered));
        let mut inserted = (share_b.counted - share_b.covered).saturating_sub(translated_b);
        let mut deleted = (share_a.counted - share_a.covered).saturating_sub(translated_a);
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
