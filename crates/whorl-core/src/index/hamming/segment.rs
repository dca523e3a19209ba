//! An immutable segment: rows whose codes are sorted once for each table.

use std::hint::black_box;
use std::sync::Arc;

use super::answer::{Ask, PlacedNear, Tally};
use super::code::Code;
use super::design::{Design, Permutation};
use super::distinct::Distinct;
use super::plan::{Plan, masks, masks_within};
use super::scan::scan;
use super::segment_build;
use crate::index::segment_file::{Column, Refused, SegmentFile};
use crate::index::segments::{self, Dead, Labels, Rows, Sealed};

/// Cost of a key look-up, in units of a sequential code comparison: one or two memory accesses.
const KEY_COST: f64 = 64.0;

/// Bytes of a cache line.
const LINE: usize = 64;
/// Number of codes of a run to prefetch; the hardware prefetches the rest.
const FETCHED: usize = 512;

/// The codes under each value of a key.
struct Table<C> {
    permutation: Permutation,
    directory_bits: u32,
    directory: Column<u32>,
    codes: Column<C>,
    /// The index of each code among the distinct codes; None for the first table, which has them in order.
    references: Option<Column<u32>>,
}

/// Codes in a [`SegmentFile`], built by this process or mapped.
pub struct Segment<C> {
    file: SegmentFile,
    tables: Vec<Table<C>>,
    codes: Column<C>,
    starts: Column<u32>,
    rows: Column<u32>,
    labels: Labels,
}

impl<C: Code> segments::Segment for Segment<C> {
    type Common = Design;
    type Values = Vec<C>;

    const SEGMENT: [u8; 4] = segment_build::KIND;
    const MANIFEST: [u8; 4] = *b"hamm";
    /// Rows below this number are compared one by one. A look-up in a segment costs as much as comparing about 600
    /// codes, and segments for so few rows would be merged too often.
    const RECENT: usize = 2 << 10;
    const LARGEST: usize = 16 << 20;

    /// Builds a segment; about 0.2 µs per code on two cores with four tables.
    fn build(design: &Design, rows: Rows<Vec<C>>) -> Self {
        Self::open(segment_build::build(design, rows), design).expect("it was made just now")
    }

    fn open(file: SegmentFile, design: &Design) -> Result<Self, Refused> {
        let text = file.read_all(file.column::<u8>("design")?)?;
        if text != design.to_string().as_bytes() {
            return Err(Refused::Foreign(format!("a segment of the design {}", String::from_utf8_lossy(text))));
        }
        let codes = file.column::<C>("codes")?;
        let tables = design.permutations::<C>().into_iter().enumerate();
        let segment = Self {
            tables: tables.map(|(t, key)| open_table(&file, t, key, codes)).collect::<Result<_, _>>()?,
            codes,
            starts: file.column("starts")?,
            rows: file.column("rows")?,
            labels: Labels::of(&file)?,
            file,
        };
        let starts = segment.starts.len();
        let fits = segment.rows.len() == segment.labels.len()
            && (starts == 0 || starts == codes.len() + 1)
            && (starts > 0 || codes.len() == segment.rows.len());
        if fits { Ok(segment) } else { Err(Refused::Damaged("its columns do not fit each other".into())) }
    }

    fn merge(design: &Design, parts: &[Sealed<Self>]) -> Result<Option<Self>, Refused> {
        let mut rows = Rows::default();
        for sealed in parts {
            rows.append(&sealed.segment.living(sealed.dead.as_deref())?);
        }
        Ok((!rows.is_empty()).then(|| Self::build(design, rows)))
    }

    fn file(&self) -> &SegmentFile {
        &self.file
    }

    fn labels(&self) -> &Labels {
        &self.labels
    }

    fn weight(&self) -> usize {
        self.rows.len()
    }
}

