//! Folding: normalizes every text to a stream of folded code points, divided into tokens.
//!
//! One table, produced by `examples/make_fold_table.rs` and fixed as the file format `whorl-fold-2`, maps each code
//! point to its folded form (NFKC, full case folding, width, traditional → simplified, letter variants, digits) and its
//! [`Class`]. Text is folded code point by code point; only if a code point can combine with the previous one are both
//! normalized to NFKC first.
//!
//! Two rules need a whole word, or the whole text: [`look_alike::undo`] and [`tone::place`]. They replace code points
//! one by one, and nothing before the first candidate for replacement. A text is therefore folded up to that candidate,
//! which most texts do not have. Only then is it copied and respelled, and the fold continues in the copy.

pub(super) mod table;

use unicode_normalization::UnicodeNormalization;

use super::{CodePoints, look_alike, tone};
use table::{Class, FoldTable, Folded, Plain};

/// Version of the folding table, written into every file that depends on it.
pub const FOLD_VERSION: &str = "whorl-fold-2";

/// Receives the folded stream. A token ends at every `single`, at every `boundary`, and at the end of the text.
pub trait Sink {
    /// A code point that is a token by itself.
    fn single(&mut self, code_point: u32);
    /// A code point that belongs to the current run of letters or digits.
    fn run(&mut self, code_point: u32);
    /// White space, punctuation or a symbol: the current run ends.
    fn boundary(&mut self);
    /// [`Sink::single`] or [`Sink::boundary`], for sinks that can choose without a branch: in Chinese text the two
    /// alternate unpredictably.
    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        if is_single { self.single(code_point) } else { self.boundary() }
    }
    /// A code point that is neither dropped nor rare, for sinks that need no branch at all.
    #[inline(always)]
    fn plain(&mut self, plain: Plain) {
        if plain.is_run() {
            self.run(plain.code_point())
        } else {
            self.single_or_boundary(plain.code_point(), plain.is_single())
        }
    }
    /// Successive code points that are neither dropped nor rare, from position `offset` on. Most of a text is passed in
    /// such blocks, so that a sink can keep its counters in registers.
    #[inline(always)]
    fn plains(&mut self, offset: usize, plains: &[Plain]) {
        for (place, plain) in plains.iter().enumerate() {
            self.position(offset + place);
            self.plain(*plain);
        }
    }
    /// The position of the following calls, in code points of the original text.
    #[inline(always)]
    fn position(&mut self, _offset: usize) {}
    /// The output up to the next position represents several code points.
    #[inline(always)]
    fn combine(&mut self) {}
}

/// A text in the representation of its source.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// UTF-8.
    Utf8(&'a str),
    /// Code points; lone surrogates allowed.
    CodePoints(&'a [u32]),
}

impl Text<'_> {
    /// Length in bytes or code points, depending on the representation.
    pub fn length(self) -> usize {
        match self {
            Self::Utf8(text) => text.len(),
            Self::CodePoints(text) => text.len(),
        }
    }

    /// A range of the bytes or code points.
    pub fn slice(self, range: std::ops::Range<usize>) -> Self {
        match self {
            Self::Utf8(text) => Self::Utf8(&text[range]),
            Self::CodePoints(text) => Self::CodePoints(&text[range]),
        }
    }

    /// A range of the code points, with a replacement for those that are no characters.
    pub fn characters(self, range: std::ops::Range<usize>) -> String {
        match self {
            Self::Utf8(text) => {
                let rest = behind(text, range.start);
                rest[..rest.len() - behind(rest, range.len()).len()].to_owned()
            }
            Self::CodePoints(text) => {
                let range = range.start.min(text.len())..range.end.min(text.len());
                let character = |&point: &u32| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
                text[range].iter().map(character).collect()
            }
        }
    }

    /// Copies the code points to `code_points`, replacing its contents.
    pub fn copy_to(self, code_points: &mut Vec<u32>) {
        code_points.clear();
        match self {
            Self::Utf8(text) => {
                code_points.reserve(text.chars().count());
                code_points.extend(text.code_points());
            }
            Self::CodePoints(text) => code_points.extend_from_slice(text),
        }
    }

    /// Writes the folded code points, without separators, to `code_points`, replacing its contents.
    pub fn fold_to_code_points(self, code_points: &mut Vec<u32>) {
        let sink = CodePointSink { buffer: std::mem::take(code_points), count: 0 };
        let sink = match self {
            Self::Utf8(text) => fold(text, sink),
            Self::CodePoints(text) => fold(text, sink),
        };
        *code_points = sink.buffer;
        code_points.truncate(sink.count);
    }
}

