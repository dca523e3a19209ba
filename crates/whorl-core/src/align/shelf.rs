//! A cache of recently used texts that recur in a later pair.
//!
//! Batches compare one text with many and many with one, so reading both texts of each pair would read most texts
//! several times. The cache is limited in code points rather than texts, since lengths differ by a factor of a
//! thousand. A text that does not recur is not cached: its buffers, which are in the processor cache, are reused for
//! the next one.

use std::collections::{BTreeMap, HashMap};

use super::side::{InputText, Side};

/// Maximum number of cached code points, at some 50 bytes each: about 500 news articles.
const LIMIT: usize = 1 << 19;

/// Sides by the names of their texts.
#[derive(Default)]
pub(super) struct Shelf {
    sides: HashMap<(u64, usize), (u64, Side)>,
    /// The names in order of insertion.
    names: BTreeMap<u64, (u64, usize)>,
    puts: u64,
    length: usize,
    /// The buffers of an evicted text.
    spare: Option<Side>,
}

impl Shelf {
    /// Prepares `side` for reading another text. Its current text is cached if it recurs; the new one is taken from the
    /// cache, or else any buffers are reused.
    pub fn exchange(&mut self, side: &mut Side, input: InputText<'_>) {
        if !side.is(input) {
            let next = self.take(input.name).or_else(|| side.recurs.then(|| self.spare.take().unwrap_or_default()));
            if let Some(next) = next {
                let last = std::mem::replace(side, next);
                self.put(last);
            }
        }
        side.recurs = input.recurs;
    }

    fn take(&mut self, name: (u64, usize)) -> Option<Side> {
        let (put, side) = self.sides.remove(&name)?;
        self.names.remove(&put);
        self.length -= side.length();
        Some(side)
    }

    fn put(&mut self, side: Side) {
        match side.name() {
            Some(name) if side.recurs => {
                self.spare = self.take(name).or(self.spare.take());
                self.length += side.length();
                self.names.insert(self.puts, name);
                self.sides.insert(name, (self.puts, side));
                self.puts += 1;
            }
            _ => self.spare = Some(side),
        }
        while self.length > LIMIT {
            let Some((_, &name)) = self.names.first_key_value() else { break };
            self.spare = self.take(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::side::LeaveOut;

    #[test]
    fn the_recurring_texts_used_last_are_kept_within_the_limit() {
        let texts: Vec<Vec<u32>> = (0..8).map(|number| vec![0x4E00 + number; LIMIT / 4]).collect();
        let (mut shelf, mut side) = (Shelf::default(), Side::default());
        for text in [0, 1, 2, 0, 3, 4, 5, 0, 6, 7] {
            let input = InputText { recurs: text != 5, ..InputText::plain((0, text), &texts[text]) };
            shelf.exchange(&mut side, input);
            side.read(input, LeaveOut::default());
            assert_eq!(side.body().next(), Some(texts[text][0]));
            assert!(shelf.length <= LIMIT);
            assert_eq!(shelf.length, shelf.sides.values().map(|(_, side)| side.length()).sum::<usize>());
            assert_eq!(shelf.names.len(), shelf.sides.len());
        }
        let mut kept: Vec<usize> = shelf.sides.keys().map(|&(_, text)| text).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 3, 4, 6]);
    }
}
