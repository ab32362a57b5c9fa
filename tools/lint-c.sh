#!/bin/sh
# Compile the C sources, warnings as errors, against the headers of every supported Python at
# hand: the one given, those on PATH and pyenv's. numpy's headers come from the one given.
set -eu
python=$1
versions="3.11 3.12 3.13"
flags="-std=c11 -O2 -Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes -Wundef -Wmissing-prototypes -Werror"
numpy=$("$python" -c 'import numpy; print(numpy.get_include())')
include='import sys, sysconfig
print("%d.%d" % sys.version_info[:2], sysconfig.get_path("include"))'

candidates() {
    echo "$python"
    for version in $versions; do
        echo "python$version"
        ls -d "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python 2>/dev/null || true
        echo "/usr/bin/python$version"
    done
}

done=" "
for candidate in $(candidates); do
    facts=$("$candidate" -c "$include" 2>/dev/null) || continue
    version=${facts%% *} headers=${facts#* }
    [ -f "$headers/Python.h" ] || continue
    case "$done" in *" $version "*) continue ;; esac
    # -isystem: warnings inside other people's headers are not ours. Optimised, because gcc
    # finds uninitialised values only then.
    for source in native/*.c viewer/toolkit/*.c; do
        # shellcheck disable=SC2086
        ${CC:-cc} $flags -isystem "$headers" -isystem "$numpy" \
            -DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION -c "$source" -o /dev/null
        echo "$source: no warnings with Python $version"
    done
    done="$done$version "
done
for version in $versions; do
    case "$done" in
        *" $version "*) ;;
        *) echo "C sources: not tried with Python $version, which is not here with headers" ;;
    esac
done
[ "$done" != " " ] || { echo "no Python with headers found: nothing was compiled" >&2; exit 1; }