/// A text without its first characters.
fn behind(text: &str, count: usize) -> &str {
    let mut characters = text.chars();
    if let Some(last) = count.checked_sub(1) {
        characters.nth(last);
    }
    characters.as_str()
}

/// The fold of a single code point if it is one code point, otherwise the code point itself.
pub(crate) fn fold_one(code_point: u32) -> u32 {
    match FoldTable::get().fold(code_point) {
        Folded::Single(folded) | Folded::Run(folded) => folded,
        _ => code_point,
    }
}

/// Collects folded code points. Only the first `count` are valid; the rest is capacity.
struct CodePointSink {
    buffer: Vec<u32>,
    count: usize,
}

impl Sink for CodePointSink {
    #[inline(always)]
    fn single(&mut self, code_point: u32) {
        self.single_or_boundary(code_point, true);
    }

    #[inline(always)]
    fn run(&mut self, code_point: u32) {
        self.single_or_boundary(code_point, true);
    }

    #[inline(always)]
    fn boundary(&mut self) {}

    #[inline(always)]
    fn single_or_boundary(&mut self, code_point: u32, is_single: bool) {
        if self.count == self.buffer.len() {
            self.grow();
        }
        self.buffer[self.count] = code_point;
        self.count += usize::from(is_single);
    }

    #[inline(always)]
    fn plains(&mut self, _offset: usize, plains: &[Plain]) {
        while self.buffer.len() < self.count + plains.len() {
            self.grow();
        }
        let (code_points, mut count) = (&mut self.buffer[..], self.count);
        for plain in plains {
            code_points[count] = plain.code_point();
            count += usize::from(plain.is_unit());
        }
        self.count = count;
    }
}

impl CodePointSink {
    #[cold]
    fn grow(&mut self) {
        self.buffer.resize((2 * self.buffer.len()).max(1024), 0);
    }
}

/// Folds `text` into `sink` and returns it. Linear in the text; about two nanoseconds per code point.
///
/// The sink is passed by value so that its counters can stay in registers.
#[inline]
pub fn fold<T: CodePoints + ?Sized, S: Sink>(text: &T, sink: S) -> S {
    match fold_from::<_, false>(text.code_points(), 0, sink) {
        (sink, None) => sink,
        (sink, Some(offset)) => fold_respelled(text.code_points().collect(), offset, sink),
    }
}

/// Respells the text and folds it from `offset` on.
#[cold]
fn fold_respelled<S: Sink>(mut text: Vec<u32>, offset: usize, sink: S) -> S {
    respell(&mut text);
    fold_from::<_, true>(text[offset..].iter().copied(), offset, sink).0
}

/// Restores look-alikes and moves Vietnamese tone marks, one code point for one.
fn respell(text: &mut [u32]) {
    look_alike::undo(text);
    tone::place(text);
}

/// Folds `code_points`, which begin at `offset`. Unless `RESPELLED`, stops at the first candidate for
/// respelling and returns its offset.
#[inline(always)]
fn fold_from<S: Sink, const RESPELLED: bool>(
    mut code_points: impl Iterator<Item = u32>,
    mut offset: usize,
    mut sink: S,
) -> (S, Option<usize>) {
    let table = FoldTable::get();
    // The last code point of a block waits, because the next one may combine with it.
    let (mut block, mut count, mut last) = ([Plain::default(); BLOCK], 0, 0);
    loop {
        let mut rare = None;
        for place in &mut block[count..] {
            let Some(code_point) = code_points.next() else {
                sink.plains(offset, &block[..count]);
                return (sink, None);
            };
            let Some(plain) = table.plain::<RESPELLED>(code_point) else {
                rare = Some(code_point);
                break;
            };
            *place = plain;
            count += 1;
            last = code_point;
        }
        let before = count.saturating_sub(1);
        sink.plains(offset, &block[..before]);
        offset += before;
        let plain = match rare {
            None => block[before],
            Some(rare) => {
                let (first, next) = if count > 0 { (last, Some(rare)) } else { (rare, code_points.next()) };
                match fold_rare::<_, RESPELLED>(first, next, &mut offset, &mut code_points, sink) {
                    (after, Next::Plain(code_point, plain)) => {
                        sink = after;
                        last = code_point;
                        plain
                    }
                    (after, Next::End) => return (after, None),
                    (after, Next::Respell(start)) => return (after, Some(start)),
                }
            }
        };
        block[0] = plain;
        count = 1;
    }
}

