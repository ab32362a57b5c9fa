"""Tapes, and what saves clips of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.recorder.clip_triggers import ClipPolicy
from playhead.recorder.saving.clip_worker import ClipWorker

from .tapes import Tape


@pytest.fixture
def tape() -> Iterator[Tape]:
    made = Tape()
    yield made
    made.close()


@pytest.fixture
def clipper(tape: Tape, tmp_path: Path) -> Iterator[Callable[..., ClipWorker]]:
    """Makes savers of the tape's ring; what is given goes to their policy."""
    made: list[ClipWorker] = []

    def make(**policy: Any) -> ClipWorker:
        policy.setdefault("folder", tmp_path / "clips")
        made.append(ClipWorker(tape.ring, ClipPolicy(**policy)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(autouse=True)
def no_part_is_left(tmp_path: Path) -> Iterator[None]:
    """Whatever happens, nothing half-written stays beside a clip."""
    yield
    assert not list(tmp_path.rglob("*.part"))
