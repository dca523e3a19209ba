//! Finds the items of an index in documents.

use std::ops::Range;

use super::content::{Content, operators};
use super::fit::{Band, Fit, Fitter, Sequence, slack};
use super::index::{Field, Index};
use super::rule::{Question, Reason};
use super::table::Slots;
use super::tokens::{Keys, LONG, SHORT, TokenText, span, units};
use crate::hash::{absorb, mix};
use crate::text::Text;

/// Occurrences of a content in a document beyond this number are not reported.
const MOST_OCCURRENCES: usize = 16;
/// A content of more items, such as a bare instruction, is reported only for items with further parts in the document.
const MOST_ITEMS: usize = 16;
/// Tokens around a question in which its choices and its answer are looked for.
const NEAR: usize = 60;
/// Minimum share of a choice or an answer that is there.
const THERE: f64 = 0.75;
/// Minimum units of a run that is reported although the item is not there: eight words or twenty Han characters.
const STRETCH: u32 = 40;

/// An item, or a part of it, in a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Number of the item.
    pub item: u32,
    /// Number of the part that was found.
    pub part: u32,
    /// The part of the item that was found.
    pub reason: Reason,
    /// Where it is in the document, in code points.
    pub document: Range<usize>,
    /// Where it is in the part.
    pub of_part: Range<usize>,
    /// Where it is in the document together with the choices and the answer near it.
    pub extent: Range<usize>,
    /// Share of the question that is there.
    pub question: f64,
    /// Share of the choices near it; None if the item has none.
    pub choices: Option<f64>,
    /// Share of the answer near it; None if the item has none.
    pub answer: Option<f64>,
    /// Share of the passage; None if the item has none.
    pub passage: Option<f64>,
    /// Whether the item asks or instructs; a saying or a statement does not.
    pub asks: bool,
    /// Units of the part: five for a word, two for a Han character.
    pub units: u32,
    /// Identifies the tokens of the part that are missing; 0 if none is.
    pub gaps: u64,
    /// Identifies what the document has in their place.
    pub fillers: u64,
}

/// Scans documents; one per worker.
#[derive(Default)]
pub struct Scanner {
    text: TokenText,
    keys: Keys,
    fitter: Fitter,
    anchors: Vec<Anchor>,
    windows: Vec<(u32, u64)>,
    slots: Slots,
    counts: Vec<u8>,
    original: Vec<u32>,
}

/// A window that a document shares with a content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Anchor {
    content: u32,
    /// Token of the document minus token of the content.
    diagonal: i32,
    token: u32,
}

struct Occurrence {
    content: u32,
    fit: Fit,
    share: f64,
}

impl Occurrence {
    /// True if it is at least as good as another fit of its content: of equal shares, the shorter one wins.
    fn is_better_than(&self, share: f64, fit: &Fit) -> bool {
        self.share > share || (self.share >= share && self.fit.range.len() <= fit.range.len())
    }
}

impl Scanner {
    /// Returns the hits of a document by position.
    pub fn scan(&mut self, index: &Index, text: Text<'_>) -> Vec<Hit> {
        self.text.read(text);
        self.find_anchors(index);
        if self.anchors.is_empty() {
            return Vec::new();
        }
        let candidates = self.candidates(index);
        if candidates.is_empty() {
            return Vec::new();
        }
        text.copy_to(&mut self.original);
        let occurrences = self.occurrences(index, candidates);
        let mut hits = self.hits(index, &occurrences);
        hits.sort_by_key(|hit| (hit.document.start, hit.item, hit.part));
        hits
    }

    /// Finds the windows that the document shares with items, without those of contents that have too few.
    ///
    /// Nearly all of them are of contents with a single one. Counting them by a hash of the content removes these before
    /// they are sorted.
    fn find_anchors(&mut self, index: &Index) {
        self.anchors.clear();
        self.counts.clear();
        self.counts.resize(COUNTERS, 0);
        self.keys.read(self.text.tokens());
        for (table, width) in [(&index.short, SHORT), (&index.long, LONG)] {
            if table.is_empty() {
                continue;
            }
            self.windows.clear();
            self.keys.windows(self.text.places(), width, |at, key| self.windows.push((at as u32, key)));
            table.filter(&mut self.windows);
            table.find(&self.windows, &mut self.slots, |at, postings| {
                for posting in postings {
                    let diagonal = at as i32 - posting.token as i32;
                    let counter = &mut self.counts[counter(posting.content)];
                    *counter = counter.saturating_add(1);
                    self.anchors.push(Anchor { content: posting.content, diagonal, token: posting.token });
                }
            });
        }
        let counts = &self.counts;
        self.anchors.retain(|anchor| {
            let count = counts[counter(anchor.content)];
            count == u8::MAX || u32::from(count) >= index.required[anchor.content as usize]
        });
        self.anchors.sort_unstable();
    }

