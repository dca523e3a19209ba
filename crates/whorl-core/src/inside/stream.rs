//! A text as folded units with their positions in the original.

use std::ops::Range;
use std::str::FromStr;

use crate::text::{Class, CodePoints, Sink, Text, class, fold};

/// Set in the first unit of a token, so that equal units mean equal tokens.
pub(super) const BEGINS: u32 = 1 << 31;
/// Set in a unit that is a token by itself: a character of a script written without spaces.
const DENSE: u32 = 1 << 30;
/// Number of letters that such a character is worth.
const LETTERS: u32 = 3;

/// What the length of a run is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Folded letters and digits; a character of a script written without spaces counts as three.
    Letters,
    /// Words, and characters of scripts written without spaces.
    Tokens,
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "letters" => Ok(Self::Letters),
            "tokens" => Ok(Self::Tokens),
            _ => Err(format!("unknown measure '{name}'")),
        }
    }
}

impl Measure {
    fn of(self, unit: u32) -> u32 {
        match self {
            Self::Letters if unit & DENSE != 0 => LETTERS,
            Self::Letters => 1,
            Self::Tokens => u32::from(unit & BEGINS != 0),
        }
    }
}

/// A folded text: units without separators.
#[derive(Debug, Default)]
pub(super) struct Fold {
    units: Vec<u32>,
    /// The length of the units before each unit, and of all units.
    before: Vec<u32>,
}

impl Fold {
    /// Folds a text, in place of the last one. Linear; allocates nothing for texts that are no longer than earlier ones.
    pub(super) fn read(&mut self, text: Text<'_>, measure: Measure) {
        let sink = Units::<false> { units: std::mem::take(&mut self.units), ..Units::default() };
        let sink = match text {
            Text::Utf8(text) => sink.folding(text),
            Text::CodePoints(text) => sink.folding(text),
        };
        self.units = sink.units;
        self.measure(measure);
    }

    fn measure(&mut self, measure: Measure) {
        self.before.clear();
        self.before.reserve(self.units.len() + 1);
        self.before.push(0);
        let mut length = 0;
        self.before.extend(self.units.iter().map(|&unit| {
            length += measure.of(unit);
            length
        }));
    }

    /// The folded code points with their flags.
    pub(super) fn units(&self) -> &[u32] {
        &self.units
    }

    /// The length of the units before each unit, and of all units.
    pub(super) fn before(&self) -> &[u32] {
        &self.before
    }

    /// The length of the whole text.
    pub(super) fn whole(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }

    /// True if a token begins at this unit, or the text ends before it.
    pub(super) fn is_border(&self, unit: usize) -> bool {
        self.units.get(unit).is_none_or(|unit| unit & BEGINS != 0)
    }
}

/// A text and its fold, with the position of every unit in the original.
///
/// Offsets are 32 bits wide: a text has fewer than 2³² code points.
#[derive(Debug, Default)]
pub struct Stream {
    original: Vec<u32>,
    fold: Fold,
    starts: Vec<u32>,
}

impl Stream {
    /// Folds a text. Linear.
    pub fn new(text: Text<'_>, measure: Measure) -> Self {
        let mut original = Vec::new();
        text.copy_to(&mut original);
        let sink = Units::<true> {
            units: Vec::with_capacity(original.len()),
            starts: Vec::with_capacity(original.len()),
            ..Units::default()
        };
        let Units { units, starts, .. } = sink.folding(original.as_slice());
        let mut fold = Fold { units, before: Vec::new() };
        fold.measure(measure);
        Self { original, fold, starts }
    }

    /// The fold alone.
    pub(super) fn fold(&self) -> &Fold {
        &self.fold
    }

    /// The code points of the original text.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// The folded code points with their flags.
    pub(super) fn units(&self) -> &[u32] {
        &self.fold.units
    }

    /// Number of units.
    pub fn size(&self) -> usize {
        self.fold.units.len()
    }

