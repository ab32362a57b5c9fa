"""Writes a ring file and images of its frames, or looks at every frame and image.

It tells how this machine checks and copies.

Prints one line of JSON.
"""

import json
import mmap
import sys
from collections.abc import Iterator
from pathlib import Path

from playhead.native import _ring
from playhead.native.create_ring_file import create_file

from .contents import LATCH_AREA, RUN_LATCHED, Contents
from .kill_writers import look

CONTENTS = Contents(30_000, 5)


def write(path: Path) -> tuple[int, list[str]]:
    block, _file, _ = create_file(path, 1 << 18)
    ring = _ring.Ring(block, LATCH_AREA)
    for _ in range(500):
        CONTENTS.write(ring)
    folder = path.with_suffix(".images")
    folder.mkdir()
    assert ring.newest
    for frame in range(ring.newest[0] - 20, ring.newest[0] + 1):
        image = ring.image(frame)
        (folder / f"{frame} whole").write_bytes(image)
        packets = [p for p in _ring.image_packets(image) if not p[7] & RUN_LATCHED]
        (folder / f"{frame} packets").write_bytes(_ring.image_encode(frame, 0.0, 0.0, 0, packets))
    return 500, []


def check(path: Path) -> tuple[int, list[str]]:
    frames, wrong = look(path, CONTENTS)
    images = [*path.with_suffix(".images").iterdir()]
    if len(images) != 42:
        wrong.append(f"{len(images)} images")
    return frames, [*wrong, *(what for image in images for what in wrong_image(image))]


def wrong_image(path: Path) -> Iterator[str]:
    image = path.read_bytes()
    if not _ring.image_verify(image):
        yield f"image {path.name}: its check is wrong"
    if path.name.endswith("packets"):
        packets = _ring.image_packets(image)
        ring = _ring.Ring(mmap.mmap(-1, 1 << 18), 0)
        ring.begin()
        ring.ingest(image, {packet[1]: (packet[1], packet[6]) for packet in packets})
        ring.commit(0.0, 0.0)
        if not ring.verify(1) or _ring.image_packets(ring.image(1)) != packets:
            yield f"image {path.name}: taken it is another"


work, path = sys.argv[1:]
frames, wrong = (write if work == "write" else check)(Path(path))
print(json.dumps({"features": _ring.features(), "frames": frames, "wrong": wrong}))
