//! Compilations: texts that contain several other documents, such as round-ups, digests and anthologies.
//!
//! # Problem
//!
//! A single pair cannot reveal a compilation: a round-up and one of its stories look like an article and an excerpt of
//! it. The article makes its excerpt redundant, but each story of a round-up is an original.
//!
//! # Choice
//!
//! A text is compared with all documents that may be part of it, and is a compilation if several are, in different
//! places. An article that was divided into two excerpts looks the same, but its parts have one topic: stories that
//! [cohere](super::pieces::cohesion) are parts of one text. In doubt, the text is a compilation: keeping two redundant
//! excerpts costs less than losing two originals.

use std::collections::BTreeSet;
use std::ops::Range;

use super::pair::{Judge, Prepared};
use super::pieces::cohesion::cohere;
use super::relation::{Derived, Evidence, Relation, sureness};

/// Minimum share of a story that is in the compilation.
const MOSTLY: f64 = 0.5;
/// A story fills less than this share of the compilation; a document that fills more is another edition of it.
const EDITION: f64 = 0.8;
/// A compilation that fills at least this share of another one is an earlier or shorter edition, not a story.
const SAME: f64 = 2.0 / 3.0;
/// Stories together fill at least one part in this many of a compilation,
const FILLED: usize = 2;
/// and without the largest at least one in this many.
const BESIDES: usize = 10;
/// A text with more stories than this was not divided into excerpts.
const EXCERPTS: usize = 8;
/// Places overlap if the smaller one contains at least one part in this many of the larger one.
const OVERLAP: usize = 10;

/// The text copied from a story: ranges of units of the compilation.
pub type Place = Vec<Range<usize>>;

impl Judge {
    /// Locates a possible story in a possible compilation; None if their relation rules it out. Linear.
    pub fn place_of(&mut self, story: &Prepared, compilation: &Prepared) -> Option<Place> {
        let (related, [mut place, _]) = self.related_in_places(compilation, story);
        place.sort_unstable_by_key(|units| units.start);
        let [whole, part] = shares(&related.evidence);
        is_story(related.relation, part, whole).then_some(place)
    }
}

/// True if a text is a compilation of the documents at `places`, which may be copies of each other. Linear in the text
/// and the places, except for sorting.
pub fn is_compilation(text: &Prepared, places: &[Place]) -> bool {
    let stories = stories(text.counts().counted(), places);
    stories.len() > EXCERPTS
        || !stories
            .iter()
            .enumerate()
            .all(|(at, story)| stories[..at].iter().all(|other| cohere(&text.stream, other, story)))
}

/// Groups places by story; at most one group if the text is not a compilation. Only units with a 1 in `counted` count.
///
/// The smallest place comes first, so that a document with several stories does not take their places. Partially
/// overlapping places are one story: such documents were cut from one text rather than collected.
fn stories(counted: &[u8], places: &[Place]) -> Vec<Vec<usize>> {
    let is_counted = |&unit: &usize| counted[unit] == 1;
    let units = |place: &Place| place.iter().cloned().flatten().filter(is_counted).collect::<Vec<usize>>();
    let mut sorted: Vec<Vec<usize>> = places.iter().map(units).collect();
    sorted.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut story_of: Vec<Option<usize>> = vec![None; counted.len()];
    // The range that each story fills, and the story it was merged into, initially itself.
    let (mut filled, mut into) = (Vec::<usize>::new(), Vec::<usize>::new());
    for units in sorted {
        let added = units.iter().filter(|&&unit| story_of[unit].is_none()).count();
        if 2 * added <= units.len() {
            continue;
        }
        let story = filled.len();
        filled.push(added);
        into.push(story);
        if OVERLAP * (units.len() - added) > units.len() {
            let met: BTreeSet<usize> = units.iter().filter_map(|&unit| story_of[unit]).map(|met| into[met]).collect();
            filled[story] += met.iter().map(|&met| std::mem::take(&mut filled[met])).sum::<usize>();
            into.iter_mut().filter(|into| met.contains(into)).for_each(|into| *into = story);
        }
        units.into_iter().for_each(|unit| story_of[unit] = story_of[unit].or(Some(story)));
    }
    let total = counted.iter().map(|&unit| usize::from(unit)).sum::<usize>();
    let (all, largest) = (filled.iter().sum::<usize>(), filled.iter().copied().max().unwrap_or(0));
    if largest == all || FILLED * all < total || BESIDES * (all - largest) < total {
        return Vec::new();
    }
    let mut stories = vec![Vec::new(); filled.len()];
    for (unit, story) in story_of.into_iter().enumerate() {
        if let Some(story) = story {
            stories[into[story]].push(unit);
        }
    }
    stories.retain(|story| !story.is_empty());
    stories
}

/// True if a text can be a story: the share `part` of it is in the other text and makes up the share `whole` of that.
fn is_story(relation: Relation, part: f64, whole: f64) -> bool {
    let has_no_closer_relation = matches!(relation, Relation::Excerpt | Relation::Version | Relation::Partial);
    has_no_closer_relation && part >= MOSTLY && whole < EDITION && whole <= part
}

/// Returns which of two texts is a compilation with the other among its stories, and the confidence.
///
/// `are_compilations` flags the texts that are compilations; `copied` is the copied share of each.
pub fn compiled(relation: Relation, copied: [f64; 2], are_compilations: [bool; 2]) -> Option<(Derived, f64)> {
    let of = |place: usize| {
        let (whole, part) = (copied[place], copied[1 - place]);
        let is_edition = are_compilations[1 - place] && whole >= SAME;
        let is_compiled = are_compilations[place] && is_story(relation, part, whole) && !is_edition;
        is_compiled.then(|| ([Derived::A, Derived::B][place], sureness(part, MOSTLY, 1.0)))
    };
    of(0).or_else(|| of(1))
}

