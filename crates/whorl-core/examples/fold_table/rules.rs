//! The rules of the fold: the folded form of a code point and its class.

use std::iter::once;

use ferrous_opencc::{OpenCC, config::BuiltinConfig};
use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Script, WhiteSpace},
    script::ScriptWithExtensions,
};
use unicode_normalization::{IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfc_quick};

/// The effect of a folded code point on tokens. The numbers are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A token by itself.
    Single = 0,
    /// A member of a run of letters, marks and numbers.
    Run = 1,
    /// Removed; ends a token.
    Break = 2,
    /// Removed; does not end a token.
    Drop = 3,
}

/// Scripts written without spaces between words, and Hangul, where spacing is inconsistent.
const UNSPACED_SCRIPTS: [Script; 8] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Hangul,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// Scripts with optional vowel and reading marks, which are non-spacing marks. The vowels of other scripts, such as
/// Devanagari or Thaana, are always written.
const SCRIPTS_WITH_OPTIONAL_MARKS: [Script; 3] = [Script::Arabic, Script::Hebrew, Script::Syriac];

/// Stretches a word in Arabic script without changing its meaning.
const TATWEEL: char = '\u{640}';

/// Interchangeable letters of Arabic script with their canonical letter.
///
/// The letters of Lucene's `ArabicNormalizer` and `PersianNormalizer`, and alef wasla; without yeh barree, which
/// distinguishes words of Urdu.
const LETTER_VARIANTS: [(&str, char); 4] = [
    ("\u{622}\u{623}\u{625}\u{671}", '\u{627}'), // alef with madda, hamza or wasla: alef
    ("\u{629}\u{6C0}\u{6C1}\u{6C2}", '\u{647}'), // teh marbuta, heh with yeh above, heh goal: heh
    ("\u{649}\u{6CC}", '\u{64A}'),               // alef maksura, Farsi yeh: yeh
    ("\u{6A9}", '\u{643}'),                      // keheh: kaf
];

/// The data behind the rules, loaded once.
pub struct Rules {
    simplifier: OpenCC,
    cases: CaseMapperBorrowed<'static>,
}

impl Rules {
    /// Loads the character data that is compiled into the development dependencies.
    pub fn load() -> Self {
        let simplifier = OpenCC::from_config(BuiltinConfig::T2s).expect("t2s is built in");
        Self { simplifier, cases: CaseMapper::new() }
    }

    /// `unify(simplify(NFKC(fullcasefold(NFKC(c)))))`, never empty.
    pub fn fold(&self, code_point: char) -> Vec<char> {
        let compatible: String = once(code_point).nfkc().collect();
        let caseless = self.cases.fold_string(&compatible);
        caseless.nfkc().map(|folded| unify(self.simplify(folded))).collect()
    }

    /// Converts traditional to simplified characters one to one, repeated until nothing changes.
    fn simplify(&self, code_point: char) -> char {
        let converted = self.simplifier.convert(code_point.encode_utf8(&mut [0; 4]));
        let mut characters = converted.chars();
        match (characters.next(), characters.next()) {
            (Some(simple), None) if simple == code_point => simple,
            (Some(simple), None) => self.simplify(simple),
            _ => panic!("{code_point:?} has no simplified form of one character: {converted:?}"),
        }
    }
}

/// Unifies interchangeable letters of Arabic script, and converts the decimal digits of every script to ASCII.
fn unify(code_point: char) -> char {
    let variant = LETTER_VARIANTS.iter().find(|(variants, _)| variants.contains(code_point));
    variant.map(|&(_, letter)| letter).or_else(|| decimal_digit(code_point)).unwrap_or(code_point)
}

/// Decimal digits are encoded in order from 0 to 9; several sets can be adjacent.
fn decimal_digit(code_point: char) -> Option<char> {
    let is_digit = |character: &char| category(*character) == GeneralCategory::DecimalNumber;
    let before = ('\0'..=code_point).rev().take_while(is_digit).count();
    let value = (before.checked_sub(1)? % 10) as u32;
    char::from_digit(value, 10)
}

fn category(code_point: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(code_point)
}

/// The class of a code point in folded text.
pub fn class(code_point: char) -> Class {
    if CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(code_point) || is_optional(code_point) {
        return Class::Drop;
    }
    if CodePointSetData::new::<WhiteSpace>().contains(code_point) {
        return Class::Break;
    }
    let category = category(code_point);
    if matches!(category, GeneralCategory::Control | GeneralCategory::Format) {
        Class::Drop
    } else if GeneralCategoryGroup::Letter.contains(category)
        || GeneralCategoryGroup::Mark.contains(category)
        || category == GeneralCategory::LetterNumber
    {
        if is_unspaced(code_point) { Class::Single } else { Class::Run }
    } else if GeneralCategoryGroup::Number.contains(category) {
        Class::Run
    } else {
        Class::Break
    }
}

/// True for a code point that a word can omit: an optional vowel or reading mark, or tatweel.
fn is_optional(code_point: char) -> bool {
    let is_mark = || category(code_point) == GeneralCategory::NonspacingMark;
    code_point == TATWEEL || is_mark() && is_of_scripts(code_point, &SCRIPTS_WITH_OPTIONAL_MARKS)
}

/// True if every script that uses the code point is written without spaces.
///
/// This looks at script extensions instead of the script because the sound marks of kana belong to `Common` or
/// `Inherited`. It requires every script, not any, because the Latin tilde is also used in Thai.
fn is_unspaced(code_point: char) -> bool {
    is_of_scripts(code_point, &UNSPACED_SCRIPTS)
}

fn is_of_scripts(code_point: char, scripts: &[Script]) -> bool {
    ScriptWithExtensions::new().get_script_extensions_val(code_point).iter().all(|script| scripts.contains(&script))
}

/// True if normalization can combine the code point with the previous one.
///
/// NFKC orders and composes the full decompositions. Two neighbors are reordered only if the second begins with a
/// non-starter, and composed only if it begins with the second half of a canonical composite, which is the meaning of
/// `NFC_Quick_Check=Maybe`. A decomposition that begins with neither does not interact with the previous character.
pub fn composes(code_point: char) -> bool {
    let first = once(code_point).nfkd().next().expect("a decomposition is never empty");
    canonical_combining_class(first) != 0 || is_nfc_quick(once(first)) == IsNormalized::Maybe
}
