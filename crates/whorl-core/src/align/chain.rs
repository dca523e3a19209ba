//! Chains: anchors that follow each other in both streams, with small gaps.
//!
//! Anchors in another order than their sources make chains of their own, so that moved blocks are found. A chain is a
//! run of maximum sum: what its anchors are worth, less what its gaps cost; an anchor far from the others joins none.
//! Each anchor looks back at no more than [`LOOK_BACK`] others, as in Li: Minimap2, Bioinformatics 34 (2018), 2.1.

use super::anchor::Anchor;

const LOOK_BACK: usize = 24;
/// An anchor that goes on so soon behind another, where that would have gone on, looks no further.
const CLOSE: u32 = 4;
const NONE: u32 = u32::MAX;

/// How far apart anchors of a chain may be, in code points.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The longest gap on either side.
    pub gap: u32,
    /// The most by which the gaps of the two sides differ.
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
    /// Chains `anchors`, which are sorted by their place in the second stream. Linear, but for a sort.
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

    /// The chains, the one of the highest sum first.
    pub fn chains(&self) -> impl Iterator<Item = &[Anchor]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.anchors[start..end])
    }

    /// Follows every chain back from where its sum is highest; an anchor belongs to the first that comes by.
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

/// Scores count halves.
const DOUBLE: i32 = 2;

/// What `anchor` adds behind `previous`; None where it cannot follow.
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

/// Shortens anchors of the chain from `start` on that overlap the one before them.
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
        let found: Vec<&[Anchor]> = chains.chains().collect();
        assert_eq!(found, [&blocks[..], &[moved][..]]);
    }
}
