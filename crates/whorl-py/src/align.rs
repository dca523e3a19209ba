//! Python bindings for pairwise comparison.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use rayon::prelude::*;
use whorl_core::align::facts::Facts;
use whorl_core::align::letters::LETTERS;
use whorl_core::align::outline::{Changes, Outline};
use whorl_core::align::pair::{InputText, Judge, Judgement, LeaveOut, Share, Side, Stream};
use whorl_core::align::relation::{Derived, Relation};
use whorl_core::align::sources::settle;
use whorl_core::align::translation::{Dictionary, Translation};
use whorl_core::align::{DENSE_FROM, Passage};
use whorl_core::text::frame::Role;
use whorl_core::text::{Text, TextBlock};

use crate::boilerplate::Boilerplate;
use crate::texts::Texts;
use crate::threads::Compute;

/// A passage as a Python tuple; the order of the fields is part of the interface.
#[derive(Clone, IntoPyObject)]
pub(crate) struct PassageRow(usize, usize, usize, usize, f64, &'static str, bool, u32, u32, u32, u32, u32, u32, u32);

impl PassageRow {
    /// Both ranges; matched, replaced, homophones, inserted, deleted, in the other script, noise; similarity; kind;
    /// whether it moved.
    pub(crate) fn columns(&self) -> ([u32; 4], [u32; 7], f64, &'static str, bool) {
        let &Self(a_start, a_end, b_start, b_end, similarity, kind, moved, ..) = self;
        let &Self(.., matched, replaced, homophones, inserted, deleted, script, noise) = self;
        let range = [a_start, a_end, b_start, b_end].map(|offset| offset as u32);
        let edits = [matched, replaced, homophones, inserted, deleted, script, noise];
        (range, edits, similarity, kind, moved)
    }
}

/// Change counts as a Python tuple; the order of the fields is part of the interface.
type ChangesRow = (Option<bool>, bool, u32, u32, u32, u32, u32, u32, u32, u32);

/// Counts of one of two compared texts, in folded code points.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub struct JudgedText {
    /// Code points of the body.
    counted: u32,
    /// Code points of the body that lie in passages.
    covered: u32,
    /// Covered code points that are copied: equal, in closely matching sentences.
    copied: u32,
    /// Covered code points that are marked as quotations.
    quoted: u32,
    /// Covered code points outside quotations and references.
    own_covered: u32,
    /// Invisible characters outside manifests.
    hidden: u32,
    /// Characters of manifests of origin.
    manifest: u32,
    /// Characters replaced by look-alikes.
    look_alikes: u32,
}

/// Result of comparing two texts.
#[pyclass(frozen, get_all)]
pub struct Judged {
    /// Distinct shingles shared by both texts, of the first, of the second.
    shingles: (u32, u32, u32),
    /// Name of the relation between the texts.
    relation: &'static str,
    /// Which text derives from the other, if that is clear.
    direction: Option<&'static str>,
    /// Confidence of the relation.
    confidence: f64,
    /// Matching numbers, differing numbers, and slots with different words.
    facts: (u32, u32, u32),
    passages: Vec<PassageRow>,
    /// Code points of the bodies of the first and the second text that are translated from the other.
    translated: (u32, u32),
    /// Reasons why passages were dropped, each with its number of equal code points.
    dropped: Vec<(&'static str, u32)>,
    changes: ChangesRow,
    a: JudgedText,
    b: JudgedText,
    /// Folded code points of the second text that lie in passages and in quotations without a cited source.
    quoted_uncited: u32,
    /// True if the second text is in a dense script, such as Han, where a code point carries more than a letter.
    is_dense: bool,
    /// Amount of the second text in quotations, references and boilerplate.
    of_roles: (usize, usize, usize),
    /// Homophones that deliberately replace other characters.
    deliberate_homophones: u32,
}

/// The figures that decide whether two texts match.
type Figures = (f64, f64, f64, &'static str, Option<&'static str>, (f64, f64), u32);

#[pymethods]
impl Judged {
    /// Returns the similarity, the share of the first text in the second and the reverse, the relation, the direction,
    /// the copied shares of both texts, and the equal folded code points of all passages.
    fn figures(&self) -> Figures {
        let (shared, of_a, of_b) = self.shingles;
        let similarity = share_of(shared, of_a + of_b - shared);
        let [copied_a, _, copied_b, _, _] = self.shares();
        let matched = self.passages.iter().map(|row| row.7).sum();
        let shares = (share_of(shared, of_a), share_of(shared, of_b));
        (similarity, shares.0, shares.1, self.relation, self.direction, (copied_a, copied_b), matched)
    }
}

impl Judged {
    pub(crate) fn relation(&self) -> &'static str {
        self.relation
    }

