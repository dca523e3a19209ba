#!/bin/sh
# Install a browser for the page tests, and Chinese fonts, through packages.sh: browser.sh
set -eu
. "$(dirname "$0")/packages.sh"

has_browser() {
    for name in "${WHORL_BROWSER:-chromium}" chromium-browser google-chrome google-chrome-stable \
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
        if has "$name"; then return 0; fi
    done
    return 1
}

has_chinese() { ! has fc-list || [ -n "$(fc-list :lang=zh family)" ]; }

has_both() { has_browser && has_chinese; }

sees_to has_both 'chromium fonts-noto-cjk' \
    'a browser (Chromium or Chrome) and fonts for Chinese, which look at the pages' \
    'install Chromium or Chrome, or name it: WHORL_BROWSER=path'
