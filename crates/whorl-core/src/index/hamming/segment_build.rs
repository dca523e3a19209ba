//! Building a segment: sorts the codes and groups them by key, once for each table.

use rayon::prelude::*;

use super::code::Code;
use super::design::{Design, Permutation};
use crate::index::segment_file::{Builder, SegmentFile};
use crate::index::segments::{Labels, Rows};

/// File kind of segments.
pub(super) const KIND: [u8; 4] = *b"hams";
/// Average number of codes per directory entry, unless the keys are shorter than that requires.
const CODES_A_KEY: u32 = 2;
const LONGEST_KEY: u32 = 26;

/// A table under construction.
struct Table<'a, C> {
    permutation: &'a Permutation,
    directory_bits: u32,
    directory: &'a mut [u32],
    codes: &'a mut [C],
    references: &'a mut [u32],
}

impl<C: Code> Table<'_, C> {
    /// Counts the codes under each key, then writes each code to its key: a separate pass for every table.
    fn fill(self, distinct: &[C]) {
        let key = |code: C| self.permutation.apply(code).top(self.directory_bits);
        distinct.iter().for_each(|&code| self.directory[key(code) + 1] += 1);
        (1..self.directory.len()).for_each(|at| self.directory[at] += self.directory[at - 1]);
        if self.codes.is_empty() {
            return;
        }
        let mut next = self.directory.to_vec();
        for (number, &code) in distinct.iter().enumerate() {
            let place = &mut next[key(code)];
            self.codes[*place as usize] = self.permutation.apply(code);
            self.references[*place as usize] = number as u32;
            *place += 1;
        }
    }
}

/// The codes of rows in ascending order, each with its row.
struct Sorted<C> {
    codes: Vec<(C, u32)>,
    distinct: usize,
}

impl<C: Code> Sorted<C> {
    fn of(codes: &[C]) -> Self {
        let mut codes: Vec<(C, u32)> = codes.iter().copied().zip(0..).collect();
        codes.par_sort_unstable();
        let sorted = Self { codes, distinct: 0 };
        let distinct = (0..sorted.codes.len()).into_par_iter().filter(|&at| sorted.begins(at)).count();
        Self { distinct, ..sorted }
    }

    /// True if the code at a position differs from the previous one.
    fn begins(&self, at: usize) -> bool {
        at == 0 || self.codes[at].0 != self.codes[at - 1].0
    }

    fn repeats(&self) -> bool {
        self.distinct < self.codes.len()
    }

    fn fill(&self, codes: &mut [C], starts: &mut [u32], rows: &mut [u32]) {
        let mut number = 0;
        for (at, &(code, row)) in self.codes.iter().enumerate() {
            rows[at] = row;
            if self.begins(at) {
                codes[number] = code;
                if self.repeats() {
                    starts[number] = at as u32;
                }
                number += 1;
            }
        }
        if self.repeats() {
            starts[number] = self.codes.len() as u32;
        }
    }
}

/// Builds a segment of at most 2³² − 1 rows.
pub(super) fn build<C: Code>(design: &Design, rows: Rows<Vec<C>>) -> SegmentFile {
    let sorted = Sorted::of(&rows.values);
    let ids = Labels::ids_to_write(&rows.ids);
    let permutations = design.permutations::<C>();
    let bits: Vec<u32> = permutations.iter().map(|key| directory_bits(key, sorted.distinct)).collect();
    let text = design.to_string();
    let columns = [
        ("design", text.len()),
        ("codes", sorted.distinct * size_of::<C>()),
        ("starts", if sorted.repeats() { (sorted.distinct + 1) * 4 } else { 0 }),
        ("rows", rows.len() * 4),
        ("ids", ids.len() * 8),
        ("times", rows.times.len() * 8),
    ];
    let tables = table_columns::<C>(&bits, sorted.distinct);
    let named = tables.iter().map(|(name, bytes)| (name.as_str(), *bytes));
    let labels = columns.into_iter().chain(rows.payloads.columns(rows.len()));
    let mut builder = Builder::new(KIND, &labels.chain(named).collect::<Vec<_>>());
    let mut filling = builder.columns().into_iter();
    let mut next = || filling.next().expect("as many as were named");
    next().copy_from_slice(text.as_bytes());
    let codes: &mut [C] = bytemuck::cast_slice_mut(next());
    sorted.fill(codes, bytemuck::cast_slice_mut(next()), bytemuck::cast_slice_mut(next()));
    drop(sorted);
    next().copy_from_slice(bytemuck::cast_slice(ids));
    next().copy_from_slice(bytemuck::cast_slice(&rows.times));
    rows.payloads.fill(&mut next);
    let table = |(permutation, &directory_bits)| Table {
        permutation,
        directory_bits,
        directory: bytemuck::cast_slice_mut(next()),
        codes: bytemuck::cast_slice_mut(next()),
        references: bytemuck::cast_slice_mut(next()),
    };
    let tables: Vec<Table<'_, C>> = permutations.iter().zip(&bits).map(table).collect();
    tables.into_par_iter().for_each(|table| table.fill(codes));
    builder.finish(&Labels::facts(&rows.ids, &rows.times))
}

/// Names and sizes of the columns of each table, given the number of bits of its directory.
fn table_columns<C: Code>(directory_bits: &[u32], distinct: usize) -> Vec<(String, usize)> {
    let columns = |(table, bits): (usize, &u32)| {
        // The first table is the codes in order.
        let stored = if table == 0 { 0 } else { distinct };
        [
            (format!("directory {table}"), ((1 << bits) + 1) * 4),
            (format!("codes {table}"), stored * size_of::<C>()),
            (format!("references {table}"), stored * 4),
        ]
    };
    directory_bits.iter().enumerate().flat_map(columns).collect()
}

/// The number of bits of a directory: the entire key, unless it has more values than there are codes.
fn directory_bits(permutation: &Permutation, distinct: usize) -> u32 {
    let useful = (distinct as u32 / CODES_A_KEY).checked_ilog2().unwrap_or(0);
    useful.min(permutation.key_bits()).min(LONGEST_KEY)
}