    pub(crate) fn direction(&self) -> Option<&'static str> {
        self.direction
    }

    pub(crate) fn passages(&self) -> &[PassageRow] {
        &self.passages
    }

    /// Copied and reworded shares of the first text and of the second, and the confidence.
    pub(crate) fn shares(&self) -> [f64; 5] {
        let of = |text: &JudgedText| {
            let reworded = text.covered.saturating_sub(text.copied);
            (share_of(text.copied, text.counted), share_of(reworded, text.counted))
        };
        let ((copied_a, reworded_a), (copied_b, reworded_b)) = (of(&self.a), of(&self.b));
        [copied_a, reworded_a, copied_b, reworded_b, self.confidence]
    }
}

fn share_of(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { f64::from(part) / f64::from(whole) }
}

/// The space between Han characters.
const WIDE_SPACE: u32 = 0x3000;

/// Below this many code points, waking other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 12;
/// From this many on, recurring texts are worth the memory of a cache, which is freed after the call.
const WORTH_CACHING: usize = 1 << 17;
/// The longest text, in code points, whose buffers are kept for the next call.
const ROOM: usize = 1 << 20;

thread_local! {
    static JUDGE: RefCell<Judge> = RefCell::default();
}

/// A block of texts to compare, with the ranges to ignore.
#[pyclass(frozen)]
pub struct Comparer {
    /// Unique per comparer, so that a judge can recognize texts it has already read.
    name: u64,
    texts: Texts,
    /// Whether each text is in a dense script; computed on first use.
    are_dense: Vec<OnceLock<bool>>,
    boilerplate: Vec<Vec<Range<usize>>>,
    learned: Option<Py<Boilerplate>>,
    leave_out: LeaveOut,
    dictionary: Dictionary,
}

#[pymethods]
impl Comparer {
    /// `boilerplate` has the boilerplate ranges of each text, or no entries at all. Runs in `learned` are detected as
    /// well. `terms` are pairs of terms in two languages.
    #[new]
    #[pyo3(signature = (texts, boilerplate, learned, quotations, references, min_equal, terms = Vec::new()))]
    fn new(
        texts: Texts,
        boilerplate: Vec<Vec<(usize, usize)>>,
        learned: Option<Py<Boilerplate>>,
        quotations: bool,
        references: bool,
        min_equal: u32,
        terms: Vec<(String, String)>,
    ) -> Self {
        static NAMES: AtomicU64 = AtomicU64::new(0);
        let ranges = |spans: Vec<(usize, usize)>| spans.into_iter().map(|(start, end)| start..end).collect();
        let boilerplate = boilerplate.into_iter().map(ranges).collect();
        let name = NAMES.fetch_add(1, Ordering::Relaxed);
        let dictionary = Dictionary::of(terms.iter().map(|(first, second)| (first.as_str(), second.as_str())));
        Self {
            name,
            are_dense: (0..texts.len()).map(|_| OnceLock::new()).collect(),
            texts,
            boilerplate,
            learned,
            leave_out: LeaveOut { quotations, references, min_equal },
            dictionary,
        }
    }

    /// Compares pairs of texts, identified by index, in parallel. With `content`, sentences are aligned by their
    /// content where texts have hardly a passage in common; with `translation`, also where one is in another language.
    #[pyo3(signature = (pairs, content = false, translation = false))]
    fn pairs(&self, py: Python<'_>, pairs: Vec<(usize, usize)>, content: bool, translation: bool) -> Vec<Judged> {
        let compare_one = |judge: &mut Judge, pair: (usize, usize), recur: [bool; 2]| {
            let mut judgement = self.judge(judge, pair, recur, &[]);
            if content {
                judge.add_content(&mut judgement, self.leave_out.min_equal);
            }
            if translation {
                judge.add_translation(&mut judgement, &self.dictionary, &[]);
            }
            judged(judge, judgement)
        };
        py.compute(|| self.for_each_pair(&pairs, compare_one))
    }

