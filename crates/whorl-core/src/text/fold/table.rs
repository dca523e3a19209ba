//! The folding table `whorl-fold-2`, read from its committed binary form (layout: `examples/fold_table/mod.rs`).

use std::sync::LazyLock;

use super::{look_alike, tone};

const BMP: usize = 0x1_0000;
const BREAK: u16 = 0xD800;
const DROP: u16 = 0xD801;
const SLOW: u16 = 0xD802;
const COMPOSES: u8 = 1;

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

/// The kind of a BMP entry, available before the entry is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Kind {
    Single,
    Break,
    Run,
    Drop,
    Slow,
}

pub(super) struct FoldTable {
    bmp: Box<[u16; BMP]>,
    kinds: Box<[Kind; BMP]>,
    /// The same, with slow entries for every candidate for respelling.
    cautious: Box<[Kind; BMP]>,
    records: Vec<Record>,
    pool: Vec<u32>,
    ranges: Vec<Range>,
}

/// Splits a packed value of the pool: code point in the low 21 bits, class in the top byte.
pub(super) fn unpack(packed: u32) -> (u32, Class) {
    (packed & 0x1F_FFFF, class_from((packed >> 24) as u8))
}

fn class_from(byte: u8) -> Class {
    [Class::Single, Class::Run, Class::Break, Class::Drop][usize::from(byte)]
}

impl FoldTable {
    pub(super) fn get() -> &'static Self {
        static TABLE: LazyLock<FoldTable> = LazyLock::new(|| FoldTable::parse(include_bytes!("../fold_table.bin")));
        &TABLE
    }

    /// The folded code point (meaningless for a break) and its class. None for dropped or rare code points, and unless
    /// `RESPELLED` for candidates for respelling.
    #[inline(always)]
    pub(super) fn plain<const RESPELLED: bool>(&self, code_point: u32) -> Option<(u32, Class)> {
        let kinds = if RESPELLED { &self.kinds } else { &self.cautious };
        let class = match *kinds.get(code_point as usize)? {
            Kind::Single => Class::Single,
            Kind::Break => Class::Break,
            Kind::Run => Class::Run,
            Kind::Drop | Kind::Slow => return None,
        };
        Some((self.bmp[code_point as usize].into(), class))
    }

    #[inline(always)]
    pub(super) fn fold(&self, code_point: u32) -> Folded<'_> {
        let Some(kind) = self.kinds.get(code_point as usize) else {
            return self.fold_rarely(code_point);
        };
        let folded = self.bmp[code_point as usize].into();
        match kind {
            Kind::Single => Folded::Single(folded),
            Kind::Run => Folded::Run(folded),
            Kind::Break => Folded::Break,
            Kind::Drop => Folded::Drop,
            Kind::Slow => self.fold_rarely(code_point),
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
        let bmp: Box<[u16; BMP]> = Box::new(std::array::from_fn(|_| reader.u16()));
        let single: [u64; BMP / 64] = std::array::from_fn(|_| reader.u64());
        let kinds: Box<[Kind; BMP]> = Box::new(std::array::from_fn(|code_point| kind(bmp[code_point], &single)));
        let mut cautious = kinds.clone();
        for code_point in
            look_alike::all().chain(tone::first_vowels()).filter(|&code_point| (code_point as usize) < BMP)
        {
            cautious[code_point as usize] = Kind::Slow;
        }
        let records = (0..reader.u32()).map(|_| reader.record()).collect();
        let pool = (0..reader.u32()).map(|_| reader.u32()).collect();
        let ranges = (0..reader.u32()).map(|_| reader.range()).collect();
        assert!(reader.0.is_empty(), "the folding table has bytes left over");
        Self { bmp, kinds, cautious, records, pool, ranges }
    }
}

fn kind(entry: u16, single: &[u64; BMP / 64]) -> Kind {
    match entry {
        BREAK => Kind::Break,
        DROP => Kind::Drop,
        SLOW => Kind::Slow,
        folded if single[usize::from(folded >> 6)] >> (folded & 63) & 1 == 1 => Kind::Single,
        _ => Kind::Run,
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
