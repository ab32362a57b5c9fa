"""Reads and takes images in memory that another process changes all the time.

Whatever is read of it is sound by itself or said to be damaged: never a crash, and nothing in the
ring that may not be there. Prints one line of JSON: how often which.
"""

import argparse
import json
import mmap
import time
from collections import Counter
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from playhead.errors import DamagedError
from playhead.native import _ring

from .writer import in_a_child, kill_writer

HERE = (0.0, 0.0, 0.0)
SIZE, PACKETS, IN_A_RUN = 88, 400, 50
ENOUGH, LONGEST = 20, 60.0
"""Of each kind at least so many are wanted, for at most so many seconds."""
TYPES = {40: (40, 0), 41: (41, 0)}
GOOD = _ring.image_encode(
    1,
    0.0,
    0.0,
    0,
    [
        (i, 40 + i // IN_A_RUN % 2, True, 0, HERE, HERE, 0, 0, bytes([i % 256]) * SIZE)
        for i in range(1, PACKETS)
    ],
)


def noise_for(what: str) -> npt.NDArray[np.uint64]:
    """What is done to the words: once they are spoilt, twice they are as before."""
    noise = np.zeros(len(GOOD) // 8, np.uint64)
    chance = np.random.default_rng(1)
    for run in _ring.image_runs(GOOD):
        first = run[3].ctypes.data - np.frombuffer(GOOD, np.uint8).ctypes.data
        packet = first // 8 + chance.integers(len(run[3])) * run[3].strides[0] // 8
        if what == "ids":
            noise[packet] = 1 << 63
        elif what == "links":
            noise[packet + 1] = chance.integers(0, 2**64, dtype=np.uint64)
        else:
            noise[first // 8 - 3 : first // 8] = chance.integers(0, 2**64, 3, np.uint64)
    return noise


def spoil_for_ever(memory: mmap.mmap, what: str) -> NoReturn:
    words, noise = np.frombuffer(memory, np.uint64), noise_for(what)
    while True:
        np.bitwise_xor(words, noise, out=words)
        np.bitwise_xor(words, noise, out=words)
        noise.sum()  # some time in which all is well


def survey(memory: mmap.mmap, seconds: float) -> Counter[str]:
    received: Counter[str] = Counter()
    ring = _ring.Ring(mmap.mmap(-1, 1 << 20), 0)
    start = time.monotonic()

    def goes_on() -> bool:
        # A busy machine may run only one of the two processes for a while.
        passed = time.monotonic() - start
        few = min(received["sound"], received["damaged"]) <= ENOUGH
        return passed < seconds or (few and passed < LONGEST)

    while goes_on():
        ring.begin()
        for ask in (_ring.image_packets, _ring.image_runs, lambda m: ring.ingest(m, TYPES)):
            try:
                ask(memory)
                received["sound"] += 1
            except DamagedError as error:
                received["changed" if "changed" in str(error) else "damaged"] += 1
        frame = ring.commit(0.0, 0.0)
        for id, type, _, flags, _, _, channels, _, payload in ring.packets(frame):
            assert 0 < id < 2**63
            assert type in TYPES
            assert flags < 16
            assert channels == 0
            assert payload == bytes([payload[0]]) * SIZE
    return received


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["ids", "runs", "links"])
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    memory = mmap.mmap(-1, len(GOOD))
    memory[:] = GOOD
    memory[92:96] = bytes(4)
    spoiler = in_a_child(spoil_for_ever, memory, given.what)
    try:
        result = survey(memory, given.seconds)
    finally:
        kill_writer(spoiler)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
