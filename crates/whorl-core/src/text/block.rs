//! Blocks of texts.

use rayon::prelude::*;

use super::Text;

/// Texts per parallel task.
const TEXTS_A_TASK: usize = 64;

/// Texts by position, readable from any thread.
pub trait TextBlock: Sync {
    /// Number of texts.
    fn len(&self) -> usize;
    /// Calls `read` with text `index`; a missing text is empty.
    fn with_text<R>(&self, index: usize, read: impl FnOnce(Text<'_>) -> R) -> R;
    /// True if there are no texts.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl TextBlock for Vec<Text<'_>> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn with_text<R>(&self, index: usize, read: impl FnOnce(Text<'_>) -> R) -> R {
        read(self[index])
    }
}

/// Calls `step` for every text in parallel, with state created by `worker` that a thread reuses from text to text.
/// Returns the results of each task, in order. The calling thread does a single task by itself.
pub(crate) fn in_tasks<Worker, Part: Default + Send>(
    block: &impl TextBlock,
    worker: impl Fn() -> Worker + Sync + Send,
    step: impl Fn(&mut Worker, Text<'_>, &mut Part) + Sync + Send,
) -> Vec<Part> {
    let tasks = block.len().div_ceil(TEXTS_A_TASK);
    let run = |worker: &mut Worker, task: usize| {
        let mut part = Part::default();
        for index in task * TEXTS_A_TASK..block.len().min((task + 1) * TEXTS_A_TASK) {
            block.with_text(index, |text| step(worker, text, &mut part));
        }
        part
    };
    match tasks {
        0 => Vec::new(),
        1 => vec![run(&mut worker(), 0)],
        _ => (0..tasks).into_par_iter().map_init(worker, run).collect(),
    }
}
