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
//! slots (names, places) are counted as supporting evidence only, because synonyms fill slots too.

pub mod dates;
pub(in crate::align) mod formal;
pub mod titles;

use std::ops::Range;

use crate::align::DENSE_FROM;
use crate::align::change::is_idle;
use crate::align::pieces::gap::Edits;
use crate::align::runs::{RunKind, Step, Tokens};
use crate::text::scan::{places, within};
use titles::Subjects;

/// Agreement of two texts on facts, over the passages that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Numbers aligned with an equal number.
    pub agreeing: u32,
    /// Numbers aligned with a different number.
    pub differing: u32,
    /// Slots filled with entirely different words.
    pub other_words: u32,
    /// Slots in which each text has words of its title that the other title lacks.
    pub subjects: u32,
    /// Slots in which one name stands throughout for another, if most of the slots are such.
    pub renamed: u32,
}

impl Facts {
    /// Adds the facts of another passage.
    pub fn add(&mut self, other: Self) {
        self.agreeing += other.agreeing;
        self.differing += other.differing;
        self.other_words += other.other_words;
        self.subjects += other.subjects;
        self.renamed += other.renamed;
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

/// Minimum number of times that a name is replaced by the same one.
const RENAMED: usize = 2;
/// The same if one of them is a single character: part of a name, but also a misspelling.
const RENAMED_CHARACTER: usize = 3;
/// Maximum length of a Chinese name in characters.
const LONGEST_HAN_NAME: usize = 4;
/// The character that hides names in reports.
const SOMEBODY: u32 = '某' as u32;
/// Frequent Chinese surnames, without those that are function words,
const SURNAMES: &str = concat!(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖萧田董潘袁蔡蒋余杜叶程魏苏吕丁卢姚沈钟姜崔谭陆范汪",
    "廖石金韦贾夏付傅邹熊白孟秦邱侯江尹薛闫阎段雷黎史龙陶贺毛郝顾龚邵覃武钱戴严莫孔汤康易乔庞施洪樊兰殷翟颜倪牛温芦季俞章鲁",
    "葛伍申尤毕聂丛焦柳邢岳齐梅庄辛祝涂谷祁舒耿牟卜詹关苗凌费靳盛童欧甄项曲游裴席卫查屈鲍霍翁隋甘景柏宁柯阮桂闵柴冉房饶刁瞿",
    "戚丘滕邬臧宫苟褚廉娄符奚穆郎邸冀姬屠郜晏栾郁蒙喻窦敖鄢卓仇艾巩仲虞卞竺冼楚佟栗匡宗巫鞠桑荆谌岑胥蔺麦"
);
/// and those that hardly any word begins with.
const PLAIN_SURNAMES: &str =
    "王李张刘陈杨赵吴徐孙朱郭郑梁韩邓冯曹彭肖萧董潘袁蔡蒋魏吕卢姚沈姜崔谭汪廖韦贾傅邹邱侯尹薛闫阎黎郝龚邵覃";

/// A number, or a date or amount in Chinese numerals.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fact {
    /// Its tokens, counted from the start of the stretch.
    tokens: Range<usize>,
    /// Its digits.
    digits: Vec<u32>,
}

/// The facts of stretches that differ only in form.
pub(in crate::align) fn equal_facts(tokens: &Tokens<'_>) -> Facts {
    Facts { agreeing: facts(tokens).count() as u32, ..Facts::default() }
}

/// Compares the facts of two stretches, given the steps from one to the other.
pub(in crate::align) fn compare_facts(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step], subjects: &Subjects) -> Facts {
    let of_a: Vec<Fact> = facts(a).collect();
    let of_b: Vec<Fact> = facts(b).collect();
    let (other_words, subjects) = filled_slots(a, b, steps, subjects);
    let renamed = renamed_slots(a, b, steps);
    let mut compared = Facts { other_words, subjects, renamed, ..Facts::default() };
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

/// Counts slots filled with different words, and those with words of the titles. Slots in a title, where several words
/// may be misprinted, count once in total.
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

/// Counts the slots in which one name stands throughout for another; zero if they are less than half of all slots.
fn renamed_slots(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step]) -> u32 {
    let is_changed = |step: &Step| !matches!(step.kind, RunKind::Same | RunKind::Form);
    let content = |slot: &Slot| (a.units(&slot.a), b.units(&slot.b));
    let mut slots: Vec<Slot> = steps
        .chunk_by(|one, next| is_changed(one) && is_changed(next))
        .filter(|steps| is_changed(&steps[0]))
        .map(|steps| Slot {
            a: steps[0].a.start..steps[steps.len() - 1].a.end,
            b: steps[0].b.start..steps[steps.len() - 1].b.end,
        })
        .filter(|slot| !slot.a.is_empty() && !slot.b.is_empty())
        .filter(|slot| !a.units(&slot.a).iter().chain(b.units(&slot.b)).any(|&unit| is_digit(unit)))
        .collect();
    slots.sort_by(|one, next| content(one).cmp(&content(next)));
    let equal = slots.chunk_by(|one, next| content(one) == content(next));
    let renamed: usize = equal.filter(|equal| is_renamed(a, b, equal)).map(<[Slot]>::len).sum();
    if 2 * renamed < slots.len() { 0 } else { renamed as u32 }
}

