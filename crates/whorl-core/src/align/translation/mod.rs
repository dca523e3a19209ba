//! Detection of translated text between Chinese and a language of Latin letters, without a model.
//!
//! # Problem
//!
//! A translation has no word in common with its source, so no passage proves it. What it keeps are numbers, dates,
//! names and code in Latin letters, the order of its sentences, and their relative lengths.
//!
//! # Choice
//!
//! Sentences that share rare [terms] are linked into [chains](chain), in order with jumps. All sentences around a chain
//! are aligned by lengths and terms into [beads]. Beads in which the terms agree form stretches; a stretch is a
//! translation if enough different terms agree, in enough sentences, if nearly all terms of the Chinese text occur in
//! the aligned sentences of the other, and if the lengths agree. The share of agreeing terms separates translations
//! from pages on one topic: these have terms in common too, but in other sentences.
//!
//! # Alternatives
//!
//! The number of shared terms alone takes half of the pages on one topic for translations. A dictionary that ships with
//! the program would find more translations without names and numbers, and would have to be good in every field, so
//! users bring their own.

mod beads;
mod chain;
mod terms;

use std::ops::Range;

use super::Passage;
use super::change::{Change, Kind, is_han, moved};
use super::pair::{Judge, Judgement, Share};
use super::pieces::gap::Edits;
use super::relation::sureness;
use super::side::Counts;
use super::stream::Stream;
use beads::{Bead, Pair};
use chain::{Seed, chain, seeds};
use terms::{Sentence, Term, read};

pub use terms::Dictionary;

/// Minimum share of Han characters of a Chinese text: documentation consists of code as well.
const CHINESE: f64 = 0.05;
/// Maximum share of Han characters of a text in another language.
const FOREIGN: f64 = 0.01;
/// A Chinese sentence with fewer Han characters is code or a name, which is no evidence.
const PROSE: u32 = 4;
/// Minimum number of different terms that agree in a stretch,
const DISTINCT: usize = 5;
/// and their minimum weight, and the one of a certain translation.
const WEIGHT: u32 = 8;
const CERTAIN: u32 = 40;
/// Minimum number of beads in which terms agree.
const ANCHORED: usize = 3;
/// Minimum share of the terms of the Chinese sentences that agree, by weight.
const AGREEING: f64 = 0.7;
/// Maximum difference of the lengths of both sides of the beads, as a share of their sum.
const UNEVEN: f64 = 0.25;
/// Maximum number of sentences between two stretches that are translated as well.
const LONGEST_GAP: usize = 64;
/// The score of a bead for each unit of agreeing weight, in hundredths, and the cost for each that does not agree,
const AGREES: i32 = 100;
const DISAGREES: i32 = 150;
/// the range of its score by lengths,
const BY_LENGTH: (i32, i32) = (-300, 100);
/// and the fall of the sum of scores that ends a stretch.
const FALL: i32 = 1200;

/// Stretches of two texts of which one is a translation of the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// The aligned paragraphs, in the order of the second text.
    pub passages: Vec<Passage>,
    /// For each body, how much is translated.
    pub shares: [Share; 2],
    /// The weight of the evidence.
    pub weight: u32,
    /// The confidence that it is a translation, in [0.5, 1].
    pub confidence: f64,
}

/// Aligned sentences with their evidence.
#[derive(Clone, Debug, PartialEq)]
struct Stretch {
    beads: Vec<Bead>,
    weight: u32,
    confidence: f64,
}

/// Which of two texts is Chinese, if the other is not: 0 or 1.
fn chinese_of(a: &Stream, b: &Stream) -> Option<usize> {
    let han = |stream: &Stream| {
        let count = stream.units().iter().filter(|&&unit| is_han(unit)).count();
        count as f64 / stream.units().len().max(1) as f64
    };
    match [a, b].map(han) {
        [of_a, of_b] if of_a >= CHINESE && of_b <= FOREIGN => Some(0),
        [of_a, of_b] if of_b >= CHINESE && of_a <= FOREIGN => Some(1),
        _ => None,
    }
}

