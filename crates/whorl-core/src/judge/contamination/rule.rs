//! The reason of a hit: the document contains the item, or only something that the item shares with other texts.

use super::content::{ASK, Content, FORM, FORMULA, GENERIC, NUMBER, QUOTED};
use super::fit::{Fit, Sequence};
use super::scan::longest_run;

/// The part of an item that a document contains.
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
const SHARE: f64 = 0.8;
/// The same for a question of at least [`LONG`].
const SHARE_OF_LONG: f64 = 0.78;
/// Minimum share of all its tokens, without weights.
const RAW_SHARE: f64 = 0.65;
/// Minimum share of the sentence that asks.
const ASK_SHARE: f64 = 0.5;
/// A question that says less, in percent of a rare word, is identified by its choices or a long answer.
const TELLING: u32 = 120;
/// Minimum share of the choices that identify such a question.
const CHOICES_SHARE: f64 = 0.75;
/// A shorter question must be there without other words: eight words or 20 Han characters.
const SHORT: u32 = 40;
/// Minimum percentage of a word that is a misspelled one in a short question, and not another name such as Austria for
/// Australia.
const MISSPELLED: u8 = 80;
/// A shorter question in a script without spaces must be there character by character: 14 Han characters.
const SHORTEST: u32 = 28;
/// In a shorter question, another word in a single place makes another question, and so does a name of two or more
/// characters: 12 words or 30 Han characters.
const MEDIUM: u32 = 60;
/// In a longer question, most of the numbers must differ to make it another one: 20 words or 50 Han characters.
const LONG: u32 = 100;
/// Maximum units of a saying: 25 words or 62 Han characters.
const SAYING: u32 = 125;
/// Units at either end whose absence makes a stretch of the item, if they are an eighth of it: three words or eight Han
/// characters.
const END: u32 = 15;
/// A share below which a shorter run than [`LONG_RUN`] is not reported at all.
const NOTABLE_SHARE: f64 = 0.6;
const LONG_RUN: u32 = 40;

