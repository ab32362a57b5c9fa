"""Repeats everything a ring does, faults too, and counts blocks and references before and after.

The first repeats fill caches; after them nothing may grow.
"""

import gc
import mmap
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from playhead.errors import PlayheadError
from playhead.native import _ring

HERE = (0.0, 0.0, 0.0)
BLOCK = mmap.mmap(-1, 1 << 17)
COPY = mmap.mmap(-1, 1 << 17)
IDS, AT = np.arange(40), np.zeros((40, 3))
PAYLOAD, NARROW = np.zeros((40, 600), np.uint8), np.zeros((40, 9), np.float32)
WRONG = [AT[:, :2], AT.astype(object), AT[:7], None, "text", np.zeros((40, 6))[:, ::2]]


def quiet(call: Callable[..., object], *args: Any, **named: Any) -> None:
    with suppress(PlayheadError, BufferError, TypeError, ValueError, ArithmeticError):
        call(*args, **named)


def write(thing: object, packet: _ring.PacketWriter) -> None:
    packet.position = HERE
    packet.payload[:4] = b"data"


def report_fault(*fault: object) -> object:
    return [fault]


def fail(*_: object) -> Any:
    raise ZeroDivisionError


KEPT: list[Any] = []


def keep(_: object, packet: _ring.PacketWriter) -> None:
    KEPT.extend([packet, packet.payload, np.frombuffer(memoryview(packet)[2:], np.uint8)])


def record(ring: _ring.Ring) -> None:
    good = (1, 2, True, HERE, [1, 2, 3], b"payload", 3)
    ring.record(*good)
    for i in range(7):
        for value in (None, "x", -1, 2**80, (1, 2), [1, "a", 3], object()):
            quiet(ring.record, *good[:i], value, *good[i + 1 :])
            quiet(ring.record_list, [(*good[:i], value, *good[i + 1 : 6])])
    ring.record_list([good[:5], good[:6]])
    for rows in (5, [5], [()], None):
        quiet(ring.record_list, rows)
    ring.record_batch(3, IDS, AT, AT, None, PAYLOAD)
    ring.record_batch(3, IDS, AT, None, IDS % 2 == 0, NARROW, IDS % 3 == 0, 1)
    for wrong in WRONG:
        for name in ("ids", "positions", "angles", "targetable", "payload", "visible"):
            quiet(ring.record_batch, **{"type": 1, "ids": IDS, "positions": AT, name: wrong})
    quiet(ring.record_batch, 1, IDS, AT, colour=1)
    quiet(ring.record_batch, 1, IDS, AT, payload=np.zeros((40, 5000), np.uint8))


def record_by(ring: _ring.Ring) -> None:
    ring.record_by(1, 2, 4, write, None)
    ring.record_by(1, 2, 4, write, None, 0, 0xA5)
    for handler in (fail, keep, None, 5):
        quiet(ring.record_by, 1, 2, 8, handler, object())
        quiet(ring.record_by, 1, 2, 8, handler, object(), 0, 1)
    for size in (-1, 2**62, 1 << 20):
        quiet(ring.record_by, 1, 2, size, write, None)
    quiet(ring.record_by, "no id", 2, 4, write, None)
    plans: dict[str, Any] = {
        "good": (1, 0, 4, None, write, None, None),
        "sized": (1, 0, -1, lambda thing: 4, write, None, None),
        "fails": (1, 0, 4, None, fail, None, None),
        "unsized": (1, 0, -1, fail, write, None, None),
        "gathered": (1, 0, 4, None, write, [], []),
        "muted": (1, 0, 4, None, None, None, None),
        "off": None,
    }
    objects = [(i, name, object()) for i, name in enumerate([*plans, "unknown"], 1)]
    ring.record_objects(objects, plans, report_fault)
    quiet(ring.record_objects, objects, plans, fail)
    quiet(ring.record_objects, [*objects, 5], plans, report_fault)
    quiet(ring.record_objects, (fail() for _ in "x"), plans, report_fault)
    quiet(ring.record_objects, objects, {"good": ()}, report_fault)
    quiet(ring.record_objects, 5, plans, fail)


