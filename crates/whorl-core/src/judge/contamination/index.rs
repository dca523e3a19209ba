//! The index of the items of benchmarks.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;

use super::content::Content;
use super::table::{Posting, Table};
use super::tokens::{Keys, LONG, Place, SHORT, TokenText};
use crate::hash::{BuildNumberHasher, GOLDEN, absorb, mix};
use crate::text::TextBlock;
use crate::text::shingle::digest;

/// From this many items with different answers on, a stretch that they share is a form.
const FORM_ITEMS: usize = 4;
/// A shorter window of more contents is replaced by longer ones.
const HOT: u16 = 24;
/// A longer window of more contents is not listed.
const HOTTEST: usize = 256;
/// Of contents with more windows, one window in three is listed.
const FEW_WINDOWS: usize = 16;
const BLOCK: usize = 3;

/// The field of an item that a text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The question or task.
    Question,
    /// One of the possible answers.
    Choice,
    /// The answer.
    Answer,
    /// The text that the question is about.
    Passage,
}

/// A text of an item.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Number of the item.
    pub item: u32,
    /// The field of the item.
    pub field: Field,
}

/// Items of benchmarks, indexed for finding them in documents.
#[derive(Default)]
pub struct Index {
    pub(super) contents: Vec<Content>,
    /// Number of windows that make each content a candidate.
    pub(super) required: Vec<u32>,
    /// The parts that consist of each content.
    pub(super) parts_of: Vec<Vec<u32>>,
    pub(super) parts: Vec<Part>,
    pub(super) content_of: Vec<u32>,
    /// The parts of each item, which are consecutive.
    pub(super) items: Vec<Range<u32>>,
    pub(super) short: Table,
    pub(super) long: Table,
    too_short: usize,
}

impl Index {
    /// Creates an index. The parts of an item are consecutive, and items are numbered in order from 0.
    pub fn new(texts: &impl TextBlock, parts: Vec<Part>) -> Self {
        let read = |reader: &mut TokenText, number| texts.with_text(number, |text| Content::new(text, reader));
        let contents: Vec<Content> = (0..parts.len()).into_par_iter().map_init(TokenText::default, read).collect();
        let mut index = Self { parts, ..Self::default() };
        index.number_items();
        index.unite(contents);
        index.mark_forms();
        index.list();
        index
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Number of questions with fewer than five words or ten Han characters, which are only found with their choices.
    pub fn too_short(&self) -> usize {
        self.too_short
    }

    pub(super) fn fields(&self, item: u32, field: Field) -> impl Iterator<Item = &Content> {
        let parts = self.items[item as usize].clone();
        let of_field = move |&part: &u32| self.parts[part as usize].field == field;
        parts.filter(of_field).map(|part| &self.contents[self.content_of[part as usize] as usize])
    }

    fn number_items(&mut self) {
        for (number, part) in self.parts.iter().enumerate() {
            let item = part.item as usize;
            self.items.resize(self.items.len().max(item + 1), number as u32..number as u32);
            self.items[item].end = number as u32 + 1;
        }
    }

    /// Keeps equal contents once.
    fn unite(&mut self, contents: Vec<Content>) {
        let mut numbers = HashMap::<u64, u32, BuildNumberHasher>::default();
        for (part, content) in contents.into_iter().enumerate() {
            let signs = content.operators.iter().fold(GOLDEN, |hash, &sign| absorb(hash, sign.into()));
            let number = *numbers.entry(mix(digest(&content.tokens) as u64 ^ signs)).or_insert_with(|| {
                self.contents.push(content);
                self.parts_of.push(Vec::new());
                self.contents.len() as u32 - 1
            });
            self.content_of.push(number);
            self.parts_of[number as usize].push(part as u32);
        }
    }

    /// Marks the stretches that items with different answers share.
    ///
    /// Versions of one item, such as those of a benchmark and its revision, have the same answer and make no form.
    fn mark_forms(&mut self) {
        let signatures: Vec<u32> = (0..self.items.len() as u32).map(|item| self.signature(item)).collect();
        let mut windows: Vec<(u64, u32)> = (0..self.contents.len())
            .into_par_iter()
            .flat_map_iter(|number| self.signed_windows(number, &signatures))
            .collect();
        windows.par_sort_unstable();
        windows.dedup();
        let forms: HashSet<u64, BuildNumberHasher> = windows
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|group| group.len() >= FORM_ITEMS)
            .map(|group| group[0].0)
            .collect();
        if forms.is_empty() {
            return;
        }
        self.contents.par_iter_mut().for_each_init(Keys::default, |keys, content| {
            keys.read(&content.tokens);
            let mut shared = Vec::new();
            keys.windows(&content.places, LONG, |at, key| shared.extend(forms.contains(&key).then_some(at)));
            for at in shared {
                let end = window_end(&content.places, at, LONG);
                content.mark_form(at..end);
            }
        });
    }

    /// The longer windows of a content, each with the signatures of its items.
    fn signed_windows(&self, number: usize, signatures: &[u32]) -> Vec<(u64, u32)> {
        let (content, mut keys, mut windows) = (&self.contents[number], Keys::default(), Vec::new());
        let is_question = |&&part: &&u32| self.parts[part as usize].field == Field::Question;
        let items = self.parts_of[number].iter().filter(is_question).map(|&part| self.parts[part as usize].item);
        let signatures: Vec<u32> = items.map(|item| signatures[item as usize]).take(FORM_ITEMS).collect();
        if signatures.is_empty() {
            return windows;
        }
        keys.read(&content.tokens);
        keys.windows(&content.places, LONG, |_, key| {
            windows.extend(signatures.iter().map(|&signature| (key, signature)))
        });
        windows
    }

