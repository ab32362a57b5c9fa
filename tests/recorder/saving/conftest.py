"""Tapes, and what saves clips of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.recorder.saving.clipper import Clipper
from playhead.recorder.triggers import ClipPolicy

from .tapes import Tape


@pytest.fixture
def tape() -> Iterator[Tape]:
    made = Tape()
    yield made
    made.close()


@pytest.fixture
def clipper(tape: Tape, tmp_path: Path) -> Iterator[Callable[..., Clipper]]:
    """Makes savers of the tape's ring; what is given goes to their policy."""
    made: list[Clipper] = []

    def make(**policy: Any) -> Clipper:
        policy.setdefault("folder", tmp_path / "clips")
        made.append(Clipper(tape.ring, ClipPolicy(**policy)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(autouse=True)
def no_part_is_left(tmp_path: Path) -> Iterator[None]:
    """Whatever happens, nothing half-written stays beside a clip."""
    yield
    assert not list(tmp_path.rglob("*.part"))
