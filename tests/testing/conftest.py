"""A project with a small game, whose tests are run by a pytest of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GAME = '''
"""Guard 7 walks along x, a metre a second, and may not go farther than 0.75 m."""

from dataclasses import dataclass

import pytest

from playhead.handlers.field_handler import FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.recorder.world_adapter import World

DT = 1 / 64


@dataclass
class Guard:
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    visible: bool = True
    targetable: bool = True


class Yard(World):
    def __init__(self):
        self.guard, self.seconds, self.open = Guard(), 0.0, True

    def step(self, session, steps=1):
        for _ in range(steps):
            self.seconds += DT
            self.guard.position = (self.seconds, 0.0, 0.0)
            if self.seconds == DT:
                session.name(7, "north")
            if self.seconds == 32 * DT:
                session.trace.state(
                    7, "guard", "Patrol", "Chase", won="sees", values={"range": 2.5},
                    rejected=[Rejected("hurt", "hp is not below 35")],
                )
            session.watch("speed", 1.5, object=7)
            session.check(self.seconds < 0.75, "the guard stays inside", focus=7)
            session.update(DT)

    def objects(self):
        assert self.open, "the yard is closed"
        return [(7, "guard", self.guard)]

    def time(self):
        return self.seconds

    def find(self, object_id):
        return self.guard if object_id == 7 else None


@pytest.fixture
def playhead_world():
    world = Yard()
    yield world
    world.open = False


@pytest.fixture
def playhead_handlers():
    handlers = HandlerRegistry()
    handlers.register("guard", FieldHandler(Guard()))
    return handlers
'''
FAILS = 48
"""The frame in which the guard's check fails."""


@pytest.fixture
def viewers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the viewers of this test are, and nobody else's."""
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))
    return tmp_path / "viewers"


@pytest.fixture
def run(pytester: pytest.Pytester, viewers: Path) -> Callable[..., Any]:
    """Run a file of tests on the game, in a process of its own; more files by their names."""

    def go(tests: str, *args: str, **files: str) -> Any:
        pytester.makeini("[pytest]\nfilterwarnings = error\n" + files.pop("ini", ""))
        pytester.makeconftest(GAME)
        pytester.makepyfile(test_yard=tests, **files)
        # Hypothesis takes longer to import than such a run takes, and is not used in it.
        plugins = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
        return pytester.runpytest_subprocess(*plugins, *args)

    return go