    /// Compares a text with each of its sources, so that no stretch of it is attributed to two of them: first what is
    /// copied, then what is translated. Sources without an attributed stretch yield None.
    fn sources(&self, py: Python<'_>, sources: Vec<usize>, text: usize) -> Vec<Option<Judged>> {
        py.compute(|| {
            let pairs: Vec<(usize, usize)> = sources.into_iter().map(|source| (source, text)).collect();
            let alone = self.for_each_pair(&pairs, |judge, pair, recur| {
                let mut judgement = self.judge(judge, pair, recur, &[]);
                let claims = judge.b.claims(&judgement.passages);
                let result = judged(judge, judgement.clone());
                judge.add_translation(&mut judgement, &self.dictionary, &[]);
                let weight = judgement.translation.map(|translation| translation.weight);
                (result, claims, judge.b.length(), weight)
            });
            let length = alone.first().map_or(0, |&(_, _, length, _)| length);
            let mut translated: Vec<(u32, usize)> = Vec::new();
            translated.extend(alone.iter().zip(0..).filter_map(|(&(.., weight), source)| Some((weight?, source))));
            let (mut all, claims): (Vec<Judged>, Vec<_>) =
                alone.into_iter().map(|(result, claims, ..)| (result, claims)).unzip();
            let mut judge = Judge::default();
            let mut having = settle(&claims, length, |source, claimed| {
                let judgement = self.judge(&mut judge, pairs[source], [false; 2], claimed);
                all[source] = judged(&mut judge, judgement);
                judge.b.covered().to_vec()
            });
            // The best evidence first.
            translated.sort_unstable_by_key(|&(weight, source)| (Reverse(weight), source));
            for (_, source) in translated {
                let others = (0..all.len()).filter(|&other| having[other] && other != source);
                let excluded: Vec<Range<usize>> =
                    others.flat_map(|other| all[other].passages.iter().map(|row| row.2..row.3)).collect();
                self.judge(&mut judge, pairs[source], [false; 2], &[]);
                let claimed = judge.b.within(&excluded);
                let mut judgement = self.judge(&mut judge, pairs[source], [false; 2], &claimed);
                judge.add_translation(&mut judgement, &self.dictionary, &excluded);
                having[source] |= judgement.translation.is_some();
                all[source] = judged(&mut judge, judgement);
            }
            all.into_iter().zip(having).map(|(result, has)| has.then_some(result)).collect()
        })
    }

    /// Compares many texts, each with sources of its own, in parallel. Returns for each text its sources with passages:
    /// the source, the comparison with it alone, whether a stretch of the text is attributed to it, and the comparison
    /// on that stretch unless it is the same.
    ///
    /// The minimum length of a passage applies to texts in dense scripts; other texts need three times as much. Shingles
    /// are not counted. With `content`, sources with the same content are returned as well; no stretch is attributed to
    /// them for it.
    #[pyo3(signature = (texts, content = false))]
    fn examine(&self, py: Python<'_>, texts: Vec<(usize, Vec<usize>)>, content: bool) -> Vec<Vec<Examined>> {
        let examine =
            |judge: &mut Judge, (text, sources): &(usize, Vec<usize>)| self.examine_one(judge, *text, sources, content);
        py.compute(|| texts.par_iter().map_init(Judge::default, examine).collect())
    }
}

/// A source with a passage: its number, the comparison with it alone, whether it has a stretch of the text, and the
/// comparison on that stretch if it differs.
type Examined = (usize, Judged, bool, Option<Judged>);

