//! The folding table `whorl-fold-2`, read from its committed binary form (layout: `examples/fold_table/mod.rs`).

use std::sync::LazyLock;

use super::{look_alike, tone};

const BMP: usize = 0x1_0000;
const BREAK: u16 = 0xD800;
const DROP: u16 = 0xD801;
const SLOW: u16 = 0xD802;
const COMPOSES: u8 = 1;
const CODE_POINT: u32 = 0x1F_FFFF;

/// The effect of a folded code point on tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A token by itself: Han, Kana, Thai and the other scripts written without spaces.
    Single,
    /// Ends a run and disappears: white space, punctuation, symbols.
    Break,
    /// Part of a run of letters, marks or digits.
    Run,
    /// Removed without effect: zero-width and default-ignorable.
    Drop,
}

/// The fold of one code point.
pub(super) enum Folded<'a> {
    Single(u32),
    Run(u32),
    Break,
    Drop,
    /// May combine with its neighbors: the text must be normalized first.
    Composes,
    /// Several folded code points, packed as for [`unpack`].
    Sequence(&'a [u32]),
}

struct Record {
    code_point: u32,
    composes: bool,
    start: u32,
    length: u8,
}

struct Range {
    first: u32,
    last: u32,
    class: Class,
}

/// The fold of a code point that is neither dropped nor rare: the folded code point (meaningless for a break) and bits
/// for its class. Loops over text read the bits instead of the [`Class`], so that they need no comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain(u32);

impl Plain {
    const RUN: u32 = 24;
    const SINGLE: u32 = 25;
    const UNIT: u32 = 26;

    fn bits(class: Class) -> u32 {
        match class {
            Class::Run => 1 << Self::RUN | 1 << Self::UNIT,
            Class::Single => 1 << Self::SINGLE | 1 << Self::UNIT,
            Class::Break | Class::Drop => 0,
        }
    }

    /// The folded code point.
    #[inline(always)]
    pub fn code_point(self) -> u32 {
        self.0 & CODE_POINT
    }

    /// True for a part of a run.
    #[inline(always)]
    pub fn is_run(self) -> bool {
        self.has(Self::RUN)
    }

    /// True for a token by itself.
    #[inline(always)]
    pub fn is_single(self) -> bool {
        self.has(Self::SINGLE)
    }

    /// True unless it is a break.
    #[inline(always)]
    pub fn is_unit(self) -> bool {
        self.has(Self::UNIT)
    }

    /// Number of those that are no breaks.
    #[inline(always)]
    pub fn units(plains: &[Self]) -> usize {
        plains.iter().map(|plain| plain.0 >> Self::UNIT & 1).sum::<u32>() as usize
    }

    #[inline(always)]
    fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }
}

/// The fold of a BMP code point: a [`Plain`] value and flags.
#[derive(Clone, Copy, Debug)]
struct Entry(u32);

impl Entry {
    /// A candidate for respelling.
    const CANDIDATE: u32 = 1 << 29;
    /// Dropped or rare.
    const NOT_PLAIN: u32 = 1 << 30;
    /// Rare: the fold is in the records or ranges.
    const RARE: u32 = 1 << 31;

    fn of(entry: u16, single: &[u64; BMP / 64]) -> Self {
        let (class, flags) = match entry {
            BREAK => (Class::Break, 0),
            DROP => (Class::Drop, Self::NOT_PLAIN),
            SLOW => (Class::Drop, Self::NOT_PLAIN | Self::RARE),
            folded if single[usize::from(folded >> 6)] >> (folded & 63) & 1 == 1 => (Class::Single, 0),
            _ => (Class::Run, 0),
        };
        Self(flags | Plain::bits(class) | u32::from(entry))
    }
}

pub(super) struct FoldTable {
    bmp: Box<[Entry; BMP]>,
    records: Vec<Record>,
    pool: Vec<u32>,
    ranges: Vec<Range>,
}

/// Splits a packed value of the pool: code point in the low 21 bits, class in the top byte.
pub(super) fn unpack(packed: u32) -> (u32, Class) {
    (packed & CODE_POINT, class_from((packed >> 24) as u8))
}

fn class_from(byte: u8) -> Class {
    [Class::Single, Class::Run, Class::Break, Class::Drop][usize::from(byte)]
}

