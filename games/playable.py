"""What a game must be so that a person or an agent can hold its pad."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from ..playback.pad import Pad

Vector = tuple[float, float, float]


class Thing(msgspec.Struct, frozen=True):
    """Something around the player that an agent may act on, as the game reports it."""

    label: str
    """What the game calls it. Games may give all of one kind the same label."""
    position: Vector
    hp: float = 0.0
    """What is left of its health; 0 where it has none."""
    object: int = 0
    """Its id in the recording, for traces and checks only; 0 where the game does not know it."""


class Observation(msgspec.Struct, frozen=True):
    """What a game reports, between two steps, to its player. In the world's units; radians."""

    position: Vector
    """Where the player is."""
    facing: float
    """The player's heading."""
    camera: tuple[float, float]
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
    enemies: tuple[Thing, ...] = ()
    """Enemies that are alive, bosses and their followers left out."""
    bosses: tuple[Thing, ...] = ()
    """Bosses and their followers that are alive."""
    items: tuple[Thing, ...] = ()
    """Items that nobody has taken yet."""
    extras: Mapping[str, float | bool | str] = {}
    """A value for each of the game's own `columns`."""


@runtime_checkable
class Playable(Protocol):
    """A `Game` whose pad can be taken from its own scripted person."""

    sticks: str
    """`world` if the left stick points along the world's axes, `player` if along the player's."""

    @property
    def player(self) -> int:
        """The id of the object that is played; it may become another one."""

    @property
    def pad(self) -> Pad:
        """What was held in the newest step, by whomever."""

    def hold(self, pad: Pad | None) -> None:
        """Hold this from the next step on; None gives the pad back to the scripted person."""

    def observe(self) -> Observation:
        """The state after the newest step."""


@runtime_checkable
class DemoColumns(Protocol):
    """A `Playable` with further columns in its demos."""

    columns: Mapping[str, type]
    """Name and type (float, bool or str) of each further column, in the columns' order."""


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
