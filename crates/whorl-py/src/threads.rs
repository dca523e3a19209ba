//! The threads that compute: as many as the call asks for, in processes that fork too.
//!
//! A child that was forked has the memory of its parent but none of its threads: what waits for a pool of the parent
//! there waits for ever. A child therefore makes pools of its own, and no lock that a parent may hold is waited for.

use std::cell::Cell;
use std::iter::successors;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that computed first, whose calls without a bound have the global pool; 0 before.
static HOME: AtomicU32 = AtomicU32::new(0);
/// The pool that was made last, with those made before it.
static POOLS: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// As many threads were asked for by what runs in this one; 0 for one a core.
    static WORKERS: Cell<usize> = const { Cell::new(0) };
}

/// Threads of one process. A pool that was made is never dropped: it may be that of a parent.
struct Pool {
    process: u32,
    workers: usize,
    threads: ThreadPool,
    before: AtomicPtr<Pool>,
}

/// Computing without the GIL.
pub trait Compute {
    /// Computes on as many threads as this one was told to take.
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

/// Bounds the threads of all that the thread that asks computes from now on, and returns the bound before; 0 is one a
/// core.
#[pyfunction]
pub fn set_workers(workers: usize) -> usize {
    WORKERS.replace(workers)
}

/// On how many threads the thread that asks computes.
#[pyfunction]
pub fn workers(py: Python<'_>) -> usize {
    py.compute(rayon::current_num_threads)
}

/// The pool for this thread; none is the global one.
fn pool() -> Option<&'static ThreadPool> {
    let (process, workers) = (std::process::id(), WORKERS.get());
    let home = HOME.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire).unwrap_or_else(|home| home);
    if workers == 0 && (home == 0 || home == process) {
        return None;
    }
    let known = pools().find(|pool| pool.process == process && pool.workers == workers);
    Some(&known.unwrap_or_else(|| made(process, workers)).threads)
}

/// The pools that were made so far, by this process and those before it, the last one first.
#[allow(unsafe_code, reason = "looks at pools that are never dropped")]
fn pools() -> impl Iterator<Item = &'static Pool> {
    // SAFETY: what is stored is null or was leaked below, so that it lives as long as the process and its children, and
    // nothing of it changes once it is stored.
    let at = |pool: *mut Pool| unsafe { pool.as_ref() };
    successors(at(POOLS.load(Ordering::Acquire)), move |pool| at(pool.before.load(Ordering::Relaxed)))
}

/// Makes a pool. Of two threads that come here at once each makes one, and the last one's is used from then on.
fn made(process: u32, workers: usize) -> &'static Pool {
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