    /// Contents with enough windows near one diagonal, with the diagonals on which they may be.
    fn candidates(&self, index: &Index) -> Vec<(u32, Band)> {
        let mut candidates = Vec::new();
        for anchors in self.anchors.chunk_by(|a, b| a.content == b.content) {
            let content = anchors[0].content;
            let length = index.contents[content as usize].len();
            let required = index.required[content as usize] as usize;
            let (tolerance, before) = (slack(length), candidates.len());
            let mut rest = anchors;
            while let Some(first) = rest.first() {
                let count = rest.iter().take_while(|anchor| anchor.diagonal - first.diagonal <= tolerance).count();
                let (cluster, others) = rest.split_at(count);
                rest = others;
                if count < required || distinct_tokens(cluster) < required {
                    continue;
                }
                candidates.push((content, Band::around(first.diagonal, cluster[count - 1].diagonal, length)));
                if candidates.len() - before == MOST_OCCURRENCES {
                    break;
                }
            }
        }
        candidates
    }

    fn occurrences(&mut self, index: &Index, candidates: Vec<(u32, Band)>) -> Vec<Occurrence> {
        let mut occurrences: Vec<Occurrence> = Vec::new();
        let document = sequence(&self.text, &self.original);
        for (number, band) in candidates {
            let content = &index.contents[number as usize];
            let Some(fit) = self.fitter.fit(content.sequence(), document, band) else { continue };
            let share = share(content, &fit);
            let overlaps = |other: &&mut Occurrence| {
                other.content == number
                    && other.fit.range.start < fit.range.end
                    && fit.range.start < other.fit.range.end
            };
            match occurrences.iter_mut().rev().take(MOST_OCCURRENCES).find(overlaps) {
                Some(other) if other.is_better_than(share, &fit) => {}
                Some(other) => (other.fit, other.share) = (fit, share),
                None => occurrences.push(Occurrence { content: number, fit, share }),
            }
        }
        occurrences
    }

    fn hits(&mut self, index: &Index, occurrences: &[Occurrence]) -> Vec<Hit> {
        let mut places: Vec<(u32, u32, usize)> = Vec::new();
        for (number, occurrence) in occurrences.iter().enumerate() {
            let parts = &index.parts_of[occurrence.content as usize];
            places.extend(parts.iter().map(|&part| (index.parts[part as usize].item, part, number)));
        }
        places.sort_unstable();
        let mut hits = Vec::new();
        for of_item in places.chunk_by(|a, b| a.0 == b.0) {
            let field = |part: u32| index.parts[part as usize].field;
            let is_lone = of_item.iter().all(|place| place.1 == of_item[0].1);
            let parts = &index.parts_of[occurrences[of_item[0].2].content as usize];
            if is_lone && parts.len() > MOST_ITEMS && of_item[0].1 != parts[0] {
                continue;
            }
            let passage = of_item.iter().filter(|place| field(place.1) == Field::Passage);
            let passage = passage.map(|place| occurrences[place.2].share).fold(0.0, f64::max);
            let mut questions = of_item.iter().filter(|place| field(place.1) == Field::Question).peekable();
            let before = hits.len();
            if questions.peek().is_some() {
                for &(item, part, number) in questions {
                    hits.extend(self.question_hit(index, (item, part), &occurrences[number], passage));
                }
            }
            if hits.len() == before {
                hits.extend(self.other_hit(index, of_item, occurrences, passage));
            }
        }
        hits
    }

    /// The hit of a question, with what stands near it of the choices and the answer.
    fn question_hit(
        &mut self,
        index: &Index,
        (item, part): (u32, u32),
        occurrence: &Occurrence,
        passage: f64,
    ) -> Option<Hit> {
        let content = &index.contents[occurrence.content as usize];
        let fit = &occurrence.fit;
        let mut extent = fit.range.clone();
        let choices = self.near_choices(index, item, &fit.range, &mut extent);
        let answer = self.near_answer(index, item, &fit.range, &mut extent);
        let document = span(self.text.places(), &fit.range);
        let are_signs_equal = || *operators(&self.original[document.clone()]) == *content.operators;
        let question = Question {
            content,
            fit,
            document: sequence(&self.text, &self.original),
            share: occurrence.share,
            choices,
            has_long_answer: answer.is_some_and(|share| share >= THERE)
                && index.fields(item, Field::Answer).any(|answer| answer.units() >= STRETCH),
            has_answer: answer.is_some_and(|share| share >= THERE),
            is_enclosed: is_enclosed(&self.original, &document),
            has_equal_signs: content.operators.is_empty() || are_signs_equal(),
        };
        let reason = question.reason()?;
        let hit = self.hit(index, item, part, occurrence, passage);
        let extent = span(self.text.places(), &extent);
        Some(Hit { choices, answer, question: occurrence.share, reason, extent, ..hit })
    }

