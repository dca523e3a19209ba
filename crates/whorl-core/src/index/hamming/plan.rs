//! Query plans: the distance from the key of the query at which each table is searched.

use super::design::Design;

/// Designs with more error patterns are not planned: searching that many tables costs more than a scan.
const MOST_PATTERNS: u64 = 250_000;

/// For each table, the number of bits in which a looked-up key may differ from that of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    radii: Vec<Option<u32>>,
}

impl Plan {
    /// The search distance of each table; None for a table that is not needed.
    pub fn radii(&self) -> &[Option<u32>] {
        &self.radii
    }
}

impl Design {
    /// Computes the cheapest plan that finds every code within `k` bits; None if only a scan does.
    ///
    /// If no two keys overlap, the distances plus one need only sum to k + 1 (the general pigeonhole principle), and
    /// they are as equal as possible. Otherwise the bits are divided into the smallest parts that the keys distinguish.
    /// For every distribution of k errors over these parts, at least one table must have no more errors in its key than
    /// its search distance. Starting from distances that suffice for all tables, the largest ones are lowered first as
    /// long as that holds.
    pub fn plan(&self, k: u32) -> Option<Plan> {
        let tables = self.keys().len();
        if self.keys_are_disjoint() {
            let (shared, more) = ((k + 1) / tables as u32, (k + 1) as usize % tables);
            let radius = |table| (shared + u32::from(table < more)).checked_sub(1);
            return Some(Plan { radii: (0..tables).map(radius).collect() });
        }
        let errors = self.errors_in_keys(k)?;
        let covered = |limits: &[i32]| {
            errors
                .chunks_exact(tables)
                .all(|pattern| pattern.iter().zip(limits).any(|(&found, &limit)| i32::from(found) <= limit))
        };
        let minimum = |pattern: &[u8]| i32::from(*pattern.iter().min().expect("there is a table"));
        let enough = errors.chunks_exact(tables).map(minimum).max().unwrap_or(0);
        let mut limits = vec![enough; tables];
        let mut open: Vec<usize> = (0..tables).collect();
        while let Some(position) = (0..open.len()).max_by_key(|&position| (limits[open[position]], position)) {
            let table = open[position];
            limits[table] -= 1;
            if !covered(&limits) {
                limits[table] += 1;
                open.remove(position);
            } else if limits[table] < 0 {
                open.remove(position);
            }
        }
        Some(Plan { radii: limits.into_iter().map(|limit| u32::try_from(limit).ok()).collect() })
    }

    fn keys_are_disjoint(&self) -> bool {
        let mut ranges: Vec<(u32, u32)> = self.keys().iter().flatten().map(|range| (range.start, range.end)).collect();
        ranges.sort_unstable();
        ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0)
    }

    /// For every distribution of `k` errors over the parts, the number of errors in the key of each table.
    fn errors_in_keys(&self, k: u32) -> Option<Vec<u8>> {
        let mut cuts: Vec<u32> = self.keys().iter().flatten().flat_map(|range| [range.start, range.end]).collect();
        cuts.extend([0, self.bits()]);
        cuts.sort_unstable();
        cuts.dedup();
        let parts: Vec<(u8, Vec<bool>)> = cuts
            .windows(2)
            .map(|part| {
                let has = |key: &Vec<_>| key.iter().any(|range: &std::ops::Range<u32>| range.contains(&part[0]));
                ((part[1] - part[0]) as u8, self.keys().iter().map(has).collect())
            })
            .collect();
        if patterns(parts.len() as u64, u64::from(k)) > MOST_PATTERNS {
            return None;
        }
        let mut all = Vec::new();
        distribute(&parts, k as u8, &mut vec![0; self.keys().len()], &mut all);
        Some(all)
    }
}

/// Number of distributions of `errors` over `parts`, if each part has room for all of them.
fn patterns(parts: u64, errors: u64) -> u64 {
    (1..parts).fold(1, |count: u64, part| count.saturating_mul(errors + part) / part)
}