/// Code points that are passed to a sink together; few in tests, so that short texts have several blocks.
const BLOCK: usize = if cfg!(test) { 7 } else { 128 };

/// What follows rare code points.
enum Next {
    /// A plain code point and its fold.
    Plain(u32, Plain),
    /// The end of the text.
    End,
    /// A candidate for respelling, at this offset.
    Respell(usize),
}

/// Folds `code_point` at `offset`, of which `next` may be a part, and all rare ones that follow.
#[cold]
fn fold_rare<S: Sink, const RESPELLED: bool>(
    mut code_point: u32,
    mut next: Option<u32>,
    offset: &mut usize,
    code_points: &mut impl Iterator<Item = u32>,
    mut sink: S,
) -> (S, Next) {
    let table = FoldTable::get();
    loop {
        let (start, mut cluster) = (*offset, Vec::new());
        sink.position(start);
        *offset += 1;
        while let Some(part) = next.filter(|&part| table.composes(part)) {
            cluster.push(part);
            next = code_points.next();
            *offset += 1;
        }
        if !RESPELLED && must_respell(code_point, &cluster, next) {
            return (sink, Next::Respell(start));
        }
        sink = match table.fold(code_point) {
            folded if cluster.is_empty() && !matches!(folded, Folded::Composes) => emit(&folded, sink),
            _ => {
                sink.combine();
                fold_cluster(table, std::iter::once(code_point).chain(cluster), sink)
            }
        };
        let Some(following) = next else { return (sink, Next::End) };
        if let Some(plain) = table.plain::<RESPELLED>(following) {
            return (sink, Next::Plain(following, plain));
        }
        (code_point, next) = (following, code_points.next());
    }
}

/// True if a code point may need respelling; `marks` may combine with it, and `next` follows them, which may be a vowel
/// in other letters.
#[cold]
fn must_respell(code_point: u32, marks: &[u32], next: Option<u32>) -> bool {
    look_alike::is_any(code_point) || tone::may_move(code_point, marks, next) || next.is_some_and(look_alike::is_any)
}

/// Folds a code point together with those that may combine with it. NFKC can be split between such clusters.
#[cold]
fn fold_cluster<S: Sink>(table: &FoldTable, cluster: impl Iterator<Item = u32>, mut sink: S) -> S {
    for character in cluster.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).nfkc() {
        sink = emit(&table.fold_alone(u32::from(character)), sink);
    }
    sink
}

#[inline]
fn emit<S: Sink>(folded: &Folded<'_>, mut sink: S) -> S {
    match *folded {
        Folded::Single(code_point) => sink.single(code_point),
        Folded::Run(code_point) => sink.run(code_point),
        Folded::Break => sink.boundary(),
        Folded::Drop | Folded::Composes => {}
        Folded::Sequence(sequence) => emit_sequence(sequence, &mut sink),
    }
    sink
}

#[inline(always)]
fn emit_sequence<S: Sink>(sequence: &[u32], sink: &mut S) {
    for &packed in sequence {
        let (code_point, class) = table::unpack(packed);
        match class {
            Class::Single => sink.single(code_point),
            Class::Run => sink.run(code_point),
            Class::Break => sink.boundary(),
            Class::Drop => {}
        }
    }
}

/// The simplified form of a Han character, or the character itself.
#[inline]
pub fn simplified(character: char) -> char {
    if !is_han(character) {
        return character;
    }
    match FoldTable::get().fold_alone(character.into()) {
        Folded::Single(folded) => char::from_u32(folded).filter(|&folded| is_han(folded)).unwrap_or(character),
        _ => character,
    }
}

