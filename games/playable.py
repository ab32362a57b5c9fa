"""What a game must be so that a person or an agent can hold its pad."""

from typing import Protocol, runtime_checkable

import msgspec

from ..playback.pad import Pad

Vector = tuple[float, float, float]


class Observation(msgspec.Struct, frozen=True):
    """What a game tells, between two steps, to whoever plays it. In the world's units; radians."""

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
        """How things stand after the newest step."""