impl FoldTable {
    pub(super) fn get() -> &'static Self {
        static TABLE: LazyLock<FoldTable> = LazyLock::new(|| FoldTable::parse(include_bytes!("../fold_table.bin")));
        &TABLE
    }

    /// The fold of a code point; None for dropped or rare code points, and unless `RESPELLED` for candidates for
    /// respelling.
    #[inline(always)]
    pub(super) fn plain<const RESPELLED: bool>(&self, code_point: u32) -> Option<Plain> {
        let except = if RESPELLED { Entry::NOT_PLAIN } else { Entry::NOT_PLAIN | Entry::CANDIDATE };
        let &Entry(entry) = self.bmp.get(code_point as usize)?;
        (entry & except == 0).then_some(Plain(entry))
    }

    #[inline(always)]
    pub(super) fn fold(&self, code_point: u32) -> Folded<'_> {
        let Some(&Entry(entry)) = self.bmp.get(code_point as usize) else {
            return self.fold_rarely(code_point);
        };
        let plain = Plain(entry);
        match entry & (Entry::NOT_PLAIN | Entry::RARE) {
            0 if plain.is_single() => Folded::Single(plain.code_point()),
            0 if plain.is_run() => Folded::Run(plain.code_point()),
            0 => Folded::Break,
            Entry::NOT_PLAIN => Folded::Drop,
            _ => self.fold_rarely(code_point),
        }
    }

    #[cold]
    fn fold_rarely(&self, code_point: u32) -> Folded<'_> {
        match self.record(code_point) {
            Some(record) if record.composes => Folded::Composes,
            Some(record) => Folded::Sequence(self.sequence(record)),
            None => match self.class_of_range(code_point) {
                Class::Single => Folded::Single(code_point),
                Class::Run => Folded::Run(code_point),
                Class::Break => Folded::Break,
                Class::Drop => Folded::Drop,
            },
        }
    }

    /// The fold of a code point of a normalized text, where combining no longer matters.
    pub(super) fn fold_alone(&self, code_point: u32) -> Folded<'_> {
        match self.fold(code_point) {
            Folded::Composes => {
                self.record(code_point).map_or(Folded::Drop, |record| Folded::Sequence(self.sequence(record)))
            }
            folded => folded,
        }
    }

    pub(super) fn composes(&self, code_point: u32) -> bool {
        matches!(self.fold(code_point), Folded::Composes)
    }

    fn record(&self, code_point: u32) -> Option<&Record> {
        let index = self.records.binary_search_by_key(&code_point, |record| record.code_point).ok()?;
        Some(&self.records[index])
    }

    fn sequence(&self, record: &Record) -> &[u32] {
        &self.pool[record.start as usize..record.start as usize + usize::from(record.length)]
    }

    fn class_of_range(&self, code_point: u32) -> Class {
        let after = self.ranges.partition_point(|range| range.first <= code_point);
        match self.ranges[..after].last() {
            Some(range) if code_point <= range.last => range.class,
            _ => Class::Break,
        }
    }

    fn parse(bytes: &[u8]) -> Self {
        let mut reader = Reader(bytes);
        let folded: Box<[u16; BMP]> = Box::new(std::array::from_fn(|_| reader.u16()));
        let single: [u64; BMP / 64] = std::array::from_fn(|_| reader.u64());
        let bmp: Box<[Entry]> = folded.iter().map(|&entry| Entry::of(entry, &single)).collect();
        let mut bmp: Box<[Entry; BMP]> = bmp.try_into().expect("one entry for each code point");
        for code_point in look_alike::all().chain(tone::first_vowels()) {
            if let Some(Entry(entry)) = bmp.get_mut(code_point as usize) {
                *entry |= Entry::CANDIDATE;
            }
        }
        let records = (0..reader.u32()).map(|_| reader.record()).collect();
        let pool = (0..reader.u32()).map(|_| reader.u32()).collect();
        let ranges = (0..reader.u32()).map(|_| reader.range()).collect();
        assert!(reader.0.is_empty(), "the folding table has bytes left over");
        Self { bmp, records, pool, ranges }
    }
}

/// Reads little-endian values off the front of the table.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, tail) = self.0.split_first_chunk::<N>().expect("the folding table is complete");
        self.0 = tail;
        *head
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn record(&mut self) -> Record {
        let code_point = self.u32();
        let [flags, length, _, _] = self.take();
        Record { code_point, composes: flags & COMPOSES != 0, start: self.u32(), length }
    }

    fn range(&mut self) -> Range {
        let (first, last) = (self.u32(), self.u32());
        let [class, _, _, _] = self.take();
        Range { first, last, class: class_from(class) }
    }
}
