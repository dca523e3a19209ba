//! The exact comparisons of one batch, with the texts in the form that is compared.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::align::outline::Changes;
use crate::align::pair::{Prepared, Related, Side, Stream};
use crate::hash::BuildNumberHasher;
use crate::judge::boilerplate::Boilerplate;
use crate::judge::demand::{Comparer, Demand, View, Viewer};
use crate::judge::ruling::{Removable, Ruling};
use crate::measure::verify::Figure;
use crate::text::Text;

/// Access to the texts of documents, implemented by crates that do I/O.
pub trait TextSource: Sync {
    /// Error of reading a text.
    type Error: Send;

    /// Calls `on_text` with the index in `documents` and the text of every document, in any order and from any number
    /// of threads.
    ///
    /// # Errors
    /// If a text cannot be read as it was when the run began.
    fn read(&self, documents: &[u32], on_text: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), Self::Error>;
}

/// A document that may be removed, and one that it may copy.
pub type Pair = (u32, u32);

thread_local! {
    static COMPARER: RefCell<Comparer> = RefCell::default();
    static SIDE: RefCell<Side> = RefCell::default();
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// The similarity by the last demand; zero if an earlier one is not met.
    pub figure: Figure,
    /// Whether all demands are met.
    pub is_met: bool,
    /// Whether they are met by the document that may be removed, not only by the other one.
    is_reached: bool,
    /// The ruling on the document, if all demands are met.
    pub ruling: Option<Ruling>,
    /// The changes of the document, if they are requested, it may be removed, and their texts need not be read again.
    pub changes: Option<Changes>,
}

const OPEN: Outcome = Outcome { figure: Figure::NOTHING, is_met: true, is_reached: true, ruling: None, changes: None };

/// A document in the form that is compared.
struct Loaded {
    /// One view for each demand.
    views: Vec<View>,
    /// Its text, if no view contains it.
    text: Option<Written>,
}

/// A text that is prepared for alignment on first use.
struct Written {
    code_points: Vec<u32>,
    prepared: OnceLock<Box<Prepared>>,
}

impl Loaded {
    fn prepared(&self, boilerplate: &Boilerplate) -> &Prepared {
        match (&self.text, self.views.last()) {
            (Some(text), _) => text.prepared.get_or_init(|| {
                let ranges = |stream: &Stream| boilerplate.ranges_in(stream);
                SIDE.with_borrow_mut(|side| Box::new(side.prepare(&text.code_points, &ranges)))
            }),
            (None, Some(View::Text(prepared))) => prepared,
            _ => unreachable!("a text is written down where no view has it"),
        }
    }
}

/// Compares pairs: planned ones in parallel, others on demand.
pub(crate) struct Comparisons {
    demands: Vec<Demand>,
    removable: Removable,
    /// Whether the changes of removable documents are determined.
    with_changes: bool,
    /// Whether the views of the last demand are the texts for the ruling.
    has_texts: bool,
    boilerplate: Arc<Boilerplate>,
    bytes_a_code_point: usize,
    /// The planned pairs; those with the same removable document are adjacent.
    planned: Vec<Pair>,
    unread: Vec<u32>,
    seen_documents: HashSet<u32, BuildNumberHasher>,
    bytes: usize,
    loaded: HashMap<u32, Loaded, BuildNumberHasher>,
    /// The outcomes of the planned pairs, once computed.
    outcomes: Vec<Outcome>,
    /// The range of each document in `planned` and `outcomes`.
    ranges: HashMap<u32, Range<usize>, BuildNumberHasher>,
    performed: u64,
}

impl Comparisons {
    /// `is_whole` means that the demands apply to whole documents, not to a field. `with_changes` requests the changes of
    /// removable documents, which are only determined for whole documents.
    pub(crate) fn new(
        demands: &[Demand],
        boilerplate: Arc<Boilerplate>,
        removable: Removable,
        is_whole: bool,
        with_changes: bool,
    ) -> Self {
        let has_texts = is_whole && demands.last().is_some_and(Demand::is_on_passages);
        let of_text = if has_texts { 0 } else { size_of::<u32>() + Prepared::BYTES_A_CODE_POINT };
        Self {
            demands: demands.to_vec(),
            removable,
            with_changes: with_changes && is_whole && !demands.last().is_some_and(Demand::is_by_content),
            has_texts,
            boilerplate,
            bytes_a_code_point: demands.iter().map(Demand::bytes_a_code_point).sum::<usize>() + of_text,
            planned: Vec::new(),
            unread: Vec::new(),
            seen_documents: HashSet::default(),
            bytes: 0,
            loaded: HashMap::default(),
            outcomes: Vec::new(),
            ranges: HashMap::default(),
            performed: 0,
        }
    }

    /// Estimated memory of the planned comparisons, with one feature per code point.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Number of comparisons performed.
    pub(crate) fn performed(&self) -> u64 {
        self.performed
    }

    /// Number of planned comparisons.
    pub(crate) fn planned(&self) -> usize {
        self.planned.len()
    }

    /// Discards the planned comparisons and their outcomes, but keeps the texts.
    pub(crate) fn forget_outcomes(&mut self) {
        self.planned.clear();
        self.outcomes.clear();
        self.ranges.clear();
    }

    /// Plans a comparison; those of one document must be consecutive. `length_of` returns the length of a document in
    /// code points.
    pub(crate) fn plan(&mut self, pair: Pair, length_of: impl Fn(u32) -> u32) {
        self.planned.push(pair);
        self.want(pair, length_of);
    }

