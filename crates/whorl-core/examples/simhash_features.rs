//! Measures the time of a 64-bit code from feature hashes. Prints JSON: `nanoseconds_per_feature`.

use std::hint::black_box;
use std::time::Instant;

use whorl_core::fingerprint::simhash::code;
use whorl_core::hash::mix;

/// Number of features of an article of 1,000 characters.
const FEATURES: usize = 1_000;
const CODES: usize = 20_000;
const RUNS: usize = 9;

fn main() {
    let hashes: Vec<u64> = (0..FEATURES as u64).map(mix).collect();
    let mut seconds: Vec<f64> = (0..RUNS).map(|_| seconds_of_all(&hashes)).collect();
    seconds.sort_by(f64::total_cmp);
    let nanoseconds = seconds[RUNS / 2] * 1e9 / (CODES * FEATURES) as f64;
    println!("{{\"features\": {FEATURES}, \"nanoseconds_per_feature\": {nanoseconds:.4}}}");
}

fn seconds_of_all(hashes: &[u64]) -> f64 {
    let start = Instant::now();
    for _ in 0..CODES {
        black_box(code(black_box(hashes), 64));
    }
    start.elapsed().as_secs_f64()
}
