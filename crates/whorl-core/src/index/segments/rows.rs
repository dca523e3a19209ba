//! Rows that are not in a segment yet.

use super::Payloads;

/// The contents of rows in addition to ids and times.
pub trait Values: Clone + Default + Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Appends other rows.
    fn append(&mut self, other: &Self);
    /// Selects rows by index.
    fn select(&self, rows: &[usize]) -> Self;
    /// Weight of a row in a merge.
    fn weight(&self, row: usize) -> usize;

    /// True if there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Copy + Send + Sync> Values for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn append(&mut self, other: &Self) {
        self.extend_from_slice(other);
    }

    fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&row| self[row]).collect()
    }

    fn weight(&self, _: usize) -> usize {
        1
    }
}

/// Rows in insertion order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows<V> {
    /// The values of the rows.
    pub values: V,
    /// The ids of the rows.
    pub ids: Vec<u64>,
    /// The times of the rows; empty if they have none.
    pub times: Vec<i64>,
    /// The payloads of the rows.
    pub payloads: Payloads,
}

impl<V: Values> Rows<V> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Appends other rows.
    pub fn append(&mut self, other: &Self) {
        self.payloads.append(self.len(), &other.payloads, other.len());
        self.values.append(&other.values);
        self.ids.extend_from_slice(&other.ids);
        self.times.extend_from_slice(&other.times);
    }

    /// Selects rows by index.
    pub fn select(&self, rows: &[usize]) -> Self {
        let times = if self.times.is_empty() { Vec::new() } else { self.times.select(rows) };
        let payloads = self.payloads.select(rows);
        Self { values: self.values.select(rows), ids: self.ids.select(rows), times, payloads }
    }

    /// Keeps the rows for which `keep` returns true for their index.
    pub fn retain(&mut self, keep: impl Fn(&Self, usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|&row| keep(self, row)).collect();
        if kept.len() < self.len() {
            *self = self.select(&kept);
        }
    }

    /// Divides the rows into consecutive parts that weigh at most `largest` or have a single row.
    pub fn parts(self, largest: usize) -> Vec<Self> {
        let (mut cuts, mut weight) = (vec![0], 0);
        for row in 0..self.len() {
            weight += self.values.weight(row);
            if weight > largest && row > cuts[cuts.len() - 1] {
                cuts.push(row);
                weight = self.values.weight(row);
            }
        }
        match cuts.len() {
            _ if self.is_empty() => Vec::new(),
            1 => vec![self],
            _ => {
                cuts.push(self.len());
                let part = |cut: &[usize]| self.select(&(cut[0]..cut[1]).collect::<Vec<_>>());
                cuts.windows(2).map(part).collect()
            }
        }
    }
}
