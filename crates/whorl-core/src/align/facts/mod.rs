//! Facts: the numbers stated in a text, and whether two texts with the same words state the same facts.
//!
//! # Problem
//!
//! Two reports based on one form are nearly equal but describe different events. Similarity alone cannot separate them
//! from reprints.
//!
//! # Choice
//!
//! The differences are in *slots*: the places that a form leaves open for a date, an amount or a name. The numbers of
//! two texts are compared slot by slot, as aligned. Comparing them as sets fails because small numbers recur by chance.
//!
//! On real and synthetic forms, dates and amounts alone separate reports of different events from reprints. Words in
//! slots are counted as supporting evidence only, because synonyms fill slots too, unless they are names throughout, or
//! what stands beside them shows that they are [names]. A word in place of its [opposite](opposites) is a fact.

pub mod dates;
pub(in crate::align) mod formal;
mod names;
pub(in crate::align) mod numbers;
mod opposites;
pub(in crate::align) mod scanning;
pub mod titles;

use std::cell::OnceCell;
use std::ops::Range;

use crate::align::DENSE_FROM;
use crate::align::pieces::gap::Edits;
use crate::align::runs::{RunKind, Step, Tokens};
use names::{are_capitals_rare, are_other_names, renamed_slots};
use numbers::Stated;
use opposites::{have_opposites, opposites_only};
use scanning::{Fact, facts, is_digit};
use titles::Subjects;

/// Agreement of two texts on facts, over the passages that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Numbers, months and days of the week aligned with an equal one.
    pub agreeing: u32,
    /// Those aligned with a different one.
    pub differing: u32,
    /// Slots filled with entirely different words.
    pub other_words: u32,
    /// Slots in which each text has words of its title that the other title lacks.
    pub subjects: u32,
    /// Slots in which one name stands throughout for another, if most of the slots are such.
    pub renamed: u32,
    /// Slots with the names of different places or persons.
    pub other_names: u32,
}

impl Facts {
    /// Adds the facts of another passage.
    pub fn add(&mut self, other: Self) {
        self.agreeing += other.agreeing;
        self.differing += other.differing;
        self.other_words += other.other_words;
        self.subjects += other.subjects;
        self.renamed += other.renamed;
        self.other_names += other.other_names;
    }

    /// True if texts with this many letters in common state different facts in the same words. Either two or more
    /// numbers differ, and at least [`DISAGREEING`] of all; or one of few differs, and names as well. Or, in a short
    /// text, slots with different words are closer together than synonyms would be, several slots contain words of the
    /// titles, or one name stands for another throughout.
    pub fn disagree(self, letters: u32) -> bool {
        let share = DISAGREEING * f64::from(self.agreeing + self.differing);
        let numbers = f64::from(self.differing);
        let words = f64::from(self.other_words);
        (self.differing >= 2 && numbers >= share)
            || (self.differing >= 1 && numbers >= share / 2.0 && self.other_words >= OTHER_WORDS)
            || (self.other_words >= 2 && words >= DENSITY * f64::from(letters) && letters <= FORM)
            || (self.subjects >= SUBJECTS && letters <= PAGE)
            || (self.renamed > 0 && letters <= PAGE)
    }
}

/// Minimum share of differing numbers for texts about different things. No pair among 700 pairs of one news article
/// reaches it; 99% of synthetic forms for different events do.
const DISAGREEING: f64 = 0.4;
/// Number of slots with different words that count as much as a number.
const OTHER_WORDS: u32 = 3;
/// Minimum density of slots with different words, per common letter, where a Han character counts as three. The densest
/// texts with inserted synonyms reach half of it.
const DENSITY: f64 = 0.014;
/// Longer texts are distinguished by their numbers only: with this many letters, dense slots may also be rewording.
const FORM: u32 = 240;
/// Minimum number of slots with words of the titles that is not a coincidence,
const SUBJECTS: u32 = 2;
/// in a text of up to this many letters, such as one page per command or one per village.
const PAGE: u32 = 1500;

/// The facts of stretches that differ only in form.
pub(in crate::align) fn equal_facts(tokens: &Tokens<'_>) -> Facts {
    Facts { agreeing: facts(tokens).count() as u32, ..Facts::default() }
}

/// Compares the facts of two stretches, given the steps from one to the other.
pub(in crate::align) fn compare_facts(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step], subjects: &Subjects) -> Facts {
    let of_a: Vec<Fact> = facts(a).collect();
    let of_b: Vec<Fact> = facts(b).collect();
    let mut compared = Facts { renamed: renamed_slots(a, b, steps), ..filled_slots(a, b, steps, subjects) };
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
            let agrees = opposing.any(|other| other.value == fact.value);
            *if agrees { &mut compared.agreeing } else { &mut compared.differing } += 1;
        }
    }
    compared
}

