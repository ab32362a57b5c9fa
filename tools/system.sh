#!/bin/sh
# Find a Python >= 3.11 that can make a venv and a C compiler that can build for it, and print
# the interpreter's path. What is missing is installed on Debian and Ubuntu when run as root,
# and named in one line elsewhere. PYTHON, if set, is the only interpreter considered.
set -eu

say() { echo "playhead: $*" >&2; }

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for name in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
        if recent "$name"; then
            "$name" -c 'import sys; print(sys.executable)'
            return
        fi
    done
}

# Says what is missing for building with interpreter $1, as Debian packages.
missing_for() {
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    # Debian keeps ensurepip and the headers in packages apart from its own interpreter's; for
    # any other interpreter these packages would not help.
    "$1" -c 'import venv, ensurepip' 2>/dev/null || echo "python$version-venv"
    include=$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    [ -f "$include/Python.h" ] || echo "python$version-dev"
    # $CC may hold options, as the value that Python was built with does.
    # shellcheck disable=SC2086
    echo '#include <stdlib.h>' |
        ${CC:-$("$1" -c 'import sysconfig; print(sysconfig.get_config_var("CC") or "cc")')} \
            -x c -fsyntax-only - 2>/dev/null || echo "gcc libc6-dev"
}

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install() {
    say "installing $*"
    apt-get update -qq >&2 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

python=$(find_python)
if [ -z "$python" ] && [ -z "${PYTHON:-}" ] && can_install; then
    # Debian 12 and later call a recent one python3; Ubuntu 22.04 has it only as python3.11.
    install python3 python3-venv python3-dev gcc libc6-dev
    python=$(find_python)
    if [ -z "$python" ]; then
        install python3.11 python3.11-venv python3.11-dev || true
        python=$(find_python)
    fi
fi
if [ -z "$python" ]; then
    found=$("${PYTHON:-python3}" --version 2>&1) || found="none that runs"
    say "Python 3.11 or newer is needed, found ${PYTHON:-python3}: $found" \
        "(install one, or say make PYTHON=/path/to/python3.12)"
    exit 1
fi

missing=$(missing_for "$python" | tr '\n' ' ')
if [ -n "$missing" ] && can_install; then
    # shellcheck disable=SC2086
    install $missing || true
    missing=$(missing_for "$python" | tr '\n' ' ')
fi
if [ -n "$missing" ]; then
    say "$python can't build playhead; missing (Debian's names): $missing"
    exit 1
fi
echo "$python"
