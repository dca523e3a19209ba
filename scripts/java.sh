#!/bin/sh
# Says where the Java is that Spark runs on: java.sh
# One of this machine if it is 17 or newer; else, on Debian and its kin, OpenJDK is unpacked below .java, by anybody. The
# folder to give as JAVA_HOME goes to standard output.
set -eu
cd "$(dirname "$0")/.."
place=$PWD/.java

version_of() { "$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p;1q'; }

is_new() { [ -x "$1" ] && version=$(version_of "$1") && [ "${version:-0}" -ge 17 ]; }

home_of() { dirname "$(dirname "$(readlink -f "$1")")"; }

unpacked() { find "$place" -path '*/bin/java' -type f 2>/dev/null | head -n 1; }

unpack() {
    package=$(apt-cache pkgnames openjdk- 2>/dev/null | grep -E '^openjdk-(17|21)-jre-headless$' | sort | tail -n 1)
    [ -n "$package" ] || return 0
    rm -rf "$place"
    mkdir -p "$place"
    (cd "$place" && apt-get -qq download "$package" >&2 && dpkg-deb -x ./*.deb . && rm -f ./*.deb) || return 0
    # Its settings lie elsewhere in the package, where absolute links lead.
    find "$place" -type l | while read -r link; do
        target=$(readlink "$link")
        case $target in
        /*) [ ! -e "$place$target" ] || ln -sfn "$place$target" "$link" ;;
        esac
    done
}

for java in "${JAVA_HOME:-/none}/bin/java" "$(command -v java || true)" "$(unpacked)"; do
    if is_new "$java"; then
        home_of "$java"
        exit
    fi
done
unpack
java=$(unpacked)
if is_new "$java"; then
    home_of "$java"
    exit
fi
echo 'missing: Java 17 or newer, which Spark runs on' >&2
echo '   hint: install OpenJDK (Debian: sudo apt-get install -y openjdk-17-jre-headless), or set JAVA_HOME' >&2
exit 1
