//! One text of an item, prepared: its tokens with what each of them says about the item.

use std::ops::Range;

use super::fit::Sequence;
use super::tokens::{Place, TokenText, spell, units};
use super::wording::{generic_phrase, is_asking, is_generic_word, is_number, is_of_formulas, is_operator};
use crate::text::Text;
use crate::text::frame::{Role, roles};
use crate::text::scan::signs;
use crate::text::sentence::sentences;

/// The token lies between quotation marks.
pub(super) const QUOTED: u8 = 1;
/// The token belongs to the sentence that asks.
pub(super) const ASK: u8 = 2;
/// The token is a number.
pub(super) const NUMBER: u8 = 4;
/// The token is of a formula.
pub(super) const FORMULA: u8 = 8;
/// The token is a function word or belongs to the wording of instructions.
pub(super) const GENERIC: u8 = 16;
/// The token lies in a stretch that several items share.
pub(super) const FORM: u8 = 32;

/// Maximum units of an instruction before a colon.
const LEAD: u32 = 60;
/// Shorter quotations are names and terms.
const SHORTEST_QUOTATION: usize = 4;

/// One text of an item.
#[derive(Default)]
pub(super) struct Content {
    pub tokens: Box<[u64]>,
    pub places: Box<[Place]>,
    pub original: Box<[u32]>,
    /// The kinds of each token.
    pub marks: Box<[u8]>,
    /// How much each token says, in percent of a rare word.
    pub weights: Box<[u8]>,
    /// The operators between the tokens, if it has a formula.
    pub operators: Box<[u32]>,
}

impl Content {
    pub fn new(text: Text<'_>, reader: &mut TokenText) -> Self {
        reader.read(text);
        let mut original = Vec::new();
        text.copy_to(&mut original);
        let (tokens, places) = (reader.tokens().into(), reader.places().into());
        let mut content = Self { tokens, places, original: original.into(), ..Self::default() };
        content.mark();
        content.weigh();
        let formula = content.marks.iter().filter(|&&marks| marks & FORMULA > 0).count();
        if let (true, Some(first), Some(last)) = (formula >= 2, content.places.first(), content.places.last()) {
            content.operators = operators(&content.original[first.start as usize..last.end as usize]).into();
        }
        content
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn sequence(&self) -> Sequence<'_> {
        Sequence { tokens: &self.tokens, places: &self.places, original: &self.original }
    }

    pub fn units(&self) -> u32 {
        units(&self.places)
    }

    pub fn has(&self, marks: u8) -> bool {
        self.marks.iter().any(|token| token & marks == marks)
    }

    pub fn count(&self, marks: u8) -> usize {
        self.marks.iter().filter(|&token| token & marks == marks).count()
    }

    /// The sum of the weights.
    pub fn weight(&self) -> u32 {
        self.weights.iter().map(|&weight| u32::from(weight)).sum()
    }

    /// True if it is or begins or ends with a quotation.
    pub fn is_in_marks(&self) -> bool {
        let (Some(first), Some(last)) = (self.places.first(), self.places.last()) else { return false };
        let around = self.original[..first.start as usize].iter().chain(&self.original[last.end as usize..]);
        let is_mark = |&unit: &u32| char::from_u32(unit).is_some_and(|sign| "“”‘’\"'「」『』«»„".contains(sign));
        self.has(QUOTED) || around.copied().any(|unit| is_mark(&unit))
    }

    /// Marks tokens as part of a form that items share, and lowers their weight.
    pub fn mark_form(&mut self, tokens: Range<usize>) {
        for token in tokens {
            self.marks[token] |= FORM;
            self.weights[token] = self.weights[token].min(10);
        }
    }