    /// Stands for what distinguishes the item from others: its choices, a telling answer, or its question.
    fn signature(&self, item: u32) -> u32 {
        let parts = self.items[item as usize].clone();
        let of = |field: Field| parts.clone().filter(move |&part| self.parts[part as usize].field == field);
        let content = |part: u32| self.content_of[part as usize];
        let choices: Vec<u32> = of(Field::Choice).map(content).collect();
        if choices.len() > 1 {
            return choices.iter().fold(0, |sum: u32, &choice| sum.wrapping_add(mix(choice.into()) as u32));
        }
        let is_telling = |&answer: &u32| self.contents[answer as usize].weight() >= 200;
        let answer = of(Field::Answer).map(content).find(is_telling);
        answer.or_else(|| of(Field::Question).map(content).next()).unwrap_or(item)
    }

    /// Lists the rarest windows of each content.
    fn list(&mut self) {
        let total: usize = self.contents.iter().map(Content::len).sum();
        let mut frequencies = Frequencies::new(total);
        let mut keys = Keys::default();
        for content in &self.contents {
            keys.read(&content.tokens);
            keys.windows(&content.places, SHORT, |_, key| frequencies.add(key));
        }
        let listings: Vec<Listing> = (0..self.contents.len())
            .into_par_iter()
            .map_init(Keys::default, |keys, number| self.listing(number, keys, &frequencies))
            .collect();
        let count = |listing: &Listing| (listing.short.len() + listing.long.len()) as u32;
        let required = |(listing, content): (&Listing, &Content)| required(count(listing), content);
        self.required = listings.iter().zip(&self.contents).map(required).collect();
        let gather = |side: fn(&Listing) -> &Vec<(u64, Posting)>| listings.iter().flat_map(side).copied().collect();
        self.short = Table::new(gather(|listing| &listing.short));
        let mut long: Vec<(u64, Posting)> = gather(|listing| &listing.long);
        long.par_sort_unstable();
        let kept = long.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() <= HOTTEST).flatten().copied();
        self.long = Table::new(kept.collect());
        let is_short = |part: &usize| {
            self.parts[*part].field == Field::Question && !is_searched(&self.contents[self.content_of[*part] as usize])
        };
        self.too_short = (0..self.parts.len()).filter(is_short).count();
    }

    fn listing(&self, number: usize, keys: &mut Keys, frequencies: &Frequencies) -> Listing {
        let (content, mut listing, mut windows) = (&self.contents[number], Listing::default(), Vec::new());
        if !is_searched(content) {
            return listing;
        }
        keys.read(&content.tokens);
        let posting = |token: usize| Posting { content: number as u32, token: token as u32 };
        keys.windows(&content.places, SHORT, |at, key| windows.push((frequencies.get(key), at, key)));
        let block = if windows.len() <= FEW_WINDOWS { 1 } else { BLOCK };
        let mut hot = vec![false; windows.len()];
        for block in windows.chunks(block) {
            let &(frequency, at, key) = block.iter().min().expect("chunks are not empty");
            if frequency <= HOT {
                listing.short.push((key, posting(at)));
            } else {
                block.iter().for_each(|&(_, at, _)| hot[at] = true);
            }
        }
        if hot.contains(&true) {
            let mut any = false;
            keys.windows(&content.places, LONG, |at, key| {
                if hot[at] || (!any && listing.short.is_empty()) {
                    listing.long.push((key, posting(at)));
                    any = true;
                }
            });
        }
        listing
    }
}

/// Number of windows that make a content a candidate. Of the windows of an item with every tenth word or Han character
/// changed, more than half remain; with every tenth letter changed, a third.
fn required(listed: u32, content: &Content) -> u32 {
    let is_dense = content.units() < 3 * content.len() as u32;
    match listed {
        0..=2 => 1,
        3..=11 => 2,
        _ => (listed / if is_dense { 3 } else { 5 }).max(3),
    }
}

#[derive(Default)]
struct Listing {
    short: Vec<(u64, Posting)>,
    long: Vec<(u64, Posting)>,
}

/// How often each key occurs, or more often: keys share counters.
struct Frequencies(Vec<u16>);

impl Frequencies {
    fn new(keys: usize) -> Self {
        Self(vec![0; (2 * keys).next_power_of_two().max(64)])
    }

    fn add(&mut self, key: u64) {
        let at = self.at(key);
        self.0[at] = self.0[at].saturating_add(1);
    }

    fn get(&self, key: u64) -> u16 {
        self.0[self.at(key)]
    }

    fn at(&self, key: u64) -> usize {
        key as usize & (self.0.len() - 1)
    }
}

/// True if a content is long enough to be searched: five words or ten Han characters.
pub(super) fn is_searched(content: &Content) -> bool {
    let has_dense = content.places.iter().any(|place| place.is_dense);
    content.units() >= if has_dense { 20 } else { 25 }
}

fn window_end(places: &[Place], start: usize, width: u32) -> usize {
    let mut sum = 0;
    let reached = |place: &Place| {
        sum += place.units();
        sum >= width
    };
    places[start..].iter().position(reached).map_or(places.len(), |length| start + length + 1)
}