/// Compares the facts of two stretches at the edge of the passages, which are not aligned: those that differ in nothing
/// but their facts, such as two dates, or in nothing but opposites.
pub(in crate::align) fn compare_edge(a: &Tokens<'_>, b: &Tokens<'_>) -> Facts {
    if let Some(differing) = opposites_only(a, b) {
        return Facts { differing, ..Facts::default() };
    }
    let facts_and_words = |tokens: &Tokens<'_>| -> (Vec<Fact>, Vec<u32>) {
        let facts: Vec<Fact> = facts(tokens).collect();
        let is_of_fact = |token: usize| facts.iter().any(|fact| fact.tokens.contains(&token));
        let words = (0..tokens.len()).filter(|&token| !is_of_fact(token));
        let words = words.flat_map(|token| tokens.units(&(token..token + 1))).copied().collect();
        (facts, words)
    };
    let [(of_a, words_a), (of_b, words_b)] = [a, b].map(facts_and_words);
    // A number alone may be that of a page.
    if of_a.len() != of_b.len() || words_a.is_empty() || words_a != words_b {
        return Facts::default();
    }
    let agreeing = of_a.iter().zip(&of_b).filter(|(one, other)| one.value == other.value).count() as u32;
    Facts { agreeing, differing: of_a.len() as u32 - agreeing, ..Facts::default() }
}

/// The tokens of the second stretch aligned with some tokens of the first; empty if the rewritten part is too long for
/// a slot.
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

/// Counts slots filled with different words, those with words of the titles, and numbers in words. Slots in a title,
/// where several words may be misprinted, count once in total.
fn filled_slots(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step], subjects: &Subjects) -> Facts {
    let (mut filled, mut in_title) = (Facts::default(), false);
    let capitals_are_rare = OnceCell::new();
    for slot in steps.chunk_by(|one, next| one.kind == RunKind::Replaced && next.kind == RunKind::Replaced) {
        let (first, last) = (&slot[0], &slot[slot.len() - 1]);
        let (slot_a, slot_b) = (first.a.start..last.a.end, first.b.start..last.b.end);
        let (of_a, of_b) = (a.units(&slot_a), b.units(&slot_b));
        if first.kind != RunKind::Replaced || of_a.len().max(of_b.len()) > LONGEST_SLOT {
            continue;
        }
        let has_digit = |units: &[u32]| units.iter().any(|&unit| is_digit(unit));
        if let Some(agrees) = agreement_in_words((a, &slot_a), (b, &slot_b)) {
            *if agrees { &mut filled.agreeing } else { &mut filled.differing } += 1;
        } else if have_opposites((a, &slot_a), (b, &slot_b)) {
            filled.differing += 1;
        } else {
            filled.other_words += u32::from(!has_digit(of_a) && !has_digit(of_b) && are_other(of_a, of_b));
            let is_rare = || *capitals_are_rare.get_or_init(|| are_capitals_rare(a));
            filled.other_names += u32::from(are_other_names((a, &slot_a), (b, &slot_b), is_rare));
        }
        if is_long_enough(of_a, of_b) && subjects.have(&a.keys()[slot_a.clone()], &b.keys()[slot_b]) {
            let is_in_title = subjects.is_in_title(a.places(&slot_a).start);
            filled.subjects += u32::from(!(is_in_title && in_title));
            in_title |= is_in_title;
        }
    }
    filled
}

