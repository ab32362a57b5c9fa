"""The extension is imported, used, unloaded and imported again."""

import gc
import importlib
import mmap
import sys

import numpy as np


def load_and_use() -> None:
    module = importlib.import_module("playhead.native._ring")
    ring = module.Ring(mmap.mmap(-1, 1 << 16), 4000)
    ring.begin()
    ring.record_batch(1, np.arange(9), np.zeros((9, 3)), payload=np.zeros((9, 600), np.uint8))
    ring.latch(1, 1, 0, 1, 1, b"state")
    ring.commit(0.0, 0.0)
    assert ring.verify(1)
    assert len(ring.runs(1)[0][3]) == 9
    try:
        ring.packets(7)
    except LookupError as error:
        assert type(error) is sys.modules["playhead.errors"].EvictedError
    else:
        raise AssertionError("frame 7 was never recorded")


def unload() -> None:
    del sys.modules["playhead.native._ring"]
    vars(sys.modules["playhead.native"]).pop("_ring", None)
    gc.collect()


def types_alive() -> int:
    gc.collect()
    types = [thing for thing in gc.get_objects() if type(thing) is type]
    return sum(thing.__name__ == "PacketWriter" for thing in types)


load_and_use()
unload()
blocks = 0
for round in range(12):
    load_and_use()
    unload()
    if round == 3:
        blocks = sys.getallocatedblocks()
assert types_alive() == 0, f"{types_alive()} modules are still there"
assert sys.getallocatedblocks() - blocks < 100, "each import leaves something"
