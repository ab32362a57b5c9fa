# Sourced by the other scripts: says what is missing, and installs Debian packages where it may.

say() { echo "playhead: $*" >&2; }

# Installs the packages $2 when run as root on Debian or Ubuntu; elsewhere says $1 and names them.
get() {
    [ -n "$2" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing$2"
        apt-get update -qq >&2 || true
        for package in $2; do
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2 \
                || say "$package can't be installed here: going on without it"
        done
    else
        say "$1 (Debian's names):$2"
    fi
}
