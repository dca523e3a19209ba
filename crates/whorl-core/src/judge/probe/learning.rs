//! Learning, before anything is decided, which keys are those of boilerplate.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::tally::Named;
use super::{Probe, TextSource};
use crate::align::pair::Judge;
use crate::index::group::FEW;
use crate::judge::boilerplate::{Boilerplate, MANY, Runs, SAMPLE};

/// How many of the documents of a key are looked at to tell how many texts they are.
const LOOKED_AT: usize = 64;
/// Keys that are judged at most, apart from those with the same documents.
const JUDGED: usize = 4096;
/// Code points that are read for it at most.
const READ: usize = 1 << 25;
/// Code points of the texts that are held at once.
const AT_ONCE: usize = 1 << 22;
const _: () = assert!(MANY >= FEW, "keys that are judged are groups of their own");
/// Documents that share this share of their keys say more alike than a phrase.
const RELATED: f64 = 0.05;
/// Groups of a document that are looked at to tell whether it shares so many keys with another.
const GROUPS_LOOKED_AT: usize = 512;

/// A stretch of boilerplate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How it stands in a document that has it; the longest stretch, and of that the beginning.
    pub text: String,
    /// That document.
    pub example: u32,
    /// Documents that have the commonest of its keys.
    pub documents: usize,
    /// Its keys.
    pub keys: usize,
}

/// Keys whose sample is the same.
struct Suspect {
    /// Documents.
    sample: Vec<u32>,
    groups: Vec<u32>,
    documents: usize,
}

impl Probe {
    /// Looks at the keys that many documents have, and takes what turns out to be boilerplate off the figures of
    /// passages. Where the keys of a field are `local`, each standing for a stretch of text, those of boilerplate and of
    /// phrases no longer lead a document to others, unless it has no other key. What is `known` to be boilerplate is
    /// taken off too.
    ///
    /// A key of many documents is that of a phrase if, of six of these taken in order, most share less than a twentieth of
    /// their keys with the next. For boilerplate samples of at most 4,096 sets of documents are compared, those of the
    /// commonest keys, and of these as many as have 33 million code points; it has no effect on what was decided before.
    ///
    /// # Errors
    /// When `source` cannot read a text.
    pub fn learn<S: TextSource>(&mut self, source: &S, local: &[bool], known: Boilerplate) -> Result<(), S::Error> {
        let suspects = self.suspects();
        let mut boilerplate = known;
        let mut cut = self.find_phrases(local);
        self.phrases = cut.iter().filter(|&&is_cut| is_cut).count();
        let mut rest = &suspects[..];
        while !rest.is_empty() {
            let (suspects, after) = rest.split_at(self.at_once(rest));
            rest = after;
            let texts = sampled_texts(suspects, source)?;
            let look = |judge: &mut Judge, suspect: &Suspect| {
                let sample: Vec<&Runs> = suspect.sample.iter().map(|document| &texts[document]).collect();
                let found = Boilerplate::of_sample(&sample, judge);
                let shown = found.shown_in(sample.iter().map(|runs| runs.text()));
                (found, shown)
            };
            let learned: Vec<_> = suspects.par_iter().map_init(Judge::default, look).collect();
            for (suspect, (found, shown)) in suspects.iter().zip(learned) {
                let Some((place, text)) = shown else { continue };
                boilerplate.add(found);
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

    /// Which keys are those of phrases, in fields whose keys are local.
    fn find_phrases(&self, local: &[bool]) -> Vec<bool> {
        let of_rank = |rank: u32| {
            let mut known = HashMap::new();
            let begins = move |&group: &u32| {
                let members = self.members(group);
                members.len() >= MANY && members[0] == rank && local[usize::from(self.field_of(group))]
            };
            let groups = self.groups_of(rank).iter().copied().filter(begins);
            groups.filter(|&group| self.is_phrase(group, &mut known)).collect::<Vec<u32>>()
        };
        let found: Vec<Vec<u32>> = (0..self.order.len() as u32).into_par_iter().map(of_rank).collect();
        let mut phrases = vec![false; self.keys.len()];
        found.into_iter().flatten().for_each(|group| phrases[group as usize] = true);
        phrases
    }

    /// Whether most of some documents with a key are strangers to the next; `known` remembers which are.
    fn is_phrase(&self, group: u32, known: &mut HashMap<(u32, u32), bool>) -> bool {
        let members = self.members(group);
        let member = |place: usize| members[place * members.len() / SAMPLE];
        let field = self.field_of(group);
        let is_related = |&place: &usize| {
            let (a, b) = (member(place - 1), member(place));
            *known.entry((a, b)).or_insert_with(|| self.are_related(a, b, field))
        };
        2 * (1..SAMPLE).filter(is_related).count() < SAMPLE - 1
    }

    /// Whether two ranks share as many keys of a field as no phrase gives them; of long texts by a part of their keys.
    fn are_related(&self, a: u32, b: u32, field: u8) -> bool {
        let keys = |rank: u32| self.fields[usize::from(field)].documents.key_counts[self.order[rank as usize] as usize];
        let (a, b) = if keys(a) <= keys(b) { (a, b) } else { (b, a) };
        let (own, mut others) = (self.groups_of(a), self.groups_of(b));
        let stand_for = |groups: &[u32]| groups.iter().map(|&group| self.keys_of(group).keys).sum::<u32>();
        // Groups are in the order of hashes, so the first are a fair sample.
        let looked_at = &own[..own.len().min(GROUPS_LOOKED_AT)];
        let mut shared = 0;
        for &group in looked_at {
            others = &others[others.iter().take_while(|&&other| other < group).count()..];
            let Named { field: of, keys } = self.keys_of(group);
            shared += if others.first() == Some(&group) && of == field { keys } else { 0 };
        }
        f64::from(shared) * f64::from(stand_for(own)) >= RELATED * f64::from(keys(a)) * f64::from(stand_for(looked_at))
    }

    /// The ranks that have a key, before anything is decided.
    fn members(&self, group: u32) -> &[u32] {
        &self.listed[self.listing_starts[group as usize]..self.listing_starts[group as usize + 1]]
    }

    /// How many of the first of some suspects are looked at together.
    fn at_once(&self, suspects: &[Suspect]) -> usize {
        let mut seen = HashSet::new();
        let mut read = 0;
        let fits = |suspect: &&Suspect| {
            let lengths = &self.fields[usize::from(self.field_of(suspect.groups[0]))].documents.lengths;
            let new = suspect.sample.iter().filter(|&&document| seen.insert(document));
            read += new.map(|&document| lengths[document as usize] as usize).sum::<usize>();
            read <= AT_ONCE
        };
        suspects.iter().take_while(fits).count().max(1)
    }

    /// Keys that many documents have, those with the same sample together; most documents first.
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

    /// Some documents of different texts among those with these ranks, evenly spaced; none where too few differ.
    fn sample(&self, ranks: &[u32], field: u8) -> Vec<u32> {
        let digests = &self.fields[usize::from(field)].documents.digests;
        let looked_at = ranks.len().min(LOOKED_AT);
        let mut seen = HashSet::new();
        let spaced = (0..looked_at).map(|place| self.order[ranks[place * ranks.len() / looked_at] as usize]);
        let different: Vec<u32> = spaced.filter(|&document| seen.insert(digests[document as usize])).collect();
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

    /// Takes keys from the documents that have others.
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
        // A position is given once; a second text for it would be the same text.
        let _ = read[position].set(Runs::of(text));
    })?;
    Ok(documents.into_iter().zip(read.into_iter().map(|text| text.into_inner().unwrap_or_default())).collect())
}
