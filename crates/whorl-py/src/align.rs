//! Comparisons for Python.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::Passage;
use whorl_core::align::facts::Facts;
use whorl_core::align::outline::{Changes, Outline};
use whorl_core::align::pair::{Given, Judge, Judgement, LeaveOut, Share, Side, Stream};
use whorl_core::align::relation::{Derived, Relation};
use whorl_core::align::sources::settle;
use whorl_core::text::TextBlock;
use whorl_core::text::frame::Role;

use crate::boilerplate::Boilerplate;
use crate::texts::Texts;
use crate::threads::Compute;

/// What a passage of Python is made of, in the order of its fields.
#[derive(Clone, IntoPyObject)]
struct PassageRow(usize, usize, usize, usize, f64, &'static str, bool, u32, u32, u32, u32, u32, u32, u32);

/// What the changes of Python are made of, in the order of their fields.
type ChangesRow = (Option<bool>, bool, u32, u32, u32, u32, u32, u32, u32, u32);

/// What was judged of one of two texts, in folded code points.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct JudgedText {
    /// Of the body.
    counted: u32,
    /// Of those, in passages.
    covered: u32,
    /// Of those, copied: in close sentences.
    copied: u32,
    /// Of those, marked as quoted.
    quoted: u32,
    /// Of those in passages, neither in quotations nor in references.
    own_covered: u32,
    /// Invisible characters.
    hidden: u32,
    /// Characters that stand in for others.
    look_alikes: u32,
}

/// What was judged of two texts.
#[pyclass(frozen, get_all)]
pub struct Judged {
    /// Distinct shingles of both texts, of the first, of the second.
    shingles: (u32, u32, u32),
    /// What they are to each other.
    relation: &'static str,
    /// Which one derives from the other.
    direction: Option<&'static str>,
    /// How sure the relation is.
    confidence: f64,
    /// Numbers that agree, numbers that differ, slots with other words.
    facts: (u32, u32, u32),
    passages: Vec<PassageRow>,
    /// Why passages are not reported, each with its equal code points.
    dropped: Vec<(&'static str, u32)>,
    changes: ChangesRow,
    a: JudgedText,
    b: JudgedText,
    /// How much of the second text lies in passages and in quotations that name no source, in folded code points.
    quoted_uncited: u32,
    /// Whether the second text is of a script that says much with one code point.
    is_dense: bool,
    /// How much of the second text is quotations, references, boilerplate.
    of_roles: (usize, usize, usize),
    /// Homophones that were put in the place of other characters on purpose.
    deliberate_homophones: u32,
}

/// Comparisons of fewer code points are faster on one core than the others are woken.
const WORTH_SHARING: usize = 1 << 17;
/// The longest text whose room is kept for the next call, in code points.
const ROOM: usize = 1 << 20;

thread_local! {
    static JUDGE: RefCell<Judge> = RefCell::default();
}

/// Texts to be compared, and what is left out of them.
#[pyclass(frozen)]
pub struct Comparer {
    /// No other comparer has it, so that a judge knows the texts that it has read.
    name: u64,
    texts: Texts,
    boilerplate: Vec<Vec<Range<usize>>>,
    learned: Option<Py<Boilerplate>>,
    leave_out: LeaveOut,
}

#[pymethods]
impl Comparer {
    /// `boilerplate` has the ranges of each text that are some, or no entry for any; what was `learned` is found.
    #[new]
    fn new(
        texts: Texts,
        boilerplate: Vec<Vec<(usize, usize)>>,
        learned: Option<Py<Boilerplate>>,
        quotations: bool,
        references: bool,
        least: u32,
    ) -> Self {
        static NAMES: AtomicU64 = AtomicU64::new(0);
        let ranges = |spans: Vec<(usize, usize)>| spans.into_iter().map(|(start, end)| start..end).collect();
        let boilerplate = boilerplate.into_iter().map(ranges).collect();
        let name = NAMES.fetch_add(1, Ordering::Relaxed);
        Self { name, texts, boilerplate, learned, leave_out: LeaveOut { quotations, references, least } }
    }

    /// Judges pairs of texts, given by their numbers, in parallel.
    fn pairs(&self, py: Python<'_>, pairs: Vec<(usize, usize)>) -> Vec<Judged> {
        let one = |judge: &mut Judge, pair: (usize, usize), recur: [bool; 2]| {
            let judgement = self.judge(judge, pair, recur, &[]);
            judged(judge, judgement)
        };
        py.compute(|| self.each(&pairs, one))
    }

