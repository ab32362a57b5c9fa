"""Writes a ring file, or looks at every frame of one; tells how this machine checks and copies.

Prints one line of JSON.
"""

import json
import sys
from pathlib import Path

from playhead.native import _ring
from playhead.native.memory import create_file

from .contents import LATCH_AREA, Contents
from .kill_writers import look

CONTENTS = Contents(30_000, 5)


def write(path: Path) -> tuple[int, list[str]]:
    block, _file = create_file(path, 1 << 18)
    ring = _ring.Ring(block, LATCH_AREA)
    for _ in range(500):
        CONTENTS.write(ring)
    return 500, []


work, path = sys.argv[1:]
frames, wrong = (write if work == "write" else lambda path: look(path, CONTENTS))(Path(path))
print(json.dumps({"features": _ring.features(), "frames": frames, "wrong": wrong}))
