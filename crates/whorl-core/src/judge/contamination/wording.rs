//! Words and phrases that say little about what an item asks: function words and the wording of instructions.
//!
//! They only lower weights. What is a form in a benchmark is learned from how many of its items share it
//! ([`super::learning`]); this list covers what a small benchmark cannot show.

use std::sync::LazyLock;

use crate::text::Text;
use crate::text::shingle::FoldedText;

const WORDS: &str = "
a an the this that these those it its he she they them his her their we you i my your our one ones
and or but nor if then than so as of in on at to from by for with without into onto over under about between among
is are was were be been being am do does did done has have had having can could will would shall should may might must
not no yes there here who whom whose which what when where why how all any each every both either neither none some
most more less least many much few other another same such only also just very too up down out off
following below above statement statements sentence sentences passage paragraph text article question questions answer
answers option options choice choices choose select pick identify determine find calculate compute solve evaluate
simplify complete fill blank consider given assume suppose let according correct incorrect true false best describes
describe described explain example examples word words phrase option except likely write read use using used show
prove state name list define translate summarize word quote saying line finish proverb said wrote written says
describes represents best term statement based provided information refers value expression equation
";

/// Whole phrases, so that their characters keep their weight elsewhere.
const PHRASES: &str = "
下列 以下 下面 上述 如下 哪一项 哪一个 哪项 哪个 哪些 哪种 哪位 什么 怎么 怎样 如何 为什么 多少 是否 关于 对于 根据 按照
说法 叙述 表述 描述 选项 正确的是 不正确的是 错误的是 正确 错误 不正确 属于 不属于 符合 不符合 的是 请问 请选择 选择 选出 请
回答 问题 答案 材料 短文 文章 段落 阅读 句子 填空 判断 计算 求解 解答 已知 设 假设 试求 最 一项 一个 的 了 是 在 和 与 或 及 中
有 不 为 对 从 到 就 也 都 而 之 其 这 那 它 他 她 們 个 写出 完成 补全 翻译 名句 诗句 出自 作者 成语 谚语 俗语
";

/// Hashes of function words and words of instructions, in ascending order.
static GENERIC_WORDS: LazyLock<Vec<u64>> = LazyLock::new(|| sorted_tokens(WORDS));

/// Token hashes of each phrase, the longest first.
static GENERIC_PHRASES: LazyLock<Vec<Vec<u64>>> = LazyLock::new(|| {
    let mut folded = FoldedText::default();
    let mut phrases: Vec<Vec<u64>> = PHRASES
        .split_whitespace()
        .map(|phrase| {
            folded.read(Text::Utf8(phrase));
            folded.tokens().to_vec()
        })
        .collect();
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
});

/// Words and characters of questions.
const ASKING: &str = "
what which who whom whose when where why how is are was were do does did can could should will would has have
谁 誰 什 么 哪 几 吗 嗎 如 何 怎 呢 否 多 请 为
";

/// Hashes of the tokens that ask, in ascending order.
static ASKING_TOKENS: LazyLock<Vec<u64>> = LazyLock::new(|| sorted_tokens(ASKING));

fn sorted_tokens(words: &str) -> Vec<u64> {
    let mut folded = FoldedText::default();
    folded.read(Text::Utf8(words));
    let mut hashes = folded.tokens().to_vec();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// True if a token asks.
pub(super) fn is_asking(token: u64) -> bool {
    ASKING_TOKENS.binary_search(&token).is_ok()
}

/// True if a word is a function word or belongs to the wording of instructions.
pub(super) fn is_generic_word(token: u64) -> bool {
    GENERIC_WORDS.binary_search(&token).is_ok()
}

/// Length of the generic phrase at the beginning of `tokens`; 0 if there is none.
pub(super) fn generic_phrase(tokens: &[u64]) -> usize {
    GENERIC_PHRASES.iter().find(|phrase| tokens.starts_with(phrase)).map_or(0, Vec::len)
}

/// True if a token is a number, a single letter or the name of a function: what formulas consist of.
pub(super) fn is_of_formulas(letters: &[u32]) -> bool {
    const NAMES: [&str; 14] =
        ["sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min", "sqrt", "frac", "pi", "sum", "int"];
    let is = |name: &&str| name.chars().map(u32::from).eq(letters.iter().copied());
    let is_short = |letters: &[u32]| letters.len() == 1 && char::from_u32(letters[0]).is_some_and(|c| c.is_ascii());
    is_short(letters) || is_number(letters) || NAMES.iter().any(is) || is_term(letters)
}

/// True for products such as `2x` and `4ac`.
fn is_term(letters: &[u32]) -> bool {
    letters.len() <= 4 && letters.iter().any(|&unit| is_digit(unit))
}

/// True if a token consists of digits.
pub(super) fn is_number(letters: &[u32]) -> bool {
    !letters.is_empty() && letters.iter().all(|&unit| is_digit(unit))
}

fn is_digit(unit: u32) -> bool {
    (u32::from('0')..=u32::from('9')).contains(&unit)
}

/// True for a sign that changes the meaning of a formula although the fold drops it.
pub(super) fn is_operator(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(|sign| "+-−–*/÷×·=≠<>≤≥^√∫∑∏±!|%∈∪∩∞∂".contains(sign))
}
