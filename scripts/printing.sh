#!/bin/sh
# Sees to what reports as PDF need besides Python packages, Pango and a font with Chinese characters: printing.sh PYTHON
# Where they are missing, root on Debian and its kin gets them, as does who may be root without a password; anybody else
# is told the cure, with exit code 1.
set -eu

python=${1:-python3}
packages='libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fontconfig fonts-noto-cjk'

has() { command -v "$1" >/dev/null 2>&1; }

has_pango() {
    "$python" -c 'import ctypes.util, sys; sys.exit(not all(map(ctypes.util.find_library, sys.argv[1:])))' \
        pango-1.0 pangoft2-1.0 harfbuzz-subset
}

has_chinese() { has fc-list && [ -n "$(fc-list :lang=zh family)" ]; }

has_both() { has_pango && has_chinese; }

if has_both; then exit 0; fi

as_root=
[ "$(id -u)" -eq 0 ] || as_root='sudo -n'
if has apt-get && $as_root true 2>/dev/null; then
    $as_root apt-get -qq update
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages >/dev/null
fi

if ! has_both; then
    echo 'missing: Pango and a font with Chinese characters, for reports as PDF' >&2
    if has apt-get; then
        echo "   cure: sudo apt-get update && sudo apt-get install -y $packages" >&2
    else
        echo '   cure: install Pango (macOS: brew install pango fontconfig) and a font with Chinese characters' >&2
    fi
    exit 1
fi
