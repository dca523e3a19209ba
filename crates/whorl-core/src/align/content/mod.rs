//! Detection of rewritten texts: the same content, although hardly a clause is the same.
//!
//! # Problem
//!
//! A careful rewrite keeps the facts of an article and recasts every sentence. Its longest equal runs are names and
//! numbers, which texts on one subject share as well, so no passage proves it.
//!
//! # Choice
//!
//! Two texts have the same content if they agree in their [terms and facts](terms): the cosine of their
//! terms reaches [`ALIKE`], and so many of their numbers and names are the same ([`AGREEING`]). Both are necessary.
//! Reports that follow one form have alike terms but other numbers; articles on one subject share names but few other
//! terms. Then the sentences are aligned by the weights of their shared terms, in order with jumps, and the aligned
//! ones are the passages.
//!
//! # Alternatives
//!
//! Weighting terms by how rare they are in a corpus does not separate rewrites better than equal weights do, and needs
//! a table for each language. The share of sentences that have a counterpart, instead of the cosine of whole texts,
//! loses rewrites that merge sentences. Texts with fewer than [`FACTS`] facts are not judged: without facts, articles
//! on one subject cannot be distinguished from rewrites.

mod alignment;
mod terms;

use crate::align::Passage;
use crate::align::change::{Change, Kind, moved};
use crate::align::letters::letters;
use crate::align::pair::{Judge, Judgement, Prepared, Related, related_by_pieces};
use crate::align::pieces::gap::Edits;
use crate::align::relation::sureness;
use crate::align::side::{COUNTED, Counts};
use crate::align::stream::Stream;
use alignment::{AlignedSentences, aligned_sentences};
use terms::{Terms, facts, shared_terms, weight};

/// Minimum cosine of the terms. Rewrites of news reach 0.43 or more; of 2,000 pairs of the most similar articles about
/// different events, one in a hundred reaches it.
const ALIKE: f64 = 0.36;
/// Minimum share of equal facts, as twice their number by the number in both texts. Rewrites reach 0.64 or more.
const AGREEING: f64 = 0.6;
/// Minimum number of shared facts.
const FACTS: usize = 3;
/// Minimum weight of the terms of each text,
const LIGHTEST: u32 = 30;
/// and the maximum length of a text in units: a long text has the terms of its subject anyway.
const LONGEST: usize = 1 << 15;
/// Minimum length of a text in letters.
const SHORTEST: u32 = 180;
/// A longer text with this many times the letters of the other cannot be a rewrite of it.
const LONGER: u32 = 6;

/// How well the contents of two texts agree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Agreement {
    /// The cosine of the terms, in [0, 1].
    cosine: f64,
    /// The share of equal facts, in [0, 1].
    facts: f64,
}

impl Agreement {
    fn of(a: &Terms, b: &Terms, facts: f64) -> Self {
        let shared: u32 = shared_terms(a, b).map(|(term, _)| weight(term[0].hash)).sum();
        let norm = (f64::from(a.weight()) * f64::from(b.weight())).sqrt();
        Self { cosine: if norm == 0.0 { 0.0 } else { f64::from(shared) / norm }, facts }
    }

    /// The confidence that the contents are the same, in [0.5, 1]; None if they are not.
    fn confidence(self) -> Option<f64> {
        let is_same = self.cosine >= ALIKE && self.facts >= AGREEING;
        is_same.then(|| sureness(self.cosine, ALIKE, 2.0 * ALIKE).min(sureness(self.facts, AGREEING, 1.0)))
    }
}

/// The share of equal facts, and their number.
fn agreeing(a: &[u64], b: &[u64]) -> (f64, usize) {
    let shared = a.iter().filter(|fact| b.binary_search(fact).is_ok()).count();
    (2.0 * shared as f64 / (a.len() + b.len()).max(1) as f64, shared)
}

/// The length of the available units in letters.
fn open_letters(stream: &Stream, blocked: &[bool]) -> u32 {
    let open = stream.units().iter().zip(blocked).filter(|&(_, &is_blocked)| !is_blocked);
    letters(open.map(|(unit, _)| unit))
}

/// Sentences that are aligned because the texts have the same content.
#[derive(Debug)]
pub(in crate::align) struct Content {
    /// The confidence that the content is the same, in [0.5, 1].
    pub confidence: f64,
    /// The aligned sentences, in order of the second text.
    pub aligned: Vec<AlignedSentences>,
}