/// The stretches of a Chinese text that are translations of another one, in the order of the Chinese text.
fn stretches(foreign: &[Sentence], chinese: &[Sentence]) -> Vec<Stretch> {
    let pair = Pair { a: foreign, b: chinese };
    let chain = chain(&seeds(foreign, chinese));
    let runs = chain.chunk_by(|last: &Seed, next: &Seed| next.follows(*last));
    let mut used = [vec![false; foreign.len()], vec![false; chinese.len()]];
    let mut all: Vec<Stretch> = Vec::new();
    for run in runs {
        let mut beads = pair.beads(run);
        beads.retain(|bead| bead.iter().zip(&used).all(|(range, used)| !used[range.clone()].contains(&true)));
        for part in agreeing_parts(pair, &beads) {
            if let Some(stretch) = proven(pair, &beads[part]) {
                for [of_a, of_b] in stretch.beads.iter().cloned() {
                    used[0][of_a].fill(true);
                    used[1][of_b].fill(true);
                }
                all.push(stretch);
            }
        }
    }
    let gaps: Vec<Vec<Bead>> = all.windows(2).map(|both| gap(pair, &both[0], &both[1], &used)).collect();
    all.iter_mut().zip(gaps).for_each(|(stretch, gap)| stretch.beads.extend(gap));
    all
}

/// The beads between two stretches in order, if both texts have about as much between them and the terms agree:
/// what lies between translated text is translated, even without evidence of its own.
fn gap(pair: Pair<'_>, last: &Stretch, next: &Stretch, used: &[Vec<bool>; 2]) -> Vec<Bead> {
    let (Some(last), Some(next)) = (last.beads.last(), next.beads.first()) else { return Vec::new() };
    let between = [0, 1].map(|text| last[text].end..next[text].start);
    let is_free = |text: usize| {
        let range = &between[text];
        range.start < range.end && range.len() <= LONGEST_GAP && !used[text][range.clone()].contains(&true)
    };
    if !is_free(0) || !is_free(1) || unevenness(pair, std::slice::from_ref(&between)) > UNEVEN {
        return Vec::new();
    }
    let beads = pair.between(&between[0], &between[1]);
    let agrees = |part: &Range<usize>| Agreeing::of(pair, &beads[part.clone()]).share() >= AGREEING;
    agreeing_parts(pair, &beads).into_iter().filter(agrees).flat_map(|part| beads[part].to_vec()).collect()
}

/// The difference of the lengths of both sides of some beads, as a share of their sum.
fn unevenness(pair: Pair<'_>, beads: &[Bead]) -> f64 {
    let (mut apart, mut length) = (0, 0);
    for bead in beads {
        let [a, b] = pair.letters(bead);
        apart += a.abs_diff(b);
        length += a + b;
    }
    apart as f64 / length.max(1) as f64
}

/// The terms of a bead that agree, with the weight of those that do not.
fn agreement(pair: Pair<'_>, [of_a, of_b]: &Bead) -> (Vec<Term>, f64) {
    let mut others: Vec<Term> = pair.a[of_a.clone()].iter().flat_map(|sentence| &sentence.terms).copied().collect();
    others.sort_unstable();
    let mut terms: Vec<Term> = pair.b[of_b.clone()].iter().flat_map(|sentence| &sentence.terms).copied().collect();
    terms.sort_unstable();
    terms.dedup_by_key(|term| term.hash);
    let is_shared = |term: &Term| others.binary_search_by_key(&term.hash, |other| other.hash).is_ok();
    let (agreeing, alone): (Vec<Term>, Vec<Term>) = terms.into_iter().partition(is_shared);
    // A translator may use another word than the dictionary.
    let of = |term: &Term| f64::from(term.weight()) * if term.is_of_dictionary() { 0.5 } else { 1.0 };
    (agreeing, alone.iter().map(of).sum())
}

/// True if a bead has Chinese prose.
fn is_prose(pair: Pair<'_>, bead: &Bead) -> bool {
    pair.b[bead[1].clone()].iter().map(|sentence| sentence.dense).sum::<u32>() >= PROSE
}