    /// The hit of an item whose question is not there: the longest of its other parts.
    fn other_hit(
        &self,
        index: &Index,
        of_item: &[(u32, u32, usize)],
        occurrences: &[Occurrence],
        passage: f64,
    ) -> Option<Hit> {
        let run = |number: usize| {
            let occurrence = &occurrences[number];
            longest_run(&index.contents[occurrence.content as usize], &occurrence.fit)
        };
        let &(item, part, number) = of_item.iter().max_by_key(|place| run(place.2))?;
        let field = index.parts[part as usize].field;
        let reason = match field {
            Field::Passage => Reason::PassageOnly,
            Field::Question => return None,
            Field::Choice | Field::Answer => Reason::Quotation,
        };
        if run(number) < STRETCH {
            return None;
        }
        let occurrence = &occurrences[number];
        let content = &index.contents[occurrence.content as usize];
        let is_form = 5 * content.count(super::content::FORM) >= 4 * content.len();
        let reason = if is_form { Reason::Template } else { reason };
        let has = |field: Field| index.fields(item, field).next().is_some();
        let share = |of: Field| has(of).then(|| if of == field { occurrence.share } else { 0.0 });
        let hit = self.hit(index, item, part, occurrence, passage);
        Some(Hit { reason, choices: share(Field::Choice), answer: share(Field::Answer), ..hit })
    }

    fn hit(&self, index: &Index, item: u32, part: u32, occurrence: &Occurrence, passage: f64) -> Hit {
        let content = &index.contents[occurrence.content as usize];
        let fit = &occurrence.fit;
        let is_there = |credit: &u8| *credit > 0;
        let first = fit.credit.iter().position(is_there).unwrap_or(0);
        let last = fit.credit.iter().rposition(is_there).unwrap_or(first);
        let (gaps, fillers) = gaps(fit, self.text.tokens());
        Hit {
            item,
            part,
            reason: Reason::Quotation,
            document: span(self.text.places(), &fit.range),
            extent: span(self.text.places(), &fit.range),
            of_part: span(&content.places, &(first..last + 1)),
            question: 0.0,
            choices: None,
            answer: None,
            passage: index.fields(item, Field::Passage).next().is_some().then_some(passage),
            asks: content.has(super::content::ASK),
            units: content.units(),
            gaps,
            fillers,
        }
    }

    /// The share of the choices near a question; those that are there are added to its extent.
    fn near_choices(
        &mut self,
        index: &Index,
        item: u32,
        question: &Range<usize>,
        extent: &mut Range<usize>,
    ) -> Option<f64> {
        let length: usize = index.fields(item, Field::Choice).map(Content::len).sum();
        let near = self.near(question, length);
        let (mut total, mut found) = (0.0, 0.0);
        for choice in index.fields(item, Field::Choice) {
            let (share, range) = self.share_within(choice, near.clone(), question.end);
            total += f64::from(choice.weight());
            found += f64::from(choice.weight()) * share;
            join(extent, range);
        }
        (total > 0.0).then(|| found / total)
    }

    fn near_answer(
        &mut self,
        index: &Index,
        item: u32,
        question: &Range<usize>,
        extent: &mut Range<usize>,
    ) -> Option<f64> {
        let choices: usize = index.fields(item, Field::Choice).map(Content::len).sum();
        let mut best = None;
        for answer in index.fields(item, Field::Answer).filter(|answer| answer.len() > 0) {
            let near = self.near(question, choices + answer.len());
            let is_bare = answer.len() == 1 && answer.weight() < 100;
            let near =
                if is_bare { question.end.min(near.end)..near.end.min(question.end + choices + 12) } else { near };
            let (share, range) = self.share_within(answer, near, extent.end);
            best = Some(best.unwrap_or(0.0f64).max(share));
            join(extent, range);
        }
        best
    }

    fn near(&self, question: &Range<usize>, length: usize) -> Range<usize> {
        let end = (question.end + length + length / 2 + NEAR).min(self.text.tokens().len());
        question.start.saturating_sub(NEAR)..end
    }

