//! Links: what documents that stay are to others that stay.

use std::cmp::Reverse;

use crate::judge::ruling::Ruling;

/// A kept document, another one that was kept before it, and what they are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The document, by rank.
    pub rank: u32,
    /// The other one, by rank.
    pub other: u32,
    /// What was ruled on them; the other one is text `a`.
    pub ruling: Ruling,
}

/// At most so many links of a document, unless otherwise said.
pub const LINKS: usize = 8;

/// The links of all documents so far, the strongest of each.
pub(super) struct Links {
    all: Vec<Link>,
    cut: u64,
    /// At most so many of a document.
    pub limit: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self { all: Vec::new(), cut: 0, limit: LINKS }
    }
}

impl Links {
    /// Adds the links of one document: those with the largest copied share, then the closest relation, then the best rank.
    pub fn add(&mut self, mut links: Vec<Link>) {
        let strength = |link: &Link| {
            let [a, b] = link.ruling.copied;
            (Reverse(a.max(b).to_bits()), Reverse(link.ruling.relation), link.other)
        };
        links.sort_by_key(strength);
        self.cut += links.len().saturating_sub(self.limit) as u64;
        links.truncate(self.limit);
        self.all.extend(links);
    }

    pub fn all(&self) -> &[Link] {
        &self.all
    }

    pub fn cut(&self) -> u64 {
        self.cut
    }
}
