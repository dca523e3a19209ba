//! A language model of characters: the cost, in bits, of the characters of a text outside ASCII in the language that
//! fits best.
//!
//! The lists are ordered by frequency within a language. The numbers can be coarse because the alternatives are far
//! apart: in a wrong encoding nearly every character is one that no text of the language has in that place.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::text::fold_to_string;

/// Bits per ASCII character.
pub const ASCII: f64 = 5.0;

/// Non-ASCII letters and signs of languages in Latin script, from English to Estonian, each with the prior cost of the
/// language in bits.
const LATIN: [(f64, &str); 20] = [
    (0.0, "’“”–—‘…é£"),
    (0.0, "éèàêç’ùâôîûœ«»ëïü…"),
    (0.0, "üäöß„“–é"),
    (0.0, "óíáéñúü¿¡«»"),
    (0.0, "ãçáéõóíêâàúô"),
    (0.0, "èàùòéì’"),
    (0.0, "äöåé”"),
    (0.0, "øåæéö"),
    (8.0, "íðáþéóöúýæ"),
    (0.0, "ëéïèö’"),
    (0.0, "çàéèíóòïú·"),
    (0.0, "łąężśćóńź„”"),
    (0.0, "íáěéčřžýšůúťňďó„“"),
    (0.0, "áéíčýžšúťľňôďäóĺŕ„“"),
    (0.0, "áéőóíöüúű„”"),
    (0.0, "ăîşţâșț„”"),
    (0.0, "šžčćđ"),
    (0.0, "ıüşğçöİâ“”"),
    (0.0, "ėšžįųūąčęāīēņķļģ"),
    (0.0, "äõüöšž"),
];

/// Letters of Russian and related languages.
const CYRILLIC: &str = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїєґўё";

/// The characters that make up most of any Chinese text, folded.
const CHINESE: &str = "\
    的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学\
    法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外\
    天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很\
    情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她\
    手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思\
    术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科\
    张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千\
    周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效院查江型眼王按格养";

/// The syllables that make up most of any Korean text.
const KOREAN: &str = "\
    이다는의에고을지가를하한도로사기은자어리나대인서그시정아해수일들장제원과부라전주보상스만게으여면오적우니있성생당모동관\
    국구조소세안공신경진위화선거실무내용분계행연회업유비방미중개산문것며년까했";

const LISTED: f64 = 2.0;
const RANK: f64 = 0.35;
const CAPITAL: f64 = 3.0;
const COMMON_SIGN: f64 = 6.0;
const SIGN: f64 = 10.0;
const UNLISTED: f64 = 11.0;
const ALPHABET: f64 = 4.7;
const FOREIGN: f64 = 18.0;
const BROKEN: f64 = 40.0;
const CONTROL: f64 = 25.0;
const MISPLACED: f64 = 6.0;

/// The languages that an encoding was designed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Chinese,
    Japanese,
    Korean,
    /// Alphabetic, in single-byte letters.
    Letters,
    Any,
}

/// The bits that the text needs beyond its ASCII characters, in the best language.
pub(crate) fn surprise(text: &str, writing: Writing) -> f64 {
    let mut counts: HashMap<char, f64> = HashMap::new();
    let mut misplaced = 0.0;
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        if !character.is_ascii() {
            *counts.entry(character).or_default() += 1.0;
            misplaced += misplacement(before, character, next);
        } else if character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0c' | '\x1b') {
            misplaced += CONTROL;
        }
        before = Some(character);
    }
    misplaced + in_the_best_language(&counts, writing)
}

