//! Detection of compilations before the decisions.
//!
//! # Problem
//!
//! Documents are decided in rank order. A compilation is often the longest document and would be kept first; each of
//! its stories would then be removed as an excerpt of it.
//!
//! # Choice
//!
//! Compilations are detected before the decisions and independently of ranks. Keys nominate candidates, as everywhere:
//! documents that share many of their keys with one document, each different ones. The texts then decide, see
//! [`compilation`](crate::align::compilation).

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

use super::{FIELDS, KEPT, LISTED, Link, Probe, TextSource};
use crate::align::compilation::{Place, is_compilation};
use crate::align::pair::{Judge, Prepared, Side, Stream};
use crate::align::relation::Relation;
use crate::judge::pair_texts::PairTexts;
use crate::judge::ruling::Ruling;

/// A story shares at least one in this many of its keys with the compilation.
const OWN_KEYS: u64 = 4;
/// A document that contains more than this many of five keys is another edition.
const EDITION_OF_FIVE: u64 = 4;
/// Stories share at least one in this many keys of a compilation in total.
const FILLED_KEYS: u64 = 4;
/// Maximum number of stories compared with a compilation.
const COMPARED_STORIES: usize = 1024;
/// Maximum number of stories linked to a compilation after the decisions.
const LINKED_STORIES: usize = 64;
/// Total code points of the texts in memory.
const AT_ONCE: usize = 1 << 22;

/// The compilations with their stories.
#[derive(Default)]
pub(super) struct Compilations {
    /// The stories of each compilation, by rank.
    stories: BTreeMap<u32, Vec<u32>>,
}

impl Compilations {
    pub fn has(&self, rank: u32) -> bool {
        self.stories.contains_key(&rank)
    }

    /// Adjusts the ruling on the document `rank`, with `other` kept, if one of them is a compilation.
    pub fn heeded(&self, ruling: Ruling, (other, rank): (u32, u32), probe: &Probe) -> Ruling {
        if self.stories.is_empty() {
            return ruling;
        }
        ruling.with_compilations([self.has(other), self.has(rank)], probe.removable)
    }
}

/// Buffers for counting; reused from document to document.
#[derive(Default)]
struct Room {
    /// By rank, the shared keys of each field; all zero between two documents.
    hits: Vec<[u32; FIELDS]>,
    /// By rank, the candidate's index plus one; all zero between two documents.
    places: Vec<u32>,
    touched: Vec<u32>,
}

/// A document that shares keys with another one.
struct Part {
    rank: u32,
    /// Its number of keys.
    keys: u64,
    /// Shared keys that belong to no group.
    sought: u64,
    /// The shared groups, by index among those of the other document.
    groups: Vec<u32>,
}