impl Content {
    /// Compares what is counted of two texts and not `covered` by passages; None if the content is not the same or
    /// passages cover half of a text. Linear, except that it sorts the terms.
    pub fn of(a: Counts<'_>, b: Counts<'_>, covered: [&[bool]; 2]) -> Option<Self> {
        let blocked = |text: Counts<'_>, covered: &[bool]| -> Vec<bool> {
            covered.iter().zip(text.counted()).map(|(&covered, &counted)| covered || counted != COUNTED).collect()
        };
        let is_passage = |text: Counts<'_>, covered: &[bool]| {
            let share = text.share_of(covered);
            2 * share.covered >= share.counted
        };
        if a.stream.units().len().max(b.stream.units().len()) > LONGEST
            || is_passage(a, covered[0])
            || is_passage(b, covered[1])
        {
            return None;
        }
        let (blocked_a, blocked_b) = (blocked(a, covered[0]), blocked(b, covered[1]));
        let (a, b) = (a.stream, b.stream);
        let (letters_a, letters_b) = (open_letters(a, &blocked_a), open_letters(b, &blocked_b));
        let (shorter, longer) = (letters_a.min(letters_b), letters_a.max(letters_b));
        if shorter < SHORTEST || longer > LONGER * shorter {
            return None;
        }
        // Few pairs agree in facts, and facts are found much faster than terms.
        let (share, shared) = agreeing(&facts(a, &blocked_a), &facts(b, &blocked_b));
        if shared < FACTS || share < AGREEING {
            return None;
        }
        let (a, b) = (Terms::of(a, &blocked_a), Terms::of(b, &blocked_b));
        if a.weight().min(b.weight()) < LIGHTEST {
            return None;
        }
        let confidence = Agreement::of(&a, &b, share).confidence()?;
        let aligned = aligned_sentences(&a, &b);
        (!aligned.is_empty()).then_some(Self { confidence, aligned })
    }
}

impl Judge {
    /// Adds the aligned sentences to the judgement of the two current texts, if these have the same content and hardly
    /// a passage in common. Linear, except that it sorts the terms.
    pub fn add_content(&mut self, judgement: &mut Judgement, min_equal: u32) {
        let covered = [self.a.covered(), self.b.covered()];
        let Some(content) = Content::of(self.a.counts(), self.b.counts(), covered) else { return };
        let (a, b) = (&self.a.stream, &self.b.stream);
        let is_long = |both: &AlignedSentences| both.matched >= min_equal;
        let added = content.aligned.into_iter().filter(is_long).map(|both| passage(a, b, both));
        let passages = &mut judgement.passages;
        let count = passages.len();
        passages.extend(added);
        if passages.len() == count {
            return;
        }
        passages.sort_by_key(|passage| passage.b.start);
        let starts: Vec<usize> = passages.iter().map(|passage| passage.a.start).collect();
        passages.iter_mut().zip(moved(&starts)).for_each(|(passage, moved)| passage.moved = moved);
        let [share_a, own_a] = self.a.cover(judgement.passages.iter().map(|passage| passage.a.clone()));
        let [share_b, own_b] = self.b.cover(judgement.passages.iter().map(|passage| passage.b.clone()));
        judgement.shares = [share_a, share_b];
        judgement.own_words = [own_a, own_b];
        judgement.content = Some(content.confidence);
    }

    /// Determines the relation of two texts without their boilerplate, also by their content. Linear, except that it
    /// sorts the terms.
    pub fn related_by_content(&mut self, a: &Prepared, b: &Prepared) -> Related {
        let pieces = self.pieces(a, b);
        let mut covered = [vec![false; a.length()], vec![false; b.length()]];
        for piece in &pieces {
            covered[0][piece.a.clone()].fill(true);
            covered[1][piece.b.clone()].fill(true);
        }
        let content = Content::of(a.counts(), b.counts(), [&covered[0], &covered[1]]);
        let aligned = content.iter().flat_map(|content| &content.aligned);
        let (in_a, in_b) = aligned.map(|both| (both.a.clone(), both.b.clone())).unzip();
        let related = related_by_pieces(a, b, &pieces, &[in_a, in_b]).0;
        related.limited_by(content.map(|content| content.confidence))
    }
}