fn in_the_best_language(counts: &HashMap<char, f64>, writing: Writing) -> f64 {
    let total = |cost: &dyn Fn(char) -> f64| counts.iter().map(|(&character, count)| count * cost(character)).sum();
    let letters = || {
        let alphabets = [Script::Greek, Script::Hebrew, Script::Arabic, Script::Thai]
            .map(|script| total(&|character| in_alphabet(script, character)));
        alphabets.into_iter().fold(in_latin_letters(counts).min(total(&in_cyrillic)), f64::min)
    };
    match writing {
        Writing::Chinese => total(&in_chinese),
        Writing::Japanese => total(&in_japanese),
        Writing::Korean => total(&in_korean),
        Writing::Letters => letters(),
        Writing::Any => {
            [in_chinese, in_japanese, in_korean].map(|cost| total(&cost)).into_iter().fold(letters(), f64::min)
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
    Hiragana,
    Katakana,
    NarrowKatakana,
    Hangul,
    Han,
    /// East Asian signs and forms.
    Wide,
    /// Dashes, quotation marks and other signs of any text.
    CommonSign,
    Sign,
    Private,
    Control,
    Broken,
}

fn script(character: char) -> Script {
    match character {
        '\u{80}'..='\u{9F}' => Script::Control,
        '’' | '‘' | '“' | '”' | '„' | '–' | '—' | '…' | '«' | '»' | '\u{A0}' | '·' | '°' | '€' | '№' => {
            Script::CommonSign
        }
        'À'..='ɏ' | 'Ḁ'..='ỿ' if character.is_alphabetic() && character != 'ƒ' => Script::Latin,
        'Ͱ'..='Ͽ' => Script::Greek,
        'Ѐ'..='ԯ' => Script::Cyrillic,
        '\u{590}'..='\u{5FF}' => Script::Hebrew,
        '\u{600}'..='\u{6FF}' => Script::Arabic,
        '\u{E00}'..='\u{E7F}' => Script::Thai,
        '\u{3040}'..='ゟ' | 'ー' => Script::Hiragana,
        '゠'..='ヿ' => Script::Katakana,
        '｡'..='ﾟ' => Script::NarrowKatakana,
        '가'..='힣' => Script::Hangul,
        '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => Script::Han,
        '\u{3000}'..='〿' | '！'..='～' | '￥' => Script::Wide,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'.. => Script::Private,
        '\u{FFFD}' => Script::Broken,
        _ => Script::Sign,
    }
}

fn in_any(script: Script) -> f64 {
    match script {
        Script::CommonSign => COMMON_SIGN,
        Script::Sign => SIGN,
        Script::Private | Script::Control => CONTROL,
        Script::Broken => BROKEN,
        _ => FOREIGN,
    }
}

/// The cost of characters in the best language in Latin script.
fn in_latin_letters(counts: &HashMap<char, f64>) -> f64 {
    /// The cost of each listed character, by language.
    static LISTED: LazyLock<HashMap<char, [f64; LATIN.len()]>> = LazyLock::new(|| {
        let letters = LATIN.iter().flat_map(|(_, listed)| listed.chars());
        let both = letters.flat_map(|letter| letter.to_uppercase().chain([letter]));
        both.map(|letter| (letter, LATIN.map(|(_, listed)| in_latin(listed, letter)))).collect()
    });
    let mut bits = LATIN.map(|(prior, _)| prior);
    for (&character, count) in counts {
        match LISTED.get(&character) {
            Some(costs) => bits.iter_mut().zip(costs).for_each(|(bits, cost)| *bits += count * cost),
            None => {
                let cost = in_latin("", character);
                bits.iter_mut().for_each(|bits| *bits += count * cost);
            }
        }
    }
    bits.into_iter().fold(f64::INFINITY, f64::min)
}

fn in_latin(listed: &str, character: char) -> f64 {
    let rank =
        |target: char| listed.chars().position(|letter| letter == target).map(|rank| LISTED + RANK * rank as f64);
    let small = || character.to_lowercase().next().filter(|&small| small != character);
    let otherwise = if script(character) == Script::Latin { UNLISTED } else { in_any(script(character)) };
    rank(character).or_else(|| small().and_then(rank).map(|bits| bits + CAPITAL)).unwrap_or(otherwise)
}

fn in_alphabet(native: Script, character: char) -> f64 {
    match script(character) {
        script if script != native => in_any(script),
        _ if character.is_uppercase() => ALPHABET + CAPITAL,
        _ => ALPHABET,
    }
}

fn in_cyrillic(character: char) -> f64 {
    if script(character) != Script::Cyrillic {
        return in_any(script(character));
    }
    let small = character.to_lowercase().next().unwrap_or(character);
    let rank = CYRILLIC.chars().position(|letter| letter == small);
    let capital = if small == character { 0.0 } else { CAPITAL };
    capital + rank.map_or(8.0, |rank| 3.0 + 0.13 * rank as f64)
}

fn in_chinese(character: char) -> f64 {
    match script(character) {
        Script::Han if is_frequent(character) => 8.5,
        Script::Han => 14.0,
        Script::Wide => COMMON_SIGN,
        Script::Hiragana | Script::Katakana => 14.0,
        other => in_any(other),
    }
}

fn in_japanese(character: char) -> f64 {
    match script(character) {
        Script::Hiragana => 6.0,
        Script::Katakana => 8.0,
        Script::NarrowKatakana => 14.0,
        Script::Han if is_frequent(character) => 10.0,
        Script::Han => 13.0,
        Script::Wide => COMMON_SIGN,
        other => in_any(other),
    }
}

fn in_korean(character: char) -> f64 {
    match script(character) {
        Script::Hangul if KOREAN_SET.contains(&character) => 7.0,
        Script::Hangul => 11.5,
        Script::Han => 16.0,
        Script::Wide => COMMON_SIGN,
        other => in_any(other),
    }
}

/// Every character that folds to a frequent one, including traditional ones.
static FREQUENT: LazyLock<HashSet<char>> = LazyLock::new(|| {
    let folded: HashSet<String> = CHINESE.chars().map(folded).collect();
    ('\u{4E00}'..='\u{9FFF}').filter(|&character| folded.contains(&self::folded(character))).collect()
});
static KOREAN_SET: LazyLock<HashSet<char>> = LazyLock::new(|| KOREAN.chars().collect());

fn folded(character: char) -> String {
    fold_to_string(character.encode_utf8(&mut [0; 4]) as &str)
}

fn is_frequent(character: char) -> bool {
    FREQUENT.contains(&character)
}

/// The cost of a non-ASCII character between these two neighbors.
fn misplacement(before: Option<char>, character: char, next: Option<char>) -> f64 {
    let is_letter = |other: Option<char>| other.is_some_and(char::is_alphabetic);
    let stands_alone = !is_letter(before) && !is_letter(next);
    let mut bits = 0.0;
    match script(character) {
        Script::Latin => {
            let turns = |first: Option<char>, other: Option<char>| {
                first.is_some_and(char::is_lowercase) && other.is_some_and(char::is_uppercase)
            };
            bits += cost_if(turns(before, Some(character)) || turns(Some(character), next));
            let is_capital = before.is_some_and(char::is_uppercase) && character.is_uppercase();
            bits += cost_if(is_capital && next.is_some_and(char::is_lowercase));
            bits += cost_if(stands_alone && !"àáèéêóåö".contains(character));
        }
        Script::Greek | Script::Cyrillic | Script::Hebrew | Script::Arabic | Script::Thai => {
            let is_ascii = |other: Option<char>| other.is_some_and(|other| other.is_ascii_alphabetic());
            let is_small = before.is_some_and(char::is_lowercase);
            bits += cost_if(character.is_uppercase() && (is_small || stands_alone));
            bits += cost_if(is_ascii(before)) + cost_if(is_ascii(next));
        }
        Script::CommonSign | Script::Sign => {
            bits += cost_if(is_letter(before) && is_letter(next) && !"’‘–—…·\u{A0}\u{AD}".contains(character));
        }
        Script::Han | Script::Hangul => {
            let is_ascii = |other: Option<char>| other.is_some_and(|other| other.is_ascii_alphanumeric());
            let stands_alone = next.is_none_or(|next| next.is_ascii());
            bits += 2.0 * cost_if(is_ascii(before) && stands_alone);
        }
        _ => {}
    }
    bits
}

fn cost_if(misplaced: bool) -> f64 {
    if misplaced { MISPLACED } else { 0.0 }
}