/// Whether the contents of a slot state the same number, month or day of the week, at least one of them in English
/// words; None if they state none.
fn agreement_in_words(
    (a, slot_a): (&Tokens<'_>, &Range<usize>),
    (b, slot_b): (&Tokens<'_>, &Range<usize>),
) -> Option<bool> {
    let is_in_digits = |tokens: &Tokens<'_>, slot: &Range<usize>| tokens.units(slot).iter().all(|&unit| is_digit(unit));
    let (digits_a, digits_b) = (is_in_digits(a, slot_a), is_in_digits(b, slot_b));
    if (digits_a && digits_b) || a.units(slot_a)[0].max(b.units(slot_b)[0]) >= DENSE_FROM {
        return None;
    }
    let read = |tokens: &Tokens<'_>, slot: &Range<usize>, is_in_digits: bool| {
        if is_in_digits { Some(Stated::Number(tokens.value_of_digits(slot.clone()))) } else { tokens.stated(slot) }
    };
    let stated_a = read(a, slot_a, digits_a)?;
    let stated_b = read(b, slot_b, digits_b)?;
    stated_a.is_like(&stated_b).then(|| stated_a == stated_b)
}

/// True if both contents of a slot are long enough for a name: two Han characters or three letters.
fn is_long_enough(a: &[u32], b: &[u32]) -> bool {
    a.len().min(b.len()) >= if a[0] >= DENSE_FROM || b[0] >= DENSE_FROM { 2 } else { 3 }
}

/// True if the contents of a slot are different words: at least two Han characters on each side with none in common, or
/// letters that are not misspellings of each other.
fn are_other(a: &[u32], b: &[u32]) -> bool {
    if a[0] >= DENSE_FROM || b[0] >= DENSE_FROM {
        return is_long_enough(a, b) && !a.iter().any(|unit| b.contains(unit));
    }
    is_long_enough(a, b) && 2 * Edits::between(a, b).matched < a.len().max(b.len()) as u32
}

/// Maximum length of a name or place, in code points.
pub(in crate::align) const LONGEST_SLOT: usize = 24;

#[cfg(test)]
mod tests {
    use crate::align::pair::{Judge, Side};
    use crate::align::relation::Relation;

    fn relation(a: &str, b: &str) -> Relation {
        let mut side = Side::default();
        let [a, b] = [a, b].map(|text| {
            let units: Vec<u32> = text.chars().map(u32::from).collect();
            side.prepare(&units, &|_| Vec::new())
        });
        Judge::default().related(&a, &b).relation
    }

    const NOTICE: &str = "讣告\nNAME同志因病医治无效，于近日在家中安详离世。NAME同志一生热爱教育事业，工作勤勤恳恳，待人真诚，\
        深受师生爱戴。遵照NAME同志生前遗愿，丧事从简，不举行告别仪式。学校全体教职工向NAME同志的家属致以诚挚的慰问。特此讣告。";
    const NEWS: &str = "The board has appointed NAME as head of the harbour office. NAME joins from the ferry company, where \
        the timetable was rewritten twice. Colleagues say that NAME answers every letter and walks to work in any weather.";

    const CLOSURE: &str = "DAY，沙洲区供水站发布通知，决定对文昌路一带的水管进行检修，预计影响COUNT户居民用水。检修期间，供水站将安排        送水车在各小区门口供水，居民可凭门牌号领取。站长表示，检修完成后水压将恢复正常。";
    const ROADWORKS: &str = "The harbour board will close the old bridge from DAY for repairs to the deck. About COUNT         households on the far bank will have to take the ferry, which runs every half hour. The board expects to reopen         the bridge before the herring season begins.";

    const GERMAN: &str = "Der Kutter kam mit dem Wagen der Behörde nicht mehr an die Mole, weil Sturm und Flut den Weg über Nacht \
        weggespült hatten. Die Fischer trugen ihren Fang in Körben zur Halle, wo der Händler mit Waage und Eis wartete.";

    fn stating(form: &str, day: &str, count: &str) -> String {
        form.replace("DAY", day).replace("COUNT", count)
    }

    #[test]
    fn facts_agree_whatever_way_they_are_written() {
        for (form, day, count, other_day, other_count) in [
            (CLOSURE, "11月24日", "3200", "十一月二十四日", "三千二百"),
            (CLOSURE, "11月24日", "3.2万", "11月24日", "32000"),
            (CLOSURE, "11月24日", "300多万", "11月24日", "三百万"),
            (CLOSURE, "11月24日", "三万二", "11月24日", "3.2万"),
            (ROADWORKS, "24 November", "three thousand two hundred", "24 Nov", "3,200"),
            (ROADWORKS, "Monday", "twelve", "Monday", "12"),
            (CLOSURE, "今日", "三成", "昨日", "三成"),
            (CLOSURE, "星期天", "三成", "星期日", "三成"),
            (ROADWORKS, "a late spring", "twelve", "a slate spring", "twelve"),
        ] {
            let relation = relation(&stating(form, day, count), &stating(form, other_day, other_count));
            assert!(
                matches!(relation, Relation::NearDuplicate | Relation::Excerpt),
                "{other_day} {other_count}: {relation:?}"
            );
        }
    }

    #[test]
    fn another_fact_is_found_whatever_way_it_is_written() {
        for (form, day, count, other_day, other_count) in [
            (CLOSURE, "11月24日", "3200", "十一月二十五日", "3200"),
            (CLOSURE, "11月24日", "3200", "12月3日", "3200"),
            (CLOSURE, "11月24日", "3200", "11月24日", "三千五百"),
            (CLOSURE, "11月24日", "3.2万", "11月24日", "3.2亿"),
            (CLOSURE, "明日上午", "三成", "明日下午", "三成"),
            (CLOSURE, "周三", "三成", "周三", "四成"),
            (CLOSURE, "周六", "三成", "周日", "三成"),
            (CLOSURE, "今年", "三成", "去年", "三成"),
            (CLOSURE, "6月上旬", "三成", "6月下旬", "三成"),
            (CLOSURE, "昨日，东", "三成", "昨日，西", "三成"),
            (ROADWORKS, "Monday, 9 p.m.", "twelve", "Monday, 9 a.m.", "twelve"),
            (ROADWORKS, "9 am", "twelve", "9 pm", "twelve"),
            (ROADWORKS, "Eastlake Fair", "twelve", "Westlake Fair", "twelve"),
            (ROADWORKS, "southern spring", "twelve", "northern spring", "twelve"),
            (CLOSURE, "第三季度", "三千", "第四季度", "三千"),
            (ROADWORKS, "24 November", "twelve", "24 December", "twelve"),
            (ROADWORKS, "Monday", "twelve", "Thursday", "twelve"),
            (ROADWORKS, "Monday", "three thousand two hundred", "Monday", "three thousand five hundred"),
            (ROADWORKS, "Monday", "twelve", "Monday", "20"),
        ] {
            let relation = relation(&stating(form, day, count), &stating(form, other_day, other_count));
            assert!(
                matches!(relation, Relation::Version | Relation::Template),
                "{other_day} {other_count}: {relation:?}"
            );
        }
    }

    #[test]
    fn another_place_or_person_is_another_fact_and_a_variant_is_none() {
        let closure = CLOSURE.replace("DAY", "昨日").replace("COUNT", "三千");
        let roadworks = ROADWORKS.replace("DAY", "Monday").replace("COUNT", "twelve");
        for (text, one, other, expected) in [
            (&closure, "文昌路", "建设路", Relation::Version),
            (&closure, "站长表示", "局长陈立新表示", Relation::NearDuplicate),
            (&closure, "安排", "调派", Relation::NearDuplicate),
            (&roadworks, "the old bridge", "the Crane Rock pier", Relation::NearDuplicate),
            (&GERMAN.to_owned(), "dem Wagen", "dem Auto", Relation::NearDuplicate),
        ] {
            assert_eq!(relation(text, &text.replacen(one, other, 1)), expected, "{one} {other}");
        }
        for (text, one, other) in [
            (closure.replacen("站长", "站长陈立新", 1), "陈立新", "李明华"),
            (closure.replacen("站长", "局长陈立新", 1), "陈立新", "李明华"),
            (
                roadworks.replacen("the old bridge", "the old bridge at Market Street", 1),
                "Market Street",
                "Harbour Road",
            ),
            (roadworks.replacen("The board", "Alan Price", 1), "Alan Price", "Judith Marsh"),
        ] {
            let expected = if text.contains("站长陈") { Relation::NearDuplicate } else { Relation::Version };
            assert_eq!(relation(&text, &text.replacen(one, other, 1)), expected, "{one} {other}");
        }
    }

    fn filled(form: &str, name: &str) -> String {
        form.replace("NAME", name)
    }

    #[test]
    fn a_form_about_another_person_is_no_copy() {
        for (one, other) in
            [("沈启明", "卢素芬"), ("沈启明", "沈素芬"), ("沈启明", "卢启明"), ("郭娟", "林艳娟"), ("马启", "马明远")]
        {
            let expected = if one == "马启" { Relation::NearDuplicate } else { Relation::Template };
            assert_eq!(relation(&filled(NOTICE, one), &filled(NOTICE, other)), expected, "{one} {other}");
        }
        for (one, other) in [("Amos Birk", "Lena Forss"), ("Amos Birk", "Amos Forss"), ("Luca Smith", "Olga Smith")] {
            assert_eq!(relation(&filled(NEWS, one), &filled(NEWS, other)), Relation::Template, "{one} {other}");
        }
    }

    #[test]
    fn variants_and_hidden_names_are_copies() {
        for (one, other) in
            [("沈启明", "沈启铭"), ("沈启明", "沈某某"), ("沈启明", "沈启明"), ("文件", "档案"), ("程序", "程式")]
        {
            let relation = relation(&filled(NOTICE, one), &filled(NOTICE, other));
            assert!(matches!(relation, Relation::NearDuplicate | Relation::Exact), "{one} {other} {relation:?}");
        }
        for (one, other) in [("Qaddafi", "Gaddafi"), ("the colour", "the color")] {
            let relation = relation(&filled(NEWS, one), &filled(NEWS, other));
            assert!(matches!(relation, Relation::NearDuplicate | Relation::Exact), "{one} {other} {relation:?}");
        }
    }
}
