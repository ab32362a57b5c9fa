"""The base class for a user's own game that agents can play."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, Literal

from ..playback.pads.pad import NEUTRAL, Pad
from ..recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from ..recorder.world_adapter import Conventions
from .playable_interface import Observation, OutcomeRule


class PlayableGame(ABC):
    """A game of your own, as the playthrough tester plays it. Derive from it.

    Three methods are needed: the objects to record, a step with a pad, and what the player sees.
    Everything else has a default.

        class Maze(ph.PlayableGame):
            def __init__(self, seed=0):
                self.player = Hero()

            def objects(self):
                return {"hero": self.player}

            def step(self, pad):
                self.player.x += pad.left[0] * 3 * self.dt

            def observe(self):
                return ph.Observation((self.player.x, 0, 0))

    `playhead demo-record maze.py:Maze walk.csv` records a demo of it, `playhead replay maze.py:Maze
    walk.csv` plays it again. The class is called with `seed=…` if a seed is given.

    A game can also have `save(path)` and `load(path)`, which write and read a saved game: then one
    demo can begin where another one ended. If it can't be read they raise `ph.errors.GameError`.
    """

    name: ClassVar[str] = ""
    """What reports call it; the class's name by default."""
    dt: ClassVar[float] = 1 / 60
    """Seconds of game time in one step."""
    conventions: ClassVar[Conventions] = Conventions()
    """How positions and headings of observations are to be read."""
    sticks: Literal["world", "player", "camera"] = "world"
    """What the left stick points along: the plan's axes, or ahead of the player or the camera."""
    columns: ClassVar[Mapping[str, type]] = {}
    """The game's own columns in demos: float, bool or str by name. Each observation's `extras` has
    a value for each."""
    outcomes: ClassVar[Mapping[str, OutcomeRule]] = {}
    """Those of the columns that say what must have come of a demo at its end, and how each is
    compared: `equal`, `includes` or `noted`."""
    levels: ClassVar[Collection[str]] = ()
    """The names of all levels, if demos of others are to be refused."""
    settings: ClassVar[str] = ""
    """The agent's settings for this game, as YAML: what is otherwise than by default."""
    player: Any = None
    """The recorded object that is played; the first one if None."""
    recording: Instrumentation = NULL_INSTRUMENTATION
    """What the game records beside its objects: `self.recording.check(…)`, `mark`, `draw`. It
    does nothing until a recording has begun."""

    @abstractmethod
    def objects(self) -> Any:
        """What is recorded, as `record` takes it: a dict of objects by name, a list, one object."""

    @abstractmethod
    def step(self, pad: Pad) -> None:
        """Play a step of `dt` seconds while this pad is held."""

    @abstractmethod
    def observe(self) -> Observation:
        """What there is to see after the newest step."""

    def person(self) -> Pad:
        """The scripted player's pad in the next step, while nobody else plays."""
        return NEUTRAL

    def text(self) -> str:
        """The game as text, to be played in a terminal; empty if there is no such picture."""
        return ""

    def debug_functions(self) -> Mapping[str, Callable[[Any], object]]:
        """Functions by name that rules of the agent's settings may call to get on.

        Each takes one plain argument, such as a demo's value of what is left to chance.
        """
        return {}

    def close(self) -> None:  # noqa: B027  # a game that holds nothing needs none
        """The game is over: let go of what it holds."""
