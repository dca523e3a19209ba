//! What was found of an item: the item, or only something that it shares with other texts.

use super::content::{ASK, Content, FORM, FORMULA, GENERIC, NUMBER, QUOTED};
use super::fit::Fit;
use super::scan::longest_run;

/// What was found of an item in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The question, token by token.
    Verbatim,
    /// The question with changes.
    Edited,
    /// Text that the question is about, without the question.
    PassageOnly,
    /// An instruction or a form that items share, with other facts.
    Template,
    /// A quotation, a formula, or another stretch that does not make the item.
    Quotation,
}

impl Reason {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Edited => "edited",
            Self::PassageOnly => "passage_only",
            Self::Template => "template",
            Self::Quotation => "quotation",
        }
    }
}

/// Minimum weighted share of a question that is there.
const SHARE: f64 = 0.78;
/// Minimum share of the sentence that asks.
const ASK_SHARE: f64 = 0.5;
/// A question that says less, in percent of a rare word, is identified by its choices or a long answer.
const TELLING: u32 = 90;
/// Minimum share of the choices that identify such a question.
const CHOICES_SHARE: f64 = 0.75;
/// A shorter question must be there without other words: seven words or 17 Han characters.
const SHORT: u32 = 35;
/// Maximum units of a saying: 25 words or 62 Han characters.
const SAYING: u32 = 125;
/// Units at either end whose absence makes a stretch of the item: three words or eight Han characters.
const END: u32 = 15;
/// A share below which a shorter run than [`LONG_RUN`] is not reported at all.
const NOTABLE_SHARE: f64 = 0.6;
const LONG_RUN: u32 = 40;

/// A question in a document.
pub(super) struct Question<'q> {
    pub content: &'q Content,
    pub fit: &'q Fit,
    /// Weighted share that is there.
    pub share: f64,
    /// Share of the choices near it.
    pub choices: Option<f64>,
    pub has_answer: bool,
    /// Whether an answer of at least eight words is near it.
    pub has_long_answer: bool,
    /// Whether it stands between quotation marks in the document.
    pub is_enclosed: bool,
    /// Whether the operators of its formulas are the same.
    pub has_equal_signs: bool,
}

impl Question<'_> {
    /// Returns None if next to nothing is there.
    pub fn reason(&self) -> Option<Reason> {
        if self.share >= SHARE {
            return Some(self.reason_of_whole());
        }
        if self.share < NOTABLE_SHARE && longest_run(self.content, self.fit) < LONG_RUN {
            return None;
        }
        Some(self.reason_of_stretch())
    }

    fn reason_of_whole(&self) -> Reason {
        if self.content.weight() < TELLING && !self.is_identified() {
            return Reason::Template;
        }
        let is_whole = self.fit.is_whole();
        if self.is_formula() && !self.has_answer {
            return Reason::Quotation;
        }
        if is_whole && !self.has_equal_signs {
            return if self.content.units() < 2 * SHORT { Reason::Template } else { Reason::Edited };
        }
        if is_whole {
            let is_saying = !self.content.has(ASK) && self.content.units() <= SAYING;
            return if is_saying && self.is_enclosed && !self.has_answer { Reason::Quotation } else { Reason::Verbatim };
        }
        if self.has_other_facts() {
            return Reason::Template;
        }
        if self.lacks_ask() || (!self.content.has(ASK) && self.lacks_end()) {
            return self.reason_of_stretch();
        }
        Reason::Edited
    }

    /// A question of few telling words is the item if its choices or a long answer are there too.
    fn is_identified(&self) -> bool {
        self.choices.is_some_and(|share| share >= CHOICES_SHARE) || self.has_long_answer
    }

    fn is_formula(&self) -> bool {
        let is_word = |marks: &&u8| *marks & FORMULA == 0;
        self.content.has(FORMULA) && self.content.marks.iter().filter(is_word).count() < 2
    }

    /// A short question with another word, or any question with other numbers, is another one of the same form.
    fn has_other_facts(&self) -> bool {
        let is_missing = |&(credit, marks): &(&u8, &u8)| *credit == 0 && marks & (GENERIC | FORM) == 0;
        let missing = || self.fit.credit.iter().zip(&self.content.marks).filter(is_missing);
        let numbers = missing().filter(|(_, marks)| *marks & NUMBER > 0).count();
        3 * numbers > self.content.count(NUMBER) || (self.content.units() < SHORT && missing().next().is_some())
    }

    fn lacks_ask(&self) -> bool {
        let asks = |&(_, marks): &(&u8, &u8)| marks & ASK > 0;
        let of_ask = || self.fit.credit.iter().zip(&self.content.marks).filter(asks);
        let there: f64 = of_ask().map(|(&credit, _)| f64::from(credit) / 100.0).sum();
        there < ASK_SHARE * of_ask().count() as f64
    }

    fn lacks_end(&self) -> bool {
        let is_missing = |(credit, _): &(&u8, &super::tokens::Place)| **credit == 0;
        let tokens = || self.fit.credit.iter().zip(&self.content.places);
        let first: u32 = tokens().take_while(is_missing).map(|(_, place)| place.units()).sum();
        let last: u32 = tokens().rev().take_while(is_missing).map(|(_, place)| place.units()).sum();
        first.max(last) >= END
    }

    fn reason_of_stretch(&self) -> Reason {
        let there = |marks: u8| {
            let is = |(credit, own): &(&u8, &u8)| **credit > 0 && **own & marks > 0;
            self.fit.credit.iter().zip(&self.content.marks).filter(is).count()
        };
        let (all, of_form) = (self.fit.credit.iter().filter(|credit| **credit > 0).count(), there(FORM | GENERIC));
        if 5 * of_form >= 4 * all {
            return Reason::Template;
        }
        let is_passage = self.content.has(ASK) && self.lacks_ask() && 2 * there(QUOTED | FORMULA) < all;
        let is_long = longest_run(self.content, self.fit) >= 2 * LONG_RUN;
        if is_passage && is_long { Reason::PassageOnly } else { Reason::Quotation }
    }
}
