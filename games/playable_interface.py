"""The interface of a game that a person or an agent can play with a pad."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from ..playback.pads.pad import Pad

Vector = tuple[float, float, float]


class ObservedEntity(msgspec.Struct, frozen=True):
    """Something around the player that an agent may act on, as the game reports it."""

    label: str
    """What the game calls it. Games may give all of one kind the same label."""
    position: Vector
    hp: float = 0.0
    """What is left of its health; 0 where it has none."""
    object: int = 0
    """Its id in the recording, for traces and checks only; 0 where the game does not know it."""
    velocity: Vector = (0.0, 0.0, 0.0)
    """In the world's units a second; zero where the game does not tell it."""


class Observation(msgspec.Struct, frozen=True):
    """What a game reports, between two steps, to its player. In the world's units and axes.

    Headings are radians, counter-clockwise seen from above; 0 looks along the world's x axis. The
    agent's settings (`engine.kind`) can say otherwise.
    """

    position: Vector
    """Where the player is."""
    facing: float = 0.0
    """The player's heading."""
    camera: tuple[float, float] = (0.0, 0.0)
    """Where the camera looks: its heading, and how far above the horizon."""
    message: bool = False
    """Whether a window with a message is shown."""
    in_air: bool = False
    can_jump: bool = False
    level: str = ""
    event: str = ""
    """The event that is being played; empty for none."""
    screen: str = ""
    """What takes the whole pad while it is shown, such as `title` or `shop`; empty for none."""
    field: str = ""
    """The boss's field that the player is in; empty for none."""
    dead: bool = False
    finished: bool = False
    """Whether the game has come to its good end."""
    enemies: tuple[ObservedEntity, ...] = ()
    """Enemies that are alive, bosses and their followers left out."""
    bosses: tuple[ObservedEntity, ...] = ()
    """Bosses and their followers that are alive."""
    items: tuple[ObservedEntity, ...] = ()
    """Items that have not been taken yet."""
    people: tuple[ObservedEntity, ...] = ()
    """People, signs, levers and whatever else can be talked to, read or used; each with its own
    name."""
    dangers: tuple[ObservedEntity, ...] = ()
    """What may harm whoever is near, such as barrels that explode when a shot hits them; and what
    flies and may hit the player, which has a velocity."""
    extras: Mapping[str, float | bool | str] = {}
    """A value for each of the game's own `columns`."""


@runtime_checkable
class Playable(Protocol):
    """A `Game` whose pad can be taken from its own scripted person."""

    sticks: str
    """`world` if the left stick points along the world's axes, `player` or `camera` if ahead of
    either of them."""

    @property
    def player(self) -> int:
        """The id of the object that is played; it may become another one."""

    @property
    def pad(self) -> Pad:
        """The pad that was held in the newest step, by a person, script or agent."""

    def hold(self, pad: Pad | None) -> None:
        """Hold this from the next step on; None gives the pad back to the scripted person."""

    def observe(self) -> Observation:
        """The state after the newest step."""


@runtime_checkable
class DemoColumns(Protocol):
    """A `Playable` with further columns in its demos."""

    columns: Mapping[str, type]
    """Name and type (float, bool or str) of each further column, in the columns' order."""


OutcomeRule = Literal["equal", "includes", "noted"]
"""How an outcome is compared with the demo's: it must be `equal`; or of a list of words with commas
between, it `includes` all that the demo has; or a difference is only `noted` in reports."""


@runtime_checkable
class DemoOutcomes(Protocol):
    """A `Playable` that says what must have come of a demo at its end.

    What may come out otherwise each time belongs not here: where enemies went, what lies about.
    """

    outcomes: Mapping[str, OutcomeRule]
    """Names of the game's own columns, and how each is compared."""


@runtime_checkable
class DemoLevels(Protocol):
    """A `Playable` that knows the names of all its levels, so that demos of others are refused."""

    levels: Collection[str]


@runtime_checkable
class DebugFunctions(Protocol):
    """A `Playable` with functions that rules of the agent's settings may call to get on.

    They are what a test needs where chance decides: force progress, or set what is random.
    """

    @property
    def debug_functions(self) -> Collection[str]:
        """Their names."""

    def debug(self, name: str, argument: Any) -> None:
        """Call one of them with a plain value."""


@runtime_checkable
class PlayableSettings(Protocol):
    """A `Playable` that brings the agent's settings for itself along."""

    settings: str
    """YAML; empty for the usual ones."""


@runtime_checkable
class Saves(Protocol):
    """A `Playable` with saved games, so that one demo can begin where another ended."""

    def save(self, path: Path) -> None:
        """Write a saved game.

        Raises:
            GameError: it can't be written, or the game can't be saved just now.
        """

    def load(self, path: Path) -> None:
        """Go on from a saved game.

        Raises:
            GameError: it can't be read, or is no saved game of this game.
        """