fn distribute(parts: &[(u8, Vec<bool>)], remaining: u8, in_keys: &mut [u8], all: &mut Vec<u8>) {
    let Some(((length, tables), rest)) = parts.split_first() else {
        if remaining == 0 {
            all.extend_from_slice(in_keys);
        }
        return;
    };
    for errors in 0..=remaining.min(*length) {
        let mut with = in_keys.to_vec();
        with.iter_mut().zip(tables).filter(|(_, has)| **has).for_each(|(count, _)| *count += errors);
        distribute(rest, remaining - errors, &mut with, all);
    }
}

/// All numbers of `width` bits with `weight` bits set.
pub(super) fn masks(width: u32, weight: u32) -> impl Iterator<Item = usize> {
    let first = (weight <= width).then(|| (1usize << weight) - 1);
    // Gosper's hack: the next larger number with the same number of set bits.
    let next = move |&mask: &usize| {
        let lowest = mask & mask.wrapping_neg();
        let ripple = mask.checked_add(lowest).filter(|_| mask != 0)?;
        let next = (((ripple ^ mask) >> 2) / lowest) | ripple;
        (next >> width == 0).then_some(next)
    };
    std::iter::successors(first, next)
}

/// Number of `width`-bit numbers with at most `max_bits` bits set.
pub(super) fn masks_within(width: u32, max_bits: u32) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for weight in 1..=max_bits.min(width) {
        term *= f64::from(width + 1 - weight) / f64::from(weight);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(name: &str) -> Design {
        name.parse().unwrap()
    }

    /// Key lengths and tables as published by Manku et al., example 3.1 and section 3.
    #[test]
    fn designs_of_the_literature() {
        let key_bits = |name: &str| {
            let lengths =
                |key: &Vec<std::ops::Range<u32>>| key.iter().map(|range| range.end - range.start).sum::<u32>();
            let lengths: Vec<u32> = design(name).keys().iter().map(lengths).collect();
            (lengths.len(), *lengths.iter().min().unwrap(), *lengths.iter().max().unwrap())
        };
        assert_eq!(key_bits("manku20"), (20, 31, 33));
        assert_eq!(key_bits("manku16"), (16, 28, 28));
        assert_eq!(key_bits("manku10"), (10, 25, 26));
        assert_eq!(key_bits("4x16"), (4, 16, 16));
        assert_eq!(key_bits("8x16"), (8, 16, 16));
        assert_eq!(key_bits("4x8"), (4, 8, 8));
        assert_eq!(Design::standard(64), Design::named("4x16"));
        assert_eq!(Design::standard(32), Design::named("4x8"));
        assert_eq!(Design::standard(128), Design::named("8x16"));
        assert_eq!(Design::standard(256), Design::named("16x16"));
        for name in ["manku20", "manku16", "manku10", "4x16", "4x8"] {
            assert_eq!(design(&design(name).to_string()), design(name));
            let radii = design(name).plan(3).unwrap();
            assert!(radii.radii().iter().all(|&radius| radius == Some(0)), "{name}");
        }
    }

    #[test]
    fn plans_look_up_no_more_than_they_must() {
        let radii = |name: &str, k: u32| design(name).plan(k).unwrap().radii().to_vec();
        assert_eq!(radii("4x16", 0).iter().flatten().count(), 1);
        assert_eq!(radii("4x16", 2).iter().flatten().count(), 3);
        // The general pigeonhole principle: the distances plus one sum to k + 1.
        for k in 0..=11 {
            assert_eq!(radii("4x16", k).iter().flatten().map(|radius| radius + 1).sum::<u32>(), k + 1);
        }
        for k in 0..=63 {
            assert_eq!(radii("16x16", k).iter().flatten().map(|radius| radius + 1).sum::<u32>(), k + 1);
        }
        let overlapping: Vec<String> = (0..=60).map(|start| format!("{start}-{}", start + 4)).collect();
        assert_eq!(design(&format!("64:{}", overlapping.join(";"))).plan(11), None);
    }

    #[test]
    fn designs_that_are_none_are_refused() {
        for text in
            ["", "5x", "manku7", "64:", "64:0-16;16", "64:16-32;0-16", "64:0-16;40-65", "64:0-16;20-18", "7x1", "257x1"]
        {
            assert!(text.parse::<Design>().is_err(), "{text}");
        }
    }
}
