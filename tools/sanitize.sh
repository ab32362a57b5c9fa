#!/bin/sh
# Run the tests of the C sources on a build with address and undefined sanitizers. It is built into
# build/sanitize, so that the ordinary extensions stay as they are; sys.path finds it
# before the editable install does.
set -eu
python=$1
shift
root=$(pwd)
CC=${CC:-gcc}
runtime=$($CC -print-file-name=libasan.so)
if [ "$runtime" = libasan.so ] || [ ! -e "$runtime" ]; then
    echo "$CC has no libasan.so: install gcc with its sanitizer runtime" >&2
    exit 1
fi

rm -rf build/sanitize
CC=$CC CFLAGS=-fno-sanitize-recover=undefined PLAYHEAD_SANITIZE=1 \
    "$python" setup.py -q build --build-base build/sanitize/base --build-lib build/sanitize/lib

# Addresses are taken over from malloc: pymalloc would hide errors inside its own arenas.
# Leaks are not looked for: the interpreter itself never frees everything. libstdc++ must be
# there when the runtime starts, or a C++ exception inside numpy can't be intercepted.
export PYTHONPATH="$root/build/sanitize/lib" PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
preload="$runtime $($CC -print-file-name=libstdc++.so.6)"

LD_PRELOAD=$preload "$python" -c '
import sys
from playhead.native import _ring
from playhead.viewer.toolkit import _raster
for module in (_ring, _raster):
    if not module.__file__.startswith(sys.argv[1]):
        sys.exit(f"{module.__file__} is not the sanitized build")
' "$PYTHONPATH"
# The ordinary set is enough here: the slow one repeats it many more times.
# -s: with captured output the report of a crash would be lost.
LD_PRELOAD=$preload "$python" -m pytest -s -p no:cacheprovider -m "not slow" -o timeout=600 tests/native tests/viewer/toolkit/test_raster_lines.py tests/viewer/toolkit/test_raster_solids.py "$@"
