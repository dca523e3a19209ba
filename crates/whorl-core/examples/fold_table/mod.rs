//! Serialization of the folding table.
//!
//! All integers are little endian, and sections follow each other without padding:
//!
//! ```text
//! bmp      65,536 × u16    what the code point folds to, when that is one code point of the BMP; or
//!                          0xD800 BREAK: removed, ends a token
//!                          0xD801 DROP:  removed, does not end a token
//!                          0xD802 SLOW:  look in `records`
//! single   1,024 × u64     bit (c & 63) of word (c >> 6): the folded BMP code point c is a token by itself
//! records  u32 count, then count × { u32 code point, u8 flags, u8 length, u16 zero, u32 offset in the pool },
//!          by rising code point; flag bit 0 is COMPOSES
//! pool     u32 count, then count × u32: folded code point | class << 24
//! ranges   u32 count, then count × { u32 first, u32 last, u8 class, 3 × u8 zero }, by rising code point
//! ```
//!
//! Classes are 0 SINGLE, 1 RUN, 2 BREAK, 3 DROP. A code point beyond the BMP without a record folds to itself, with the
//! class of its range; outside all ranges it is BREAK. Every COMPOSES code point has a record.

mod rules;

pub use rules::{Class, Rules, class, composes};

const BREAK: u16 = 0xD800;
const DROP: u16 = 0xD801;
const SLOW: u16 = 0xD802;
const COMPOSES: u8 = 1;
const LAST_OF_BMP: char = '\u{FFFF}';

/// The Unicode version of the character data, as `major.minor.update`.
pub fn unicode_version() -> String {
    let (major, minor, update) = unicode_normalization::UNICODE_VERSION;
    format!("{major}.{minor}.{update}")
}

/// Computes the table for every code point. Takes some seconds.
pub fn build() -> Vec<u8> {
    let rules = Rules::load();
    let mut table = Table::new();
    for code_point in 0..=0x10FFFF {
        match char::from_u32(code_point) {
            Some(character) => table.add(character, &rules.fold(character)),
            None => table.bmp.push(BREAK),
        }
    }
    table.into_bytes()
}

/// The explicit fold of a code point.
struct Record {
    code_point: u32,
    flags: u8,
    length: u8,
    offset: u32,
}

/// Astral code points that fold to themselves.
struct Range {
    first: u32,
    last: u32,
    class: Class,
}

/// The sections of the file, filled in code point order.
struct Table {
    bmp: Vec<u16>,
    single: Vec<u64>,
    records: Vec<Record>,
    pool: Vec<u32>,
    ranges: Vec<Range>,
}

impl Table {
    fn new() -> Self {
        let (bmp, single) = (Vec::with_capacity(0x1_0000), vec![0; 0x400]);
        Self { bmp, single, records: Vec::new(), pool: Vec::new(), ranges: Vec::new() }
    }

    fn add(&mut self, code_point: char, folded: &[char]) {
        let composes = composes(code_point);
        if code_point <= LAST_OF_BMP {
            let entry = if composes { SLOW } else { self.entry(folded) };
            self.bmp.push(entry);
            if entry == SLOW {
                self.add_record(code_point, composes, folded);
            }
        } else if composes || folded != [code_point] {
            self.add_record(code_point, composes, folded);
        } else if class(code_point) != Class::Break {
            self.extend_ranges(code_point);
        }
    }

    /// The entry in `bmp` of a code point that does not compose.
    fn entry(&mut self, folded: &[char]) -> u16 {
        if folded.iter().all(|&output| class(output) == Class::Drop) {
            return DROP;
        }
        if folded.iter().all(|&output| matches!(class(output), Class::Break | Class::Drop)) {
            return BREAK;
        }
        match *folded {
            [output] if output <= LAST_OF_BMP => {
                if class(output) == Class::Single {
                    self.single[output as usize / 64] |= 1 << (output as usize % 64);
                }
                output as u16
            }
            _ => SLOW,
        }
    }

    fn add_record(&mut self, code_point: char, composes: bool, folded: &[char]) {
        self.records.push(Record {
            code_point: code_point.into(),
            flags: if composes { COMPOSES } else { 0 },
            length: u8::try_from(folded.len()).expect("no code point folds to more than 18"),
            offset: self.pool.len() as u32,
        });
        self.pool.extend(folded.iter().map(|&output| u32::from(output) | (class(output) as u32) << 24));
    }

    fn extend_ranges(&mut self, code_point: char) {
        let (code_point, class) = (u32::from(code_point), class(code_point));
        match self.ranges.last_mut() {
            Some(range) if range.class == class && range.last + 1 == code_point => range.last = code_point,
            _ => self.ranges.push(Range { first: code_point, last: code_point, class }),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.bmp.iter().flat_map(|entry| entry.to_le_bytes()));
        bytes.extend(self.single.iter().flat_map(|word| word.to_le_bytes()));
        push_section(&mut bytes, &self.records, |record, bytes| {
            bytes.extend(record.code_point.to_le_bytes());
            bytes.extend([record.flags, record.length, 0, 0]);
            bytes.extend(record.offset.to_le_bytes());
        });
        push_section(&mut bytes, &self.pool, |packed, bytes| bytes.extend(packed.to_le_bytes()));
        push_section(&mut bytes, &self.ranges, |range, bytes| {
            bytes.extend(range.first.to_le_bytes());
            bytes.extend(range.last.to_le_bytes());
            bytes.extend([range.class as u8, 0, 0, 0]);
        });
        bytes
    }
}

/// Appends the number of items, then every item.
fn push_section<T>(bytes: &mut Vec<u8>, items: &[T], push: impl Fn(&T, &mut Vec<u8>)) {
    bytes.extend((items.len() as u32).to_le_bytes());
    for item in items {
        push(item, bytes);
    }
}
