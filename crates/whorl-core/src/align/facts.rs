//! Facts of a text: the numbers that it states, and whether two texts that share their words also share their facts.
//!
//! Two reports in the words of one form are nearly equal and say different things. What differs sits in *slots*: the
//! places that a form leaves open for a date, an amount or a name. So the numbers of two texts are compared slot by slot,
//! where the alignment puts them opposite each other, and not as sets: small numbers recur by chance.
//!
//! Measured on real and written forms, dates and amounts alone separate reports of different events from reprints. Words
//! that fill slots (names, places) are counted as well, and support the numbers; alone they prove nothing, because
//! synonyms fill slots too.

use std::ops::Range;

use super::DENSE_FROM;
use super::change::is_idle;
use super::gap::Edits;
use super::runs::{RunKind, Step, Tokens};
use super::titles::Subjects;
use crate::text::scan::{places, within};

/// How far two texts agree on their facts, over the passages that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Numbers that stand opposite the same number.
    pub agreeing: u32,
    /// Numbers that stand opposite another number.
    pub differing: u32,
    /// Slots that are filled with other words, none of them in common.
    pub other_words: u32,
    /// Slots in which each text has words of its title that the other title lacks.
    pub subjects: u32,
}

impl Facts {
    /// Adds the facts of another passage.
    pub fn add(&mut self, other: Self) {
        self.agreeing += other.agreeing;
        self.differing += other.differing;
        self.other_words += other.other_words;
        self.subjects += other.subjects;
    }

    /// True if texts that have so many letters in common state different facts in the same words: two or more numbers
    /// differ, and at least [`DISAGREEING`] of all; or one of few, and names besides; or, in a short text, other words
    /// fill slots closer to each other than synonyms stand, or what the titles name fills several.
    pub fn disagree(self, letters: u32) -> bool {
        let share = DISAGREEING * f64::from(self.agreeing + self.differing);
        let numbers = f64::from(self.differing);
        let words = f64::from(self.other_words);
        (self.differing >= 2 && numbers >= share)
            || (self.differing >= 1 && numbers >= share / 2.0 && self.other_words >= OTHER_WORDS)
            || (self.other_words >= 2 && words >= DENSITY * f64::from(letters) && letters <= FORM)
            || (self.subjects >= SUBJECTS && letters <= PAGE)
    }
}

/// The share of numbers from which on two texts are about different things. In 700 pairs of one news article no pair
/// reaches it, in written forms for different events 99%.
const DISAGREEING: f64 = 0.4;
/// So many slots with other words count as much as a number.
const OTHER_WORDS: u32 = 3;
/// Slots with other words for each letter in common, where a Han character says as much as three: of texts with synonyms
/// put in, the densest have half of that.
const DENSITY: f64 = 0.014;
/// Longer texts are told apart by their numbers: in those of so many letters dense slots may also be rewording.
const FORM: u32 = 240;
/// So many slots with what the titles name are no coincidence,
const SUBJECTS: u32 = 2;
/// in a text of so many letters: one page for each command, one for each village.
const PAGE: u32 = 1500;

/// A number, or a date or amount written with Chinese numerals.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fact {
    /// Its tokens, counted from the start of the stretch.
    tokens: Range<usize>,
    /// Its digits.
    digits: Vec<u32>,
}

/// The facts of stretches that are equal but for their form.
pub(super) fn equal_facts(tokens: &Tokens<'_>) -> Facts {
    Facts { agreeing: facts(tokens).count() as u32, ..Facts::default() }
}