/// The parts of consecutive beads in which the terms and lengths agree. A part ends at its highest score if the sum
/// falls by [`FALL`] after it; the beads of the fall are in no part. Linear.
fn agreeing_parts(pair: Pair<'_>, beads: &[Bead]) -> Vec<Range<usize>> {
    let score = |bead: &Bead| {
        let by_length = pair.by_length(bead).clamp(BY_LENGTH.0, BY_LENGTH.1);
        let (agreeing, alone) = agreement(pair, bead);
        let weight: u32 = agreeing.iter().map(|term| term.weight()).sum();
        by_length + AGREES * weight as i32 - (f64::from(DISAGREES) * alone) as i32
    };
    let mut parts = Vec::new();
    let (mut start, mut sum, mut highest, mut end) = (0, 0, 0, 0);
    for (place, bead) in beads.iter().enumerate() {
        sum += score(bead);
        if sum > highest {
            (highest, end) = (sum, place + 1);
        }
        if sum <= 0 || highest - sum >= FALL {
            if end > start {
                parts.push(start..end);
            }
            (start, sum, highest, end) = (place + 1, 0, 0, place + 1);
        }
    }
    if end > start {
        parts.push(start..end);
    }
    parts
}

/// How far the terms of beads agree.
#[derive(Default)]
struct Agreeing {
    /// The distinct terms that agree.
    terms: Vec<Term>,
    /// The weight of all that agree,
    weight: u32,
    /// and of those that do not.
    alone: f64,
    /// Number of beads with terms that agree.
    anchored: usize,
}

impl Agreeing {
    fn of(pair: Pair<'_>, beads: &[Bead]) -> Self {
        let mut all = Self::default();
        for bead in beads {
            let (agreeing, alone) = agreement(pair, bead);
            all.weight += agreeing.iter().map(|term| term.weight()).sum::<u32>();
            all.alone += alone;
            all.anchored += usize::from(!agreeing.is_empty());
            all.terms.extend(agreeing);
        }
        all.terms.sort_unstable();
        all.terms.dedup_by_key(|term| term.hash);
        all
    }

    /// The share of the weight that agrees; 1 without terms.
    fn share(&self) -> f64 {
        let whole = f64::from(self.weight) + self.alone;
        if whole == 0.0 { 1.0 } else { f64::from(self.weight) / whole }
    }
}

/// The stretch of some beads; None without enough evidence.
fn proven(pair: Pair<'_>, beads: &[Bead]) -> Option<Stretch> {
    let prose: Vec<Bead> = beads.iter().filter(|bead| is_prose(pair, bead)).cloned().collect();
    let agreeing = Agreeing::of(pair, &prose);
    let weight: u32 = agreeing.terms.iter().map(|term| term.weight()).sum();
    let is_proven = agreeing.terms.len() >= DISTINCT
        && weight >= WEIGHT
        && agreeing.anchored >= ANCHORED
        && agreeing.share() >= AGREEING
        && unevenness(pair, &prose) <= UNEVEN;
    is_proven.then(|| Stretch {
        beads: beads.to_vec(),
        weight,
        confidence: sureness(f64::from(weight), f64::from(WEIGHT), f64::from(CERTAIN)).min(sureness(
            agreeing.share(),
            AGREEING,
            1.0,
        )),
    })
}

/// The beads of each paragraph as one: a bead begins another if a paragraph begins in either text.
fn joined(pair: Pair<'_>, beads: &[Bead]) -> Vec<Bead> {
    let continues = |text: &[Sentence], last: &Range<usize>, next: &Range<usize>| {
        last.end == next.start && text[last.end - 1].paragraph == text[next.start].paragraph
    };
    let mut all: Vec<Bead> = Vec::new();
    for bead in beads {
        match all.last_mut() {
            Some(last) if continues(pair.a, &last[0], &bead[0]) && continues(pair.b, &last[1], &bead[1]) => {
                (last[0].end, last[1].end) = (bead[0].end, bead[1].end);
            }
            _ => all.push(bead.clone()),
        }
    }
    all
}