    /// The units: folded code points, with flags that tell tokens apart.
    pub fn folded(&self) -> impl Iterator<Item = u32> + '_ {
        self.fold.units.iter().copied()
    }

    /// True if a token begins at this unit, or the text ends before it.
    pub fn is_border(&self, unit: usize) -> bool {
        self.fold.is_border(unit)
    }

    /// The length of a range of units.
    pub fn length(&self, units: &Range<usize>) -> u32 {
        self.fold.before[units.end] - self.fold.before[units.start]
    }

    /// The length of the whole text.
    pub fn whole(&self) -> u32 {
        self.fold.whole()
    }

    /// Number of tokens in a range of units.
    pub fn tokens(&self, units: Range<usize>) -> u32 {
        self.fold.units[units].iter().filter(|&&unit| unit & BEGINS != 0).count() as u32
    }

    /// The first unit that starts at or behind an offset of the original.
    pub fn unit_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| (start as usize) < offset)
    }

    /// The first unit from `unit` on that starts at or behind an offset of the original. Linear in the distance.
    pub(super) fn skip_to(&self, unit: usize, offset: usize) -> usize {
        unit + self.starts[unit..].iter().take_while(|&&start| (start as usize) < offset).count()
    }

    /// The units that start within a range of the original.
    pub fn units_of(&self, range: &Range<usize>) -> Range<usize> {
        self.unit_at(range.start)..self.unit_at(range.end)
    }

    /// The first code point of a unit in the original.
    pub(super) fn start_of(&self, unit: usize) -> usize {
        self.starts[unit] as usize
    }

    /// The offset behind a unit: marks that combine with it, and characters without effect, belong to it.
    pub(super) fn end_of(&self, unit: usize) -> usize {
        let next = self.starts.get(unit + 1).map_or(self.original.len(), |&start| start as usize);
        let start = self.starts[unit] as usize + 1;
        let marks = self.original[start.min(next)..next].iter().take_while(|&&point| class(point) == Class::Drop);
        start + marks.count()
    }

    /// The range of some units in the original.
    pub fn span_of(&self, units: &Range<usize>) -> Range<usize> {
        if units.is_empty() {
            let start = self.starts.get(units.start).map_or(self.original.len(), |&start| start as usize);
            return start..start;
        }
        self.start_of(units.start)..self.end_of(units.end - 1).max(self.start_of(units.start))
    }
}

/// Collects the units of a fold, and their positions if `PLACES`.
#[derive(Default)]
struct Units<const PLACES: bool> {
    units: Vec<u32>,
    starts: Vec<u32>,
    position: u32,
    in_run: bool,
}

impl<const PLACES: bool> Units<PLACES> {
    /// Folds a text, in place of what was collected.
    fn folding<T: CodePoints + ?Sized>(mut self, text: &T) -> Self {
        self.units.clear();
        fold(text, self)
    }

    #[inline(always)]
    fn push(&mut self, unit: u32) {
        self.units.push(unit);
        if PLACES {
            self.starts.push(self.position);
        }
    }
}

impl<const PLACES: bool> Sink for Units<PLACES> {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.push(code_point | BEGINS | DENSE);
        self.in_run = false;
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.push(code_point | if self.in_run { 0 } else { BEGINS });
        self.in_run = true;
    }

    #[inline(always)]
    fn boundary(&mut self) {
        self.in_run = false;
    }

    #[inline(always)]
    fn position(&mut self, offset: usize) {
        self.position = offset as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stream(text: &str) -> Stream {
        Stream::new(Text::Utf8(text), Measure::Letters)
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_fold(text in "\\PC{0,60}") {
            let stream = stream(&text);
            let mut tokens: Vec<String> = Vec::new();
            for &unit in stream.units() {
                if unit & BEGINS != 0 {
                    tokens.push(String::new());
                }
                tokens.last_mut().unwrap().push(char::from_u32(unit & 0x1F_FFFF).unwrap());
            }
            prop_assert_eq!(tokens, crate::text::tokens(text.as_str()));
        }
    }

    #[test]
    fn marks_belong_to_the_letter_before_them() {
        let stream = stream("كِتَابٌ. e\u{301}t");
        let word = stream.units_of(&(0..7));
        assert_eq!(stream.span_of(&word), 0..7);
        assert_eq!(stream.span_of(&stream.units_of(&(9..12))), 9..12);
    }

    #[test]
    fn a_dense_character_counts_as_three_letters() {
        assert_eq!(stream("今天 ok!").whole(), 8);
        assert_eq!(Stream::new(Text::Utf8("今天 ok!"), Measure::Tokens).whole(), 3);
    }
}