/// A place in which two texts have different words, in tokens.
struct Slot {
    a: Range<usize>,
    b: Range<usize>,
}

/// True if the equal contents of some slots are two names, and not variants of one.
fn is_renamed(a: &Tokens<'_>, b: &Tokens<'_>, equal: &[Slot]) -> bool {
    if equal.len() < RENAMED {
        return false;
    }
    let (of_a, of_b) = (a.units(&equal[0].a), b.units(&equal[0].b));
    if !equal.iter().all(|slot| is_name(a, &slot.a) && is_name(b, &slot.b)) {
        return false;
    }
    let edits = Edits::between(of_a, of_b);
    if of_a[0] >= DENSE_FROM {
        let is_long = of_a.len().min(of_b.len()) > 1 || equal.len() >= RENAMED_CHARACTER;
        return is_long && edits.matched == 0 && edits.homophones == 0;
    }
    is_long_enough(of_a, of_b) && 4 * edits.matched < 3 * of_a.len().max(of_b.len()) as u32
}

/// True if some tokens look like a name: letters with a capital, or Han characters with a surname, which may stand
/// before them.
fn is_name(tokens: &Tokens<'_>, slot: &Range<usize>) -> bool {
    let units = tokens.units(slot);
    let Some(&first) = units.first() else { return false };
    if units.len() > LONGEST_SLOT || units.contains(&SOMEBODY) {
        return false;
    }
    if first < DENSE_FROM {
        return tokens.is_capital(slot.start);
    }
    let has = |names: &str, unit: u32| char::from_u32(unit).is_some_and(|character| names.contains(character));
    let before = |tokens_before: usize| {
        let token = slot.start.checked_sub(tokens_before)?;
        let is_joined = (token + 1..=slot.start).all(|token| tokens.before(token).is_empty());
        is_joined.then(|| tokens.units(&(token..token + 1))[0])
    };
    let follows = |tokens_before: usize, longest: usize| {
        units.len() <= longest && before(tokens_before).is_some_and(|unit| has(PLAIN_SURNAMES, unit))
    };
    units.len() <= LONGEST_HAN_NAME && has(SURNAMES, first) || follows(1, 2) || follows(2, 1)
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
const LONGEST_SLOT: usize = 24;

/// Returns the facts among some tokens, in order. Numbers of list items and chapters are excluded.
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
    /// True if a token continues the number before it: 1,234 and 13.9, 8:26.
    fn is_number_continued(&self, token: usize) -> bool {
        let is_number = |token: usize| self.units(&(token..token + 1)).iter().all(|&unit| is_digit(unit));
        let is_separator =
            |sign: u32| matches!(char::from_u32(sign), Some('.' | ',' | ':' | '．' | '，' | '：' | '·' | '/' | '-'));
        let joins = |sign: u32| is_separator(sign) || is_idle(sign);
        let signs = self.before(token);
        is_number(token) && is_number(token - 1) && signs.len() == 1 && joins(signs[0])
    }

    /// True if a number only counts items or chapters: "2、", "(3)", "第12条".
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

    /// True if tokens are preceded by 第 and followed by a part of a document.
    fn is_ordinal(&self, start: usize, end: usize) -> bool {
        let sign = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        start > 0
            && sign(start - 1) == Some('第')
            && (end == self.len() || sign(end).is_some_and(|part| "条章节款项编篇部卷页".contains(part)))
    }

    /// True if Chinese numerals state a fact: several of them, or one before a unit.
    fn is_chinese_fact(&self, start: usize, end: usize) -> bool {
        let sign = |token: usize| char::from_u32(self.units(&(token..token + 1))[0]);
        let unit = || {
            end < self.len() && sign(end).is_some_and(|unit| "年月日时分秒岁名人元万亿次件吨亩户票级位".contains(unit))
        };
        let is_ordinal = || start > 0 && sign(start - 1) == Some('第');
        (end - start >= 2 || unit()) && !is_ordinal()
    }
}

fn is_digit(unit: u32) -> bool {
    within(unit, u32::from('0'), u32::from('9'))
}

/// True if a unit is a Chinese numeral; branch-free.
fn is_numeral(unit: u32) -> bool {
    NUMERALS.iter().fold(false, |found, &numeral| found | (unit == u32::from(numeral)))
}

const NUMERALS: [char; 15] = ['〇', '零', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '两'];

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
