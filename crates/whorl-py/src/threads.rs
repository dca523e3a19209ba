//! Thread pools that respect the limit of each call and survive `fork`.
//!
//! A forked child inherits the memory of its parent but not its threads, so work submitted to an inherited pool would
//! block forever. A child therefore creates its own pools, and this module never waits for a lock that a parent may
//! hold.

use std::cell::Cell;
use std::iter::successors;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that computed first; its unlimited calls use the global pool. 0 before the first call.
static HOME: AtomicU32 = AtomicU32::new(0);
/// The most recent pool; earlier pools are linked from it.
static POOLS: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The thread limit requested by the current thread; 0 means one per core.
    static WORKERS: Cell<usize> = const { Cell::new(0) };
}

/// A pool of one process. Pools are never dropped because they may belong to the parent.
struct Pool {
    process: u32,
    workers: usize,
    threads: ThreadPool,
    before: AtomicPtr<Pool>,
}

/// Computation without the GIL.
pub trait Compute {
    /// Runs `work` on as many threads as the current thread's limit allows.
    fn compute<R: Ungil + Send>(self, work: impl FnOnce() -> R + Ungil + Send) -> R;
}

impl Compute for Python<'_> {
    fn compute<R: Ungil + Send>(self, work: impl FnOnce() -> R + Ungil + Send) -> R {
        self.detach(|| match pool() {
            None => work(),
            Some(threads) => threads.install(work),
        })
    }
}

/// Limits the threads of all later computations of the calling thread and returns the previous limit; 0 means one per
/// core.
#[pyfunction]
pub fn set_workers(workers: usize) -> usize {
    WORKERS.replace(workers)
}

/// Returns the number of threads that the calling thread computes on.
#[pyfunction]
pub fn workers(py: Python<'_>) -> usize {
    py.compute(rayon::current_num_threads)
}

/// Returns the pool for the calling thread; None stands for the global pool.
fn pool() -> Option<&'static ThreadPool> {
    let (process, workers) = (std::process::id(), WORKERS.get());
    let home = HOME.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire).unwrap_or_else(|home| home);
    if workers == 0 && (home == 0 || home == process) {
        return None;
    }
    let existing = pools().find(|pool| pool.process == process && pool.workers == workers);
    Some(&existing.unwrap_or_else(|| create(process, workers)).threads)
}

/// Iterates over all pools of this process and its ancestors, newest first.
#[allow(unsafe_code, reason = "looks at pools that are never dropped")]
fn pools() -> impl Iterator<Item = &'static Pool> {
    // SAFETY: the pointer is null or was leaked below. A leaked pool lives as long as the process and its children, and
    // is not modified after it is stored.
    let at = |pool: *mut Pool| unsafe { pool.as_ref() };
    successors(at(POOLS.load(Ordering::Acquire)), move |pool| at(pool.before.load(Ordering::Relaxed)))
}

/// Creates a pool. If two threads race, both create one and the later one is used from then on.
fn create(process: u32, workers: usize) -> &'static Pool {
    let builder = ThreadPoolBuilder::new().num_threads(workers).start_handler(move |_| WORKERS.set(workers));
    let threads = builder.build().expect("the system gives threads");
    let pool: &Pool = Box::leak(Box::new(Pool { process, workers, threads, before: AtomicPtr::default() }));
    let mut last = POOLS.load(Ordering::Acquire);
    loop {
        pool.before.store(last, Ordering::Relaxed);
        match POOLS.compare_exchange(last, ptr::from_ref(pool).cast_mut(), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return pool,
            Err(other) => last = other,
        }
    }
}
