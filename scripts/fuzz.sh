#!/bin/sh
# Runs every target of fuzz/ for some seconds: fuzz.sh SECONDS [if-there]
# With "if-there" a machine without the tools is told what was left out, and nothing fails.
set -eu

seconds=$1
if ! cargo +nightly fuzz --version >/dev/null 2>&1; then
    echo "fuzz targets: not run, since cargo-fuzz or a nightly toolchain is missing" >&2
    echo "  hint: rustup toolchain install nightly && cargo install --locked cargo-fuzz" >&2
    [ "${2-}" = if-there ]
    exit
fi
for target in $(cargo +nightly fuzz list --fuzz-dir fuzz); do
    echo "fuzz target $target: $seconds seconds"
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run --fuzz-dir fuzz "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_funcs=0 -print_final_stats=1
done