impl Comparer {
    fn examine_one(&self, judge: &mut Judge, text: usize, sources: &[usize], content: bool) -> Vec<Examined> {
        let leave_out = self.leave_out_of(text);
        let mut alone = Vec::new();
        let mut claims = Vec::new();
        let mut length = 0;
        for &source in sources {
            let mut judgement = self.judge_with(judge, (source, text), [false; 2], &[], leave_out);
            let claimed = judge.b.claims(&judgement.passages);
            if content {
                judge.add_content(&mut judgement, leave_out.min_equal);
            }
            if judgement.passages.is_empty() {
                continue;
            }
            claims.push(claimed);
            length = judge.b.length();
            alone.push((source, judged_with(judge, judgement, false)));
        }
        let mut again: Vec<Option<Judged>> = alone.iter().map(|_| None).collect();
        let having = settle(&claims, length, |place, claimed| {
            let judgement = self.judge_with(judge, (alone[place].0, text), [false; 2], claimed, leave_out);
            again[place] = Some(judged_with(judge, judgement, false));
            judge.b.covered().to_vec()
        });
        let settled = having.into_iter().zip(again);
        alone.into_iter().zip(settled).map(|((source, judged), (has, again))| (source, judged, has, again)).collect()
    }

    /// Compares pairs of texts in parallel, with the minimum length of a passage by the script of the second text, and
    /// without counting shingles. With `content`, sentences are aligned by their content as for `pairs`.
    pub(crate) fn judge_by_script(&self, pairs: &[(usize, usize)], content: bool) -> Vec<Judged> {
        self.for_each_pair(pairs, |judge, pair, recur| {
            let leave_out = self.leave_out_of(pair.1);
            let mut judgement = self.judge_with(judge, pair, recur, &[], leave_out);
            if content {
                judge.add_content(&mut judgement, leave_out.min_equal);
            }
            judged_with(judge, judgement, false)
        })
    }

    /// What is left out of a text, with the minimum length of a passage in its script.
    fn leave_out_of(&self, text: usize) -> LeaveOut {
        let is_dense = *self.are_dense[text].get_or_init(|| self.texts.with_text(text, is_dense));
        let min_equal = self.leave_out.min_equal;
        LeaveOut { min_equal: if is_dense { min_equal } else { min_equal.saturating_mul(LETTERS) }, ..self.leave_out }
    }

