#!/bin/sh
# Check whether this machine can build whorl, and print a fix for each missing tool.
#   doctor.sh         requirements of building, testing and the demo
#   doctor.sh lint    additional requirements of `make check`
# Exit code 1 if anything is missing. Nothing is changed.
set -u

cd "$(dirname "$0")/.." || exit 1
python=${PYTHON:-python3}
least_rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
least_python=$(sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
present=
missing_count=0

has() { command -v "$1" >/dev/null 2>&1; }

# at_least VERSION MINIMUM: compare major.minor
at_least() {
    awk -v have="$1" -v need="$2" 'BEGIN {
        split(have, h, "."); split(need, n, ".")
        exit !(h[1] > n[1] || (h[1] == n[1] && h[2] + 0 >= n[2] + 0))
    }'
}

missing() {
    missing_count=$((missing_count + 1))
    printf 'missing: %s\n   hint: %s\n' "$1" "$2" >&2
}

found() { present="$present${present:+, }$1"; }

# install_with DEBIAN_PACKAGES OTHERWISE: the command of this machine, or general advice
install_with() {
    if has apt-get; then
        as_root=
        [ "$(id -u)" -eq 0 ] || as_root='sudo '
        echo "${as_root}apt-get update && ${as_root}apt-get install -y $1"
    else
        echo "$2"
    fi
}

# Debian's own cargo is old; its security archive has a newer one, kept for building browsers, as cargo-web.
debian_has_new_rust() {
    has apt-cache || return 1
    candidate=$(apt-cache policy cargo-web 2>/dev/null | sed -n 's/^ *Candidate: \([0-9][0-9.]*\).*/\1/p')
    [ -n "$candidate" ] && at_least "$candidate" "$least_rust"
}

# rust_hint RUSTUP_COMMAND DEBIAN_PACKAGES
rust_hint() {
    if has rustup; then
        echo "$1"
    elif debian_has_new_rust; then
        echo "$(install_with "$2" '')   (or rustup, from rustup.rs)"
    else
        echo "install rustup, from rustup.rs$(has apt-get && echo '; the Rust packages of this system are too old')"
    fi
}

other_python() {
    for candidate in python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

check_python() {
    version=$("$python" -c 'import platform; print(platform.python_version())' 2>/dev/null)
    if [ -z "$version" ] || ! at_least "$version" "$least_python"; then
        what="Python $least_python or newer ($python is ${version:-not here})"
        if other=$(other_python); then
            missing "$what" "make PYTHON=$other ..."
        else
            missing "$what" "$(install_with 'python3 python3-venv' "install Python $least_python or newer"); then, if it has another name, make PYTHON=name ..."
        fi
    elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        missing "the venv and ensurepip modules of $python" \
            "$(install_with python3-venv "install the venv package of your system's Python, or a Python from python.org")"
    else
        found "Python $version"
    fi
}

# rustc links with cc, so a compiler without the development files of the C library is not enough.
check_compiler() {
    scratch=$(mktemp -d) || exit 1
    if printf 'int main(void) { return 0; }\n' | cc -x c - -o "$scratch/program" >/dev/null 2>&1; then
        found 'cc'
    elif [ "$(uname)" = Darwin ]; then
        missing 'a C compiler (cc) that can link a program' 'xcode-select --install'
    else
        missing 'a C compiler (cc) that can link a program' \
            "$(install_with build-essential 'install gcc or clang and the C library development files')"
    fi
    rm -rf "$scratch"
}

check_rust() {
    for tool in cargo rustc; do
        version=$("$tool" --version 2>/dev/null | awk '{ print $2 }')
        if [ -n "$version" ] && at_least "$version" "$least_rust"; then
            found "$tool $version"
        else
            missing "$tool $least_rust or newer (here: ${version:-none that runs})" \
                "$(rust_hint 'rustup update stable && rustup default stable' 'cargo-web rustc-web')"
        fi
    done
}

check_make() {
    if make --version 2>/dev/null | grep -q 'GNU Make'; then
        found 'make'
    else
        missing 'GNU make' "$(install_with make 'install GNU make')"
    fi
}

check_lint_tools() {
    for subcommand in fmt clippy; do
        if cargo "$subcommand" --version >/dev/null 2>&1; then
            found "cargo $subcommand"
        else
            missing "cargo $subcommand" \
                "$(rust_hint 'rustup component add rustfmt clippy' 'rustfmt-web rust-web-clippy')"
        fi
    done
}

case ${1:-build} in
build)
    check_python
    check_compiler
    check_rust
    check_make
    ;;
lint) check_lint_tools ;;
*)
    echo "usage: doctor.sh [lint]" >&2
    exit 2
    ;;
esac

if [ "$missing_count" -gt 0 ]; then
    printf '%s missing; run make again afterwards.\n' "$missing_count" >&2
    exit 1
fi
printf 'This machine has %s.\n' "$present"
