//! K-grams that several documents contain, and the pairs that they nominate.

use rayon::prelude::*;

use super::meetings::Meetings;
use super::{Place, Posting, Request, Stretches, lies_beside, lies_in};
use crate::text::TextBlock;

/// K-grams that several documents contain.
pub struct Groups {
    /// Document and unit of each member, by group.
    members: Vec<(u32, u32)>,
    /// The start of each group, and the end of the last one.
    starts: Vec<u32>,
    /// Document, place and group of each member.
    of_documents: Vec<(u32, Place, u32)>,
}

impl Groups {
    /// Groups k-grams that are not in forms.
    pub fn of(postings: &[Posting], forms: &Stretches) -> Self {
        let mut groups = Self { members: Vec::new(), starts: vec![0], of_documents: Vec::new() };
        for group in postings.chunk_by(|a, b| a.key == b.key) {
            if group[0].document == group[group.len() - 1].document || lies_in(forms, group[0]) {
                continue;
            }
            let number = groups.starts.len() as u32 - 1;
            for &posting in group {
                let Posting { document, place, .. } = posting;
                let is_beside = place.is_beside_boilerplate() || lies_beside(forms, posting);
                groups.members.push((document, place.unit()));
                groups.of_documents.push((document, Place::new(place.unit(), is_beside), number));
            }
            groups.starts.push(groups.members.len() as u32);
        }
        groups.of_documents.par_sort_unstable();
        groups
    }

    /// The pairs with enough evidence, the lower document first, ordered.
    pub fn pairs(&self, texts: &impl TextBlock, request: &Request<'_>) -> Vec<(u32, u32)> {
        let documents: Vec<&[(u32, Place, u32)]> = self.of_documents.chunk_by(|a, b| a.0 == b.0).collect();
        let find = |meetings: &mut Meetings, places: &&[(u32, Place, u32)]| {
            meetings.begin(texts, places[0].0, request.min_letters);
            self.pairs_of(places, request.fresh, meetings)
        };
        let meetings = || Meetings::new(request.fresh.len());
        let mut pairs: Vec<(u32, u32)> = documents.par_iter().map_init(meetings, find).flatten_iter().collect();
        pairs.par_sort_unstable();
        pairs
    }

    /// The pairs of a document with lower ones.
    fn pairs_of(&self, places: &[(u32, Place, u32)], fresh: &[bool], meetings: &mut Meetings) -> Vec<(u32, u32)> {
        let document = places[0].0;
        let is_fresh = fresh[document as usize];
        for &(_, place, group) in places {
            let members = self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize;
            for &(other, unit) in self.members[members].iter().take_while(|&&(other, _)| other < document) {
                if is_fresh || fresh[other as usize] {
                    meetings.add(other, place, unit);
                }
            }
        }
        meetings.take().into_iter().map(|other| (other, document)).collect()
    }
}