/// Compares the facts of two stretches, given the steps from one to the other.
pub(super) fn compare_facts(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step], subjects: &Subjects) -> Facts {
    let of_a: Vec<Fact> = facts(a).collect();
    let of_b: Vec<Fact> = facts(b).collect();
    let (other_words, subjects) = filled_slots(a, b, steps, subjects);
    let mut compared = Facts { other_words, subjects, ..Facts::default() };
    let (mut step, mut next) = (0, 0);
    for fact in &of_a {
        while steps.get(step).is_some_and(|step| step.a.end <= fact.tokens.start) {
            step += 1;
        }
        let opposite = opposite(&fact.tokens, &steps[step..]);
        while of_b.get(next).is_some_and(|other| other.tokens.end <= opposite.start) {
            next += 1;
        }
        let mut opposing = of_b[next..].iter().take_while(|other| other.tokens.start < opposite.end).peekable();
        if opposing.peek().is_some() {
            let agrees = opposing.any(|other| other.digits == fact.digits);
            *if agrees { &mut compared.agreeing } else { &mut compared.differing } += 1;
        }
    }
    compared
}

/// The tokens of the second stretch that stand opposite some tokens of the first; none where so much was rewritten that
/// there is no slot.
fn opposite(tokens: &Range<usize>, steps: &[Step]) -> Range<usize> {
    let mut over = steps.iter().take_while(|step| step.a.start < tokens.end).filter(|step| step.a.end > tokens.start);
    let Some(first) = over.next() else { return 0..0 };
    let is_long = |step: &Step| step.kind == RunKind::Replaced && step.a.len().max(step.b.len()) > LONGEST_SLOT;
    let last = over.last().unwrap_or(first);
    if is_long(first) || is_long(last) {
        return 0..0;
    }
    let place = |step: &Step, token: usize, is_end: bool| match step.kind {
        RunKind::Same | RunKind::Form => step.b.start + (token.clamp(step.a.start, step.a.end) - step.a.start),
        _ if is_end => step.b.end,
        _ => step.b.start,
    };
    place(first, tokens.start, false)..place(last, tokens.end, true)
}

/// How many slots are filled with other words, and how many with words of the titles. Of the slots in a title, in which
/// several words may be misprinted, one counts.
fn filled_slots(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step], subjects: &Subjects) -> (u32, u32) {
    let (mut others, mut of_titles, mut in_title) = (0, 0, false);
    for slot in steps.chunk_by(|one, next| one.kind == RunKind::Replaced && next.kind == RunKind::Replaced) {
        let (first, last) = (&slot[0], &slot[slot.len() - 1]);
        let (slot_a, slot_b) = (first.a.start..last.a.end, first.b.start..last.b.end);
        let (of_a, of_b) = (a.units(&slot_a), b.units(&slot_b));
        if first.kind != RunKind::Replaced || of_a.len().max(of_b.len()) > LONGEST_SLOT {
            continue;
        }
        let has_digit = |units: &[u32]| units.iter().any(|&unit| is_digit(unit));
        others += u32::from(!has_digit(of_a) && !has_digit(of_b) && are_other(of_a, of_b));
        if is_long_enough(of_a, of_b) && subjects.have(&a.keys()[slot_a.clone()], &b.keys()[slot_b]) {
            let is_in_title = subjects.is_in_title(a.places(&slot_a).start);
            of_titles += u32::from(!(is_in_title && in_title));
            in_title |= is_in_title;
        }
    }
    (others, of_titles)
}

/// Whether both fillings of a slot can be names: two Han characters or three letters.
fn is_long_enough(a: &[u32], b: &[u32]) -> bool {
    a.len().min(b.len()) >= if a[0] >= DENSE_FROM || b[0] >= DENSE_FROM { 2 } else { 3 }
}

/// Whether two fillings of a slot are other words: two Han characters or more on each side, none in common, or letters
/// that are no misspelling of each other.
fn are_other(a: &[u32], b: &[u32]) -> bool {
    if a[0] >= DENSE_FROM || b[0] >= DENSE_FROM {
        return is_long_enough(a, b) && !a.iter().any(|unit| b.contains(unit));
    }
    is_long_enough(a, b) && 2 * Edits::between(a, b).matched < a.len().max(b.len()) as u32
}

/// The longest name or place, in code points.
const LONGEST_SLOT: usize = 24;