/// The passage of aligned sentences.
fn passage(a: &Stream, b: &Stream, aligned: AlignedSentences) -> Passage {
    let AlignedSentences { a: of_a, b: of_b, matched } = aligned;
    let edits = Edits::of_lengths(of_a.len(), of_b.len(), matched, 0);
    let change = Change { kind: Kind::Rewritten, script: 0, noise: 0 };
    let (a, b) = (a.span_of(of_a), b.span_of(of_b));
    Passage { a, b, edits, marked: edits, change, moved: false, is_of_content: true }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::align::pair::{InputText, LeaveOut, new_names};
    use crate::align::relation::Relation;

    const REPORT: &str = "渔港管理局3月18日公布，2023年全港共有渔船1875艘，比上年增加112艘，其中远洋渔船264艘。冰厂全年产冰5.3\
                          万吨，供应船只9420艘次。港区新建的第7号码头长315米，投资2.4亿元，由海岸建设公司施工。局长沈一舟表示，\
                          明年将在北岸再建一座冷库，容量8000吨。";
    const REWRITE: &str = "北岸明年要添一座能装8000吨的冷库，管理局的沈一舟局长这样透露。根据3月18日发布的数字，2023年渔港的渔船总数\
                           达到1875艘，多了112艘，跑远洋的有264艘。前来加冰的船只9420艘次，冰厂为此生产了5.3万吨。海岸建设公司承建的\
                           7号码头也已落成，315米岸线花了2.4亿元。";
    const OTHER_YEAR: &str = "渔港管理局4月2日公布，2024年全港共有渔船1902艘，比上年减少37艘，其中远洋渔船251艘。水产公司全年加工\
                              鱼货6.1万吨，出口船只310艘次。局长沈一舟表示，今年要在南岸再建一座船厂，投资3.8亿元。";
    const NOTE: &str = "The port authority of Northport said on March 18 that 1,875 boats were registered in 2023, an increase \
                        of 112 over the year before, and that 264 of them fished in distant waters. The ice plant delivered \
                        53,000 tonnes of ice to 9,420 vessels. A new quay of 315 metres, built by Shoreline Works for 24 \
                        million crowns, was opened in October. Director Ada Miller announced a cold store for 8,000 tonnes on \
                        the northern shore.";
    const RECAST: &str = "On the northern shore a cold store will rise that can take 8,000 tonnes, according to Ada Miller, who \
                          runs the port authority. Its register for 2023, published on March 18, lists 1,875 boats in \
                          Northport, which is 112 more; distant waters are the grounds of 264. Ice went to 9,420 vessels, and \
                          the plant made 53,000 tonnes for them. Since October there has also been a quay, 315 metres long, \
                          for which Shoreline Works was paid 24 million crowns.";

    fn judged(a: &str, b: &str) -> (Judgement, Related) {
        let [a, b] = [a, b].map(|text| text.chars().map(u32::from).collect::<Vec<_>>());
        let (mut judge, name) = (Judge::default(), new_names());
        let input = |place, text| InputText::plain((name, place), text);
        let mut judgement = judge.judge(input(0, &a), input(1, &b), LeaveOut::default(), &[]);
        judge.add_content(&mut judgement, 0);
        let related = judge.outline(&mut judgement).related;
        (judgement, related)
    }

    #[test]
    fn a_report_recast_sentence_by_sentence_is_reworded() {
        for (source, rewrite) in [(REPORT, REWRITE), (NOTE, RECAST)] {
            let (judgement, related) = judged(source, rewrite);
            assert_eq!(related.relation, Relation::Reworded);
            assert_eq!(related.evidence.copied.map(|share| share.covered), [0; 2]);
            assert!(judgement.shares.iter().all(|share| 2 * share.covered > share.counted), "{judgement:?}");
            assert!(related.confidence >= 0.75, "{}", related.confidence);
            assert!(judgement.passages.iter().any(|passage| passage.moved));
        }
    }

    #[test]
    fn reports_of_other_facts_in_alike_words_are_not() {
        let (judgement, related) = judged(REPORT, OTHER_YEAR);
        assert_ne!(related.relation, Relation::Reworded);
        assert_eq!(judgement.content, None);
    }

    /// The terms of two texts without any in common.
    fn strangers() -> impl Strategy<Value = [String; 2]> {
        let text = |clause: &'static str, names: &'static [&'static str]| {
            let part = prop_oneof![
                clause,
                prop::sample::select(names.to_vec()).prop_map(String::from),
                prop::sample::select(vec!["，", "。", "\n", "的"]).prop_map(String::from),
            ];
            prop::collection::vec(part, 20..60).prop_map(|parts| parts.concat())
        };
        let a = text("[渔港冰厂船东码头]{4,12}", &["1875艘", "2.4亿元", "到Northport去", "53000吨"]);
        let b = text("[雪山学校孩子老师]{4,12}", &["1902人", "3.8亿元", "去Hillside时", "61000册"]);
        (a, b).prop_map(|(a, b)| [a, b])
    }

    proptest! {
        #[test]
        fn texts_without_a_common_term_are_never_reworded([a, b] in strangers()) {
            let (judgement, related) = judged(&a, &b);
            prop_assert_eq!(judgement.content, None);
            prop_assert_ne!(related.relation, Relation::Reworded);
        }

        #[test]
        fn aligned_sentences_lie_beside_the_passages(
            places in prop::sample::subsequence((0..8).collect::<Vec<usize>>(), 3..=8),
        ) {
            let sentences: Vec<&str> = REPORT.split_inclusive('。').chain(REWRITE.split_inclusive('。')).collect();
            let part: String = places.iter().filter_map(|&place| sentences.get(place).copied()).collect();
            let (judgement, _) = judged(REWRITE, &part);
            prop_assert!(judgement.passages.windows(2).all(|pair| pair[0].b.end <= pair[1].b.start));
            let mut of_a: Vec<_> = judgement.passages.iter().map(|passage| passage.a.clone()).collect();
            of_a.sort_unstable_by_key(|range| range.start);
            let by_content = judgement.content.is_some();
            prop_assert!(!by_content || of_a.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