    fn mark(&mut self) {
        self.marks = vec![0; self.len()].into();
        let mut positions = Vec::new();
        signs(&self.original, &mut positions);
        let quotations = roles(&self.original, &positions).into_iter().filter(|(role, _)| *role == Role::Quotation);
        for (_, range) in quotations {
            let tokens = self.tokens_in(&range);
            if tokens.len() >= SHORTEST_QUOTATION {
                self.marks[tokens].iter_mut().for_each(|marks| *marks |= QUOTED);
            }
        }
        for token in 0..self.len() {
            let letters = spell(&self.original, &self.places[token..=token]);
            let is_word = !self.places[token].is_dense;
            let is_generic = is_word && is_generic_word(self.tokens[token]);
            let marks = [
                (NUMBER, is_word && is_number(&letters)),
                (FORMULA, is_word && is_of_formulas(&letters)),
                (GENERIC, is_generic),
            ];
            marks.iter().filter(|(_, holds)| *holds).for_each(|(mark, _)| self.marks[token] |= mark);
        }
        self.mark_phrases();
        self.mark_ask();
    }

    fn mark_phrases(&mut self) {
        let mut token = 0;
        while token < self.len() {
            let length = if self.places[token].is_dense { generic_phrase(&self.tokens[token..]) } else { 0 };
            self.marks[token..token + length].iter_mut().for_each(|marks| *marks |= GENERIC);
            token += length.max(1);
        }
    }

    /// Marks the sentences that end in a question mark, or the instruction before a colon, without quotations.
    fn mark_ask(&mut self) {
        let asks = |range: &Range<usize>| self.original[range.clone()].iter().any(|&unit| is_question_mark(unit));
        let mut stretches: Vec<_> = sentences(&self.original).into_iter().filter(asks).collect();
        // Quotations may ask rhetorically, without a word that asks.
        let has_word = |range: &Range<usize>| self.tokens[self.tokens_in(range)].iter().any(|&token| is_asking(token));
        if stretches.iter().any(has_word) {
            stretches.retain(has_word);
        }
        if stretches.is_empty() {
            stretches.extend(self.lead());
        }
        for stretch in stretches {
            let tokens = self.tokens_in(&stretch);
            self.marks[tokens].iter_mut().filter(|marks| **marks & QUOTED == 0).for_each(|marks| *marks |= ASK);
        }
    }

    /// The instruction before a colon: short, in words, and followed by something longer than a word.
    fn lead(&self) -> Option<Range<usize>> {
        let is_colon = |&unit: &u32| matches!(char::from_u32(unit), Some(':' | '：'));
        let colon = self.original.iter().position(is_colon)?;
        let lead = &self.original[..colon];
        let tokens = self.tokens_in(&(0..colon));
        let is_code = |&unit: &u32| matches!(char::from_u32(unit), Some('(' | '{' | '=' | '\n'));
        let is_instruction = self.marks[tokens.clone()].iter().any(|marks| marks & GENERIC > 0);
        let holds = is_instruction && !lead.iter().any(is_code) && units(&self.places[tokens.clone()]) <= LEAD;
        (holds && !tokens.is_empty() && self.len() >= tokens.len() + SHORTEST_QUOTATION).then_some(0..colon)
    }

    fn weigh(&mut self) {
        let weight = |(place, &marks): (&Place, &u8)| match (place.is_dense, marks) {
            (true, marks) if marks & GENERIC > 0 => 8,
            (true, _) => 40,
            (false, marks) if marks & GENERIC > 0 => 15,
            (false, marks) if marks & NUMBER > 0 => 60,
            (false, marks) if marks & FORMULA > 0 => 40,
            (false, _) => 100,
        };
        self.weights = self.places.iter().zip(&self.marks).map(weight).collect();
    }

    /// The tokens that begin in a range of the original text.
    fn tokens_in(&self, range: &Range<usize>) -> Range<usize> {
        let at = |offset: usize| self.places.partition_point(|place| (place.start as usize) < offset);
        at(range.start)..at(range.end)
    }
}

/// The operators of a text in order; variants of minus are one.
pub(super) fn operators(text: &[u32]) -> Vec<u32> {
    let is_minus = |unit: u32| matches!(char::from_u32(unit), Some('−' | '–'));
    let one_minus = |&unit: &u32| if is_minus(unit) { u32::from('-') } else { unit };
    text.iter().filter(|&&unit| is_operator(unit)).map(one_minus).collect()
}

pub(super) fn is_question_mark(unit: u32) -> bool {
    matches!(char::from_u32(unit), Some('?' | '？' | '؟' | '⁇' | '՞'))
}