/// A question in a document.
pub(super) struct Question<'q> {
    pub content: &'q Content,
    pub fit: &'q Fit,
    pub document: Sequence<'q>,
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
    /// Returns None if too little is there.
    pub fn reason(&self) -> Option<Reason> {
        let is_long = self.content.units() >= LONG;
        if self.share >= if is_long { SHARE_OF_LONG } else { SHARE } && self.is_compact() {
            return Some(self.reason_of_whole());
        }
        if self.share < NOTABLE_SHARE && longest_run(self.content, self.fit) < LONG_RUN {
            return None;
        }
        Some(self.reason_of_stretch())
    }

    /// True if most tokens are there, without much between them.
    fn is_compact(&self) -> bool {
        let there: u32 = self.fit.credit.iter().map(|&credit| u32::from(credit)).sum();
        let length = self.content.len();
        f64::from(there) >= 100.0 * RAW_SHARE * length as f64 && self.inserted() <= 1 + length / 5
    }

    /// Number of tokens that the document has between matches in addition to those of the item.
    fn inserted(&self) -> usize {
        let matched =
            self.fit.matches.iter().enumerate().filter_map(|(token, place)| Some((token, (*place)? as usize)));
        let pairs = matched.clone().zip(matched.skip(1));
        pairs.map(|(before, after)| (after.1 - before.1).saturating_sub(after.0 - before.0)).sum()
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
            return if self.content.units() < MEDIUM { Reason::Template } else { Reason::Edited };
        }
        if is_whole {
            let is_saying = !self.content.has(ASK) && !self.content.is_in_marks() && self.content.units() <= SAYING;
            return if is_saying && self.is_enclosed && !self.has_answer {
                Reason::Quotation
            } else {
                Reason::Verbatim
            };
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
        self.has_other_numbers() || self.has_other_words() || self.has_other_characters() || self.has_other_names()
    }

    /// True if many numbers differ, and not much else: edits do not choose numbers.
    fn has_other_numbers(&self) -> bool {
        let credits = || self.fit.credit.iter().zip(&self.content.marks);
        let numbers = credits().filter(|&(&credit, marks)| credit < 100 && marks & NUMBER > 0).count();
        let others =
            credits().filter(|&(&credit, marks)| credit == 0 && marks & (NUMBER | GENERIC | FORM) == 0).count();
        let all = self.content.count(NUMBER);
        let are_many = match self.content.units() {
            0..MEDIUM => 3 * numbers > all,
            MEDIUM..LONG => 2 * numbers > all,
            _ => numbers > 1 && 2 * numbers > all,
        };
        are_many && numbers >= others
    }

    /// True if a short question lacks a telling word, or two others, or if a longer one has another word in a single
    /// place.
    fn has_other_words(&self) -> bool {
        let is_missing = |&token: &usize| !self.content.places[token].is_dense && self.fit.credit[token] < MISSPELLED;
        let missing: Vec<usize> = (0..self.content.len()).filter(is_missing).collect();
        let is_telling = |&token: &usize| self.content.marks[token] & (GENERIC | FORM) == 0;
        let has_more = self.fit.range.len() > self.content.len() + 1;
        if self.content.units() < SHORT {
            return has_more || missing.len() > 1 || missing.iter().any(is_telling);
        }
        let &[token] = missing.as_slice() else { return false };
        let is_at_end = token == 0 || token + 1 == self.content.len();
        let is_replaced = is_at_end || self.fit.range.len() == self.content.len();
        self.content.units() < MEDIUM && is_telling(&token) && is_replaced && self.missing().count() <= 1
    }

    /// True if a short question in a script without spaces lacks more than single characters inside it.
    fn has_other_characters(&self) -> bool {
        let is_dense = |&token: &usize| self.content.places[token].is_dense;
        let (missing, length) = (self.missing().filter(is_dense).collect::<Vec<_>>(), self.content.len());
        let has_run = missing.windows(2).any(|pair| pair[0] + 1 == pair[1]);
        let is_at_end = |&token: &usize| token < 2 || token + 2 >= length;
        match self.content.units() {
            0..SHORTEST => !missing.is_empty(),
            SHORTEST..SHORT => has_run || missing.len() > 2 || missing.iter().any(is_at_end),
            SHORT..MEDIUM => has_run && missing.len() <= 3,
            _ => false,
        }
    }

    /// True if the document has another name, in upper case, in the place of a name, and not much else is missing.
    fn has_other_names(&self) -> bool {
        let telling = self.missing().filter(|&token| self.content.marks[token] & (GENERIC | FORM) == 0).count();
        if self.content.units() >= 2 * LONG || telling > 2 {
            return false;
        }
        let matches = &self.fit.matches;
        let is_name =
            |original: &[u32], start: u32| char::from_u32(original[start as usize]).is_some_and(char::is_uppercase);
        (1..matches.len()).any(|token| {
            let Some(before) = matches[token - 1].filter(|_| self.fit.credit[token] == 0) else { return false };
            let after = matches[token..].iter().flatten().next().copied();
            let end = after.unwrap_or(before + 2).min(self.document.places.len() as u32);
            let is_filled = (before + 1..end)
                .any(|other| is_name(self.document.original, self.document.places[other as usize].start));
            let length = matches[token..].iter().take_while(|place| place.is_none()).count();
            let has_name =
                (token..token + length).any(|token| is_name(&self.content.original, self.content.places[token].start));
            is_filled && has_name
        })
    }

    /// The tokens without credit.
    fn missing(&self) -> impl Iterator<Item = usize> {
        self.fit.credit.iter().enumerate().filter(|(_, credit)| **credit == 0).map(|(token, _)| token)
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
        first.max(last) >= END.max(self.content.units() / 8)
    }

    fn reason_of_stretch(&self) -> Reason {
        let there = |marks: u8| {
            let is = |(credit, token): &(&u8, &u8)| **credit > 0 && **token & marks > 0;
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
