//! The threads that compute, in processes that fork too.
//!
//! A child that was forked has the memory of its parent but none of its threads: what waits for the pool of the parent
//! there waits for ever. A child therefore makes a pool of its own.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that computed first, whose threads are those of the global pool; 0 before.
static HOME: AtomicU32 = AtomicU32::new(0);
/// The pool of a child. One that was made is never dropped: it may be that of a parent.
static OF_CHILD: AtomicPtr<(u32, ThreadPool)> = AtomicPtr::new(ptr::null_mut());
/// As many threads were asked for; 0 for one a core.
static WORKERS: AtomicUsize = AtomicUsize::new(0);

/// Computing without the GIL.
pub trait Compute {
    /// Computes on all threads.
    fn compute<R: Ungil + Send>(self, work: impl FnOnce() -> R + Ungil + Send) -> R;
}

impl Compute for Python<'_> {
    fn compute<R: Ungil + Send>(self, work: impl FnOnce() -> R + Ungil + Send) -> R {
        self.detach(|| match pool_of_child() {
            None => work(),
            Some(pool) => pool.install(work),
        })
    }
}

/// Bounds the threads; only the first call counts, and one in a child before it computes.
pub fn bound(workers: usize) {
    WORKERS.store(workers, Ordering::Relaxed);
    // An error says that the pool exists already, with the size it then had.
    let _ = ThreadPoolBuilder::new().num_threads(workers).build_global();
}

#[allow(unsafe_code, reason = "looks at a pool that is never dropped")]
fn pool_of_child() -> Option<&'static ThreadPool> {
    let process = std::process::id();
    let home = HOME.compare_exchange(0, process, Ordering::AcqRel, Ordering::Acquire).unwrap_or_else(|home| home);
    if home == 0 || home == process {
        return None;
    }
    // SAFETY: what is stored is null or was leaked below, so that it lives as long as the process and its children.
    let known = unsafe { OF_CHILD.load(Ordering::Acquire).as_ref() };
    if let Some((owner, pool)) = known
        && *owner == process
    {
        return Some(pool);
    }
    let pool = ThreadPoolBuilder::new().num_threads(WORKERS.load(Ordering::Relaxed)).build();
    let made = Box::leak(Box::new((process, pool.expect("the system gives threads"))));
    // Of two threads that come here at once each keeps the pool it made, and the last one's is used from then on.
    OF_CHILD.store(ptr::from_mut(made), Ordering::Release);
    Some(&made.1)
}
