//! Learning the keys of boilerplate before the decisions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::tally::Named;
use super::{Probe, TextSource};
use crate::align::pair::Judge;
use crate::index::group::FEW;
use crate::judge::boilerplate::{Boilerplate, MANY, Runs, SAMPLE};

/// Number of documents of a key examined to count its distinct texts.
const LOOKED_AT: usize = 64;
/// Maximum number of keys examined, apart from those with the same documents.
const JUDGED: usize = 4096;
/// Maximum number of code points read.
const READ: usize = 1 << 25;
/// Total code points of the texts in memory.
const AT_ONCE: usize = 1 << 22;
const _: () = assert!(MANY >= FEW, "keys that are judged are groups of their own");
/// Documents that share at least this share of their keys have more in common than a phrase.
const RELATED: f64 = 0.05;
/// Number of groups of a document examined to decide whether it shares that many keys with another.
const GROUPS_LOOKED_AT: usize = 512;

/// A stretch of boilerplate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Its text in an example document: the beginning of the longest stretch.
    pub text: String,
    /// The example document.
    pub example: u32,
    /// Number of documents with the most common of its keys.
    pub documents: usize,
    /// Number of its keys.
    pub keys: usize,
}

/// Keys with the same sample.
struct Suspect {
    /// The sampled documents.
    sample: Vec<u32>,
    groups: Vec<u32>,
    documents: usize,
}

impl Probe {
    /// Examines keys with many documents, and excludes boilerplate from the similarity by passages. In fields with
    /// `local` keys, which represent stretches of text, keys of boilerplate and of phrases no longer produce
    /// candidates, unless a document has no other key. The boilerplate in `known` is excluded as well.
    ///
    /// A key with many documents belongs to a phrase if, of six of these in order, most share less than a twentieth of
    /// their keys with the next. Samples for boilerplate are limited to the 4,096 most common sets of documents and to
    /// 33 million code points. Earlier decisions are not affected.
    ///
    /// # Errors
    /// If `source` cannot read a text.
    pub fn learn<S: TextSource>(
        &mut self,
        source: &S,
        local: &[bool],
        known_boilerplate: Boilerplate,
    ) -> Result<(), S::Error> {
        let suspects = self.suspects();
        let mut boilerplate = known_boilerplate;
        let mut cut = self.find_phrases(local);
        self.phrases = cut.iter().filter(|&&is_cut| is_cut).count();
        let mut rest = &suspects[..];
        while !rest.is_empty() {
            let (suspects, after) = rest.split_at(self.at_once(rest));
            rest = after;
            let texts = sampled_texts(suspects, source)?;
            let look = |judge: &mut Judge, suspect: &Suspect| {
                let sample: Vec<&Runs> = suspect.sample.iter().map(|document| &texts[document]).collect();
                let learned_now = Boilerplate::of_sample(&sample, judge);
                let excerpt = learned_now.shown_in(sample.iter().map(|runs| runs.text()));
                (learned_now, excerpt)
            };
            let learned: Vec<_> = suspects.par_iter().map_init(Judge::default, look).collect();
            for (suspect, (learned_now, excerpt)) in suspects.iter().zip(learned) {
                let Some((place, text)) = excerpt else { continue };
                boilerplate.add(learned_now);
                suspect.groups.iter().for_each(|&group| cut[group as usize] = local[usize::from(self.field_of(group))]);
                self.note(suspect, suspect.sample[place], text);
            }
        }
        self.boilerplate = Arc::new(boilerplate);
        self.notices.sort_by(|a, b| (b.documents, &a.text).cmp(&(a.documents, &b.text)));
        if cut.contains(&true) {
            self.leave_out(&cut);
            self.cut = cut;
        }
        Ok(())
    }

    /// Determines the keys of phrases in fields with local keys.
    fn find_phrases(&self, local: &[bool]) -> Vec<bool> {
        let of_rank = |rank: u32| {
            let mut cache = HashMap::new();
            let begins = move |&group: &u32| {
                let members = self.members(group);
                members.len() >= MANY && members[0] == rank && local[usize::from(self.field_of(group))]
            };
            let groups = self.groups_of(rank).iter().copied().filter(begins);
            groups.filter(|&group| self.is_phrase(group, &mut cache)).collect::<Vec<u32>>()
        };
        let per_rank: Vec<Vec<u32>> = (0..self.order.len() as u32).into_par_iter().map(of_rank).collect();
        let mut phrases = vec![false; self.keys.len()];
        per_rank.into_iter().flatten().for_each(|group| phrases[group as usize] = true);
        phrases
    }

    /// True if most of some documents with a key are unrelated to the next; `cache` caches the relations.
    fn is_phrase(&self, group: u32, cache: &mut HashMap<(u32, u32), bool>) -> bool {
        let members = self.members(group);
        let member = |place: usize| members[place * members.len() / SAMPLE];
        let field = self.field_of(group);
        let is_related = |&place: &usize| {
            let (a, b) = (member(place - 1), member(place));
            *cache.entry((a, b)).or_insert_with(|| self.are_related(a, b, field))
        };
        2 * (1..SAMPLE).filter(is_related).count() < SAMPLE - 1
    }

    /// True if two ranks share more keys of a field than a phrase explains. For long texts, only a part of their keys
    /// is examined.
    fn are_related(&self, a: u32, b: u32, field: u8) -> bool {
        let keys = |rank: u32| self.fields[usize::from(field)].documents.key_counts[self.order[rank as usize] as usize];
        let (a, b) = if keys(a) <= keys(b) { (a, b) } else { (b, a) };
        let (own, mut others) = (self.groups_of(a), self.groups_of(b));
        let stand_for = |groups: &[u32]| groups.iter().map(|&group| self.keys_of(group).keys).sum::<u32>();
        // Groups are in hash order, so the first ones are a random sample.
        let looked_at = &own[..own.len().min(GROUPS_LOOKED_AT)];
        let mut shared = 0;
        for &group in looked_at {
            others = &others[others.iter().take_while(|&&other| other < group).count()..];
            let Named { field: of, keys } = self.keys_of(group);
            shared += if others.first() == Some(&group) && of == field { keys } else { 0 };
        }
        f64::from(shared) * f64::from(stand_for(own)) >= RELATED * f64::from(keys(a)) * f64::from(stand_for(looked_at))
    }

