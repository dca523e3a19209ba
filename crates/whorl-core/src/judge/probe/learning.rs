//! Learning, before anything is decided, which keys are those of boilerplate.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Probe, TextSource};
use crate::align::pair::Judge;
use crate::judge::boilerplate::{Boilerplate, MANY, SAMPLE};

/// How many of the documents of a key are looked at to tell how many texts they are.
const LOOKED_AT: usize = 64;
/// Keys that are judged at most, apart from those with the same documents.
const JUDGED: usize = 4096;
/// Code points that are read for it at most.
const READ: usize = 1 << 25;
/// Samples whose texts are held at once.
const AT_ONCE: usize = 128;

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
    /// passages. Where the keys of a field are `local`, each standing for a stretch of text, those of boilerplate no longer
    /// lead a document to others, unless it has no other key. What is `known` to be boilerplate is taken off too.
    ///
    /// Samples of at most 4,096 sets of documents are compared, those of the commonest keys, and of these as many as have
    /// 33 million code points; it has no effect on what was decided before.
    ///
    /// # Errors
    /// When `source` cannot read a text.
    pub fn learn<S: TextSource>(&mut self, source: &S, local: &[bool], known: Boilerplate) -> Result<(), S::Error> {
        let suspects = self.suspects();
        let mut boilerplate = known;
        let mut cut = vec![false; self.keys.len()];
        for suspects in suspects.chunks(AT_ONCE) {
            let texts = sampled_texts(suspects, source)?;
            let judge = |suspect: &Suspect| {
                let sample: Vec<Vec<u32>> = suspect.sample.iter().map(|document| texts[document].clone()).collect();
                let found = Boilerplate::of_sample(&sample, &mut Judge::default());
                let shown = found.shown_in(&sample);
                (found, shown)
            };
            let learned: Vec<(Boilerplate, Option<(usize, String)>)> = suspects.par_iter().map(judge).collect();
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

    /// Keys that many documents have, those with the same sample together; most documents first.
    fn suspects(&self) -> Vec<Suspect> {
        let mut by_sample: BTreeMap<Vec<u32>, Suspect> = BTreeMap::new();
        for group in 0..self.keys.len() {
            let members = &self.listed[self.listing_starts[group]..self.listing_starts[group + 1]];
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
                lost[usize::from(self.field_of(group))] += 1;
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
fn sampled_texts<S: TextSource>(suspects: &[Suspect], source: &S) -> Result<BTreeMap<u32, Vec<u32>>, S::Error> {
    let mut documents: Vec<u32> = suspects.iter().flat_map(|suspect| suspect.sample.iter().copied()).collect();
    documents.sort_unstable();
    documents.dedup();
    let read: Vec<OnceLock<Vec<u32>>> = documents.iter().map(|_| OnceLock::new()).collect();
    source.read(&documents, &|position, text| {
        let mut code_points = Vec::new();
        text.copy_to(&mut code_points);
        // A position is given once; a second text for it would be the same text.
        let _ = read[position].set(code_points);
    })?;
    Ok(documents.into_iter().zip(read.into_iter().map(|text| text.into_inner().unwrap_or_default())).collect())
}
