//! The exact comparisons of one batch, and the texts behind them in the form that is compared.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::hash::BuildNumberHasher;
use crate::judge::boilerplate::Boilerplate;
use crate::judge::demand::{Comparer, Demand, View, Viewer};
use crate::measure::verify::Figure;
use crate::text::Text;

/// Reads the texts of documents. Implemented where there is I/O.
pub trait TextSource: Sync {
    /// Why a text cannot be read.
    type Error: Send;

    /// Calls `each` with the position in `documents` and the text of every one of them, in any order and from any
    /// number of threads.
    ///
    /// # Errors
    /// When a text cannot be read as it was when the run began.
    fn read(&self, documents: &[u32], each: &(dyn Fn(usize, Text<'_>) + Sync)) -> Result<(), Self::Error>;
}

/// A document that may be dropped, and one that it may copy.
pub type Pair = (u32, u32);

thread_local! {
    static COMPARER: RefCell<Comparer> = RefCell::default();
}

/// Compares pairs: those that are planned in parallel, others when they are asked for.
pub(crate) struct Comparisons {
    demands: Vec<Demand>,
    boilerplate: Arc<Boilerplate>,
    bytes_a_code_point: usize,
    /// Those with the same document that may be dropped lie together.
    planned: Vec<Pair>,
    unread: Vec<u32>,
    known: HashSet<u32, BuildNumberHasher>,
    bytes: usize,
    /// Of each document, a view for each demand.
    views: HashMap<u32, Vec<View>, BuildNumberHasher>,
    /// Of what was planned, once it was made.
    outcomes: Vec<(Figure, bool)>,
    /// Which of `planned` and of `outcomes` are those of a document.
    ranges: HashMap<u32, Range<usize>, BuildNumberHasher>,
    made: u64,
}

impl Comparisons {
    pub(crate) fn new(demands: &[Demand], boilerplate: Arc<Boilerplate>) -> Self {
        Self {
            demands: demands.to_vec(),
            boilerplate,
            bytes_a_code_point: demands.iter().map(Demand::bytes_a_code_point).sum(),
            planned: Vec::new(),
            unread: Vec::new(),
            known: HashSet::default(),
            bytes: 0,
            views: HashMap::default(),
            outcomes: Vec::new(),
            ranges: HashMap::default(),
            made: 0,
        }
    }

    /// The memory that what is planned takes, at a feature a code point.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many comparisons were made.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// Plans a comparison, those of one document after each other; `length_of` knows the code points of a document.
    pub(crate) fn plan(&mut self, pair: Pair, length_of: impl Fn(u32) -> u32) {
        self.planned.push(pair);
        for document in [pair.0, pair.1] {
            if self.known.insert(document) {
                self.unread.push(document);
                self.bytes += length_of(document) as usize * self.bytes_a_code_point;
            }
        }
    }

    /// Makes the comparisons that are planned.
    pub(crate) fn run<S: TextSource>(&mut self, source: &S) -> Result<(), S::Error> {
        let documents = std::mem::take(&mut self.unread);
        self.load(documents, source)?;
        self.made += self.planned.len() as u64;
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

    /// The outcome of a comparison that was planned: the figure by the last demand, and whether all are met; nothing where
    /// an earlier one is not.
    pub(crate) fn planned_outcome(&self, pair: Pair) -> Option<(Figure, bool)> {
        let range = self.ranges.get(&pair.0)?.clone();
        let place = self.planned[range.clone()].iter().position(|planned| planned.1 == pair.1)?;
        Some(self.outcomes[range.start + place])
    }

    /// The outcome of one that was not.
    pub(crate) fn outcome<S: TextSource>(&mut self, pair: Pair, source: &S) -> Result<(Figure, bool), S::Error> {
        let missing = [pair.0, pair.1].into_iter().filter(|document| !self.views.contains_key(document)).collect();
        self.load(missing, source)?;
        self.made += 1;
        Ok(self.compared(&[pair])[0])
    }

    /// The outcomes of pairs with the same document that may be dropped.
    fn compared(&self, pairs: &[Pair]) -> Vec<(Figure, bool)> {
        let mut outcomes = vec![(Figure::NOTHING, true); pairs.len()];
        COMPARER.with_borrow_mut(|comparer| {
            for (place, demand) in self.demands.iter().enumerate() {
                let view = |document: u32| &self.views[&document][place];
                let is_last = place + 1 == self.demands.len();
                comparer.hold(view(pairs[0].0));
                for (&(own, other), outcome) in pairs.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.1) {
                    let (figure, is_met) = demand.compare(view(own), view(other), comparer);
                    *outcome = (if is_met || is_last { figure } else { Figure::NOTHING }, is_met);
                }
            }
        });
        outcomes
    }

    fn load<S: TextSource>(&mut self, mut documents: Vec<u32>, source: &S) -> Result<(), S::Error> {
        documents.sort_unstable();
        let loaded: Vec<OnceLock<Vec<View>>> = documents.iter().map(|_| OnceLock::new()).collect();
        let idle: Mutex<Vec<Vec<Viewer<'_>>>> = Mutex::default();
        let viewers = || self.demands.iter().map(|demand| Viewer::new(demand, &self.boilerplate)).collect();
        source.read(&documents, &|position, text| {
            let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut viewers = waiting.unwrap_or_else(viewers);
            // A position is given once; a second text for it would be the same text.
            let _ = loaded[position].set(viewers.iter_mut().map(|viewer| viewer.view(text)).collect());
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(viewers);
        })?;
        drop(idle);
        // A text that was not given has no features.
        let missing = || viewers().iter_mut().map(|viewer| viewer.view(Text::Utf8(""))).collect();
        let views: Vec<_> = loaded.into_iter().map(|views| views.into_inner().unwrap_or_else(missing)).collect();
        self.views.extend(documents.into_iter().zip(views));
        Ok(())
    }
}
