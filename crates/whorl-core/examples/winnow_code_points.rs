//! Measures the time of winnowing folded code points. Prints JSON: `nanoseconds_per_code_point`.

use std::hint::black_box;
use std::time::Instant;

use whorl_core::fingerprint::winnow::{Grams, Winnower, Winnowing};
use whorl_core::hash::mix;

const CODE_POINTS: usize = 1_000;
const TEXTS: usize = 20_000;
const RUNS: usize = 9;
const GRAMS: Grams = Grams { k: 16, window: 17 };
const WINNOWING: Winnowing = Winnowing { sparse: GRAMS, dense: GRAMS, by_sound: false };

fn main() {
    let text: Vec<u32> = (0..CODE_POINTS as u64).map(|place| 0x4E00 + (mix(place) % 3_000) as u32).collect();
    let mut seconds: Vec<f64> = (0..RUNS).map(|_| seconds_of_all(&text)).collect();
    seconds.sort_by(f64::total_cmp);
    let nanoseconds = seconds[RUNS / 2] * 1e9 / (TEXTS * CODE_POINTS) as f64;
    println!("{{\"code_points\": {CODE_POINTS}, \"nanoseconds_per_code_point\": {nanoseconds:.4}}}");
}

fn seconds_of_all(text: &[u32]) -> f64 {
    let (mut winnower, mut keys) = (Winnower::default(), Vec::new());
    let start = Instant::now();
    for _ in 0..TEXTS {
        keys.clear();
        winnower.keys(black_box(text), WINNOWING, &mut keys);
        black_box(&keys);
    }
    start.elapsed().as_secs_f64()
}
