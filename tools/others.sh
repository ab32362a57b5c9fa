#!/bin/sh
# The programs that `make test-all` drives beside Python: a Godot server, a browser, Mono, Node,
# Qt's libraries. Installed on Debian and Ubuntu when run as root, named in one line elsewhere;
# tests skip what is not there.
set -eu

sh "$(dirname "$0")/qt.sh" windows

. "$(dirname "$0")/debian.sh"

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

get "some of the heavier tests will be skipped; they need" "$missing"
