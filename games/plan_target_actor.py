"""An actor of a game: something that a plan can send a player to, and that can be acted on."""

from collections.abc import Mapping

import msgspec

from ..recorder.statements.instrumentation_interface import Scalar
from .playable_interface import Vector


class Actor(msgspec.Struct, frozen=True):
    """Something in the game that can be walked to, and perhaps acted on."""

    id: int
    """Its id, by which it stays the same actor; that in the recording where it is recorded."""
    type: str
    """Its kind, such as `switch`."""
    name: str
    """What it alone is called, or all of its kind."""
    position: Vector
    actions: tuple[str, ...] = ()
    """What can be done to it."""
    radius: float = 0.0
    """The distance from its position to its edge, added to every distance for reaching it."""
    floor: float | None = None
    """The height of an actor that has reached it; that of its position unless stated."""
    hidden: bool = False
    """Whether the player can't see it now. Rules are about those that it can; a node goes on to
    where it can be seen."""
    values: Mapping[str, Scalar] = {}
    """What validators measure of it, such as its health."""

    @property
    def place(self) -> Vector:
        """Where one goes to come to it."""
        x, y, z = self.position
        return x, y, z if self.floor is None else self.floor