fn shares(evidence: &Evidence) -> [f64; 2] {
    evidence.copied.map(|share| f64::from(share.covered) / f64::from(share.counted.max(1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::align::side::Side;

    fn prepared(text: &str) -> Prepared {
        let code_points: Vec<u32> = text.chars().map(u32::from).collect();
        Side::default().prepare(&code_points, &|_| Vec::new())
    }

    /// A text that has nothing in common with that of another number.
    fn story(number: u32, length: u32) -> String {
        let character = |place: u32| {
            let mixed = crate::hash::mix(u64::from(number) << 32 | u64::from(place)) % 6000;
            char::from_u32(0x4E00 + mixed as u32).unwrap_or('一')
        };
        (0..length).map(|place| if place % 20 == 19 { '。' } else { character(place) }).collect()
    }

    fn is_one(text: &str, others: &[String]) -> bool {
        let (text, mut judge) = (prepared(text), Judge::default());
        let places: Vec<Place> = others.iter().filter_map(|other| judge.place_of(&prepared(other), &text)).collect();
        is_compilation(&text, &places)
    }

    #[test]
    fn a_round_up_holds_several_stories() {
        let stories: Vec<String> = (0..5).map(|number| story(number, 200)).collect();
        let roundup = stories.join("\n");
        assert!(is_one(&roundup, &stories));
        assert!(is_one(&roundup, &stories[..3]), "the other two are nowhere else");
        assert!(!is_one(&roundup, &stories[..2]), "most of it is its own");
        assert!(!is_one(&roundup, &[stories[0].clone(), stories[0].clone()]), "copies of one story");
        let halves = format!("{}\n{}", &stories[0][..300], &stories[1][..300]);
        assert!(is_one(&halves, &stories), "half of each of two stories");
    }

    #[test]
    fn an_article_with_an_excerpt_holds_none() {
        let article = story(1, 1000);
        assert!(!is_one(&article, &[article[..1800].to_owned()]));
        assert!(!is_one(&article, &[article[..1500].to_owned(), article[300..1800].to_owned()]), "they overlap");
        assert!(
            !is_one(&article, &[article[..2250].to_owned(), article[2700..2850].to_owned()]),
            "the second is small"
        );
        assert!(!is_one(&article, &[article.clone(), article[..600].to_owned()]), "a copy of all of it is no story");
    }

    const FERRY: [&str; 2] = [
        "The ferry to the island was cancelled again on Monday because its engine would not start. The ferry company said that \
         the engine had been repaired in spring and that a second ferry would come from the mainland within days.\n",
        "Islanders have heard this before. The engine of the old ferry failed in March and in June, and each time the company \
         promised a second ferry from the mainland. On Tuesday the harbour was full of islanders waiting for the ferry.\n",
    ];
    const ORCHARD: &str = "Apple growers in the valley expect a poor harvest. Frost in April killed the blossom of the early \
         varieties, and wasps have taken much of what ripened since. Growers ask the ministry for help with their loans.\n";

    #[test]
    fn parts_of_one_text_are_excerpts_and_no_stories() {
        let [first, second] = FERRY.map(str::to_owned);
        assert!(!is_one(&format!("{first}{second}"), &[first.clone(), second]));
        assert!(is_one(&format!("{first}{ORCHARD}"), &[first, ORCHARD.to_owned()]), "another subject");
    }

    #[test]
    fn another_edition_takes_no_place_from_the_stories() {
        let stories: Vec<String> = (0..5).map(|number| story(number, 200)).collect();
        let edition = stories[..4].join("\n") + &story(9, 100);
        assert!(is_one(&stories.join("\n"), &[vec![edition], stories.clone()].concat()));
    }

    proptest! {
        #[test]
        fn neither_order_nor_copies_matter(
            lengths in prop::collection::vec(20..120_u32, 2..7),
            present in prop::collection::vec(any::<bool>(), 7),
            order in any::<prop::sample::Index>(),
        ) {
            let stories: Vec<String> = (0..).zip(&lengths).map(|(number, &length)| story(number, length)).collect();
            let roundup = prepared(&stories.join("\n"));
            let mut judge = Judge::default();
            let there = stories.iter().zip(&present).filter(|(_, is_there)| **is_there);
            let mut places: Vec<Place> = there.filter_map(|(story, _)| judge.place_of(&prepared(story), &roundup)).collect();
            let expected = is_compilation(&roundup, &places);
            if !places.is_empty() {
                let by = order.index(places.len());
                places.rotate_left(by);
                places.push(places[0].clone());
            }
            prop_assert_eq!(is_compilation(&roundup, &places), expected);
        }

        #[test]
        fn stories_apart_are_summed(lengths in prop::collection::vec(1..40_u32, 0..8), present in prop::collection::vec(any::<bool>(), 8)) {
            // Stories without gaps between them: the filled length is the sum of those present.
            let total: u32 = lengths.iter().sum();
            let mut start = 0;
            let places: Vec<Place> = lengths.iter().map(|&length| {
                start += length as usize;
                std::iter::once(start - length as usize..start).collect()
            }).collect();
            let there: Vec<Place> = places.into_iter().zip(&present).filter(|(_, is_there)| **is_there).map(|(place, _)| place).collect();
            let sizes: Vec<usize> = there.iter().map(|place| place[0].len()).collect();
            let (filled, largest) = (sizes.iter().sum::<usize>(), sizes.iter().copied().max().unwrap_or(0));
            let expected = sizes.len() > 1 && 2 * filled >= total as usize && 10 * (filled - largest) >= total as usize;
            prop_assert_eq!(stories(&vec![1; total as usize], &there).len() > 1, expected);
        }
    }
}