impl<C: Code> Segment<C> {
    /// Appends the living rows within the distance; `place` is the position of the first row.
    ///
    /// At most `most_candidates` codes under a key are compared.
    pub(super) fn search(
        &self,
        query: C,
        ask: &Ask,
        plan: Option<&Plan>,
        most_candidates: usize,
        list: &mut Listing<'_>,
    ) -> Result<(), Refused> {
        if !self.labels.meet(ask.window) {
            return Ok(());
        }
        let mut near = Vec::new();
        let Some(plan) = plan.filter(|plan| self.cost(plan) < self.codes.len() as f64) else {
            list.tally.scans += 1;
            list.tally.candidates += self.codes.len() as u64;
            scan(self.file.read_all(self.codes)?, query, ask.k, &mut near);
            return self.list(&near, ask, list);
        };
        if !ask.first {
            self.probe(query, ask.k, plan.radii().iter().copied().enumerate(), most_candidates, &mut near, list.tally)?;
            near.sort_unstable();
            near.dedup();
            return self.list(&near, ask, list);
        }
        for table in plan.radii().iter().copied().enumerate() {
            self.probe(query, ask.k, [table].into_iter(), most_candidates, &mut near, list.tally)?;
            self.list(&near, ask, list)?;
            if !list.results.is_empty() {
                break;
            }
            near.clear();
        }
        Ok(())
    }

    /// Cost of a plan, in code comparisons.
    fn cost(&self, plan: &Plan) -> f64 {
        let table = |(radius, table): (&Option<u32>, &Table<C>)| match radius {
            None => 0.0,
            Some(radius) => {
                let codes_a_key = self.codes.len() as f64 / f64::from(1u32 << table.directory_bits);
                masks_within(table.directory_bits, *radius) * (KEY_COST + codes_a_key)
            }
        };
        plan.radii().iter().zip(&self.tables).map(table).sum()
    }

    /// Looks up the keys of a query and appends index and distance of each distinct code that is near.
    fn probe(
        &self,
        query: C,
        k: u32,
        radii: impl Iterator<Item = (usize, Option<u32>)>,
        most_candidates: usize,
        near: &mut Vec<(u32, u32)>,
        tally: &mut Tally,
    ) -> Result<(), Refused> {
        let mut runs = Vec::with_capacity(self.tables.len());
        for (table, radius) in radii.filter_map(|(table, radius)| Some((&self.tables[table], radius?))) {
            let permuted = table.permutation.apply(query);
            let key = permuted.top(table.directory_bits);
            for mask in (0..=radius).flat_map(|weight| masks(table.directory_bits, weight)) {
                let bounds = self.file.read(table.directory, (key ^ mask)..(key ^ mask) + 2)?;
                let [start, end] = [bounds[0] as usize, bounds[1] as usize];
                let compared = end.min(start.saturating_add(most_candidates));
                let codes = self.file.read(table.codes, start..compared.max(start))?;
                tally.probes += 1;
                tally.candidates += codes.len() as u64;
                tally.cut += end.saturating_sub(compared) as u64;
                runs.push((table, permuted, start as u32, codes));
            }
        }
        // Prefetch all runs, one load per cache line; otherwise each scan would wait for its own cache miss.
        let lines = |codes: &[C]| {
            codes.iter().take(FETCHED).step_by(LINE / size_of::<C>()).fold(0, |sum, code| sum ^ code.low())
        };
        black_box(runs.iter().fold(0, |sum, (.., codes)| sum ^ lines(codes)));
        let mut results = Vec::new();
        for (table, permuted, start, codes) in runs {
            scan(codes, permuted, k, &mut results);
            for (position, distance) in results.drain(..) {
                let number = match table.references {
                    None => start + position,
                    Some(references) => {
                        let at = (start + position) as usize;
                        self.file.read(references, at..at + 1)?[0]
                    }
                };
                near.push((number, distance));
            }
        }
        Ok(())
    }