impl Probe {
    /// Detects the compilations. Nomination takes as long as finding the candidates of all documents. The comparisons
    /// are linear in the texts of possible compilations and their stories.
    pub(super) fn find_compilations<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let mut sought: Vec<(u32, u32, u32)> =
            self.sought.entries.iter().map(|&(rank, reference, keys)| (reference, rank, keys)).collect();
        sought.sort_unstable();
        let room = || Room {
            hits: vec![[0; FIELDS]; self.order.len()],
            places: vec![0; self.order.len()],
            touched: Vec::new(),
        };
        let nominated = |room: &mut Room, rank: u32| Some((rank, self.nominated(rank, &sought, room)?));
        let ranks = (0..self.order.len() as u32).into_par_iter().with_min_len(1024);
        let nominated: Vec<(u32, Vec<u32>)> = ranks.map_init(room, nominated).flatten_iter().collect();
        let mut stories = BTreeMap::new();
        let mut rest = &nominated[..];
        while !rest.is_empty() {
            let (some, after) = rest.split_at(self.at_once_with_stories(rest));
            rest = after;
            stories.extend(self.confirmed(some, source)?);
        }
        self.compilations = Compilations { stories };
        Ok(())
    }

    /// Returns the documents that share different keys with the document `rank`; None if there are too few.
    fn nominated(&self, rank: u32, sought: &[(u32, u32, u32)], room: &mut Room) -> Option<Vec<u32>> {
        let groups = self.groups_of(rank);
        let start = sought.partition_point(|&(reference, _, _)| reference < rank);
        let sought = &sought[start..][..sought[start..].partition_point(|&(reference, _, _)| reference == rank)];
        let weight = |group: u32| u64::from(self.multiplicities[group as usize]);
        for &group in groups {
            let field = usize::from(self.field_of(group));
            for other in self.sharing(group, rank) {
                let hits = &mut room.hits[other as usize];
                if *hits == [0; FIELDS] {
                    room.touched.push(other);
                }
                hits[field] += self.multiplicities[group as usize];
            }
        }
        let total_keys = self.key_count(rank);
        let mut parts: Vec<Part> = Vec::new();
        for other in room.touched.drain(..) {
            let shared_keys = std::mem::take(&mut room.hits[other as usize]);
            let shared: u64 = shared_keys.iter().map(|&keys| u64::from(keys)).sum();
            let keys = self.key_count(other);
            let is_part = OWN_KEYS * shared >= keys && 5 * shared <= EDITION_OF_FIVE * total_keys;
            if is_part && self.is_candidate(shared_keys) {
                parts.push(Part { rank: other, keys, sought: 0, groups: Vec::new() });
            }
        }
        for &(_, other, keys) in sought {
            let (keys, total_keys) = (u64::from(keys), self.key_count(other));
            if OWN_KEYS * keys >= total_keys && !parts.iter().any(|part| part.rank == other) {
                parts.push(Part { rank: other, keys: total_keys, sought: keys, groups: Vec::new() });
            }
        }
        if parts.len() < 2 {
            return None;
        }
        // The smallest come first, so that an edition of the document does not take keys from its stories.
        parts.sort_unstable_by_key(|part| (part.keys, part.rank));
        (1..).zip(&parts).for_each(|(place, part)| room.places[part.rank as usize] = place);
        for (place, &group) in (0..).zip(groups) {
            for other in self.sharing(group, rank) {
                if let Some(part) = (room.places[other as usize] as usize).checked_sub(1) {
                    parts[part].groups.push(place);
                }
            }
        }
        parts.iter().for_each(|part| room.places[part.rank as usize] = 0);
        let mut is_taken = vec![false; groups.len()];
        let (mut taken, mut filled) = (Vec::new(), 0);
        for part in parts {
            let weight_of = |place: &u32| weight(groups[*place as usize]);
            let all: u64 = part.groups.iter().map(weight_of).sum();
            let added: u64 = part.groups.iter().filter(|&&place| !is_taken[place as usize]).map(weight_of).sum();
            if 2 * added > all || all == 0 {
                part.groups.iter().for_each(|&place| is_taken[place as usize] = true);
                filled += added + part.sought;
                taken.push(part.rank);
            }
        }
        taken.truncate(COMPARED_STORIES);
        (taken.len() > 1 && FILLED_KEYS * filled >= total_keys).then_some(taken)
    }

    /// The best ranked documents that still have a key, except `rank`.
    fn sharing(&self, group: u32, rank: u32) -> impl Iterator<Item = u32> {
        let members = &self.listed[self.listing_starts[group as usize]..self.listing_starts[group as usize + 1]];
        let is_cut = self.cut.get(group as usize).is_some_and(|&cut| cut);
        let has_it = move |other: u32| !is_cut || self.groups_of(other).contains(&group);
        members.iter().copied().filter(move |&other| other != rank && has_it(other)).take(LISTED)
    }

    /// Number of keys of a document over all fields.
    fn key_count(&self, rank: u32) -> u64 {
        let document = self.order[rank as usize] as usize;
        self.fields.iter().map(|field| u64::from(field.documents.key_counts[document])).sum()
    }

    /// Returns the confirmed compilations among some documents, with their nominated stories.
    fn confirmed<S: TextSource>(
        &self,
        nominated: &[(u32, Vec<u32>)],
        source: &S,
    ) -> Result<Vec<(u32, Vec<u32>)>, S::Error> {
        let pairs: Vec<(u32, u32)> =
            nominated.iter().flat_map(|(rank, stories)| stories.iter().map(|&story| (*rank, story))).collect();
        let texts = self.prepared(&pairs, source)?;
        let of = |rank: u32| &texts[&self.order[rank as usize]];
        let confirmed = |judge: &mut Judge, (rank, stories): &(u32, Vec<u32>)| {
            let compilation = of(*rank);
            let place = |&story: &u32| Some((story, judge.place_of(of(story), compilation)?));
            let (stories, places): (Vec<u32>, Vec<Place>) = stories.iter().filter_map(place).unzip();
            is_compilation(compilation, &places).then_some((*rank, stories))
        };
        Ok(nominated.par_iter().map_init(Judge::default, confirmed).flatten_iter().collect())
    }

    /// Links kept compilations to those of their stories that were kept, or to the documents kept instead, if the
    /// decisions did not link them: a document is compared with few others.
    pub(super) fn link_stories<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        if self.links.limit == 0 {
            return Ok(());
        }
        let is_kept = |rank: u32| self.decisions[rank as usize].duplicate_of == KEPT;
        let is_of_compilation = |link: &&Link| link.ruling.relation == Relation::Compilation;
        let linked: HashSet<(u32, u32)> =
            self.links.all().iter().filter(is_of_compilation).map(|link| (link.other, link.rank)).collect();
        let (mut pairs, mut cut) = (Vec::new(), 0);
        for (&rank, stories) in self.compilations.stories.iter().filter(|(rank, _)| is_kept(**rank)) {
            let kept = stories
                .iter()
                .map(|&story| if is_kept(story) { story } else { self.decisions[story as usize].duplicate_of });
            let mut kept: Vec<u32> = kept.filter(|&story| story != rank).collect();
            kept.sort_unstable();
            kept.dedup();
            let ordered = kept.into_iter().map(|story| (story.min(rank), story.max(rank)));
            let missing: Vec<(u32, u32)> =
                ordered.filter(|pair| pair.1 >= self.references && !linked.contains(pair)).collect();
            cut += missing.len().saturating_sub(LINKED_STORIES) as u64;
            pairs.extend(missing.into_iter().take(LINKED_STORIES));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut links = Vec::new();
        let mut rest = &pairs[..];
        while !rest.is_empty() {
            let (some, after) = rest.split_at(self.pairs_at_once(rest));
            rest = after;
            let texts = self.prepared(some, source)?;
            let of = |rank: u32| &texts[&self.order[rank as usize]];
            let link = |judge: &mut Judge, &(other, rank): &(u32, u32)| {
                let (kept, document) = (of(other), of(rank));
                let ruling = Ruling::of(&judge.related(kept, document), kept, document, self.removable);
                let ruling = self.compilations.heeded(ruling, (other, rank), self);
                (ruling.relation == Relation::Compilation).then_some(Link { rank, other, ruling })
            };
            links.extend(some.par_iter().map_init(Judge::default, link).flatten_iter().collect::<Vec<_>>());
        }
        self.links.add_late(links, cut);
        Ok(())
    }

    /// The texts of some pairs of ranks, by document.
    fn prepared<S: TextSource>(&self, pairs: &[(u32, u32)], source: &S) -> Result<BTreeMap<u32, Prepared>, S::Error> {
        let document = |rank: u32| self.order[rank as usize];
        let pairs: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (document(a), document(b))).collect();
        let texts = PairTexts::read(&pairs, source)?;
        let ranges = |stream: &Stream| self.boilerplate.ranges_in(stream);
        let prepared = |side: &mut Side, &document: &u32| (document, side.prepare(texts.of(document).1, &ranges));
        Ok(texts.documents().par_iter().map_init(Side::default, prepared).collect())
    }

    fn length(&self, rank: u32) -> usize {
        let document = self.order[rank as usize] as usize;
        self.fields.iter().map(|field| field.documents.lengths[document] as usize).sum()
    }

    /// Number of leading documents whose texts fit into memory together.
    fn at_once_with_stories(&self, nominated: &[(u32, Vec<u32>)]) -> usize {
        let mut read = 0;
        let fits = |(rank, stories): &&(u32, Vec<u32>)| {
            read += self.length(*rank) + stories.iter().map(|&story| self.length(story)).sum::<usize>();
            read <= AT_ONCE
        };
        nominated.iter().take_while(fits).count().max(1)
    }

    fn pairs_at_once(&self, pairs: &[(u32, u32)]) -> usize {
        let mut read = 0;
        let fits = |&&(a, b): &&(u32, u32)| {
            read += self.length(a) + self.length(b);
            read <= AT_ONCE
        };
        pairs.iter().take_while(fits).count().max(1)
    }
}