#[inline]
fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The class of a single code point.
pub fn class(code_point: u32) -> Class {
    match FoldTable::get().fold_alone(code_point) {
        Folded::Single(_) => Class::Single,
        Folded::Run(_) => Class::Run,
        Folded::Break => Class::Break,
        Folded::Drop | Folded::Composes => Class::Drop,
        Folded::Sequence(sequence) => sequence.first().map_or(Class::Drop, |&packed| table::unpack(packed).1),
    }
}

/// Folds a text to a string without separators, for display.
pub fn fold_to_string<T: CodePoints + ?Sized>(text: &T) -> String {
    tokens(text).concat()
}

/// Returns the folded tokens of a text.
pub fn tokens<T: CodePoints + ?Sized>(text: &T) -> Vec<String> {
    fold(text, TokenStrings::default()).tokens
}

#[derive(Default)]
struct TokenStrings {
    tokens: Vec<String>,
    in_run: bool,
}

impl Sink for TokenStrings {
    fn single(&mut self, code_point: u32) {
        self.in_run = false;
        self.tokens.extend(char::from_u32(code_point).map(String::from));
    }

    fn run(&mut self, code_point: u32) {
        if !self.in_run {
            self.tokens.push(String::new());
            self.in_run = true;
        }
        if let (Some(token), Some(character)) = (self.tokens.last_mut(), char::from_u32(code_point)) {
            token.push(character);
        }
    }

    fn boundary(&mut self) {
        self.in_run = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: the whole text is respelled and normalized, then folded code point by code point.
    fn slow(text: &str) -> Vec<String> {
        let (table, mut sink) = (FoldTable::get(), TokenStrings::default());
        let mut code_points: Vec<u32> = text.chars().map(u32::from).collect();
        respell(&mut code_points);
        for character in code_points.into_iter().filter_map(char::from_u32).nfkc() {
            sink = fold_cluster(table, std::iter::once(u32::from(character)), sink);
        }
        sink.tokens
    }

    proptest! {
        #[test]
        fn marks_combine_with_what_stands_before_them_and_with_nothing_else(
            text in "([a-zA-Z0-9 ，。今天éßﬁ①か가\u{200b}]|[\u{301}\u{323}\u{3099}\u{1100}\u{1161}\u{11a8}\u{915}\u{94d}]){0,40}|\\PC{0,40}",
        ) {
            let code_points: Vec<u32> = text.chars().map(u32::from).collect();
            prop_assert_eq!(tokens(text.as_str()), slow(&text));
            prop_assert_eq!(tokens(code_points.as_slice()), slow(&text));
        }

        #[test]
        fn a_text_is_respelled_from_the_first_place_that_asks_for_it(
            text in "([a-c1 éоахфΟו.]|[工エ⺠ー]|[houyaeòủnt]|[\u{300}\u{323}\u{200b}𐊂ひ한]){0,40}",
        ) {
            let code_points: Vec<u32> = text.chars().map(u32::from).collect();
            prop_assert_eq!(tokens(text.as_str()), slow(&text));
            prop_assert_eq!(tokens(code_points.as_slice()), slow(&text));
        }
    }

    #[test]
    fn a_tone_moves_to_a_vowel_in_other_letters() {
        let text = "\u{f2}\u{430} \u{39f}a\u{3072}n\u{5d5}";
        assert_eq!(tokens(text), slow(text));
        assert_eq!(tokens(text)[0], "o\u{e0}");
    }

    #[test]
    fn a_text_in_other_letters_is_the_same_text() {
        for (text, other) in [
            ("سلام أهلا إلى آخر ٱلكتاب", "سَلَامٌ اهلا الى اخــر الكتاب"),
            ("مدرسة على", "مدرسه علي"),
            ("کتاب فارسی ۱۲۳", "كتاب فارسي 123"),
            ("שָׁלוֹם עוֹלָם בְּרֵאשִׁ֖ית", "שלום עולם בראשית"),
            ("hòa bình thủy lợi", "hoà bình thuỷ lợi"),
            ("ho\u{300}a bi\u{300}nh thu\u{309}y lo\u{31b}\u{323}i", "hoà bình thuỷ lợi"),
            ("도서관을 건립할 계획", "도서관을건립할계획"),
            ("Тhе оld рареr оf а сосоа рlаnt", "The old paper of a cocoa plant"),
        ] {
            assert_eq!(tokens(text), tokens(other), "{text}");
        }
    }
}