/// The facts among some tokens, in order. Numbers of a list or of a chapter are none.
fn facts<'t>(tokens: &'t Tokens<'_>) -> impl Iterator<Item = Fact> + 't {
    let mut at = 0;
    // Few tokens are numbers: it is faster to skip to the next digit or numeral, many units at a time.
    let all = tokens.places(&(0..tokens.len()));
    let mut numbers = places(tokens.units(&(0..tokens.len())), |unit| is_digit(unit) | is_numeral(unit)).peekable();
    std::iter::from_fn(move || {
        loop {
            while numbers.next_if(|&number| all.start + number < tokens.places(&(at..at)).start).is_some() {}
            let number = all.start + numbers.peek()?;
            while tokens.places(&(at..at + 1)).end <= number {
                at += 1;
            }
            let start = at;
            let units = tokens.units(&(at..at + 1));
            at += 1;
            if units.iter().any(|&unit| is_digit(unit)) {
                while at < tokens.len() && tokens.is_number_continued(at) {
                    at += 1;
                }
                if !tokens.is_numbering(start, at) {
                    let digits = tokens.units(&(start..at)).iter().copied().filter(|&unit| is_digit(unit)).collect();
                    return Some(Fact { tokens: start..at, digits });
                }
            } else if is_numeral(units[0]) {
                while at < tokens.len() && is_numeral(tokens.units(&(at..at + 1))[0]) {
                    at += 1;
                }
                if tokens.is_chinese_fact(start, at) {
                    return Some(Fact { tokens: start..at, digits: tokens.units(&(start..at)).to_vec() });
                }
            }
        }
    })
}

impl Tokens<'_> {
    /// Whether a token goes on with the number before it: 1,234 and 13.9, 8:26.
    fn is_number_continued(&self, token: usize) -> bool {
        let is_number = |token: usize| self.units(&(token..token + 1)).iter().all(|&unit| is_digit(unit));
        let is_separator =
            |sign: u32| matches!(char::from_u32(sign), Some('.' | ',' | ':' | '．' | '，' | '：' | '·' | '/' | '-'));
        let joins = |sign: u32| is_separator(sign) || is_idle(sign);
        let signs = self.before(token);
        is_number(token) && is_number(token - 1) && signs.len() == 1 && joins(signs[0])
    }

    /// Whether a number only counts items or chapters: "2、", "(3)", "第12条".
    fn is_numbering(&self, start: usize, end: usize) -> bool {
        if end - start > 1 || self.units(&(start..end)).len() > 2 {
            return false;
        }
        let behind = self.before(end).first().copied().and_then(char::from_u32);
        let opens_line = |signs: &[u32]| {
            let sign = |&sign: &u32| {
                matches!(char::from_u32(sign), Some('\n' | '：' | ':' | '；' | ';' | '。' | '(' | '（' | '•'))
            };
            signs.iter().any(sign) || start == 0
        };
        let is_item = matches!(behind, Some('、' | ')' | '）' | '.' | '．' | ':')) && opens_line(self.before(start));
        is_item || (start > 0 && end < self.len() && self.is_ordinal(start, end))
    }

    /// Whether 第 stands before some tokens and a part of a document behind them.
    fn is_ordinal(&self, start: usize, end: usize) -> bool {
        let one = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        start > 0
            && one(start - 1) == Some('第')
            && (end == self.len() || one(end).is_some_and(|part| "条章节款项编篇部卷页".contains(part)))
    }

    /// Whether Chinese numerals state something: several of them, or one before a unit.
    fn is_chinese_fact(&self, start: usize, end: usize) -> bool {
        let one = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        let unit = || {
            end < self.len() && one(end).is_some_and(|unit| "年月日时分秒岁名人元万亿次件吨亩户票级位".contains(unit))
        };
        let is_ordinal = || start > 0 && one(start - 1) == Some('第');
        (end - start >= 2 || unit()) && !is_ordinal()
    }
}

fn is_digit(unit: u32) -> bool {
    within(unit, u32::from('0'), u32::from('9'))
}

/// Whether a unit is a Chinese numeral; without a branch.
fn is_numeral(unit: u32) -> bool {
    NUMERALS.iter().fold(false, |found, &numeral| found | (unit == u32::from(numeral)))
}

const NUMERALS: [char; 15] = ['〇', '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '两'];
