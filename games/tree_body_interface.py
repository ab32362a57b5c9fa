"""The interface of a game character that a behaviour tree drives: its values and its commands.

A game offers bodies of its own if it is a `TreeGame`. In any other game with a pad, the player is a
body: see `games/pad_tree_body.py`.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from .walk_map import WalkMap

Point = tuple[float, float]
Place = tuple[float, ...]
"""x, y, and how high if that matters."""
TreeValue = float | bool | str | Place | None
"""What a game's value may be for a tree. None: at present there is no such value."""
PLAYER = "player"
"""The body that every game has."""
Rays = Callable[[Point, float], float]
"""How far one sees from a point in a direction (radians), as far as rays reach."""


class CommandRange(NamedTuple):
    """What can be asked for of a command; 0 is rest."""

    low: float
    high: float


class TreeBody(Protocol):
    """A character in a game. All of it is in the world's units and in radians."""

    values: frozenset[str]
    """The names of all values that `observe` may give."""
    commands: Mapping[str, CommandRange]

    @property
    def object(self) -> int:
        """Its id in the recording."""

    @property
    def position(self) -> Place:
        """Where it is."""

    @property
    def facing(self) -> float:
        """Its heading."""

    def observe(self) -> Mapping[str, TreeValue]:
        """What it knows after the newest step."""

    def act(self, commands: Mapping[str, float]) -> None:
        """Do this in the next step; a command that is not given rests."""

    def release(self) -> None:
        """Let the game have it back."""

    def walk_map(self) -> WalkMap | None:
        """Where one can walk in this level; None if the game does not know."""


@runtime_checkable
class SeesByRays(Protocol):
    """A `TreeBody` that measures how far one sees, so that a map can be made of a running game."""

    scan_cell: float
    """A fair size of the map's cells."""
    room: float
    """How far it must stay from whatever is in the way."""

    @property
    def scan_bounds(self) -> tuple[Point, Point]:
        """The lower left and the upper right end of what there is to scan."""

    def ray(self, origin: Point, angle: float) -> float:
        """How far one sees from a point in a direction (radians)."""


@runtime_checkable
class TreeGame(Protocol):
    """A `Game` with bodies of its own for trees."""

    tree_bodies: tuple[str, ...]
    """Their names."""

    def tree_body(self, name: str) -> TreeBody:
        """One of them: from its first `act` until `release` nobody else drives it.

        Raises:
            GameError: there is none of this name.
        """
