//! Links: what documents that stay are to others that stay.

use std::cmp::Reverse;

use crate::align::relation::Relation;
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
    /// Links of compilations and their stories are not among those that the limit cuts.
    pub fn add(&mut self, mut links: Vec<Link>) {
        links.sort_by_key(strength);
        let (mut others, limit) = (0, self.limit);
        let before = links.len();
        links.retain(|link| {
            let is_of_compilation = link.ruling.relation == Relation::Compilation && limit > 0;
            others += usize::from(!is_of_compilation);
            is_of_compilation || others <= limit
        });
        self.cut += (before - links.len()) as u64;
        self.all.extend(links);
    }

    /// Adds links of compilations to those of documents that have links already, and counts what is left out besides.
    pub fn add_late(&mut self, links: Vec<Link>, cut: u64) {
        self.all.extend(links);
        self.all.sort_by_key(|link| (link.rank, strength(link)));
        self.cut += cut;
    }

    pub fn all(&self) -> &[Link] {
        &self.all
    }

    pub fn cut(&self) -> u64 {
        self.cut
    }
}

/// The strongest link first.
fn strength(link: &Link) -> impl Ord + use<> {
    let [a, b] = link.ruling.copied;
    (Reverse(a.max(b).to_bits()), Reverse(link.ruling.relation), link.other)
}
