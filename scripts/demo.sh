#!/bin/sh
# demo.sh WHORL FOLDER: deduplicate two corpora with the command WHORL; FOLDER is replaced by the results.
set -eu

whorl=$1
folder=$2
licences=/usr/share/doc

stage() { printf '\n==> %s\n' "$1"; }

rm -rf "$folder"

stage 'A newsroom: invented articles, their copies, and every trick the copiers used'
"$whorl" dedup examples/newsroom/articles.jsonl -o "$folder/newsroom"

if [ -n "$(find "$licences" -name copyright 2>/dev/null | head -n 1)" ]; then
    stage 'Near-duplicates in the wild: the licence texts of the software on this machine'
    "$whorl" dedup "$licences/**/copyright" -o "$folder/licences"
else
    stage "Skipped: this machine keeps no licence texts below $licences"
fi

stage 'A watch: copies of the newsroom on a site of this machine, each an alert as it is found'
"$(dirname "$whorl")/python" examples/newsroom/watch.py "$folder/watch"

stage 'The reports'
find "$folder" -name report.html | sort

stage 'The library of that watch in a browser, with its clusters, what waits for review, and what was found'
printf '%s serve %s\n' "$whorl" "$folder/watch/library"
