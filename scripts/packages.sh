# Sourced by scripts that install system packages: sees_to CHECK PACKAGES MISSING HINT
# If CHECK fails, PACKAGES are installed on Debian and derivatives as root or with password-less sudo. Otherwise MISSING and
# HINT are printed, with exit code 1.

has() { command -v "$1" >/dev/null 2>&1; }

sees_to() {
    if "$1"; then return 0; fi
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root='sudo -n'
    if has apt-get && $as_root true 2>/dev/null; then
        $as_root apt-get -qq update
        # shellcheck disable=SC2086
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $2 >/dev/null
    fi
    if "$1"; then return 0; fi
    echo "missing: $3" >&2
    if has apt-get; then
        echo "   hint: sudo apt-get update && sudo apt-get install -y $2" >&2
    else
        echo "   hint: $4" >&2
    fi
    exit 1
}
