#!/bin/sh
# Builds FerretDB, which speaks the protocol of MongoDB over PostgreSQL and which tests run against, below .servers/: from its
# public Go module, with tests/servers/ferretdb/pushdown.go. Needs Go; exit code 1 if it cannot be built, or, with --is-there,
# if it is not there yet.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

version=v1.24.0
own=$PWD/tests/servers/ferretdb/pushdown.go
source=$PWD/.servers/ferretdb-$version
built=$PWD/.servers/ferretdb
stamp=$PWD/.servers/ferretdb.stamp

made_of() { { echo "$version"; cat "$own" scripts/ferretdb.sh; } | cksum; }

if [ -x "$built" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(made_of)" ]; then exit 0; fi
if [ "${1:-}" = --is-there ]; then exit 1; fi
if ! has go; then
    echo "missing: Go, with which FerretDB is built, which tests of mongodb: run against" >&2
    echo "   hint: install Go 1.22 or newer: https://go.dev/dl" >&2
    exit 1
fi

echo "Building FerretDB below .servers, which takes some minutes once"
mkdir -p .servers
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
downloaded=$(cd "$scratch" && go mod download -json "github.com/FerretDB/FerretDB@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
rm -rf "$source"
cp -R "$downloaded" "$source"
chmod -R u+w "$source"
echo "$version" >"$source/build/version/version.txt" # which is not in the module, and without which it does not start
backend=$source/internal/backends/postgresql
cp "$own" "$backend/pushdown.go"
# Before the operators of which it knows nothing come those of which pushdown.go does.
awk '
    /^\t\t\t\tdefault:$/ && !done {
        print "\t\t\t\tcase \"$in\", \"$gt\", \"$gte\", \"$lt\", \"$lte\":"
        print "\t\t\t\t\tif f, a := filterIndexed(p, rootKey, k, v); f != \"\" {"
        print "\t\t\t\t\t\tfilters = append(filters, f)"
        print "\t\t\t\t\t\targs = append(args, a...)"
        print "\t\t\t\t\t}"
        print ""
        done = 1
    }
    { print }
' "$backend/query.go" >"$scratch/query.go"
cp "$scratch/query.go" "$backend/query.go"
(cd "$source" && go build -trimpath -tags ferretdb_no_sqlite -o "$built" ./cmd/ferretdb)
rm -rf "$source"
made_of >"$stamp"