impl Judge {
    /// Adds the stretches of the current texts that are translations of each other to the judgement; none lies in
    /// `excluded`, ranges of the second text. A passage with words of both languages yields to a stretch. Linear, except
    /// that it sorts the terms.
    pub fn add_translation(&mut self, judgement: &mut Judgement, dictionary: &Dictionary, excluded: &[Range<usize>]) {
        let (a, b) = (self.a.counts(), self.b.counts());
        let Some(chinese) = chinese_of(a.stream, b.stream) else { return };
        let has_chinese = |passage: &Passage| {
            let (stream, span) = if chinese == 0 { (a.stream, &passage.a) } else { (b.stream, &passage.b) };
            let units = &stream.units()[stream.units_in(span.clone())];
            CODE * units.iter().filter(|&&unit| is_han(unit)).count() > units.len()
        };
        let (mixed, code): (Vec<Passage>, Vec<Passage>) =
            std::mem::take(&mut judgement.passages).into_iter().partition(has_chinese);
        let blocked = |text: Counts<'_>, spans: &mut dyn Iterator<Item = Range<usize>>| {
            let mut blocked: Vec<bool> = text.counted().iter().map(|&counted| counted == 0).collect();
            spans.for_each(|span| blocked[text.stream.units_in(span)].fill(true));
            blocked
        };
        let blocked_a = blocked(a, &mut code.iter().map(|passage| passage.a.clone()));
        let blocked_b = blocked(b, &mut code.iter().map(|passage| passage.b.clone()).chain(excluded.iter().cloned()));
        let texts = [read(a.stream, &blocked_a, dictionary), read(b.stream, &blocked_b, dictionary)];
        let foreign = 1 - chinese;
        let translated = stretches(&texts[foreign], &texts[chinese]);
        let translation = translation_of([a, b], &texts, foreign, &translated);
        let mut covered = [Vec::new(), Vec::new()];
        let passages = || translation.iter().flat_map(|translation| &translation.passages);
        a.stream.cover(passages().map(|passage| passage.a.clone()), &mut covered[0]);
        b.stream.cover(passages().map(|passage| passage.b.clone()), &mut covered[1]);
        let yields = |passage: &Passage| {
            covered[0][a.stream.units_in(passage.a.clone())].contains(&true)
                || covered[1][b.stream.units_in(passage.b.clone())].contains(&true)
        };
        let count = mixed.len() + code.len();
        judgement.passages = code.into_iter().chain(mixed).filter(|passage| !yields(passage)).collect();
        judgement.passages.sort_by_key(|passage| passage.b.start);
        if judgement.passages.len() < count {
            let [share_a, own_a] = self.a.cover(judgement.passages.iter().map(|passage| passage.a.clone()));
            let [share_b, own_b] = self.b.cover(judgement.passages.iter().map(|passage| passage.b.clone()));
            judgement.shares = [share_a, share_b];
            judgement.own_words = [own_a, own_b];
        }
        judgement.translation = translation;
    }
}

/// A passage is code if fewer than one of this many units are Han characters.
const CODE: usize = 10;

