#!/bin/sh
# Install the servers of the tests, without root:
# servers.sh [postgresql] [mariadb] [redis] [mongodb] [nginx] [caddy]
# With apt-get, missing servers are unpacked below .servers/ from Debian packages. On other systems the script prints what to
# install. Exit code 1 if a server is still missing; the tests then name it in their last line.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

servers=$PWD/.servers
unpacked=$servers/unpacked
missing=0

# in_one_of PATTERN...: succeed if a program exists at one of these paths
in_one_of() {
    for place in "$@"; do
        if [ -x "$place" ]; then return 0; fi
    done
    return 1
}

# Keep the search paths in sync with tests/servers.
has_postgresql() {
    has initdb || in_one_of "$unpacked"/usr/lib/postgresql/*/bin/initdb /usr/lib/postgresql/*/bin/initdb \
        /opt/homebrew/opt/postgresql@*/bin/initdb
}
has_mariadb() { has mariadbd || in_one_of "$unpacked/usr/sbin/mariadbd" /usr/sbin/mariadbd; }
has_redis() { has redis-server || in_one_of "$unpacked/usr/bin/redis-server"; }
has_nginx() { has nginx || in_one_of "$unpacked/usr/sbin/nginx" /usr/sbin/nginx; }
has_caddy() { has caddy || in_one_of "$unpacked/usr/bin/caddy"; }

has_mongodb() { sh scripts/ferretdb.sh --is-there; }

package_of() {
    case $1 in
    mariadb) echo mariadb-server-core ;;
    redis) echo redis-server ;;
    *) echo "$1" ;;
    esac
}

# The system's package lists may be missing, and only root can fetch them, so private lists are supported.
own_lists() {
    mkdir -p "$servers/apt/lists/partial" "$servers/apt/cache/archives/partial"
    apt="apt-get -qq -o Dir::State::Lists=$servers/apt/lists -o Dir::Cache=$servers/apt/cache"
    $apt -o Debug::NoLocking=1 update
}

# All packages to install for a package.
lacking() { $apt -s install --no-install-recommends "$1" | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }

unpack() (
    mkdir -p "$servers/downloads" "$unpacked"
    cd "$servers/downloads"
    packages=$(lacking "$1" 2>/dev/null) && [ -n "$packages" ] || { own_lists && packages=$(lacking "$1"); }
    # shellcheck disable=SC2086
    $apt download $packages 2>/dev/null || { own_lists && $apt download $packages; }
    for package in *.deb; do dpkg -x "$package" "$unpacked"; done
    rm -- *.deb
)

see_to() {
    if "has_$1"; then return 0; fi
    if [ "$1" = mongodb ]; then
        see_to postgresql
        sh scripts/ferretdb.sh || missing=1
        return 0
    fi
    if has apt-get && has dpkg; then
        echo "Unpacking $1 below .servers"
        apt='apt-get -qq'
        unpack "$(package_of "$1")" || true
    fi
    if "has_$1"; then return 0; fi
    missing=1
    echo "missing: $1, required by tests" >&2
    if has apt-get; then
        echo "   hint: sudo apt-get update && sudo apt-get install -y $(package_of "$1")" >&2
    else
        echo "   hint: install $1 (macOS: brew install postgresql@17 mariadb redis nginx caddy)" >&2
    fi
}

[ $# -gt 0 ] || set -- postgresql mariadb redis mongodb nginx caddy
for server; do see_to "$server"; done
exit "$missing"
