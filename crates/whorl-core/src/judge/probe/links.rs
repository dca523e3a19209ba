//! Links: relations between kept documents.

use std::cmp::Reverse;

use crate::align::relation::Relation;
use crate::judge::ruling::Ruling;

/// A kept document, another one kept before it, and their relation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The rank of the document.
    pub rank: u32,
    /// The rank of the other document.
    pub other: u32,
    /// The ruling; the other document is text `a`.
    pub ruling: Ruling,
}

/// Default maximum number of links of a document.
pub const LINKS: usize = 8;

/// The current links, limited to the strongest of each document.
pub(super) struct Links {
    all: Vec<Link>,
    cut: u64,
    /// Maximum number of links of a document.
    pub limit: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self { all: Vec::new(), cut: 0, limit: LINKS }
    }
}

impl Links {
    /// Adds the links of one document, sorted by the largest copied share, then by the closest relation, then by the
    /// best rank. Links between compilations and their stories are exempt from the limit.
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

    /// Adds links of compilations to documents that already have links; `cut` is the number of additional links left
    /// out.
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

/// Sort key: strongest link first.
fn strength(link: &Link) -> impl Ord + use<> {
    let [a, b] = link.ruling.copied;
    (Reverse(a.max(b).to_bits()), Reverse(link.ruling.relation), link.other)
}
