"""Reads a ring while another process records into it as fast as it can.

What is read must be what its frame's id says, or there must be an EvictedError: never anything
else, and never "damaged". Prints one line of JSON: rounds, what was read, what was wrong.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playhead.errors import DamagedError, EvictedError
from playhead.native import _ring
from playhead.native.ring import FrameRing
from playhead.native.ring_type_aliases import RawPacket

from .contents import KEY, KIND, PERIODS, Contents
from .writer import kill_writer, start_writer

PATIENCE = 60.0
"""Seconds after which no further round is begun."""


class Images:
    """A ring whose frames' packets are read out of their images."""

    def __init__(self, ring: _ring.Ring) -> None:
        self.ring = ring

    def packets(self, frame: int) -> list[RawPacket]:
        return _ring.image_packets(self.ring.image(frame))


class Reader:
    def __init__(self, ring: FrameRing, contents: Contents, seed: int) -> None:
        self.ring, self.contents = ring, contents
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def oldest(self) -> int | None:
        """The frame that goes next: reading it is likeliest to be torn."""
        ends = self.ring.oldest
        if ends is None:
            return None
        if ends[1] != self.contents.time(ends[0]):
            self.wrong.append(f"the oldest is {ends}")
        return ends[0]

    def newest(self) -> int | None:
        ends = self.ring.newest
        return ends[0] if ends else None

    def fact(self, frame: int) -> Iterator[str]:
        object = self.chance.choice(list(PERIODS))
        fact = self.ring.latched(frame, object, KIND, KEY)
        expected = self.contents.latched(object, frame)
        if fact != expected:
            yield f"frame {frame}: latched for {object}: {fact}, not {expected}"

    def check(self, frame: int) -> Iterator[str]:
        if not self.ring.verify(frame):
            yield f"frame {frame}: its check is wrong"

    def borrowed(self, frame: int) -> Iterator[str]:
        with self.ring.read(frame) as runs:
            rows = [run[4].copy() for run in runs if run[0] == 20 and run[4] is not None]
        if self.contents.is_large(frame):
            expected = self.contents.batch(frame)[1]
            if b"".join(part.tobytes() for part in rows) != expected.tobytes():
                yield f"frame {frame}: borrowed payloads differ"

    def once(self) -> None:
        raw = self.ring.raw
        ways: list[Callable[[int], Iterator[str]]] = [
            self.fact,
            self.check,
            self.borrowed,
            lambda frame: self.contents.wrong_stamp(raw, frame),
            lambda frame: self.contents.wrong_packets(raw, frame),
            lambda frame: self.contents.wrong_packets(Images(raw), frame),
            lambda frame: self.contents.wrong_facts(raw, frame),
        ]
        choose, read = self.chance.choice((self.oldest, self.newest)), self.chance.choice(ways)
        try:
            frame = choose()
            if frame is not None:
                self.wrong += read(frame)
                self.counts["read"] += 1
        except EvictedError:
            self.counts["evicted"] += 1
        except DamagedError as error:
            self.wrong.append(f"damaged: {error}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, required=True, help="of one round")
    parser.add_argument("--evicted", type=int, required=True, help="more than these end it")
    given = parser.parse_args()
    # (memory, bytes of a large frame, small frames between); in the last each frame takes the
    # place of the one before.
    shapes = [
        (1 << 17, 60_000, 40),
        (1 << 18, 20_000, 2),
        (1 << 16, 1_000, 300),
        (1 << 17, 70_000, 0),
    ]
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    limit = time.monotonic() + PATIENCE
    # On a loaded machine reader and writer take turns, and seldom meet: then they go on.
    while not wrong and counts["evicted"] <= given.evicted and time.monotonic() < limit:
        for seed, (memory, large, small) in enumerate(shapes):
            with TemporaryDirectory(dir=given.folder) as folder:
                path, contents = Path(folder) / "ring", Contents(large, small)
                writer = start_writer(path, memory, contents)
                reader = Reader(FrameRing.open(path), contents, seed)
                end = time.monotonic() + given.seconds / len(shapes)
                while time.monotonic() < end and len(reader.wrong) < 20:
                    for _ in range(50):
                        reader.once()
                kill_writer(writer)
                newest = reader.ring.newest
                reader.counts["recorded"] = newest[0] if newest else 0
                counts += reader.counts
                wrong += [what[:300] for what in reader.wrong]
    print(json.dumps({**counts, "wrong": wrong[:20]}))


if __name__ == "__main__":
    main()
