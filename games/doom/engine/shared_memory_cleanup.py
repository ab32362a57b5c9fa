"""Removes the shared memory that a killed ViZDoom leaves behind: ten megabytes each time."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_MAPPED = re.compile(r"/dev/shm/ViZDoom(?:SM|MQCtr|MQDoom)(\w+)")


def mapped_by(process: int) -> set[Path]:
    """ViZDoom's shared memory that belongs to this process; none where there is no `/proc`.

    An engine has three pieces of one name. Seen is the first that is mapped, named are all three.
    """
    try:
        maps = Path(f"/proc/{process}/maps").read_text(errors="replace")
    except OSError:
        return set()
    return {
        Path(f"/dev/shm/ViZDoom{piece}{name}")
        for name in _MAPPED.findall(maps)
        for piece in ("SM", "MQCtr", "MQDoom")
    }


def remove(files: Iterable[Path]) -> None:
    """Give the memory back. What is gone already is fine."""
    for file in files:
        with suppress(OSError):
            file.unlink()