    /// Lists the rows of distinct codes.
    fn list(&self, near: &[(u32, u32)], ask: &Ask, list: &mut Listing<'_>) -> Result<(), Refused> {
        for &(number, distance) in near {
            let rows = self.rows_of(number as usize)?;
            let mut listed = 0;
            for (passed, &row) in rows.iter().enumerate() {
                if list.dead.is_some_and(|dead| dead.has(row)) || !self.labels.in_window(&self.file, row, ask.window)? {
                    continue;
                }
                list.results.push(PlacedNear {
                    distance,
                    place: list.place + u64::from(row),
                    id: self.labels.id(&self.file, row)?,
                });
                listed += 1;
                if listed == ask.limit {
                    list.tally.unlisted += (rows.len() - passed - 1) as u64;
                    break;
                }
            }
        }
        Ok(())
    }

    fn rows_of(&self, number: usize) -> Result<&[u32], Refused> {
        if self.starts.is_empty() {
            return self.file.read(self.rows, number..number + 1);
        }
        let bounds = self.file.read(self.starts, number..number + 2)?;
        self.file.read(self.rows, bounds[0] as usize..bounds[1] as usize)
    }

    /// The living rows in insertion order.
    pub(super) fn living(&self, dead: Option<&Dead>) -> Result<Rows<Vec<C>>, Refused> {
        let mut codes = vec![C::zeroed(); self.rows.len()];
        for (number, &code) in self.file.read_all(self.codes)?.iter().enumerate() {
            for &row in self.rows_of(number)? {
                match codes.get_mut(row as usize) {
                    Some(place) => *place = code,
                    None => return Err(Refused::Damaged("a row that is not there".into())),
                }
            }
        }
        let (ids, times) = self.labels.all(&self.file)?;
        let payloads = self.labels.payloads(&self.file)?;
        let mut rows = Rows { values: codes, ids, times, payloads };
        if let Some(dead) = dead {
            rows.retain(|_, row| !dead.has(row as u32));
        }
        Ok(rows)
    }

    /// The ids of all rows in insertion order, and their sorted codes.
    pub(super) fn sorted(&self) -> Result<(Vec<u64>, Distinct<C>), Refused> {
        let codes = self.file.read_all(self.codes)?.to_vec();
        let rows = self.file.read_all(self.rows)?.to_vec();
        let starts = match self.starts.is_empty() {
            true => (0..=codes.len() as u32).collect(),
            false => self.file.read_all(self.starts)?.to_vec(),
        };
        let inside = rows.iter().all(|&row| (row as usize) < rows.len());
        if !inside || !starts.is_sorted() || starts.last() != Some(&(rows.len() as u32)) {
            return Err(Refused::Damaged("rows that are not there".into()));
        }
        Ok((self.labels.all(&self.file)?.0, Distinct { codes, rows, starts }))
    }
}

/// Collects the results and omissions of a search.
pub(super) struct Listing<'a> {
    pub dead: Option<&'a Arc<Dead>>,
    /// Position of the segment's first row in insertion order.
    pub place: u64,
    pub results: &'a mut Vec<PlacedNear>,
    pub tally: &'a mut Tally,
}

fn open_table<C: Code>(
    file: &SegmentFile,
    table: usize,
    permutation: Permutation,
    distinct: Column<C>,
) -> Result<Table<C>, Refused> {
    let directory = file.column::<u32>(&format!("directory {table}"))?;
    let keys = directory.len().wrapping_sub(1);
    let references = file.column::<u32>(&format!("references {table}"))?;
    let codes = if table == 0 { distinct } else { file.column(&format!("codes {table}"))? };
    let complete = table == 0 || (references.len() == distinct.len() && codes.len() == distinct.len());
    if !keys.is_power_of_two() || keys.ilog2() > permutation.key_bits() || !complete {
        return Err(Refused::Damaged(format!("table {table} is not whole")));
    }
    let references = (table > 0).then_some(references);
    Ok(Table { permutation, directory_bits: keys.ilog2(), directory, codes, references })
}