    /// Schedules the texts of a pair for reading, unless they are loaded.
    fn want(&mut self, pair: Pair, length_of: impl Fn(u32) -> u32) {
        for document in [pair.0, pair.1] {
            if self.seen_documents.insert(document) {
                self.unread.push(document);
                self.bytes += length_of(document) as usize * self.bytes_a_code_point;
            }
        }
    }

    /// Performs the planned comparisons.
    pub(crate) fn run<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let documents = std::mem::take(&mut self.unread);
        self.load(documents, source)?;
        self.performed += self.planned.len() as u64;
        let of_documents: Vec<&[Pair]> = self.planned.chunk_by(|one, next| one.0 == next.0).collect();
        let mut start = 0;
        for pairs in &of_documents {
            self.ranges.insert(pairs[0].0, start..start + pairs.len());
            start += pairs.len();
        }
        let outcomes: Vec<Vec<_>> = of_documents.into_par_iter().map(|pairs| self.compared(pairs)).collect();
        self.outcomes = outcomes.concat();
        Ok(())
    }

    /// Returns the outcome of a planned comparison.
    pub(crate) fn planned_outcome(&self, pair: Pair) -> Option<Outcome> {
        let range = self.ranges.get(&pair.0)?.clone();
        let place = self.planned[range.clone()].iter().position(|planned| planned.1 == pair.1)?;
        Some(self.outcomes[range.start + place])
    }

    /// Returns the outcome of a comparison that was not planned.
    pub(crate) fn outcome<S: TextSource>(
        &mut self,
        pair: Pair,
        length_of: impl Fn(u32) -> u32,
        source: &S,
    ) -> Result<Outcome, S::Error> {
        self.want(pair, length_of);
        let missing = std::mem::take(&mut self.unread);
        self.load(missing, source)?;
        self.performed += 1;
        Ok(self.compared(&[pair])[0])
    }

    /// Compares pairs with the same removable document.
    fn compared(&self, pairs: &[Pair]) -> Vec<Outcome> {
        let mut outcomes = vec![OPEN; pairs.len()];
        COMPARER.with_borrow_mut(|comparer| {
            for (place, demand) in self.demands.iter().enumerate() {
                let view = |document: u32| &self.loaded[&document].views[place];
                let is_last = place + 1 == self.demands.len();
                comparer.hold(view(pairs[0].0));
                for (&pair, outcome) in pairs.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.is_met) {
                    let met = demand.compare(view(pair.0), view(pair.1), comparer);
                    outcome.figure = if met.is_met || is_last { met.figure } else { Figure::NOTHING };
                    outcome.is_met = met.is_met;
                    outcome.is_reached &= met.is_reached;
                    if let Some(related) = met.related.filter(|_| met.is_met && is_last && self.has_texts) {
                        self.rule(pair, &related, comparer, outcome);
                    }
                }
            }
            for (&pair, outcome) in pairs.iter().zip(&mut outcomes) {
                if outcome.is_met && outcome.ruling.is_none() {
                    let [own, kept] = [pair.0, pair.1].map(|document| self.prepared(document));
                    // A reference stored only as a fingerprint cannot be compared: the rule alone decides.
                    let is_unread = kept.length() == 0 && self.demands.is_empty();
                    if is_unread {
                        outcome.ruling = Some(Ruling::UNREAD);
                    } else {
                        let related = comparer.related(kept, own);
                        self.rule(pair, &related, comparer, outcome);
                    }
                }
                if let Some(ruling) = outcome.ruling.as_mut() {
                    ruling.is_removable &= outcome.is_reached;
                    ruling.loses_little &= outcome.is_reached;
                }
            }
        });
        outcomes
    }

    /// Rules on a pair that was compared last.
    fn rule(&self, pair: Pair, related: &Related, comparer: &Comparer, outcome: &mut Outcome) {
        let (kept, document) = (self.prepared(pair.1), self.prepared(pair.0));
        let ruling = Ruling::of(related, kept, document, self.removable);
        if self.with_changes && ruling.is_removable {
            outcome.changes = comparer.changes(kept, document, related);
        }
        outcome.ruling = Some(ruling);
    }

    fn prepared(&self, document: u32) -> &Prepared {
        self.loaded[&document].prepared(&self.boilerplate)
    }

    fn load<S: TextSource>(&mut self, mut documents: Vec<u32>, source: &S) -> Result<(), S::Error> {
        documents.sort_unstable();
        let loaded: Vec<OnceLock<Loaded>> = documents.iter().map(|_| OnceLock::new()).collect();
        let idle: Mutex<Vec<Vec<Viewer<'_>>>> = Mutex::default();
        let viewers = || self.demands.iter().map(|demand| Viewer::new(demand, &self.boilerplate)).collect();
        let load = |viewers: &mut Vec<Viewer<'_>>, text: Text<'_>| Loaded {
            views: viewers.iter_mut().map(|viewer| viewer.view(text)).collect(),
            text: (!self.has_texts).then(|| Written::of(text)),
        };
        source.read(&documents, &|position, text| {
            let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut viewers = waiting.unwrap_or_else(viewers);
            // A second text for the same index would be identical.
            let _ = loaded[position].set(load(&mut viewers, text));
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(viewers);
        })?;
        drop(idle);
        // A missing text has no features.
        let missing = || load(&mut viewers(), Text::Utf8(""));
        let loaded: Vec<_> = loaded.into_iter().map(|one| one.into_inner().unwrap_or_else(missing)).collect();
        self.loaded.extend(documents.into_iter().zip(loaded));
        Ok(())
    }
}

impl Written {
    fn of(text: Text<'_>) -> Self {
        let mut code_points = Vec::new();
        text.copy_to(&mut code_points);
        Self { code_points, prepared: OnceLock::new() }
    }
}