def latch(ring: _ring.Ring) -> None:
    for object in range(1, 30):
        ring.latch(object, 1, 0, 1, object, b"state %d" % object)
    ring.despawn(3, 1)
    for value in (None, -1, 2**80, "x"):
        quiet(ring.latch, value, 1, 0, 1, 1, b"x")
        quiet(ring.latch, 1, 1, 0, value, 1, b"x")
        quiet(ring.latch, 1, 1, 0, 1, 1, value)
        quiet(ring.despawn, value, 1)


def read(ring: _ring.Ring) -> None:
    for ask in (
        ring.packets,
        ring.runs,
        ring.stamp,
        ring.verify,
        ring.holds,
        ring.latched_all,
        ring.image,
    ):
        for frame in (1, 4, 5, 0, -1, "x"):
            quiet(ask, frame)
    for latest in (5, 0, None):
        for object in (1, 3, 99, "x"):
            quiet(ring.latched, latest, object, 1, object)
            quiet(ring.versions, latest, object, 1, object, 9)
    for time in (0.0, 1e9, float("nan"), "x"):
        quiet(ring.find, time)
    for name in ("accounts", "newest", "oldest", "finished", "is_open", "open_packets"):
        quiet(getattr, ring, name)


def images(ring: _ring.Ring) -> None:
    rows: list[Any] = [
        (i, 40, True, 0, HERE, HERE, 0, 0, b"x" * (i % 3 * 300)) for i in range(1, 9)
    ]
    image = _ring.image_encode(1, 0.0, 0.0, 0, rows)
    ring.ingest(image, {40: (41, 1)})
    for number in (40, 41):
        for types in ({40: (41, 1)}, {}, {number: 5}, {number: ("x", 1)}, None):
            quiet(ring.ingest, image, types)
    asks = (_ring.image_stamp, _ring.image_packets, _ring.image_runs, _ring.image_verify)
    for wrong in (image, image[:-8], image[:150] + image[151:], image[:300], b"", "x", None):
        quiet(ring.ingest, wrong, {40: (41, 1)})
        for ask in asks:
            quiet(ask, wrong)
    for at in (0, 24, 40, 64, 80, 92, 96, 104, 120, 130, 134):
        changed = bytearray(image)
        changed[at] ^= 0xFF
        quiet(ring.ingest, changed, {40: (41, 1)})
        for ask in asks:
            quiet(ask, changed)
    for i in range(9):
        for value in (None, "x", -1, 2**80, (1, 2), object()):
            quiet(
                _ring.image_encode,
                1,
                0.0,
                0.0,
                0,
                [rows[0], (*rows[1][:i], value, *rows[1][i + 1 :])],
            )
    quiet(_ring.image_encode, 0, 0.0, 0.0, 0, rows)
    quiet(_ring.image_encode, 1, 0.0, 0.0, 0, 5)
    for frame in (1, 4, 5, 0, -1, "x"):
        quiet(ring.image, frame)


def once() -> None:
    quiet(_ring.Ring, b"short")
    quiet(_ring.Ring, 5, 0)
    quiet(_ring.Ring, memoryview(BLOCK)[8:], 0)
    quiet(_ring.Ring, BLOCK, 1 << 40)
    ring = _ring.Ring(BLOCK, 16_000)
    for time in range(6):
        ring.begin()
        for work in (record, record_by, latch, images, read):
            work(ring)
        if time == 3:
            ring.abort()
        else:
            quiet(ring.commit, float("nan"), 0.0)
            ring.commit(time, 0.0)
            quiet(ring.commit, time, 0.0)
        read(ring)
        KEPT.clear()
    COPY[:] = BLOCK[:]
    read(_ring.Ring(COPY))
    COPY[4000:] = bytes(len(COPY) - 4000)
    read(_ring.Ring(COPY))
    ring.close()
    read(ring)


WATCHED = [_ring.Ring, _ring.PacketWriter, _ring.PACKET_DTYPE, write, fail, keep, IDS, AT, PAYLOAD]


def counts() -> tuple[int, list[int]]:
    gc.collect()
    return sys.getallocatedblocks(), [sys.getrefcount(thing) for thing in WATCHED]


for _ in range(5):
    once()
before = counts()
ROUNDS = 30
for _ in range(ROUNDS):
    once()
after = counts()
assert after[1] == before[1], f"references {before[1]} became {after[1]}"
grown = after[0] - before[0]
assert grown < ROUNDS, f"{grown} blocks more after {ROUNDS} rounds"