fn translation_of(
    counts: [Counts<'_>; 2],
    texts: &[Vec<Sentence>; 2],
    foreign: usize,
    stretches: &[Stretch],
) -> Option<Translation> {
    let pair = Pair { a: &texts[foreign], b: &texts[1 - foreign] };
    let mut passages = Vec::new();
    let mut places: [Vec<Range<usize>>; 2] = [Vec::new(), Vec::new()];
    for bead in stretches.iter().flat_map(|stretch| joined(pair, &stretch.beads)) {
        let ends = |text: usize| {
            let range = &bead[usize::from(text != foreign)];
            (&texts[text][range.start], &texts[text][range.end - 1])
        };
        let [of_a, of_b] = [ends(0), ends(1)].map(|(first, last)| first.units.start..last.units.end);
        let [span_a, span_b] = [ends(0), ends(1)].map(|(first, last)| first.span.start..last.span.end);
        let (agreeing, _) = agreement(pair, &bead);
        let matched = agreeing.iter().map(|term| term.units).sum::<u32>().min(of_a.len().min(of_b.len()) as u32);
        let edits = Edits::of_lengths(of_a.len(), of_b.len(), matched, 0);
        passages.push(Passage {
            a: span_a,
            b: span_b,
            edits,
            marked: edits,
            change: Change { kind: Kind::Translated, script: 0, noise: 0 },
            moved: false,
            is_of_content: true,
        });
        places[0].push(of_a);
        places[1].push(of_b);
    }
    passages.sort_by_key(|passage: &Passage| passage.b.start);
    let starts: Vec<usize> = passages.iter().map(|passage| passage.a.start).collect();
    passages.iter_mut().zip(moved(&starts)).for_each(|(passage, moved)| passage.moved = moved);
    let surest = stretches.iter().map(|stretch| stretch.confidence).max_by(f64::total_cmp)?;
    Some(Translation {
        passages,
        shares: [counts[0].share(&places[0])[0], counts[1].share(&places[1])[0]],
        weight: stretches.iter().map(|stretch| stretch.weight).sum(),
        confidence: surest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::pair::{InputText, LeaveOut, new_names};
    use crate::align::relation::Relation;

    const REPORT: &str = "渔港管理局3月18日公布，2023年全港共有渔船1875艘，其中远洋渔船264艘。\n\
                          冰厂全年产冰5.3万吨，供应船只9420艘次。\n港区新建的第7号码头长315米，投资2.4亿元。";
    const TRANSLATION: &str = "The port authority announced on March 18 that the harbor had 1,875 boats in 2023, 264 of \
                               them ocean-going.\nIn that year the ice plant made 53,000 tonnes of ice for 9,420 \
                               vessels.\nThe new quay No. 7 in the harbor is 315 metres long and cost 240 million yuan.";
    const OTHER_YEAR: &str = "The port authority announced on April 2 that the harbor had 1,902 boats in 2024, 251 of \
                              them ocean-going.\nIn that year the fish factory processed 61,000 tonnes for 310 vessels.";

    fn translation(a: &str, b: &str) -> (Relation, Option<Translation>) {
        let [a, b] = [a, b].map(|text| text.chars().map(u32::from).collect::<Vec<_>>());
        let (mut judge, name) = (Judge::default(), new_names());
        let input = |place, text| InputText::plain((name, place), text);
        let mut judgement = judge.judge(input(0, &a), input(1, &b), LeaveOut::default(), &[]);
        judge.add_translation(&mut judgement, &Dictionary::default(), &[]);
        let relation = judge.outline(&mut judgement).related.relation;
        (relation, judgement.translation)
    }

    #[test]
    fn paragraphs_of_a_translation_are_aligned_in_both_directions() {
        for (a, b) in [(REPORT, TRANSLATION), (TRANSLATION, REPORT)] {
            let (relation, translation) = translation(a, b);
            let translation = translation.expect("a translation");
            assert_eq!((relation, translation.passages.len()), (Relation::Translation, 3));
            assert!(translation.shares.iter().all(|share| share.covered == share.counted), "{translation:?}");
        }
    }

    #[test]
    fn other_facts_and_one_language_are_no_translation() {
        assert_eq!(translation(REPORT, OTHER_YEAR), (Relation::Unrelated, None));
        assert_eq!(translation(TRANSLATION, OTHER_YEAR).1, None);
        assert_eq!(translation(REPORT, ""), (Relation::Unrelated, None));
    }

    #[test]
    fn moved_paragraphs_and_what_lies_between_translated_text_are_aligned() {
        let chinese: Vec<String> = (0..9)
            .map(|place| format!("渔港第{}号码头长{}米，投资{}万元。", place + 2, 300 + 7 * place, 91 + place))
            .collect();
        let english: Vec<String> = (0..9)
            .map(|place| format!("Quay No. {} is {} metres long, for {}0,000.", place + 2, 300 + 7 * place, 91 + place))
            .collect();
        let moved = [&chinese[5..], &chinese[..5]].concat().join("\n");
        let aligned = translation(&english.join("\n"), &moved).1.expect("a translation");
        assert_eq!(aligned.passages.len(), 9);
        let starts: Vec<usize> = aligned.passages.iter().map(|passage| passage.a.start).collect();
        assert!(starts[4] < starts[3] && starts[..4].is_sorted() && starts[4..].is_sorted());
        let plain = "船东们一早就赶来加冰，码头上很热闹。";
        let its_translation = "The boat owners came early for the ice, and the quay was crowded.";
        let with = |sentences: &[String], plain: &str| {
            format!("{}\n{}\n{}", sentences[..5].join("\n"), [plain; 20].join("\n"), sentences[5..].join("\n"))
        };
        let aligned = translation(&with(&english, its_translation), &with(&chinese, plain)).1.expect("a translation");
        assert_eq!(aligned.passages.len(), 29);
    }
}
