#!/bin/sh
# Sees to a browser that looks at the pages, and fonts for Chinese: browser.sh
# Where they are missing, root on Debian and its kin gets them, as does who may be root without a password; anybody else
# is told the cure, with exit code 1.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }

has_browser() {
    for name in "${WHORL_BROWSER:-chromium}" chromium-browser google-chrome google-chrome-stable \
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
        if has "$name"; then return 0; fi
    done
    return 1
}

has_chinese() { ! has fc-list || [ -n "$(fc-list :lang=zh family)" ]; }

has_both() { has_browser && has_chinese; }

if has_both; then exit 0; fi

packages='chromium fonts-noto-cjk'
as_root=
[ "$(id -u)" -eq 0 ] || as_root='sudo -n'
if has apt-get && $as_root true 2>/dev/null; then
    $as_root apt-get -qq update
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages >/dev/null
fi

if ! has_both; then
    echo 'missing: a browser (Chromium or Chrome) and fonts for Chinese, which look at the pages' >&2
    if has apt-get; then
        echo "   cure: sudo apt-get update && sudo apt-get install -y $packages" >&2
    else
        echo '   cure: install Chromium or Chrome, or name it: WHORL_BROWSER=path' >&2
    fi
    exit 1
fi
