//! Names: one name that stands throughout for another, and one place or person for another.

use std::ops::Range;

use super::{LONGEST_SLOT, are_other, is_digit, is_long_enough};
use crate::align::DENSE_FROM;
use crate::align::pieces::gap::Edits;
use crate::align::runs::{RunKind, Step, Tokens};

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

/// Counts the slots in which one name stands throughout for another; zero if they are less than half of all slots.
pub(super) fn renamed_slots(a: &Tokens<'_>, b: &Tokens<'_>, steps: &[Step]) -> u32 {
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

/// True if the contents of a slot are two names of places or persons, which need to stand there only once: capitalized
/// words within a sentence, Han characters before the same 路 or 县, or behind the same office and with a surname.
/// `capitals_are_rare` is asked about the former.
pub(super) fn are_other_names(
    (a, slot_a): (&Tokens<'_>, &Range<usize>),
    (b, slot_b): (&Tokens<'_>, &Range<usize>),
    capitals_are_rare: impl Fn() -> bool,
) -> bool {
    let (of_a, of_b) = (a.units(slot_a), b.units(slot_b));
    if of_a.contains(&SOMEBODY) || of_b.contains(&SOMEBODY) {
        return false;
    }
    if of_a[0] < DENSE_FROM && of_b[0] < DENSE_FROM {
        let are_capitals = are_capitals_within(a, slot_a) && are_capitals_within(b, slot_b);
        return are_capitals && are_other(of_a, of_b) && capitals_are_rare();
    }
    if !(2..=LONGEST_HAN_NAME).contains(&of_a.len()) || !(2..=LONGEST_HAN_NAME).contains(&of_b.len()) {
        return false;
    }
    are_other(of_a, of_b)
        && ((is_before_place(a, slot_a.end) && is_before_place(b, slot_b.end))
            || (is_person_in_office(a, slot_a) && is_person_in_office(b, slot_b)))
}

/// True if capitals distinguish names: German writes all nouns with one, and title case nearly all words.
pub(super) fn are_capitals_rare(tokens: &Tokens<'_>) -> bool {
    let is_latin = |&token: &usize| tokens.units(&(token..token + 1))[0] < DENSE_FROM;
    let words = (0..tokens.len()).filter(is_latin);
    let (words, capitals) =
        words.fold((0, 0), |(words, capitals), token| (words + 1, capitals + u32::from(tokens.is_capital(token))));
    f64::from(capitals) < RARE * f64::from(words)
}

/// True if all words begin with a capital, and not because a sentence or title does.
fn are_capitals_within(tokens: &Tokens<'_>, slot: &Range<usize>) -> bool {
    let is_within = |token: usize| token > 0 && tokens.before(token).iter().all(|&sign| sign == u32::from(' '));
    let is_latin = |token: usize| tokens.units(&(token..token + 1))[0] < DENSE_FROM;
    let is_capital = |token: usize| token < tokens.len() && is_latin(token) && tokens.is_capital(token);
    let is_of_title = slot.start > 0 && is_capital(slot.start - 1) && is_capital(slot.end);
    let mut inner = if slot.len() > 1 { slot.start + 1..slot.end } else { slot.clone() };
    !is_of_title && slot.clone().all(is_capital) && inner.all(is_within)
}

/// True if a token ends the name of a place.
fn is_before_place(tokens: &Tokens<'_>, token: usize) -> bool {
    let sign = |token: usize| {
        let unit = (token < tokens.len()).then(|| tokens.units(&(token..token + 1))[0])?;
        tokens.before(token).is_empty().then_some(())?;
        char::from_u32(unit)
    };
    let is_compound = |place: char| {
        let behind = sign(token + 1);
        PLACES_OF_WORDS.iter().any(|&(of, next)| of == place && behind.is_some_and(|behind| next.contains(behind)))
    };
    sign(token).is_some_and(|place| PLACES.contains(place) && !is_compound(place))
}

/// True if some Han characters begin with a surname and stand behind an office.
fn is_person_in_office(tokens: &Tokens<'_>, slot: &Range<usize>) -> bool {
    let Some(from) = slot.start.checked_sub(2) else { return false };
    let office = tokens.units(&(from..slot.start));
    let starts_with = |names: &str| char::from_u32(tokens.units(slot)[0]).is_some_and(|first| names.contains(first));
    (2..=3).contains(&slot.len())
        && starts_with(SURNAMES)
        && OFFICES.iter().any(|name| name.chars().map(u32::from).eq(office.iter().copied()))
}

/// Maximum share of words with a capital where these are names: 95% of English news have less, 99% of German laws more.
const RARE: f64 = 0.3;
/// What names of places end with,
const PLACES: &str = "省市县区镇乡村路街巷";
/// unless one of these follows.
const PLACES_OF_WORDS: [(char, &str); 6] =
    [('市', "场民"), ('区', "别分域块间"), ('村', "民庄委"), ('路', "线程径上过"), ('街', "头"), ('镇', "压静")];
/// Offices and occupations that names follow.
const OFFICES: [&str; 20] = [
    "局长", "主任", "书记", "记者", "经理", "总裁", "校长", "院长", "教授", "部长", "市长", "县长", "省长", "镇长",
    "主席", "处长", "科长", "队长", "会长", "律师",
];

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
