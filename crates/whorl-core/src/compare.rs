//! The exact comparisons of one batch, and the texts behind them in the form that is compared.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use crate::features::FeatureReader;
use crate::text::Text;
use crate::verdict::Demand;
use crate::verify::{Figure, Scratch, View};

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
pub(crate) type Pair = (u32, u32);

/// Compares pairs: those that are planned in parallel, others when they are asked for.
pub(crate) struct Comparisons {
    demands: Vec<Demand>,
    bytes_a_code_point: usize,
    planned: Vec<Pair>,
    unread: Vec<u32>,
    known: HashSet<u32>,
    bytes: usize,
    /// Of each document, a view for each demand.
    views: HashMap<u32, Vec<View>>,
    outcomes: HashMap<Pair, (Figure, bool)>,
}

impl Comparisons {
    pub(crate) fn new(demands: &[Demand]) -> Self {
        Self {
            demands: demands.to_vec(),
            bytes_a_code_point: demands.iter().map(|demand| demand.measure.bytes_a_feature()).sum(),
            planned: Vec::new(),
            unread: Vec::new(),
            known: HashSet::new(),
            bytes: 0,
            views: HashMap::new(),
            outcomes: HashMap::new(),
        }
    }

    /// The memory that what is planned takes, at a feature a code point.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Plans a comparison; `length_of` knows the code points of a document.
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
        let planned = std::mem::take(&mut self.planned);
        self.outcomes = planned
            .par_iter()
            .map_init(Scratch::default, |scratch, &pair| (pair, self.compared(pair, scratch)))
            .collect();
        Ok(())
    }

    /// The figure of a pair by the last demand, and whether all are met; nothing where an earlier one is not.
    pub(crate) fn outcome<S: TextSource>(&mut self, pair: Pair, source: &S) -> Result<(Figure, bool), S::Error> {
        if let Some(&outcome) = self.outcomes.get(&pair) {
            return Ok(outcome);
        }
        let missing = [pair.0, pair.1].into_iter().filter(|document| !self.views.contains_key(document)).collect();
        self.load(missing, source)?;
        Ok(self.compared(pair, &mut Scratch::default()))
    }

    fn compared(&self, (own, other): Pair, scratch: &mut Scratch) -> (Figure, bool) {
        let mut figure = Figure::NOTHING;
        for (place, demand) in self.demands.iter().enumerate() {
            let (own, other) = (&self.views[&own][place], &self.views[&other][place]);
            figure = demand.measure.figure(own, other, demand.threshold, scratch);
            if figure.similarity < demand.threshold {
                let is_last = place + 1 == self.demands.len();
                return (if is_last { figure } else { Figure::NOTHING }, false);
            }
        }
        (figure, true)
    }

    fn load<S: TextSource>(&mut self, mut documents: Vec<u32>, source: &S) -> Result<(), S::Error> {
        documents.sort_unstable();
        let loaded: Vec<OnceLock<Vec<View>>> = documents.iter().map(|_| OnceLock::new()).collect();
        let idle: Mutex<Vec<Viewer<'_>>> = Mutex::default();
        source.read(&documents, &|position, text| {
            let waiting = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut viewer = waiting.unwrap_or_else(|| Viewer::new(&self.demands));
            // A position is given once; a second text for it would be the same text.
            let _ = loaded[position].set(viewer.views(text));
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(viewer);
        })?;
        drop(idle);
        // A text that was not given has no features.
        let missing = || self.demands.iter().map(|demand| demand.measure.view(&[], &mut Scratch::default())).collect();
        let views: Vec<_> = loaded.into_iter().map(|views| views.into_inner().unwrap_or_else(missing)).collect();
        self.views.extend(documents.into_iter().zip(views));
        Ok(())
    }
}

/// Turns texts into views; one a worker, reused from text to text.
struct Viewer<'d> {
    readers: Vec<(&'d Demand, FeatureReader<'d>)>,
    hashes: Vec<u64>,
    scratch: Scratch,
}

impl<'d> Viewer<'d> {
    fn new(demands: &'d [Demand]) -> Self {
        let readers = demands.iter().map(|demand| (demand, FeatureReader::new(&demand.features))).collect();
        Self { readers, hashes: Vec::new(), scratch: Scratch::default() }
    }

    fn views(&mut self, text: Text<'_>) -> Vec<View> {
        let view = |(demand, reader): &mut (&Demand, FeatureReader<'_>)| {
            reader.read(text, &mut self.hashes);
            demand.measure.view(&self.hashes, &mut self.scratch)
        };
        self.readers.iter_mut().map(view).collect()
    }
}
