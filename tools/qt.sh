#!/bin/sh
# The system's libraries that Qt loads, and a font: PyQt6 itself comes from PyPI. Those for windows
# only where there is a display to open them on, or with the argument `windows`. Installed on Debian
# and Ubuntu when run as root, named in one line elsewhere; without them there is no viewer.
set -eu

. "$(dirname "$0")/debian.sh"

# Other systems bring what Qt wants.
command -v ldconfig >/dev/null 2>&1 || exit 0

missing=
need() { # library, Debian packages
    ldconfig -p | grep -q "$1" || missing="$missing $2"
}

need libglib-2.0.so.0 libglib2.0-0
need libEGL.so.1 libegl1
need libGL.so.1 libgl1
need libdbus-1.so.3 libdbus-1-3
need libfontconfig.so.1 "libfontconfig1 fonts-dejavu-core"
need libxkbcommon.so.0 libxkbcommon0
if [ -n "${DISPLAY:-}" ] || [ "${1:-}" = windows ]; then
    need libxcb-cursor.so.0 libxcb-cursor0
    need libxcb-icccm.so.4 libxcb-icccm4
    need libxcb-keysyms.so.1 libxcb-keysyms1
    need libxcb-shape.so.0 libxcb-shape0
    need libxkbcommon-x11.so.0 libxkbcommon-x11-0
fi

get "the viewer needs libraries of the system" "$missing"