    /// Judges one text beside each of its sources, so that no stretch of it belongs to two; None for those without any.
    fn sources(&self, py: Python<'_>, sources: Vec<usize>, text: usize) -> Vec<Option<Judged>> {
        py.compute(|| {
            let pairs: Vec<(usize, usize)> = sources.into_iter().map(|source| (source, text)).collect();
            let alone = self.each(&pairs, |judge, pair, recur| {
                let judgement = self.judge(judge, pair, recur, &[]);
                let claims = judge.b.claims(&judgement.passages);
                (judged(judge, judgement), claims, judge.b.length())
            });
            let length = alone.first().map_or(0, |&(_, _, length)| length);
            let (mut all, claims): (Vec<Judged>, Vec<_>) =
                alone.into_iter().map(|(one, claims, _)| (one, claims)).unzip();
            let mut judge = Judge::default();
            let having = settle(&claims, length, |source, taken| {
                let judgement = self.judge(&mut judge, pairs[source], [false; 2], taken);
                all[source] = judged(&mut judge, judgement);
                judge.b.covered().to_vec()
            });
            all.into_iter().zip(having).map(|(one, has)| has.then_some(one)).collect()
        })
    }
}

impl Comparer {
    /// What `judge` makes of each pair, in their order; in parallel where they are long enough together. It is told which
    /// of both texts recur in a later pair.
    fn each<R: Send>(
        &self,
        pairs: &[(usize, usize)],
        judge: impl Fn(&mut Judge, (usize, usize), [bool; 2]) -> R + Sync,
    ) -> Vec<R> {
        let mut last_pairs = vec![0; self.texts.len()];
        pairs.iter().enumerate().for_each(|(number, &(a, b))| (last_pairs[a], last_pairs[b]) = (number, number));
        let judge = |judging: &mut Judge, number: usize| {
            let (a, b) = pairs[number];
            judge(judging, (a, b), [a, b].map(|text| last_pairs[text] > number))
        };
        let length = |text: usize| self.texts.with_text(text, |text| text.length());
        let length = |&(a, b): &(usize, usize)| length(a) + length(b);
        if pairs.len() < 2 || pairs.iter().map(length).sum::<usize>() < WORTH_SHARING {
            let alone = |number: usize| {
                JUDGE.with_borrow_mut(|kept| {
                    let made = judge(kept, number);
                    if kept.a.length().max(kept.b.length()) > ROOM {
                        *kept = Judge::default();
                    }
                    made
                })
            };
            return (0..pairs.len()).map(alone).collect();
        }
        // One a thread, which keeps the texts that recur until all pairs are judged.
        let judges: Vec<Mutex<Judge>> = (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        let together = |number: usize| {
            let thread = rayon::current_thread_index().unwrap_or(judges.len() - 1);
            judge(&mut judges[thread].lock().unwrap_or_else(PoisonError::into_inner), number)
        };
        (0..pairs.len()).into_par_iter().map(together).collect()
    }

    fn judge(&self, judge: &mut Judge, (a, b): (usize, usize), recur: [bool; 2], taken: &[bool]) -> Judgement {
        let boilerplate = [a, b].map(|number| move |stream: &Stream| self.boilerplate_of(number, stream));
        self.texts.with_code_points(a, |text_a| {
            self.texts.with_code_points(b, |text_b| {
                let a = Given { name: (self.name, a), text: text_a, boilerplate: &boilerplate[0], recurs: recur[0] };
                let b = Given { name: (self.name, b), text: text_b, boilerplate: &boilerplate[1], recurs: recur[1] };
                judge.judge(a, b, self.leave_out, taken)
            })
        })
    }

    fn boilerplate_of(&self, number: usize, stream: &Stream) -> Vec<Range<usize>> {
        let mut ranges = self.boilerplate.get(number).cloned().unwrap_or_default();
        ranges.extend(self.learned.iter().flat_map(|learned| learned.get().0.ranges_in(stream)));
        ranges
    }
}

fn passage(passage: &Passage) -> PassageRow {
    let Passage { a, b, marked, change, moved, .. } = passage;
    let kind = change.kind.name();
    PassageRow(
        a.start,
        a.end,
        b.start,
        b.end,
        marked.similarity(),
        kind,
        *moved,
        marked.matched,
        marked.replaced,
        marked.homophones,
        marked.inserted,
        marked.deleted,
        change.script,
        change.noise,
    )
}

fn judged(judge: &mut Judge, mut judgement: Judgement) -> Judged {
    let Outline { related, changes, deliberate_homophones } = judge.outline(&mut judgement);
    // Shingles are runs of words: texts of equal letters can be cut into words differently.
    let across_spaces = match related.relation {
        Relation::Exact => Some([1; 3]),
        Relation::NearDuplicate => judge.runs_across_spaces(),
        _ => None,
    };
    let [shared, of_a, of_b] = across_spaces.unwrap_or_else(|| judge.shingles());
    let (shares, own_words, evidence) = (judgement.shares, judgement.own_words, related.evidence);
    let Facts { agreeing, differing, other_words, .. } = evidence.facts;
    let of_role = |role: Role| {
        let of_role = judge.b.roles.iter().filter(|(other, _)| *other == role);
        of_role.map(|(_, range)| range.len()).sum()
    };
    Judged {
        shingles: (shared, of_a, of_b),
        relation: related.relation.name(),
        direction: related.derived.map(Derived::name),
        confidence: related.confidence,
        facts: (agreeing, differing, other_words),
        passages: judgement.passages.iter().map(passage).collect(),
        dropped: judgement.dropped,
        changes: changes_row(changes),
        a: judged_text(&judge.a, shares[0], own_words[0], (evidence.copied[0].covered, evidence.quoted[0])),
        b: judged_text(&judge.b, shares[1], own_words[1], (evidence.copied[1].covered, evidence.quoted[1])),
        quoted_uncited: judge.b.quoted_uncited(),
        is_dense: judge.b.dense,
        of_roles: (of_role(Role::Quotation), of_role(Role::Reference), of_role(Role::Boilerplate)),
        deliberate_homophones,
    }
}

fn changes_row(changes: Changes) -> ChangesRow {
    let [characters, homophones, look_alikes, script, noise, order, inserted, deleted] = changes.counts;
    (changes.title, changes.byline, characters, homophones, look_alikes, script, noise, order, inserted, deleted)
}

fn judged_text(side: &Side, share: Share, own_words: Share, (copied, quoted): (u32, u32)) -> JudgedText {
    JudgedText {
        counted: share.counted,
        covered: share.covered,
        copied,
        quoted,
        own_covered: own_words.covered,
        hidden: side.hidden,
        look_alikes: side.look_alikes,
    }
}
