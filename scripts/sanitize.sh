#!/bin/sh
# Runs the tests of whorl-core, compiled with the address sanitizer, which needs a nightly toolchain.
set -eu

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "the address sanitizer needs a nightly toolchain of Rust" >&2
    echo "  hint: rustup toolchain install nightly" >&2
    exit 1
fi
# A target is named so that build scripts and macros are compiled without it.
target=$(rustc +nightly -vV | sed -n 's/^host: //p')
RUSTFLAGS='-Zsanitizer=address' PROPTEST_CASES="${PROPTEST_CASES:-64}" \
    cargo +nightly test --release --locked --package whorl-core --lib --target "$target" --target-dir target/sanitized
