//! Opposites: 东 and 西, 上午 and 下午, "north" and "south". One of them in place of the other is hardly ever a misprint
//! or a synonym: it states something else.

use std::ops::Range;

use crate::align::DENSE_FROM;
use crate::align::runs::Tokens;

/// Characters that exclude each other wherever they stand.
const OPPOSITES: [&str; 9] = ["东南西北", "左右", "男女", "升降", "涨跌", "增减", "胜负", "盈亏", "买卖"];
/// Characters that exclude each other before some others. Days are missing: a reprint of the next day says 昨天 for 今天.
const OPPOSITES_BEFORE: [(&str, &str); 4] = [("上下", "午半游"), ("上中下", "旬"), ("今去明前", "年"), ("进出", "口")];
/// Days of the week, behind 周 and the like; the last two are one day.
const WEEKDAYS: &str = "一二三四五六日天";
const WEEKS: &str = "周期拜";
/// Words that exclude each other.
const OPPOSITE_WORDS: [&[&str]; 11] = [
    &["north", "south", "east", "west"],
    &["northern", "southern", "eastern", "western"],
    &["northeast", "southeast", "northwest", "southwest"],
    &["left", "right"],
    &["man", "woman"],
    &["men", "women"],
    &["male", "female"],
    &["rose", "fell"],
    &["won", "lost"],
    &["bought", "sold"],
    &["exports", "imports"],
];
/// Minimum length of what stands behind "East" and "West" in a name, in letters: Eastlake, Westlake.
const REST: usize = 3;

/// True if two slots, token by token, have opposites.
pub(super) fn have_opposites(
    (a, slot_a): (&Tokens<'_>, &Range<usize>),
    (b, slot_b): (&Tokens<'_>, &Range<usize>),
) -> bool {
    let mut tokens = slot_a.clone().zip(slot_b.clone());
    slot_a.len() == slot_b.len() && tokens.any(|(token_a, token_b)| are_opposites((a, token_a), (b, token_b)))
}

/// Counts the opposites of two stretches that differ in nothing else; None without any.
pub(super) fn opposites_only(a: &Tokens<'_>, b: &Tokens<'_>) -> Option<u32> {
    if a.len() != b.len() {
        return None;
    }
    let mut changed = (0..a.len()).filter(|&token| word(a, token) != word(b, token)).peekable();
    changed.peek()?;
    changed.try_fold(0, |count, token| are_opposites((a, token), (b, token)).then_some(count + 1))
}

fn are_opposites((a, token_a): (&Tokens<'_>, usize), (b, token_b): (&Tokens<'_>, usize)) -> bool {
    let [Some(of_a), Some(of_b)] = [word(a, token_a), word(b, token_b)] else { return false };
    if of_a == of_b {
        return false;
    }
    let is_han = |word: &str| word.chars().all(|sign| sign as u32 >= DENSE_FROM);
    if is_han(&of_a) && is_han(&of_b) {
        return are_opposite_characters(a, token_a, &of_a, &of_b);
    }
    let is_of_noon = |tokens: &Tokens<'_>, token: usize| {
        word(tokens, token + 1).as_deref() == Some("m") && matches!(tokens.before(token + 1), [] | [POINT])
    };
    match (of_a.as_str(), of_b.as_str()) {
        ("am", "pm") | ("pm", "am") => true,
        ("a", "p") | ("p", "a") => is_of_noon(a, token_a) && is_of_noon(b, token_b),
        (of_a, of_b) => {
            OPPOSITE_WORDS.iter().any(|words| words.contains(&of_a) && words.contains(&of_b)) || are_sides(of_a, of_b)
        }
    }
}

/// True if two characters, the first of which is a token of a text, exclude each other there.
fn are_opposite_characters(tokens: &Tokens<'_>, token: usize, of_a: &str, of_b: &str) -> bool {
    let are_in = |class: &str| class.contains(of_a) && class.contains(of_b);
    let is_beside = |signs: &str, place: Option<usize>| {
        place.and_then(|place| word(tokens, place)).is_some_and(|sign| signs.contains(&sign))
    };
    let is_sunday = |day: &str| matches!(day, "日" | "天");
    // The numbers among the days are compared as numbers.
    let are_days = || is_sunday(of_a) != is_sunday(of_b) && are_in(WEEKDAYS);
    OPPOSITES.iter().any(|class| are_in(class))
        || OPPOSITES_BEFORE.iter().any(|(class, next)| are_in(class) && is_beside(next, Some(token + 1)))
        || (are_days() && is_beside(WEEKS, token.checked_sub(1)))
}

const POINT: u32 = '.' as u32;

/// The folded word or character of a token; None behind the last one.
fn word(tokens: &Tokens<'_>, token: usize) -> Option<String> {
    let units = (token < tokens.len()).then(|| tokens.units(&(token..token + 1)))?;
    units.iter().map(|&unit| char::from_u32(unit)).collect()
}

/// True if two names differ in the side that they begin with.
fn are_sides(of_a: &str, of_b: &str) -> bool {
    let rest = |name: &str| {
        let sides = OPPOSITE_WORDS[0].iter();
        sides.filter_map(|side| name.strip_prefix(side)).find(|rest| rest.len() >= REST).map(str::to_owned)
    };
    of_a != of_b && rest(of_a).is_some_and(|ending| rest(of_b) == Some(ending))
}