    /// The share of a short text within a range of the document, and where it is if most of it is there: the first
    /// place after `preferred`, or the first one.
    fn share_within(&mut self, content: &Content, near: Range<usize>, preferred: usize) -> (f64, Option<Range<usize>>) {
        if content.len() == 0 {
            return (1.0, None);
        }
        let tokens = &self.text.tokens()[near.clone()];
        let is_equal = |(_, window): &(usize, &[u64])| **window == *content.tokens;
        let mut places = tokens.windows(content.len()).enumerate().filter(is_equal).map(|(at, _)| near.start + at);
        if let Some(first) = places.next() {
            let start = if first >= preferred { first } else { places.find(|&at| at >= preferred).unwrap_or(first) };
            return (1.0, Some(start..start + content.len()));
        }
        if content.len() < 3 {
            return (0.0, None);
        }
        let document = sequence(&self.text, &self.original);
        let fit = self.fitter.fit(content.sequence(), document, Band::within(&near, content.len()));
        let Some(fit) = fit.filter(|fit| fit.range.len() <= 2 * content.len() + 4) else { return (0.0, None) };
        let share = share(content, &fit);
        (share, (share >= THERE).then_some(fit.range))
    }
}

/// Extends a range of tokens to a part that begins or ends near it.
fn join(extent: &mut Range<usize>, part: Option<Range<usize>>) {
    const GAP: usize = 16;
    let Some(part) = part else { return };
    if part.start <= extent.end + GAP && extent.start <= part.end + GAP {
        *extent = extent.start.min(part.start)..extent.end.max(part.end);
    }
}

fn sequence<'t>(text: &'t TokenText, original: &'t [u32]) -> Sequence<'t> {
    Sequence { tokens: text.tokens(), places: text.places(), original }
}

const COUNTERS: usize = 1 << 12;

fn counter(content: u32) -> usize {
    content as usize & (COUNTERS - 1)
}

fn distinct_tokens(anchors: &[Anchor]) -> usize {
    let mut tokens: Vec<u32> = anchors.iter().map(|anchor| anchor.token).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens.len()
}

/// The weighted share of a content that is there.
fn share(content: &Content, fit: &Fit) -> f64 {
    let total = content.weight();
    let there = content.weights.iter().zip(&fit.credit).map(|(&weight, &credit)| f64::from(weight) * f64::from(credit));
    if total == 0 { 0.0 } else { there.sum::<f64>() / 100.0 / f64::from(total) }
}

/// Units of the longest run of tokens that is in the document unchanged.
pub(super) fn longest_run(content: &Content, fit: &Fit) -> u32 {
    let (mut longest, mut start) = (0, 0);
    for token in 1..=fit.matches.len() {
        let goes_on = token < fit.matches.len()
            && fit.matches[token - 1].is_some()
            && fit.matches[token] == fit.matches[token - 1].map(|before| before + 1);
        if !goes_on {
            if fit.matches[start].is_some() {
                longest = longest.max(units(&content.places[start..token]));
            }
            start = token;
        }
    }
    longest
}

/// Identifies the missing tokens, and the tokens in their place.
fn gaps(fit: &Fit, document: &[u64]) -> (u64, u64) {
    if fit.is_whole() {
        return (0, 0);
    }
    let (mut gaps, mut fillers) = (1, 1);
    for (token, _) in fit.matches.iter().enumerate().filter(|(_, place)| place.is_none()) {
        gaps = absorb(gaps, token as u64);
    }
    let before = fit.matches.iter().take_while(|place| place.is_none()).count();
    let after = fit.matches.iter().rev().take_while(|place| place.is_none()).count();
    let mut absorb_all = |tokens: Range<usize>| {
        let tokens = tokens.start..tokens.end.min(document.len());
        document[tokens].iter().for_each(|&token| fillers = absorb(fillers, token));
    };
    absorb_all(fit.range.start.saturating_sub(before)..fit.range.start);
    let matched: Vec<usize> = fit.matches.iter().flatten().map(|&token| token as usize).collect();
    matched.windows(2).for_each(|pair| absorb_all(pair[0] + 1..pair[1]));
    absorb_all(fit.range.end..fit.range.end + after);
    (mix(gaps), mix(fillers))
}

/// True if a stretch of a text is enclosed in quotation marks: it begins after one, and ends with punctuation at most.
fn is_enclosed(text: &[u32], range: &Range<usize>) -> bool {
    const OPENING: &str = "“‘\"'「『«„";
    const CLOSING: &str = "”’\"'」』»“";
    let character = |unit: &u32| char::from_u32(*unit).unwrap_or(' ');
    let is_beside = |sign: &char| sign.is_whitespace() || ".,!?;:…—-。，！？；：".contains(*sign);
    let before = text[..range.start].iter().rev().map(character).take(2).find(|sign| !sign.is_whitespace());
    let after = text[range.end..].iter().map(character).take(4).find(|sign| !is_beside(sign));
    before.is_some_and(|sign| OPENING.contains(sign)) && after.is_some_and(|sign| CLOSING.contains(sign))
}
