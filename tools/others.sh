#!/bin/sh
# The programs that `make test-all` drives beside Python: a Godot server, a browser, Mono, Node,
# Qt's libraries. Installed on Debian and Ubuntu when run as root, named in one line elsewhere;
# tests skip what is not there.
set -eu

sh "$(dirname "$0")/qt.sh" windows

say() { echo "playhead: $*" >&2; }

missing=
need() { # program, Debian packages
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

need godot3-server godot3-server
need chromium chromium
need mcs "mono-mcs mono-runtime libmono-system-core4.0-cil"
need node "nodejs npm"
need g++ g++
need Xvfb xvfb
need xdotool xdotool
need xauth xauth
# A Vulkan in software, for Rerun's viewer.
ldconfig -p 2>/dev/null | grep -q 'libvulkan.so.1' || missing="$missing libvulkan1 mesa-vulkan-drivers"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing$missing"
    apt-get update -qq >&2 || true
    for package in $missing; do
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2 \
            || say "$package can't be installed here: going on without it"
    done
else
    say "some of the heavier tests will be skipped; they need (Debian's names):$missing"
fi
