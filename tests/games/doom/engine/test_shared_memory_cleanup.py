"""What ViZDoom leaves in shared memory."""

import mmap
import os
import sys
from pathlib import Path

import pytest

from playhead.games.doom.engine import shared_memory_cleanup as shared_memory


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows it as files")
def test_the_pieces_of_an_engine_are_named_by_the_one_that_is_mapped():
    name = f"playhead{os.getpid()}"
    pieces = {Path(f"/dev/shm/ViZDoom{piece}{name}") for piece in ("SM", "MQCtr", "MQDoom")}
    mapped = Path(f"/dev/shm/ViZDoomMQCtr{name}")
    mapped.write_bytes(bytes(mmap.PAGESIZE))
    try:
        with mapped.open("r+b") as file, mmap.mmap(file.fileno(), 0):
            assert shared_memory.mapped_by(os.getpid()) == pieces
        shared_memory.remove(pieces)
        assert not mapped.exists()
    finally:
        mapped.unlink(missing_ok=True)


def test_a_process_that_is_gone_has_none():
    assert shared_memory.mapped_by(2**30) == set()