    /// Applies `judge` to each pair, in parallel if the pairs are long enough in total. Results are in input order.
    /// `judge` also learns which texts occur in a later pair, so that it can cache them.
    fn for_each_pair<R: Send>(
        &self,
        pairs: &[(usize, usize)],
        judge: impl Fn(&mut Judge, (usize, usize), [bool; 2]) -> R + Sync,
    ) -> Vec<R> {
        let mut last_pairs = vec![0; self.texts.len()];
        pairs.iter().enumerate().for_each(|(number, &(a, b))| (last_pairs[a], last_pairs[b]) = (number, number));
        let judge = |judging: &mut Judge, number: usize, caches: bool| {
            let (a, b) = pairs[number];
            judge(judging, (a, b), [a, b].map(|text| caches && last_pairs[text] > number))
        };
        let length = |text: usize| self.texts.with_text(text, |text| text.length());
        let length = |&(a, b): &(usize, usize)| length(a) + length(b);
        let total: usize = pairs.iter().map(length).sum();
        let with_judge_of_thread = |number: usize, caches: bool| {
            JUDGE.with_borrow_mut(|kept| {
                let judgement_row = judge(kept, number, caches);
                if kept.a.length().max(kept.b.length()) > ROOM {
                    *kept = Judge::default();
                }
                judgement_row
            })
        };
        let is_little = total < if rayon::current_num_threads() > 1 { WORTH_SHARING } else { WORTH_CACHING };
        if pairs.len() < 2 || is_little {
            return (0..pairs.len()).map(|number| with_judge_of_thread(number, true)).collect();
        }
        if total < WORTH_CACHING {
            // Nothing is cached: another thread may compare the last pair of a text, and would not free it here.
            return (0..pairs.len()).into_par_iter().map(|number| with_judge_of_thread(number, false)).collect();
        }
        // One judge per thread; it caches recurring texts until all pairs are compared.
        let judges: Vec<Mutex<Judge>> = (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect();
        let together = |number: usize| {
            let thread = rayon::current_thread_index().unwrap_or(judges.len() - 1);
            judge(&mut judges[thread].lock().unwrap_or_else(PoisonError::into_inner), number, true)
        };
        (0..pairs.len()).into_par_iter().map(together).collect()
    }

    fn judge(&self, judge: &mut Judge, pair: (usize, usize), recur: [bool; 2], claimed: &[bool]) -> Judgement {
        self.judge_with(judge, pair, recur, claimed, self.leave_out)
    }

    fn judge_with(
        &self,
        judge: &mut Judge,
        (a, b): (usize, usize),
        recur: [bool; 2],
        claimed: &[bool],
        leave_out: LeaveOut,
    ) -> Judgement {
        let boilerplate = [a, b].map(|number| move |stream: &Stream| self.boilerplate_of(number, stream));
        self.texts.with_text(a, |text_a| {
            self.texts.with_text(b, |text_b| {
                let a =
                    InputText { name: (self.name, a), text: text_a, boilerplate: &boilerplate[0], recurs: recur[0] };
                let b =
                    InputText { name: (self.name, b), text: text_b, boilerplate: &boilerplate[1], recurs: recur[1] };
                judge.judge(a, b, leave_out, claimed)
            })
        })
    }

    fn boilerplate_of(&self, number: usize, stream: &Stream) -> Vec<Range<usize>> {
        let mut ranges = self.boilerplate.get(number).cloned().unwrap_or_default();
        ranges.extend(self.learned.iter().flat_map(|learned| learned.get().0.ranges_in(stream)));
        ranges
    }
}

/// True if a quarter of a text without white space is dense: indented text is no less dense.
fn is_dense(text: Text<'_>) -> bool {
    let mut counts = [0_usize; 2];
    let mut count = |code_point: u32| {
        counts[0] += usize::from(code_point >= DENSE_FROM && code_point != WIDE_SPACE);
        counts[1] += usize::from(code_point > u32::from(' ') && code_point != WIDE_SPACE);
    };
    match text {
        Text::Utf8(text) => text.chars().for_each(|character| count(character.into())),
        Text::CodePoints(text) => text.iter().for_each(|&code_point| count(code_point)),
    }
    4 * counts[0] > counts[1]
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

fn judged(judge: &mut Judge, judgement: Judgement) -> Judged {
    judged_with(judge, judgement, true)
}

/// The result of a comparison; counting shingles, which takes a third of the time, is optional.
fn judged_with(judge: &mut Judge, mut judgement: Judgement, with_shingles: bool) -> Judged {
    let Outline { related, changes, deliberate_homophones } = judge.outline(&mut judgement);
    // Shingles consist of words, and texts of equal letters can be divided into words differently.
    let across_spaces = match related.relation {
        Relation::Exact => Some([1; 3]),
        Relation::NearDuplicate => judge.runs_across_spaces(),
        _ => None,
    };
    let [shared, of_a, of_b] = across_spaces.unwrap_or_else(|| if with_shingles { judge.shingles() } else { [0; 3] });
    let (shares, own_words, evidence) = (judgement.shares, judgement.own_words, related.evidence);
    let Facts { agreeing, differing, other_words, .. } = evidence.facts;
    let of_role = |role: Role| {
        let of_role = judge.b.roles.iter().filter(|(other, _)| *other == role);
        of_role.map(|(_, range)| range.len()).sum()
    };
    let translation = judgement.translation.take();
    let mut passages: Vec<PassageRow> = judgement.passages.iter().map(passage).collect();
    passages.extend(translation.iter().flat_map(|translation| translation.passages.iter().map(passage)));
    passages.sort_by_key(|row| row.2);
    let translated = translation.map_or((0, 0), |Translation { shares: [a, b], .. }| (a.covered, b.covered));
    Judged {
        shingles: (shared, of_a, of_b),
        relation: related.relation.name(),
        direction: related.derived.map(Derived::name),
        confidence: related.confidence,
        facts: (agreeing, differing, other_words),
        passages,
        translated,
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
        manifest: side.manifest,
        look_alikes: side.look_alikes,
    }
}
