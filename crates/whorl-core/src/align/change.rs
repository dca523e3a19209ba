//! Classification of the changes in a passage from the first text to the second.

use super::pieces::gap::Edits;
use super::pieces::piece::Piece;
use super::stream::Stream;
use crate::text::scan::{places, within};
use crate::text::sentence::is_invisible;

/// The kind of change, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No change.
    Verbatim,
    /// Width, letter case, spaces or punctuation marks.
    Typography,
    /// Traditional or simplified characters.
    Script,
    /// Meaningless signs between the characters.
    Noise,
    /// Single characters or words.
    Characters,
    /// Mostly homophones.
    Homophones,
    /// More than a third of the passage.
    Rewritten,
    /// Into another language.
    Translated,
}

impl Kind {
    /// The name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Typography => "typography",
            Self::Script => "script",
            Self::Noise => "noise",
            Self::Characters => "characters",
            Self::Homophones => "homophones",
            Self::Rewritten => "rewritten",
            Self::Translated => "translated",
        }
    }
}

/// The changes of one passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The most severe kind.
    pub kind: Kind,
    /// Characters in the other script, estimated from counts: the number of replaced characters is subtracted.
    pub script: u32,
    /// Additional invisible characters and idle signs in the second text.
    pub noise: u32,
}

const REWRITTEN_BELOW: f64 = 2.0 / 3.0;

impl Change {
    /// Classifies the changes of a piece. Linear in it.
    pub fn of(piece: &Piece, a: &Stream, b: &Stream) -> Self {
        let (span_a, span_b) = (a.span_of(piece.a.clone()), b.span_of(piece.b.clone()));
        let (raw_a, raw_b) = (&a.original()[span_a], &b.original()[span_b]);
        if raw_a == raw_b {
            return Self { kind: Kind::Verbatim, script: 0, noise: 0 };
        }
        let script = other_script(a, piece.a.clone()).abs_diff(other_script(b, piece.b.clone()));
        let script = script.saturating_sub(piece.edits.replaced);
        let noise = idle(raw_b).saturating_sub(idle(raw_a));
        Self { kind: kind(piece.edits, script, noise), script, noise }
    }

    /// True if words were changed, not only their form.
    pub fn is_of_words(self) -> bool {
        matches!(self.kind, Kind::Characters | Kind::Homophones | Kind::Rewritten)
    }
}

fn kind(edits: Edits, script: u32, noise: u32) -> Kind {
    match edits {
        Edits { replaced: 0, inserted: 0, deleted: 0, .. } if script > 0 => Kind::Script,
        Edits { replaced: 0, inserted: 0, deleted: 0, .. } if noise > 0 => Kind::Noise,
        Edits { replaced: 0, inserted: 0, deleted: 0, .. } => Kind::Typography,
        Edits { replaced, homophones, .. } if 2 * homophones > replaced => Kind::Homophones,
        edits if edits.similarity() < REWRITTEN_BELOW => Kind::Rewritten,
        _ => Kind::Characters,
    }
}

/// Counts Han characters whose fold differs.
fn other_script(stream: &Stream, units: std::ops::Range<usize>) -> u32 {
    let differs = |&unit: &usize| {
        let (folded, written) = (stream.units()[unit], stream.original()[stream.start_of(unit)]);
        folded != written && is_han(folded) && is_han(written)
    };
    units.filter(differs).count() as u32
}

pub(super) fn is_han(code_point: u32) -> bool {
    (0x3400..0xA000).contains(&code_point) || code_point >= 0x2_0000
}

/// True for an invisible character, and for a sign that no sentence needs.
pub(super) fn is_idle(code_point: u32) -> bool {
    is_invisible(code_point)
        || matches!(
            char::from_u32(code_point),
            Some('*' | '_' | '~' | '|' | '^' | '※' | '★' | '☆' | '◆' | '●' | '■' | '`' | '\\')
        )
}

/// Counts invisible characters and signs that no sentence needs.
fn idle(text: &[u32]) -> u32 {
    let is_sign = |code_point: u32| {
        !(within(code_point, 0x3000, 0x9FFF)
            | within(code_point, 0x20, 0x29)
            | within(code_point, 0x2B, 0x5B)
            | within(code_point, 0x61, 0x7B)
            | (code_point == u32::from('，')))
    };
    places(text, is_sign).filter(|&place| is_idle(text[place])).count() as u32
}

/// Flags the passages that are out of order, given the starts in one text in the order of the other: the smallest set
/// whose removal leaves the rest ascending. Sorts once.
pub fn moved(starts: &[usize]) -> Vec<bool> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; starts.len()];
    for (index, &start) in starts.iter().enumerate() {
        let place = tails.partition_point(|&tail| starts[tail] < start);
        before[index] = place.checked_sub(1).map_or(usize::MAX, |place| tails[place]);
        if place == tails.len() { tails.push(index) } else { tails[place] = index }
    }
    let mut moved = vec![true; starts.len()];
    let mut index = tails.last().copied().unwrap_or(usize::MAX);
    while index != usize::MAX {
        moved[index] = false;
        index = before[index];
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_passages_are_called_moved() {
        assert_eq!(moved(&[50, 0, 10, 20]), [true, false, false, false]);
        assert_eq!(moved(&[0, 10, 5, 20]).iter().filter(|&&moved| moved).count(), 1);
        assert!(moved(&[]).is_empty());
    }
}
