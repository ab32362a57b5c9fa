"""One game, and its recording in each form that it can have."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from playhead.bus.client.client import connect
from playhead.bus.server.bus_settings import BusSettings
from playhead.recording.open_file import open
from playhead.recording.recording import Recording
from playhead.session import Session

from ..support.process import WITH_SUPPORT, Process
from .guards import FRAMES, Guards, play, session_of

FORMS = ("clip", "ring", "live")


class Played:
    """A game that stands after some frames, and what can be asked of it."""

    def __init__(self, folder: Path, frames: int = FRAMES, **settings: Any) -> None:
        self._stack, self.folder = ExitStack(), folder
        self.world = Guards()
        self.session: Session = self._stack.enter_context(
            session_of(
                self.world, path=folder / "run.ring", bus=BusSettings("tcp://127.0.0.1:*"),
                **settings,
            )
        )  # fmt: skip
        self.go_on(frames)

    def go_on(self, frames: int) -> None:
        play(self.session, self.world, frames)

    def recording(self, form: str) -> Recording:
        """The recording: of a clip that is saved now, of the ring's file, or of the game."""
        if form == "live":
            assert self.session.bus is not None
            return self._stack.enter_context(connect(self.session.bus.endpoint)).recording
        path = self.folder / "run.ring"
        if form == "clip":
            path = self.folder / f"run{self.world.steps}.mcap"
            self.session.save(path)
        return self._stack.enter_context(open(path))

    def close(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The game after all its frames. Not to be changed."""
    made = Played(tmp_path_factory.mktemp("game"))
    yield made
    made.close()


@pytest.fixture
def play_game(tmp_path: Path) -> Iterator[Callable[..., Played]]:
    """Make games of one's own."""
    made: list[Played] = []

    def make(frames: int = FRAMES, **settings: Any) -> Played:
        folder = tmp_path / f"game{len(made)}"
        folder.mkdir()
        made.append(Played(folder, frames, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def recordings(played: Played) -> dict[str, Recording]:
    """The same recording in all forms."""
    return {form: played.recording(form) for form in FORMS}


@pytest.fixture
def resident(start_process: Callable[..., Process]) -> Callable[..., Process]:
    """Start a game in a process of its own; it is killed with the test."""
    program = Path(__file__).parent / "programs" / "guard_game.py"

    def start(*arguments: object) -> Process:
        return start_process(
            sys.executable, "-W", "error", program, *arguments, talks=True, env=WITH_SUPPORT
        )

    return start
