//! Chains: sequences of anchors in the same order in both streams, with small gaps.
//!
//! Anchors in another order form separate chains, so that moved blocks are found. A chain is a sequence of maximum sum:
//! the value of its anchors minus the cost of its gaps; an anchor far from the others joins none. Each anchor looks
//! back at no more than [`LOOK_BACK`] others, as in Li: Minimap2, Bioinformatics 34 (2018), 2.1. This keeps chaining
//! linear, where comparing all pairs would be quadratic.

use super::anchor::Anchor;

const LOOK_BACK: usize = 24;
/// If an anchor continues another after a gap of at most this length on the same diagonal, the search for a predecessor
/// ends.
const CLOSE: u32 = 4;
const NONE: u32 = u32::MAX;

/// Maximum distance between consecutive anchors of a chain, in code points.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Maximum gap on either side.
    pub gap: u32,
    /// Maximum difference between the gaps of the two sides.
    pub drift: u32,
}

/// Chains anchors; reused from pair to pair.
#[derive(Default)]
pub(crate) struct Chains {
    scores: Vec<i32>,
    before: Vec<u32>,
    order: Vec<u32>,
    used: Vec<bool>,
    /// The anchors of all chains, each chain in order.
    anchors: Vec<Anchor>,
    ends: Vec<usize>,
}

impl Chains {
    /// Chains `anchors`, which are sorted by position in the second stream. Linear, except for a sort.
    pub fn link(&mut self, anchors: &[Anchor], reach: Reach) {
        self.scores.clear();
        self.before.clear();
        for (index, &anchor) in anchors.iter().enumerate() {
            let mut best = (DOUBLE * anchor.length as i32, NONE);
            for earlier in (index.saturating_sub(LOOK_BACK)..index).rev() {
                let previous = anchors[earlier];
                if let Some(gain) = gain(previous, anchor, reach) {
                    let score = self.scores[earlier] + gain;
                    if score > best.0 {
                        best = (score, earlier as u32);
                    }
                    if anchor.a.wrapping_sub(previous.a_end()) <= CLOSE
                        && anchor.a - previous.a == anchor.b - previous.b
                    {
                        break;
                    }
                }
            }
            self.scores.push(best.0);
            self.before.push(best.1);
        }
        self.cut(anchors);
    }

    /// The chains, highest sum first.
    pub fn chains(&self) -> impl Iterator<Item = &[Anchor]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.anchors[start..end])
    }

    /// Traces every chain back from its maximum; an anchor belongs to the first chain that reaches it.
    fn cut(&mut self, anchors: &[Anchor]) {
        self.anchors.clear();
        self.ends.clear();
        self.used.clear();
        self.used.resize(anchors.len(), false);
        self.order.clear();
        self.order.extend(0..anchors.len() as u32);
        let scores = &self.scores;
        self.order.sort_unstable_by_key(|&index| (-scores[index as usize], index));
        for &last in &self.order {
            let start = self.anchors.len();
            let mut index = last;
            while index != NONE && !self.used[index as usize] {
                self.used[index as usize] = true;
                self.anchors.push(anchors[index as usize]);
                index = self.before[index as usize];
            }
            if self.anchors.len() > start {
                self.anchors[start..].reverse();
                disentangle(&mut self.anchors, start);
                self.ends.push(self.anchors.len());
            }
        }
    }
}

/// Scores are in units of one half.
const DOUBLE: i32 = 2;

/// The gain of appending `anchor` to `previous`; None if it cannot follow.
#[inline(always)]
fn gain(previous: Anchor, anchor: Anchor, reach: Reach) -> Option<i32> {
    let in_a = i64::from(anchor.a) - i64::from(previous.a_end());
    let in_b = i64::from(anchor.b) - i64::from(previous.b_end());
    let overlap = (-in_a.min(in_b)).max(0);
    let (gap_a, gap_b) = ((in_a + overlap) as u32, (in_b + overlap) as u32);
    let follows = anchor.a > previous.a && anchor.b > previous.b && overlap < i64::from(anchor.length);
    let drift = gap_a.abs_diff(gap_b);
    if !follows || gap_a.max(gap_b) > reach.gap || drift > reach.drift {
        return None;
    }
    let worth = DOUBLE * (anchor.length as i32 - overlap as i32);
    Some(worth - (gap_a.min(gap_b) / 2) as i32 - drift as i32)
}

/// Shortens anchors of the chain from `start` on that overlap the previous one.
fn disentangle(anchors: &mut [Anchor], start: usize) {
    for index in start + 1..anchors.len() {
        let previous = anchors[index - 1];
        let anchor = &mut anchors[index];
        let overlap =
            previous.a_end().saturating_sub(anchor.a).max(previous.b_end().saturating_sub(anchor.b)).min(anchor.length);
        anchor.a += overlap;
        anchor.b += overlap;
        anchor.length -= overlap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_blocks_are_chains_of_their_own() {
        let blocks = [Anchor { a: 100, b: 0, length: 50 }, Anchor { a: 160, b: 55, length: 40 }];
        let moved = Anchor { a: 0, b: 100, length: 60 };
        let mut chains = Chains::default();
        chains.link(&[blocks[0], blocks[1], moved], Reach { gap: 20, drift: 8 });
        let chained: Vec<&[Anchor]> = chains.chains().collect();
        assert_eq!(chained, [&blocks[..], &[moved][..]]);
    }
}
