#!/bin/sh
# Install the system packages of PDF reports, Pango and a font with Chinese characters, through packages.sh:
# printing.sh PYTHON
set -eu
. "$(dirname "$0")/packages.sh"

python=${1:-python3}

has_pango() {
    "$python" -c 'import ctypes.util, sys; sys.exit(not all(map(ctypes.util.find_library, sys.argv[1:])))' \
        pango-1.0 pangoft2-1.0 harfbuzz-subset
}

has_chinese() { has fc-list && [ -n "$(fc-list :lang=zh family)" ]; }

has_both() { has_pango && has_chinese; }

sees_to has_both 'libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fontconfig fonts-noto-cjk' \
    'Pango and a font with Chinese characters, for reports as PDF' \
    'install Pango (macOS: brew install pango fontconfig) and a font with Chinese characters'