    /// The ranks with a key before the decisions.
    fn members(&self, group: u32) -> &[u32] {
        &self.listed[self.listing_starts[group as usize]..self.listing_starts[group as usize + 1]]
    }

    /// Number of leading suspects whose texts fit into memory together.
    fn at_once(&self, suspects: &[Suspect]) -> usize {
        let mut distinct = HashSet::new();
        let mut read = 0;
        let fits = |suspect: &&Suspect| {
            let lengths = &self.fields[usize::from(self.field_of(suspect.groups[0]))].documents.lengths;
            let new = suspect.sample.iter().filter(|&&document| distinct.insert(document));
            read += new.map(|&document| lengths[document as usize] as usize).sum::<usize>();
            read <= AT_ONCE
        };
        suspects.iter().take_while(fits).count().max(1)
    }

    /// Keys with many documents, merged if their samples are equal; those with the most documents come first.
    fn suspects(&self) -> Vec<Suspect> {
        let mut by_sample: BTreeMap<Vec<u32>, Suspect> = BTreeMap::new();
        for group in 0..self.keys.len() {
            let members = self.members(group as u32);
            if members.len() < MANY {
                continue;
            }
            let sample = self.sample(members, self.field_of(group as u32));
            if sample.len() < SAMPLE {
                continue;
            }
            let none = || Suspect { sample: sample.clone(), groups: Vec::new(), documents: 0 };
            let suspect = by_sample.entry(sample.clone()).or_insert_with(none);
            suspect.groups.push(group as u32);
            suspect.documents = suspect.documents.max(members.len());
        }
        let mut suspects: Vec<Suspect> = by_sample.into_values().collect();
        suspects.sort_by_key(|suspect| std::cmp::Reverse((suspect.documents, suspect.groups.len())));
        suspects.truncate(JUDGED);
        let mut read = 0;
        suspects.retain(|suspect| {
            let lengths = &self.fields[usize::from(self.field_of(suspect.groups[0]))].documents.lengths;
            read += suspect.sample.iter().map(|&document| lengths[document as usize] as usize).sum::<usize>();
            read <= READ
        });
        suspects
    }

    /// Samples documents with different texts from these ranks, evenly spaced; empty if too few differ.
    fn sample(&self, ranks: &[u32], field: u8) -> Vec<u32> {
        let digests = &self.fields[usize::from(field)].documents.digests;
        let looked_at = ranks.len().min(LOOKED_AT);
        let mut distinct = HashSet::new();
        let spaced = (0..looked_at).map(|place| self.order[ranks[place * ranks.len() / looked_at] as usize]);
        let different: Vec<u32> = spaced.filter(|&document| distinct.insert(digests[document as usize])).collect();
        if different.len() < MANY {
            return Vec::new();
        }
        (0..SAMPLE).map(|place| different[place * different.len() / SAMPLE]).collect()
    }

    fn note(&mut self, suspect: &Suspect, example: u32, text: String) {
        let Suspect { groups, documents, .. } = suspect;
        match self.notices.iter_mut().find(|notice| notice.text == text) {
            Some(notice) => {
                notice.keys += groups.len();
                notice.documents = notice.documents.max(*documents);
            }
            None => self.notices.push(Notice { text, example, documents: *documents, keys: groups.len() }),
        }
    }

    /// Removes keys from the documents that have other keys.
    fn leave_out(&mut self, cut: &[bool]) {
        let mut kept = Vec::with_capacity(self.groups.len());
        let mut starts = vec![0];
        for rank in 0..self.order.len() {
            let document = self.order[rank] as usize;
            let mut lost = vec![0; self.fields.len()];
            let groups = self.groups_of(rank as u32);
            groups.iter().filter(|&&group| cut[group as usize]).for_each(|&group| {
                lost[usize::from(self.field_of(group))] += self.multiplicities[group as usize];
            });
            let spared: Vec<bool> = (self.fields.iter().zip(&lost))
                .map(|(field, &lost)| field.documents.key_counts[document] <= lost)
                .collect();
            let stays = |&&group: &&u32| !cut[group as usize] || spared[usize::from(self.field_of(group))];
            kept.extend(groups.iter().filter(stays));
            starts.push(kept.len());
            for ((field, lost), spared) in self.fields.iter_mut().zip(lost).zip(spared) {
                field.documents.key_counts[document] -= if spared { 0 } else { lost };
            }
        }
        (self.groups, self.group_starts) = (kept, starts);
    }
}

/// The texts of all samples, by document.
fn sampled_texts<S: TextSource>(suspects: &[Suspect], source: &S) -> Result<HashMap<u32, Runs>, S::Error> {
    let mut documents: Vec<u32> = suspects.iter().flat_map(|suspect| suspect.sample.iter().copied()).collect();
    documents.sort_unstable();
    documents.dedup();
    let read: Vec<OnceLock<Runs>> = documents.iter().map(|_| OnceLock::new()).collect();
    source.read(&documents, &|position, text| {
        // A second text for the same index would be identical.
        let _ = read[position].set(Runs::of(text));
    })?;
    Ok(documents.into_iter().zip(read.into_iter().map(|text| text.into_inner().unwrap_or_default())).collect())
}
