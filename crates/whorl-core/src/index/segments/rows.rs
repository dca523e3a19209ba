//! Rows that are not in a segment yet.

/// What many rows hold beside ids and times.
pub trait Values: Clone + Default + Send + Sync {
    /// How many rows there are.
    fn len(&self) -> usize;
    /// Adds other rows after these.
    fn append(&mut self, other: &Self);
    /// Some of the rows, by number.
    fn select(&self, rows: &[usize]) -> Self;
    /// What a row weighs when it is merged.
    fn weight(&self, row: usize) -> usize;

    /// Whether there are none.
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

/// Rows in the order of adding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows<V> {
    /// What they hold.
    pub values: V,
    /// What they are called.
    pub ids: Vec<u64>,
    /// When they were; empty where nobody said.
    pub times: Vec<i64>,
}

impl<V: Values> Rows<V> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds other rows after these.
    pub fn append(&mut self, other: &Self) {
        self.values.append(&other.values);
        self.ids.extend_from_slice(&other.ids);
        self.times.extend_from_slice(&other.times);
    }

    /// Some of the rows, by number.
    pub fn select(&self, rows: &[usize]) -> Self {
        let times = if self.times.is_empty() { Vec::new() } else { self.times.select(rows) };
        Self { values: self.values.select(rows), ids: self.ids.select(rows), times }
    }

    /// Keeps the rows, by their number, that `keep` says.
    pub fn retain(&mut self, keep: impl Fn(&Self, usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|&row| keep(self, row)).collect();
        if kept.len() < self.len() {
            *self = self.select(&kept);
        }
    }

    /// The rows cut into parts, in order, that weigh at most `largest`, or have one row.
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
