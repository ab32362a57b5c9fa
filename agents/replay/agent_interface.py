"""The interface of an agent that replays demos, and of the factory that creates one per demo."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from ...games.playable_interface import Observation
from ...playback.pads.pad import Pad
from ...recorder.statements.instrumentation_interface import Instrumentation
from ...recorder.world_adapter import Conventions
from ..playthrough.route.game_pathfinding import FindPath, no_path
from .demos.demo_files import DemoFile


class ReplayAgent(Protocol):
    """Plays one demo again."""

    @property
    def done(self) -> bool:
        """Whether it has come to an end, good or bad."""

    @property
    def failure(self) -> str:
        """Why it could not go on; empty if it could."""

    @property
    def traceback(self) -> str:
        """Where it broke, if its own code did; else empty."""

    @property
    def row(self) -> int:
        """The demo's row that it refers to."""

    @property
    def progress(self) -> float:
        """How much of the demo is played, 0 … 1."""

    @property
    def state(self) -> str:
        """The state that it is in."""

    @property
    def recoveries(self) -> int:
        """How often it went back to a point of return."""

    @property
    def transitions(self) -> int:
        """How often it changed its state."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the readers of the report."""

    def step(self, seen: Observation) -> Pad:
        """What it holds from now on, after it has seen how things stand."""


class AgentSpec(NamedTuple):
    """What an agent is made for."""

    demo: DemoFile
    instruments: Instrumentation
    """What it speaks through."""
    player: int
    """The id of the object that it plays."""
    clock: Callable[[], float]
    """The game time of what it has seen last, seconds."""
    seed: int
    """Decides what it leaves to chance."""
    conventions: Conventions = Conventions()
    """How positions and headings of what it sees are to be read."""
    sticks: str = "world"
    """What the left stick points along."""
    debug: Callable[[str, Any], object] = lambda name, argument: None
    """Calls a debug function of the game."""
    find_path: FindPath = no_path
    """Asks the game for a way."""


AgentFactory = Callable[[AgentSpec], ReplayAgent]
